"""Schedules chosen by hand: contractions run under many, with the evaluator's bits under each; explain
shows what was chosen, and what it shows can be asked for.
"""
import itertools
import json
import math
import pathlib
import random
import struct
import sys
import tempfile

from lib.program import start, tenon


def dot(x, y, result, attributes, more=""):
    """A product of X and Y, and what is done with it."""
    return (f"func @main(%x: tensor<{x}>, %w: tensor<{y}>) -> (tensor<{result}>) {{\n"
            f"  %y = dot_general(%x, %w) {attributes} -> tensor<{result}>\n{more}"
            f"  return %{'z' if more else 'y'}\n}}\n")


ROWS = "contract_lhs[1] contract_rhs[0]"
CONVOLUTION = """%0 = Input () {name="x"} : tensor<f32>[2, 11, 9, 6]
%1 = Input () {name="w"} : tensor<f32>[3, 3, 6, 37]
%2 = Conv2d (%0, %1) {padding=Same, strides=[1, 1]} : tensor<f32>[2, 11, 9, 37]
%3 = Relu (%2) : tensor<f32>[2, 11, 9, 37]
outputs: %3
"""


def image(x, w, y, stride="1, 1", pad="[1, 1], [1, 1]", dilate="1, 1"):
    """A convolution whose images and results have their channels apart."""
    return f"""func.func @main(%x: tensor<{x}>, %w: tensor<{w}>) -> tensor<{y}> {{
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {{stride = [{stride}], pad = [{pad}], lhs_dilate = [1, 1], rhs_dilate = [{dilate}]}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (tensor<{x}>, tensor<{w}>) -> tensor<{y}>
  return %y : tensor<{y}>
}}
"""


def with_constant(text, kind):
    """The same where its second operand, of f32, is a constant."""
    count = math.prod(int(n) for n in kind.split("x")[:-1])
    drawn = random.Random(3)
    data = struct.pack(f"<{count}f", *(drawn.uniform(-1, 1) for _ in range(count))).hex()
    return text.replace(f", %w: tensor<{kind}>", "").replace(
        "  %y =", f'  %w = stablehlo.constant dense<"0x{data}"> : tensor<{kind}>\n  %y =')


SOFTMAX_BETWEEN = """func @main(%q: tensor<f32, 2x29x24>, %k: tensor<f32, 2x45x24>, %v: tensor<f32, 2x45x40>)
    -> (tensor<f32, 2x29x40>) {
  %s = dot_general(%q, %k) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[2] -> tensor<f32, 2x29x45>
  %m = reduce_max(%s) axes[2] keepdims[true] -> tensor<f32, 2x29x1>
  %n = broadcast_to(%m) result_shape[2, 29, 45] -> tensor<f32, 2x29x45>
  %d = sub(%s, %n) -> tensor<f32, 2x29x45>
  %e = exp(%d) -> tensor<f32, 2x29x45>
  %t = reduce_sum(%e) axes[2] keepdims[true] -> tensor<f32, 2x29x1>
  %u = broadcast_to(%t) result_shape[2, 29, 45] -> tensor<f32, 2x29x45>
  %p = div(%e, %u) -> tensor<f32, 2x29x45>
  %y = dot_general(%p, %v) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[1] -> tensor<f32, 2x29x40>
  return %y
}
"""
# name and program; K of some is more than a block of the law of bits (docs/numerics.md, section 6)
PROGRAMS = [
    ("rows.ptir", dot("f32, 45x300", "f32, 300x77", "f32, 45x77", ROWS,
                      "  %z = tanh(%y) -> tensor<f32, 45x77>\n")),
    ("long.ptir", dot("f32, 13x1111", "f32, 1111x70", "f32, 13x70", ROWS)),
    ("columns.ptir", dot("f32, 4x531", "f32, 67x531", "f32, 4x67", "contract_lhs[1] contract_rhs[1]")),
    ("left.ptir", dot("f64, 300x31", "f64, 300x41", "f64, 31x41", "contract_lhs[0] contract_rhs[0]")),
    ("two.ptir", dot("f32, 2x600", "f32, 600x520", "f32, 2x520", ROWS)),
    ("many.ptir", dot("f32, 70x517", "f32, 517x131", "f32, 70x131", ROWS)),
    ("deep.ptir", dot("f32, 3x1101", "f32, 1101x77", "f32, 3x77", ROWS)),
    ("vector.ptir", dot("f64, 1300", "f64, 1300x61", "f64, 61", "contract_lhs[0] contract_rhs[0]")),
    ("heads.ptir", dot("f32, 3x2x300", "f32, 3x300x75", "f32, 3x2x75", "batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[1]")),
    ("halves.ptir", dot("bf16, 256x9", "bf16, 256x140", "bf16, 9x140", "contract_lhs[0] contract_rhs[0]")),
    ("bf16.ptir", dot("bf16, 33x130", "bf16, 130x50", "bf16, 33x50", ROWS)),
    ("complex.ptir", dot("cf32, 9x140", "cf32, 140x21", "cf32, 9x21", ROWS)),
    ("short.ptir", dot("si8, 33x270", "si8, 270x50", "si32, 33x50", ROWS + " accum_dtype[si32] out_dtype[si32]")),
    ("bytes.ptir", dot("si8, 33x268", "si8, 268x50", "si32, 33x50", ROWS + " accum_dtype[si32] out_dtype[si32]")),
    ("shorter.ptir", dot("ui4, 2x3x34", "ui4, 2x34x9", "ui32, 2x3x9", "batch_lhs[0] batch_rhs[0] contract_lhs[2] "
                         "contract_rhs[1] accum_dtype[ui32] out_dtype[ui32]")),
    ("batch.ptir", dot("f32, 3x17x70", "f32, 3x70x35", "f32, 3x17x35",
                       "batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[1]")),
    ("convolution.ir", CONVOLUTION),
    ("patches.mlir", image("2x3x20x24xf32", "29x3x5x4xf32", "2x29x4x6xf32", "5, 4", "[0, 0], [0, 0]")),
    ("filters.mlir", with_constant(image("1x24x2x7xf32", "45x24x1x5xf32", "1x45x1x3xf32", "2, 1", "[0, 0], [0, 0]"), "45x24x1x5xf32")),
    ("pieces.mlir", with_constant(image("2x3x20x24xf32", "29x3x5x4xf32", "2x29x4x6xf32", "5, 4", "[0, 0], [0, 0]"), "29x3x5x4xf32")),
    ("strips.mlir", image("3x5x17x40xf64", "21x5x2x9xf64", "3x21x6x4xf64", "3, 10", "[0, 0], [0, 0]")),
    ("narrow.mlir", image("2x64x5x6xf32", "70x64x3x3xf32", "2x70x5x6xf32")),
    ("apart.mlir", image("2x24x21x18xf16", "40x24x3x2xf16", "2x40x11x20xf16", "2, 1", "[1, 1], [2, 2]", "1, 2")),
    ("rgb.mlir", image("2x3x23x30xf32", "33x3x3x3xf32", "2x33x12x15xf32", "2, 2")),
    ("lines.mlir", image("2x4x20x8xf32", "48x4x2x7xf32", "2x48x21x2xf32", "1, 3", "[0, 2], [3, 1]")),
    ("stages.ptir", SOFTMAX_BETWEEN),
]
CHOICES = {
    "rows": [1, 3, 6, 8, 14, 28],
    "vectors": [1, 2, 3, 4, 16],
    "unroll": [1, 2, 3, 7, 8, 16],
    "group": [1, 2, 5, 1000],
    "left": ["in-place", "packed", "channels", "im2col"],
    "right": ["panels", "inside", "rows", "columns", "tiles", "swept"],
    "products": ["single", "pairs", "quads"],
}
DRAWN = 8  # for each program, beside every choice of operands


def text(choices):
    return ",".join(f"{name}={value}" for name, value in choices.items())


def drawn(chance):
    """Some choices, within the room for sums."""
    while True:
        names = chance.sample(sorted(CHOICES), chance.randint(1, len(CHOICES)))
        choices = {name: chance.choice(CHOICES[name]) for name in names}
        if choices.get("rows", 1) * choices.get("vectors", 1) <= 64:
            return choices


def schedules(chance):
    both = [dict(zip(("left", "right"), pair)) for pair in itertools.product(CHOICES["left"], CHOICES["right"])]
    return both + [drawn(chance) for _ in range(DRAWN)]


def results(file, folder, *arguments):
    tenon("run", file, "--random", 7, "--output", folder, *arguments)
    return (folder / "0.npy").read_bytes()


def shown(file, *arguments):
    """The schedules of the first kernel that has any."""
    kernels = json.loads(tenon("explain", file, "--json", *arguments).stdout)["functions"][0]["kernels"]
    return next(k["schedules"] for k in kernels if "schedules" in k)


def check(file, folder, chance):
    """What is wrong with the program in FILE, line by line."""
    want = results(file, folder, "--engine", "ref")
    for n, choices in enumerate(schedules(chance)):
        cpu = ["native", "x86-64-v3", "x86-64"][n % 3]
        if results(file, folder, "--cpu", cpu, "--schedule", text(choices)) != want:
            yield f"{file.name}: other bits for {cpu} with {text(choices)}"
    own = shown(file)
    if len(own) == 1 and shown(file, "--schedule", own[0]) != own:
        yield f"{file.name}: asking for its own schedule {own[0]} gives {shown(file, '--schedule', own[0])}"


def check_effect(folder):
    """A choice is taken where it can be."""
    file = folder / "rows.ptir"
    for choice in ("rows=3", "vectors=1", "unroll=2", "group=2", "left=packed", "right=panels", "right=tiles", "right=inside",
                   "right=rows", "right=swept"):
        if choice not in shown(file, "--schedule", choice)[0].split(","):
            yield f"--schedule {choice} gives {shown(file, '--schedule', choice)[0]}"
    for choice in ("right=columns", "right=swept"):
        if choice not in shown(folder / "columns.ptir", "--schedule", choice)[0].split(","):
            yield f"--schedule {choice} is not taken for columns"
    if "left=im2col" not in shown(folder / "narrow.mlir", "--schedule", "left=im2col")[0].split(","):
        yield "--schedule left=im2col is not taken for a narrow image"
    for name in ("narrow.mlir", "apart.mlir", "rgb.mlir"):
        if "left=channels" not in shown(folder / name, "--schedule", "left=channels")[0].split(","):
            yield f"--schedule left=channels is not taken for {name}"
    if "products=pairs" not in shown(folder / "shorter.ptir", "--schedule", "products=pairs")[0]:
        yield "--schedule products=pairs is not taken for short integers"
    dump = tenon("explain", file, "--dump", "kernels", "--schedule", "rows=3,right=panels").stdout
    if "  schedule rows=3," not in dump:
        yield f"--dump kernels does not show the schedule:\n{dump}"
    source = tenon("compile", file, "-o", folder / "one.c", "--schedule", "rows=1")
    other = tenon("compile", file, "-o", folder / "two.c", "--schedule", "rows=2")
    if source.stderr or other.stderr or (folder / "one.c").read_text() == (folder / "two.c").read_text():
        yield "compile does not take the schedule"
    for wrong in ("rows=0", "rows=29", "rows", "height=2", "right=above", "rows=28,vectors=16", "rows=2;vectors=1",
                  "group=99999999999999999999"):
        done = start("run", file, "--random", 1, "--schedule", wrong)
        if done.returncode != 2 or "is no schedule" not in done.stderr:
            yield f"--schedule {wrong} ends with {done.returncode}: {done.stderr}"


def main():
    chance = random.Random(5)
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, program in PROGRAMS:
            (folder / file).write_text(program)
        for file, _ in PROGRAMS:
            faults += check(folder / file, folder / "results", chance)
        faults += check_effect(folder)
    print("\n".join(faults) or f"{len(PROGRAMS)} programs, every schedule the same bits")
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main())
