"""The Tiny IR programs of examples/tiny agree with NumPy, before and after `tenon fix`."""
import subprocess
import sys

from lib.program import ROOT


def main():
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("skipped: NumPy is not installed; nothing to compare with")
        return 0
    return subprocess.run([sys.executable, ROOT / "examples/tiny/compare.py"]).returncode


if __name__ == "__main__":
    sys.exit(main())
