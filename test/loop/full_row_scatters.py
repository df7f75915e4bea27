"""Updates of whole rows at positions that are repeated along them, of operands in memory, computed and known: large ones in
parts, with the bits of the evaluator; and those whose positions differ along rows, or are repeated along other axes."""
import json
import random
import tempfile
import pathlib

from lib.every_way import differences, report
from lib.program import start, tenon

COMBINES = ("Add", "Max", "Min", "Replace", "Mul")
KINDS = ("f32", "f32", "f32", "f64", "f16", "bf16", "si32", "ui8")
LARGE = [(0, (40000, 16), 3000), (0, (5000, 129), 700), (1, (2, 9000, 24), 500)]  # axis, operand, updates


def program(seed):
    draw = random.Random(seed)
    kind, at = draw.choice(KINDS), draw.choice(("si64", "si32"))
    if seed < len(LARGE):
        axis, dims, n = LARGE[seed]
        kind = "f32"
    else:
        dims = [draw.choice((1, 2, 3, 5, 8, 16, 33, 130)) for _ in range(draw.randint(1, 3))]
        axis, n = draw.randrange(len(dims)), draw.randint(1, 40)
    updates = [*dims[:axis], n, *dims[axis + 1:]]
    rows = [*dims[:axis + 1], *[1] * (len(dims) - axis - 1)]
    rows[axis] = n
    if draw.random() < 0.2:  # along which they may differ
        rows[draw.randrange(len(rows))] = updates[axis] if len(rows) == 1 else 1
        rows[axis] = n
    x, u, i, p = ("x".join(map(str, d)) for d in (dims, updates, updates, rows))
    combine = draw.choice(COMBINES)
    start = {"input": "neg(%x)", "computed": "mul(%x, %x)", "known": "constant fill[3]"}
    how = draw.choice(list(start)) if kind != "ui8" else draw.choice(("computed", "known"))
    return f"""\
func @main(%x: tensor<{kind}, {x}>, %i: tensor<{at}, {p}>, %u: tensor<{kind}, {u}>) -> (tensor<{kind}, {x}>, tensor<{kind}, {x}>) {{
  %b = broadcast_to(%i) result_shape{updates} -> tensor<{at}, {i}>
  %s = {start[how]} -> tensor<{kind}, {x}>
  %y = scatter_reduce(%s, %b, %u) axis[{axis}] reduce[{combine}] -> tensor<{kind}, {x}>
  %z = scatter_reduce(%x, %b, %u) axis[{axis}] reduce[{combine}] -> tensor<{kind}, {x}>
  return %y, %z
}}
"""


def check(asked, folder, number, text):
    source = folder / "p.ptir"
    source.write_text(text)
    return differences(asked, source, [f"random={number}"])


def kernels(folder, text):
    path = folder / "k.ptir"
    path.write_text(text)
    return json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]


def check_plan(folder):
    """Positions of rows are never repeated in memory, nor is a known operand; one that is outside fails."""
    text = """\
func @main(%i: tensor<si64, 500x1>, %u: tensor<f32, 500x64>) -> tensor<f32, 9000x64> {
  %b = broadcast_to(%i) result_shape[500, 64] -> tensor<si64, 500x64>
  %x = constant fill[0] -> tensor<f32, 9000x64>
  %y = scatter_reduce(%x, %b, %u) axis[0] reduce[Add] -> tensor<f32, 9000x64>
  return %y
}
"""
    (kernel,) = kernels(folder, text)
    assert len(kernel["reads"]) == 2, kernel
    small = text.replace("%i: tensor<si64, 500x1>, ", "").replace("500", "2").replace("9000", "3").replace(
        "  %b =", "  %i = constant value[1, 3] -> tensor<si64, 2x1>\n  %b =")
    (folder / "f.ptir").write_text(small)
    for engine in ("jit", "ref"):
        done = start("run", folder / "f.ptir", "--random", "1", "--engine", engine)
        assert done.returncode == 3 and "index 3 of" in done.stderr, done


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        check_plan(pathlib.Path(name))
    report([(program(seed),) for seed in range(60)], check)
