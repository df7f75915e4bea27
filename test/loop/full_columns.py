"""Sums along an axis that is not the last, of values that are results too: these are stored as they are added up, once."""
import itertools

from lib.every_way import differences_of_text, report

LENGTHS, WIDTHS = (3, 20, 40, 128, 256, 1100), (5, 24, 60, 264)
ODD = ((2100, 264), (2500, 24), (5200, 60))  # of an odd number of blocks of 1024, and of one that becomes odd


def program(kind, length, width, reductions):
    x, one = f"tensor<{kind}, 2x{length}x{width}>", f"tensor<{kind}, 2x{width}>"
    lines = [f"  %r{i} = reduce_{how}(%y) axes[1] -> {one}" for i, how in enumerate(reductions)]
    names = [f"%r{i}" for i in range(len(reductions))]
    return "\n".join([f"func @main(%x: {x}) -> ({', '.join([one] * len(names) + [x])}) {{", f"  %s = sigmoid(%x) -> {x}",
                      f"  %y = mul(%x, %s) -> {x}", *lines, f"  return {', '.join(names)}, %y", "}", ""])


def programs():
    pairs = [*itertools.product(LENGTHS, WIDTHS), *ODD]
    for number, (length, width) in enumerate(pairs):
        reductions = (["sum"], ["max"], ["sum", "max"])[number % 3]
        yield (program("f64" if number % 5 == 4 else "f16" if number % 7 == 6 else "f32", length, width, reductions),)


if __name__ == "__main__":
    report(list(programs()), differences_of_text)
