"""A server that dies while somebody writes, and another program on the same store."""
import json

from support import BrowserTest, expect, in_firefox


class RecoveryTest(BrowserTest):
    arguments = ()

    def setUp(self):
        super().setUp()
        self.server.run("new", "--id", "room/1", "--to", "ann", "--name", "Room one")
        self.addCleanup(lambda: self.server.run("delete", "room/1"))

    def texts(self):
        page = json.loads(self.server.run("show", "room/1", "--json"))
        return [message["text"] for message in page["messages"]]

    @in_firefox
    def test_a_killed_server_loses_nothing_and_the_page_recovers(self):
        page = self.open()
        self.enter(page, "Room one")
        page.locator("#text").fill("Before")
        page.keyboard.press("Enter")
        expect(page.locator(".msg.mine:not(.waiting)", has_text="Before")).to_be_visible()
        self.server.kill()
        expect(page.locator("#offline")).to_be_visible()
        expect(page.locator("#offline")).to_have_text("You're offline. Changes will sync when online.")
        for text in ["While it was gone", "And more"]:
            page.locator("#text").fill(text)
            page.keyboard.press("Enter")
            expect(page.locator(".msg.waiting", has_text=text)).to_be_visible()
        page.locator("#text").fill("Not yet sent")
        self.server.start()
        expect(page.locator("#offline")).to_be_hidden()
        expect(page.locator(".msg.waiting")).to_have_count(0)
        self.assertEqual(self.texts(), ["Before", "While it was gone", "And more"])
        expect(page.locator("#text")).to_have_value("Not yet sent")

    def test_a_conversation_that_was_opened_next_to_the_list_has_what_came_since_without_the_server(self):
        self.server.run("new", "--id", "room/2", "--to", "ann", "--name", "Room two")
        self.addCleanup(lambda: self.server.run("delete", "room/2"))
        page = self.open(service_workers="allow")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        self.live(page)
        self.enter(page, "Room one")
        self.own_message(page, "after it was opened")
        path = page.evaluate("location.pathname")
        # Another conversation is on the page by the time at which the worker keeps it again.
        self.enter(page, "Room two")
        page.evaluate("""async (path) => {
            const has = async (name) => (await (await caches.match(name))?.text())?.includes("after it was opened");
            for (let turn = 0; turn < 300 && !(await has(path)) && !(await has(`${path}?part=pane`)); turn += 1)
                await new Promise((done) => setTimeout(done, 100));
        }""", path)
        self.server.kill()
        expect(page.locator("#offline")).to_be_visible()
        page.evaluate("""() => {
            window.claims = 0;
            const line = document.querySelector("#offline");
            new MutationObserver(() => { if (line.hidden) window.claims += 1; }).observe(line, { attributeFilter: ["hidden"] });
        }""")
        self.row(page, "Room one").locator(".row-link").click()
        expect(page.locator(".thread-title h1")).to_have_text("Room one")
        expect(page.locator(".msg.mine", has_text="after it was opened")).to_be_visible()
        # What the worker keeps is no sign of the server.
        self.assertEqual(page.evaluate("claims"), 0)
        # A page that it does not keep leads to the list, not to the browser's page of errors.
        page.get_by_role("link", name="Search").click()
        expect(page.locator("#notice")).to_have_text("The page cannot be loaded while the server is away.")
        expect(page.locator("#offline")).to_be_visible()
        self.assertEqual(page.url, f"{self.server.url}/")
        expect(self.row(page, "Room one")).to_be_visible()
        self.server.start()
        expect(page.locator("#offline")).to_be_hidden()

    def test_a_server_killed_again_and_again_while_somebody_writes(self):
        page = self.open()
        self.enter(page, "Room one")
        sent = []
        for number in range(12):
            sent.append(f"number {number}")
            page.locator("#text").fill(sent[-1])
            page.keyboard.press("Enter")
            if number % 3 == 1:
                self.server.kill()
            if number % 3 == 2:
                self.server.start()
        expect(page.locator(".msg.waiting")).to_have_count(0)
        expect(page.locator(".msg.mine")).to_have_count(len(sent))
        self.assertEqual(self.texts(), sent)

    def test_a_server_that_is_asked_to_end_does_so_while_browsers_look(self):
        page = self.open()
        self.enter(page, "Room one")
        self.server.end()
        expect(page.locator("#offline")).to_be_visible()
        self.server.start()
        expect(page.locator("#offline")).to_be_hidden()

    def test_what_another_program_writes_appears(self):
        page = self.open()
        self.enter(page, "Room one")
        self.server.run("send", "room/1", "From the command line")
        expect(page.locator(".msg", has_text="From the command line")).to_be_visible()
        self.server.run("pin", "room/1")
        expect(page.locator("#rows .day").first).to_have_text("Pinned")
