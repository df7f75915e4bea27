"""Columns that are woven into lines compile to baseline code and run, however many there are: LLVM once did not end for complex numbers."""
import pathlib
import sys
import tempfile

from lib import equality

faults = []
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    for kind in ("cf32", "f32", "ui8"):
        for columns in (3, 7, 11, 15):
            of, to = (f"tensor<{kind}, {dims}>" for dims in (f"{columns}x40", f"40x{columns}"))
            path.write_text(f"func @main(%x: {of}) -> {to} {{\n  %y = transpose(%x) perm[1, 0] -> {to}\n  return %y\n}}\n")
            answer = equality.ask([f"file={path}", "levels=2"])
            faults += [] if answer.startswith("ok ") else [f"{columns} columns of {kind}: {answer}"]
print("\n".join(faults) or "all is well")
sys.exit(len(faults) > 0)
