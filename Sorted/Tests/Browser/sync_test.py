"""What the pages say of the sync: beside a server of its own that goes away, refuses and comes back."""
from support import BrowserTest, Firestore, expect


class SyncTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        cls.firestore = Firestore()
        cls.addClassCleanup(cls.firestore.stop)
        cls.arguments = ("--remote", cls.firestore.url, "--user", "ann")
        super().setUpClass()

    def begin(self, page, name):
        page.locator(".new summary").click()
        page.get_by_label("With").fill("bob")
        page.get_by_label("Name").fill(name)
        with page.expect_navigation():
            page.get_by_role("button", name="Start").click()
        self.live(page)

    def say(self, page, text):
        super().say(page, text)
        return page.locator(".msg.mine", has_text=text)

    def test_the_server_goes_away_and_comes_back(self):
        page = self.open()
        self.begin(page, "Going away")
        status = page.locator("#status")
        expect(self.say(page, "All is well").get_by_label("Sent", exact=True)).to_be_visible()
        expect(status).to_contain_text("Up to date")
        self.firestore.kill()
        waiting = self.say(page, "Nobody hears me")
        expect(status).to_contain_text("You're offline. Changes will sync when online.")
        expect(status).to_contain_text("1 message waits")
        expect(waiting.get_by_label("Waiting to be sent")).to_be_visible()
        self.firestore.start()
        status.get_by_role("button", name="Try again").click()
        expect(waiting.get_by_label("Sent", exact=True)).to_be_visible()
        expect(status).to_contain_text("Up to date")

    def test_a_message_that_is_refused_says_why_and_is_sent_again(self):
        page = self.open()
        self.begin(page, "Refused")
        expect(self.say(page, "First words").get_by_label("Sent", exact=True)).to_be_visible()
        self.firestore.kill()
        self.firestore.start(rules="conversations/*/messages/* anyone nobody\n** anyone anyone\n")
        refused = self.say(page, "Not allowed")
        expect(refused.locator(".failure")).to_contain_text("Not sent")
        expect(page.locator("#status")).to_contain_text("1 message was not sent")
        self.firestore.kill()
        self.firestore.start()
        refused.get_by_role("button", name="Retry").click()
        expect(refused.get_by_label("Sent", exact=True)).to_be_visible()
        expect(page.locator("#status")).to_contain_text("Up to date")
