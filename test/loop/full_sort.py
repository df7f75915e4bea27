"""sort of one operand, whose elements are made of their keys again where these tell all but the sign of zero and the
bits of a NaN: the bits of the evaluator, also where a line holds little but NaNs, infinities and zeros of both signs.
"""
from lib.every_way import differences, report, special_input

# As many lines as vectors have lanes go side by side, and their number, as their length, is no multiple of anything.
SHAPES = [[129], [300], [9000], [3, 200], [200, 3], [2, 257, 2], [40, 130], [35, 47], [2, 33, 17]]
KINDS = ["f32", "f64", "si32", "ui32", "si64", "ui64", "f16"]


def program(kind, shape, axis, descends):
    x = f"tensor<{kind}, {'x'.join(map(str, shape))}>"
    return (f"func @main(%x: {x}) -> {x} {{\n  %y = sort(%x) axis[{axis}] descending[{str(descends).lower()}] -> {x}\n"
            "  return %y\n}\n")


def check(asked, folder, number, kind, shape, axis):
    source = folder / "a.ptir"
    source.write_text(program(kind, shape, axis, number % 2 == 0))
    is_special = kind in ("f32", "f64", "f16") and number % 3
    return differences(asked, source, special_input(folder, source.read_text(), number)
                       if is_special else [f"random={number}"])


if __name__ == "__main__":
    report([(kind, shape, axis) for shape in SHAPES
            for axis in [max(range(len(shape)), key=lambda a: shape[a])] for kind in KINDS], check)
