"""What the next block of a large contraction reads and writes is fetched while one is computed, as are short lines that
are moved from places apart and rows of which elements are picked, but nothing small. The bits are the evaluator's, for every CPU, on one thread and on two."""
import sys

from lib import package  # noqa: F401

import numpy as np

import tenon

CPUS = ["x86-64", "x86-64-v3", "x86-64-v4"]
RANDOM = np.random.default_rng(5)


def depthwise(size, channels, stride):
    out = (size - 1) // stride + 1
    x, w, y = f"1x{size}x{size}x{channels}xf32", f"3x3x1x{channels}xf32", f"1x{out}x{out}x{channels}xf32"
    return f"""func.func @main(%x: tensor<{x}>, %w: tensor<{w}>) -> tensor<{y}> {{
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {{stride = [{stride}, {stride}], pad = [[1, 1], [1, 1]]}}
    {{batch_group_count = 1 : i64, feature_group_count = {channels} : i64}} : (tensor<{x}>, tensor<{w}>) -> tensor<{y}>
  %z = stablehlo.abs %y : tensor<{y}>
  return %z : tensor<{y}>
}}
"""


def images(size, channels):
    """A convolution whose results lie image by image, one for each channel."""
    x, w, y = f"1x3x{size}x{size}xf32", f"{channels}x3x3x3xf32", f"1x{channels}x{size}x{size}xf32"
    return f"""func.func @main(%x: tensor<{x}>, %w: tensor<{w}>) -> tensor<{y}> {{
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {{stride = [1, 1], pad = [[1, 1], [1, 1]]}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (tensor<{x}>, tensor<{w}>) -> tensor<{y}>
  return %y : tensor<{y}>
}}
"""


def products(rows, *sizes):
    """A chain of them, each of which ends with an absolute value."""
    parts = ", ".join(f"%w{i}: tensor<{k}x{n}xf32>" for i, (k, n) in enumerate(zip(sizes, sizes[1:])))
    text = f"func.func @main(%x: tensor<{rows}x{sizes[0]}xf32>, {parts}) -> tensor<{rows}x{sizes[-1]}xf32> {{\n"
    last = "%x"
    for i, (k, n) in enumerate(zip(sizes, sizes[1:])):
        text += (f"  %p{i} = stablehlo.dot_general {last}, %w{i}, contracting_dims = [1] x [0] : "
                 f"(tensor<{rows}x{k}xf32>, tensor<{k}x{n}xf32>) -> tensor<{rows}x{n}xf32>\n"
                 f"  %a{i} = stablehlo.abs %p{i} : tensor<{rows}x{n}xf32>\n")
        last = f"%a{i}"
    return text + f"  return {last} : tensor<{rows}x{sizes[-1]}xf32>\n}}\n"


def added(rows, k, n):
    """A product to which a matrix of its size is added."""
    out = f"tensor<{rows}x{n}xf32>"
    return f"""func.func @main(%x: tensor<{rows}x{k}xf32>, %w: tensor<{k}x{n}xf32>, %r: {out}) -> {out} {{
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<{rows}x{k}xf32>, tensor<{k}x{n}xf32>) -> {out}
  %s = stablehlo.add %p, %r : {out}
  return %s : {out}
}}
"""


def moved(*dims):
    """The first two axes exchanged."""
    x, y = "x".join(map(str, dims)), "x".join(map(str, (dims[1], dims[0], dims[2])))
    return f"""func.func @main(%x: tensor<{x}xf32>) -> tensor<{y}xf32> {{
  %y = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<{x}xf32>) -> tensor<{y}xf32>
  return %y : tensor<{y}xf32>
}}
"""


def picked(rows, columns, n):
    """N elements of each row."""
    return f"""func @main(%x: tensor<f32, {rows}x{columns}>, %i: tensor<si64, {rows}x{n}>) -> tensor<f32, {rows}x{n}> {{
  %y = gather(%x, %i) axis[1] -> tensor<f32, {rows}x{n}>
  return %y
}}
"""


def same_of_rows(rows, columns, n, checked=True):
    """The same N elements of each row, as `take` or, where they may be counted from the end, as ONNX has it."""
    x, y = f"tensor<f32, {rows}x{columns}>", f"tensor<f32, {rows}x{n}>"
    steps = (f"""  %j = broadcast_to(%i) result_shape[{rows}, {n}] -> tensor<si64, {rows}x{n}>
""" if checked else f"""  %z = constant fill[0] -> tensor<si64, {n}>
  %c = constant fill[{columns}] -> tensor<si64, {n}>
  %m = compare(%i, %z) op[Less] -> tensor<i1, {n}>
  %a = add(%i, %c) -> tensor<si64, {n}>
  %s = select(%m, %a, %i) -> tensor<si64, {n}>
  %j = broadcast_to(%s) result_shape[{rows}, {n}] -> tensor<si64, {rows}x{n}>
""")
    return f"""func @main(%x: {x}, %i: tensor<si64, {n}>) -> {y} {{
{steps}  %y = gather(%x, %j) axis[1] -> {y}
  return %y
}}
"""


def array(port):
    if port.dtype == "si64":
        return RANDOM.integers(0, 300, port.shape)
    return RANDOM.random(port.shape, dtype=np.float32) - 0.5


PROGRAMS = [  # name, text, is anything fetched? "prefetch": into the first-level cache; None: either
    ("depthwise", depthwise(121, 80, 1), True), ("depthwise by two", depthwise(121, 80, 2), True),
    ("odd channels", depthwise(124, 71, 1), True), ("a small image", depthwise(20, 80, 1), False),
    ("images of channels", images(97, 33), True), ("small images of channels", images(19, 33), False),
    ("much is read", products(7301, 150, 24), True), ("of many blocks of products", products(1801, 600, 40), True),
    ("much is written", products(10951, 11, 101), True), ("a chain", products(8001, 140, 20, 150), True),
    ("with a matrix added", added(5001, 40, 130), True), ("few rows", products(30, 150, 24), False), ("small", products(700, 150, 24), False),
    ("lines", moved(90, 130, 70), True), ("few lines", moved(9, 13, 70), False), ("long lines", moved(40, 40, 700), False),
    ("many of rows", picked(700, 1000, 131), True), ("few of rows", picked(700, 1000, 3), False),
    ("of few rows", picked(70, 1000, 131), False),
    ("the same of rows", same_of_rows(700, 1000, 19), "prefetch"), ("counted from the end", same_of_rows(700, 1000, 37, False), "prefetch"),
    ("one of rows", same_of_rows(700, 1000, 1), None), ("many of the same", same_of_rows(700, 1000, 131), True)]


def compiled(module, cpu, threads):
    """For the CPU; None where this one does not run such code."""
    try:
        return module.compile(cpu=cpu, threads=threads, eager=True)
    except tenon.Unavailable:
        return None


failed = 0
for name, text, is_fetched in PROGRAMS:
    module = tenon.read(text, dialect="stablehlo" if text.startswith("func.func") else "ptir-text")
    arrays = {i.name: array(i) for i in module.inputs}
    wanted = np.asarray(module.compile(engine="ref")(**arrays))
    for cpu in CPUS:
        for threads in 1, 2:
            program = compiled(module, cpu, threads)
            if program is None:
                continue
            got, loops = np.asarray(program(**arrays)), program.dump("loops")
            found = "prefetch_far" in loops or ("prefetch " in loops and is_fetched == "prefetch" and "prefetch")
            if got.tobytes() != wanted.tobytes() or is_fetched not in (found, None):
                print(f"{name}, {cpu}, {threads} threads: bits {'differ' if got.tobytes() != wanted.tobytes() else 'agree'}, "
                      f"fetched: {found}")
                failed += 1
sys.exit(failed != 0)
