"""People and their pictures."""
import struct
import zlib

from support import BrowserTest, expect


def png(side, colour):
    """A picture of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = (b"\0" + bytes(colour) * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


class PeopleTest(BrowserTest):
    arguments = ("--sample", "--accounts")

    def is_shown(self, image):
        """The browser has the picture, and it fills its circle."""
        expect(image).to_be_visible()
        expect(image).to_have_js_property("complete", True)
        self.assertGreater(image.evaluate("({ naturalWidth }) => naturalWidth"), 0)
        self.assertEqual(*image.evaluate("(image) => [image, image.parentElement].map(({ clientWidth }) => clientWidth)"))

    def test_a_picture_of_oneself_is_seen_by_others_and_removed(self):
        ann, bob = self.sign_up("ann"), self.sign_up("bob")
        self.begin(bob, "ann")
        expect(bob.locator(".row .avatar")).to_have_text("A")
        ann.goto(self.server.url + "/settings")
        ann.get_by_label("Picture").set_input_files({"name": "me.png", "mimeType": "image/png", "buffer": png(300, (20, 160, 90))})
        ann.get_by_role("button", name="Save picture").click()
        self.is_shown(ann.locator(".card .avatar img"))
        bob.reload()
        self.live(bob)
        self.is_shown(bob.locator(".row .avatar img"))
        self.is_shown(bob.locator(".thread-head .avatar img").first)
        ann.get_by_role("button", name="Remove picture").click()
        expect(ann.locator(".card .avatar img")).to_have_count(0)
        bob.reload()
        self.live(bob)
        expect(bob.locator(".avatar img")).to_have_count(0)
        expect(bob.locator(".row .avatar")).to_have_text("A")
