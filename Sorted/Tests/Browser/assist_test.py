"""The assistant's part of the pages: lists by kind, reasons, corrections, suggested answers."""
import datetime
import json
import pathlib

from support import BrowserTest, expect


class AssistTest(BrowserTest):
    arguments = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        lines = [
            ("offer", "dana", "We'd like to sponsor two videos, budget 4,500 EUR each. What are your rates?"),
            ("fire", "eve", "Please call me right now, she is in the hospital!!"),
            ("bot", "prizes", "CONGRATULATIONS you won a FREE prize! Claim now at http://prize.example"),
            ("talk", "tom", "The greenhouse thermostat reads 4 degrees"),
        ]
        path = pathlib.Path(cls.server.folder.name, "messages.ndjson")
        path.write_text("\n".join(json.dumps({
            "conversation": conversation, "conversationName": conversation.title(), "sender": sender, "text": text,
            "id": "1", "createdAt": now}) for conversation, sender, text in lines))
        cls.server.run("import", "ndjson", str(path))

    def names(self, page):
        return sorted(page.locator(".row .name").all_inner_texts())

    def test_lists_by_kind_leave_spam_out_of_the_way(self):
        page = self.open("/")
        self.assertEqual(self.names(page), ["Fire", "Offer", "Talk"])
        expect(page.locator("#aside")).to_have_text("1 conversation is set aside as spam")
        tabs = page.get_by_role("navigation", name="Which conversations")
        for tab, name in [("urgent", "Fire"), ("business", "Offer"), ("spam", "Bot"), ("opportunities", "Offer")]:
            if tab in ["spam", "opportunities"]:
                tabs.locator("summary").click()
            tabs.locator(f"[data-tab={tab}]").click()
            expect(tabs.locator(f"[data-tab={tab}]")).to_have_attribute("aria-current", "true")
            self.assertEqual(self.names(page), [name])

    def test_a_chip_says_why_and_one_click_on_another_kind_corrects_it(self):
        page = self.open("/")
        page.get_by_role("link", name="Offer").first.click()
        page.locator(".msg .chip.business").hover()
        expect(page.locator(".why .reason")).to_contain_text("Because of “")
        page.locator(".why").get_by_role("button", name="Fan").click()
        expect(page.locator(".msg .chip.fan")).to_be_visible()
        page.locator(".msg .chip.fan").hover()
        expect(page.locator(".why .reason")).to_have_text("Because you said so")
        page.locator(".why").get_by_role("button", name="Business").click()
        expect(page.locator(".msg .chip.business")).to_be_visible()

    def test_a_known_question_suggests_its_answer_and_tab_takes_it(self):
        page = self.open("/answers")
        self.server.request("POST", "/answers", {
            "form": self.server.token, "category": "Business", "question": "What are your rates?",
            "answer": "My rates are on the site."})
        page.goto(self.server.url + "/")
        page.get_by_role("link", name="Offer").first.click()
        suggestion = page.locator("#suggestion")
        expect(suggestion).to_contain_text("Hi Dana! My rates are on the site.")
        page.locator("#text").focus()
        page.keyboard.press("Tab")
        expect(page.locator("#text")).to_have_value("Hi Dana! My rates are on the site.")
        expect(suggestion).to_have_count(0)
