"""Convolutions of bytes sum four products by one instruction where the processor has it, and the three of a picture's channels."""
import json
import pathlib
import tempfile

from lib.program import tenon


def products(folder, channels, cpu, places):
    path = pathlib.Path(folder) / "p.ptir"
    image, filters = [2, channels, 20, 20], f"tensor<si8, 16x{channels}x3x3>"
    axes = [0, 3, 1, 2] if places == "last" else [0, 1, 2, 3]
    x = "x".join(str(image[axes.index(i)]) for i in range(4))
    y = "x".join(str([2, 16, 20, 20][axes.index(i)]) for i in range(4))
    path.write_text(f"func @main(%x: tensor<ui8, {x}>) -> tensor<si32, {y}> {{\n"
                    f"  %a = cast(%x) -> tensor<si32, {x}>\n"
                    f"  %s = constant value[{', '.join(str(i % 251 - 125) for i in range(16 * channels * 9))}] -> {filters}\n"
                    f"  %w = cast(%s) -> {filters.replace('si8', 'si32')}\n"
                    "  %y = convolution(%a, %w) strides[1, 1] padding[(1, 1), (1, 1)] base_dilation[1, 1] dilation[1, 1] "
                    f"lhs_axes{axes} out_axes{axes} -> tensor<si32, {y}>\n  return %y\n}}\n")
    (kernel,) = json.loads(tenon("explain", "--json", "--cpu", cpu, path).stdout)["functions"][0]["kernels"]
    (schedule,) = kernel["schedules"]
    return schedule.partition("products=")[2]


with tempfile.TemporaryDirectory() as folder:
    for places in ("first", "last"):
        for channels, wanted in ((3, "quads"), (8, "quads"), (6, "pairs"), (5, "")):
            assert products(folder, channels, "znver4", places) == wanted, (channels, places)
        assert products(folder, 3, "x86-64-v3", places) == ""
