"""Windows that meet no element twice are columns of a product, whose results lie as they are stored: packed run by run, and filters that are
constants are copied once, with the products of each side by side. Where the runs are short, or windows overlap, it is not so."""
import pathlib
import random
import struct
import tempfile

from lib.program import tenon

ONCE = "A into panels, once"


def convolution(image, filters, result, stride, data=None, pad="[0, 0], [0, 0]"):
    """Of an image whose channels are apart; the filters are an input where DATA is None."""
    weights = f', %w: tensor<{filters}>' if data is None else ""
    constant = "" if data is None else f'  %w = stablehlo.constant dense<"0x{data.hex()}"> : tensor<{filters}>\n'
    return f"""func.func @main(%x: tensor<{image}>{weights}) -> tensor<{result}> {{
{constant}  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {{stride = {stride}, pad = [{pad}], lhs_dilate = [1, 1], rhs_dilate = [1, 1]}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (tensor<{image}>, tensor<{filters}>) -> tensor<{result}>
  return %y : tensor<{result}>
}}
"""


def numbers(count):
    drawn = random.Random(5)
    return struct.pack(f"<{count}f", *(drawn.uniform(-1, 1) for _ in range(count)))


CASES = [  # the image, filters, results, strides, whether windows are columns
    ("2x3x40x36", "50x3x5x4", "2x50x8x9", [5, 4], True),
    ("1x3x96x96", "40x3x16x16", "1x40x6x6", [16, 16], True),
    ("2x5x30x45", "37x5x3x9", "2x37x7x5", [4, 9], True),
    ("2x24x12x14", "40x24x2x2", "2x40x6x7", [2, 2], False),
    ("2x3x40x36", "50x3x5x6", "2x50x8x8", [5, 4], False),
]

with tempfile.TemporaryDirectory() as folder:
    path, out = pathlib.Path(folder) / "p.mlir", pathlib.Path(folder) / "0.npy"
    for image, filters, result, stride, are_columns in CASES:
        count = 1
        for n in filters.split("x"):
            count *= int(n)
        for data in (None, numbers(count)):
            path.write_text(convolution(f"{image}xf32", f"{filters}xf32", f"{result}xf32", stride, data))
            for cpu in ("x86-64", "x86-64-v3", "x86-64-v4"):
                shown = tenon("explain", path, "--cpu", cpu).stdout
                assert (ONCE in shown) == (are_columns and data is not None), (filters, cpu, shown)
            results = set()
            for options in (["--engine", "ref"], ["--threads", 1], ["--threads", 2], ["--cpu", "x86-64-v3"], ["--cpu", "x86-64"],
                            ["--schedule", "right=inside"], ["--schedule", "right=panels"], ["--schedule", "right=tiles,left=packed"]):
                tenon("run", path, "--random", 3, "--output", folder, *options)
                results.add(out.read_bytes())
            assert len(results) == 1, (filters, data is None)
