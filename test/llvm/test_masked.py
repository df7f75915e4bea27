"""LLVM's faults that src/target/llvm/plugin/masks.c goes around: are they still there?

Says so where they are mended; then masks.c may go, once no LLVM with them is supported. And a program that met the
first of them, which has the evaluator's bits for every CPU.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from lib.equality import Equality
from lib.every_way import differences

HERE = pathlib.Path(__file__).resolve().parent
PAD = """func @main(%x: tensor<f32, 17x8>) -> tensor<f32, 19x11> {
  %y = pad(%x) low[2, 0] high[0, 3] interior[0, 0] pad_value[0.0] -> tensor<f32, 19x11>
  return %y
}
"""


def llc(name):
    return subprocess.run(["llc-19", "-mtriple=x86_64-linux-gnu", "-mcpu=x86-64-v3", "-o", "-", HERE / name],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def is_there():
    """By the name of each fault."""
    return {"masked.ll": re.search(r"vmovups\s+32\(%rdi\)", llc("masked.ll").stdout) is not None,
            "masked-copy.ll": llc("masked-copy.ll").returncode != 0}


def main():
    if shutil.which("llc-19"):
        for name, found in is_there().items():
            print(f"{name}: {'still there' if found else 'MENDED: masks.c may go with the LLVMs that have it'}")
    else:
        print("skipped: llc-19 is not installed")
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name) / "pad.ptir"
        source.write_text(PAD)
        asked = Equality()
        faults = differences(asked, source, [])
        asked.close()
    print("\n".join(faults))
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main())
