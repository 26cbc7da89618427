"""What an input has the browser do, counted from Chromium's own trace. It may not grow with what is on the page."""
import json

from archive import FRAMES, ArchiveTest
from support import expect


class InputTest(ArchiveTest):
    def work(self, page, run):
        """How many elements the browser looks at the styles of, and how many boxes it lays out, until the frame after some input."""
        page.evaluate(FRAMES, 5)
        self.browser.start_tracing(page=page, categories=["devtools.timeline"])
        run()
        page.evaluate(FRAMES, 5)
        events = json.loads(self.browser.stop_tracing())["traceEvents"]
        of = lambda name: [event["args"] for event in events if event["name"] == name and event.get("args")]
        styled = sum(event.get("elementCount", 0) for event in of("UpdateLayoutTree"))
        return styled, sum(event["beginData"].get("dirtyObjects", 0) for event in of("Layout") if "beginData" in event)

    def long_page(self):
        """A page with more than 200 messages and more than 100 rows."""
        page = self.open(self.thread)
        self.scroll(page, "#list-scroll", 3_000, 8)
        self.scroll_until(page, 200)
        self.assertGreater(page.locator(".row").count(), 100)
        return page

    def test_a_key_in_the_composer_is_work_for_the_composer_alone(self):
        page = self.long_page()
        text = "typed beside many messages"
        page.locator("#text").press("a")
        styled, laid_out = self.work(page, lambda: page.keyboard.type(text))
        self.assertGreater(styled, 0)
        self.assertLess(styled, 10 * len(text))
        self.assertLess(laid_out, 40 * len(text))

    def test_dialogs_leave_the_styles_of_the_page_alone(self):
        page = self.long_page()
        page.locator("#thread-scroll").focus()
        for key, box in [("Control+k", "#palette"), ("?", "#keys")]:
            def use():
                page.keyboard.press(key)
                expect(page.locator(box)).to_be_visible()
                page.keyboard.press("Escape")
                expect(page.locator(box)).to_be_hidden()

            # The first time makes the dialog.
            use()
            styled, _ = self.work(page, use)
            self.assertLess(styled, 400, box)
        # The focus is where it was.
        expect(page.locator("#thread-scroll")).to_be_focused()
        # What lies below a dialog is out of reach of the pointer, and a click beside it closes it.
        page.keyboard.press("?")
        address = page.url
        page.mouse.click(150, 400)
        expect(page.locator("#keys")).to_be_hidden()
        self.assertEqual(page.url, address)
