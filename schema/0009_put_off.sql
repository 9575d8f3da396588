-- SPDX-License-Identifier: GPL-2.0-or-later

-- When to try again what failed so often: in 10 s, then twice as long each time, up to an hour.
CREATE FUNCTION belt_put_off(nr_tries int) RETURNS timestamptz LANGUAGE sql STABLE AS
$$ SELECT belt_now() + least(interval '1 hour', interval '10 s' * (1 << least(nr_tries, 10))) $$;
