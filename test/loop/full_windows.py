"""Convolutions as dialects without them write it: windows are read in place by one contraction, with the
bits of the evaluator. So are those of pooling, by one kernel.
"""
import json
import math
import re

from lib.every_way import differences, report, special_input
from lib.program import output


def patches(n, h, w, c, k, s, d, p, groups, co, kind="f32", filters_first=False):
    """PTIR: windows of x[n, h, w, c] times filters."""
    oh, ow = ((e + 2 * p - d * (k - 1) - 1) // s + 1 for e in (h, w))
    cg = c // groups
    rows = f"{n}x{oh}x{ow}x{k}x{k}x{groups}x{cg}"
    out = [groups, co, n, oh, ow] if filters_first else [groups, n, oh, ow, co]
    both = (("%w", "batch_lhs[1] batch_rhs[5] contract_lhs[3, 4, 2] contract_rhs[3, 4, 6]", "%p")
            if filters_first else
            ("%p", "batch_lhs[5] batch_rhs[1] contract_lhs[3, 4, 6] contract_rhs[3, 4, 2]", "%w"))
    shape = "x".join(map(str, out))
    return "ptir", f"""\
func @main(%x: tensor<{kind}, {n}x{h}x{w}x{c}>, %w: tensor<{kind}, {co}x{groups}x{cg}x{k}x{k}>) -> tensor<{kind}, {shape}> {{
  %q = extract_patches(%x) window[{k}, {k}] strides[{s}, {s}] dilation[{d}, {d}] padding[({p}, {p}), ({p}, {p})] pad_value[0.0] -> tensor<{kind}, {n}x{oh}x{ow}x{k * k * c}>
  %p = reshape(%q) new_shape[{rows.replace("x", ", ")}] -> tensor<{kind}, {rows}>
  %y = dot_general({both[0]}, {both[2]}) {both[1]} -> tensor<{kind}, {shape}>
  return %y
}}
"""


def pooled(n, c, h, w, k, s, p, co):
    """Tiny IR: x[n, c, h, w] and w[co, c, k, k], products summed."""
    oh, ow = ((e + 2 * p - k) // s + 1 for e in (h, w))
    all_ = [n, co, c, oh, ow, k, k]

    def node(name, uop, src, **arg):
        return {"id": name, "uop": uop, "src": src, "arg": arg}

    uops = [{"id": i, "uop": "INPUT", "arg": {"tensor_id": i, "dtype": "fp32", "shape": shape}}
            for i, shape in (("x", [n, c, h, w]), ("w", [co, c, k, k]))]
    uops += [node("p", "PAD", ["x"], pad=[[0, 0], [0, 0], [p, p], [p, p]]),
             node("k", "POOL", ["p"], kernel=[k, k], stride=[s, s]),
             node("r", "RESHAPE", ["k"], result_shape=[n, 1, c, oh, ow, k, k]),
             node("e", "EXPAND", ["r"], result_shape=all_),
             node("v", "RESHAPE", ["w"], result_shape=[1, co, c, 1, 1, k, k]),
             node("m", "MUL", ["e", "v"]),
             node("y", "REDUCE", ["m"], op="SUM", axes=[2, 5, 6], dtype="fp32")]
    return "tiny.json", json.dumps({"uops": uops})


def depthwise(n, h, w, c, filters, strides, dilation, pads, kind="f32", last=True, each=(1, 1)):
    """PTIR: C groups of channels by filters of their own, EACH of as many channels and filters; with channels last in blocks of
    lines and rows of results."""
    groups, (ci, co) = c, each
    oh, ow = ((e + sum(p) - d * (k - 1) - 1) // s + 1 for e, k, s, d, p in zip((h, w), filters, strides, dilation, pads))
    (kh, kw), layout = filters, ""
    x, f, y = (f"tensor<{kind}, {shape}>" for shape in (f"{n}x{groups * ci}x{h}x{w}", f"{groups * co}x{ci}x{kh}x{kw}",
                                                    f"{n}x{groups * co}x{oh}x{ow}"))
    if last:
        x, f, y = (f"tensor<{kind}, {shape}>" for shape in (f"{n}x{h}x{w}x{groups * ci}", f"{kh}x{kw}x{ci}x{groups * co}",
                                                        f"{n}x{oh}x{ow}x{groups * co}"))
        layout = " lhs_axes[0, 3, 1, 2] rhs_axes[3, 2, 0, 1] out_axes[0, 3, 1, 2]"
    return "ptir", f"""\
func @main(%x: {x}, %w: {f}) -> {y} {{
  %y = convolution(%x, %w) strides{strides} padding{pads} base_dilation[1, 1] dilation{dilation} groups[{groups}]{layout} -> {y}
  return %y
}}
"""


def window(shape, out, dims, strides, pads, how, kind="f32"):
    """PTIR: pooling."""
    ones = ", ".join("1" for _ in dims)
    x, y = ("x".join(map(str, dims_)) for dims_ in (shape, out))
    return "ptir", f"""\
func @main(%x: tensor<{kind}, {x}>) -> tensor<{kind}, {y}> {{
  %y = reduce_window(%x) window_dims{dims} strides{strides} padding{pads} base_dilation[{ones}] window_dilation[{ones}] reduce[{how}] -> tensor<{kind}, {y}>
  return %y
}}
"""


def along(width, k, s, p, how, kind="f32"):
    """PTIR: pooling of images by rows, results in vectors whose lanes read S apart."""
    out = (width + 2 * p - k) // s + 1
    return window([2, 5, width], [2, 5 + 2 * p - k + 1, out], [1, k, k], [1, 1, s],
                  [(0, 0), (p, p), (p, p)], how, kind)


POOLS = [window(*rest, how)
         for how in ("max", "sum", "min")
         for rest in (([2, 13, 12, 40], [2, 7, 6, 40], [1, 3, 3, 1], [1, 2, 2, 1],
                       [(0, 0), (1, 1), (1, 1), (0, 0)]),
                      ([3, 9, 14, 35], [3, 9, 7, 33], [1, 1, 3, 3], [1, 1, 2, 1],
                       [(0, 0), (0, 0), (1, 1), (0, 0)]))]
POOLS += [along(width, k, s, p, how)
          for width, k, s, p in ((16, 2, 2, 0), (28, 3, 2, 1), (55, 3, 1, 1), (99, 3, 3, 0),
                                 (130, 2, 4, 0), (71, 3, 4, 1), (60, 4, 5, 1), (64, 1, 2, 0))
          for how in ("max", "min", "sum")]
POOLS += [along(40, 3, s, 1, how, kind) for kind in ("f64", "f16", "si8") for s in (1, 2, 3)
          for how in ("max", "min")]
POOLS += [window([2, 3 * h, 5 * w], [2, 3, 5], [1, h, w], [1, h, w], [(0, 0)] * 3, how, kind)  # side by side
          for h, w in ((7, 7), (16, 16), (8, 8), (9, 4), (3, 32), (5, 64), (4, 24))
          for how, kind in (("sum", "f32"), ("max", "f32"), ("sum", "f64"), ("sum", "f16"), ("sum", "si8"))]
PROGRAMS = [
    patches(1, 12, 13, 8, 3, 1, 1, 1, 1, 20),
    patches(2, 11, 9, 3, 7, 2, 1, 3, 1, 33),
    patches(1, 15, 14, 6, 3, 1, 2, 2, 1, 17),
    patches(2, 10, 10, 8, 3, 1, 1, 1, 4, 5),
    patches(1, 9, 9, 16, 3, 2, 1, 0, 1, 16),
    patches(1, 12, 13, 8, 3, 1, 1, 1, 1, 20, filters_first=True),
    patches(2, 10, 10, 8, 3, 1, 2, 2, 2, 5, filters_first=True),
    patches(1, 10, 12, 8, 3, 1, 1, 1, 1, 20, kind="bf16"),
    patches(1, 10, 12, 8, 3, 1, 1, 0, 1, 20, kind="f64", filters_first=True),
    depthwise(1, 8, 9, 37, [3, 3], [1, 1], [1, 1], [(1, 1), (1, 1)]),
    depthwise(2, 15, 13, 16, [3, 3], [2, 2], [1, 1], [(1, 0), (0, 1)]),
    depthwise(1, 12, 7, 21, [5, 5], [1, 1], [1, 1], [(2, 2), (2, 2)]),
    depthwise(1, 13, 10, 5, [2, 3], [1, 2], [2, 1], [(0, 0), (1, 1)]),
    depthwise(2, 11, 9, 8, [3, 1], [1, 1], [3, 1], [(2, 3), (0, 0)]),
    depthwise(1, 6, 6, 33, [3, 2], [3, 1], [1, 2], [(1, 1), (2, 0)], kind="f64"),
    depthwise(1, 8, 8, 20, [3, 3], [1, 1], [1, 1], [(1, 1), (1, 1)], kind="bf16"),
    depthwise(1, 9, 28, 8, [3, 3], [1, 1], [1, 1], [(1, 1), (1, 1)], last=False),
    depthwise(2, 7, 39, 8, [5, 3], [2, 2], [1, 1], [(2, 2), (1, 1)], last=False),
    depthwise(1, 5, 20, 9, [3, 3], [1, 1], [1, 1], [(0, 1), (1, 0)], kind="f64", last=False),
    depthwise(2, 6, 5, 8, [5, 5], [1, 1], [1, 2], [(4, 0), (4, 4)], last=False),
    depthwise(1, 9, 14, 9, [5, 5], [2, 2], [1, 1], [(2, 2), (1, 3)], kind="bf16", last=False),
    depthwise(2, 9, 14, 8, [7, 7], [1, 1], [1, 1], [(3, 3), (3, 3)], last=False),
    depthwise(1, 11, 50, 8, [7, 7], [2, 2], [1, 1], [(3, 3), (3, 3)], last=False),
    depthwise(1, 8, 7, 8, [9, 9], [1, 1], [1, 1], [(4, 4), (4, 4)], kind="f64", last=False),
    depthwise(1, 12, 11, 8, [3, 3], [1, 1], [2, 1], [(2, 2), (1, 1)], kind="si8", last=False),
    depthwise(2, 9, 28, 10, [3, 3], [1, 1], [1, 1], [(1, 1), (1, 1)], last=False, each=(2, 3)),
    depthwise(1, 10, 17, 8, [3, 3], [2, 1], [1, 1], [(1, 0), (0, 1)], kind="f64", last=False, each=(3, 2)),
    depthwise(2, 9, 10, 8, [3, 3], [1, 1], [1, 1], [(1, 1), (1, 1)], last=False, each=(8, 8)),
    depthwise(1, 9, 10, 5, [3, 3], [1, 1], [1, 1], [(1, 1), (1, 1)], each=(8, 3)),
    depthwise(1, 9, 10, 4, [3, 3], [1, 1], [1, 1], [(1, 1), (1, 1)], kind="f64", last=False, each=(9, 4)),
    depthwise(1, 9, 10, 3, [3, 3], [1, 1], [1, 1], [(1, 1), (1, 1)], kind="si8", each=(8, 6)),
    depthwise(1, 20, 1, 3, [5, 1], [1, 1], [1, 1], [(2, 2), (0, 0)], last=False, each=(14, 21)),
    depthwise(1, 9, 7, 2, [3, 2], [1, 1], [1, 1], [(1, 1), (1, 0)], kind="f64", last=False, each=(6, 19)),
    depthwise(1, 9, 7, 2, [3, 2], [1, 1], [1, 1], [(1, 1), (1, 0)], kind="bf16", last=False, each=(16, 33)),
    depthwise(1, 9, 7, 2, [2, 3], [1, 1], [1, 1], [(1, 1), (1, 0)], kind="si8", last=False, each=(7, 18)),
    pooled(1, 8, 12, 12, 3, 1, 1, 24),
    pooled(2, 3, 15, 16, 5, 2, 2, 16),
]


def is_split(text):
    """Are windows reduced along one axis after the other?"""
    dims, strides = (json.loads(re.search(f"{word}(\\[.*?\\])", text)[1]) for word in ("window_dims", "strides"))
    several = sorted(((s, d) for d, s in zip(dims, strides) if d > 1), reverse=True)
    in_turn = sum(d * math.prod(s for s, _ in several[i + 1:]) for i, (_, d) in enumerate(several))
    return len(several) > 1 and "reduce[sum]" not in text and 4 * math.prod(d for _, d in several) >= 5 * in_turn


def check(asked, folder, number, suffix, text):
    """What is wrong with one program."""
    source = folder / f"{number}.{suffix}"
    source.write_text(text)
    is_pool = "reduce_window" in text
    kernels = json.loads(output("explain", "--json", source))["functions"][0]["kernels"]
    faults = [f"{kernel['name']} reads {kernel['reads']}"
              for kernel in kernels if kernel["kind"] == "contract" and len(kernel["reads"]) > 2]
    kinds = [kernel["kind"] for kernel in kernels]
    if kinds[0] != "contract" if not is_pool else kinds != ["rows"] * (2 if is_split(text) else 1):
        faults.append(f"the kernels are {[kernel['name'] for kernel in kernels]}")
    is_special = is_pool and "reduce[sum]" not in text and "tensor<f" in text
    inputs = special_input(folder, text, number) if is_special else [f"random={number}"]
    return faults + differences(asked, source, inputs)


if __name__ == "__main__":
    report(PROGRAMS + POOLS, check)
