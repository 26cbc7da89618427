"""What the evening over a bad network showed (evening.py), each fault by itself."""
from network import Network
from support import BrowserTest, expect


class BadNetworkTest(BrowserTest):
    def listen(self, message):
        """Connections are cut on purpose; only what the script itself throws counts."""

    def enter_through(self, network, path="/"):
        """A page that is signed in and reaches the server through the network."""
        page = self.open(door=False, service_workers="allow")
        page.goto(self.server.new_door().replace(self.server.url, network.url))
        page.goto(network.url + path)
        self.live(page)
        return page

    def test_tabs_share_one_stream_which_another_tab_replaces_without_a_gap(self):
        network = Network(self.server.port, delay=0.15)
        page = self.enter_through(network)
        self.enter(page, "Acme Audio")
        address = page.url
        page.evaluate("""() => {
            window.breaks = 0;
            new MutationObserver(() => { if (!document.querySelector("#offline").hidden) window.breaks += 1; })
                .observe(document.querySelector("#offline"), { attributeFilter: ["hidden"] });
        }""")
        begin = len(network.streams)
        tabs = [page]
        for _ in range(3):
            tab = page.context.new_page()
            tab.goto(address)
            tabs.append(tab)
        for tab in tabs:
            self.live(tab)
        settled = len(network.streams)
        for number, tab in enumerate(tabs):
            self.say(tab, f"from tab {number}")
            for other in tabs:
                expect(other.locator(".msg:not(.waiting)", has_text=f"from tab {number}")).to_be_visible()
        # The old one and the new one at most, and never none.
        self.assertLessEqual(max(network.streams[begin - 1:]), 2, network.streams)
        self.assertGreaterEqual(min(network.streams[begin - 1:]), 1, network.streams)
        # Tabs that take turns would open streams all the time.
        self.assertLessEqual(len([count for count in network.streams[settled:] if count > 1]), 1, network.streams)
        self.assertEqual(page.evaluate("breaks"), 0)

    def test_a_page_that_is_cut_while_it_loads_has_its_composer(self):
        network = Network(self.server.port)
        page = self.enter_through(network)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.enter(page, "John Doe")
        page.reload()
        self.live(page)
        # The service worker has this page. From now on the answers end in the middle, as do the scripts'.
        network.limit = lambda path: 2_000 if path.startswith(("/c/", "/assets/")) else None
        page.reload()
        expect(page.locator("#text")).to_be_visible()
        self.assertGreater(network.cut, 0)
        self.live_or_offline(page)
        network.limit = lambda path: None
        self.say(page, "written on a page that was cut")
        expect(page.locator(".msg.mine:not(.waiting)", has_text="written on a page that was cut")).to_be_visible()

    def test_a_list_that_is_cut_while_it_loads_again_keeps_its_rows(self):
        network = Network(self.server.port)
        page = self.enter_through(network)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        self.live(page)
        other = self.open()
        self.enter(other, "Studio team")
        self.own_message(other, "newer than any kept list")
        preview = self.row(page, "Studio team").locator(".preview")
        expect(preview).to_contain_text("newer than any kept list")
        # Another conversation is another stream, and with it comes the list again. Its answers are cut.
        network.limit = lambda path: 0 if "part=list" in path else None
        self.row(page, "Acme Audio").locator(".row-link").click()
        expect(page.locator(".thread-title h1")).to_have_text("Acme Audio")
        # It is asked for again and again, and nothing old takes its place.
        while network.cut < 6:
            page.wait_for_timeout(100)
            self.assertIn("newer than any kept list", preview.text_content())
            self.assertEqual(page.evaluate("document.body.dataset.live"), "no")
        network.limit = lambda path: None
        self.live(page)
        expect(preview).to_contain_text("newer than any kept list")

    def live_or_offline(self, page):
        """The scripts run: they say whether the page is live."""
        expect(page.locator("body[data-live]")).to_be_attached()
