"""What a person does while the connection is cut: nothing that was typed is lost, and no page of the browser's errors appears."""

from network import Network
from support import BrowserTest, expect


class InterruptedTest(BrowserTest):
    def listen(self, message):
        """Requests fail on purpose; only what the script itself throws counts."""

    def edit(self, page, text, changed):
        self.own_message(page, text)
        page.locator("#text").press("ArrowUp")
        expect(page.locator("#edit-text")).to_have_value(text)
        page.locator("#edit-text").fill(changed)
        page.get_by_role("button", name="Save").click()

    def test_a_changed_message_is_kept_while_the_server_is_away_and_saved_after(self):
        page = self.open()
        self.enter(page, "John Doe")
        page.route("**/edit", lambda route: route.abort())
        self.edit(page, "Tuseday at ten", "Wednesday at ten")
        expect(page.locator(".notice", has_text="The change is kept")).to_be_visible()
        # The thread is there again, with the message that waits for its change.
        expect(page.locator("#text")).to_be_visible()
        expect(page.locator(".msg.changing", has_text="Wednesday at ten")).to_be_visible()
        page.reload()
        self.live(page)
        expect(page.locator(".msg.changing", has_text="Wednesday at ten")).to_be_visible()
        # A later change replaces the one that waits.
        page.locator("#text").press("ArrowUp")
        page.locator("#edit-text").fill("Thursday at ten")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#text")).to_be_visible()
        page.unroute("**/edit")
        expect(page.locator(".msg.mine:not(.changing)", has_text="Thursday at ten")).to_be_visible()
        expect(page.locator(".msg", has_text="Wednesday at ten")).to_have_count(0)

    def test_a_conversation_opens_although_its_connection_was_cut(self):
        page = self.open()
        self.lose_first_answer(page, "**/c/*part=pane*")
        self.enter(page, "John Doe")
        expect(page.locator("#text")).to_be_visible()
        expect(page.locator(".notice", has_text="cannot be loaded")).to_have_count(0)

    def test_a_draft_that_comes_after_its_message_was_sent_by_a_later_page_changes_nothing(self):
        page = self.open()
        self.enter(page, "John Doe")
        # The first page's request is on its way for long.
        page.route("**/draft", lambda route: None)
        with page.expect_request("**/draft") as waited:
            page.locator("#text").fill("Half a thought")
        late = waited.value
        page.reload()
        self.live(page)
        expect(page.locator("#text")).to_have_value("Half a thought")
        page.unroute("**/draft")
        self.own_message(page, "Half a thought and the rest")
        headers = {name: late.headers[name] for name in ["content-type", "origin"] if name in late.headers}
        answer = page.request.post(
            late.url, data=late.post_data_buffer, headers={"origin": self.server.url, **headers}, max_redirects=0)
        self.assertLess(answer.status, 400)
        page.reload()
        self.live(page)
        expect(page.locator("#text")).to_have_value("")
        expect(self.row(page, "John Doe").locator(".draft")).to_have_count(0)

    def test_a_changed_message_that_the_server_refuses_stays_in_the_editor(self):
        page = self.open()
        self.enter(page, "John Doe")
        self.edit(page, "short", "long " * 5_000)
        expect(page.locator(".notice")).to_be_visible()
        expect(page.locator("#edit-text")).to_have_value("long " * 5_000)
        page.locator("#edit-text").fill("short again")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".msg.mine", has_text="short again")).to_be_visible()

    def test_a_changed_message_that_the_server_refuses_later_waits_in_the_composer_of_its_thread(self):
        page = self.open()
        self.enter(page, "John Doe")
        page.route("**/edit", lambda route: route.abort())
        self.edit(page, "short", "long " * 5_000)
        # The change waits for the server.
        expect(page.locator("#text")).to_be_visible()
        self.enter(page, "Acme Audio")
        page.unroute("**/edit")
        expect(page.locator(".notice", has_text="long long")).to_be_visible()
        expect(page.locator("#text")).to_have_value("")
        page.reload()
        self.live(page)
        expect(page.locator("#text")).to_have_value("")
        self.enter(page, "John Doe")
        expect(page.locator("#text")).to_have_value("long " * 5_000)
        expect(page.locator(".notice")).to_be_visible()
        expect(page.locator(".msg.changing")).to_have_count(0)
        # It waits once.
        page.locator("#text").fill("")
        page.reload()
        self.live(page)
        expect(page.locator("#text")).to_have_value("")

    def test_what_is_written_while_another_conversation_loads_belongs_to_the_one_on_the_page(self):
        page = self.open()
        self.enter(page, "John Doe")
        held = []
        page.route("**/c/*part=pane*", lambda route: held.append(route))
        self.row(page, "Acme Audio").locator(".row-link").click()
        expect(page.locator(".pane-thread")).to_have_attribute("aria-busy", "true")
        self.own_message(page, "for John alone")
        page.locator("#text").fill("half a sentence")
        held[0].continue_()
        page.unroute("**/c/*part=pane*")
        expect(page.locator(".thread-title h1")).to_have_text("Acme Audio")
        expect(page.locator("#text")).to_have_value("")
        expect(page.locator(".msg", has_text="for John alone")).to_have_count(0)
        self.enter(page, "John Doe")
        expect(page.locator("#text")).to_have_value("half a sentence")
        expect(page.locator(".msg.mine", has_text="for John alone")).to_have_count(1)

    def test_what_is_being_written_stays_with_its_files_while_a_person_looks_elsewhere(self):
        page = self.open()
        self.enter(page, "John Doe")
        message = page.locator(".msg:not(.mine)").last
        message.hover()
        message.locator("a.reply").click()
        page.locator("#files").set_input_files({"name": "plan.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4 plan"})
        page.locator("#text").fill("half an answer")
        # The same conversation again, as by a click on its row or on a message that is not on the page.
        with page.expect_response("**/c/*part=pane*"):
            self.row(page, "John Doe").locator(".row-link").click()
        expect(page.locator("#text")).to_have_value("half an answer")
        expect(page.locator("#reply-to")).to_be_visible()
        expect(page.locator("#chosen .attachment")).to_have_count(1)
        self.enter(page, "Acme Audio")
        expect(page.locator("#chosen .attachment")).to_have_count(0)
        expect(page.locator("#text")).to_have_value("")
        self.enter(page, "John Doe")
        expect(page.locator("#text")).to_have_value("half an answer")
        expect(page.locator("#chosen .attachment")).to_have_count(1)
        page.locator("#text").press("Enter")
        expect(page.locator(".msg.mine:not(.waiting)", has_text="half an answer")).to_contain_text("plan.pdf")
        expect(page.locator("#chosen .attachment")).to_have_count(0)

    def test_the_editor_takes_nothing_while_it_saves_and_lets_a_person_go_elsewhere(self):
        page = self.open()
        self.enter(page, "John Doe")
        held = []
        page.route("**/edit", lambda route: held.append(route))
        self.edit(page, "Tuseday at nine", "Tuesday at nine")
        expect(page.locator("#edit-text")).not_to_be_editable()
        self.enter(page, "Acme Audio")
        with page.expect_response("**/edit"):
            held[0].continue_()
        page.wait_for_timeout(500)
        expect(page.locator(".thread-title h1")).to_have_text("Acme Audio")
        page.unroute("**/edit")
        self.enter(page, "John Doe")
        expect(page.locator(".msg.mine", has_text="Tuesday at nine")).to_be_visible()

    def test_a_form_that_cannot_be_sent_keeps_what_was_typed(self):
        page = self.open("/settings")
        page.context.set_offline(True)
        name = page.get_by_label("Name", exact=True)
        name.fill("Ada of the offline")
        name.press("Enter")
        expect(page.locator(".notice", has_text="The server is away")).to_be_visible()
        expect(name).to_have_value("Ada of the offline")
        page.context.set_offline(False)
        # The button is there for what could not be saved, and only for that.
        again = page.get_by_role("button", name="Save profile")
        again.click()
        expect(page.locator(".notice", has_text="Saved.")).to_be_visible()
        expect(again).to_be_hidden()
        page.reload()
        self.live(page)
        expect(name).to_have_value("Ada of the offline")
        page.goto(self.server.url)
        self.live(page)
        page.context.set_offline(True)
        page.locator(".new summary").click()
        page.get_by_label("With").fill("Grace")
        page.get_by_role("button", name="Start").click()
        expect(page.locator(".notice", has_text="The server is away")).to_be_visible()
        page.context.set_offline(False)
        page.get_by_role("button", name="Start").click()
        expect(page.locator(".thread-title h1")).to_have_text("Grace")

    def test_what_is_typed_into_another_form_while_one_is_sent_stays(self):
        page = self.open("/settings")
        # Not a route: Playwright turns off the cache for it, and a page without its styles at first aborts its view transition.
        page.evaluate("const send = fetch; fetch = async (...one) => (await new Promise((done) => setTimeout(done, 500)), send(...one))")
        page.get_by_label("Name", exact=True).fill("Ada of the slow network")
        name = page.get_by_label("Name", exact=True)
        name.press("Enter")
        # Another test may have saved an address.
        saved = page.get_by_label("Email").input_value()
        # The theme is saved after the name, and its page keeps the address that is not saved yet.
        with page.expect_navigation():
            page.get_by_label("Theme").select_option("dark")
            page.get_by_label("Email").fill("ada@")
        self.live(page)
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(name).to_have_value("Ada of the slow network")
        expect(page.get_by_label("Email")).to_have_value("ada@")
        # What was not sent is not kept for later visits.
        page.reload()
        self.live(page)
        expect(page.get_by_label("Email")).to_have_value(saved)

    def test_the_palette_says_that_the_server_is_away_and_asks_again(self):
        page = self.open()
        asked, is_away = [], True

        # One route for the whole test: a request right after a route is set anew may pass it by.
        def find(route):
            asked.append(1)
            if is_away:
                route.abort()
            else:
                route.continue_()

        page.route("**/find*", find)
        page.keyboard.press("Control+k")
        expect(page.locator("#palette .away")).to_be_visible()
        is_away = False
        expect(page.locator("#palette [role=option]", has_text="John Doe")).to_be_visible()
        expect(page.locator("#palette .away")).to_be_hidden()
        # A palette that was closed asks no more.
        page.keyboard.press("Escape")
        is_away = True
        page.keyboard.press("Control+k")
        expect(page.locator("#palette .away")).to_be_visible()
        page.keyboard.press("Escape")
        count = len(asked)
        page.wait_for_timeout(2_500)
        self.assertEqual(len(asked), count)

    def test_a_message_whose_forwarding_lost_its_answer_is_forwarded_once(self):
        page = self.open()
        self.enter(page, "John Doe")
        message = self.own_message(page, "to be passed on")
        self.lose_first_answer(page, "**/forward")
        for outcome in ("The message was not forwarded", "Forwarded to"):
            message.hover()
            message.locator(".menu summary").click()
            message.locator(".forward").click()
            page.locator("#palette [role=option]", has_text="Studio team").click()
            self.forward_to(page, "Studio team")
            expect(page.locator(".notice", has_text=outcome)).to_be_visible()
        self.enter(page, "Studio team")
        expect(page.locator(".msg", has_text="to be passed on")).to_have_count(1)

    def test_the_line_of_pins_is_live_and_a_notice_covers_no_message(self):
        page, other = self.open(), self.open()
        for one in (page, other):
            self.enter(one, "Studio team")
        message = self.own_message(page, "pin me up")
        self.menu(message, "Pin")
        for one in (page, other):
            expect(one.locator(".pins .pin", has_text="pin me up")).to_be_visible()
            expect(one.locator(".msg", has_text="pin me up").get_by_label("pinned")).to_be_visible()
        expect(page.locator(".notice")).to_be_visible()
        self.assertTrue(page.evaluate("""() => {
            const notice = document.querySelector(".notice").getBoundingClientRect();
            const message = [...document.querySelectorAll(".msg")].at(-1).getBoundingClientRect();
            return notice.right <= message.left || notice.bottom <= message.top || notice.top >= message.bottom;
        }"""))
        self.menu(message, "Unpin")
        for one in (page, other):
            expect(one.locator(".pins")).to_be_hidden()

    def test_the_line_of_pins_follows_the_messages(self):
        page, other = self.open(), self.open()
        for one in (page, other):
            self.enter(one, "Acme Audio")
        message = self.own_message(page, "pinned with a mistale")
        self.menu(message, "Pin")
        for one in (page, other):
            expect(one.locator(".pins .pin")).to_have_text("pinned with a mistale")
        page.locator("#text").press("ArrowUp")
        page.locator("#edit-text").fill("pinned without a mistake")
        page.get_by_role("button", name="Save").click()
        for one in (page, other):
            expect(one.locator(".pins .pin")).to_have_text("pinned without a mistake")
        message = page.locator(".msg.mine", has_text="pinned without a mistake")
        self.menu(message, "Delete for me")
        for one in (page, other):
            expect(one.locator(".pins")).to_be_hidden()
        page.locator(".notice").get_by_role("button", name="Undo").click()
        for one in (page, other):
            expect(one.locator(".pins .pin")).to_have_text("pinned without a mistake")
        self.menu(message, "Delete for everybody")
        for one in (page, other):
            expect(one.locator(".pins")).to_be_hidden()


class MissedMessageTest(BrowserTest):
    arguments = ("--accounts",)

    def listen(self, message):
        """Connections are cut on purpose."""

    def test_a_message_that_comes_while_the_connection_is_broken_is_read_after_it(self):
        bob = self.sign_up("bob")
        network = Network(self.server.port)
        ann = self.open(door=False)
        ann.goto(network.url + "/sign-up")
        ann.get_by_label("Name").fill("ann")
        ann.get_by_label("Password").fill("correct horse ann")
        ann.get_by_role("button", name="Create an account").click()
        self.live(ann)
        self.begin(ann, "bob")
        self.say(ann, "are you there")
        self.enter(bob, "ann")
        network.loss = 1.0
        # The stream is cut with the next chunk, which is the message or a beat.
        self.say(bob, "while you were away")
        expect(bob.locator(".msg.mine:not(.waiting)", has_text="while you were away")).to_be_visible()
        expect(ann.locator("body[data-live=no]")).to_be_attached()
        network.loss = 0.0
        expect(ann.locator(".msg", has_text="while you were away")).to_be_visible()
        expect(ann.locator(".row.unread")).to_have_count(0)
        expect(bob.locator(".msg.mine", has_text="while you were away").get_by_label("Read")).to_be_visible()
