"""Back and Forward lead to where one was, in the list and in a conversation; Back closes a picture."""
import json

from people_test import png
from support import BrowserTest, expect


class PlacesTest(BrowserTest):
    arguments = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lines = [
            {"conversation": f"talk {talk}", "conversationName": f"talk {talk}", "sender": "x", "id": f"{talk}/{number}",
             "text": f"message {number} of {talk}", "createdAt": f"2026-11-{20 - talk // 60:02}T10:{59 - talk % 60:02}:{number % 60:02}Z"}
            for talk in range(170) for number in range(60 if talk < 2 else 1)]
        path = cls.server.store.parent / "talks.ndjson"
        path.write_text("\n".join(map(json.dumps, lines)))
        cls.server.run("import", "ndjson", str(path))

    def scroll_to(self, page, name):
        """Scrolls the list until the row is there, and a little beyond."""
        row = page.locator(".row", has=page.locator(".name", has_text=name))
        while not row.count():
            page.locator("#list-scroll").evaluate("(list) => list.scrollTop += 2000")
            page.wait_for_timeout(100)
        row.scroll_into_view_if_needed()
        return row

    def top(self, page):
        return page.locator("#list-scroll").evaluate("(list) => list.scrollTop")

    def test_back_leads_to_the_place_in_the_list_with_all_its_rows(self):
        page = self.open()
        row = self.scroll_to(page, "talk 165")
        top = self.top(page)
        row.locator(".row-link").click()
        expect(page.locator(".thread-title h1")).to_have_text("talk 165")
        page.go_back()
        expect(page.locator(".thread-title h1")).to_have_count(0)
        expect(page.locator(".welcome")).to_be_visible()
        expect(row).to_be_in_viewport()
        self.assertAlmostEqual(self.top(page), top, delta=40)
        page.go_forward()
        expect(page.locator(".thread-title h1")).to_have_text("talk 165")
        expect(row.locator("[aria-current=page]")).to_be_visible()
        # Another page in between.
        page.go_back()
        expect(page.locator(".welcome")).to_be_visible()
        page.goto(self.server.url + "/answers")
        page.go_back()
        self.live(page)
        expect(row).to_be_in_viewport()

    def test_back_leads_to_the_place_in_a_conversation(self):
        page = self.open(viewport={"width": 1280, "height": 500})
        page.locator(".row-link", has_text="message 59 of 0").click()
        expect(page.locator(".thread-title h1")).to_have_text("talk 0")
        # All was read, so the next visit would begin at the end.
        page.goto(page.url + "?end=1")
        self.live(page)
        expect(page.locator(".row.unread", has_text="of 0")).to_have_count(0)
        page.goto(page.url.split("?")[0])
        self.live(page)
        old = page.locator(".msg", has_text="message 20 of 0")
        page.locator("#thread-scroll").hover()
        while not old.count() or old.bounding_box()["y"] < 150:
            page.mouse.wheel(0, -200)
            page.wait_for_timeout(30)
        expect(old).to_be_in_viewport()
        page.locator(".row-link", has_text="of 1").first.click()
        expect(page.locator(".thread-title h1")).not_to_have_text("talk 0")
        page.go_back()
        expect(page.locator(".thread-title h1")).to_have_text("talk 0")
        expect(old).to_be_in_viewport()
        expect(page.locator(".hit")).to_have_count(0)

    def test_a_phone_goes_back_to_the_list_without_loading_it(self):
        page = self.open(viewport={"width": 390, "height": 780})
        row = self.scroll_to(page, "talk 120")
        row.locator(".row-link").click()
        expect(page.locator(".thread-title h1")).to_be_visible()
        expect(page.locator(".bar")).to_be_hidden()
        page.evaluate("globalThis.isStill = true")
        page.get_by_role("link", name="Back to the inbox").click()
        expect(row).to_be_in_viewport()
        self.assertTrue(page.evaluate("globalThis.isStill"))

    def test_back_closes_a_picture_and_not_the_conversation(self):
        page = self.open()
        page.locator(".row-link").nth(3).click()
        expect(page.locator("#text")).to_be_visible()
        name = page.locator(".thread-title h1").inner_text()
        page.locator("#files").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": png(60, (20, 160, 90))})
        page.locator("#text").press("Enter")
        for close in [lambda: page.go_back(), lambda: page.keyboard.press("Escape")]:
            page.locator(".msg:not(.waiting) a.picture").click()
            expect(page.locator("#gallery")).to_be_visible()
            close()
            expect(page.locator("#gallery")).to_be_hidden()
            expect(page.locator(".thread-title h1")).to_have_text(name)
        # The picture left no entry behind.
        page.go_back()
        expect(page.locator(".welcome")).to_be_visible()
