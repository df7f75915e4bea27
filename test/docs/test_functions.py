"""What is written by hand about each function and extension: no row of the tables is without its line in the documents."""
import pathlib
import re
import subprocess
import unittest

from lib.program import ROOT, TENON

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

    def test_operations(self):
        """The table of errors has as many operations as the functions do, of several those of the longest; and each table has
        rows of its own kind only."""
        counter = pathlib.Path(TENON).parent / "test/unit_scalar_math"
        if not counter.exists():
            self.skipTest(f"{counter} is missing")
        lines = subprocess.run([counter, "operations"], stdout=subprocess.PIPE, text=True, check=True).stdout
        counts = {name: (int(f32), int(f64)) for name, f32, f64 in re.findall(r"^(\w+) (\d+) (\d+)$", lines, re.M)}
        text = (ROOT / "docs/numerics-math.md").read_text(encoding="utf-8")
        for heading, cells in (("Errors", 5), ("Special values", 2)):
            section = text.split(f"## {heading}\n")[1].split("\n## ")[0]
            table = [re.split(r"(?<!\\)\|", line)[1:-1] for line in section.splitlines() if line.startswith("| ")][2:]
            self.assertEqual({cells}, {len(row) for row in table}, heading)
            for row in table if cells == 5 else ():
                names = [name.strip() for name in row[0].split(",")]
                told = [int(n) for n in row[3].split(",")]
                longest = [max(counts[name][k] for name in names) for k in range(2)]
                with self.subTest(row[0]):
                    self.assertEqual(told if len(told) == 2 else told * 2, longest)

    def test_gradients(self):
        names = [cells[1] for cells in rows("src/graph/ops.def", "MATH") if cells[5] != "none"]
        self.told_of("gradients.md", names)

    def test_extensions(self):
        words = [cells[0] for cells in rows("src/dialect/ptir/words.def", "MORE_UNARY", "MORE_BINARY")]
        self.told_of("dialect-ptir.md", words)


if __name__ == "__main__":
    unittest.main()
