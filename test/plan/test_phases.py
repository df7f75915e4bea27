"""Convolutions whose input has holes: few filters make one kernel for all phases of an axis, many a kernel for each."""
import json
import pathlib
import tempfile

from lib.program import tenon


def products(filters, window, base):
    """The number of kernels that multiply."""
    path = pathlib.Path(folder) / "p.ptir"
    out = 8 * base + window
    path.write_text(f"func @main(%x: tensor<f32, 1x16x9>, %w: tensor<f32, {filters}x16x{window}>) -> tensor<f32, 1x{filters}x{out}> {{\n"
                    f"  %y = convolution(%x, %w) strides[1] padding[({window - 1}, {window - 1})] base_dilation[{base}] dilation[1] "
                    f"-> tensor<f32, 1x{filters}x{out}>\n  return %y\n}}\n")
    kernels = json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]
    return sum(k["kind"] == "contract" for k in kernels)


with tempfile.TemporaryDirectory() as folder:
    for filters, window, base, want in (1, 16, 8, 1), (3, 8, 4, 1), (20, 4, 2, 1), (16, 16, 8, 8), (40, 4, 2, 2), (1, 3, 2, 2):
        got = products(filters, window, base)
        assert got == want, (filters, window, base, got)
