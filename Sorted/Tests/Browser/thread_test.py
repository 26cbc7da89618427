"""Long threads: what a search leads to stays where it is, and what is shown stays on the page."""
import json

from support import BrowserTest, expect, in_firefox


class LongThreadTest(BrowserTest):
    arguments = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.run("new", "--id", "long", "--to", "ann", "--name", "Long thread")
        lines = "\n".join(f"needle{number} in a thread of many" for number in range(262))
        cls.server.run("send", "long", "--lines", lines=lines)

    def jump(self, height=800):
        page = self.open("/search?q=needle100", viewport={"width": 1280, "height": height})
        page.locator(".hit-link").click()
        self.live(page)
        return page

    def frames(self, page, count=30):
        page.evaluate(
            "(count) => new Promise((done) => { const step = () => count-- ? requestAnimationFrame(step) : done();"
            " step(); })", count)

    @in_firefox
    def test_a_hit_stays_where_it_is_until_somebody_scrolls(self):
        # So high that the links to more messages are in sight.
        page = self.jump(height=1600)
        hit = page.locator(".msg.hit")
        expect(hit).to_be_in_viewport()
        place = self.edges(page, ".msg.hit")["top"]
        self.frames(page, 90)
        self.assertEqual(page.locator(".msg").count(), 21)
        self.assertLess(abs(self.edges(page, ".msg.hit")["top"] - place), 2)

    @in_firefox
    def test_both_sides_of_a_hit_come_by_scrolling_and_move_nothing(self):
        page = self.jump()
        page.locator("#thread-scroll").hover()
        held = []
        page.route(lambda url: "after=" in url or "before=" in url, lambda route: held.append(route))
        for direction in [40, -40]:
            held.clear()
            while not held:
                page.mouse.wheel(0, direction)
                self.frames(page, 3)
            self.frames(page)
            count = page.locator(".msg").count()
            before = self.edges(page, ".msg.hit")["top"]
            held[0].continue_()
            page.wait_for_function("(count) => document.querySelectorAll('.msg').length > count", arg=count)
            self.frames(page)
            self.assertLess(abs(self.edges(page, ".msg.hit")["top"] - before), 2)

    def test_a_page_that_is_loaded_again_takes_away_nothing_that_is_shown(self):
        page = self.jump()
        page.locator("#thread-scroll").hover()
        while page.locator("#newer").count():
            page.mouse.wheel(0, 3000)
            self.frames(page, 6)
        count = page.locator(".msg").count()
        self.assertGreaterEqual(count, 162 + 10)
        page.evaluate("""async () => {
            const script = document.querySelector("script[type=module]").src;
            await (await import(new URL("thread.js", script))).refreshThread();
        }""")
        self.assertEqual(page.locator(".msg").count(), count)
        page.reload()
        self.live(page)
        self.assertEqual(page.locator(".msg").count(), 21)
        expect(page.locator("#newer")).to_have_count(1)
        expect(page.locator("#older")).to_have_count(1)

    def test_a_thread_is_loaded_again_once_at_a_time(self):
        page = self.open("/c/bG9uZw")
        is_part = lambda url: "from=" in url and "part=1" in url
        order, held = [], []
        page.on("request", lambda request: is_part(request.url) and order.append("asked"))
        page.on("requestfinished", lambda request: is_part(request.url) and order.append("answered"))
        page.route(is_part, lambda route: held.append(route) if not held else route.continue_())
        refresh = """async () => {
            const script = document.querySelector("script[type=module]").src;
            const { refreshThread } = await import(new URL("thread.js", script));
            (window.loading ??= []).push(refreshThread());
        }"""
        page.evaluate(refresh)
        while not held:
            page.wait_for_timeout(20)
        page.evaluate(refresh)
        page.evaluate(refresh)
        held[0].continue_()
        page.evaluate("Promise.all(window.loading)")
        while len(order) < 4:
            page.wait_for_timeout(20)
        # An older page that comes after a newer one would take messages away.
        self.assertEqual(order, ["asked", "answered", "asked", "answered"])

    def test_a_page_that_is_only_watched_keeps_a_bounded_number_of_messages(self):
        page = self.open("/c/bG9uZw")
        lines = "\n".join(f"live{number}" for number in range(600))
        self.server.run("send", "long", "--lines", lines=lines)
        expect(page.locator(".msg", has_text="live599")).to_be_visible()
        expect(page.locator(".msg").nth(420)).to_have_count(0)
        expect(page.locator("#older")).to_have_count(1)
        page.locator("#thread-scroll").hover()
        count = page.locator(".msg").count()
        turns = 0
        while page.locator(".msg").count() <= count:
            page.mouse.wheel(0, -4000)
            self.frames(page, 4)
            turns += 1
            self.assertLess(turns, 3_000, "scrolling up loads no older messages")

    @in_firefox
    def test_six_tabs_are_live_at_once_and_share_a_stream(self):
        first = self.open("/c/" + "bG9uZw")
        tabs = [first]
        for _ in range(5):
            tab = first.context.new_page()
            tab.goto(self.server.url + "/c/bG9uZw")
            tabs.append(tab)
        for tab in tabs:
            self.live(tab)
        self.say(tabs[5], "To all six")
        for tab in tabs:
            expect(tab.locator(".msg", has_text="To all six")).to_be_visible()
        tabs[0].close()
        self.say(tabs[1], "To the other five")
        expect(tabs[4].locator(".msg", has_text="To the other five")).to_be_visible()


class ManyConversationsTest(BrowserTest):
    arguments = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        archive = "\n".join(
            json.dumps({
                "conversation": f"c{number}", "id": f"m{number}", "sender": "ann", "text": f"hello {number}",
                "createdAt": f"2026-01-{1 + number // 24:02}T{number % 24:02}:00:00Z"})
            for number in range(240))
        path = cls.server.store.parent / "archive.ndjson"
        path.write_text(archive)
        cls.server.run("import", "ndjson", str(path))

    def test_a_row_deep_in_the_list_opens_without_a_jump_and_is_marked(self):
        page = self.open()
        page.locator("#list-scroll").hover()
        deep = page.locator(".row").nth(120)
        while deep.count() == 0:
            page.mouse.wheel(0, 2000)
            page.evaluate("new Promise((done) => requestAnimationFrame(done))")
        deep.scroll_into_view_if_needed()
        slug = deep.get_attribute("data-slug")
        row = page.locator(f"#c-{slug}")
        before = self.edges(page, f"#c-{slug}")["top"]
        row.locator(".row-link").click()
        expect(page.locator(".panes")).to_have_attribute("data-thread", slug)
        self.live(page)
        expect(row.locator(".row-link")).to_have_attribute("aria-current", "page")
        self.assertLess(abs(self.edges(page, f"#c-{slug}")["top"] - before), 2)
        page.go_back()
        expect(page.locator(".welcome")).to_be_visible()

    def test_a_few_stops_of_tab_lead_to_the_composer(self):
        page = self.open()
        page.locator(".row-link").first.click()
        self.live(page)
        page.locator(".brand").focus()
        stops = 0
        while not page.evaluate("document.activeElement.id === 'text'"):
            page.keyboard.press("Tab")
            stops += 1
            self.assertLess(stops, 30)
