"""What is written by hand about each function and extension: no row of the tables is without its line in the documents."""
import re
import unittest

from lib.program import ROOT

ROW = re.compile(r"^(\w+)\((.*)", re.M)  # its first line


def rows(path, *names):
    """The first cells of the rows of the table PATH that have one of NAMES."""
    found = [[cell.strip(' ")') for cell in m[2].split(",")]
             for m in ROW.finditer((ROOT / path).read_text(encoding="utf-8")) if m[1] in names]
    assert found, path
    return found


def told(page):
    """The words of the tables and lists of a document, or those of its section behind `#`."""
    page, _, heading = page.partition("#")
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    lines = re.split(rf"(?m)^#+ {heading}$", text)[-1].split("\n#")[0].splitlines() if heading else text.splitlines()
    return set(re.findall(r"\w+", " ".join(line for line in lines if re.match(r"[|-] |  \S", line))))


class Functions(unittest.TestCase):
    def told_of(self, page, words):
        self.assertEqual([], sorted(set(words) - told(page)), f"docs/{page} does not tell of these")

    def test_numerics(self):
        names = [cells[1] for cells in rows("src/scalar/math.def", "MATH_FN")]
        self.told_of("numerics.md", names)
        self.told_of("numerics-math.md", names)
        self.told_of("numerics-math.md#Special values", names)

    def test_gradients(self):
        names = [cells[1] for cells in rows("src/graph/ops.def", "MATH") if cells[5] != "none"]
        self.told_of("gradients.md", names)

    def test_extensions(self):
        words = [cells[0] for cells in rows("src/dialect/ptir/words.def", "MORE_UNARY", "MORE_BINARY")]
        self.told_of("dialect-ptir.md", words)


if __name__ == "__main__":
    unittest.main()
