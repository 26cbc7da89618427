"""The boxes of the key components have the sizes that Documentation/design.md says."""
import pathlib
import re
import struct
import zlib

from support import BrowserTest, expect

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


class DesignTest(BrowserTest):
    def sizes(self):
        table = numbers()
        for index, options in enumerate([
            {"viewport": {"width": 1280, "height": 800}},
            {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True},
        ]):
            yield {name: pair[index] for name, pair in table.items()}, options

    def box(self, page, selector):
        return page.evaluate("""(selector) => {
            const {left, top, right, bottom, width, height} = document.querySelector(selector).getBoundingClientRect();
            return {left, top, right, bottom, width, height};
        }""", selector)

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
                count = page.locator(".msg.mine:not(.waiting) .picture img").count()
                page.locator("#files").set_input_files({"name": f"{width}.png", "mimeType": "image/png", "buffer": png(width, height)})
                page.locator(".send").click()
                expect(page.locator(".msg.mine:not(.waiting) .picture img")).to_have_count(count + 1)
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
