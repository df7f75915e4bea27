"""Why a value is in memory that many kernels need, as `explain` says it."""
import json
import pathlib
import tempfile

from lib.program import tenon

ROWS, COLUMNS = "tensor<f32, 64x128>", "tensor<f32, 64>"


def reasons(folder, kernels, is_result):
    """What is said of exp(x), the rows of which so many KERNELS reduce, each after adding an input of its own."""
    outputs = [f"%r{k}" for k in range(kernels)] + ["%e"] * is_result
    lines = ["  %e = exp(%x) -> " + ROWS]
    for k in range(kernels):
        lines += [f"  %a{k} = add(%e, %x{k}) -> {ROWS}", f"  %m{k} = mul(%a{k}, %a{k}) -> {ROWS}",
                  f"  %r{k} = reduce_sum(%m{k}) axes[1] -> {COLUMNS}"]
    types = ", ".join([COLUMNS] * kernels + [ROWS] * is_result)
    path = pathlib.Path(folder) / "p.ptir"
    inputs = ", ".join(f"%x{k}: {ROWS}" for k in range(kernels))
    path.write_text(f"func @main(%x: {ROWS}, {inputs}) -> ({types}) {{\n" + "\n".join(lines) + f"\n  return {', '.join(outputs)}\n}}\n")
    said = tenon("explain", path).stdout.splitlines()
    return {line.split(": ")[1] for line in said if line.startswith(f"  not fused  %{kernels + 1}:")}


with tempfile.TemporaryDirectory() as scratch:
    many = reasons(scratch, 40, False)
    assert many == {"more kernels need it than are looked at one by one"}, many
    result = reasons(scratch, 40, True)
    assert result == {"it is a result of the program"}, result


def taken(folder, columns):
    """The kernels that take rows of so many COLUMNS at computed positions, and why the positions are in memory."""
    path = pathlib.Path(folder) / "take.ptir"
    path.write_text(f"func @main(%t: tensor<f32, 100x{columns}>, %i: tensor<si64, 512>) -> (tensor<f32, 512x{columns}>) {{\n"
                    "  %d = add(%i, %i) -> tensor<si64, 512>\n"
                    f"  %y = take(%t, %d) -> tensor<f32, 512x{columns}>\n  return %y\n}}\n")
    said = tenon("explain", path).stdout.splitlines()
    return sum(line.startswith("kernel ") for line in said), [line.split(": ")[1] for line in said if line.startswith("  not fused  %2: ")]


with tempfile.TemporaryDirectory() as scratch:
    assert taken(scratch, 64) == (2, ["many elements are read at each of these positions"]), taken(scratch, 64)
    assert taken(scratch, 8) == (1, []), taken(scratch, 8)


def contraction(folder, types, text, result):
    """What is said of the only kernel, a contraction of inputs."""
    path = pathlib.Path(folder) / "c.ptir"
    path.write_text(f"func @main({', '.join(f'%{n}: {t}' for n, t in zip('xw', types))}) -> {result} {{\n  %y = {text} -> {result}\n  return %y\n}}\n")
    (kernel,) = json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]
    return kernel["not_fused"], [s.partition("=")[0] for s in kernel.get("schedules", ())]


with tempfile.TemporaryDirectory() as scratch:  # inputs are never computed, and not all contractions are cut into blocks
    matrix = "tensor<f32, 64x64>"
    assert contraction(scratch, [matrix] * 2, "dot_general(%x, %w) contract_lhs[1] contract_rhs[0]", matrix) == ([], ["rows"])
    line = "tensor<f32, 9x700>"
    assert contraction(scratch, [line] * 2, "dot_general(%x, %w) batch[0] contract_lhs[1] contract_rhs[1]", "tensor<f32, 9>") == ([], [])


def summed(folder, rows, columns, function):
    """The kernels of FUNCTION of the sums of so many rows, and why the sums are in memory."""
    path = pathlib.Path(folder) / "s.ptir"
    path.write_text(f"func @main(%x: tensor<f32, {rows}x{columns}>) -> (tensor<f32, {rows}>) {{\n"
                    f"  %s = reduce_sum(%x) axes[1] -> tensor<f32, {rows}>\n"
                    f"  %y = {function}(%s) -> tensor<f32, {rows}>\n  return %y\n}}\n")
    wanted, *others = (tenon("run", path, "--random", 1, "--print", "--engine", engine).stdout for engine in ("ref", "jit"))
    assert wanted and others == [wanted]
    said = tenon("explain", path).stdout.splitlines()
    return sum(line.startswith("kernel ") for line in said), [line.split(": ")[1] for line in said if line.startswith("  not fused  %1: ")]


with tempfile.TemporaryDirectory() as scratch:  # of many short rows: no shorter than a vector, no longer than the function takes
    assert summed(scratch, 600, 10, "tanh") == (2, ["functions of results are computed in vectors of them, not one after each row"])
    for few in ((600, 10, "neg"), (600, 3, "tanh"), (600, 1500, "tanh"), (60, 10, "tanh")):
        assert summed(scratch, *few) == (1, []), few
