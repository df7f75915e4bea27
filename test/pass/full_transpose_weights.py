"""transpose-weights: weights [outputs, inputs] are transposed as they are stored, or put into strips of 64 outputs for
products of few rows, with the same bits of every product."""
import pathlib
import re
import tempfile

from lib.program import tenon

INPUTS = 64


class Texts:
    """Ways to decode weights of so many outputs, which are more elements than are folded in any case."""

    def __init__(self, outputs, turned):
        numbers = ",".join(str((7 * i + 3) % 251 - 125) for i in range(outputs * INPUTS))
        scales = ",".join(str(i % 9 / 8 + 0.5) for i in range(outputs * 8))
        start = f"func @main(%x: tensor<f32, ROWSx{INPUTS}>) -> (tensor<f32, ROWSx{outputs}>) {{\n"
        self.stored = f"""\
{start}  %w = constant value[{numbers}] -> tensor<si8, {outputs}x{INPUTS}>
  %c = cast(%w) dtype[f32] -> tensor<f32, {outputs}x{INPUTS}>
"""
        self.by_row = f"""\
  %s = constant value[{scales}] -> tensor<f32, {outputs}x8>
  %r = slice(%s) starts[0, 0] sizes[{outputs}, 1] -> tensor<f32, {outputs}x1>
  %b = broadcast_to(%r) result_shape[{outputs}, {INPUTS}] -> tensor<f32, {outputs}x{INPUTS}>
  %d = mul(%c, %b) -> tensor<f32, {outputs}x{INPUTS}>
"""
        self.by_block = f"""\
  %s = constant value[{scales}] -> tensor<f32, {outputs}x8>
  %r = reshape(%s) new_shape[{outputs}, 8, 1] -> tensor<f32, {outputs}x8x1>
  %b = broadcast_to(%r) result_shape[{outputs}, 8, {INPUTS // 8}] -> tensor<f32, {outputs}x8x{INPUTS // 8}>
  %p = reshape(%c) new_shape[{outputs}, 8, {INPUTS // 8}] -> tensor<f32, {outputs}x8x{INPUTS // 8}>
  %q = mul(%p, %b) -> tensor<f32, {outputs}x8x{INPUTS // 8}>
  %d = reshape(%q) new_shape[{outputs}, {INPUTS}] -> tensor<f32, {outputs}x{INPUTS}>
"""
        self.cast = f"  %d = neg(%c) -> tensor<f32, {outputs}x{INPUTS}>\n"
        # Bytes around 128, which are stored with a sign: all of them, with a reshape between.
        bytes_ = ",".join(str((7 * i + 3) % 256) for i in range(outputs * INPUTS))
        self.around = f"""\
{start}  %w = constant value[{bytes_}] -> tensor<ui8, {outputs}x{INPUTS}>
  %f = cast(%w) dtype[f32] -> tensor<f32, {outputs}x{INPUTS}>
  %p = reshape(%f) new_shape[{outputs}, 8, {INPUTS // 8}] -> tensor<f32, {outputs}x8x{INPUTS // 8}>
  %z = constant fill[ZERO] -> tensor<f32, {outputs}x8x{INPUTS // 8}>
  %q = sub(%p, %z) -> tensor<f32, {outputs}x8x{INPUTS // 8}>
  %d = reshape(%q) new_shape[{outputs}, {INPUTS}] -> tensor<f32, {outputs}x{INPUTS}>
"""
        # An order of three axes that does not commute with the one in which the product wants them.
        a, b = turned
        self.turned = f"""\
{start}  %w = constant value[{numbers}] -> tensor<si8, {a}x{b}x{INPUTS}>
  %c = cast(%w) dtype[f32] -> tensor<f32, {a}x{b}x{INPUTS}>
  %t = transpose(%c) perm[1, 0, 2] -> tensor<f32, {b}x{a}x{INPUTS}>
  %d = reshape(%t) new_shape[{outputs}, {INPUTS}] -> tensor<f32, {outputs}x{INPUTS}>
"""
        self.contracted = f"""\
  %y = dot_general(%x, %d) contract_lhs[1] contract_rhs[1] -> tensor<f32, ROWSx{outputs}>
  return %y
}}
"""
        self.transposed = f"""\
  %turned = transpose(%d) perm[1, 0] -> tensor<f32, {INPUTS}x{outputs}>
  %y = dot_general(%x, %turned) contract_lhs[1] contract_rhs[0] -> tensor<f32, ROWSx{outputs}>
  return %y
}}
"""
        self.plain = f"""\
{start}  %w = constant value[{numbers}] -> tensor<si8, {INPUTS}x{outputs}>
  %d = cast(%w) dtype[f32] -> tensor<f32, {INPUTS}x{outputs}>
  %y = dot_general(%x, %d) contract_lhs[1] contract_rhs[0] -> tensor<f32, ROWSx{outputs}>
  return %y
}}
"""


def one_input(outputs):
    """Weights that are transposed when they are decoded, and scales that are not."""
    return f"""\
func @main(%x: tensor<f32, 2x1>) -> tensor<f32, 2x{outputs}> {{
  %w = constant value[{",".join(str((7 * i + 3) % 256) for i in range(outputs))}] -> tensor<ui8, 1x{outputs}>
  %c = cast(%w) dtype[f32] -> tensor<f32, 1x{outputs}>
  %p = transpose(%c) perm[1, 0] -> tensor<f32, {outputs}x1>
  %s = constant value[{",".join(str(i % 9 / 8 + 0.5) for i in range(outputs))}] -> tensor<f16, {outputs}x1>
  %t = cast(%s) dtype[f32] -> tensor<f32, {outputs}x1>
  %d = mul(%p, %t) -> tensor<f32, {outputs}x1>
  %y = dot_general(%x, %d) contract_lhs[1] contract_rhs[1] -> tensor<f32, 2x{outputs}>
  return %y
}}
"""


def one_output(inputs):
    """Bytes around 128 in one axis, that of the outputs behind them, and a scale for each."""
    shape = f"1x{inputs}"
    return f"""\
func @main(%x: tensor<f32, 2x{inputs}>) -> tensor<f32, 2x1> {{
  %w = constant value[{",".join(str((7 * i + 3) % 256) for i in range(inputs))}] -> tensor<ui8, {inputs}>
  %c = cast(%w) dtype[f32] -> tensor<f32, {inputs}>
  %p = reshape(%c) new_shape[1, {inputs}] -> tensor<f32, {shape}>
  %z = constant fill[128.0] -> tensor<f32, {shape}>
  %q = sub(%p, %z) -> tensor<f32, {shape}>
  %s = constant value[{",".join(str(i % 9 / 8 + 0.5) for i in range(inputs))}] -> tensor<f16, {shape}>
  %t = cast(%s) dtype[f32] -> tensor<f32, {shape}>
  %d = mul(%q, %t) -> tensor<f32, {shape}>
  %y = dot_general(%x, %d) contract_lhs[1] contract_rhs[1] -> tensor<f32, 2x1>
  return %y
}}
"""


def compare(*about):
    """The program in the file has the same results in every way."""
    runs = {tenon("run", path, "--random", 1, "--print", *how_run).stdout
            for how_run in (["--engine", "ref", "-O0"], ["--engine", "ref"], [])}
    assert len(runs) == 1, about


def check(text, rows, kept, in_strips):
    """The graph has weights of shape KEPT, and what is decoded is transposed only where it is IN_STRIPS."""
    path.write_text(text.replace("ROWS", str(rows)))
    graph = tenon("explain", path, "--dump", "graph").stdout
    orders = re.findall(r"transpose .*perm=\[(.*?)\]", graph)
    assert f"si8[{kept}]" in graph and "contract_rhs=[1]" not in graph, graph
    assert orders == (["1, 0, 2"] if in_strips else []), graph
    if in_strips and rows <= 8 and not kept.endswith(", 8, 8"):
        shown = tenon("explain", path).stdout
        cuts = kept.startswith("10,")  # what the last strip has beyond the outputs
        assert shown.count("kernel ") == 1 + cuts and "B in place" in shown, shown
    compare(text[-500:], rows)


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    odd, even, many = Texts(72, (6, 12)), Texts(128, (8, 16)), Texts(600, (24, 25))
    # The last of many strips lacks outputs, but not where movement cuts their axis.
    for how, kept in ((many.stored + many.by_row, "10, 64, 64"), (many.stored + many.by_block, "10, 8, 8, 64"),
                      (many.stored + many.cast, "10, 64, 64"), (many.turned, "64, 25, 24")):
        for product in many.contracted, many.transposed:
            for n in 1, 16:
                check(how + product, n, kept, kept.startswith("10,"))
    check(many.plain, 5, "10, 64, 64", True)
    for t, rows, shapes in ((odd, (1, 5, 16), ["64, 72", "8, 8, 72", "64, 72", "64, 12, 6"]),
                            (even, (1, 5, 16), ["2, 64, 64", "2, 8, 8, 64", "2, 64, 64", "2, 64, 8, 8"])):
        ways = (t.stored + t.by_row, t.stored + t.by_block, t.stored + t.cast, t.turned)
        for how, kept in zip(ways, shapes):
            for product in t.contracted, t.transposed:
                for n in rows:
                    check(how + product, n, kept, t is even)
    for n in 1, 16:
        check(even.plain, n, "2, 64, 64", True)
    # Division of floats cannot fail, and is a step like others, also by the zeros of what a last strip lacks.
    for t, kept in ((many, "10, 64, 64"), (even, "2, 64, 64")):
        check(t.stored + t.by_row.replace(" mul(", " div(") + t.contracted, 1, kept, True)
    for t, kept in ((many, "10, 64, 64"), (even, "2, 64, 64"), (odd, "64, 72")):
        for product in t.contracted, t.transposed:
            for n in 1, 16:
                check(t.around.replace("ZERO", "128.0") + product, n, kept.replace(", 64,", ", 8, 8,") if t is not odd else "8, 8, 72",
                      t is not odd)
    path.write_text((even.around.replace("ZERO", "127.0") + even.contracted).replace("ROWS", "1"))  # another number stays
    assert "ui8[2, 8, 8, 64]" in tenon("explain", path, "--dump", "graph").stdout
    # Of one output or one input there is one order, in which they lie.
    for text in one_output(8192), one_input(8192):
        path.write_text(text)
        assert "contract_rhs=[1]" in tenon("explain", path, "--dump", "graph").stdout, text[-500:]
        compare(text[-500:])
    # More rows do not decode what they load, and outputs that are no whole strips stay where they are.
    path.write_text((even.stored + even.cast + even.contracted).replace("ROWS", "17"))
    assert "transpose" not in tenon("explain", path, "--dump", "graph").stdout
    check(odd.plain, 1, "64, 72", False)
    # Weights that something else reads too stay as they are.
    path.write_text((odd.stored + odd.by_row + odd.contracted).replace("ROWS", "1").replace("  return %y", "  return %y, %d").replace(
        "1x72>)", "1x72>, tensor<f32, 72x64>)"))
    assert "contract_rhs=[1]" in tenon("explain", path, "--dump", "graph").stdout
