"""Deleting for oneself and for everybody, the bin, files, times and both directions of writing."""
import base64

from support import BrowserTest, expect


class DeletingTest(BrowserTest):
    def test_a_message_is_deleted_for_everybody_and_comes_back_from_the_bin(self):
        page, other = self.open(), self.open()
        self.enter(page, "Acme Audio")
        self.enter(other, "Acme Audio")
        self.say(page, "A slip of the pen")
        message = page.locator(".msg.mine", has_text="A slip of the pen")
        expect(message.locator(".tick.sent")).to_be_visible()
        name = message.get_attribute("id")
        self.menu(message, "Delete for everybody")
        expect(other.locator(f"[id='{name}'].deleted .text")).to_have_text("This message was deleted.")
        page.goto(self.server.url + "/bin")
        self.live(page)
        card = page.locator(".card", has_text="A slip of the pen")
        expect(card).to_contain_text("for everybody")
        card.get_by_role("button", name="Restore").click()
        expect(card).to_have_count(0)
        expect(other.locator(".msg .text", has_text="A slip of the pen")).to_be_visible()

    def test_a_menu_stays_open_while_its_message_changes(self):
        page, other = self.open(), self.open()
        self.enter(page, "Acme Audio")
        self.enter(other, "Acme Audio")
        self.say(page, "Typed in haste")
        message = page.locator(".msg.mine", has_text="Typed in haste")
        expect(message.locator(".tick.sent")).to_be_visible()
        message.hover()
        message.locator(".menu summary").click()
        own = other.locator(".msg.mine", has_text="Typed in haste")
        expect(own.locator(".edit")).to_be_attached()
        own.hover()
        own.locator(".menu summary").click()
        own.locator(".edit").click()
        other.locator("#edit-text").fill("Typed in haste, mended")
        other.get_by_role("button", name="Save").click()
        expect(message).to_contain_text("edited")
        message.get_by_role("button", name="Delete for everybody").click()
        expect(page.locator(".msg.deleted .text")).to_have_text("This message was deleted.")

    def test_a_conversation_comes_back_from_the_bin(self):
        page = self.open()
        row = self.row(page, "Bike ride")
        row.hover()
        row.get_by_role("button", name="Delete").click()
        expect(row).to_have_count(0)
        page.goto(self.server.url + "/bin")
        self.live(page)
        page.get_by_role("button", name="Restore Bike ride").click()
        page.goto(self.server.url)
        expect(row).to_have_count(1)

    def test_times_are_in_the_browsers_zone_and_language(self):
        tokyo = self.open(timezone_id="Asia/Tokyo")
        self.enter(tokyo, "Ines, harbour festival")
        time = tokyo.locator(".msg time").last
        shown, stored = time.inner_text(), time.get_attribute("datetime")
        expected = tokyo.evaluate(
            "(text) => new Date(text).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })",
            stored)
        self.assertEqual(shown, expected)
        # From the second page on, the server writes them so as well.
        plain = tokyo.request.get(tokyo.url).text()
        self.assertIn(f">{shown}</time>", plain)

    def test_hebrew_and_english_each_run_their_own_way(self):
        page = self.open()
        self.enter(page, "John Doe")
        self.say(page, "שלום, see you at 6")
        text = page.locator(".msg.mine:not(.waiting) .text", has_text="שלום")
        expect(text).to_be_visible()
        # The live event may replace the element, so this asks until it holds.
        expect(text).to_have_css("direction", "rtl")

    def test_a_picture_of_a_phone_stays_inside_its_bubble(self):
        page = self.open(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
        self.row(page, "Bike ride").locator(".row-link").click()
        self.live(page)
        name = "a" * 150 + ".png"
        png = page.evaluate("""() => {
            const canvas = document.createElement("canvas");
            canvas.width = 3000; canvas.height = 4000;
            canvas.getContext("2d").fillRect(0, 0, 3000, 4000);
            return canvas.toDataURL().split(",")[1];
        }""")
        page.locator("#files").set_input_files({"name": name, "mimeType": "image/png", "buffer": base64.b64decode(png)})
        page.locator(".send").click()
        expect(page.locator(".msg.mine:not(.waiting) img[alt$='.png']").last).to_be_visible()
        # In one evaluation, because the live event may replace the element.
        right = page.wait_for_function("""() => {
            const picture = [...document.querySelectorAll(".msg.mine:not(.waiting) img[alt$='.png']")].at(-1);
            if (!picture?.complete || !picture.naturalWidth) return null;
            return [picture, picture.closest(".bubble")].map((element) => element.getBoundingClientRect().right);
        }""").json_value()
        self.assertLessEqual(right[0], right[1])
        self.assertLessEqual(right[1], 320)

    def test_emoji_are_found_by_words_of_the_pages_language(self):
        page = self.open(locale="he-IL")
        self.enter(page, "John Doe")
        page.locator("#emoji").click()
        for words in ["לב", "heart"]:
            page.locator("#emoji-picker input").fill(words)
            expect(page.locator(".emoji-grid button").first).to_have_text("❤️")
