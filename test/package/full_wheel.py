"""The wheel: it is built without a network, has the library in it, and finds it wherever it is unpacked."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

from lib.program import ROOT, TENON

BUILD = pathlib.Path(TENON).parent
RUN = """
import pathlib, warnings
warnings.simplefilter("error")
import tenon
net = tenon.load('''%0 = Input () {name="x"} : tensor<f32>[3]
%1 = Exp (%0) : tensor<f32>[3]
outputs: %1''')
print(net([0, 0, 0]).tolist(), pathlib.Path(tenon.__file__).parent.parent)
"""


class Wheel(unittest.TestCase):
    def test_wheel(self):
        if not (BUILD / "libtenon.so").exists():
            self.skipTest("there is no shared library beside the program")
        if not all(importlib.util.find_spec(m) for m in ("build", "setuptools", "wheel", "numpy")):
            self.skipTest("there is no builder of wheels")
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder).resolve()
            done = subprocess.run([sys.executable, ROOT / "tools/wheel.py", BUILD, folder], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertNotIn("tenon.tenon", done.stdout)  # as something that is no package, or not listed
            wheel, = folder.glob("*.whl")
            self.assertRegex(wheel.name, r"^tenon-0\.1\.0-py3-none-linux_\w+\.whl$")
            with zipfile.ZipFile(wheel) as archive:
                names = archive.namelist()
                archive.extractall(folder / "site")
            self.assertIn("tenon/py.typed", names)
            self.assertIn("tenon/libtenon.so.0.1", names)
            env = {k: v for k, v in os.environ.items() if k not in ("TENON_LIBRARY", "LD_LIBRARY_PATH",
                                                                    "TENON_LLVM_PLUGIN")}
            env |= {"PYTHONPATH": str(folder / "site"), "TENON_CACHE_DIR": str(folder / "cache")}
            done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, env=env, cwd=folder)
            if "LLVM is not installed" in done.stderr and not (BUILD / "libtenon-llvm.so").exists():
                return
            self.assertEqual(done.stdout.strip(), f"[1.0, 1.0, 1.0] {folder / 'site'}", done.stderr)


if __name__ == "__main__":
    unittest.main()
