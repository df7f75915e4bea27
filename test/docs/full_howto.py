"""The samples of the tutorial and the how-to pages are what the program does."""
import unittest

from docs.full_docs import check_samples, longer


class Howto(unittest.TestCase):
    def test_samples(self):
        for path in longer():
            self.assertGreater(check_samples(self, [path]), 0, path.name)


if __name__ == "__main__":
    unittest.main()
