"""Written as StableHLO, read and written again, the functions of full_operations.py come to a text that stays: what the writer puts
around an operation, such as clamps of positions and guards of divisors, is recognised by the reader."""
import pathlib
import subprocess
import sys
import tempfile

import full_operations
from lib.program import TENON

STRIDE = 6  # of so many functions one is taken
ROUNDS = 3  # after so many the text stays


def written(text, folder):
    (folder / "from.mlir").write_text(text, encoding="utf-8")
    done = subprocess.run([TENON, "convert", "--to", "stablehlo", "-o", folder / "to.mlir", folder / "from.mlir"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return (folder / "to.mlir").read_text(encoding="utf-8")


def main():
    stride = int(sys.argv[1]) if len(sys.argv) > 1 else STRIDE
    functions = list(full_operations.functions())[::stride]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        for f in functions:
            text = f.with_inputs()[0]
            for _ in range(ROUNDS):
                text = written(text, pathlib.Path(name))
            again = written(text, pathlib.Path(name))
            if again != text:
                print(f"{f.name}: {len(text.splitlines())} lines became {len(again.splitlines())}")
                failed += 1
    print(f"{len(functions)} programs, {failed} faults")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
