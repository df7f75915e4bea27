"""Lines of padded operands are written in the parts that the borders make, but not where the parts are shorter than vectors
and an element takes long."""
import pathlib
import tempfile

from lib.program import tenon

N = 210
LINE = f"tensor<f32, 64x{N}>"


def stores(chain):
    """How many stores the loops have that write the sum of four padded lines, after the functions of CHAIN."""
    lines, last = [], None
    for k in range(4):
        lines.append(f"  %p{k} = pad(%x) low[0, {2 * k + 1}] high[0, {9 - 2 * k}] interior[0, 0] pad_value[0.0] -> {LINE}")
        lines += [f"  %s{k} = add({last}, %p{k}) -> {LINE}"] if last else []
        last = f"%s{k}" if last else f"%p{k}"
    for k, name in enumerate(chain):
        lines.append(f"  %v{k} = {name}({last}) -> {LINE}")
        last = f"%v{k}"
    path = pathlib.Path(folder) / "p.ptir"
    body = "\n".join(lines)
    path.write_text(f"func @main(%x: tensor<f32, 64x{N - 10}>) -> {LINE} {{\n{body}\n  return {last}\n}}\n")
    assert tenon("run", path, "--random", "1", "--check").returncode == 0
    return tenon("explain", "--cpu", "x86-64", "--dump", "loops", path).stdout.count("store ")


with tempfile.TemporaryDirectory() as folder:
    few, many = stores(["tanh", "erf"] * 8), stores([])
    assert few <= 2 < 8 <= many, (few, many)
