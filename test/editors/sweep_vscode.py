"""The extension for VS Code as it is packed, under node, on a stand-in for VS Code, with the language server itself."""
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from lib.program import HANG, ROOT, TENON

PACKAGE = pathlib.Path(ROOT, "editors", "vscode", "package.py")
STAND_IN = pathlib.Path(__file__).with_name("vscode.mjs")


def place(r):
    return r["start"]["line"], r["start"]["character"], r["end"]["line"], r["end"]["character"]


@unittest.skipUnless(shutil.which("node"), "there is no node")
class Extension(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        packed = subprocess.run([sys.executable, str(PACKAGE), "-"], capture_output=True, check=True).stdout
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(io.BytesIO(packed)) as archive:
                archive.extractall(folder)
            main = json.loads(pathlib.Path(folder, "extension", "package.json").read_text())["main"]
            assert main == "./extension.js"
            done = subprocess.run(["node", STAND_IN, pathlib.Path(folder, "extension"), TENON], capture_output=True, text=True, timeout=HANG)
            assert done.returncode == 0, done.stderr
            cls.got = json.loads(done.stdout)

    def test_diagnostics(self):
        self.assertEqual(self.got["documents"], ["file:///x/a.ir", "file:///x/b.tiny.json"])
        d, = self.got["wrong"]
        self.assertEqual((place(d["range"]), d["severity"], d["source"], d["code"]), ((1, 5, 1, 13), 0, "tenon", "E4013"))
        self.assertEqual(self.got["mended"], [])
        self.assertEqual(self.got["errors"], [])

    def test_actions(self):
        fix, every = self.got["actions"]
        self.assertEqual((fix["kind"]["value"], every["kind"]["value"], fix["isPreferred"]), ("quickfix", "source.fixAll.tenon", True))
        self.assertIn("%1 = Neg (%0)", self.got["text"])

    def test_names(self):
        self.assertTrue(self.got["hover"]["contents"]["value"].startswith("**neg**"))
        self.assertEqual((self.got["definition"]["uri"], place(self.got["definition"]["range"])), ("file:///x/a.ir", (0, 1, 0, 2)))
        self.assertEqual([place(r["range"]) for r in self.got["references"]], [(0, 1, 0, 2), (1, 11, 1, 12)])
        self.assertEqual([h["given"][1] for h in self.got["highlights"]], [2, 1])
        self.assertEqual(self.got["prepared"]["placeholder"], "0")
        (uri, edits), = self.got["renamed"]["all"]
        self.assertEqual((uri, [e["newText"] for e in edits]), ("file:///x/a.ir", ["zebra"] * 2))
        self.assertIn("would not be the same", self.got["refused"])
        self.assertEqual([s["name"] for s in self.got["symbols"]], ["0", "1"])

    def test_words(self):
        self.assertIn("Relu", self.got["completion"])
        self.assertEqual(len(self.got["formatted"]), 1)
        self.assertEqual(self.got["hints"][0]["given"][1], ": fp32[2]")
        self.assertEqual(self.got["folds"][0]["given"][:2], [0, 1])

    def test_no_server(self):
        self.assertTrue(self.got["again"])
        self.assertIn("cannot be started", self.got["missing"][0])
        self.assertIsNone(self.got["none"])


if __name__ == "__main__":
    unittest.main()
