"""The admins of a group remove people and make other admins; who was removed sees nothing more of it."""
from support import BrowserTest, expect


class GroupsTest(BrowserTest):
    arguments = ("--accounts",)

    def open_people(self, page):
        menu = page.locator(".people")
        if not menu.locator(".panel").is_visible():
            menu.locator("summary").click()
        return menu

    def choose(self, page, name):
        self.open_people(page).get_by_role("button", name=name).click()

    def test_an_admin_removes_a_person_and_makes_another_admin(self):
        rosa, sven, tilda = (self.sign_up(name) for name in ["rosa", "sven", "tilda"])
        self.begin(rosa, "sven tilda", name="The walk")
        self.own_message(rosa, "at nine")
        for page in [sven, tilda]:
            self.enter(page, "The walk")
        # Who began the group is its admin; the others can remove none.
        expect(self.open_people(sven).locator(".admin")).to_have_count(1)
        expect(sven.get_by_role("button", name="Remove tilda from the group")).to_have_count(0)
        self.choose(rosa, "Make sven an admin")
        expect(sven.locator(".event")).to_contain_text(["rosa made sven an admin"])
        # The list of people is live too.
        self.choose(sven, "Remove tilda from the group")
        expect(rosa.locator(".event").last).to_contain_text("sven removed tilda")
        # An open page of the removed person leaves the conversation, and nothing of it comes any more.
        expect(tilda.locator(".row")).to_have_count(0)
        expect(tilda.locator(".thread-title")).to_have_count(0)
        self.own_message(rosa, "without tilda")
        tilda.goto(self.server.url + "/search?q=nine")
        expect(tilda.locator(".empty")).to_have_text("No such message.")

    def test_a_group_keeps_an_admin(self):
        uma, vito = self.sign_up("uma"), self.sign_up("vito")
        self.sign_up("wilma")
        self.begin(uma, "vito wilma", name="Garden")
        self.own_message(uma, "hello")
        self.enter(vito, "Garden")
        self.open_people(uma).get_by_role("button", name="Leave the group").click()
        expect(vito.locator(".event")).to_contain_text(["uma left the group"])
        self.choose(vito, "Remove wilma from the group")
        expect(vito.locator(".event").last).to_contain_text("You removed wilma")
