"""Random extremes of windows along several axes: taken along one axis after the other, which -O2 does where it saves
comparisons, they have the evaluator's bits, also of NaNs, signed zeros, and windows that lie outside of the operand."""
import random

from lib.every_way import differences, report, special_input
from lib.program import output

PROGRAMS, LEAST_SPLIT = 40, 15
KINDS, COMBINES = ("f32", "f32", "f16", "f64"), ("max", "min", "max_nan", "min_nan")


def program(seed):
    draw = random.Random(seed)
    kind, rank = draw.choice(KINDS), draw.choice((2, 3, 4, 4, 5))
    axes = []
    for _ in range(rank):
        while True:
            size, taps, stride = draw.randint(1, 20 if rank < 4 else 9), draw.choice((1, 2, 3, 3, 5, 7)), draw.choice((1, 1, 1, 2, 3))
            low, high = draw.choice((0, 0, 1, taps // 2, taps)), draw.choice((0, 0, 1, taps // 2, taps))
            base, dilation = draw.choice((1, 1, 1, 2)), draw.choice((1, 1, 1, 2))
            room = (size - 1) * base + 1 + low + high - (taps - 1) * dilation - 1
            if room >= 0:
                break
        axes.append((size, taps, stride, (low, high), base, dilation, room // stride + 1))
    size, taps, strides, pads, base, dilation, out = map(list, zip(*axes))
    x, y = ("x".join(map(str, s)) for s in (size, out))
    combine = draw.choice(COMBINES if kind == "f32" else COMBINES[:2])
    return f"""\
func @main(%x: tensor<{kind}, {x}>) -> tensor<{kind}, {y}> {{
  %y = reduce_window(%x) window_dims{taps} strides{strides} padding{pads} base_dilation{base} window_dilation{dilation} reduce[{combine}] -> tensor<{kind}, {y}>
  return %y
}}
"""


split = []


def check(asked, folder, number, text):
    source = folder / "p.ptir"
    source.write_text(text)
    split.append(output("opt", source, "--passes", "split-windows").count("reduce_window") > 1)
    given = special_input(folder, text, number)
    if "_nan]" in text:  # which NaN comes out is not promised
        answer = asked.ask([f"file={source}", "levels=2", *given])
        faults = [] if answer.startswith("ok ") else [answer]
    else:
        faults = differences(asked, source, given)
    if number + 1 == PROGRAMS and sum(split) < LEAST_SPLIT:
        faults.append(f"only {sum(split)} programs were split")
    return faults


if __name__ == "__main__":
    report([(program(seed),) for seed in range(PROGRAMS)], check)
