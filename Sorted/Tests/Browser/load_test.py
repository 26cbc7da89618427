"""A small run of load.py; the large one is for a machine with nothing else to do."""
import asyncio
import unittest

import load


class LoadTest(unittest.TestCase):
    def test_fifty_browsers_hear_every_message(self):
        asyncio.run(load.main(50, 4))
