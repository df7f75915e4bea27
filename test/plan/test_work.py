"""The least time that `explain` says counts a function as the additions that it consists of, and flops do not."""
import json
import pathlib
import tempfile

from lib.program import tenon

N = 1 << 16


def least(folder, op):
    """The flops of OP on N numbers, and the nanoseconds at least, as multiples of N multiply-adds."""
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(f"func @main(%x: tensor<f32, {N}>) -> tensor<f32, {N}> {{\n  %y = {op}(%x) -> tensor<f32, {N}>\n  return %y\n}}\n")
    said = json.loads(tenon("explain", "--json", path).stdout)
    kernel = said["functions"][0]["kernels"][0]
    additions = kernel["least_ns"] * 1e-9 * said["limits"]["flops_per_second"] / (2 * N)
    return kernel["flops"], additions, kernel["limit"]


with tempfile.TemporaryDirectory() as folder:
    costs = {}
    for op in ("erf", "tanh", "tan"):
        flops, costs[op], limit = least(folder, op)
        assert flops == N, flops
        assert limit == "arithmetic" or costs[op] > 20, (op, costs)
    assert all(20 < cost < 200 for cost in costs.values()), costs
