"""People and their pictures."""
import struct
import zlib

from support import BrowserTest, expect, smoke


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
        ann.get_by_label("Picture", exact=True).set_input_files({"name": "me.png", "mimeType": "image/png", "buffer": png(300, (20, 160, 90))})
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

    @smoke
    def test_a_person_who_is_blocked_is_told_so_and_loses_no_text(self):
        nora, otto = self.sign_up("nora"), self.sign_up("otto")
        self.begin(nora, "otto")
        self.say(nora, "hello")
        self.enter(otto, "nora")
        expect(otto.locator(".msg", has_text="hello")).to_be_visible()
        otto.locator("details.people > summary").click()
        otto.locator(".members a", has_text="nora").click()
        otto.get_by_role("button", name="Block nora").click()
        expect(otto.get_by_role("button", name="Unblock")).to_be_visible()
        self.say(nora, "one more")
        message = nora.locator(".msg.refused", has_text="one more")
        expect(message).to_contain_text("otto takes no messages from you.")
        otto.get_by_role("button", name="Unblock").click()
        expect(otto.get_by_role("button", name="Block nora")).to_be_visible()
        message.get_by_role("button", name="Retry").click()
        expect(nora.locator(".msg.mine:not(.waiting)", has_text="one more")).to_be_visible()

    def test_the_menu_of_a_message_is_on_the_screen_of_a_phone(self):
        for locale in ["en-US", "he-IL"]:
            page = self.open(viewport={"width": 390, "height": 780}, locale=locale)
            self.row(page, "Studio team").locator(".row-link").click()
            self.live(page)
            message = page.locator(".msg:not(.mine)").last
            message.hover()
            message.locator(".menu summary").click()
            expect(message.locator(".menu .panel")).to_be_in_viewport(ratio=1)
            page.context.close()
