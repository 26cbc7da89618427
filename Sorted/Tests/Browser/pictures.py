"""Takes pictures of every screen at three sizes, light and dark, to look at one by one.

Usage: pictures.py FOLDER [part of a screen's name]…, with CHROMIUM and SORTED as scripts/browser sets them.
`list` and `thread` of `Documentation/images` are such pictures.
"""
import pathlib
import struct
import sys
import zlib

from support import BrowserTest, Server, expect

SIZES = {
    "wide": {"viewport": {"width": 1440, "height": 900}},
    "tablet": {"viewport": {"width": 834, "height": 1112}, "has_touch": True, "is_mobile": True},
    "phone": {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True},
}
FESTIVAL = "Ines, harbour festival"
WANTED = sys.argv[2:]


def photo(width, height, top, bottom):
    """A picture with a gradient and a hill, as PNG."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = bytearray()
    for y in range(height):
        share = y / height
        colour = bytes(round(a + (b - a) * share) for a, b in zip(top, bottom))
        dark = bytes(round(part * .55) for part in colour)
        # A hill whose foot is a parabola.
        half = max(0, round(width * .5 * max(0, share - .55) ** .5 * 1.5))
        left, right = max(0, width // 3 - half), min(width, width // 3 + half)
        rows += b"\0" + colour * left + dark * (right - left) + colour * (width - right)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b"")


PHOTOS = [
    ("pier.png", photo(900, 600, (250, 190, 120), (70, 90, 160))), ("boats.png", photo(600, 800, (120, 190, 240), (20, 70, 110))),
    ("stage.png", photo(800, 800, (90, 40, 120), (240, 120, 90))), ("crowd.png", photo(1000, 500, (40, 60, 80), (230, 190, 140))),
    ("crane.png", photo(700, 900, (200, 220, 240), (80, 120, 140))),
]


class Pictures(BrowserTest):
    def send_files(self, page, files, text=""):
        count = page.locator(".msg.mine:not(.waiting)").count()
        page.locator("#files").set_input_files([{"name": name, "mimeType": "image/png", "buffer": data} for name, data in files])
        page.locator("#text").fill(text)
        page.locator(".send").click()
        expect(page.locator(".msg.mine:not(.waiting)")).to_have_count(count + 1)

    def fill(self):
        """What the sample lacks: an answer, a reaction, an album, large emoji, a text of the other direction."""
        page = self.open()
        self.enter(page, FESTIVAL)
        self.say(page, "I asked the **port authority**: yes, until 22:00. See https://example.org/drones")
        expect(page.locator(".msg.mine:not(.waiting)", has_text="port authority")).to_be_visible()
        hit = page.locator(".msg:not(.mine)", has_text="The schedule changed")
        hit.hover()
        hit.locator("a.reply").click()
        self.own_message(page, "The drone is on. Two batteries, one pilot.")
        self.own_message(page, "Agreed?")
        hit.hover()
        hit.locator(".menu summary").click()
        hit.get_by_role("button", name="React with 👍").click()
        expect(hit.locator(".reaction")).to_be_visible()
        self.festival = page.url
        self.enter(page, "Studio team")
        self.send_files(page, PHOTOS[:1], "The pier, this morning")
        self.send_files(page, PHOTOS, "All of the location")
        self.own_message(page, "🎉")
        self.own_message(page, "נתראה ביום ראשון ב־10:00, ליד המזח")
        self.studio = page.url
        self.enter(page, "John Doe")
        self.john = page.url
        page.context.close()

    # Each screen: a function that gets the page of the list.

    def screen_list(self, page):
        pass

    def screen_thread(self, page):
        page.goto(self.festival)

    def screen_album(self, page):
        page.goto(self.studio)

    def screen_short(self, page):
        page.goto(self.john)

    def screen_viewer(self, page):
        page.goto(self.studio)
        self.live(page)
        page.locator("a.picture").nth(2).click()
        page.wait_for_function("() => document.querySelector('#gallery img')?.complete")

    def screen_message_menu(self, page):
        page.goto(self.festival)
        self.live(page)
        message = page.locator(".msg:not(.mine)").last
        message.locator(".text").click()
        message.locator(".menu summary").click()

    def screen_row_menu(self, page):
        page.locator(".row-link").nth(1).click(button="right")

    def screen_new(self, page):
        page.locator(".new summary").click()

    def screen_more_tabs(self, page):
        page.locator(".further summary").click()

    def screen_palette(self, page):
        page.keyboard.press("Control+k")
        expect(page.locator("#palette li").first).to_be_visible()

    def screen_keys(self, page):
        page.keyboard.press("?")

    def screen_emoji(self, page):
        page.goto(self.studio)
        self.live(page)
        if page.locator("#emoji").is_visible():
            page.locator("#emoji").click()

    def screen_people(self, page):
        page.goto(self.studio)
        self.live(page)
        page.locator(".people summary").click()

    def screen_offline(self, page):
        page.goto(self.festival)
        self.live(page)
        page.evaluate("document.querySelector('#offline').hidden = false")

    def screen_archived(self, page):
        page.goto(self.server.url + "/?filter=archived")

    def screen_none_urgent(self, page):
        page.goto(self.server.url + "/?category=fan")

    def screen_search(self, page):
        page.goto(self.server.url + "/search")

    def screen_found(self, page):
        page.goto(self.server.url + "/search?q=the")

    def screen_found_nothing(self, page):
        page.goto(self.server.url + "/search?q=zeppelin")

    def screen_answers(self, page):
        page.goto(self.server.url + "/answers")

    def screen_settings(self, page):
        page.goto(self.server.url + "/settings")

    def screen_bin(self, page):
        page.goto(self.server.url + "/bin")

    def screen_administration(self, page):
        page.goto(self.server.url + "/administration")

    def screen_person(self, page):
        page.goto(self.festival)
        self.live(page)
        page.locator(".people summary").click()
        page.locator(".members a").first.click()
        expect(page.locator("h1")).to_be_visible()

    def screen_missing(self, page):
        page.goto(self.server.url + "/nothing")

    def runTest(self):
        self.folder = pathlib.Path(sys.argv[1])
        self.folder.mkdir(parents=True, exist_ok=True)
        self.fill()
        names = [name.removeprefix("screen_") for name in dir(self) if name.startswith("screen_")]
        for size, scheme in [(size, scheme) for size in SIZES for scheme in ["light", "dark"]]:
            page = self.open(color_scheme=scheme, reduced_motion="reduce", **SIZES[size])
            for name in names:
                if WANTED and not any(part in f"{name}-{size}-{scheme}" for part in WANTED):
                    continue
                page.goto(self.server.url)
                self.live(page)
                getattr(self, f"screen_{name}")(page)
                self.take(page, f"{name}-{size}-{scheme}")
            page.context.close()
        self.doors()
        self.hebrew()

    def take(self, page, name):
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.screenshot(path=self.folder / f"{name}.png")

    def doors(self):
        """The pages of a person without an account, and an inbox without a conversation."""
        if WANTED and not any(part in "sign-in sign-up empty" for part in WANTED):
            return
        sample, self.server = self.server, Server("--accounts")
        self.addCleanup(self.server.stop)
        for size, options in SIZES.items():
            for scheme in ["light", "dark"]:
                page = self.open("/sign-in", door=False, color_scheme=scheme, **options)
                self.take(page, f"sign-in-{size}-{scheme}")
                page.goto(self.server.url + "/sign-up")
                self.take(page, f"sign-up-{size}-{scheme}")
                page.context.close()
                page = self.sign_up(f"{size}{scheme}", color_scheme=scheme, **options)
                self.take(page, f"empty-{size}-{scheme}")
                page.context.close()
        self.server = sample

    def hebrew(self):
        if WANTED and not any(part in "hebrew" for part in WANTED):
            return
        for size, options in SIZES.items():
            page = self.open(locale="he-IL", reduced_motion="reduce", **options)
            self.take(page, f"hebrew-list-{size}")
            page.goto(self.studio)
            self.live(page)
            self.take(page, f"hebrew-thread-{size}")
            page.context.close()


if __name__ == "__main__":
    import unittest

    unittest.main(argv=["pictures"], defaultTest="Pictures")
