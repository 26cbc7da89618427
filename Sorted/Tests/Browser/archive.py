"""A list of many conversations and a long thread, for the tests of what moves and of what an input costs."""
import base64
import json

from support import BrowserTest

# Of Chromium's own API. A shift within half a second of a key or a click is expected, and `hadRecentInput` says so. An interaction
# of less than 16 ms has no entry.
OBSERVE = """() => {
  window.figures = { interactions: [], shift: 0, moved: [] };
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name, startTime, processingStart, processingEnd } of list.getEntries()) {
      if (!interactionId) continue;
      const parts = [processingStart - startTime, processingEnd - processingStart, startTime + duration - processingEnd];
      figures.interactions.push({ duration, name, parts: parts.map(Math.round) });
    }
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
FRAMES = "(count) => new Promise((done) => { const step = () => count-- ? requestAnimationFrame(step) : done(); step(); })"


class ArchiveTest(BrowserTest):
    """A server over an archive that was imported."""

    arguments = ()
    conversations = 260
    messages = 700
    # In seconds, between two messages of the thread. Some hours in between make a heading and end a group.
    pause = 2_000
    # An import calls the conversation so.
    name = "ndjson/long"
    thread = "/c/" + base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lines = [
            {"conversation": f"c{number}", "id": f"m{number}", "sender": "ann", "text": f"hello {number}",
             "createdAt": 1_700_000_000 + 7_000 * number} for number in range(cls.conversations)]
        # Three people, and texts of one line and of six: headings, groups and heights differ.
        lines += [
            {"conversation": "long", "id": f"l{number}", "sender": ["ann", "bob", "bob", "cat"][number % 4],
             "text": f"needle{number} " + "a word or two " * (number * 7 % 23),
             "createdAt": 1_772_000_000 + cls.pause * number} for number in range(cls.messages)]
        path = cls.server.store.parent / "archive.ndjson"
        path.write_text("\n".join(map(json.dumps, lines)))
        cls.server.run("import", "ndjson", str(path))

    def open(self, *arguments, **options):
        """A page that is on the screen as a whole. The bars of a window take some of its height, and what lies below its end is not
        painted: keys that are typed there seem to wait for the screen."""
        page = super().open(*arguments, **options)
        session = page.context.new_cdp_session(page)
        window = session.send("Browser.getWindowForTarget")["windowId"]
        size = {"width": page.viewport_size["width"], "height": page.viewport_size["height"] + 200}
        session.send("Browser.setWindowBounds", {"windowId": window, "bounds": size})
        session.detach()
        return page

    def identifier(self, number):
        """The element of a message of the long thread."""
        name = f"{self.name}/l{number}".encode()
        return "m-" + base64.urlsafe_b64encode(name).decode().rstrip("=")

    def scroll(self, page, scroller, direction, count):
        page.locator(scroller).hover()
        for _ in range(count):
            page.mouse.wheel(0, direction)
            page.evaluate(FRAMES, 6)

    def scroll_until(self, page, count):
        """Scrolls up until so many messages are on the page."""
        for _ in range(200):
            if page.locator(".msg").count() >= count:
                return
            # It moves to the first message, and rests there.
            self.scroll(page, "#thread-scroll", -3_000, 1)
            page.evaluate(FRAMES, 30)
        self.fail(f"{page.locator('.msg').count()} messages after 200 turns")
