"""A few rows times a matrix of many rows: the blocks of the law are items of their own, so that the matrix is read from end to end, and
their sums are added in order by a second program. Where sizes are open, or products few, it is not so."""
import pathlib
import tempfile

from lib.program import tenon

LATER = "the sums of the blocks"


def dot(m, k, n):
    return f"""func @main(%x: tensor<f32, {m}x{k}>, %y: tensor<f32, {k}x{n}>) -> tensor<f32, {m}x{n}> {{
  %z = dot_general(%x, %y) contract_lhs[1] contract_rhs[0] -> tensor<f32, {m}x{n}>
  %r = tanh(%z) -> tensor<f32, {m}x{n}>
  return %r
}}
"""


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    for m, k, n, is_apart in ((1, 1025, 320, True), (1, 8192, 100, True), (5, 4000, 200, True), (1, 700, 512, True), (1, 500, 512, False),
                              (1, 1025, 20000, False)):
        path.write_text(dot(m, k, n))
        for cpu in ("x86-64", "x86-64-v3", "x86-64-v4"):
            assert (LATER in tenon("explain", path, "--cpu", cpu).stdout) == is_apart, (m, k, n, cpu)
        if not is_apart:
            continue
        results = set()
        for options in (["--engine", "ref"], ["--threads", 1], ["--threads", 2], ["--cpu", "x86-64"]):
            tenon("run", path, "--random", 3, "--output", folder, *options)
            results.add((pathlib.Path(folder) / "0.npy").read_bytes())
        assert len(results) == 1, (m, k, n)
    path.write_text(dot("?N", 4000, 200))
    assert LATER not in tenon("explain", path, "--dim", "N=1").stdout
