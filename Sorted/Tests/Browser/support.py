"""A server of its own for each class of tests, and a browser for all."""
import html
import http.client
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest
import urllib.parse

from playwright.sync_api import expect, sync_playwright

# In milliseconds, for each condition and each action: more than a busy machine needs.
TIMEOUT = 120_000
expect.set_options(timeout=TIMEOUT)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Program(subprocess.Popen):
    """A program that ends at the latest with this process, however this process ends."""
    # `scripts/end-orphans`, whose input ends with this process.
    orphans = None

    def __init__(self, command):
        if Program.orphans is None:
            script = pathlib.Path(__file__).parents[3] / "scripts" / "end-orphans"
            Program.orphans = subprocess.Popen([script], stdin=subprocess.PIPE, text=True, start_new_session=True)
        super().__init__(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.tell("+")

    def tell(self, sign):
        Program.orphans.stdin.write(f"{sign} {self.pid}\n")
        Program.orphans.stdin.flush()

    def wait_for_end(self, timeout=None):
        self.wait(timeout)
        self.tell("-")
        self.stdout.close()


class Server:
    """`sorted serve` as a program, which can be killed and started again at the same port."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="sorted-browser-")
        self.port = free_port()
        self.arguments = [argument.format(folder=self.folder.name) for argument in arguments]
        self.store = pathlib.Path(self.folder.name, "inbox.store")
        self.encrypts = "--tls-certificate" in self.arguments
        self.url = f"{'https' if self.encrypts else 'http'}://127.0.0.1:{self.port}"
        self.start()

    def command(self, *arguments):
        return [os.environ["SORTED"], *arguments]

    session = None

    def request(self, method, path, fields=None):
        """Asks as a browser of its own that is signed in; the answer has its body and its cookie."""
        headers = {"Cookie": self.session or ""}
        body = urllib.parse.urlencode(fields) if fields is not None else None
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        if self.encrypts:
            # The certificates of tests sign themselves.
            trusting = ssl._create_unverified_context()
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=trusting)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        connection.close()
        return answer

    def new_door(self):
        """An address that signs one browser in: each works once."""
        if not self.session:
            answer = self.request("GET", self.door.removeprefix(self.url))
            self.session = answer.getheader("Set-Cookie").split(";")[0]
            self.token = re.search(r'name="form" value="([^"]+)"', self.request("GET", "/settings").text).group(1)
        page = self.request("POST", "/settings/door", {"form": self.token}).text
        return html.unescape(re.search(r'id="door" readonly value="([^"]+)"', page).group(1))

    def start(self):
        self.session = None
        where = [] if {"--sample", "--store"} & set(self.arguments) else ["--store", str(self.store)]
        self.process = Program(self.command("serve", "--port", str(self.port), *where, *self.arguments))
        for line in self.process.stdout:
            found = re.search(r"https?://\S+/\?token=\S+", line)
            if found:
                self.door = found.group(0)
                return
        raise AssertionError("sorted serve ended before it printed its address")

    def run(self, *arguments, lines=None):
        """Another program on the same store."""
        return subprocess.run(
            self.command(*arguments, "--store", str(self.store)), check=True, capture_output=True, text=True,
            input=lines).stdout

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait_for_end()

    def end(self):
        """As Ctrl-C does: it may finish what it is at, and waits for nobody who only listens."""
        self.process.terminate()
        self.process.wait_for_end(timeout=300)

    def stop(self):
        self.end()
        self.folder.cleanup()


class Firestore:
    """`sorted firestore` as a program, which can be killed and started again at the same port with other rules."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sorted-browser-")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self, rules=""):
        command = [os.environ["SORTED"], "firestore", "--port", str(self.port), "--store", f"{self.folder.name}/documents"]
        if rules:
            path = pathlib.Path(self.folder.name, "rules")
            path.write_text(rules)
            command += ["--rules", str(path)]
        self.process = Program(command)
        if "FIRE" not in self.process.stdout.readline():
            raise AssertionError("sorted firestore ended before it printed its address")

    def kill(self):
        self.process.kill()
        self.process.wait_for_end()

    def stop(self):
        self.kill()
        self.folder.cleanup()


# `chromium`, or `firefox`, which Playwright drives by WebDriver BiDi.
BROWSER = os.environ.get("BROWSER", "chromium")


def in_firefox(test):
    """Marks a test, or a class of tests, that runs in Firefox too."""
    test.in_firefox = True
    return test


def smoke(test):
    """Marks a test of the smoke test: what `make test` tries in one browser. `make test-all` runs every test."""
    test.smoke = True
    return test


class BrowserTest(unittest.TestCase):
    """One browser and one server for the class; a new profile for each test."""

    arguments = ("--sample",)
    # Of Chromium.
    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.arguments)
        cls.addClassCleanup(cls.server.stop)
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = cls.launch()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def launch(cls):
        if BROWSER == "firefox":
            return cls.playwright.firefox.launch(
                channel="moz-firefox", executable_path=os.environ["FIREFOX"], timeout=TIMEOUT)
        # Chromium refuses its sandbox to root, as in a container.
        flags = [*cls.flags, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        return cls.playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=flags, timeout=TIMEOUT)

    def setUp(self):
        self.complaints = []

    def tearDown(self):
        self.assertEqual(self.complaints, [], "the page complained")

    def open(self, path="/", door=True, **options):
        """A page of a browser of its own, signed in, with live updates."""
        options.setdefault("viewport", {"width": 1280, "height": 800})
        # Requests that a service worker makes pass by the routes of a test.
        options.setdefault("service_workers", "block")
        context = self.browser.new_context(**options)
        context.set_default_timeout(TIMEOUT)
        self.addCleanup(context.close)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self.listen)
        if door:
            page.goto(self.server.new_door())
            if path != "/":
                page.goto(self.server.url + path)
            if options.get("java_script_enabled", True):
                self.live(page)
        else:
            page.goto(self.server.url + path)
        return page

    def listen(self, message):
        # A server that is killed in a test is a connection that fails.
        if message.type == "error" and "ERR_" not in message.text and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def live(self, page):
        expect(page.locator("body[data-live=yes]")).to_be_attached()

    def edges(self, page, selector, text="", last=False):
        """Where the element is that a selector and a text name. It is one evaluation, because a live event may replace the element
        between two."""
        return page.evaluate(
            """([selector, text, last]) => {
                const has = (element) => element.textContent.includes(text);
                const found = [...document.querySelectorAll(selector)].filter(has);
                const {top, left, right, bottom} = found.at(last ? -1 : 0).getBoundingClientRect();
                return {top, left, right, bottom};
            }""", [selector, text, last])

    def sign_up(self, name, path="/sign-up", **options):
        """A page of somebody with a new account."""
        page = self.open(path, door=False, **options)
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(f"correct horse {name}")
        # Firefox may show the next page before Playwright knows of the navigation, which then interrupts the test's next `goto`.
        with page.expect_navigation():
            page.get_by_role("button", name="Create an account").click()
        self.live(page)
        return page

    def begin(self, page, people, invites=False, name=""):
        """Begins a conversation. Names that no account has are asked about before they are invited."""
        page.locator(".new summary").click()
        page.locator(".new [name=people]").fill(people)
        page.locator(".new [name=name]").fill(name)
        # The script sends the form and then opens the page.
        with page.expect_navigation():
            page.get_by_role("button", name="Start").click()
            if invites:
                page.get_by_role("button", name=re.compile("^Invite ")).click()
        self.live(page)

    def say(self, page, text):
        """Writes a message and sends it; nothing is awaited."""
        page.locator("#text").fill(text)
        page.locator("#text").press("Enter")

    def own_message(self, page, text):
        """Writes a message and waits until the server has it."""
        self.say(page, text)
        message = page.locator(".msg.mine:not(.waiting)", has_text=text)
        expect(message).to_be_visible()
        return message

    def menu(self, message, name):
        """Chooses a command of a message's menu."""
        message.hover()
        message.locator(".menu summary").click()
        message.get_by_role("button", name=name).click()

    def forward_to(self, page, name):
        """Confirms what goes to whom in the palette."""
        page.locator("#palette").get_by_role("button", name=f"Forward to {name}").click()

    def lose_first_answer(self, page, pattern):
        """The server gets the first request of an address, and its answer is lost."""
        lost = []

        def lose(route):
            if lost:
                return route.continue_()
            lost.append(route.fetch())
            route.abort()

        page.route(pattern, lose)

    def row(self, page, name):
        return page.locator(".row", has_text=name)

    def enter(self, page, name):
        self.row(page, name).locator(".row-link").click()
        expect(page.locator(".thread-title h1")).to_have_text(name)
        self.live(page)
