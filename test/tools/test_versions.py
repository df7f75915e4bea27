"""The version of a release stands in one form in every file that must say it."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def found(path, pattern):
    return re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.M)[1]


class Versions(unittest.TestCase):
    def test_versions(self):
        version = found("CMakeLists.txt", r"^project\(tenon VERSION ([\d.]+)")
        self.assertEqual(found("python/tenon/_library.py", r'^VERSION = "(.*)"'), version)
        self.assertEqual(found("debian/changelog", r"^tenon \((.*?)\)"), version)
        self.assertEqual(found("CHANGELOG.md", r"^## ([\d.]+)"), version)
        short = ".".join(version.split(".")[:2])
        self.assertIn(f"Package: libtenon{short}\n", (ROOT / "debian/control").read_text())
        self.assertEqual(found("cmake/tenon.map", r"^TENON_([\d.]+) \{"), short)
        self.assertTrue((ROOT / f"abi/{short}.abi").exists())


if __name__ == "__main__":
    unittest.main()
