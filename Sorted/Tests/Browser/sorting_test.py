"""The sorting is what one sees: labels on rows, what needs an answer on top, counts on tabs, all of it live."""
import datetime
import json
import pathlib

from support import BrowserTest, expect

TEXTS = [
    ("offer", "dana", "We'd like to sponsor two videos, budget 4,500 EUR each. What are your rates?"),
    ("fire", "eve", "Please call me right now, she is in the hospital!!"),
    ("bot", "prizes", "CONGRATULATIONS you won a FREE prize! Claim now at http://prize.example"),
    ("talk", "tom", "The greenhouse thermostat reads 4 degrees"),
]


class SortingTest(BrowserTest):
    arguments = ()

    def setUp(self):
        super().setUp()
        # Each test changes what is sorted, so each has a server of its own.
        type(self).server.end()
        for file in pathlib.Path(self.server.folder.name).glob("*"):
            if file.is_file():
                file.unlink()
        self.server.start()
        self.bring(TEXTS)

    def bring(self, texts, message="1"):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        path = pathlib.Path(self.server.folder.name, "messages.ndjson")
        path.write_text("\n".join(json.dumps({
            "conversation": conversation, "conversationName": conversation.title(), "sender": sender, "text": text,
            "id": message, "createdAt": now}) for conversation, sender, text in texts))
        self.server.run("import", "ndjson", str(path))

    def count(self, page, name):
        return page.locator(f".list-tabs [data-tab={name}] .tab-count")

    def lead(self, page):
        return page.locator("#rows > .row[data-lead] .name")

    def test_what_needs_an_answer_leads_the_list_and_goes_as_one_answers(self):
        page = self.open()
        expect(page.locator("#rows > .day h2").first).to_have_text("Needs an answer · 2")
        expect(self.lead(page)).to_have_text(["Fire", "Offer"])
        expect(self.row(page, "Fire").locator(".label")).to_have_text("Urgent")
        expect(self.row(page, "Offer").locator(".label")).to_have_text("Business 76")
        expect(self.row(page, "Talk").locator(".label")).to_have_count(0)
        # Another tab sees the section empty as one answers.
        other = page.context.new_page()
        other.goto(self.server.url)
        self.live(other)
        self.enter(page, "Fire")
        self.own_message(page, "I am calling")
        for tab in [page, other]:
            expect(self.lead(tab)).to_have_text(["Offer"])
            expect(tab.locator("#rows > .day h2").first).to_have_text("Needs an answer · 1")
            expect(self.count(tab, "urgent")).to_be_hidden()
        expect(self.row(other, "Fire").locator(".label")).to_have_count(0)
        self.enter(page, "Offer")
        self.own_message(page, "They are on the site")
        expect(self.lead(other)).to_have_count(0)
        expect(other.locator("#rows > .day h2").first).to_have_text("Today")

    def test_every_tab_has_its_count_and_a_list_of_a_label_is_live(self):
        page = self.open()
        for name, count in [("all", "3"), ("urgent", "1"), ("business", "1"), ("waiting", "2"), ("opportunities", "1"), ("spam", "1")]:
            expect(self.count(page, name)).to_have_text(count)
        for name in ["unread", "fan", "pinned", "archived"]:
            expect(self.count(page, name)).to_have_attribute("hidden", "")
        page.locator("[data-tab=urgent]").click()
        expect(page.locator(".row .name")).to_have_text(["Fire"])
        self.bring([("flood", "kim", "Urgent: the basement is under water, call me right now!!")])
        expect(page.locator(".row .name")).to_have_count(2)
        expect(self.count(page, "urgent")).to_have_text("2")
        expect(self.count(page, "all")).to_have_text("4")

    def test_opportunities_show_their_scores(self):
        page = self.open("/?sort=opportunity")
        expect(page.locator(".row .name")).to_have_text(["Offer"])
        expect(page.locator(".row .label.opportunity")).to_have_text("76")
        expect(page.locator(".further summary")).to_contain_text("Opportunities 1")

    def test_a_click_on_a_label_of_a_row_corrects_it(self):
        page = self.open()
        row = self.row(page, "Offer")
        row.locator(".label").hover()
        menu = page.locator("#row-menu")
        expect(menu.locator(".reason")).to_contain_text("Because of “")
        menu.get_by_role("button", name="Fan").click()
        expect(row.locator(".label")).to_have_text("Fan")
        expect(menu).to_be_hidden()
        # The person stays in the list, and the counts are right at once.
        self.assertEqual(page.url, self.server.url + "/")
        expect(self.count(page, "business")).to_have_attribute("hidden", "")
        expect(self.count(page, "fan")).to_have_text("1")
        # A row without a label is sorted from its menu.
        self.row(page, "Talk").locator(".row-link").click(button="right")
        menu.get_by_role("button", name="Urgent").click()
        expect(self.row(page, "Talk").locator(".label")).to_have_text("Urgent")
        # A fan's question needs an answer as well.
        expect(self.lead(page)).to_have_count(3)
        expect(self.lead(page).nth(2)).to_have_text("Offer")

    def test_a_row_on_a_phone_shows_that_more_can_be_done(self):
        page = self.open(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
        row = self.row(page, "Talk")
        more = row.get_by_role("button", name="More for Talk")
        expect(more).to_be_visible()
        self.assertGreaterEqual(more.bounding_box()["width"], 40)
        more.tap()
        menu = page.locator("#row-menu")
        expect(menu.get_by_role("button", name="Archive")).to_be_visible()
        # It lies over the row at the foot of the page, so it says whose it is.
        expect(menu.get_by_role("heading", name="Talk")).to_be_visible()
        page.keyboard.press("Escape")
        expect(menu).to_be_hidden()
        expect(row.locator(".row-link")).to_be_focused()
        more.tap()
        menu.get_by_role("button", name="Pin").tap()
        expect(row.get_by_label("pinned")).to_be_visible()
        expect(self.count(page, "pinned")).to_have_text("1")
