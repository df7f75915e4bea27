"""The Python package of the tree, with the library that was built: import this before `tenon`."""
import os
import pathlib
import sys
import warnings

from lib.program import ROOT, TENON

LIBRARY = pathlib.Path(TENON).parent / "libtenon.so"
if not LIBRARY.exists():  # builds with sanitizers have none
    print("skipped: there is no shared library beside the program")
    sys.exit(0)
os.environ["TENON_LIBRARY"] = str(LIBRARY)
sys.path.insert(0, str(ROOT / "python"))
sys.dont_write_bytecode = True
try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: there is no NumPy")
    sys.exit(0)
# Without LLVM programs run reference kernels, with the same bits.
warnings.filterwarnings("ignore", message="LLVM")
