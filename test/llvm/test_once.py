"""Loops of a single iteration leave nothing behind: a counter of positions (phi i64) is that of a loop that turns."""
import pathlib
import sys
import tempfile

from lib.program import tenon

# The columns of an update are one, and so are the rows of what is filled.
ADD = """func @main(%x: tensor<f32, 4096>, %i: tensor<si32, 8192>, %u: tensor<f32, 8192>) -> tensor<f32, 4096> {
  %y = scatter_add(%x, %i, %u) update_window_dims[] inserted_window_dims[0] scatter_dims_to_operand_dims[0] -> tensor<f32, 4096>
  return %y
}
"""
LOOPS = 5  # the items of two kernels; positions that are checked, elements that are copied, updates


def main():
    with tempfile.TemporaryDirectory() as name:
        source, out = pathlib.Path(name) / "add.ptir", pathlib.Path(name) / "add.ll"
        source.write_text(ADD)
        tenon("compile", source, "-o", out, "--target", "x86_64-linux-gnu", "--cpu", "x86-64-v3")
        found = out.read_text().count("= phi i64")
    print(f"{found} loops, {LOOPS} are needed")
    return found > LOOPS


if __name__ == "__main__":
    sys.exit(main())
