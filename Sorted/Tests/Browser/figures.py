"""Measures the pages in Chromium by its own API: interaction to next paint, layout shift, memory of the tab.

Usage: figures.py [CONVERSATIONS] [MESSAGES], with CHROMIUM and SORTED as scripts/browser sets them.
"""
import json
import sys
import time
import unittest

from support import BrowserTest, expect

CONVERSATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
MESSAGES = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000

OBSERVE = """() => {
  window.figures = { interactions: [], shift: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.interactionId) figures.interactions.push(entry.duration);
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) figures.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


class Figures(BrowserTest):
    arguments = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lines = [
            {"conversation": f"c{number}", "id": f"m{number}", "sender": "ann", "text": f"hello {number}",
             "createdAt": 1_700_000_000 + 60 * number} for number in range(CONVERSATIONS)]
        lines += [
            {"conversation": "long", "id": f"l{number}", "sender": "ann", "text": f"line {number}",
             "createdAt": 1_710_000_000 + number} for number in range(MESSAGES)]
        path = cls.server.store.parent / "archive.ndjson"
        path.write_text("\n".join(map(json.dumps, lines)))
        cls.server.run("import", "ndjson", str(path))

    def first_bytes(self, path):
        times = []
        for _ in range(20):
            start = time.perf_counter()
            self.server.request("GET", path)
            times.append(1000 * (time.perf_counter() - start))
        return round(sorted(times)[10], 1)

    def runTest(self):
        page = self.open()
        page.evaluate(OBSERVE)
        for _ in range(8):
            page.keyboard.press("j")
        for index in [0, 3, 9, 2, 5]:
            page.locator(".row-link").nth(index).click()
            self.live(page)
            page.locator("#text").press_sequentially("typed quickly", delay=20)
            page.locator("#text").fill("")
        page.keyboard.press("Control+k")
        page.keyboard.type("c12")
        page.keyboard.press("Escape")
        page.wait_for_timeout(500)
        figures = page.evaluate("figures")
        shown = sorted(figures["interactions"])
        heap = lambda: page.evaluate("performance.memory.usedJSHeapSize / 1048576")
        page.goto(self.server.url + "/c/bG9uZw")
        self.live(page)
        before = heap()
        self.server.run("send", "long", "--lines", lines="\n".join(f"live {number}" for number in range(2_000)))
        expect(page.locator(".msg", has_text="live 1999")).to_be_visible()
        print(json.dumps({
            "conversations": CONVERSATIONS, "messages of the thread": MESSAGES,
            "list, ms until the whole page": self.first_bytes("/"),
            "thread, ms until the whole page": self.first_bytes("/c/bG9uZw"),
            "interactions": len(shown), "slowest interaction to next paint, ms": shown[-1] if shown else 16,
            "median, ms": shown[len(shown) // 2] if shown else 16,
            "layout shift": round(figures["shift"], 4), "heap, MiB": round(before, 1),
            "after 2,000 live messages": round(heap(), 1), "messages on the page": page.locator(".msg").count(),
        }, indent=2))


if __name__ == "__main__":
    unittest.main(argv=["figures"], defaultTest="Figures")
