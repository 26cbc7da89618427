"""Escape and the focus return to where they were, Enter on a phone makes a new line, and texts keep their direction."""
from support import BrowserTest, expect


class KeysTest(BrowserTest):
    def test_escape_closes_what_is_open_and_the_focus_returns(self):
        page = self.open()
        self.enter(page, "John Doe")
        message = page.locator(".msg:not(.mine)").last
        message.focus()
        page.keyboard.press("m")
        expect(message.locator(".menu .panel")).to_be_visible()
        page.keyboard.press("Escape")
        expect(message).to_be_focused()
        # So the next key is for the same message.
        page.keyboard.press("r")
        expect(page.locator("#reply-to")).to_be_visible()
        page.keyboard.press("Escape")
        self.own_message(page, "to be edited")
        page.locator("#text").press("ArrowUp")
        expect(page.locator("#edit-text")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#text")).to_be_visible()
        expect(page.locator(".msg", has_text="to be edited")).to_be_visible()
        panel = page.locator(".new .panel")
        page.locator(".new summary").click()
        page.locator(".new [name=people]").press("Escape")
        expect(panel).to_be_hidden()
        expect(page.locator(".new summary")).to_be_focused()
        page.locator(".new summary").click()
        page.locator(".thread-title").click()
        expect(panel).to_be_hidden()

    def test_enter_saves_a_changed_message_as_it_sends_a_new_one(self):
        page = self.open()
        self.enter(page, "John Doe")
        self.own_message(page, "Tuseday at nine")
        page.locator("#text").press("ArrowUp")
        expect(page.locator("#edit-text")).to_have_value("Tuseday at nine")
        page.locator("#edit-text").fill("Tuesday at nine")
        page.locator("#edit-text").press("Shift+Enter")
        page.locator("#edit-text").type("or ten")
        page.locator("#edit-text").press("Enter")
        expect(page.locator(".msg.mine .text", has_text="Tuesday at nine")).to_have_text("Tuesday at nine\nor ten", use_inner_text=True)
        expect(page.locator("#text")).to_be_visible()

    def test_the_focus_stays_near_when_what_had_it_goes(self):
        page = self.open()
        self.enter(page, "Ines, harbour festival")
        message = page.locator(".msg", has_text="One more thing: the mayor")
        message.focus()
        # A command of a menu that leads elsewhere: the focus returns to the message.
        page.keyboard.press("m")
        message.get_by_role("button", name="Forward").press("Enter")
        expect(page.locator("#palette input")).to_be_focused()
        page.keyboard.press("Escape")
        expect(message).to_be_focused()
        expect(message.locator(".menu .panel")).to_be_hidden()
        page.keyboard.press("m")
        message.get_by_role("button", name="Copy").press("Enter")
        expect(message).to_be_focused()
        # What follows a message that is deleted, and a row that is archived, has the focus.
        following = page.locator(".msg", has_text="A few?")
        page.keyboard.press("Delete")
        expect(message).to_have_count(0)
        expect(following).to_be_focused()
        row, next_row = page.locator(".row").nth(1), page.locator(".row").nth(2)
        name, next_name = row.locator(".name").inner_text(), next_row.locator(".name").inner_text()
        row.locator(".row-link").focus()
        page.keyboard.press("e")
        expect(page.locator(".row .name", has_text=name)).to_have_count(0)
        expect(self.row(page, next_name).locator(".row-link")).to_be_focused()
        expect(page.locator("#undo")).to_be_visible()
        page.keyboard.press("u")
        expect(page.locator(".row .name", has_text=name)).to_have_count(1)
        # Other menus give it back to their button.
        for selector in [".people", ".further", ".answers"]:
            page.locator(f"{selector} summary").click()
            page.locator(f"{selector} .panel :is(a, button)").first.focus()
            page.keyboard.press("Escape")
            expect(page.locator(f"{selector} summary")).to_be_focused()

    def test_tab_goes_round_in_a_dialog(self):
        page = self.open()
        page.keyboard.press("Control+k")
        field = page.locator("#palette input")
        expect(field).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("#palette")).to_be_visible()
        expect(field).to_be_focused()

    def test_enter_on_a_phone_makes_a_new_line(self):
        page = self.open(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
        self.row(page, "John Doe").locator(".row-link").tap()
        text = page.locator("#text")
        text.fill("first")
        text.press("Enter")
        text.press_sequentially("second")
        expect(text).to_have_value("first\nsecond")
        # Fingers have room to write.
        self.assertGreater(text.bounding_box()["width"], 240)
        for button in page.locator(".composer button:visible, .composer .attach").all():
            self.assertGreaterEqual(button.bounding_box()["height"], 44)
        page.locator(".send").tap()
        message = page.locator(".msg.mine:not(.waiting)", has_text="first")
        expect(message).to_be_visible()
        # What can be done with a message comes with a touch, and takes no room before.
        expect(message.locator(".msg-actions")).to_be_hidden()
        message.locator(".text").tap()
        expect(message.locator(".msg-actions")).to_be_visible()

    def test_a_preview_shows_the_beginning_of_a_text_of_the_other_direction(self):
        words = "זה משפט ארוך מאוד שלא נכנס בשורה אחת של הרשימה ולכן חייבים לחתוך את הסוף שלו ולא את ההתחלה שלו"
        page = self.open()
        self.enter(page, "Acme Audio")
        self.own_message(page, words)
        text = self.row(page, "Acme Audio").locator(".preview-text")
        expect(text).to_have_text(words)
        # The first letter is inside of the box, and the box begins behind "You:".
        inside = text.evaluate("""(element) => {
            const range = document.createRange();
            range.setStart(element.firstChild, 0);
            range.setEnd(element.firstChild, 1);
            const [letter, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
            return letter.left >= box.left - 1 && letter.right <= box.right + 1;
        }""")
        self.assertTrue(inside)
        expect(self.row(page, "Acme Audio").locator(".by")).to_have_text("You:")
