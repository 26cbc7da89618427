"""Nothing is hidden or mistaken: spam, unread messages, the archive, authors, forwarding, and what is being sent."""
import re

from support import BrowserTest, expect


class HiddenTest(BrowserTest):
    arguments = ("--accounts",)

    def meet(self, first, second):
        """Two people with a conversation, which the first one has open. Returns their pages and the conversation's address."""
        a, b = self.sign_up(first), self.sign_up(second)
        self.begin(a, second)
        return a, b, re.search(r"/c/[^/?#]+", a.url).group(0)

    def write_many(self, page, count):
        page.evaluate(
            """async (count) => {
                const load = (name) => import(new URL(name, document.querySelector("script[type=module]").src));
                const [{ post }, { uuid }, { state }] = [await load("server.js"), await load("outbox.js"), await load("state.js")];
                for (let number = 1; number <= count; number += 1)
                    await post(`/c/${state.thread}/send`, { key: uuid(), text: `number ${number} of many`, reply: "" });
            }""", count)

    def badge(self, page, name):
        return self.row(page, name).locator(".badge")

    def test_a_thread_opens_at_the_first_unread_message_whatever_their_number(self):
        for count, first, second in [(20, "ada", "ben"), (45, "cleo", "dan"), (1, "eva", "finn")]:
            writer, reader, path = self.meet(first, second)
            self.own_message(writer, "read before")
            self.enter(reader, first)
            expect(writer.locator(".tick.read")).to_have_count(1)
            reader.goto(self.server.url + "/")
            self.live(reader)
            self.write_many(writer, count)
            expect(self.badge(reader, first)).to_contain_text(str(count))
            reader.set_viewport_size({"width": 1280, "height": 500})
            self.enter(reader, first)
            expect(reader.locator("#unread-line")).to_be_in_viewport()
            expect(reader.locator("#unread-line + .msg, #unread-line + .day + .msg")).to_contain_text("number 1 of many")
            if count == 1:
                expect(self.badge(reader, first)).to_have_count(0)
                expect(reader.locator("#to-newest")).to_be_hidden()
                continue
            # Only what is on the screen is read.
            pill = reader.locator("#to-newest")
            expect(pill).to_have_text(re.compile(r"^\d+ new messages$"))
            expect(self.badge(reader, first)).not_to_contain_text(str(count))
            left = int(re.search(r"\d+", pill.inner_text()).group(0))
            self.assertGreater(left, count - 15)
            self.assertLess(left, count)
            expect(self.badge(reader, first)).to_contain_text(str(left))
            expect(writer.locator(".msg.mine", has_text=f"number {count} of many").locator(".tick.read")).to_have_count(0)
            pill.click()
            expect(reader.locator(".msg", has_text=f"number {count} of many")).to_be_in_viewport()
            expect(self.badge(reader, first)).to_have_count(0)
            expect(pill).to_be_hidden()
            expect(writer.locator(".msg.mine", has_text=f"number {count} of many").locator(".tick.read")).to_have_count(1)

    def test_an_archived_conversation_comes_back_with_a_new_message_unless_it_is_muted(self):
        nora, otto, path = self.meet("nora", "otto")
        self.own_message(nora, "hello")
        otto.goto(self.server.url + "/")
        self.live(otto)
        row = self.row(otto, "nora")
        row.hover()
        row.get_by_role("button", name="Archive nora").click()
        expect(row).to_have_count(0)
        self.own_message(nora, "one more question")
        expect(self.badge(otto, "nora")).to_contain_text("2")
        expect(otto).to_have_title("(1) Inbox · Sorted")
        row.hover()
        row.get_by_role("button", name="Mute nora").click()
        expect(otto).to_have_title("Inbox · Sorted")
        row.hover()
        row.get_by_role("button", name="Archive nora").click()
        expect(row).to_have_count(0)
        self.own_message(nora, "into the archive")
        otto.goto(self.server.url + "/?filter=archived")
        expect(self.row(otto, "nora")).to_contain_text("into the archive")

    def test_a_screen_reader_hears_the_author_of_each_message(self):
        uma, vic, path = self.meet("uma", "vic")
        self.own_message(uma, "from uma")
        self.enter(vic, "uma")
        self.own_message(vic, "from vic")
        expect(vic.locator(".msg")).to_have_count(2)
        tree = " ".join(vic.get_by_role("log").aria_snapshot().split())
        self.assertRegex(tree, r"uma: .{0,40}from uma")
        self.assertRegex(tree, r"You: .{0,40}from vic")

    def test_forwarding_says_what_goes_to_whom_and_the_exact_name_comes_first(self):
        leopold, sam, path = self.meet("leopold", "sam")
        self.own_message(leopold, "for my eyes only")
        sam.goto(self.server.url + "/")
        self.live(sam)
        # A later group with the same person.
        self.begin(sam, "leopold ada-2", invites=True, name="Hike with leopold")
        self.own_message(sam, "who comes along?")
        self.menu(sam.locator(".msg.mine", has_text="who comes along?"), "Forward")
        box = sam.locator("#palette")
        expect(box.get_by_role("heading", name="Forward to")).to_be_visible()
        expect(box.locator(".quote")).to_have_text("who comes along?")
        sam.keyboard.type("leopold")
        expect(box.locator("[role=option]")).to_have_count(2)
        expect(box.locator("[role=option] bdi").first).to_have_text("leopold")
        sam.keyboard.press("Enter")
        button = box.get_by_role("button", name="Forward to leopold")
        expect(button).to_be_focused()
        expect(sam.locator(".notice")).to_have_count(0)
        sam.keyboard.press("Escape")
        expect(box.get_by_role("combobox")).to_be_focused()
        sam.keyboard.press("Enter")
        sam.keyboard.press("Enter")
        expect(sam.locator(".notice", has_text="Forwarded to leopold.")).to_be_visible()
        expect(leopold.locator(".msg", has_text="who comes along?")).to_be_visible()

    def test_a_click_a_second_never_says_that_one_is_offline(self):
        page = self.sign_up("quinn")
        for path in ["/", "/settings", "/answers"] * 8:
            page.goto(self.server.url + path)
            self.live(page) if path == "/" else page.wait_for_timeout(300)
            expect(page.locator("#offline")).to_be_hidden()
        self.live(page)

    def test_a_large_file_holds_up_no_text_to_another_person_and_can_be_taken_back(self):
        rita, tom, path = self.meet("rita", "tom")
        self.begin(rita, "tom zoe-2", invites=True)
        group = re.search(r"/c/[^/?#]+", rita.url).group(0)
        rita.goto(self.server.url + path)
        self.live(rita)
        held = []
        # The upload is slow: it is held until the end of the test.
        rita.route(lambda url: url.endswith(path + "/send"), lambda route: held.append(route))
        rita.locator("#files").set_input_files({"name": "big.txt", "mimeType": "text/plain", "buffer": b"x" * 3_000_000})
        rita.locator("#text").press("Enter")
        waiting = rita.locator(".msg.waiting", has_text="big.txt")
        expect(waiting.locator("progress")).to_be_visible()
        rita.goto(self.server.url + group)
        self.live(rita)
        self.own_message(rita, "past the file")
        rita.goto(self.server.url + path)
        self.live(rita)
        waiting.hover()
        waiting.get_by_role("button", name="Delete").click()
        expect(waiting).to_have_count(0)
        # The group has rita's name too.
        tom.goto(self.server.url + path)
        self.live(tom)
        expect(tom.locator(".msg", has_text="big.txt")).to_have_count(0)

    def test_a_file_is_taken_back_while_it_is_on_its_way(self):
        uma, vic, path = self.meet("uma", "vic")
        vic.goto(self.server.url + path)
        self.live(vic)
        network = uma.context.new_cdp_session(uma)
        network.send("Network.enable")
        conditions = {"offline": False, "latency": 0, "downloadThroughput": -1}
        # In bytes a second: the file needs half a minute.
        network.send("Network.emulateNetworkConditions", {**conditions, "uploadThroughput": 100_000})
        uma.locator("#files").set_input_files({"name": "film.txt", "mimeType": "text/plain", "buffer": b"x" * 3_000_000})
        uma.locator("#text").fill("a long line about the film, so that the bubble is wider than the bar would be")
        uma.locator("#text").press("Enter")
        waiting = uma.locator(".msg.waiting", has_text="film.txt")
        bar = waiting.locator("progress")
        expect(bar).not_to_have_js_property("value", 0)
        # The bar is as wide as the text.
        self.assertAlmostEqual(bar.bounding_box()["width"], waiting.locator(".text").bounding_box()["width"], delta=1)
        waiting.hover()
        waiting.get_by_role("button", name="Delete").click()
        expect(waiting).to_have_count(0)
        network.send("Network.emulateNetworkConditions", {**conditions, "uploadThroughput": -1})
        # What comes after it is sent at once.
        self.own_message(uma, "no film today")
        expect(vic.locator(".msg", has_text="no film today")).to_be_visible()
        uma.reload()
        self.live(uma)
        for page in (uma, vic):
            expect(page.locator(".msg", has_text="no film today")).to_be_visible()
            expect(page.locator(".msg", has_text="film.txt")).to_have_count(0)
        expect(self.row(vic, "uma")).to_contain_text("no film today")

    def test_a_file_that_is_too_large_is_refused_when_it_is_chosen(self):
        wes, xia, path = self.meet("wes", "xia")
        wes.locator("#files").set_input_files([
            {"name": "small.txt", "mimeType": "text/plain", "buffer": b"small"},
            {"name": "huge.txt", "mimeType": "text/plain", "buffer": b"x" * 27_000_000}])
        expect(wes.locator(".notice")).to_contain_text("huge.txt was not attached: it has 25.7 MiB")
        expect(wes.locator(".attachment")).to_have_count(1)
        expect(wes.locator(".attachment")).to_contain_text("small.txt")

    def test_a_server_that_stores_nothing_is_a_banner_and_loses_nothing(self):
        abe, bea, path = self.meet("abe", "bea")
        abe.route("**/send", lambda route: route.fulfill(status=500, body="full"))
        self.say(abe, "while the disk is full")
        expect(abe.locator("#full")).to_be_visible()
        expect(abe.locator(".msg.waiting", has_text="while the disk is full")).to_be_visible()
        abe.unroute("**/send")
        expect(abe.locator(".msg.mine:not(.waiting)", has_text="while the disk is full")).to_be_visible()
        expect(abe.locator("#full")).to_be_hidden()

    def test_a_waiting_message_is_changed_before_it_is_sent(self):
        yara, zed, path = self.meet("yara", "zed")
        yara.context.set_offline(True)
        self.say(yara, "with a mistale")
        waiting = yara.locator(".msg.waiting", has_text="with a mistale")
        waiting.hover()
        waiting.get_by_role("button", name="Edit").click()
        expect(yara.locator("#text")).to_have_value("with a mistale")
        self.say(yara, "without a mistake")
        yara.context.set_offline(False)
        expect(yara.locator(".msg.mine:not(.waiting)", has_text="without a mistake")).to_be_visible()
        expect(yara.locator(".msg")).to_have_count(1)


class SpamTest(BrowserTest):
    """A guess sets a conversation aside with a sign, and a person's answer brings it back."""
    arguments = ()

    def test_what_is_set_aside_is_counted_and_comes_back(self):
        page = self.open("/")
        path = self.server.store.parent / "archive.ndjson"
        path.write_text("\n".join(
            f'{{"conversation": "{name}", "conversationName": "{name}", "sender": "{name}", "text": "{text}", '
            f'"id": "1", "createdAt": "2026-11-20T10:00:00Z"}}' for name, text in [
                ("prizes", "CONGRATULATIONS you won a FREE prize! Claim now at http://prize.example"),
                ("friend", "See you at the greenhouse on Sunday")]))
        self.server.run("import", "ndjson", str(path))
        # The message is judged after its row is there, and the page hears of it.
        aside = page.locator("#aside")
        expect(aside).to_have_text("1 conversation is set aside as spam")
        expect(page.locator("[data-tab=spam] .tab-count")).to_have_text("1")
        expect(self.row(page, "friend")).to_be_visible()
        expect(self.row(page, "prizes")).to_have_count(0)
        aside.click()
        self.row(page, "prizes").locator(".row-link").click()
        expect(page.locator(".set-aside")).to_contain_text("This conversation is set aside as spam.")
        other = page.context.new_page()
        other.goto(page.url)
        self.live(other)
        expect(other.locator(".set-aside")).to_be_visible()
        page.locator(".set-aside").get_by_role("button", name="Not spam").click()
        expect(page.locator(".notice")).to_contain_text("Not spam.")
        for tab in (page, other):
            expect(tab.locator(".set-aside")).to_have_count(0)
        page.goto(self.server.url + "/")
        expect(self.row(page, "prizes")).to_be_visible()
        expect(page.locator("#aside")).to_be_hidden()
