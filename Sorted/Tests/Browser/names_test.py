"""People have one name everywhere, and a mistyped name invites no stranger. Groups say what happens to them."""
from support import BrowserTest, expect


class NamesTest(BrowserTest):
    arguments = ("--accounts",)

    def sign_up_as(self, name, shown):
        """A page of somebody whose profile has another name than the account."""
        page = self.sign_up(name)
        page.goto(self.server.url + "/settings")
        page.get_by_role("textbox", name="Name").fill(shown)
        with page.expect_response("**/settings/profile"):
            page.get_by_role("textbox", name="Name").press("Enter")
        self.home(page)
        return page

    def home(self, page):
        page.goto(self.server.url + "/")
        self.live(page)

    def test_a_mistyped_name_is_asked_about_and_the_right_one_is_offered(self):
        _, jonas = self.sign_up("ottilie"), self.sign_up("jonas")
        self.begin(jonas, "ottilie")
        self.home(jonas)
        jonas.locator(".new summary").click()
        jonas.get_by_label("With").fill("ottilei")
        jonas.get_by_role("button", name="Start").click()
        expect(jonas.get_by_role("heading", name="This name is unknown")).to_be_visible()
        with jonas.expect_navigation():
            jonas.get_by_role("button", name="ottilie", exact=True).click()
        expect(jonas.locator(".thread-title h1")).to_have_text("ottilie")
        # No place was kept for the mistyped name.
        self.home(jonas)
        expect(jonas.locator(".row")).to_have_count(1)

    def test_a_person_has_one_name_everywhere_and_is_found_by_it(self):
        name = "Ignaz Semmelweis (ignaz)"
        ignaz, alma, _ = self.sign_up_as("ignaz", "Ignaz Semmelweis"), self.sign_up("alma"), self.sign_up("bea")
        self.begin(alma, "ignaz")
        self.own_message(alma, "wash your hands")
        self.enter(ignaz, "alma")
        self.own_message(ignaz, "always do")
        self.home(alma)
        expect(alma.locator(".row .name")).to_have_text(name)
        self.enter(alma, name)
        expect(alma).to_have_title(f"{name} · Sorted")
        path = alma.url
        alma.keyboard.press("Control+k")
        alma.keyboard.type("semmelweis")
        expect(alma.locator("#palette [role=option] bdi")).to_have_text([name])
        alma.keyboard.press("Escape")
        # A suggestion puts the account's name into the field.
        self.home(alma)
        alma.locator(".new summary").click()
        field = alma.locator(".new [name=people]")
        field.press_sequentially("Ignaz Sem")
        expect(alma.locator(".names [role=option]")).to_have_text([name])
        field.press("ArrowDown")
        field.press("Enter")
        expect(field).to_have_value("ignaz ")
        # The name that the pages show means the person, and no group of two strangers.
        alma.keyboard.press("Escape")
        self.begin(alma, "Ignaz Semmelweis")
        self.assertEqual(alma.url, path)
        for words in ["from:semmelweis", "from:IGNAZ", "from:ignaz"]:
            alma.goto(f"{self.server.url}/search?q={words}")
            expect(alma.locator(".hit-text")).to_have_text(f"{name}: always do")
        alma.goto(f"{self.server.url}/search?q=semmelweis")
        expect(alma.locator("#places a bdi")).to_have_text([name])
        # A row of a group names the author as the thread does.
        self.home(alma)
        self.begin(alma, "ignaz bea", name="Clinic")
        self.enter(ignaz, "Clinic")
        self.own_message(ignaz, "round at nine")
        expect(self.row(alma, "Clinic").locator(".by")).to_have_text(f"{name}:")
        expect(alma.locator(".msg .who")).to_have_text([name])
        # A mention is of the account, whatever the person is called.
        alma.locator("#text").press_sequentially("@Semm")
        expect(alma.locator("#mentions li")).to_have_text([name])
        alma.keyboard.press("Enter")
        expect(alma.locator("#text")).to_have_value("@ignaz ")

    def test_a_group_says_who_came_and_left_and_what_it_is_called_now(self):
        nina, omar, paul, _ = (self.sign_up(name) for name in ["nina", "omar", "paul", "quinn"])
        self.begin(nina, "omar paul")
        self.own_message(nina, "before quinn")
        for page in [omar, paul]:
            self.row(page, "before quinn").locator(".row-link").click()
            self.live(page)
        nina.locator(".people > summary").click()
        nina.get_by_label("Add").fill("quinn")
        with nina.expect_navigation():
            nina.get_by_role("button", name="Add").click()
        self.live(nina)
        expect(omar.locator(".event")).to_contain_text("nina added quinn")
        nina.locator(".people > summary").click()
        nina.get_by_label("Name of the group").fill("The choir")
        with nina.expect_navigation():
            nina.get_by_role("button", name="Rename").click()
        self.live(nina)
        expect(self.row(omar, "The choir").locator(".name")).to_have_text("The choir")
        paul.locator(".people > summary").click()
        paul.get_by_role("button", name="Leave the group").click()
        expect(nina.locator(".event")).to_contain_text(["You added quinn", "named the group “The choir”", "paul left the group"])
        expect(nina.locator(".event .menu")).to_have_count(0)
