"""Runs the browser tests: [BROWSER=firefox] python run.py [--smoke] [part of a test's name]…

In Firefox only those run that `in_firefox` of support.py marks, and with --smoke only those that `smoke` marks. Each class runs
in a process of its own, so that a browser that hangs ends one class only.
"""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import unittest

folder = pathlib.Path(__file__).parent
# In seconds. The longest class takes a tenth of it on an idle machine with two cores.
LIMIT = 900
# A log that is cut off still ends with what failed.
LAST_LINES = 12


def tests(suite):
    for test in suite:
        yield from tests(test) if isinstance(test, unittest.TestSuite) else [test]


def is_marked(test, mark):
    """Whether a test or its class has a mark of support.py."""
    function = getattr(test, test._testMethodName, None)
    return getattr(test, mark, False) or getattr(function, mark, False)


def run(ids):
    """Runs tests of one class. Returns whether they passed, and their output."""
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-m", "unittest", "-v", *ids],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    # The signal makes Python print where it is. The browser is in its process group. Its servers end with it (`Program` of support.py).
    timer = threading.Timer(LIMIT, process.send_signal, [signal.SIGABRT])
    timer.start()
    output = []
    try:
        for line in process.stdout:
            print(line, end="", flush=True)
            output.append(line)
            if line.startswith("Fatal Python error"):
                threading.Timer(5, os.killpg, [process.pid, signal.SIGKILL]).start()
        return process.wait() == 0, output
    finally:
        timer.cancel()
        # Ctrl-C reaches this process only, because the class has a session of its own.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def main(parts):
    found = list(tests(unittest.TestLoader().discover(folder, pattern="*_test.py")))
    broken = [test for test in found if type(test).__name__ == "_FailedTest"]
    if broken:
        unittest.TextTestRunner().run(unittest.TestSuite(broken))
        return 1
    if os.environ.get("BROWSER") == "firefox":
        found = [test for test in found if is_marked(test, "in_firefox")]
    if "--smoke" in parts:
        parts = [part for part in parts if part != "--smoke"]
        found = [test for test in found if is_marked(test, "smoke")]
    classes = {}
    for test in found:
        if not parts or any(part in test.id() for part in parts):
            classes.setdefault(f"{type(test).__module__}.{type(test).__name__}", []).append(test.id())
    failed = []
    for name, ids in classes.items():
        passed, output = run(ids)
        if not passed:
            failed.append((name, output))
    for name, output in failed:
        print(f"== {name} failed", "".join(output[-LAST_LINES:]), sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
