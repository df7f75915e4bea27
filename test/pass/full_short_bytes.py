"""Products of bytes less a zero point with constant weights, in every way that programs run; a border is the zero point there.

    full_short_bytes.py [COUNT [FIRST]]
"""
import pathlib
import sys
import tempfile
from random import Random

from lib import equality


def of(dtype, shape):
    return f"tensor<{dtype}, {'x'.join(map(str, shape))}>" if shape else f"tensor<{dtype}>"


def constant(name, dtype, shape, numbers):
    return f"  %{name} = constant value[{', '.join(map(str, numbers))}] -> {of(dtype, shape)}"


def weights(r, shape):
    """Of 8 bits with a sign, or without one and with a zero point of 128."""
    n, wide = 1, of("si32", shape)
    for e in shape:
        n *= e
    numbers = [r.randint(-128, 127) for _ in range(n)]
    if r.random() < 0.7:
        return [constant("s", "si8", shape, numbers), f"  %w = cast(%s) -> {wide}"]
    return [constant("s", "ui8", shape, [x + 128 for x in numbers]), f"  %t = cast(%s) -> {wide}",
            constant("h", "si32", [], [128]), f"  %g = broadcast_to(%h) result_shape{list(shape)} -> {wide}",
            f"  %w = sub(%t, %g) -> {wide}"]


def centred(r, shape):
    """The input %x less a zero point, which may be 0, beyond its numbers, known only when the program runs, or as many as
    there are elements in the last axis."""
    dtype, wide = r.choice(("ui8", "ui8", "si8")), of("si32", shape)
    low = 0 if dtype == "ui8" else -128
    z = r.choice((low, low + 1, low + 128, low + 255, r.randint(low, low + 255), r.randint(low, low + 255), 300))
    zeros = [constant("z", "si32", [], [z])]
    if r.random() < 0.15:
        zeros = [constant("z", "si32", shape[-1:], [r.randint(low, low + 255) for _ in range(shape[-1])])]
    elif r.random() < 0.3:
        one = r.choice(([], [1]))
        zeros = [f"  %m = reduce_max(%x) axes{list(range(len(shape)))} -> {of(dtype, [])}", f"  %k = cast(%m) -> {of('si32', [])}",
                 f"  %z = reshape(%k) new_shape{one} -> {of('si32', one)}"]
    return dtype, [f"  %c = cast(%x) -> {wide}", *zeros, f"  %b = broadcast_to(%z) result_shape{list(shape)} -> {wide}",
                   f"  %a = sub(%c, %b) -> {wide}"]


def convolution(r):
    groups, c, co = r.choice(((1, 4, 16), (1, 8, 24), (1, 20, 17), (2, 4, 13), (2, 8, 16), (1, 3, 16), (1, 6, 19), (8, 1, 8)))
    k, stride, image = r.choice((1, 3, 3)), r.choice((1, 1, 2)), [r.randint(5, 12), r.randint(5, 17)]
    pads = [(r.choice((0, 1, 2)), r.choice((0, 1))) for _ in image]
    out = [(n + sum(p) - k) // stride + 1 for n, p in zip(image, pads)]
    if r.random() < 0.5:
        x, y, axes = [2, groups * c, *image], [2, co * groups, *out], [0, 1, 2, 3]
    else:
        x, y, axes = [2, *image, groups * c], [2, *out, co * groups], [0, 3, 1, 2]
    dtype, left = centred(r, x)
    op = (f"convolution(%a, %w) strides[{stride}, {stride}] padding{pads} base_dilation[1, 1] dilation[1, 1] "
          f"lhs_axes{axes} out_axes{axes} groups[{groups}]")
    return dtype, x, left + weights(r, [co * groups, c, k, k]), op, y


def product(r):
    batch, m, k, n = r.choice(([], [], [2])), r.randint(12, 40), r.choice((4, 8, 36, 64, 7, 260)), r.randint(12, 50)
    dtype, left = centred(r, [*batch, m, k])
    turned = r.random() < 0.5
    w = [*batch, n, k] if turned else [*batch, k, n]
    b = list(range(len(batch)))
    op = f"dot_general(%a, %w) batch_lhs{b} batch_rhs{b} contract_lhs[{len(b) + 1}] contract_rhs[{len(b) + turned}]"
    return dtype, [*batch, m, k], left + weights(r, w), op, [*batch, m, n]


def drawn(number):
    r = Random(number)
    dtype, x, lines, op, y = r.choice((convolution, convolution, product))(r)
    return "\n".join([f"func @main(%x: {of(dtype, x)}) -> {of('si32', y)} {{", *lines, f"  %y = {op} -> {of('si32', y)}", "  return %y", "}", ""])


def main(count=20, first=1):
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for number in range(first, first + count):
            path = pathlib.Path(folder) / f"p{number}.ptir"
            path.write_text(drawn(number))
            jobs.append([f"file={path}", "dialect=ptir-text", f"random={number}", "levels=02"])
        for fields, answer in zip(jobs, equality.ask_all(jobs)):
            if not answer.startswith("ok "):
                path = pathlib.Path(fields[0].split("=", 1)[1])
                faults += 1
                print(f"{path.name}: {answer}\n{path.read_text()[:3000]}", flush=True)
    print(f"{count} programs, {faults} faults")
    return faults


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
