"""transpose-weights: weights [outputs, inputs] are transposed as they are stored, with the same bits of every product."""
import pathlib
import tempfile

from lib.program import tenon

OUTPUTS, INPUTS = 72, 64  # more elements than are folded in any case
NUMBERS = ",".join(str((7 * i + 3) % 251 - 125) for i in range(OUTPUTS * INPUTS))
SCALES = ",".join(str(i % 9 / 8 + 0.5) for i in range(OUTPUTS * 8))
STORED = f"""\
func @main(%x: tensor<f32, ROWSx{INPUTS}>) -> (tensor<f32, ROWSx{OUTPUTS}>) {{
  %w = constant value[{NUMBERS}] -> tensor<si8, {OUTPUTS}x{INPUTS}>
  %c = cast(%w) dtype[f32] -> tensor<f32, {OUTPUTS}x{INPUTS}>
"""
BY_ROW = f"""\
  %s = constant value[{SCALES}] -> tensor<f32, {OUTPUTS}x8>
  %r = slice(%s) starts[0, 0] sizes[{OUTPUTS}, 1] -> tensor<f32, {OUTPUTS}x1>
  %b = broadcast_to(%r) result_shape[{OUTPUTS}, {INPUTS}] -> tensor<f32, {OUTPUTS}x{INPUTS}>
  %d = mul(%c, %b) -> tensor<f32, {OUTPUTS}x{INPUTS}>
"""
BY_BLOCK = f"""\
  %s = constant value[{SCALES}] -> tensor<f32, {OUTPUTS}x8>
  %r = reshape(%s) new_shape[{OUTPUTS}, 8, 1] -> tensor<f32, {OUTPUTS}x8x1>
  %b = broadcast_to(%r) result_shape[{OUTPUTS}, 8, {INPUTS // 8}] -> tensor<f32, {OUTPUTS}x8x{INPUTS // 8}>
  %p = reshape(%c) new_shape[{OUTPUTS}, 8, {INPUTS // 8}] -> tensor<f32, {OUTPUTS}x8x{INPUTS // 8}>
  %q = mul(%p, %b) -> tensor<f32, {OUTPUTS}x8x{INPUTS // 8}>
  %d = reshape(%q) new_shape[{OUTPUTS}, {INPUTS}] -> tensor<f32, {OUTPUTS}x{INPUTS}>
"""
CAST = f"  %d = neg(%c) -> tensor<f32, {OUTPUTS}x{INPUTS}>\n"
# An order of three axes that does not commute with the one in which the product wants them.
TURNED = f"""\
func @main(%x: tensor<f32, ROWSx{INPUTS}>) -> (tensor<f32, ROWSx{OUTPUTS}>) {{
  %w = constant value[{NUMBERS}] -> tensor<si8, 6x12x{INPUTS}>
  %c = cast(%w) dtype[f32] -> tensor<f32, 6x12x{INPUTS}>
  %t = transpose(%c) perm[1, 0, 2] -> tensor<f32, 12x6x{INPUTS}>
  %d = reshape(%t) new_shape[{OUTPUTS}, {INPUTS}] -> tensor<f32, {OUTPUTS}x{INPUTS}>
"""
CONTRACTED = f"""\
  %y = dot_general(%x, %d) contract_lhs[1] contract_rhs[1] -> tensor<f32, ROWSx{OUTPUTS}>
  return %y
}}
"""
TRANSPOSED = f"""\
  %t = transpose(%d) perm[1, 0] -> tensor<f32, {INPUTS}x{OUTPUTS}>
  %y = dot_general(%x, %t) contract_lhs[1] contract_rhs[0] -> tensor<f32, ROWSx{OUTPUTS}>
  return %y
}}
"""

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    for how, kept in ((STORED + BY_ROW, f"{INPUTS}, {OUTPUTS}"), (STORED + BY_BLOCK, f"{INPUTS}, {OUTPUTS}"),
                      (STORED + CAST, f"{INPUTS}, {OUTPUTS}"), (TURNED, f"{INPUTS}, 12, 6")):
        for product in CONTRACTED, TRANSPOSED:
            for rows in 1, 5, 16:
                path.write_text((how + product.replace("%t", "%turned")).replace("ROWS", str(rows)))
                graph = tenon("explain", path, "--dump", "graph").stdout
                assert f"si8[{kept}]" in graph and "transpose " not in graph and "contract_rhs=[1]" not in graph, graph
                runs = {tenon("run", path, "--random", 1, "--print", *how_run).stdout
                        for how_run in (["--engine", "ref", "-O0"], ["--engine", "ref"], [])}
                assert len(runs) == 1, (how, product, rows)
    # Weights that something else reads too stay as they are.
    path.write_text((STORED + BY_ROW + CONTRACTED).replace("ROWS", "1").replace("  return %y", "  return %y, %d").replace(
        f"1x{OUTPUTS}>)", f"1x{OUTPUTS}>, tensor<f32, {OUTPUTS}x{INPUTS}>)"))
    assert "contract_rhs=[1]" in tenon("explain", path, "--dump", "graph").stdout
