"""Code that is kept on disk is known by a digest of the sources that make it: each of them counts, others do not, and where the
sources lie does not matter."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from lib.program import ROOT

COUNTED = ["target/llvm/plugin/lookup.c", "target/llvm/plugin/parts.h", "target/llvm/process/process.c", "target/llvm.c",
           "target/llvm/wire.h", "machine/machine.c", "machine/cpus.def", "loop/ir/loop_ops.def", "loop/ir/loop.h",
           "loop/ir/print_loops.c", "scalar/scalar_ops.def", "runtime/code_part.c"]
OTHERS = ["loop/nest/rows.c", "runtime/cache.c", "base/context/diag.def"]


def digest(root):
    said = subprocess.run(["cmake", f"-DROOT={root}", "-P", ROOT / "cmake/code_digest.cmake"], stderr=subprocess.PIPE, text=True,
                          check=True).stderr.strip()
    assert len(said) == 16, said
    return said


class CodeDigest(unittest.TestCase):
    def test_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "elsewhere"
            for name in ("target", "machine", "loop", "scalar", "runtime", "graph", "base/context"):
                shutil.copytree(ROOT / "src" / name, copy / "src" / name)
            own = digest(ROOT)
            self.assertEqual(digest(copy), own)
            for name in COUNTED + OTHERS:
                with self.subTest(name):
                    path = copy / "src" / name
                    text = path.read_text(encoding="utf-8")
                    path.write_text(text + "\n", encoding="utf-8")
                    self.assertEqual(digest(copy) != own, name in COUNTED)
                    path.write_text(text, encoding="utf-8")
            (copy / "src/target/llvm/plugin/another.c").write_text("", encoding="utf-8")
            self.assertNotEqual(digest(copy), own)


if __name__ == "__main__":
    unittest.main()
