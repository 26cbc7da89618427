"""A short walk of wander.py; long ones with other seeds are for a person who looks for faults."""
import wander


class RandomWalkTest(wander.WanderTest):
    def test_every_tab_shows_at_the_end_of_a_random_walk_what_a_fresh_page_shows(self):
        self.runTest()
