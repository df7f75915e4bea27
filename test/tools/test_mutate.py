"""tools/mutate.py: each deliberate fault can still be made, has a name of its own, and a test that is there."""
import importlib.util
import pathlib
import sys
import unittest

from lib import partial

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

    def test_checks_are_there(self):
        """A pattern without cases, or a kind of kernel that is not drawn any more, would find nothing."""
        kinds = {kind.__name__ for kind in partial.KINDS}
        for fault in mutate.FAULTS:
            what, *rest = fault.check.split()
            with self.subTest(fault.name):
                if what == "cases":
                    for pattern in rest:
                        self.assertTrue(list((ROOT / "test").glob(pattern)), pattern)
                elif what == "unit":
                    self.assertEqual(len(list((ROOT / "test/unit").glob(f"*_{rest[0]}.c"))), 1)
                else:
                    self.assertEqual(what, "script")
                    self.assertTrue((ROOT / "test" / rest[0]).is_file(), rest[0])
                    if rest[0] == "loop/full_partial.py":
                        self.assertLessEqual(set(rest[3:]), kinds)


if __name__ == "__main__":
    unittest.main()
