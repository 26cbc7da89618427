"""The conversation as people know it: answers, reactions, editing, mentions, emoji, pictures, pins, the palette."""
import re

from support import BrowserTest, expect, in_firefox


class ConversationTest(BrowserTest):
    def flashes(self, page, text, action):
        """Does something and waits until a message with a text was marked, which a mark of two seconds allows to miss."""
        page.evaluate("""() => {
            window.marked = []
            new MutationObserver((changes) => {
                for (const { target } of changes) {
                    if (target.classList.contains("flash")) window.marked.push(target.textContent)
                }
            }).observe(document.body, { subtree: true, attributeFilter: ["class"] })
        }""")
        action()
        page.wait_for_function("(text) => window.marked.some((words) => words.includes(text))", arg=text, timeout=300_000)

    @in_firefox
    def test_an_answer_quotes_and_leads_to_what_it_answers(self):
        page = self.open()
        self.enter(page, "Ines, harbour festival")
        asked = page.locator(".msg", has_text="The schedule changed").first
        asked.hover()
        asked.locator("a.reply").click()
        expect(page.locator("#reply-to .quote-text")).to_contain_text("The schedule changed")
        self.say(page, "I will ask **today**")
        answer = page.locator(".msg.mine:not(.waiting)", has_text="I will ask today")
        expect(answer.locator(".quote")).to_contain_text("The schedule changed")
        expect(answer.locator("strong")).to_have_text("today")
        expect(page.locator("#reply-to")).to_be_hidden()
        self.flashes(page, "The schedule changed", answer.locator(".quote").click)

    def test_a_reaction_is_seen_by_the_others_and_taken_back(self):
        page, other = self.open(), self.open()
        self.enter(page, "Studio team")
        self.enter(other, "Studio team")
        message = page.locator(".msg", has_text="grey card")
        self.menu(message.first, "React with 👍")
        seen = other.locator(".reaction")
        expect(seen).to_have_text("👍 1")
        page.locator(".reaction").click()
        expect(seen).to_have_count(0)

    def test_the_arrow_edits_the_last_message(self):
        page = self.open()
        self.enter(page, "Acme Audio")
        self.say(page, "Tuseday")
        expect(page.locator(".msg.mine:not(.waiting)", has_text="Tuseday")).to_be_visible()
        page.locator("#text").press("ArrowUp")
        expect(page.locator("#edit-text")).to_have_value("Tuseday")
        page.locator("#edit-text").fill("Tuesday")
        page.get_by_role("button", name="Save").click()
        self.live(page)
        expect(page.locator(".msg.mine", has_text="Tuesday")).to_contain_text("edited")

    def test_a_menu_opens_downwards_where_there_is_no_room_above(self):
        page = self.open()
        self.enter(page, "Ines, harbour festival")
        # Older messages come once the first one that was loaded is near.
        page.locator(".msg").first.scroll_into_view_if_needed()
        message = page.locator(".msg", has_text="We are putting together the harbour festival")
        message.hover()
        message.locator(".menu summary").click()
        expect(message.locator(".menu.down .panel")).to_be_in_viewport(ratio=1)

    def test_a_name_is_mentioned_and_an_emoji_picked(self):
        page = self.open()
        self.enter(page, "Bike ride, Sunday")
        page.locator("#text").press_sequentially("Hello @ev")
        expect(page.locator("#mentions [aria-selected=true]")).to_have_text("eve")
        # The list stands where the @ is, and goes and comes with the caret.
        first = self.edges(page, "#mentions")
        page.locator("#text").press("Home")
        expect(page.locator("#mentions")).to_have_count(0)
        page.locator("#text").press_sequentially("And now a longer beginning: ")
        page.locator("#text").press("End")
        expect(page.locator("#mentions [aria-selected=true]")).to_have_text("eve")
        second = self.edges(page, "#mentions")
        self.assertGreater(second["left"], first["left"] + 100)
        text = self.edges(page, "#text")
        self.assertLess(abs(second["bottom"] - text["top"]), text["bottom"] - text["top"])
        page.locator("#text").fill("Hello @ev")
        self.assertEqual(self.edges(page, "#mentions")["left"], first["left"])
        # On a later line it stands above that line.
        page.locator("#text").fill("One\nTwo\nThree\n@ev")
        third = self.edges(page, "#mentions")
        self.assertLess(third["left"], first["left"])
        self.assertGreater(third["bottom"], self.edges(page, "#text")["top"] + 40)
        page.locator("#text").fill("Hello @ev")
        page.locator("#text").press("Enter")
        expect(page.locator("#text")).to_have_value("Hello @eve ")
        page.locator("#emoji").click()
        page.get_by_role("button", name="🚲").click()
        expect(page.locator("#text")).to_have_value("Hello @eve 🚲")
        page.locator("#text").press("Enter")
        expect(page.locator(".msg.mine:not(.waiting) .mention")).to_have_text("@eve")

    def test_a_pasted_picture_is_previewed_taken_out_and_shown_large(self):
        page = self.open()
        self.enter(page, "John Doe")
        page.locator("#text").focus()
        page.evaluate("""async () => {
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = 90;
            const blob = await new Promise((done) => canvas.toBlob(done));
            const data = new DataTransfer();
            for (const name of ["one.png", "two.png"]) data.items.add(new File([blob], name, { type: "image/png" }));
            document.querySelector("#text").dispatchEvent(
                new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""")
        expect(page.locator("#chosen img")).to_have_count(2)
        page.get_by_role("button", name="Remove two.png").click()
        expect(page.locator("#chosen img")).to_have_count(1)
        page.locator(".send").click()
        picture = page.locator(".msg.mine:not(.waiting) a.picture")
        expect(picture).to_have_count(1)
        picture.click()
        expect(page.locator("#gallery img")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#gallery")).to_be_hidden()

    def test_pins_and_forwarding(self):
        page = self.open()
        self.enter(page, "Ines, harbour festival")
        message = page.locator(".msg", has_text="Three hours, from the first boat").or_(
            page.locator(".msg", has_text="One more thing")).last
        self.menu(message, "Pin")
        page.reload()
        self.live(page)
        expect(page.locator(".pin")).to_have_count(1)
        self.flashes(page, message.locator(".text").first.inner_text(), page.locator(".pin").click)
        self.menu(message, "Forward")
        page.keyboard.type("acme")
        expect(page.locator("#palette [role=option]")).to_have_count(1)
        page.keyboard.press("Enter")
        self.forward_to(page, "Acme Audio")
        page.get_by_role("link", name="Open").click()
        expect(page.locator(".thread-title h1")).to_have_text("Acme Audio")
        expect(page.locator(".msg.mine").last).to_contain_text("One more thing")

    def test_several_messages_are_deleted_at_once(self):
        page = self.open()
        self.enter(page, "John Doe")
        for text in ["first of two", "second of two"]:
            self.say(page, text)
            expect(page.locator(".msg.mine:not(.waiting)", has_text=text)).to_be_visible()
        self.menu(page.locator(".msg", has_text="first of two"), "Select")
        page.locator(".msg .text", has_text="second of two").click()
        expect(page.locator("#selection")).to_contain_text("2 messages selected")
        # Each message has left the page before the script has the answer.
        page.evaluate("""const send = fetch;
            fetch = async (...one) => {
                const answer = await send(...one);
                await new Promise((done) => setTimeout(done, 500));
                return answer;
            }""")
        page.locator("#selection").get_by_role("button", name="Delete for me").click()
        expect(page.locator(".msg", has_text="of two")).to_have_count(0)
        expect(page.locator(".notice", has_text="Deleted for you.")).to_be_visible()
        expect(page.locator("#selection")).to_have_count(0)

    def test_enter_in_the_palette_waits_for_the_places_of_the_words(self):
        page = self.open()
        self.enter(page, "John Doe")
        self.menu(self.own_message(page, "for Acme alone"), "Forward")
        # Many places, of which the first is another one.
        expect(page.locator("#palette [aria-selected=true]")).not_to_contain_text("Acme")
        page.evaluate("const send = fetch; fetch = async (...one) => (await new Promise((done) => setTimeout(done, 500)), send(...one))")
        page.keyboard.type("acme")
        page.keyboard.press("Enter")
        self.forward_to(page, "Acme Audio")
        expect(page.locator(".notice", has_text="Forwarded to Acme Audio.")).to_be_visible()
        expect(page.locator("#palette")).to_be_hidden()

    def test_several_messages_are_forwarded_once_although_an_answer_was_lost(self):
        page = self.open()
        self.enter(page, "John Doe")
        self.lose_first_answer(page, "**/forward")
        for text in ["first of two", "second of two"]:
            self.own_message(page, text)
        for notice in ["Not all messages were forwarded.", "Forwarded to Acme Audio."]:
            self.menu(page.locator(".msg", has_text="first of two"), "Select")
            page.locator(".msg .text", has_text="second of two").click()
            page.locator("#selection").get_by_role("button", name="Forward").click()
            page.keyboard.type("acme")
            expect(page.locator("#palette [role=option]")).to_have_count(1)
            page.keyboard.press("Enter")
            self.forward_to(page, "Acme Audio")
            expect(page.locator(".notice", has_text=notice)).to_be_visible()
        self.enter(page, "Acme Audio")
        expect(page.locator(".msg.mine", has_text="second of two")).to_have_count(1)
        expect(page.locator(".msg.mine", has_text="first of two")).to_have_count(1)

    def test_the_palette_goes_anywhere_by_keys(self):
        page = self.open()
        page.keyboard.press("Control+k")
        page.keyboard.type("john")
        expect(page.locator("#palette [aria-selected=true]")).to_contain_text("John Doe")
        page.keyboard.press("Escape")
        expect(page.locator("#palette")).to_be_hidden()
        page.keyboard.press("Control+k")
        page.keyboard.type("john")
        expect(page.locator("#palette [aria-selected=true]")).to_contain_text("John Doe")
        page.keyboard.press("Enter")
        expect(page.locator(".thread-title h1")).to_have_text("John Doe")
        page.keyboard.press("Control+k")
        page.keyboard.type("settings")
        expect(page.locator("#palette [aria-selected=true]")).to_contain_text("Settings")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Settings")).to_be_visible()

    def test_words_of_a_search_are_marked_in_the_thread(self):
        page = self.open("/search?q=extension+cord")
        expect(page.locator("mark")).to_have_text("extension cord")
        page.locator(".hit-link").click()
        self.live(page)
        self.assertEqual(page.evaluate("CSS.highlights.get('found').size"), 2)

    def test_a_film_is_played_in_its_message_and_so_is_sound(self):
        page = self.open()
        self.enter(page, "Bike ride, Sunday")
        page.evaluate("""async () => {
            const record = async (stream, type, name) => {
                const recorder = new MediaRecorder(stream, { mimeType: type });
                const parts = [];
                recorder.ondataavailable = ({ data }) => parts.push(data);
                const ended = new Promise((done) => recorder.onstop = done);
                recorder.start();
                setTimeout(() => recorder.stop(), 400);
                await ended;
                return new File(parts, name, { type });
            };
            const canvas = document.createElement("canvas");
            const pen = canvas.getContext("2d");
            const draw = setInterval(() => pen.fillRect(Math.random() * 200, 0, 50, 50), 20);
            const film = await record(canvas.captureStream(25), "video/webm", "boat.webm");
            clearInterval(draw);
            const data = new DataTransfer();
            data.items.add(film);
            data.items.add(new File(["OggS\\0 no sound at all"], "horn.ogg", { type: "audio/ogg" }));
            document.querySelector("#text").dispatchEvent(
                new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""")
        self.say(page, "The boat and its horn")
        message = page.locator(".msg.mine:not(.waiting)", has_text="The boat and its horn")
        expect(message.locator("audio[controls]")).to_have_attribute("aria-label", "horn.ogg")
        expect(message.locator("video[controls]")).to_have_attribute("aria-label", "boat.webm")
        page.wait_for_function("""() => {
            const film = [...document.querySelectorAll(".msg.mine:not(.waiting) video")].at(-1);
            if (film?.error) throw new Error(film.error.message);
            return film?.readyState >= HTMLMediaElement.HAVE_METADATA && film.videoWidth > 0;
        }""")
        # It is the same element, at the same place of the film, when the message changes.
        page.evaluate("""() => {
            window.film = [...document.querySelectorAll(".msg.mine video")].at(-1);
            film.loop = film.muted = true;
            return film.play();
        }""")
        self.menu(message, "React with 👍")
        expect(message.locator(".reaction")).to_have_text("👍 1")
        self.assertEqual(page.evaluate("[film.isConnected, film.paused]"), [True, False])
        # So is what was loaded with another conversation.
        self.enter(page, "Acme Audio")
        self.enter(page, "Bike ride, Sunday")
        page.wait_for_function(
            "() => document.querySelector('.msg.mine video')?.readyState >= HTMLMediaElement.HAVE_METADATA")

    def test_a_persons_page_leads_to_the_conversations_with_them(self):
        page = self.open()
        self.enter(page, "Bike ride, Sunday")
        page.locator(".people summary").click()
        page.locator(".members a", has_text="eve").click()
        expect(page.get_by_role("heading", name="eve")).to_be_visible()
        page.get_by_role("link", name="Bike ride, Sunday").click()
        expect(page.locator(".thread-title h1")).to_have_text("Bike ride, Sunday")

    def allow_previews(self, isAllowed):
        self.server.new_door()
        switches = ["categorization", "smartReply", "faq", "sentiment", "opportunity"] + ["previews"] * isAllowed
        self.server.request("POST", "/settings/switches", {"form": self.server.token, **dict.fromkeys(switches, "1")})

    def test_a_link_has_a_preview_where_the_settings_allow_it(self):
        self.allow_previews(True)
        self.addCleanup(self.allow_previews, False)
        page = self.open()
        # The server fetches no page of this machine, so the browser gets its answer from the test.
        card = '<a class="link-preview" href="http://pier.invalid/"><b>Pier</b></a>'
        page.route("**/preview", lambda route: route.fulfill(content_type="text/html", body=card))
        self.enter(page, "Acme Audio")
        self.say(page, "See http://pier.invalid/ today")
        message = page.locator(".msg.mine:not(.waiting)", has_text="pier.invalid")
        expect(message.locator(".link-preview")).to_have_text("Pier")


class OfflineTest(BrowserTest):
    @in_firefox
    def test_the_inbox_is_read_and_written_without_a_connection(self):
        page = self.open(service_workers="allow")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        self.live(page)
        self.enter(page, "Acme Audio")
        page.reload()
        self.live(page)
        path = page.url
        page.context.set_offline(True)
        page.reload()
        expect(page.locator(".thread-title h1")).to_have_text("Acme Audio")
        self.say(page, "written on a train")
        expect(page.locator(".msg.waiting", has_text="written on a train")).to_be_visible()
        page.goto(self.server.url)
        expect(self.row(page, "Studio team")).to_be_visible()
        page.goto(path)
        expect(page.locator(".msg.waiting", has_text="written on a train")).to_be_visible()
        page.context.set_offline(False)
        expect(page.locator(".msg.mine:not(.waiting)", has_text="written on a train")).to_be_visible()


    @in_firefox
    def test_the_first_page_of_a_browser_is_there_without_a_connection(self):
        page = self.open(service_workers="allow")
        # The list and the scripts, which were loaded before there was a service worker.
        page.wait_for_function("""async () => {
            const kept = (await (await caches.open("sorted-pages-1")).keys()).map(({ url }) => new URL(url).pathname);
            return kept.includes("/") && kept.some((path) => path.endsWith("/thread.js")) && kept.some((path) => path.endsWith(".css"));
        }""")
        page.context.set_offline(True)
        page.reload()
        expect(self.row(page, "Acme Audio")).to_be_visible()
        expect(page.locator("body[data-live]")).to_be_attached()

    # Not in Firefox: Playwright's offline mode does not reach the service worker there, so that the page is not an old copy.
    def test_an_old_copy_of_a_page_gets_all_messages_when_the_connection_is_back(self):
        page, other = self.open(service_workers="allow"), self.open()
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        self.live(page)
        # The browser's copy is of a conversation without messages.
        self.begin(page, "zelda")
        for text in ["one", "two", "three"]:
            self.say(page, text)
        expect(page.locator(".msg.mine:not(.waiting)")).to_have_count(3)
        page.context.set_offline(True)
        page.reload()
        expect(page.locator(".msg")).to_have_count(0)
        self.say(page, "four")
        expect(page.locator(".msg.waiting")).to_have_count(1)
        page.context.set_offline(False)
        expect(page.locator(".msg:not(.waiting) .text")).to_have_text(["one", "two", "three", "four"])

    @in_firefox
    def test_what_is_pinned_deleted_and_reacted_to_offline_is_done_afterwards(self):
        page, other = self.open(service_workers="allow"), self.open()
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        self.live(page)
        self.enter(page, "Studio team")
        self.enter(other, "Studio team")
        page.reload()
        self.live(page)
        page.context.set_offline(True)
        for name, action in [("Acme Audio", "Pin"), ("Bike ride", "Delete"), ("John Doe", "Mute"), ("John Doe", "Mute")]:
            row = self.row(page, name)
            row.hover()
            row.get_by_role("button", name=action).click()
            expect(page.locator("#notice")).to_contain_text(
                "This is done when the server is back." if name != "John Doe" else re.compile("server is back|Taken back"))
        message = page.locator(".msg", has_text="grey card").first
        message.hover()
        message.locator(".menu summary").click()
        message.get_by_role("button", name="React with 👍").click()
        expect(page.locator(".row.changing")).to_have_count(2)
        expect(page.locator(".msg.changing")).to_have_count(1)
        # They are kept: a page that is loaded from the browser's copy marks them again.
        page.reload()
        expect(page.locator(".row.changing")).to_have_count(2)
        page.context.set_offline(False)
        expect(other.locator(".reaction")).to_have_text("👍 1")
        expect(self.row(other, "Bike ride")).to_have_count(0)
        expect(self.row(other, "Acme Audio").get_by_label("pinned")).to_be_visible()
        expect(self.row(other, "John Doe").get_by_label("muted")).to_have_count(0)
        expect(page.locator(".changing")).to_have_count(0)


@in_firefox
class TypingTest(BrowserTest):
    arguments = ("--sample", "--accounts")

    def test_others_see_that_somebody_writes(self):
        kim, lee = self.sign_up("kim"), self.sign_up("lee")
        self.begin(kim, "lee")
        self.say(kim, "Hello")
        self.enter(lee, "kim")
        lee.locator("#text").press_sequentially("I am")
        expect(kim.locator("#typing")).to_contain_text("lee is writing")
        lee.locator("#text").press("Enter")
        expect(kim.locator(".msg", has_text="I am")).to_be_visible()
        self.assertEqual(kim.locator("#typing").inner_text(), "")

    def test_others_see_that_somebody_is_here_until_they_leave(self):
        mia, ned = self.sign_up("mia"), self.sign_up("ned")
        self.begin(mia, "ned")
        self.say(mia, "Hello")
        expect(mia.locator("#presence")).to_have_text("")
        self.enter(ned, "mia")
        expect(mia.locator("#presence")).to_have_text("ned is here")
        expect(ned.locator("#presence")).to_have_text("mia is here")
        mia.locator(".people summary").click()
        expect(mia.locator(".members li", has_text="ned")).to_contain_text("here now")
        tab = ned.context.new_page()
        tab.goto(ned.url)
        self.live(tab)
        expect(tab.locator("#presence")).to_have_text("mia is here")
        ned.close()
        self.say(mia, "Are you there?")
        expect(tab.locator(".msg", has_text="Are you there?")).to_be_visible()
        expect(mia.locator("#presence")).to_have_text("ned is here")
        tab.close()
        expect(mia.locator("#presence")).to_have_text("")
        expect(mia.locator(".here-mark")).to_have_count(0)


class NotificationTest(BrowserTest):
    arguments = ("--sample", "--accounts")

    def test_a_hidden_tab_notifies_of_messages_in_all_conversations_but_muted_ones(self):
        ola, per = self.sign_up("ola"), self.sign_up("per")
        for name in ["First", "Second"]:
            per.goto(self.server.url)
            self.live(per)
            per.locator(".new summary").click()
            per.get_by_label("With").fill("ola")
            per.get_by_label("Name", exact=False).fill(name)
            with per.expect_navigation():
                per.get_by_role("button", name="Start").click()
            self.live(per)
            self.say(per, f"hello in {name}")
            expect(self.row(ola, f"hello in {name}")).to_be_visible()
        muted = self.row(ola, "First")
        muted.hover()
        muted.get_by_role("button", name="Mute").click()
        expect(muted.get_by_label("muted")).to_be_visible()
        ola.evaluate("""() => {
            window.notes = [];
            window.Notification = class { constructor(title, { body }) { notes.push(`${title}: ${body}`); } };
            Notification.permission = "granted";
            Object.defineProperty(document, "visibilityState", { value: "hidden" });
        }""")
        for name in ["First", "Second"]:
            per.goto(self.server.url)
            self.enter(per, name)
            self.say(per, f"news in {name}")
            expect(self.row(ola, f"news in {name}")).to_be_visible()
        self.assertEqual(ola.evaluate("notes"), ["Second: news in Second"])
