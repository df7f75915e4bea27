"""Results that have no element of an operand: positions out of bounds that the operand is made of stop the run all the same."""
import pathlib
import tempfile

from lib.program import tenon

PROGRAM = """func @main(%x: tensor<f32, 9>, %i: tensor<si32, 4>, %y: tensor<f32, 5>, %z: tensor<f32, 0x3>, %k: tensor<si32, 0>) -> tensor<f32, {shape}> {{
  %t = take(%x, %i) -> tensor<f32, 4>
  %e = slice(%t) starts[0] sizes[0] -> tensor<f32, 0>
  %m = reshape(%e) new_shape[2, 0] -> tensor<f32, 2x0>
  %p = cast(%e) -> tensor<si32, 0>
  %n = slice(%i) starts[0] sizes[1] -> tensor<si32, 1>
  %r = {text} -> tensor<f32, {shape}>
  return %r
}}
"""
WAYS = [
    ("concat(%e, %y) axis[0]", "5"),
    ("concat(%y, %e, %y) axis[0]", "10"),
    ("reduce_sum(%m) axes[1]", "2"),
    ("reduce_max(%m) axes[1]", "2"),
    ("pad(%e) low[2] high[1] interior[0] pad_value[1.5]", "3"),
    ("dot_general(%m, %z) contract_lhs[1] contract_rhs[0]", "2x3"),
    ("scatter_reduce(%y, %p, %e) axis[0] reduce[add]", "5"),
    ("scatter_reduce(%y, %k, %e) axis[0] reduce[mul]", "5"),
    ("dynamic_update_slice(%y, %e, %n) sizes[0]", "5"),
    ("segment_reduce(%e, %k) kind[sum] num_segments[3]", "3"),
]


def run(path, engine, position):
    inputs = ["--input", f"x={list(range(9))}", "--input", f"i=[0,1,2,{position}]", "--input", "y=[1,2,3,4,5]", "--random", "1"]
    return tenon("run", path, "-O0", "--engine", engine, "--print", *inputs, allowed=(0, 3))


with tempfile.TemporaryDirectory() as folder:
    for text, shape in WAYS:
        path = pathlib.Path(folder) / "p.ptir"
        path.write_text(PROGRAM.format(text=text, shape=shape))
        fine = [run(path, engine, 8) for engine in ("ref", "jit")]
        assert [r.returncode for r in fine] == [0, 0] and fine[0].stdout == fine[1].stdout, (text, fine)
        bad = [run(path, engine, 9) for engine in ("ref", "jit")]
        assert [r.returncode for r in bad] == [3, 3] and "GatherIndexOutOfBounds" in bad[1].stderr, (text, bad)
