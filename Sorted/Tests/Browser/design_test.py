"""The boxes of the key components have the sizes that Documentation/design.md says."""
import pathlib
import re
import struct
import zlib

from support import BrowserTest, expect, smoke

PAGE = pathlib.Path(__file__).parents[2] / "Documentation" / "design.md"


def numbers():
    """The table of boxes: by name, for a desktop and for a phone."""
    table = {}
    for line in PAGE.read_text().split("## Boxes")[1].split("## The list")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and re.fullmatch(r"[\d–]+", cells[1]):
            table[cells[0]] = tuple(None if cell == "–" else int(cell) for cell in cells[1:])
    return table


def png(width, height):
    """A picture of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x99" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def contrast(one, other):
    """The contrast of two colours as WCAG defines it."""
    def luminance(colour):
        parts = [part / 255 for part in colour]
        red, green, blue = [part / 12.92 if part <= .04045 else ((part + .055) / 1.055) ** 2.4 for part in parts]
        return .2126 * red + .7152 * green + .0722 * blue
    least, most = sorted([luminance(one), luminance(other)])
    return (most + .05) / (least + .05)


class DesignTest(BrowserTest):
    def sizes(self):
        table = numbers()
        for index, options in enumerate([
            {"viewport": {"width": 1280, "height": 800}},
            {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True},
        ]):
            yield {name: pair[index] for name, pair in table.items()}, options

    def attach(self, page, sizes, text=""):
        """Sends pictures of some sizes in one message, and waits until they are there."""
        count = page.locator(".msg.mine:not(.waiting) .picture img").count()
        page.locator("#files").set_input_files([
            {"name": f"{width}x{height}.png", "mimeType": "image/png", "buffer": png(width, height)} for width, height in sizes])
        page.locator("#text").fill(text)
        page.locator(".send").click()
        expect(page.locator(".msg.mine:not(.waiting) .picture img")).to_have_count(count + len(sizes))

    def box(self, page, selector):
        return page.evaluate("""(selector) => {
            const {left, top, right, bottom, width, height} = document.querySelector(selector).getBoundingClientRect();
            return {left, top, right, bottom, width, height};
        }""", selector)

    @smoke
    def test_the_list(self):
        for design, options in self.sizes():
            page = self.open(**options)
            self.assertLessEqual(self.box(page, "#rows .row-link")["top"], design["top of the first conversation, at most"])
            self.assertEqual(self.box(page, ".list-tabs")["height"], design["height of the row of tabs"])
            # The text of a tab begins behind its padding.
            lefts = page.evaluate("""() => {
                const text = (element) => {
                    const range = document.createRange();
                    range.selectNodeContents(element);
                    return range.getBoundingClientRect().left;
                };
                return [text(document.querySelector("#list-title")), text(document.querySelector(".list-tabs a")),
                    document.querySelector("#rows .avatar").getBoundingClientRect().left];
            }""")
            inset = design["left of the heading, the first tab's text, the avatars of the list"]
            for left in lefts:
                self.assertAlmostEqual(left, inset, delta=1, msg=str(lefts))
            wide = page.evaluate("document.querySelector('.list-tabs').scrollWidth - document.querySelector('.list-tabs').clientWidth")
            self.assertLessEqual(wide, 0)
            least = design["side of what a finger presses in a row, at least"]
            if least:
                more = self.box(page, "#rows .row-more")
                self.assertGreaterEqual(min(more["width"], more["height"]), least)
            bar = design["height of the bar of sections at the bottom"]
            if bar:
                nav = self.box(page, ".bar nav")
                self.assertEqual((nav["height"], nav["bottom"], nav["left"], nav["width"]), (bar, 780, 0, 390))
                for name in ["Inbox", "Search", "Answers", "Settings"]:
                    label = page.locator(".bar nav span", has_text=name).bounding_box()
                    self.assertGreater(label["width"], 20)
                # Nothing stands above the heading of the list.
                self.assertLess(self.box(page, "#list-title")["top"], 24)
            page.context.close()

    def test_the_bubbles(self):
        for design, options in self.sizes():
            page = self.open(**options)
            self.enter(page, "John Doe")
            for text in ["ok", "yes", "👍"]:
                page.locator("#text").fill(text)
                page.locator(".send").click()
                expect(page.locator(".msg.mine:not(.waiting)", has_text=text).last).to_be_visible()
            boxes = page.evaluate("""() => [...document.querySelectorAll(".msg.mine")].slice(-3).map((message) => {
                const box = (selector) => message.querySelector(selector).getBoundingClientRect();
                const [bubble, text, meta] = [box(".bubble"), box(".text"), box(".meta")];
                return {height: bubble.height, top: bubble.top, bottom: bubble.bottom, textBottom: text.bottom, metaTop: meta.top,
                    font: parseFloat(getComputedStyle(message.querySelector(".text")).fontSize), end: bubble.right - meta.right};
            })""")
            ok, yes, emoji = boxes
            self.assertLessEqual(yes["height"], design["height of a bubble with one line, at most"])
            # The time is in the line of the text.
            self.assertLess(yes["metaTop"], yes["textBottom"] - 8)
            self.assertAlmostEqual(yes["top"] - ok["bottom"], design["space between messages of a group"], delta=.6)
            self.assertGreater(emoji["font"], 30)
            gap = page.evaluate("""() => {
                const all = [...document.querySelectorAll("#messages > .msg")];
                const first = all.findLast((message, index) => index && !message.classList.contains("grouped")
                    && all[index - 1].nextElementSibling === message);
                return first.querySelector(".bubble").getBoundingClientRect().top
                    - all[all.indexOf(first) - 1].querySelector(".bubble").getBoundingClientRect().bottom;
            }""")
            self.assertAlmostEqual(gap, design["space between groups"], delta=.6)
            page.context.close()

    def test_a_time_never_lies_on_its_text(self):
        page = self.open()
        self.enter(page, "Ines, harbour festival")
        texts = ["word " * count for count in range(1, 40, 3)] + ["שלום לכולם", "`code`", "> quoted", "a\n```\nb\n```"]
        for text in texts:
            self.say(page, text.strip())
        expect(page.locator(".msg.waiting")).to_have_count(0)
        over = page.evaluate("""() => [...document.querySelectorAll(".msg:not(.long)")].flatMap((message) => {
            const [text, time] = [message.querySelector(".bubble > .text"), message.querySelector(".meta")];
            if (!text || !time) return [];
            const range = document.createRange();
            range.selectNodeContents(text);
            const box = time.getBoundingClientRect();
            const hits = [...range.getClientRects()].some((one) => one.width && one.right > box.left + 1 && one.left < box.right - 1
                && one.bottom > box.top + 2 && one.top < box.bottom - 2);
            return hits ? [text.textContent] : [];
        })""")
        self.assertEqual(over, [])

    def test_pictures_keep_their_ratio_and_their_place(self):
        for design, options in self.sizes():
            page = self.open(**options)
            self.enter(page, "Ines, harbour festival")
            longest = design["longest side of a picture, at most"]
            for width, height in [(1200, 400), (300, 900), (64, 48)]:
                self.attach(page, [(width, height)])
                image = page.locator(".msg.mine:not(.waiting) .picture img").last
                page.wait_for_function("() => [...document.querySelectorAll('.picture img')].at(-1).complete")
                box = image.bounding_box()
                self.assertAlmostEqual(box["width"] / box["height"], width / height, delta=.05 * width / height)
                self.assertLessEqual(max(box["width"], box["height"]), longest + .5)
                # A small picture is not made larger.
                self.assertLessEqual(box["width"], width + .5)
                # The page knows the size before the picture is there.
                self.assertEqual(image.evaluate("image => image.width && image.getAttribute('width') / image.getAttribute('height') > 1"), width > height)
            page.context.close()

    def test_a_long_text_is_folded_until_one_asks_for_it(self):
        for turn, (design, options) in enumerate(self.sizes()):
            page = self.open(**options)
            self.enter(page, "Ines, harbour festival")
            page.locator("#text").fill("\n".join(f"line {number} of many in turn {turn}" for number in range(60)))
            page.locator(".send").click()
            message = page.locator(".msg.long.mine", has_text=f"turn {turn}")
            expect(message.locator(".unfold")).to_have_text("Show all")
            self.assertLessEqual(message.bounding_box()["height"], design["height of a folded text, at most"])
            message.locator(".unfold").click()
            self.assertGreater(message.bounding_box()["height"], 1_000)
            # A live event leaves it as it is.
            slug = message.get_attribute("id")
            message.evaluate("message => message.querySelector('.emoji-row button').click()")
            expect(message.locator(".reaction")).to_be_visible()
            page.wait_for_function("(id) => document.getElementById(id).getBoundingClientRect().height > 1000", arg=slug)
            message.locator(".unfold").click()
            self.assertLessEqual(message.bounding_box()["height"], design["height of a folded text, at most"] + 40)
            page.context.close()

    def test_a_short_thread_stands_above_the_composer(self):
        for design, options in self.sizes():
            page = self.open(**options)
            self.enter(page, "Acme Audio")
            gap = self.box(page, "#composer")["top"] - self.edges(page, ".msg", last=True)["bottom"]
            self.assertLessEqual(gap, design["space between the last message and the composer, at most"])
            self.assertGreaterEqual(gap, 0)
            page.context.close()

    def test_several_pictures_are_a_grid_without_a_frame(self):
        for design, options in self.sizes():
            page = self.open(**options)
            self.enter(page, "Bike ride, Sunday")
            # How many of each row, for two pictures to seven.
            for count, rows in [(2, [2]), (3, [1, 2]), (4, [2, 2]), (5, [2, 3]), (6, [3, 3]), (7, [1, 3, 3])]:
                self.attach(page, [(120 + 10 * number, 90) for number in range(count)])
                boxes = page.evaluate("""() => [...[...document.querySelectorAll(".album")].at(-1).querySelectorAll(".picture")].map((picture) => {
                    const {left, right, top, bottom} = picture.getBoundingClientRect();
                    return {left, right, top, bottom};
                })""")
                found = [sum(1 for box in boxes if abs(box["top"] - top) < 1) for top in sorted({round(box["top"]) for box in boxes})]
                self.assertEqual(found, rows, count)
                self.assertAlmostEqual(boxes[-1]["left"] - boxes[-2]["right"], design["space between pictures of an album"], delta=.6)
                lefts, rights = [box["left"] for box in boxes], [box["right"] for box in boxes]
                self.assertLessEqual(max(rights) - min(lefts), design["longest side of a picture, at most"] + .5)
                bubble = page.evaluate("[...document.querySelectorAll('.album')].at(-1).parentElement.getBoundingClientRect().width")
                self.assertLessEqual(bubble - (max(rights) - min(lefts)), 8)
            page.context.close()

    def test_the_card_of_a_file_stands_out_from_both_kinds_of_bubbles(self):
        page = self.open()
        self.enter(page, "Acme Audio")
        page.locator("#files").set_input_files({"name": "terms.txt", "mimeType": "text/plain", "buffer": b"terms"})
        page.locator(".send").click()
        file = page.locator(".msg:not(.waiting) .file")
        expect(file).to_have_count(1)
        for theme in ["light", "dark", "contrast"]:
            for isMine in [True, False]:
                bubble, card, border = file.evaluate("""(file, [theme, isMine]) => {
                    document.documentElement.dataset.theme = theme;
                    file.closest(".msg").classList.toggle("mine", isMine);
                    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
                    const paint = (...colors) => {
                        for (const color of colors) {
                            canvas.fillStyle = color;
                            canvas.fillRect(0, 0, 1, 1);
                        }
                        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
                    };
                    const {backgroundColor, borderTopColor, borderTopWidth} = getComputedStyle(file);
                    const bubble = getComputedStyle(file.closest(".bubble")).backgroundColor;
                    return [paint(bubble), paint(backgroundColor), paint(backgroundColor, parseFloat(borderTopWidth) ? borderTopColor : backgroundColor)];
                }""", [theme, isMine])
                # WCAG asks for 3 to 1 where a border says what belongs together.
                self.assertGreaterEqual(max(contrast(bubble, border), contrast(card, border)), 3, f"{theme}, {isMine}")

    def test_a_picture_is_looked_at_on_the_whole_dark_screen(self):
        for _, options in self.sizes():
            page = self.open(color_scheme="light", **options)
            self.enter(page, "John Doe")
            self.attach(page, [(900, 600), (300, 900)])
            pictures = page.locator(".msg.mine .picture")
            pictures.nth(-2).click()
            gallery = page.locator("#gallery")
            expect(gallery.locator("bdi")).to_have_text("900x600.png")
            box, size = self.box(page, "#gallery"), options["viewport"]
            self.assertEqual((box["left"], box["top"], box["width"], box["height"]), (0, 0, size["width"], size["height"]))
            dark = page.evaluate("getComputedStyle(document.querySelector('#gallery').closest('.shade')).backgroundColor")
            self.assertEqual(dark, "rgb(11, 12, 17)")
            page.keyboard.press("ArrowRight")
            expect(gallery.locator("bdi")).to_have_text("300x900.png")
            image = gallery.locator("img")
            page.wait_for_function("() => document.querySelector('#gallery img').complete")
            # All of it is in view, in its ratio.
            inside = image.bounding_box()
            self.assertAlmostEqual(inside["width"] / inside["height"], 1 / 3, delta=.02)
            self.assertLessEqual(inside["y"] + inside["height"], size["height"] + .5)
            expect(gallery.get_by_role("button", name="Close")).to_be_visible()
            page.go_back()
            expect(gallery).to_be_hidden()
            expect(page.locator(".thread-title h1")).to_have_text("John Doe")
            # The picture that was seen last has the focus.
            expect(pictures.last).to_be_focused()
            page.context.close()

    def test_nothing_is_cut_on_a_screen_of_320_points(self):
        page = self.open(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
        for path in ["/", "/search?q=the", "/answers", "/settings", "/bin", "/administration", "/nothing"]:
            page.goto(self.server.url + path)
            wide = page.evaluate("[...document.querySelectorAll('html, main, .scroll, .list-tabs, .bar nav')].filter((one) => one.scrollWidth > one.clientWidth)"
                                 ".map((one) => one.className || one.tagName)")
            self.assertEqual(wide, [], path)
        page.goto(self.server.url)
        self.enter(page, "Ines, harbour festival")
        send = page.locator(".send").bounding_box()
        self.assertLessEqual(send["x"] + send["width"], 320)
        self.assertLessEqual(send["y"] + send["height"], 640)
        self.assertLess(send["y"] - page.locator("#text").bounding_box()["y"], 20)

    def test_what_is_chosen_and_sent_is_seen_in_the_persons_own_colours(self):
        page = self.open(forced_colors="active")
        self.enter(page, "John Doe")
        self.own_message(page, "seen")
        outline = page.evaluate("getComputedStyle(document.querySelector('.row-link[aria-current]')).outlineStyle")
        self.assertEqual(outline, "solid")
        tick = page.evaluate("""() => {
            const [tick, bubble] = [[...document.querySelectorAll(".mine .tick")].at(-1), [...document.querySelectorAll(".mine .bubble")].at(-1)];
            return [getComputedStyle(tick).backgroundColor, getComputedStyle(bubble).backgroundColor];
        }""")
        self.assertNotEqual(*tick)


class FontSizeTest(BrowserTest):
    """A browser whose font size is 24 points instead of 16."""

    flags = ("--blink-settings=defaultFontSize=24",)

    def test_the_page_has_the_browsers_font_size(self):
        page = self.open()
        sizes = page.evaluate("[document.documentElement, document.querySelector('.name')].map((one) => parseFloat(getComputedStyle(one).fontSize))")
        self.assertEqual(sizes, [24, 22.5])
        # The heights follow, so nothing lies over anything else.
        for selector in [".bar", ".list-head", ".list-tabs", ".row-link"]:
            self.assertLessEqual(*page.evaluate("(selector) => { const box = document.querySelector(selector); return [box.scrollHeight, box.clientHeight + 1]; }", selector))
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
        self.enter(page, "Ines, harbour festival")
        send = page.locator(".send").bounding_box()
        self.assertLessEqual(send["y"] + send["height"], 800)
