"""Kernels that differ only in which parts of tensors they read and write have one program. Short parts beside each other have one kernel."""
import pathlib
import re
import tempfile

from lib.program import tenon

PARTS = 40


def concat():
    parts = ", ".join(["%x"] * PARTS)
    return (f"func @main(%x: tensor<f32, 3x5>) -> tensor<f32, {3 * PARTS}x5> {{\n"
            f"  %v = concat({parts}) axis[0] -> tensor<f32, {3 * PARTS}x5>\n  return %v\n}}\n")


def slices():
    """Steps of an unrolled loop, each of which takes its row and keeps its result."""
    row, lines = "tensor<f32, 1x24>", []
    for i in range(PARTS):
        lines += [f"  %s{i} = slice(%x) starts[{i}, 8] sizes[1, 24] -> {row}", f"  %v{i} = tanh(%s{i}) -> {row}"]
    results = ", ".join(f"%v{i}" for i in range(PARTS))
    return (f"func @main(%x: tensor<f32, {PARTS}x40>) -> ({', '.join([row] * PARTS)}) {{\n" + "\n".join(lines) +
            f"\n  return {results}\n}}\n")


with tempfile.TemporaryDirectory() as folder:
    for make in (concat, slices):
        path = pathlib.Path(folder) / f"{make.__name__}.ptir"
        path.write_text(make())
        programs = re.findall(r"^step .* program (\d+)$", tenon("explain", "--dump", "loops", path).stdout, re.M)
        assert len(programs) > 1 and set(programs) == {"0"}, (make.__name__, programs)

    path = pathlib.Path(folder) / "beside.ptir"
    part = "tensor<f32, 500x24>"
    path.write_text(f"func @main(%x: {part}, %y: {part}, %z: {part}, %w: tensor<f32, 500x300>) -> tensor<f32, 500x372> {{\n"
                    "  %v = concat(%x, %y, %z, %w) axis[1] -> tensor<f32, 500x372>\n  return %v\n}\n")
    kernels = re.findall("^kernel", tenon("explain", path).stdout, re.M)
    assert len(kernels) == 2, kernels
