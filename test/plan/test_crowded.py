"""Rows of the left operand that lie side by side share lines of the cache, and come as many at a time as registers hold;
rows that fall into few sets of it come six at a time."""
import json
import pathlib
import tempfile

from lib.program import tenon


def rows(folder, left, right, result, axis):
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(f"func @main(%x: tensor<f32, {left}>, %w: tensor<f32, {right}>) -> tensor<f32, {result}> {{\n"
                    f"  %y = dot_general(%x, %w) contract_lhs[{axis}] contract_rhs[0] -> tensor<f32, {result}>\n  return %y\n}}\n")
    (kernel,) = json.loads(tenon("explain", "--json", "--cpu", "x86-64-v4", path).stdout)["functions"][0]["kernels"]
    (schedule,) = kernel["schedules"]
    return schedule


with tempfile.TemporaryDirectory() as folder:
    # each product has another line, which all rows of a block share
    side_by_side = rows(folder, "64x9216", "64x10", "9216x10", 0)
    crowded = rows(folder, "4096x1024", "1024x16", "4096x16", 1)
    assert crowded.startswith("rows=6,"), crowded
    assert side_by_side.startswith("rows=24,"), side_by_side
