"""What is written arrives once, as whoever wrote it, whatever the network does."""
import re

from support import BrowserTest, expect, in_firefox, smoke


class SlowNetworkTest(BrowserTest):
    def slow(self, page, latency=300):
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1})

    def stored(self, page, text):
        """How many messages of a text the server has."""
        answer = page.request.get(page.url)
        return len(re.findall(rf'class="text" dir="auto">{text}<', answer.text()))

    def test_four_messages_at_once_over_a_slow_network_all_arrive(self):
        page = self.open()
        self.enter(page, "Acme Audio")
        self.slow(page)
        for number in range(4):
            self.say(page, f"quick {number}")
        for number in range(4):
            expect(page.locator(".msg.mine:not(.waiting)", has_text=f"quick {number}")).to_be_visible()
        expect(page.locator(".msg.waiting")).to_have_count(0)
        texts = [text for text in page.locator(".msg.mine .text").all_inner_texts() if text.startswith("quick")]
        self.assertEqual(texts, [f"quick {number}" for number in range(4)])

    def test_a_message_whose_answer_is_lost_is_sent_again_and_stored_once(self):
        page = self.open()
        self.enter(page, "John Doe")
        self.lose_first_answer(page, "**/send")
        self.say(page, "only once")
        expect(page.locator(".msg.mine:not(.waiting)", has_text="only once")).to_be_visible()
        expect(page.locator("#offline")).to_be_hidden()
        page.wait_for_function("""async () => {
            const request = indexedDB.open("sorted");
            const database = await new Promise((done) => request.onsuccess = () => done(request.result));
            const all = database.transaction("outbox").objectStore("outbox").getAll();
            return new Promise((done) => all.onsuccess = () => done(all.result.length === 0));
        }""")
        self.assertEqual(self.stored(page, "only once"), 1)

    @in_firefox
    def test_a_double_click_and_two_tabs_send_once_files_too(self):
        page = self.open()
        self.enter(page, "Studio team")
        other = page.context.new_page()
        other.goto(page.url)
        self.live(other)
        page.context.set_offline(True)
        page.locator("#files").set_input_files({"name": "list.txt", "mimeType": "text/plain", "buffer": b"one"})
        page.locator("#text").fill("with a list")
        page.locator(".send").dblclick()
        expect(page.locator(".msg.waiting", has_text="with a list")).to_have_count(1)
        page.context.set_offline(False)
        expect(page.locator(".msg.mine:not(.waiting)", has_text="with a list").locator(".file")).to_contain_text("list.txt")
        expect(other.locator(".msg.mine", has_text="with a list")).to_have_count(1)
        expect(page.locator(".msg.waiting")).to_have_count(0)
        self.assertEqual(self.stored(page, "with a list"), 1)

    def test_too_long_a_text_is_refused_with_its_size_and_kept(self):
        page = self.open()
        self.enter(page, "Acme Audio")
        page.locator("#text").fill("x" * 100_000)
        expect(page.locator("#too-long")).to_contain_text("100,000 characters")
        page.locator(".send").click()
        self.assertEqual(page.evaluate("document.querySelector('#text').value.length"), 100_000)
        expect(page.locator(".msg.waiting")).to_have_count(0)
        page.locator("#text").fill("")
        expect(page.locator("#too-long")).to_be_hidden()

    @in_firefox
    @smoke
    def test_a_message_is_shown_as_waiting_once_it_is_stored(self):
        page = self.open()
        self.enter(page, "Acme Audio")
        page.route("**/send", lambda route: route.abort())
        page.evaluate("""() => {
            const add = IDBObjectStore.prototype.add;
            IDBObjectStore.prototype.add = function (...values) {
                window.shownBefore = document.querySelectorAll(".msg.waiting").length;
                return add.apply(this, values);
            };
        }""")
        page.locator("#text").press_sequentially("kept first")
        page.locator("#text").press("Enter")
        expect(page.locator(".msg.waiting", has_text="kept first")).to_be_visible()
        self.assertEqual(page.evaluate("window.shownBefore"), 0)
        # The outbox took the draft's place.
        page.reload()
        expect(page.locator(".msg.waiting", has_text="kept first")).to_be_visible()
        expect(page.locator("#text")).to_have_value("")

    @in_firefox
    def test_a_message_that_the_browser_cannot_store_goes_back_to_the_composer(self):
        page = self.open()
        self.enter(page, "Acme Audio")
        page.evaluate("""() => {
            IDBObjectStore.prototype.add = () => { throw new DOMException("full", "QuotaExceededError"); };
        }""")
        answered = page.locator(".msg:not(.mine)").first
        answered.hover()
        answered.locator("a.reply").click()
        page.locator("#files").set_input_files([
            {"name": name, "mimeType": "text/plain", "buffer": b"one"} for name in ["list.txt", "plan.txt"]])
        self.say(page, "too much for here")
        expect(page.get_by_text("could not keep the message")).to_be_visible()
        expect(page.locator("#text")).to_have_value("too much for here")
        expect(page.locator("#chosen .attachment")).to_have_text(["list.txt×", "plan.txt×"])
        expect(page.locator("#reply-to")).to_be_visible()
        expect(page.locator(".msg.waiting")).to_have_count(0)

    def test_a_refused_message_is_edited_with_its_files(self):
        page = self.open()
        self.enter(page, "Acme Audio")
        page.locator("#files").set_input_files({"name": "tool.exe", "mimeType": "text/plain", "buffer": b"MZ"})
        self.say(page, "a program")
        refused = page.locator(".msg.refused", has_text="a program")
        refused.get_by_role("button", name="Edit").click()
        expect(refused).to_have_count(0)
        expect(page.locator("#text")).to_have_value("a program")
        expect(page.locator("#chosen .attachment")).to_have_text("tool.exe×")

    def test_an_answer_is_inserted_beside_what_was_typed(self):
        page = self.open()
        self.enter(page, "John Doe")
        page.locator("#text").fill("Thank you!")
        page.locator(".answers summary").click()
        page.locator(".answer").first.click()
        expect(page.locator("#text")).to_have_value(re.compile(r"^Thank you!\n.+"))


@in_firefox
class AccountsTest(BrowserTest):
    arguments = ("--sample", "--accounts")

    def sign_in(self, page, name):
        page.goto(self.server.url + "/sign-in")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(f"correct horse {name}")
        with page.expect_navigation():
            page.get_by_role("button", name="Sign in").click()
        self.live(page)

    def sign_out(self, page):
        page.goto(self.server.url + "/settings")
        page.get_by_role("button", name="Sign out").last.click()
        # In Firefox the heading may be there before Playwright knows of the page, which then interrupts the next `goto`.
        page.wait_for_url("**/sign-in")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()

    def test_what_one_person_writes_offline_is_never_sent_as_another(self):
        ann = self.sign_up("ann")
        bob = self.sign_up("bob")
        self.begin(ann, "bob")
        path = ann.url
        ann.context.set_offline(True)
        self.say(ann, "from ann, offline")
        ann.locator("#text").fill("a draft of ann's")
        expect(ann.locator(".msg.waiting")).to_have_count(1)
        # Her session ends meanwhile; somebody else signs in at the same browser.
        ann.context.clear_cookies()
        ann.context.set_offline(False)
        expect(ann.locator("#signed-out")).to_be_visible()
        expect(ann.locator("#text")).to_have_value("a draft of ann's")
        self.sign_in(ann, "bob")
        ann.goto(path)
        self.live(ann)
        expect(ann.locator(".msg.waiting")).to_have_count(0)
        expect(ann.locator("#text")).to_have_value("")
        expect(ann.locator(".msg", has_text="from ann, offline")).to_have_count(0)
        self.sign_out(ann)
        self.sign_in(ann, "ann")
        self.enter(bob, "ann")
        message = bob.locator(".msg:not(.mine)", has_text="from ann, offline")
        expect(message).to_be_visible()
        ann.goto(path)
        self.live(ann)
        expect(ann.locator("#text")).to_have_value("a draft of ann's")
        expect(ann.locator(".msg.mine").get_by_label("Delivered").or_(ann.locator(".msg.mine").get_by_label("Read")).first).to_be_visible()

    def test_signing_out_leaves_nothing_on_any_tab(self):
        page = self.sign_up("carol")
        other = page.context.new_page()
        other.goto(self.server.url)
        self.live(other)
        self.sign_out(page)
        expect(other.get_by_role("heading", name="Sign in")).to_be_visible()
        other.go_back()
        expect(other.locator("#rows")).to_have_count(0)

    def test_names_that_look_like_anothers_are_refused_and_strangers_are_invited_by_a_link(self):
        dora = self.sign_up("Dora")
        page = self.open("/sign-up", door=False)
        for name in ["DORA", "dоra", "Dоrа", "d0ra"]:
            page.get_by_label("Name").fill(name)
            page.get_by_label("Password").fill("correct horse")
            # The text is there before the browser has told of the navigation, which would interrupt the next one.
            with page.expect_navigation():
                page.get_by_role("button", name="Create an account").click()
            expect(page.locator("#content")).to_contain_text(re.compile("taken|one alphabet"))
            page.goto(self.server.url + "/sign-up")
        self.begin(dora, "emil", invites=True)
        expect(dora.locator(".thread-title h1")).to_have_text("emil (invited)")
        self.say(dora, "Only for emil")
        dora.locator(".people summary").click()
        link = dora.locator(".invitation").input_value()
        # Whoever takes the name without the link gets an inbox of their own.
        thief = self.sign_up("emil")
        expect(thief.locator("#no-rows")).to_be_visible()
        guest = self.open(link.removeprefix(self.server.url), door=False)
        guest.get_by_role("link", name="Create an account").click()
        guest.get_by_label("Name").fill("emil.b")
        guest.get_by_label("Password").fill("correct horse emil")
        guest.get_by_role("button", name="Create an account").click()
        self.live(guest)
        expect(guest.locator(".msg", has_text="Only for emil")).to_be_visible()

    def test_leaving_a_group_ends_what_is_heard_of_it(self):
        fred, gina, hugo = (self.sign_up(name) for name in ["fred", "gina", "hugo"])
        self.begin(fred, "gina hugo")
        self.say(fred, "Welcome")
        row = self.row(gina, "Welcome")
        row.locator(".row-link").click()
        self.live(gina)
        gina.locator(".people summary").click()
        gina.get_by_role("button", name="Leave the group").click()
        expect(gina.locator("#no-rows")).to_be_visible()
        self.say(fred, "Without gina")
        self.row(hugo, "Without gina").wait_for()
        expect(gina.locator("body")).not_to_contain_text("Without gina")

    def test_the_same_person_is_the_same_conversation(self):
        iris, jack = self.sign_up("iris"), self.sign_up("jack")
        self.begin(iris, "jack")
        first = iris.url
        iris.goto(self.server.url)
        self.live(iris)
        self.begin(iris, "JACK")
        self.assertEqual(iris.url, first)
