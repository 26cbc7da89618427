"""Reads the output of Swift Testing."""

import re

COLOR = re.compile("\x1b\\[[0-9;]*m")
# A test case has its arguments in its name.
BEGAN = re.compile(r"(?:Test (?!run )|Test case passing .+ to ).+ started\.")
ENDED = re.compile(r"(Test .+?) (?:with \d+ test cases? )?(?:passed|failed|skipped)")

# How a line of scripts/end-if-silent begins that tells what a process or a thread waits for.
WAITS = "waits: "


def plain(text):
    """The text without colours."""
    return COLOR.sub("", text)


def unfinished(lines):
    """The names of the tests that began and did not end, in the order in which they began."""
    open_tests = {}
    for line in lines:
        if BEGAN.search(line):
            name = line[line.find("Test") :].rsplit(" started.", 1)[0].strip()
            open_tests[name] = None
        elif found := ENDED.search(line):
            open_tests.pop(found[1].strip(), None)
    return list(open_tests)
