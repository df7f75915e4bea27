"""arg_max along every axis, of lines that are short, long, few and many: the positions of the evaluator, also
where a line holds nothing but NaNs, infinities and zeros of both signs.
"""
from lib.every_way import differences, report, special_input

SHAPES = [[70], [17001], [33, 5], [5, 33], [2, 9, 600], [700, 40], [3, 50, 7], [4, 1, 1100], [1, 257], [2, 17001],
          [100, 3], [2, 133, 7], [300, 2], [64, 4], [40, 2], [50, 8], [3, 70, 6]]
KINDS = ["f32", "f64", "f16", "bf16", "fp8_e5m2", "si8", "ui16", "si64", "i1"]


def program(kind, shape, axis, to):
    dims = "x".join(map(str, shape))
    kept = "x".join(map(str, shape[:axis] + shape[axis + 1:]))
    out = f"tensor<{to}, {kept}>" if kept else f"tensor<{to}>"
    return (f"func @main(%x: tensor<{kind}, {dims}>) -> {out} {{\n"
            f"  %y = arg_max(%x) axis[{axis}] output_dtype[{to}] -> {out}\n  return %y\n}}\n")


def check(asked, folder, number, kind, shape, axis):
    source = folder / "a.ptir"
    source.write_text(program(kind, shape, axis, "si32" if number % 2 else "si64"))
    is_special = kind in ("f32", "f64", "f16") and number % 3
    return differences(asked, source, special_input(folder, source.read_text(), number)
                       if is_special else [f"random={number}"])


if __name__ == "__main__":
    report([(kind, shape, axis) for shape in SHAPES for axis in range(len(shape))
            for kind in (KINDS if len(shape) < 2 else KINDS[axis:3 * len(shape):3])], check)
