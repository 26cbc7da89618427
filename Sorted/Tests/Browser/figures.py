"""Measures the pages in Chromium by its own API: interaction to next paint, layout shift, memory of the tab.

Usage: figures.py [CONVERSATIONS] [MESSAGES] [LIVE], with CHROMIUM and SORTED as scripts/browser sets them.
"""
import json
import sys
import time
import unittest

import archive
import figures_test
from support import expect


def slowest(figures):
    """The three slowest interactions: how long, of what kind, and their parts: before the script, the script, until the paint."""
    found = sorted(figures["interactions"], key=lambda entry: -entry["duration"])[:3]
    return [f"{entry['duration']} {entry['name']} {entry['parts']}" for entry in found]


class Figures(figures_test.FiguresTest):
    pause = 100
    conversations, messages, received = ([int(word) for word in sys.argv[1:]] + [10_000, 100_000, 10_000][len(sys.argv) - 1:])

    def response_time(self, path):
        """The median time until the whole page is there, in milliseconds."""
        times = []
        for _ in range(20):
            start = time.perf_counter()
            self.server.request("GET", path)
            times.append(1000 * (time.perf_counter() - start))
        return round(sorted(times)[10], 1)

    def runTest(self):
        page = self.open()
        page.evaluate(archive.OBSERVE)
        self.use(page)
        page.locator("#list-scroll").hover()
        for _ in range(30):
            page.mouse.wheel(0, 1500)
            page.wait_for_timeout(100)
        page.wait_for_timeout(500)
        figures = page.evaluate("figures")
        page.goto(self.server.url + self.thread)
        self.live(page)
        page.evaluate(archive.OBSERVE)
        page.locator("#text").press_sequentially("typed into a long thread", delay=20)
        page.locator("#text").fill("")
        page.locator("#thread-scroll").hover()
        for _ in range(60):
            page.mouse.wheel(0, -1500)
            page.wait_for_timeout(100)
        page.locator("#text").press_sequentially("typed beside many messages", delay=20)
        page.locator("#text").fill("")
        self.use_keys(page)
        page.wait_for_timeout(500)
        long = page.evaluate("figures")
        page.reload()
        self.live(page)
        self.receive(page, "warm", 500)
        memory = [self.memory(page)]
        for part in range(5):
            self.receive(page, f"live {part}:", self.received // 5)
            memory.append(self.memory(page))
        print(json.dumps({
            "conversations": self.conversations, "messages of the thread": self.messages,
            "list, ms until the whole page": self.response_time("/"),
            "thread, ms until the whole page": self.response_time(self.thread),
            # An interaction of less than 16 ms has no entry.
            "interactions of 16 ms or more": len(figures["interactions"] + long["interactions"]),
            "slowest in the list, ms": slowest(figures), "slowest in the long thread, ms": slowest(long),
            "layout shift": round(figures["shift"], 4), "layout shift in the long thread": round(long["shift"], 4),
            "moved": figures["moved"][:8] + long["moved"][:8],
            f"heap, MiB, at each {self.received // 5} live messages": [round(sample["MiB"], 1) for sample in memory],
            "nodes": [sample["nodes"] for sample in memory], "messages on the page": page.locator(".msg").count(),
        }, indent=2))


if __name__ == "__main__":
    unittest.main(argv=["figures"], defaultTest="Figures.runTest")
