"""Loops over the products of windows are unrolled where a block of sums is small, so that few instructions are not multiply-adds: also
where all panels of the right operand are met before the next rows. A block that fills 32 registers is work enough for an iteration."""
import pathlib
import re
import tempfile

from lib.program import tenon

IMAGE, FILTERS = "tensor<f32, 1x40x40x64>", "tensor<f32, 64x64x3x3>"
PROGRAM = f"""func @main(%x: {IMAGE}, %w: {FILTERS}) -> {IMAGE} {{
  %y = convolution(%x, %w) strides[1, 1] padding[(1, 1), (1, 1)] base_dilation[1, 1] dilation[1, 1] lhs_axes[0, 3, 1, 2] out_axes[0, 3, 1, 2] -> {IMAGE}
  return %y
}}
"""

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(PROGRAM)
    results = set()
    for cpu in ("x86-64-v3", "x86-64-v4"):
        plan = tenon("explain", path, "--cpu", cpu).stdout
        rows, vectors, unroll, group = map(int, re.search(r"rows=(\d+),vectors=(\d+),unroll=(\d+),group=(\d+)", plan).groups())
        assert group == 1, plan
        assert (unroll >= 4) == (rows * vectors < 16), plan
    for options in (["--engine", "ref"], ["--threads", 1], ["--schedule", "unroll=1"], ["--cpu", "x86-64"]):
        tenon("run", path, "--random", 3, "--output", folder, *options)
        results.add((pathlib.Path(folder) / "0.npy").read_bytes())
    assert len(results) == 1
