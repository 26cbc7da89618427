"""Takes the pictures of Sorted/Documentation/web.md from the sample inbox.

Usage: pictures.py FOLDER, with CHROMIUM and SORTED as scripts/browser sets them.
"""
import pathlib
import sys

from support import BrowserTest, expect

SIZES = {"wide": (1280, 800), "tablet": (820, 900), "phone": (390, 780)}


class Pictures(BrowserTest):
    def runTest(self):
        folder = pathlib.Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        first = self.open()
        self.enter(first, "Ines, harbour festival")
        self.say(first, "I asked the **port authority**: _yes_, until 22:00. See https://example.org/drones")
        message = first.locator(".msg.mine:not(.waiting)").last
        expect(message).to_contain_text("port authority")
        hit = first.locator(".msg", has_text="The schedule changed")
        hit.hover()
        hit.locator("a.reply").click()
        self.say(first, "The drone is on. Two batteries, one pilot.")
        hit.hover()
        hit.locator(".menu summary").click()
        hit.get_by_role("button", name="React with 👍").click()
        expect(hit.locator(".reaction")).to_be_visible()
        for name, (width, height) in SIZES.items():
            for scheme in ["light", "dark"]:
                page = self.open(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
                page.screenshot(path=folder / f"list-{name}-{scheme}.png")
                page.goto(first.url)
                self.live(page)
                page.screenshot(path=folder / f"thread-{name}-{scheme}.png")
                page.context.close()


if __name__ == "__main__":
    import unittest

    unittest.main(argv=["pictures"], defaultTest="Pictures")
