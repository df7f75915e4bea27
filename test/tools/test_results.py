"""bench/results.py: runs are added to the file of the processor, and the table in the tree is that of the files."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import results  # noqa: E402


def row(work, ratio, threads=1):
    return {"work": work, "threads": threads, "ms": 1.23456, "best_peer": "torch", "to_best_peer": ratio,
            "limit": "fma", "of_limit": 0.5}


class Results(unittest.TestCase):
    def test_the_table_is_that_of_the_files(self):
        self.assertEqual(results.table_file().read_text(), results.table())

    def test_keeps_the_course(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.addCleanup(setattr, results, "RESULTS", results.RESULTS)
        results.RESULTS = pathlib.Path(place.name)
        file = results.keep({"load": 0.1, "work": [row("a", 2.0), row("b", 1.0), row("a", 9.0, threads=2)]})
        runs = results.json.loads(file.read_text())
        runs[0]["commit"] = "another"
        file.write_text(results.json.dumps(runs))
        results.keep({"load": 0.2, "work": [row("a", 1.5)]})
        results.keep({"load": 0.2, "work": [row("a", 0.5), row("c", None)]})  # the same commit again
        self.assertEqual(len(results.json.loads(file.read_text())), 2)
        lines = results.table().splitlines()
        self.assertIn("| a | 0.50 (before 2.00) |", lines)
        self.assertIn("| b | 1.00 |", lines)
        self.assertIn("| c | - |", lines)
        self.assertEqual(results.table_file().read_text(), results.table())


if __name__ == "__main__":
    sys.exit(unittest.main())
