"""A server of its own for each class of tests, and a browser for all."""
import faulthandler
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import unittest

from playwright.sync_api import expect, sync_playwright

# The suite has a time limit: half an hour. No condition has one that a busy machine could miss.
faulthandler.dump_traceback_later(30 * 60, exit=True)
expect.set_options(timeout=300_000)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """`sorted serve` as a program, which can be killed and started again at the same port."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="sorted-browser-")
        self.port = free_port()
        self.arguments = [argument.format(folder=self.folder.name) for argument in arguments]
        self.store = pathlib.Path(self.folder.name, "inbox.store")
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def command(self, *arguments):
        return [os.environ["SORTED"], *arguments]

    def start(self):
        where = [] if {"--sample", "--store"} & set(self.arguments) else ["--store", str(self.store)]
        self.process = subprocess.Popen(
            self.command("serve", "--port", str(self.port), *where, *self.arguments),
            stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            found = re.search(r"http://\S+/\?token=\S+", line)
            if found:
                self.door = found.group(0)
                return
        raise AssertionError("sorted serve ended before it printed its address")

    def run(self, *arguments):
        """Another program on the same store."""
        return subprocess.run(
            self.command(*arguments, "--store", str(self.store)), check=True, capture_output=True, text=True).stdout

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def end(self):
        """As Ctrl-C does: it may finish what it is at, and waits for nobody who only listens."""
        self.process.terminate()
        self.process.wait(timeout=300)
        self.process.stdout.close()

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
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if "FIRE" not in self.process.stdout.readline():
            raise AssertionError("sorted firestore ended before it printed its address")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.kill()
        self.folder.cleanup()


class BrowserTest(unittest.TestCase):
    """One Chromium and one server for the class; a new profile for each test."""

    arguments = ("--sample",)

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.arguments)
        cls.playwright = sync_playwright().start()
        # Chromium refuses its sandbox to root, as in a container.
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        cls.chromium = cls.playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=flags)

    @classmethod
    def tearDownClass(cls):
        cls.chromium.close()
        cls.playwright.stop()
        cls.server.stop()

    def setUp(self):
        self.complaints = []

    def tearDown(self):
        self.assertEqual(self.complaints, [], "the page complained")

    def open(self, path="/", door=True, **options):
        """A page of a browser of its own, signed in, with live updates."""
        options.setdefault("viewport", {"width": 1280, "height": 800})
        context = self.chromium.new_context(**options)
        self.addCleanup(context.close)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self.listen)
        if door:
            page.goto(self.server.door)
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

    def row(self, page, name):
        return page.locator(".row", has_text=name)

    def enter(self, page, name):
        self.row(page, name).locator(".row-link").click()
        expect(page.locator(".thread-title h1")).to_have_text(name)
        self.live(page)
