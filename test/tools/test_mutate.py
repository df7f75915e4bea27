"""tools/mutate.py: each deliberate fault can still be made, and has a name of its own."""
import importlib.util
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
spec = importlib.util.spec_from_file_location("mutate", ROOT / "tools/mutate.py")
mutate = importlib.util.module_from_spec(spec)
sys.modules["mutate"] = mutate
spec.loader.exec_module(mutate)


class Mutate(unittest.TestCase):
    def test_texts_stand_in_their_files(self):
        for fault in mutate.FAULTS:
            with self.subTest(fault.name):
                self.assertEqual((ROOT / fault.file).read_text(encoding="utf-8").count(fault.old), 1)
                self.assertNotEqual(fault.old, fault.new)

    def test_names(self):
        names = [fault.name for fault in mutate.FAULTS]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
