"""What of the figures does not depend on time: layout shift, and the memory of a tab that is only watched."""
import base64
import json

from support import BrowserTest, expect

# Of Chromium's own API. A shift within half a second of a key or a click is expected, and `hadRecentInput` says so.
OBSERVE = """() => {
  window.figures = { interactions: [], shift: 0, moved: [] };
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name } of list.getEntries())
      if (interactionId) figures.interactions.push({ duration, name });
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      figures.shift += entry.value;
      for (const { node } of entry.sources) figures.moved.push(`${node?.nodeName}.${node?.className} ${entry.value.toFixed(4)}`);
    }
  }).observe({ type: "layout-shift", buffered: true });
}"""
MOST_SHIFT = 0.02


class FiguresTest(BrowserTest):
    arguments = ()
    conversations = 120
    messages = 600
    received = 1_500
    # An import calls the conversation so.
    name = "ndjson/long"
    thread = "/c/" + base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lines = [
            {"conversation": f"c{number}", "id": f"m{number}", "sender": "ann", "text": f"hello {number}",
             "createdAt": 1_700_000_000 + 60 * number} for number in range(cls.conversations)]
        lines += [
            {"conversation": "long", "id": f"l{number}", "sender": "ann", "text": f"line {number}",
             "createdAt": 1_710_000_000 + number} for number in range(cls.messages)]
        path = cls.server.store.parent / "archive.ndjson"
        path.write_text("\n".join(map(json.dumps, lines)))
        cls.server.run("import", "ndjson", str(path))

    def use(self, page):
        """Goes through the list by keys, opens conversations, types, and uses the palette."""
        for _ in range(8):
            page.keyboard.press("j")
        for index in [0, 3, 9, 2, 5]:
            page.locator(".row-link").nth(index).click()
            self.live(page)
            page.locator("#text").press_sequentially("typed quickly", delay=20)
            page.locator("#text").fill("")
        page.keyboard.press("Control+k")
        page.keyboard.type("c12")
        expect(page.locator("#palette [aria-selected=true]")).to_contain_text("c12")
        page.keyboard.press("Escape")

    def memory(self, page):
        """What the tab holds after a collection of garbage."""
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        session.send("HeapProfiler.collectGarbage")
        metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
        session.detach()
        return {"MiB": metrics["JSHeapUsedSize"] / 1_048_576, "nodes": metrics["Nodes"], "listeners": metrics["JSEventListeners"]}

    def receive(self, page, name, count):
        """Has another program write messages into the thread, and waits until the page shows the last one."""
        self.server.run("send", self.name, "--lines", lines="\n".join(f"{name} {number}" for number in range(count)))
        expect(page.locator(".msg", has_text=f"{name} {count - 1}")).to_be_visible()

    def test_nothing_shifts_while_a_person_reads_and_writes(self):
        page = self.open()
        page.evaluate(OBSERVE)
        self.use(page)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        figures = page.evaluate("figures")
        self.assertLessEqual(figures["shift"], MOST_SHIFT, figures["moved"])

    def test_the_memory_of_a_tab_stays_flat_while_messages_come(self):
        page = self.open(self.thread)
        # The first ones fill the page up to as many as it keeps.
        self.receive(page, "warm", 500)
        before = self.memory(page)
        self.receive(page, "live", self.received)
        after = self.memory(page)
        # A page has 200 to 400 messages, so it may be caught at either end.
        self.assertLess(after["nodes"], 2.2 * before["nodes"], (before, after))
        self.assertLess(after["listeners"], 2.2 * before["listeners"], (before, after))
        self.assertLess(after["MiB"], before["MiB"] + 3, (before, after))
