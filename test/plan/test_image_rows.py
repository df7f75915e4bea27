"""Rows of images, of which columns are stored, are cut into blocks of two parts only where parts of four rows fill them, or nearly, or one
block of seven holds them: three rows, or five as four and one, keep no multiplier busy."""
import json
import pathlib
import tempfile

from lib.program import tenon


def schedule(folder, width):
    path = pathlib.Path(folder) / "p.mlir"
    image, filters, result = f"tensor<8x32x{width}x{width}xf32>", "tensor<64x32x3x3xf32>", f"tensor<8x64x{width}x{width}xf32>"
    path.write_text(f"""func.func @main(%x: {image}, %w: {filters}) -> {result} {{
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {{stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({image}, {filters}) -> {result}
  return %y : {result}
}}
""")
    (kernel,) = json.loads(tenon("explain", "--json", "--cpu", "x86-64-v3", path).stdout)["functions"][0]["kernels"]
    return kernel["schedules"][0]


with tempfile.TemporaryDirectory() as folder:
    for width, wanted in ((7, "rows=7,vectors=2,unroll=8,"), (9, "rows=5,vectors=2,unroll=4,"), (14, "rows=5,vectors=2,unroll=4,"),
                          (15, "rows=5,vectors=2,unroll=4,"), (16, "rows=8,vectors=2,unroll=8,"), (28, "rows=8,vectors=2,unroll=8,"),
                          (30, "rows=6,vectors=2,"), (31, "rows=8,vectors=2,unroll=8,"), (111, "rows=8,vectors=2,unroll=8,")):
        shown = schedule(folder, width)
        assert shown.startswith(wanted), (width, shown)
