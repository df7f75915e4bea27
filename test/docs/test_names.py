"""What documents name is there: functions and types of the C interface, fields of its structures, and files of the tree,
which can be run where they are shown with arguments."""
import os
import re
import unittest

from lib.program import ROOT

PAGES = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md")] + sorted((ROOT / "docs").rglob("*.md"))
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?:src|include|test|tools|bench|python|examples|editors|cmake|debian|docs)/[\w./-]+")


def code_of(page):
    """The pieces of code within the sentences of PAGE."""
    return CODE.findall(page.read_text(encoding="utf-8"))


class Names(unittest.TestCase):
    headers = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include/tenon").glob("*.*")))

    def wrong(self, is_wrong, pattern):
        """(page, name) of what PATTERN finds in code and IS_WRONG."""
        return [(str(page.relative_to(ROOT)), m[0]) for page in PAGES for code in code_of(page)
                for m in re.finditer(pattern, code) if is_wrong(m)]

    def test_names(self):
        known = set(re.findall(r"\w+", self.headers))
        # The builder's elementwise functions are rows of a table.
        rows = re.findall(r"^\w+\((\w+)", (ROOT / "include/tenon/build_elementwise.def").read_text(encoding="utf-8"), re.M)
        known |= {"tn_" + row for row in rows}
        self.assertEqual([], self.wrong(lambda m: m[0] not in known, r"\btn_\w+\b(?!\*)"))

    def test_fields(self):
        def is_wrong(m):
            found = re.search(rf"typedef struct {m[1]} \{{(.*?)\n\}} {m[1]};", self.headers, re.S)
            return not found or not re.search(rf"\b{m[2]}\b", found[1])

        self.assertEqual([], self.wrong(is_wrong, r"\b(tn_\w+)\.([a-z_]+)\b"))

    def test_files(self):
        """A name with capitals, as NAME, stands for others."""
        def is_wrong(m):
            return not (ROOT / m[0]).exists() and not re.search("[A-Z]{2}", m[0])

        self.assertEqual([], self.wrong(is_wrong, rf"(?<![\w./-]){PATH.pattern}(?![\w*])"))

    def test_commands(self):
        """Scripts that a page runs by their names alone."""
        shown = re.compile(r"(?:`|^    )((?:tools|test|bench|examples)/[\w/-]+\.(?:py|sh)) ", re.M)
        commands = {m[1] for page in PAGES for m in shown.finditer(page.read_text(encoding="utf-8"))}
        self.assertIn("tools/reduce.py", commands)
        self.assertEqual([], sorted(name for name in commands if not os.access(ROOT / name, os.X_OK)))


if __name__ == "__main__":
    unittest.main()
