"""What is done while the server is away shows at once, and a browser without a database sends all the same."""
import re

from support import BrowserTest, expect, in_firefox


class OfflineTest(BrowserTest):
    @in_firefox
    def test_what_is_done_offline_shows_at_once_and_can_be_undone(self):
        page = self.open()
        self.enter(page, "Studio team")
        page.context.set_offline(True)
        self.say(page, "from the tunnel")
        expect(self.row(page, "Studio team").locator(".preview")).to_have_text("You: from the tunnel")
        for name, action in [("Acme Audio", "Pin"), ("Bike ride", "Archive")]:
            row = self.row(page, name)
            row.hover()
            row.get_by_role("button", name=action).click()
            expect(page.locator("#notice")).to_contain_text("This is done when the server is back.")
        expect(self.row(page, "Acme Audio").get_by_label("pinned")).to_be_visible()
        expect(self.row(page, "Bike ride")).to_be_hidden()
        page.locator("#notice").get_by_role("button", name="Undo").click()
        expect(self.row(page, "Bike ride")).to_be_visible()
        row = self.row(page, "Bike ride")
        row.hover()
        row.get_by_role("button", name="Archive").click()
        expect(row).to_be_hidden()
        message = page.locator(".msg:not(.mine)", has_text="grey card").first
        self.menu(message, "React with 👍")
        expect(message.locator(".reaction.own")).to_contain_text("👍")
        gone = page.locator(".msg:not(.waiting)", has_not_text="grey card").first
        gone = page.locator(".msg", has_text=gone.locator(".text").inner_text())
        self.menu(gone, "Delete for me")
        expect(gone).to_be_hidden()
        page.context.set_offline(False)
        expect(page.locator(".msg.mine:not(.waiting)", has_text="from the tunnel")).to_be_visible()
        expect(page.locator(".changing")).to_have_count(0)
        expect(self.row(page, "Bike ride")).to_have_count(0)
        expect(gone).to_have_count(0)
        # The page shows what a fresh one shows.
        for _ in range(2):
            expect(self.row(page, "Acme Audio").get_by_label("pinned")).to_be_visible()
            expect(self.row(page, "Studio team").locator(".preview")).to_have_text("You: from the tunnel")
            expect(message.locator(".reaction.own")).to_contain_text("👍 1")
            page.reload()
            self.live(page)

    def test_what_came_while_a_page_was_open_is_there_without_the_server(self):
        page = self.open(service_workers="allow")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.enter(page, "John Doe")
        page.reload()
        self.live(page)
        self.own_message(page, "after the page was loaded")
        # The worker keeps the page again soon.
        page.evaluate("""async () => {
            const kept = async () => (await (await caches.match(location.pathname))?.text()) ?? "";
            for (let turn = 0; turn < 300 && !(await kept()).includes("after the page was loaded"); turn += 1)
                await new Promise((done) => setTimeout(done, 100));
        }""")
        page.context.set_offline(True)
        page.reload()
        expect(page.locator(".msg.mine", has_text="after the page was loaded")).to_be_visible()

    def test_the_files_of_a_message_that_waits_are_in_the_order_of_the_message(self):
        page = self.open()
        self.enter(page, "John Doe")
        page.context.set_offline(True)
        names = ["first.txt", "second.txt", "third.txt"]
        page.locator("#files").set_input_files(
            [{"name": name, "mimeType": "text/plain", "buffer": name.encode()} for name in names])
        self.say(page, "three files")
        expect(page.locator(".msg.waiting .file")).to_have_text(names)
        # Who wrote comes before what was written.
        expect(page.locator(".msg.waiting .bubble > *").first).to_have_class(re.compile("author"))
        page.context.set_offline(False)
        expect(page.locator(".msg.mine:not(.waiting)", has_text="three files").locator(".file bdi")).to_have_text(names)

    def test_a_message_on_its_way_is_no_draft(self):
        page = self.open()
        self.enter(page, "John Doe")
        page.locator("#text").fill("soon on its way")
        expect(self.row(page, "John Doe").locator(".draft")).to_be_visible()
        held = []
        page.route("**/send", lambda route: held.append(route))
        page.locator("#text").press("Enter")
        expect(self.row(page, "John Doe").locator(".preview")).to_have_text("You: soon on its way")
        expect(self.row(page, "John Doe").locator(".draft")).to_have_count(0)
        # What is held goes on now.
        page.unroute("**/send")
        expect(page.locator(".msg.mine:not(.waiting)", has_text="soon on its way")).to_be_visible()

    def test_a_browser_that_keeps_nothing_sends_all_the_same(self):
        page = self.open()
        page.add_init_script(
            "Object.defineProperty(IDBFactory.prototype, 'open', { value() { throw new DOMException('no', 'SecurityError'); } })")
        page.reload()
        self.live(page)
        self.enter(page, "Acme Audio")
        self.own_message(page, "without a database")
        expect(page.locator(".notice")).to_have_count(0)

    def test_the_way_the_server_stands_is_not_shown_while_it_is_away(self):
        page = self.open()
        expect(page.locator("#status")).to_be_visible()
        page.context.set_offline(True)
        expect(page.locator("#offline")).to_be_visible()
        expect(page.locator("#status")).to_be_hidden()
        page.context.set_offline(False)
        expect(page.locator("#status")).to_be_visible()

    def test_a_draft_that_another_browser_sent_goes(self):
        page, other = self.open(), self.open()
        self.enter(page, "Acme Audio")
        page.locator("#text").press_sequentially("half a")
        expect(self.row(other, "Acme Audio").locator(".preview")).to_contain_text("half a")
        self.enter(other, "Acme Audio")
        expect(other.locator("#text")).to_have_value("half a")
        self.own_message(other, "half a thought")
        expect(page.locator(".msg.mine", has_text="half a thought")).to_be_visible()
        expect(page.locator("#text")).to_have_value("")
