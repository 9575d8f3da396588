#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/quickstart.md, command by command: at its end there is a mail about the right commit."""
import email
import email.policy
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import belt
import pg
import tap

GUIDE = belt.ROOT / "docs" / "quickstart.md"
LIMIT_S = 400


def script():
    blocks = re.findall(r"^```sh\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    # Where it works, for what is checked afterwards; and no process stays, whatever happens.
    return "set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait; pwd >&3' EXIT\nset -x\n" + "".join(blocks)


def run():
    """Exit status, output and folder of the whole guide."""
    path = os.pathsep.join(str(belt.BUILD / part) for part in ("cli", "daemon", "workers"))
    env = {name: value for name, value in os.environ.items() if not name.startswith("PATCHMETER_")}
    env["PATH"] = path + os.pathsep + env["PATH"]
    reader, writer = os.pipe()
    with subprocess.Popen(["bash", "-c", f"exec 3>&{writer}\n{script()}"], env=env, pass_fds=[writer], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as guide:
        os.close(writer)
        try:
            output = guide.communicate(timeout=LIMIT_S)[0]
        except subprocess.TimeoutExpired:
            os.killpg(guide.pid, signal.SIGTERM)
            output = guide.communicate()[0]
    with open(reader, encoding="utf-8") as said:
        return guide.returncode, output, pathlib.Path(said.read().strip())


def main():
    pg.programs()  # or skips
    for tool in ("cc", "git"):
        if not shutil.which(tool):
            tap.skip_all(f"{tool} is not installed")
    t = tap.Tap()
    status, output, folder = run()
    try:
        logs = "\n".join(f"-- {path.name} --\n{path.read_text(encoding='utf-8')}" for path in folder.glob("*.log"))
        if not t.equal(status, 0, "every command of the guide does what it says"):
            print("# " + (output + logs)[-20000:].replace("\n", "\n# "))
        mails = [email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
                 for path in (folder / "data" / "outbox").glob("*.eml")]
        t.check(len(mails) == 1 and "sums.cpu_time" in mails[0]["Subject"] and
                'sums: be thorough")\n  against' in mails[0].get_content(),
                "the mail is about the commit that made it slow", mails)
        t.check(re.search(r"regression", output) and "work" in output, "compare said so before, without a daemon")
        checked = subprocess.run(["sh", "-n", folder / "reproduce.sh"], check=False)
        t.equal(checked.returncode, 0, "the script that does a run again is one")
        t.check("level=error" not in logs, "nothing was logged as an error", logs)
    finally:
        if folder.name.startswith("quickstart."):
            shutil.rmtree(folder, ignore_errors=True)
    return t.end()


sys.exit(main())
