"""Nothing moves unless a person moves it (Chromium's layout shift), and no work of a page grows with what it has loaded."""
import base64

from archive import FRAMES, MOST_SHIFT, OBSERVE, ArchiveTest
from support import expect

# A page comes in parts, and what is asked for comes late.
SLOW = {"offline": False, "latency": 400, "downloadThroughput": 150_000, "uploadThroughput": 150_000}


class ShiftTest(ArchiveTest):
    def watch(self, path, slow=False):
        """A page whose shifts are observed from its first frame on."""
        page = self.open("/settings")
        page.add_init_script(f"({OBSERVE})()")
        if slow:
            session = page.context.new_cdp_session(page)
            session.send("Network.enable")
            session.send("Network.emulateNetworkConditions", SLOW)
        page.goto(self.server.url + path)
        self.live(page)
        return page

    def assert_still(self, page, what):
        page.evaluate(FRAMES, 5)
        figures = page.evaluate("figures")
        self.assertLessEqual(figures["shift"], MOST_SHIFT, (what, figures["moved"]))

    def test_a_thread_that_comes_over_a_slow_network_appears_at_once(self):
        self.assert_still(self.watch(self.thread, slow=True), "opened")

    def load_while_scrolling(self, page, name, direction):
        """Has messages come while the page still moves. Their answer is held until the page moves on."""
        held, is_released = [], False
        matches = lambda url: f"{name}=" in url
        page.route(matches, lambda route: route.continue_() if is_released else held.append(route))
        count = page.locator(".msg").count()
        for _ in range(100):
            if held:
                break
            self.scroll(page, "#thread-scroll", direction, 1)
        page.mouse.wheel(0, direction)
        page.evaluate(FRAMES, 2)
        is_released = True
        for route in held:
            route.continue_()
        page.wait_for_function("(count) => document.querySelectorAll('.msg').length > count", arg=count)
        page.evaluate(FRAMES, 20)
        page.unroute(matches)

    def test_nothing_shifts_while_older_messages_come(self):
        page = self.watch(self.thread)
        for turn in range(4):
            self.load_while_scrolling(page, "before", -200)
            self.assert_still(page, turn)

    def test_nothing_shifts_on_both_sides_of_a_hit(self):
        page = self.watch("/search?q=needle300")
        page.locator(".hit-link").click()
        self.live(page)
        for turn in range(2):
            self.load_while_scrolling(page, "before", -200)
            self.assert_still(page, ("before", turn))
            self.load_while_scrolling(page, "after", 200)
            self.assert_still(page, ("after", turn))

    def test_nothing_shifts_where_a_page_comes_late(self):
        # The reader waits at the first message that is there.
        page = self.watch(self.thread, slow=True)
        self.scroll_until(page, 80)
        self.assert_still(page, "late")

    def test_nothing_shifts_while_messages_come(self):
        page = self.watch(self.thread)
        for number in range(5):
            self.server.run("send", self.name, f"live {number} " + "a word or two " * number)
            expect(page.locator(".msg", has_text=f"live {number}")).to_be_in_viewport()
        self.assert_still(page, "at the end")
        self.scroll(page, "#thread-scroll", -600, 3)
        self.server.run("send", self.name, "live at last")
        expect(page.locator("#to-newest")).to_be_visible()
        self.assert_still(page, "further up")

    def test_nothing_shifts_while_the_first_messages_of_a_conversation_come(self):
        self.server.run("new", "--id", "short", "--to", "ann")
        page = self.watch("/c/" + base64.urlsafe_b64encode(b"short").decode().rstrip("="))
        for number in range(12):
            self.server.run("send", "short", f"first {number}")
            expect(page.locator(".msg", has_text=f"first {number}")).to_be_in_viewport()
        self.assert_still(page, "a short thread")

    def test_nothing_shifts_while_pictures_load(self):
        page = self.open(self.thread)
        page.evaluate("""async () => {
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [900, 1600];
            canvas.getContext("2d").fillRect(0, 0, 900, 1600);
            const blob = await new Promise((done) => canvas.toBlob(done));
            const data = new DataTransfer();
            for (const name of ["one.png", "two.png"]) data.items.add(new File([blob], name, { type: "image/png" }));
            document.querySelector("#files").files = data.files;
            document.querySelector("#files").dispatchEvent(new Event("change", { bubbles: true }));
        }""")
        self.say(page, "pictures")
        expect(page.locator(".msg.mine:not(.waiting) a.picture")).to_have_count(2)
        page = self.watch(self.thread, slow=True)
        page.wait_for_function("[...document.querySelectorAll('.picture img')].every(({complete}) => complete)")
        self.assert_still(page, "pictures")

    def test_nothing_shifts_in_a_long_list(self):
        page = self.watch("/", slow=True)
        for direction in [1_500, -1_500]:
            self.scroll(page, "#list-scroll", direction, 20)
        self.assertGreater(page.locator(".row").count(), 50)
        self.assert_still(page, "the list")

    # What follows counts instead of taking the time.

    def test_buttons_that_come_and_go_belong_to_no_form(self):
        # A browser looks through the document for the buttons of a form whenever one of them comes or goes.
        page = self.open(self.thread)
        count = "document.querySelector('#act').elements.length"
        before = page.evaluate(count)
        self.scroll_until(page, 60)
        self.assertLessEqual(page.evaluate(count), before)
        link = page.locator(".row-link").nth(3)
        slug = link.get_attribute("href").removeprefix("/c/")
        link.click()
        # The attribute follows when the page has the conversation's buttons.
        expect(page.locator(f'.panes[data-thread="{slug}"]')).to_be_attached()
        self.assertLess(page.evaluate(count), before)
        # They do what they did.
        row = page.locator(".row").nth(4)
        row.hover()
        row.get_by_role("button", name="Pin").click()
        expect(page.locator(".row .mark[aria-label=pinned]")).to_have_count(1)
        page.locator(".row", has=page.locator(".mark[aria-label=pinned]")).get_by_role("button", name="Unpin").click()
        expect(page.locator(".row .mark[aria-label=pinned]")).to_have_count(0)

    def test_a_page_keeps_a_bounded_number_of_messages_while_a_person_scrolls(self):
        page = self.open(self.thread)
        most = 0
        first, last = (page.locator(f"[id='{self.identifier(number)}']") for number in [60, self.messages - 1])
        while first.count() == 0:
            page.evaluate("""() => {
                const pane = document.querySelector("#thread-scroll");
                pane.dispatchEvent(new Event("wheel"));
                pane.scrollTop = -pane.scrollHeight;
            }""")
            page.evaluate(FRAMES, 3)
            most = max(most, page.locator(".msg").count())
        self.assertLessEqual(most, 420)
        # The other end comes again.
        self.assertEqual(last.count(), 0)
        while last.count() == 0:
            page.evaluate("document.querySelector('#thread-scroll').scrollTop = 0")
            page.evaluate(FRAMES, 3)
            most = max(most, page.locator(".msg").count())
        self.assertLessEqual(most, 420)
        order = page.evaluate("[...document.querySelectorAll('.msg')].map(({dataset}) => Number(dataset.sort))")
        self.assertEqual(order, sorted(order))

    def test_what_did_not_change_stays_when_a_page_is_loaded_again(self):
        page = self.open(self.thread)
        page.evaluate("for (const item of document.querySelectorAll('.msg, .row')) item.isKept = true")
        self.server.run("send", "ndjson/c7", "something new")
        self.server.kill()
        expect(page.locator("body[data-live=no]")).to_be_attached()
        self.server.start()
        self.live(page)
        expect(page.locator(".row").first).to_contain_text("something new")
        new = page.evaluate("[...document.querySelectorAll('.msg, .row')].filter(({isKept}) => !isKept).map(({id}) => id)")
        self.assertEqual(len(new), 1, new)

    def test_a_row_shows_at_once_that_it_was_chosen(self):
        page = self.open()
        held = []
        page.route("**/c/**part=pane*", lambda route: held.append(route))
        page.locator(".row-link").nth(2).click()
        expect(page.locator(".row-link").nth(2)).to_have_attribute("aria-current", "page")
        held[0].continue_()
        self.live(page)
