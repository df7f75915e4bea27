"""An image whose few channels are planes is transposed once for a convolution; of many channels it is read as it lies."""
import json
import pathlib
import tempfile

from lib.program import tenon


def kernels(folder, channels):
    path = pathlib.Path(folder) / "p.ptir"
    image, turned = f"tensor<f32, 1x{channels}x20x20>", f"tensor<f32, 1x20x20x{channels}>"
    filters, out = f"tensor<f32, 16x{channels}x3x3>", "tensor<f32, 1x20x20x16>"
    path.write_text(f"func @main(%x: {image}, %w: {filters}) -> {out} {{\n"
                    f"  %t = transpose(%x) perm[0, 2, 3, 1] -> {turned}\n"
                    "  %y = convolution(%t, %w) strides[1, 1] padding[(1, 1), (1, 1)] base_dilation[1, 1] dilation[1, 1] "
                    f"lhs_axes[0, 3, 1, 2] out_axes[0, 3, 1, 2] -> {out}\n  return %y\n}}\n")
    return [k["name"] for k in json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]]


with tempfile.TemporaryDirectory() as folder:
    assert kernels(folder, 3) == ["transpose", "convolution"], kernels(folder, 3)
    assert kernels(folder, 32) == ["convolution"], kernels(folder, 32)
