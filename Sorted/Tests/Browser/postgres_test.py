"""The inbox in PostgreSQL, where scripts/postgres has started a server."""
import os
import unittest

from support import BrowserTest, expect


@unittest.skipUnless("POSTGRES_URL" in os.environ, "POSTGRES_URL is not set: run scripts/postgres scripts/browser")
class PostgresTest(BrowserTest):
    arguments = ("--store", os.environ.get("POSTGRES_URL", ""), "--files", "{folder}/files")

    def test_two_browsers_and_a_restart(self):
        first = self.open()
        first.locator(".new summary").click()
        first.get_by_label("With").fill("bob")
        first.get_by_label("Name").fill("On a server")
        with first.expect_navigation():
            first.get_by_role("button", name="Start").click()
        self.live(first)
        second = self.open()
        self.enter(second, "On a server")
        for text, source, target in [("From the one", first, second), ("From the other", second, first)]:
            source.locator("#text").fill(text)
            source.keyboard.press("Enter")
            expect(target.locator(".msg", has_text=text)).to_be_visible()
        first.locator("#text").press_sequentially("Half a thou")
        self.server.kill()
        expect(first.locator("#offline")).to_be_visible()
        first.locator("#text").fill("Half a thought")
        first.keyboard.press("Enter")
        self.server.start()
        expect(first.locator(".msg.waiting")).to_have_count(0)
        expect(second.locator(".msg", has_text="Half a thought")).to_be_visible()
        first.goto(self.server.url + "/search?q=half+a+thought")
        expect(first.locator("mark")).to_have_text("Half a thought")
        first.goto(self.server.url + "/administration")
        expect(first.get_by_text("On a database server")).to_be_visible()
        expect(first.get_by_role("button", name="Compact now")).to_have_count(0)
