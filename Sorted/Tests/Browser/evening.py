"""An evening of two people over a bad network: is every message there once, in order, as whoever wrote it?

A proxy delays everything by 150 ms each way and cuts one connection in twenty. Two accounts chat in six tabs, go offline and
reload in the middle. outbox_test.py covers the change of accounts at one browser.

Usage: evening.py ROUNDS [SEED], with CHROMIUM and SORTED as scripts/browser sets them.
"""
import collections
import random
import re
import sys
import unittest

from network import Network
from support import BrowserTest, expect

ROUNDS = 12
DELAY = 0.15
LOSS = 0.05


class EveningTest(BrowserTest):
    arguments = ("--sample", "--accounts")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
        cls.random = random.Random(seed)
        cls.network = Network(cls.server.port, DELAY, LOSS, seed)
        cls.plain_url, cls.server.url = cls.server.url, cls.network.url

    def listen(self, message):
        """A broken network is what this is about; only what the script itself throws counts."""

    def patient(self, page, path):
        """Loads a page until the network lets it through, as people press reload."""
        for _ in range(30):
            try:
                page.goto(self.server.url + path, timeout=20_000)
                # The composer is there, and the script has begun.
                page.locator("body[data-live] #text").wait_for(timeout=8_000)
                return
            except Exception as error:
                if "Timeout" not in str(error) and "ERR_" not in str(error):
                    raise
        raise AssertionError(f"{path} never loaded")

    def runTest(self):
        written = collections.defaultdict(list)
        people = {}
        # People sign up while the network is still good.
        good, self.server.url = self.server.url, self.plain_url
        for name in ["nora", "otto"]:
            people[name] = self.sign_up(name, service_workers="allow")
        self.begin(people["nora"], "otto")
        path = people["nora"].url.removeprefix(self.plain_url)
        cookies = {
            name: [cookie for cookie in page.context.cookies() if cookie["name"].startswith("sorted-")]
            for name, page in people.items()}
        self.server.url = good
        tabs = {}
        for name, page in people.items():
            context = page.context
            # The cookie's name has the port in it, and the proxy has another one.
            cookie = cookies[name][0]
            context.add_cookies([{
                "name": f"sorted-{self.network.port}", "value": cookie["value"], "url": self.server.url}])
            page.goto("about:blank")
            tabs[name] = [page] + [context.new_page() for _ in range(2)]
            for tab in tabs[name]:
                self.patient(tab, path)
        for number in range(ROUNDS):
            for name in ["nora", "otto"]:
                tab = self.random.choice(tabs[name])
                for part in range(self.random.randint(1, 3)):
                    text = f"{name} {number}.{part}"
                    self.say(tab, text)
                    written[name].append(text)
                kind = self.random.random()
                if kind < 0.15:
                    tab.context.set_offline(True)
                    self.say(tab, f"{name} {number} offline")
                    written[name].append(f"{name} {number} offline")
                    tab.wait_for_timeout(1_000)
                    tab.context.set_offline(False)
                elif kind < 0.3:
                    self.patient(tab, path)
            tabs["nora"][0].wait_for_timeout(300)
        for name, pages in tabs.items():
            for tab in pages:
                expect(tab.locator(".msg.waiting")).to_have_count(0)
        check = self.open(door=False)
        stored = self.stored(people, cookies, path)
        for name, texts in written.items():
            self.assertEqual([text for text in stored if text.startswith(name)], texts)
        print(f"{sum(map(len, written.values()))} messages, {self.network.cut} connections cut, none lost, none twice")
        check.close()

    def stored(self, people, cookies, path):
        """What the server has, in order, asked without the bad network."""
        cookie = cookies["nora"][0]
        answer = people["nora"].request.get(
            f"{self.plain_url}{path}?from=0&part=1", headers={"Cookie": f"{cookie['name']}={cookie['value']}"})
        return re.findall(r'class="text" dir="auto">([^<]*)<', answer.text())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROUNDS = int(sys.argv[1])
    unittest.main(argv=["evening"], defaultTest="EveningTest")
