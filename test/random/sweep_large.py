"""Random products, convolutions, attention and sums of rows with hundreds of channels and thousands of products: the
kernels are compared with the evaluator, for each processor whose code runs here.

    sweep_large.py [COUNT [SEED]]

Other random programs have small extents, which meet few of the ways to cut a contraction into blocks, panels and tiles.
"""
import math
import sys
from random import Random

from lib import package  # noqa: F401
from lib.numbered import judge

import numpy as np

import tenon

WORK = 3e8  # multiply-adds of a program, at most: the evaluator takes less than a second
FAST = ["f32", "f32", "f32", "f64", "bf16", "f16", "si8", "ui8"]  # ui8: less a zero point, with weights of si8
SUMMED = {"bf16": "f32", "f16": "f32", "si8": "si32", "ui8": "si32"}


def tensor(dtype, *dims):
    return f"tensor<{dtype}, {'x'.join(map(str, dims))}>"


def listed(numbers):
    return ", ".join(map(str, numbers))


def extent(r, most):
    """From 1 to about MOST: any size as likely as any other; a power of two as likely as those beside it."""
    return max(1, round(math.exp(r.uniform(0, math.log(most)))) + r.choice([0, 0, 0, -1, 1, 3]))


def many(r, most):
    """The same, or a multiple of 16 that is as likely large as small."""
    return 16 * r.randint(2, most // 16) if r.random() < 0.5 else extent(r, most)


def sum_types(dtype):
    """The type of sums, and the attributes that say so."""
    summed = SUMMED.get(dtype, dtype)
    return summed, "" if summed == dtype or dtype == "ui8" else f" accum_dtype[{summed}] out_dtype[{summed}]"


def centred(inputs, lines):
    """LINES on the two INPUTS, the first one of ui8 less a zero point, the other one of si8."""
    x, w = inputs
    wide = {name: of.replace("ui8", "si32") for name, of in inputs.items()}
    shape = wide[x].split(", ")[1][:-1].split("x")
    before = [(f"cast(%{x})", wide[x]), ("constant value[57]", "tensor<si32>"), (f"broadcast_to(%v1) result_shape[{listed(shape)}]", wide[x]),
              ("sub(%v0, %v2)", wide[x]), (f"cast(%{w})", wide[w])]
    (line, of), = lines
    return {x: inputs[x], w: inputs[w].replace("ui8", "si8")}, before + [(line.replace(f"(%{x}, %{w})", "(%v3, %v4)"), of)]


def function(inputs, lines, result):
    """A program of LINES, each an expression and its type, the last of which is the result."""
    if "ui8" in "".join(inputs.values()):
        inputs, lines = centred(inputs, lines)
    shown = ", ".join(f"%{name}: {of}" for name, of in inputs.items())
    body = "".join(f"  %v{i} = {line} -> {of}\n" for i, (line, of) in enumerate(lines))
    return f"func @main({shown}) -> {result} {{\n{body}  return %v{len(lines) - 1}\n}}\n"


def convolution(r):
    spatial, dtype = r.choice([1, 2, 2]), r.choice(FAST)
    images, sizes = extent(r, 4), [extent(r, 28 if spatial == 2 else 300) for _ in range(spatial)]
    window, strides = [r.choice([1, 1, 3, 3, 5]) for _ in sizes], [r.choice([1, 1, 2]) for _ in sizes]
    dilation, padding = [r.choice([1, 1, 1, 2]) for _ in sizes], [(r.randint(0, k), r.randint(0, k)) for k in window]
    groups, of_group = r.choice([(1, many(r, 768))] * 4 + [(extent(r, 4), extent(r, 128)), (extent(r, 512), 1)])
    results = many(r, 768) if groups == 1 else groups * r.choice([1, 1, 2])
    out = [(n + sum(p) - (k - 1) * d - 1) // s + 1 for n, p, k, s, d in zip(sizes, padding, window, strides, dilation)]
    if min(out) < 1:
        return None, 0
    work = images * results * math.prod(out) * of_group * math.prod(window)
    is_first, is_last = r.random() < 0.5, r.random() < 0.5  # channels, of images and of filters
    axes = [0, 1, *range(2, 2 + spatial)] if is_first else [0, 1 + spatial, *range(1, 1 + spatial)]

    def image(channels, dims):
        return (images, channels, *dims) if is_first else (images, *dims, channels)
    filters = (*window, of_group, results) if is_last else (results, of_group, *window)
    summed, types = sum_types(dtype)
    y = tensor(summed, *image(results, out))
    attributes = (f"strides[{listed(strides)}] padding[{listed(padding)}] base_dilation[{listed([1] * spatial)}] "
                  f"dilation[{listed(dilation)}] lhs_axes[{listed(axes)}] out_axes[{listed(axes)}] groups[{groups}]{types}")
    if is_last:
        attributes += f" rhs_axes[{spatial + 1}, {spatial}, {listed(range(spatial))}]"
    inputs = {"x": tensor(dtype, *image(groups * of_group, sizes)), "w": tensor(dtype, *filters)}
    return function(inputs, [(f"convolution(%x, %w) {attributes}", y)] + follow_up(r, summed, y), y), work


def follow_up(r, dtype, of):
    """What is done with the value %v0, perhaps."""
    return [("tanh(%v0)", of)] if dtype == "f32" and r.random() < 0.3 else []


def product(r):
    dtype, batch = r.choice(FAST), r.choice([(), (), (extent(r, 6),), (2, extent(r, 4))])
    m, k, n = extent(r, 700), many(r, 3000), many(r, 3000)
    turned, count = (r.random() < 0.4, r.random() < 0.4), len(batch)
    a, b = (k, m) if turned[0] else (m, k), (n, k) if turned[1] else (k, n)
    summed, types = sum_types(dtype)
    y = tensor(summed, *batch, m, n)
    attributes = f"contract_lhs[{count + (not turned[0])}] contract_rhs[{count + turned[1]}]{types}"
    if batch:
        attributes = f"batch_lhs[{listed(range(count))}] batch_rhs[{listed(range(count))}] {attributes}"
    inputs = {"a": tensor(dtype, *batch, *a), "b": tensor(dtype, *batch, *b)}
    return function(inputs, [(f"dot_general(%a, %b) {attributes}", y)] + follow_up(r, summed, y), y), math.prod(batch) * m * n * k


def softmax(of, dims, axis, before):
    """Lines for the quotients along AXIS of the last of BEFORE."""
    column = tensor(of, *(1 if i == axis else d for i, d in enumerate(dims)))
    x, whole, shape = len(before) - 1, tensor(of, *dims), f"result_shape[{listed(dims)}]"
    return before + [
        (f"reduce_max(%v{x}) axes[{axis}] keepdims[true]", column), (f"broadcast_to(%v{x + 1}) {shape}", whole),
        (f"sub(%v{x}, %v{x + 2})", whole), (f"exp(%v{x + 3})", whole),
        (f"reduce_sum(%v{x + 4}) axes[{axis}] keepdims[true]", column), (f"broadcast_to(%v{x + 5}) {shape}", whole),
        (f"div(%v{x + 4}, %v{x + 6})", whole)]


def attention(r):
    heads, queries, keys = extent(r, 4), extent(r, 200), extent(r, 600)
    width, values = r.choice([8, 16, 32, 40, 64, 80, 128]), r.choice([16, 32, 64, 100])
    dims = (heads, queries, keys)
    scores, y = tensor("f32", *dims), tensor("f32", heads, queries, values)
    inputs = {"q": tensor("f32", heads, queries, width), "k": tensor("f32", heads, keys, width), "u": tensor("f32", heads, keys, values)}
    lines = [("dot_general(%q, %k) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[2]", scores)]
    if r.random() < 0.5:
        inputs["mask"] = tensor("f32", queries, keys)
        lines += [(f"broadcast_to(%mask) result_shape[{listed(dims)}]", scores), ("add(%v0, %v1)", scores)]
    lines = softmax("f32", dims, 2, lines)
    lines.append((f"dot_general(%v{len(lines) - 1}, %u) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[1]", y))
    return function(inputs, lines, y), heads * queries * keys * (width + values)


def rows(r):
    dims, axis = (extent(r, 3000), extent(r, 3000)), r.randint(0, 1)
    x = tensor("f32", *dims)
    return function({"x": x}, softmax("f32", dims, axis, [("neg(%x)", x)]), x), 100 * math.prod(dims)


def drawn(r):
    while True:
        text, work = r.choice([convolution, convolution, convolution, product, product, attention, rows])(r)
        if text and work <= WORK:
            return text


STORED = {"f32": np.float32, "f64": np.float64, "f16": np.float16}


def data(port, random):
    x = random.random([int(d) for d in port.shape]) - 0.5
    if port.dtype in ("si8", "ui8"):
        return (200 * x).astype(np.int8).view(port.dtype.replace("s", "").replace("i", "int"))
    if port.dtype == "bf16": # the upper halves of f32
        return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return x.astype(STORED[port.dtype])


def check(number, cpus):
    """What the program NUMBER does wrong. Its last input, which may be a filter, is a constant in half of them."""
    r, random = Random(number), np.random.default_rng(number)
    text, cpu, threads, is_constant = drawn(r), r.choice([None, *cpus]), r.choice([1, 1, 2, 3]), r.random() < 0.5
    module = tenon.read(text)
    inputs = {i.name: data(i, random) for i in module.inputs}
    if is_constant and len(inputs) > 1:
        name = list(inputs)[-1]
        module = module.constants({name: inputs.pop(name)})
    try:
        module.compile(cpu=cpu, threads=threads, check=True, eager=True)(*inputs.values())
    except tenon.Error as error:
        return [f"{number} for {cpu}, {threads} threads, {'' if is_constant else 'not '}constant: {error}\n{text}"]
    return []


if __name__ == "__main__":
    sys.exit(judge(check, 300))
