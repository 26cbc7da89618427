"""A random walk of three people in five tabs over a bad network: does each tab show at the end what a fresh page shows?

People write, attach, answer, edit, react, pin, delete, archive, open another conversation, go back, load again and lose their
network, and the server is killed. At the end the network is good. Then each tab must equal a page that is loaded afresh. Each
text that was written must be stored once, in the conversation that the page showed, as written or as edited later.

Usage: wander.py STEPS [SEED], with CHROMIUM and SORTED as scripts/browser sets them. It prints the steps if something differs.
"""
import json
import random
import re
import sys
import time
import unittest

from network import Network
from support import BrowserTest

STEPS = 40
SEED = 1
DELAY = 0.08
LOSS = 0.03
# In seconds, until the tabs have to be equal to fresh pages.
PATIENCE = 90
PEOPLE = {"nora": 2, "otto": 2, "pia": 1}

# What a person sees of a page, without what only this tab knows: where it is scrolled to, what is chosen, the hit of a search.
SEEN = """() => {
  const all = (element, selector) => [...element.querySelectorAll(selector)];
  const text = (element, selector) => all(element, selector).map((one) => one.textContent.trim()).join("|");
  const row = (element) => ({
    id: element.id, name: text(element, ".name"), preview: text(element, ".preview"), badge: text(element, ".badge"),
    unread: element.classList.contains("unread"), kinds: element.dataset.kinds,
    buttons: all(element, "button").map(({ value }) => value).join() });
  const message = (element) => ({
    id: element.id, text: text(element, ".bubble > .text"), quote: text(element, ".bubble > .quote"),
    meta: text(element, ".meta > span:not(.tick)"), tick: all(element, ".tick").map(({ ariaLabel }) => ariaLabel).join(),
    reactions: all(element, ".reaction").map((one) => one.textContent + one.ariaPressed).join(),
    files: text(element, ".file bdi"), isPinned: Boolean(element.querySelector(".meta .mark")),
    isDeleted: element.classList.contains("deleted"),
    menu: all(element, ".menu button, .menu a").map((one) => one.value || one.className).join() });
  return {
    rows: all(document, "#rows .row").map(row), messages: all(document, "#thread-scroll .msg").map(message),
    pins: text(document, ".pins .pin"), title: document.title, people: text(document, "#people"),
    isEmpty: document.querySelector("#no-messages")?.hidden === false, isOffline: !document.querySelector("#offline").hidden };
}"""

# Clicks one of the elements that a selector finds, and returns the text of its message, or its address.
CLICK = """([selector, number]) => {
  const found = [...document.querySelectorAll(selector)];
  if (!found.length) return null;
  const element = found[number % found.length];
  const text = element.closest(".msg")?.querySelector(".bubble > .text")?.textContent.trim() ?? element.getAttribute("href") ?? "";
  element.click();
  return text;
}"""

# Writes and sends at once, because another conversation may come in between. Returns where it was written.
SAY = """(text) => {
  const composer = document.querySelector("#composer");
  if (!composer) return null;
  composer.elements.text.value = text;
  composer.elements.text.dispatchEvent(new InputEvent("input", { bubbles: true }));
  const { action } = composer;
  composer.requestSubmit();
  return action;
}"""


class WanderTest(BrowserTest):
    arguments = ("--accounts",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(SEED)
        cls.networks = {
            name: Network(cls.server.port, DELAY, LOSS, SEED * 10 + number) for number, name in enumerate(PEOPLE)}

    def listen(self, message):
        """A broken network is what this is about; only what the script itself throws counts."""

    def runTest(self):
        self.written, self.steps, self.offline = {}, [], {}
        self.begin_conversations()
        self.tabs = [tab for name, count in PEOPLE.items() for tab in self.open_tabs(name, count)]
        for number in range(STEPS):
            tab = self.random.choice(self.tabs)
            action = self.random.choices(list(self.ACTIONS), weights=self.ACTIONS.values())[0]
            outcome = action(self, tab, number)
            self.steps.append(f"{number} {tab.who}{self.tabs.index(tab)} {action.__name__}: {outcome}")
            for name in [name for name, since in self.offline.items() if number - since > 6]:
                self.come_back(name)
            tab.wait_for_timeout(self.random.choice([0, 50, 200, 500]))
        for network in self.networks.values():
            network.loss, network.delay = 0, 0.01
        try:
            self.settle()
            self.check_stored()
        except AssertionError:
            print("\n".join(self.steps))
            raise
        cut = sum(network.cut for network in self.networks.values())
        print(f"seed {SEED}: {len(self.written)} messages, {cut} connections cut, every tab as a fresh page")

    def tearDown(self):
        # The browser says this of a page that is left before the script that would hear of it has come.
        self.complaints = [one for one in self.complaints if not one.startswith("Transition was aborted")]
        super().tearDown()

    # What is there before the walk, made over a good network.

    def begin_conversations(self):
        plain = self.server.url
        self.people = {name: self.sign_up(name, service_workers="allow") for name in PEOPLE}
        nora = self.people["nora"]
        self.begin(nora, "otto")
        self.paths = [nora.url.removeprefix(plain)]
        self.begin(nora, "otto pia")
        self.paths.append(nora.url.removeprefix(plain))
        self.cookies = {}
        for name, page in self.people.items():
            cookie = next(one for one in page.context.cookies() if one["name"].startswith("sorted-"))
            self.cookies[name] = f"{cookie['name']}={cookie['value']}"
            # The cookie's name has the port in it, and the proxy has another one.
            network = self.networks[name]
            page.context.add_cookies([{"name": f"sorted-{network.port}", "value": cookie["value"], "url": network.url}])
            page.goto("about:blank")

    def open_tabs(self, name, count):
        context = self.people[name].context
        tabs = [self.people[name]] + [context.new_page() for _ in range(count - 1)]
        for tab in tabs[1:]:
            tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        for tab in tabs:
            tab.who = name
            tab.set_default_timeout(4_000)
            self.load(tab, 0)
        return tabs

    # The actions. Each returns what it did.

    def write(self, tab, number):
        text = f"{tab.who} {number}"
        shown = self.evaluate(tab, SAY, text)
        if not shown or shown == "gone":
            return "no composer"
        self.written[text] = {"path": re.sub(r"^https?://[^/]+|/send$", "", shown), "texts": [text], "isDeleted": False}
        return text

    def attach(self, tab, number):
        if not tab.locator("#files").count():
            return "no composer"
        tab.locator("#files").set_input_files({
            "name": f"{tab.who}{number}.txt", "mimeType": "text/plain", "buffer": f"{number}".encode()})
        return self.write(tab, number)

    def edit(self, tab, number):
        old = self.click(tab, ".msg.mine:not(.waiting) a.edit")
        if not old:
            return old
        new = f"{old} edited {number}"
        for one in self.written.values():
            if old in one["texts"]:
                one["texts"].append(new)
        try:
            tab.wait_for_function("(text) => document.querySelector('#edit-text')?.value === text", arg=old)
            tab.locator("#edit-text").fill(new)
            tab.locator("#edit button.primary").click()
        except Exception as error:
            # The editor does not come over a network that is away.
            self.evaluate(tab, "() => document.querySelector('#edit a.button')?.click()")
            return f"{old}: {str(error).splitlines()[0]}"
        return new

    def answer(self, tab, _):
        return self.click(tab, ".msg:not(.waiting) a.reply")

    def react(self, tab, _):
        return self.click(tab, ".msg .emoji-row button, .msg .reaction")

    def pin_message(self, tab, _):
        return self.click(tab, ".msg button[name=pinned]")

    def delete(self, tab, _):
        text = self.click(tab, self.random.choice([".msg .delete-own", ".msg .delete-all"]))
        for one in self.written.values():
            one["isDeleted"] = one["isDeleted"] or text in one["texts"]
        return text

    def undo(self, tab, _):
        return self.click(tab, "#notice button")

    def set_row(self, tab, _):
        return self.click(tab, "#rows .row-actions button:not([data-key=Delete])")

    def open_thread(self, tab, _):
        return self.click(tab, "#rows .row-link")

    def go_back(self, tab, _):
        self.evaluate(tab, "() => history.back()")

    def load(self, tab, number):
        self.come_back(tab.who)
        path = "/" if number and self.random.random() < 0.2 else self.paths[1 if tab.who == "pia" else self.random.randrange(2)]
        self.patient(tab, path)
        return path

    def lose_network(self, tab, number):
        self.networks[tab.who].loss = 1
        self.offline[tab.who] = number

    def kill_server(self, _tab, _):
        self.server.kill()
        time.sleep(self.random.random())
        self.server.start()

    def wait(self, tab, _):
        tab.wait_for_timeout(1_200)

    ACTIONS = {
        write: 30, attach: 3, edit: 10, answer: 5, react: 12, pin_message: 6, delete: 5, undo: 2, set_row: 5, open_thread: 10,
        go_back: 3, load: 3, lose_network: 3, kill_server: 1, wait: 3}

    def come_back(self, name):
        self.networks[name].loss = LOSS
        self.offline.pop(name, None)

    def click(self, tab, selector):
        return self.evaluate(tab, CLICK, [selector, self.random.randrange(10_000)])

    def evaluate(self, tab, code, argument=None):
        """Nothing happens on a page that is going away."""
        try:
            if not tab.url.startswith("http"):
                self.patient(tab, self.paths[1])
            return tab.evaluate(code, argument)
        except Exception as error:
            if "context was destroyed" not in str(error) and "navigat" not in str(error):
                raise
            return "gone"

    def patient(self, tab, path):
        """Loads a page until the network lets it through, as people press reload."""
        for _ in range(40):
            try:
                tab.goto(self.networks[tab.who].url + path, timeout=20_000)
                tab.locator("body[data-live]").wait_for(timeout=8_000, state="attached")
                return
            except Exception as error:
                if not any(part in str(error) for part in ["Timeout", "ERR_", "interrupted"]):
                    raise
        raise AssertionError(f"{path} never loaded")

    # The end.

    def settle(self):
        """Waits until each tab shows what a fresh page shows."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.tabs[0].wait_for_timeout(1_000)
            differences = [one for tab in self.tabs for one in self.differences(tab)]
            if not differences:
                return
            if time.monotonic() > deadline:
                self.fail("\n".join(json.dumps(one, ensure_ascii=False) for one in differences))

    def differences(self, tab):
        fresh = tab.context.new_page()
        try:
            fresh.goto(tab.url.split("#")[0])
            fresh.locator("body[data-live=yes]").wait_for(state="attached", timeout=20_000)
            wanted, found = self.evaluate(fresh, SEEN), self.evaluate(tab, SEEN)
        finally:
            fresh.close()
        place = f"tab {self.tabs.index(tab)} of {tab.who}, {tab.url}"
        if "gone" in (wanted, found):
            return [(place, "is going away")]
        # A tab that is open for long has older messages too.
        count = min(len(wanted["messages"]), len(found["messages"]))
        for page in (wanted, found):
            page["messages"] = page["messages"][-count:] if count else []
        result = []
        for part, whole in wanted.items():
            if found[part] == whole:
                continue
            if isinstance(whole, list) and [one["id"] for one in found[part]] == [one["id"] for one in whole]:
                result += [
                    (place, part, mine["id"], {key: (mine[key], value) for key, value in one.items() if mine[key] != value})
                    for mine, one in zip(found[part], whole) if mine != one]
            else:
                result.append((place, part, found[part], whole))
        return result

    def check_stored(self):
        stored = []
        for path in self.paths:
            page = self.people["nora"].request.get(
                f"{self.server.url}{path}?from=0&part=1", headers={"Cookie": self.cookies["nora"]}).text()
            stored += [(path, text) for text in re.findall(r'class="text" dir="auto">([^<]*)<', page)]
        for text, one in self.written.items():
            found = [(path, other) for path, other in stored if other in one["texts"]]
            if not one["isDeleted"] or found:
                self.assertEqual([path for path, _ in found], [one["path"]], (text, one, found))


if __name__ == "__main__":
    STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else STEPS
    SEED = int(sys.argv[2]) if len(sys.argv) > 2 else SEED
    unittest.main(argv=["wander"], defaultTest="WanderTest")
