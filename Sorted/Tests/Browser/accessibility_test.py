"""The rules of axe, on every screen, wide and narrow, light and dark."""
import itertools

from axe_playwright_python.sync_playwright import Axe

from support import BrowserTest, expect, smoke


class AccessibilityTest(BrowserTest):
    def check(self, page, where):
        violations = Axe().run(page).response["violations"]
        found = [(rule["id"], node["html"], node["failureSummary"]) for rule in violations for node in rule["nodes"]]
        self.assertEqual(found, [], where)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(wide, 0, f"{where} is wider than the screen")

    @smoke
    def test_every_screen(self):
        for scheme, width in itertools.product(["light", "dark"], [1280, 360]):
            page = self.open(color_scheme=scheme, viewport={"width": width, "height": 760}, reduced_motion="reduce")
            where = f"{scheme} {width}"
            self.check(page, f"list {where}")
            self.enter(page, "Ines, harbour festival")
            self.check(page, f"thread {where}")
            for path in [
                "/answers", "/settings", "/administration?days=1", "/search?q=the", "/search?category=fan", "/nothing",
                "/?filter=archived", "/bin",
            ]:
                page.goto(self.server.url + path)
                self.check(page, f"{path} {where}")
            page.goto(self.server.url)
            page.locator(".new summary").click()
            self.check(page, f"forms {where}")
            page.keyboard.press("Escape")
            page.locator(".further summary").click()
            self.check(page, f"tabs {where}")
            page.keyboard.press("Escape")
            page.locator(".row-link").first.click(button="right")
            self.check(page, f"menu of a row {where}")
            page.context.close()

    def test_every_screen_from_right_to_left(self):
        for scheme, width in [("light", 1280), ("dark", 360)]:
            page = self.open(
                locale="he-IL", color_scheme=scheme, viewport={"width": width, "height": 760}, reduced_motion="reduce")
            where = f"Hebrew {scheme} {width}"
            self.check(page, f"list {where}")
            self.enter(page, "Ines, harbour festival")
            expect(page.locator("html")).to_have_attribute("dir", "rtl")
            # One's own messages end where a line ends, which is on the left.
            box = self.edges(page, "#messages")
            mine = self.edges(page, ".msg.mine", last=True)
            theirs = self.edges(page, ".msg:not(.mine)", last=True)
            self.assertLess(abs(mine["left"] - box["left"]), 2)
            self.assertLess(abs(theirs["right"] - box["right"]), 2)
            self.check(page, f"thread {where}")
            page.keyboard.press("Control+k")
            expect(page.get_by_placeholder("אדם, שיחה או פקודה")).to_be_visible()
            self.check(page, f"palette {where}")
            page.keyboard.press("Escape")
            for path in ["/answers", "/settings", "/search?q=the", "/nothing", "/bin"]:
                page.goto(self.server.url + path)
                self.check(page, f"{path} {where}")
            page.context.close()

    def test_the_settings_choose_a_language(self):
        page = self.open("/settings")
        page.get_by_label("Language").select_option("he")
        expect(page.get_by_role("heading", name="הגדרות")).to_be_visible()
        self.live(page)
        page.get_by_label("שפה").select_option("")
        expect(page.get_by_role("heading", name="Settings")).to_be_visible()

    def test_the_settings_choose_a_theme(self):
        page = self.open("/settings", color_scheme="light")
        colours = set()
        for theme in ["light", "dark", "contrast"]:
            with page.expect_navigation():
                page.get_by_label("Theme").select_option(theme)
            self.live(page)
            expect(page.locator("html")).to_have_attribute("data-theme", theme)
            colours.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            self.check(page, f"settings {theme}")
        self.assertEqual(len(colours), 3, colours)

    def test_the_inbox_can_be_installed(self):
        page = self.open()
        manifest = page.request.get(self.server.url + page.locator("link[rel=manifest]").get_attribute("href")).json()
        self.assertEqual((manifest["display"], manifest["start_url"]), ("standalone", "/"))
        sizes = []
        for icon in manifest["icons"]:
            answer = page.request.get(self.server.url + icon["src"])
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, icon["type"]))
            sizes.append(icon["sizes"])
        self.assertTrue({"192x192", "512x512"} <= set(sizes), sizes)

    def test_live_updates_do_not_move_the_page(self):
        page, other = self.open(), self.open()
        self.enter(page, "Studio team")
        self.enter(other, "Acme Audio")
        page.evaluate("""() => {
          window.shift = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) window.shift += entry.value;
          }).observe({ type: "layout-shift", buffered: false });
        }""")
        other.locator("#text").fill("A longer line that comes from elsewhere")
        other.keyboard.press("Enter")
        expect(self.row(page, "Acme Audio").locator(".preview")).to_contain_text("A longer line")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        # A row that moves up in the list is meant to move; the thread and the rest stay.
        self.assertLess(page.evaluate("window.shift"), 0.1)


class SignInAccessibilityTest(BrowserTest):
    arguments = ("--sample", "--accounts")

    def test_sign_in_and_up(self):
        for path in ["/sign-in", "/sign-up"]:
            page = self.open(path, door=False)
            AccessibilityTest.check(self, page, path)

    def test_two_people_talk(self):
        pages = {}
        for name in ["ann", "bob"]:
            page = self.sign_up(name)
            expect(page.locator("#no-rows")).to_be_visible()
            pages[name] = page
        ann, bob = pages["ann"], pages["bob"]
        ann.locator(".new summary").click()
        ann.get_by_label("With").fill("bob")
        with ann.expect_navigation():
            ann.get_by_role("button", name="Start").click()
        self.live(ann)
        ann.locator("#text").fill("Hello bob")
        ann.keyboard.press("Enter")
        expect(self.row(bob, "ann").locator(".badge")).to_contain_text("1")
        self.enter(bob, "ann")
        expect(bob.locator(".msg", has_text="Hello bob")).to_be_visible()
        expect(self.row(bob, "ann").locator(".badge")).to_have_count(0)
        expect(ann.locator(".msg.mine").get_by_label("Read")).to_be_visible()
