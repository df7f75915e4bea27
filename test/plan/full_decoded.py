"""Weights that a product decodes where it loads them: scales that change with each of its axes, and in the middle of its columns."""
import math
import pathlib
import tempfile

from lib.compilers import machine_cpus
from lib.program import tenon

SHAPES = [((256, 8, 32), (256, 8, 1)), ((256, 4, 64), (256, 1, 64)), ((300, 3, 80), (1, 3, 80)), ((256, 256), (256, 1)),
          ((257, 272), (1, 272)), ((128, 2, 256), (128, 1, 256))]


def listed(shape):
    return "x".join(map(str, shape))


def program(shape, scales, rows):
    """[rows, k] times weights [k, ...], or [k, 2, ...] of which the first two axes are summed over."""
    n_sums = 2 if shape[1] == 2 else 1
    x, y = listed((rows, *shape[:n_sums])), listed((rows, *shape[n_sums:]))
    numbers = ",".join(str((7 * i + 3) % 251 - 125) for i in range(math.prod(shape)))
    factors = ",".join(str(i % 9 / 8 + 0.5) for i in range(math.prod(scales)))
    axes = ", ".join(map(str, range(n_sums)))
    return f"""\
func @main(%x: tensor<f32, {x}>) -> (tensor<f32, {y}>) {{
  %w = constant value[{numbers}] -> tensor<si8, {listed(shape)}>
  %c = cast(%w) dtype[f32] -> tensor<f32, {listed(shape)}>
  %s = constant value[{factors}] -> tensor<f32, {listed(scales)}>
  %b = broadcast_to(%s) result_shape[{", ".join(map(str, shape))}] -> tensor<f32, {listed(shape)}>
  %d = mul(%c, %b) -> tensor<f32, {listed(shape)}>
  %y = dot_general(%x, %d) contract_lhs[{", ".join(str(i + 1) for i in range(n_sums))}] contract_rhs[{axes}] -> tensor<f32, {y}>
  return %y
}}
"""


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    for shape, scales in SHAPES:
        for rows in 1, 6:
            path.write_text(program(shape, scales, rows))
            runs = {tenon("run", path, "--random", 1, "--print", *how).stdout
                    for how in [["--engine", "ref"], *(["--cpu", cpu] for cpu in machine_cpus() or ["native"])]}
            assert len(runs) == 1, (shape, scales, rows)
