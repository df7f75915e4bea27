"""Choices between single floats read nothing behind their operands, whatever code they are compiled to."""
import pathlib
import sys
import tempfile

from lib import equality

STEPS = ["select(%c, %y, %z)", "select(%c, %z, %y)", "select(%c, %y, %x)", "maximum(%x, %y)", "minimum_nan(%x, %y)", "clamp(%x, %z, %y)"]


def program(kind, shape, step):
    one, mask = (f"tensor<{t}{shape}>" for t in (kind, "i1"))
    return f"""func @main(%x: {one}, %y: {one}) -> {one} {{
  %z = constant value[0.0] -> {one}
  %c = compare(%x, %z) op[greater] -> {mask}
  %r = {step} -> {one}
  return %r
}}
"""


faults = []
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    for kind in ("f32", "f64"):
        for shape in ("", ", 1"):
            for step in STEPS:
                path.write_text(program(kind, shape, step))
                answer = equality.ask([f"file={path}", "levels=2"])
                faults += [] if answer.startswith("ok ") else [f"{step} of {kind}[{shape.strip(', ')}]: {answer}"]
print("\n".join(faults) or "all is well")
sys.exit(len(faults) > 0)
