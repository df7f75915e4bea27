"""The least time that `explain` says: a function counts as the additions that it consists of, which flops do not, numbers of 64 bits
count twice, and what is not arithmetic by a model. What lies apart in memory counts as lines of it.

The limits are measured, beside whatever else the machine does: programs have so much work for each byte that memory is not their limit
where it is measured ten times slower than it is."""
import json
import pathlib
import tempfile

from lib.program import tenon

N = 1 << 16
DEPTH = 32
SIDE = 4096


def explained(folder, text):
    """The first kernel of TEXT, and the multiply-adds, or cycles if a model counts them, for which its time is enough."""
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(text)
    said = json.loads(tenon("explain", "--json", path).stdout)
    kernel = said["functions"][0]["kernels"][0]
    rate = said["limits"]["cycles_per_second"] if kernel["limit"] == "model" else said["limits"]["flops_per_second"] / 2
    return kernel, kernel["least_ns"] * 1e-9 * rate


def unary(op, dtype="f32", shape=N, result=""):
    x = f"tensor<{dtype}, {shape}>"
    return f"func @main(%x: {x}) -> {result or x} {{\n  %y = {op} -> {result or x}\n  return %y\n}}\n"


def chain(op):
    """DEPTH times, in one kernel."""
    x = f"tensor<f32, {N}>"
    lines = "".join(f"  %y{k + 1} = {op}(%y{k}) -> {x}\n" for k in range(DEPTH))
    return f"func @main(%y0: {x}) -> {x} {{\n{lines}  return %y{DEPTH}\n}}\n"


def product(dtype):
    x = f"tensor<{dtype}, {SIDE}x{SIDE}>"
    return (f"func @main(%a: {x}, %b: {x}) -> {x} {{\n  %c = dot_general(%a, %b) contract_lhs[1] contract_rhs[0] -> {x}\n"
            "  return %c\n}\n")


LOOP = """func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = while(%x) cond_region[0] body_region[1] -> tensor<f32>
  return %y
}

region @0(%a: tensor<f32>) -> (tensor<i1>, tensor<f32>) {
  %c = compare(%a, literal<f32>[10.0]) op[less] -> tensor<i1>
  return %c, %a
}

region @1(%a: tensor<f32>) -> tensor<f32> {
  %b = add(%a, %a) -> tensor<f32>
  return %b
}
"""

with tempfile.TemporaryDirectory() as folder:
    costs = {}
    for op in ("erf", "tanh", "tan"):
        kernel, products = explained(folder, chain(op))
        costs[op] = products / (N * DEPTH)
        assert kernel["flops"] == N * DEPTH and kernel["limit"] == "arithmetic", kernel
    assert all(20 < cost < 200 for cost in costs.values()), costs

    for dtype, times in ("f32", 1), ("f64", 2):
        kernel, products = explained(folder, product(dtype))
        assert kernel["limit"] == "arithmetic" and 0.99 < products / (times * SIDE ** 3) < 1.01, (dtype, products)

    kernel, long = explained(folder, unary("sort(%x) axis[0]", "si8", 1 << 30))
    assert kernel["limit"] == "model", kernel
    kernel, rows = explained(folder, unary("sort(%x) axis[1]", "si8", "32768x32768"))
    assert kernel["limit"] == "model" and 1.99 < long / rows < 2.01, (long, rows)  # 30 doublings and 15
    kernel, _ = explained(folder, unary("top_k(%x) k[1000] axis[-1] largest[true] indices_dtype[si64]",
                                        result="(tensor<f32, 1000>, tensor<si64, 1000>)").replace("return %y", "return %y[0], %y[1]"))
    assert kernel["limit"] == "model", kernel
    text = tenon("explain", pathlib.Path(folder) / "p.ptir").stdout
    assert "; about " in text and "(model)" in text, text

    kernel, _ = explained(folder, LOOP)
    assert kernel["limit"] == "loop", kernel
    assert "(data say how often its loop runs)" in tenon("explain", pathlib.Path(folder) / "p.ptir").stdout

    columns = ("func @main(%x: tensor<f32, 4096x1024>, %i: tensor<si64, 32>) -> tensor<f32, 4096x32> {\n"
               "  %t = transpose(%x) perm[1, 0] -> tensor<f32, 1024x4096>\n  %r = take(%t, %i) -> tensor<f32, 32x4096>\n"
               "  %y = transpose(%r) perm[1, 0] -> tensor<f32, 4096x32>\n  return %y\n}\n")
    kernel, _ = explained(folder, columns)
    assert kernel["bytes"] == 4096 * 32 * (64 + 4) + 32 * 8, kernel
