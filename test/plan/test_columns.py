"""A value of which several parts are read is computed in the kernel that reads them, if that computes no element twice."""
import json
import pathlib
import tempfile

from lib.program import tenon


def kernels(folder, rows, step):
    """Of the sum of eight parts of converted bytes, of ROWS rows each, which begin STEP rows apart."""
    path = pathlib.Path(folder) / "p.ptir"
    part = f"tensor<si32, {rows}>"
    lines = ["func @main(%x: tensor<ui8, 640>) -> " + part + " {", "  %w = cast(%x) -> tensor<si32, 640>"]
    lines += [f"  %c{i} = slice(%w) starts[{i * step}] sizes[{rows}] -> {part}" for i in range(8)]
    lines += [f"  %s{i} = add({f'%s{i - 1}' if i > 1 else '%c0'}, %c{i}) -> {part}" for i in range(1, 8)]
    path.write_text("\n".join(lines) + "\n  return %s7\n}\n")
    return len(json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"])


with tempfile.TemporaryDirectory() as folder:
    assert kernels(folder, 80, 80) == 1
    assert kernels(folder, 500, 20) == 2  # most bytes are converted once instead of eight times
