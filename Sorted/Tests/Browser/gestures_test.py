"""Fingers: a long press shows what can be done, and a message that is pushed aside is answered."""
from support import BrowserTest, expect


class GesturesTest(BrowserTest):
    def touch(self, page, kind, *points):
        page.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    def phone(self):
        page = self.open(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
        page.session = page.context.new_cdp_session(page)
        return page

    def enter_by_finger(self, page, name):
        self.row(page, name).locator(".row-link").tap()
        expect(page.locator("#text")).to_be_visible()

    def middle(self, locator):
        # One evaluation, because a live event may replace the element between two.
        return locator.evaluate("""(element) => {
            element.scrollIntoView({ block: "nearest" });
            const {left, right, top, bottom} = element.getBoundingClientRect();
            return [(left + right) / 2, (top + bottom) / 2];
        }""")

    def hold(self, page, locator, until):
        """Presses for as long as it takes, and lifts the finger."""
        self.touch(page, "touchStart", self.middle(locator))
        expect(until).to_be_visible()
        self.touch(page, "touchEnd")

    def push(self, locator, x, y=0):
        """Pushes by some points. It is one evaluation, so that a slow machine does not make it a long press."""
        locator.evaluate("""(element, [x, y]) => {
            element.scrollIntoView({ block: "nearest" });
            const {left, right, top, bottom} = element.getBoundingClientRect();
            const tell = (kind, share) => element.dispatchEvent(new PointerEvent(kind, {
                bubbles: true, cancelable: true, isPrimary: true, pointerType: "touch",
                clientX: (left + right) / 2 + x * share, clientY: (top + bottom) / 2 + y * share }));
            tell("pointerdown", 0);
            for (let step = 1; step <= 8; step++) tell("pointermove", step / 8);
            tell("pointerup", 1);
        }""", [x, y])

    def test_a_long_press_shows_what_can_be_done_with_a_conversation(self):
        page = self.phone()
        menu = page.locator("#row-menu")
        self.hold(page, self.row(page, "Acme Audio").locator(".row-link"), menu)
        # It stays when the finger goes, and the conversation does not open.
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        expect(menu).to_be_visible()
        self.assertEqual(page.url, self.server.url + "/")
        menu.get_by_role("button", name="Pin").tap()
        expect(self.row(page, "Acme Audio").get_by_label("pinned")).to_be_visible()

    def test_a_long_press_and_a_push_of_a_message(self):
        page = self.phone()
        # A short conversation of its own: nothing has to be scrolled.
        self.enter_by_finger(page, "Acme Audio")
        message = page.locator(".msg:not(.mine)").last
        panel = message.locator(".menu .panel")
        self.hold(page, message.locator(".text"), panel)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        expect(panel).to_be_visible()
        # It comes from the bottom, over the whole width.
        box = panel.bounding_box()
        self.assertGreater(box["width"], 360)
        self.assertLessEqual(box["y"] + box["height"], 780)
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        # A short push does nothing.
        self.push(message.locator(".text"), 30)
        expect(page.locator("#reply-to")).to_be_hidden()
        self.push(message.locator(".text"), 120)
        expect(page.locator("#reply-to")).to_be_visible()
        expect(page.locator("#reply-to .quote-text")).to_have_text(message.locator(".text").inner_text())
        expect(message).not_to_have_class("pushed")

    def test_a_finger_turns_and_closes_pictures(self):
        page = self.phone()
        self.enter_by_finger(page, "John Doe")
        page.evaluate("""async () => {
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [60, 40];
            const blob = await new Promise((done) => canvas.toBlob(done));
            const data = new DataTransfer();
            for (const name of ["one.png", "two.png"]) data.items.add(new File([blob], name, { type: "image/png" }));
            document.querySelector("#files").files = data.files;
            document.querySelector("#files").dispatchEvent(new Event("change", { bubbles: true }));
        }""")
        page.locator(".send").tap()
        pictures = page.locator(".msg.mine:not(.waiting) .picture")
        expect(pictures).to_have_count(2)
        pictures.first.tap()
        name = page.locator("#gallery bdi")
        expect(name).to_have_text("one.png")
        stage = page.locator("#gallery .stage")
        self.push(stage, -120)
        expect(name).to_have_text("two.png")
        self.push(stage, 120)
        expect(name).to_have_text("one.png")
        self.push(stage, 0, 160)
        expect(page.locator("#gallery")).to_be_hidden()
        expect(page.locator(".thread-title h1")).to_have_text("John Doe")
