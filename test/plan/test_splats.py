"""What kernels leave in memory: no tensor that has one number everywhere or follows from positions, however many kernels need
it, and nothing that one cheap operation makes of one tensor that is there anyway.
"""
import json
import pathlib
import tempfile

from lib.program import tenon

LAYERS, SHAPE = 20, "64x48"  # more layers than the grouping lists kernels for other values


def program():
    """Layers of x -> w (c x + x x - j), each of whose products needs all of the layer before."""
    lines = [f"func @main(%x: tensor<f32, {SHAPE}>, %w: tensor<f32, 48x48>) -> (tensor<f32, {SHAPE}>) {{",
             "  %c = constant value[0.5] -> tensor<f32>",
             f"  %all = broadcast_to(%c) result_shape[64, 48] -> tensor<f32, {SHAPE}>",
             f"  %i = iota axis[1] -> tensor<f32, {SHAPE}>", f"  %j = mul(%i, %all) -> tensor<f32, {SHAPE}>"]
    x, parts = "x", []
    for i in range(LAYERS):
        lines += [f"  %h{i} = mul(%all, %{x}) -> tensor<f32, {SHAPE}>",
                  f"  %s{i} = mul(%{x}, %{x}) -> tensor<f32, {SHAPE}>",
                  f"  %t{i} = tanh(%h{i}) -> tensor<f32, {SHAPE}>",
                  f"  %a{i} = add(%t{i}, %s{i}) -> tensor<f32, {SHAPE}>",
                  f"  %b{i} = sub(%a{i}, %j) -> tensor<f32, {SHAPE}>",
                  f"  %p{i} = dot_general(%b{i}, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, {SHAPE}>"]
        x = f"p{i}"
        parts += [f"h{i}", f"s{i}"]
    for i, part in enumerate(parts):  # and once more behind everything, as gradients do
        lines.append(f"  %q{i} = mul(%{x}, %{part}) -> tensor<f32, {SHAPE}>")
        lines.append(f"  %r{i} = dot_general(%q{i}, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, {SHAPE}>")
        x = f"r{i}"
    return "\n".join(lines + [f"  return %{x}", "}", ""])


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(program())
    kernels = json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]
    assert not any(k["name"] in ("constant", "constant broadcast", "iota constant mul") for k in kernels)
    assert not any("iota" in k["name"] and "tanh" not in k["name"] for k in kernels), [k["name"] for k in kernels]
    assert all(len(k["writes"]) == 1 for k in kernels), [k["name"] for k in kernels if len(k["writes"]) > 1]
    wanted = tenon("run", path, "--random", 1, "--print", "--engine", "ref").stdout
    assert tenon("run", path, "--random", 1, "--print").stdout == wanted
