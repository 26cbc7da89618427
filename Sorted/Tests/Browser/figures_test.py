"""What of the figures does not depend on time: layout shift, and the memory of a tab that is only watched."""
from archive import MOST_SHIFT, OBSERVE, ArchiveTest
from support import expect


class FiguresTest(ArchiveTest):
    conversations = 120
    messages = 600
    received = 1_500

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

    def use_keys(self, page):
        """Goes through the messages by keys, and opens a menu, the palette, the keys and the emoji."""
        page.locator("#thread-scroll").focus()
        for _ in range(8):
            page.keyboard.press("ArrowUp")
        page.keyboard.press("m")
        expect(page.locator(".msg .menu[open]")).to_have_count(1)
        page.keyboard.press("Escape")
        for key, box in [("Control+k", "#palette"), ("?", "#keys")]:
            page.keyboard.press(key)
            expect(page.locator(box)).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.locator(box)).to_be_hidden()
        page.locator("#emoji").click()
        expect(page.locator("#emoji-picker")).to_be_visible()
        page.keyboard.press("Escape")

    def memory(self, page):
        """
        What the tab holds: the least of some readings, each after a collection of garbage. One collection leaves the parsed
        answer of a request that has just ended.
        """
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        readings = []
        for _ in range(8):
            session.send("HeapProfiler.collectGarbage")
            readings.append({metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]})
            page.wait_for_timeout(250)
        session.detach()
        least = {name: min(reading[name] for reading in readings) for name in ["JSHeapUsedSize", "Nodes", "JSEventListeners"]}
        return {"MiB": least["JSHeapUsedSize"] / 1_048_576, "nodes": least["Nodes"], "listeners": least["JSEventListeners"]}

    def receive(self, page, name, count):
        """Has another program write messages into the thread, and waits until the page shows the last one."""
        self.server.run("send", self.name, "--lines", lines="\n".join(f"{name} {number}" for number in range(count)))
        expect(page.locator(".msg", has_text=f"{name} {count - 1}")).to_be_visible()

    def test_nothing_shifts_while_a_person_reads_and_writes(self):
        page = self.open()
        page.evaluate(OBSERVE)
        self.use(page)
        self.use_keys(page)
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
