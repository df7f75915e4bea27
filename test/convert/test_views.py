"""Views of open extents whose places go below zero before they are divided: written as StableHLO and ONNX, they read the same elements."""
import json
import pathlib
import sys
import tempfile
import unittest

from lib.program import tenon

# result shape, and for each axis of x : [N, 8] the place there of the element (i0, i1)
VIEWS = {
    "a quotient below zero": (["N", 8], ["i0", "floordiv(i1 - 5, 2) + 3"]),
    "a remainder of what is below zero": (["N", 8], ["i0", "(i1 - 5) % 3"]),
    "both": (["N", 8], ["i0", "floordiv(i1 - 7, 3) * 2 + (i1 - 7) % 3 + 6"]),
    "negative numbers divided exactly": (["N", 4], ["i0", "floordiv(i1 * 2 - 6, 2) + 3"]),
    "steps": (["N", 4], ["i0", "i1 * 2 + 1"]),
    "backwards": (["N", 8], ["i0", "7 - i1"]),
    "rows that are repeated": (["N*3", 8], ["floordiv(i0, 3)", "i1"]),
    "rows in turns": (["N*3", 2], ["i0 % N", "i1 + 6"]),
}


class Views(unittest.TestCase):
    def test_written(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            for name, (shape, places) in VIEWS.items():
                path = folder / "a.tiny.json"
                path.write_text(json.dumps({"uops": [
                    {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": ["N", 8]}},
                    {"id": "y", "uop": "VIEW", "src": ["x"],
                     "arg": {"result_shape": shape, "index_map": {"out": ["i0", "i1"], "in": places}}}]}))
                for extension in ("mlir", "onnx"):
                    with self.subTest(name, to=extension):
                        tenon("convert", path, "-o", folder / f"b.{extension}")
                        said = tenon("equiv", path, folder / f"b.{extension}", "--n", "6").stdout
                        self.assertIn("equal: every bit in 6 runs", said)


if __name__ == "__main__":
    sys.exit(unittest.main())
