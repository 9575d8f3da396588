# SPDX-License-Identifier: GPL-2.0-or-later
"""TAP for tests in Python: one line a promise, the plan at the end."""
import sys
import tempfile


class Tap:
    def __init__(self):
        self.nr = 0
        self.nr_failed = 0

    def check(self, is_kept, promise, detail=None):
        self.nr += 1
        if not is_kept:
            self.nr_failed += 1
        print(f"{'ok' if is_kept else 'not ok'} {self.nr} - {promise}", flush=True)
        if not is_kept and detail is not None:
            for line in str(detail).split("\n"):
                print(f"# {line}", file=sys.stderr, flush=True)  # meson hides the TAP itself
        return is_kept

    def equal(self, value, expected, promise):
        return self.check(value == expected, promise, f"is       {value!r}\nexpected {expected!r}")

    def skip(self, promise, reason):
        self.nr += 1
        print(f"ok {self.nr} - {promise} # SKIP {reason}", flush=True)

    def end(self):
        print(f"1..{self.nr}", flush=True)
        return 1 if self.nr_failed else 0


def skip_all(reason):
    print(f"1..0 # SKIP {reason}", flush=True)
    sys.exit(0)


class Skip(Exception):
    """Raised by a promise that cannot be checked here."""


def promises(rows):
    """Checks (promise, function of an empty folder) in turn; the exit status."""
    t = Tap()
    for promise, check in rows:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(folder)
                t.check(True, promise)
            except Skip as reason:
                t.skip(promise, reason)
            except (AssertionError, KeyError, ValueError) as error:
                t.check(False, promise, repr(error)[:3000].replace("\\n", "\n"))
    return t.end()
