"""The library has what programs of this version were compiled with: abidiff against the record in abi/."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from lib.program import ROOT, TENON

LIBRARY = pathlib.Path(TENON).parent / "libtenon.so"


def check(library):
    return subprocess.run([ROOT / "tools/abi.sh", "check", library], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


class Abi(unittest.TestCase):
    def setUp(self):
        if not LIBRARY.exists() or not shutil.which("abidiff"):
            self.skipTest("there is no shared library beside the program, or no abidiff")

    def test_nothing_is_broken(self):
        done = check(LIBRARY)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_what_breaks_is_found(self):
        """A library without a function of the record."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "less.c"
            source.write_text('#include <tenon/tenon.h>\nconst char *tn_version(void) { return "0"; }\n',
                              encoding="utf-8")
            library = source.with_name("libtenon.so")
            subprocess.run(["cc", "-g", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-Wl,-soname,libtenon.so.0.1",
                            source, "-o", library], check=True)
            done = check(library)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("tn_module_read", done.stdout)


if __name__ == "__main__":
    unittest.main()
