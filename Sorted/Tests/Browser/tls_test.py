"""The inbox over TLS: HTTP/2, a secure cookie, and many tabs that are all live."""
import subprocess
import tempfile

from support import BrowserTest, expect


class TLSTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sorted-browser-")
        cls.addClassCleanup(folder.cleanup)
        certificate, key = f"{folder.name}/certificate.pem", f"{folder.name}/key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=sorted", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        cls.arguments = ("--accounts", "--tls-certificate", certificate, "--tls-key", key)
        super().setUpClass()

    def open(self, path="/", **options):
        return super().open(path, ignore_https_errors=True, **options)

    def test_pages_come_over_http_2_and_the_cookie_is_secure(self):
        page = self.open("/settings")
        protocols = page.evaluate(
            "performance.getEntries().filter(entry => entry.nextHopProtocol).map(entry => entry.nextHopProtocol)")
        self.assertEqual(set(protocols), {"h2"})
        cookie = next(cookie for cookie in page.context.cookies() if "sorted-" in cookie["name"])
        self.assertTrue(cookie["secure"])
        self.assertEqual(cookie["name"], f"__Host-sorted-{self.server.port}")

    def test_a_message_reaches_eight_tabs_of_the_other_person(self):
        bob = self.sign_up("bob")
        ann = self.sign_up("ann")
        self.begin(ann, "bob")
        self.say(ann, "First")
        expect(self.row(bob, "First")).to_be_visible()
        self.enter(bob, "ann")
        address = bob.url
        tabs = [bob]
        for _ in range(7):
            tab = bob.context.new_page()
            tab.goto(address)
            tabs.append(tab)
        for tab in tabs:
            self.live(tab)
        self.say(ann, "To all of your tabs")
        for tab in tabs:
            expect(tab.locator(".msg", has_text="To all of your tabs")).to_be_visible()
