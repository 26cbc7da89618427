"""The list, the thread and the composer."""

import re

from support import BrowserTest, expect, in_firefox, smoke


class ListTest(BrowserTest):
    @smoke
    def test_pin_mute_archive_delete_and_undo(self):
        page = self.open()
        # What needs an answer leads the list, then comes what is pinned.
        expect(page.locator(".name").nth(0)).to_have_text("Ines, harbour festival")
        expect(page.locator(".name").nth(1)).to_have_text("Studio team")
        acme = self.row(page, "Acme Audio")
        acme.hover()
        acme.get_by_role("button", name="Mute").click()
        expect(acme.get_by_label("muted")).to_be_visible()
        acme.hover()
        acme.get_by_role("button", name="Pin").click()
        expect(page.locator("#rows > li").nth(4).locator(".name")).to_have_text("Acme Audio")
        acme.hover()
        acme.get_by_role("button", name="Archive").click()
        expect(acme).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(acme).to_have_count(1)
        acme.hover()
        acme.get_by_role("button", name="Delete").click()
        expect(acme).to_have_count(0)
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        page.keyboard.press("u")
        expect(acme).to_have_count(1)

    def test_filters(self):
        page = self.open()
        page.locator(".further summary").click()
        page.get_by_role("link", name="Archived").click()
        expect(page.locator(".name")).to_have_text(["Landlord"])
        # The tab that is chosen in the menu stands in its place.
        expect(page.locator(".further summary")).to_have_text("Archived 1")
        page.get_by_role("link", name="All").click()
        page.locator(".further summary").click()
        page.get_by_role("link", name="Fans").click()
        expect(page.locator(".name")).to_have_text(["John Doe"])

    @in_firefox
    def test_keys(self):
        page = self.open()
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#keys")).to_be_hidden()
        page.keyboard.press("j")
        row = page.locator(".row", has=page.locator(":focus"))
        expect(row.locator(".name")).to_contain_text("Ines")
        page.keyboard.press("m")
        expect(row.get_by_label("muted")).to_be_visible()
        page.keyboard.press("m")
        expect(row.get_by_label("muted")).to_have_count(0)
        page.keyboard.press("Enter")
        expect(page.locator(".thread-title h1")).to_contain_text("Ines")
        self.live(page)
        page.keyboard.press("r")
        expect(page.locator("#text")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("/")
        expect(page.get_by_role("heading", name="Search")).to_be_visible()

    def test_an_answer_that_comes_late_leaves_a_person_in_the_conversation_that_they_opened(self):
        page = self.open()
        held = []
        page.route("**/set", lambda route: held.append(route))
        for key in ["j", "m", "Enter"]:
            page.keyboard.press(key)
        expect(page.locator(".thread-title h1")).to_contain_text("Ines")
        self.live(page)
        held[0].continue_()
        self.assertFalse(page.evaluate("""async () => {
            const script = document.querySelector("script[type=module]").src;
            const { leaves } = await import(new URL("actions.js", script));
            return leaves();
        }"""))
        row = page.locator(".row", has_text="Ines")
        expect(row.get_by_label("muted")).to_be_visible()
        expect(page.locator(".thread-title h1")).to_contain_text("Ines")
        # The other tests of the class have the same server.
        page.unroute("**/set")
        row.locator(".row-link").focus()
        page.keyboard.press("m")
        expect(row.get_by_label("muted")).to_have_count(0)

    def test_a_key_at_once_after_a_dialog_is_closed(self):
        page = self.open()
        page.keyboard.press("?")
        page.evaluate("""() => {
            document.querySelector("#keys").closest(".shade").hidePopover();
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
        }""")
        expect(page.locator(".row").first.locator(".row-link")).to_be_focused()

    def test_a_page_that_comes_late_takes_nothing_back(self):
        page, other = self.open(), self.open()
        held = []

        def hold(route):
            if route.request.resource_type == "fetch":
                held.append((route, route.fetch()))
            else:
                route.continue_()

        page.route("**/*", hold)
        page.evaluate("""async () => {
            const script = document.querySelector("script[type=module]").src;
            const { refreshRows } = await import(new URL("rows.js", script));
            window.late = refreshRows();
        }""")
        while not held:
            page.wait_for_timeout(20)
        studio = self.row(other, "Studio team")
        studio.hover()
        studio.get_by_role("button", name="Mute").click()
        muted = self.row(page, "Studio team").get_by_label("muted")
        expect(muted).to_be_visible()
        route, answer = held[0]
        route.fulfill(response=answer)
        page.evaluate("window.late")
        self.assertEqual(muted.count(), 1)

    def test_start_a_conversation(self):
        page = self.open()
        page.locator(".new summary").click()
        page.get_by_label("With").fill("zoe")
        page.get_by_role("button", name="Start").click()
        expect(page.locator(".thread-title h1")).to_have_text("zoe")

    def test_a_second_click_while_a_page_loads_is_no_error(self):
        page = self.open()
        heading = page.get_by_role("heading", name=re.compile("^(Settings|Search)$"), level=1)
        for pause in range(0, 40, 2):
            # The navigations begin when the evaluation is over, which they would end. wait_for_url fails at the first of them.
            page.evaluate(
                "pause => [['/settings', 5], ['/search', 5 + pause]].forEach(([path, time]) =>"
                " setTimeout(() => location.assign(path), time))", pause)
            expect(heading).to_be_visible()
            page.goto(self.server.url)
            expect(page.locator(".row").first).to_be_visible()


class ThreadTest(BrowserTest):
    def test_older_messages_come_without_a_jump(self):
        # Tall enough that the older messages are near at every time of day: each day has a heading.
        page = self.open(viewport={"width": 1280, "height": 900})
        marked = "Ha! We learned that last year."
        held = []
        page.route("**/*before=*", lambda route: held.append(route))
        # The older ones are near, so they are asked for at once.
        with page.expect_request(lambda request: "before=" in request.url):
            self.enter(page, "Ines, harbour festival")
        expect(page.locator(".msg").last).to_be_in_viewport()
        page.locator("#thread-scroll").hover()
        page.mouse.wheel(0, -900)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        before = self.edges(page, ".msg", marked)["top"]
        held[0].continue_()
        expect(page.locator(".msg")).to_have_count(26)
        expect(page.locator("#older")).to_have_count(0)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertLess(abs(self.edges(page, ".msg", marked)["top"] - before), 2)

    @smoke
    def test_two_browsers_see_each_others_messages(self):
        first, second = self.open(), self.open()
        self.enter(first, "Studio team")
        self.enter(second, "Studio team")
        for number in range(3):
            for source, target in [(first, second), (second, first)]:
                text = f"Message {number} of {'one' if source is first else 'two'}"
                source.locator("#text").fill(text)
                source.keyboard.press("Enter")
                expect(target.locator(".msg", has_text=text)).to_be_visible()
                expect(source.locator(".msg", has_text=text)).to_be_visible()
                expect(self.row(target, "Studio team").locator(".preview")).to_contain_text(text)

    def test_what_a_busy_page_hears_late_is_shown_once_and_as_it_is(self):
        page, other = self.open(), self.open()
        # The thread is empty: what comes first is put into it all at once.
        self.begin(page, "frieda")
        other.goto(page.url)
        self.live(other)
        held = []
        page.route("**/busy", lambda route: held.append(route))
        page.evaluate("""setTimeout(() => {
            const request = new XMLHttpRequest();
            request.open("GET", "/busy", false);
            request.send();
        })""")
        while not held:
            other.wait_for_timeout(50)
        changed = self.own_message(other, "sent and liked")
        self.menu(changed, "React with 👍")
        expect(changed.locator(".reaction")).to_have_text("👍 1")
        self.menu(self.own_message(other, "sent and deleted"), "Delete for me")
        expect(other.locator(".msg", has_text="sent and deleted")).to_have_count(0)
        self.own_message(other, "sent at last")
        held[0].fulfill(body="")
        expect(page.locator(".msg", has_text="sent at last")).to_have_count(1)
        expect(page.locator(".msg", has_text="sent and liked")).to_have_count(1)
        expect(page.locator(".reaction")).to_have_text("👍 1")
        expect(page.locator(".msg", has_text="sent and deleted")).to_have_count(0)

    def hold_frames(self, page):
        """The scripts of the page wait for the next frame until `release_frames`."""
        page.evaluate("() => { window.held = []; window.requestAnimationFrame = (callback) => held.push(callback); }")

    def release_frames(self, page):
        page.evaluate("() => { while (held.length) held.shift()(performance.now()); }")

    def test_who_is_at_the_end_stays_there_when_messages_come_between_two_frames(self):
        page, other = self.open(viewport={"width": 1280, "height": 320}), self.open()
        for tab in (page, other):
            self.enter(tab, "Acme Audio")
        self.hold_frames(page)
        for text in ["first of three", "second of three", "third of three"]:
            self.own_message(other, text)
            expect(page.locator(".msg", has_text=text)).to_be_attached()
        self.release_frames(page)
        expect(page.locator(".msg", has_text="third of three")).to_be_in_viewport()
        expect(page.locator("#to-newest")).to_be_hidden()

    def test_who_scrolls_up_between_two_frames_is_not_taken_to_the_end(self):
        page, other = self.open(viewport={"width": 1280, "height": 320}), self.open()
        for tab in (page, other):
            self.enter(tab, "Acme Audio")
        # There is something to scroll.
        for number in range(3):
            self.own_message(other, f"long {number}" + "\nline" * 15)
            expect(page.locator(".msg", has_text=f"long {number}")).to_be_attached()
        self.hold_frames(page)
        for text in ["before the wheel", "after the wheel"]:
            self.own_message(other, text)
            expect(page.locator(".msg", has_text=text)).to_be_attached()
            page.evaluate("document.querySelector('#thread-scroll').scrollTop -= 200")
        self.release_frames(page)
        expect(page.locator("#to-newest")).to_be_visible()
        expect(page.locator(".msg", has_text="after the wheel")).not_to_be_in_viewport()

    def test_edit_copy_and_delete_a_message(self):
        page = self.open()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.enter(page, "Acme Audio")
        page.locator("#text").fill("Wrogn")
        page.locator(".send").click()
        message = page.locator(".msg.mine", has_text="Wrogn")
        expect(message.locator(".edit")).to_be_attached()
        message.hover()
        message.locator(".menu summary").click()
        message.locator(".edit").click()
        page.locator("#edit-text").fill("Right")
        page.get_by_role("button", name="Save").click()
        # The thread takes the place of the editor. A menu that was opened before would be gone.
        expect(page.locator("#text")).to_be_visible()
        self.live(page)
        message = page.locator(".msg.mine", has_text="Right")
        expect(message).to_contain_text("edited")
        message.hover()
        message.locator(".menu summary").click()
        message.locator(".copy").click()
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "Right")
        message.locator(".menu summary").click()
        message.get_by_role("button", name="Delete for me").click()
        expect(message).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(message).to_have_count(1)
        expect(self.row(page, "Acme Audio").locator(".preview")).to_contain_text("Right")

    @smoke
    def test_drafts_are_kept(self):
        page = self.open()
        self.enter(page, "John Doe")
        page.locator("#text").press_sequentially("I was about to")
        expect(self.row(page, "John Doe").locator(".preview")).to_contain_text("I was about to")
        page.reload()
        expect(page.locator("#text")).to_have_value("I was about to")
        other = self.open()
        self.enter(other, "John Doe")
        expect(other.locator("#text")).to_have_value("I was about to")
        other.locator("#text").fill("")
        expect(self.row(page, "John Doe").locator(".draft")).to_have_count(0)

    def test_files_by_drag_and_drop(self):
        page = self.open()
        self.enter(page, "Bike ride, Sunday")
        page.evaluate("""() => {
          const canvas = document.createElement("canvas");
          canvas.width = 640; canvas.height = 400;
          const ink = canvas.getContext("2d");
          ink.fillStyle = "#0f766e"; ink.fillRect(0, 0, 640, 400);
          return new Promise((done) => canvas.toBlob((blob) => {
            const data = new DataTransfer();
            data.items.add(new File([blob], "ride.png", { type: "image/png" }));
            window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true, bubbles: true }));
            done();
          }));
        }""")
        expect(page.locator("#chosen")).to_contain_text("ride.png")
        page.locator(".send").click()
        picture = page.locator(".msg.mine img[alt='ride.png']")
        expect(picture).to_be_visible()
        expect(picture).to_have_js_property("complete", True)
        self.assertGreater(picture.evaluate("(image) => image.naturalWidth"), 0)
        expect(page.locator("#chosen")).to_be_hidden()
        page.locator("#files").set_input_files({"name": "a.exe", "mimeType": "image/png", "buffer": b"MZ"})
        page.locator(".send").click()
        expect(page.locator(".notice")).to_contain_text("can be attached")

    @smoke
    def test_search_leads_to_the_message(self):
        page = self.open("/search")
        page.locator("#q").fill("archive tape")
        page.keyboard.press("Enter")
        expect(page.locator("mark")).to_have_text("archive tape")
        page.locator(".hit-link").click()
        expect(page.locator(".msg.hit")).to_be_in_viewport()
        expect(page.locator(".msg.hit")).to_contain_text("It is on the archive tape")

    def test_answers_are_written_and_inserted(self):
        page = self.open("/answers")
        page.get_by_label("Question").fill("Where is the pier?")
        page.locator("textarea[name=answer]").fill("Somewhere.")
        page.get_by_role("button", name="Save").click()
        card = page.locator(".card", has_text="Where is the pier?")
        expect(card).to_contain_text("Not used yet")
        card.get_by_role("link", name="Edit").click()
        page.locator("textarea[name=answer]").fill("Behind the old crane.")
        page.get_by_role("button", name="Save").click()
        expect(card).to_contain_text("Behind the old crane.")
        page.goto(self.server.url)
        self.enter(page, "Acme Audio")
        page.locator(".answers summary").click()
        page.locator(".answer", has_text="Where is the pier?").click()
        expect(page.locator("#text")).to_have_value("Behind the old crane.")
        page.locator("#text").press("Enter")
        expect(page.locator(".msg.mine", has_text="Behind the old crane.")).to_be_visible()
        page.goto(self.server.url + "/answers")
        expect(card).to_contain_text("Used once")
        self.live(page)
        card.get_by_role("button", name="Turn off").click()
        expect(card).to_contain_text("off")
        card.get_by_role("button", name="Delete").click()
        expect(card).to_have_count(0)

    def test_settings_are_saved(self):
        page = self.open("/settings")
        switch = page.get_by_label("Read the mood of messages")
        expect(switch).to_be_checked()
        switch.uncheck()
        expect(page.locator(".notice")).to_have_text("Saved.")
        name = page.get_by_role("textbox", name="Name")
        name.fill("Sarah")
        with page.expect_response("**/settings/profile"):
            name.press("Enter")
        # A page that is left at once still sends the last change.
        page.get_by_label("Score business opportunities").uncheck()
        page.goto(self.server.url + "/settings")
        self.live(page)
        expect(switch).not_to_be_checked()
        expect(page.get_by_label("Score business opportunities")).not_to_be_checked()
        expect(name).to_have_value("Sarah")
        # Each setting saves itself, and no button promises to.
        expect(page.get_by_role("button", name=re.compile("^Save"))).to_have_count(0)
        page.get_by_role("link", name="Administration").click()
        page.get_by_label("Keep messages for").fill("3650")
        with page.expect_navigation():
            page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_label("Keep messages for")).to_have_value("3650")
        self.live(page)
        page.get_by_role("button", name="Compact now").click()
        expect(page.locator(".notice")).to_have_text("The store was compacted.")


@in_firefox
class ReadingTest(BrowserTest):
    @smoke
    def test_unread_goes_away_when_seen(self):
        page = self.open()
        row = self.row(page, "John Doe")
        expect(row.locator(".badge")).to_be_visible()
        expect(page).to_have_title("(3) Inbox · Sorted")
        self.enter(page, "John Doe")
        expect(row.locator(".badge")).to_have_count(0)
        # Tabs of several conversations differ.
        expect(page).to_have_title("(2) John Doe · Sorted")


@in_firefox
class NewMessagesTest(BrowserTest):
    """On a server of its own, because it reads what another test finds unread."""

    def test_a_line_divides_what_is_new_and_a_button_leads_to_the_newest(self):
        page, other = self.open(viewport={"width": 1280, "height": 320}), self.open()
        count = int(self.row(page, "Ines").locator(".badge").evaluate("(badge) => badge.lastChild.textContent"))
        self.enter(page, "Ines, harbour festival")
        expect(page.locator("#unread-line")).to_be_in_viewport()
        self.assertEqual(page.locator("#unread-line ~ .msg").count(), count)
        page.locator("#thread-scroll").hover()
        # From 300 points on the button is there for one's own messages too.
        while page.evaluate("document.querySelector('#thread-scroll').scrollTop") > -300:
            page.mouse.wheel(0, -100)
        self.enter(other, "Ines, harbour festival")
        self.say(other, "while you read above")
        expect(page.locator("#to-newest")).to_be_visible()
        page.locator("#to-newest").click()
        expect(page.locator(".msg", has_text="while you read above")).to_be_in_viewport()
        expect(page.locator("#to-newest")).to_be_hidden()


class WithoutScriptTest(BrowserTest):
    @smoke
    def test_everything_but_live_updates_works(self):
        page = self.open(java_script_enabled=False)
        self.row(page, "Studio team").locator(".row-link").click()
        page.locator("#text").fill("No script here")
        page.locator(".send").click()
        expect(page.locator(".msg.mine").last).to_contain_text("No script here")
        page.get_by_role("button", name="Mark as read").click()
        expect(self.row(page, "Studio team").locator(".badge")).to_have_count(0)
        page.goto(self.server.url)
        john = self.row(page, "John Doe")
        john.hover()
        john.get_by_role("button", name="Delete").click()
        expect(john).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(john).to_have_count(1)
        self.row(page, "Ines").locator(".row-link").click()
        page.get_by_role("link", name="Older messages").click()
        expect(page.locator(".msg").first).to_contain_text("We are putting together")
        page.locator("#files").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"hi"})
        page.locator("#text").fill("With a file")
        page.locator(".send").click()
        expect(page.locator(".msg.mine").last.locator(".file")).to_contain_text("a.txt")


class KindTest(BrowserTest):
    """On a server of its own: a new answer in the settings has the assistant judge every message again."""

    def test_search_for_messages_of_a_kind(self):
        page = self.open("/search")
        page.get_by_text("Of a kind").click()
        page.get_by_label("Category").select_option("fan")
        page.get_by_role("button", name="Search").click()
        # The sample has two.
        expect(page.locator(".hit-link")).to_have_count(2)
        expect(page.locator(".hit-link:has(.chip.fan)")).to_have_count(2)
