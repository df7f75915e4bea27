"""Rows at constant positions with even steps, such as the frames of a signal, or in a few runs of them, such as borders that
mirror what is beside them, are not looked up, nor are columns; others are, and positions outside stop the run."""
import json
import pathlib
import tempfile

from lib.program import tenon


def kernels(positions, rows=40, like="x3"):
    """The names of the kernels, and whether it runs."""
    n = len(positions)
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(f"func @main(%x: tensor<f32, {rows}{like}>) -> tensor<f32, {n}{like}> {{\n"
                    f"  %i = constant value{positions} -> tensor<si64, {n}>\n"
                    f"  %y = take(%x, %i) -> tensor<f32, {n}{like}>\n  return %y\n}}\n")
    names = [k["name"] for k in json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]]
    return names, tenon("run", path, "--random", "1", "--check", allowed=(0, 3)).returncode


def columns(positions):
    """The same of a take from the columns of 6 x 40."""
    n = len(positions)
    path = pathlib.Path(folder) / "c.ptir"
    path.write_text(f"func @main(%x: tensor<f32, 6x40>) -> tensor<f32, 6x{n}> {{\n"
                    f"  %i = constant value{positions} -> tensor<si64, {n}>\n"
                    f"  %t = transpose(%x) perm[1, 0] -> tensor<f32, 40x6>\n  %r = take(%t, %i) -> tensor<f32, {n}x6>\n"
                    f"  %y = transpose(%r) perm[1, 0] -> tensor<f32, 6x{n}>\n  return %y\n}}\n")
    names = [k["name"] for k in json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]]
    return names, tenon("run", path, "--random", "1", "--check", allowed=(0, 3)).returncode


MIRRORED = [3, 2, 1, *range(40), 38, 37, 36]
REPEATED = [0, 0, 0, *range(40), 39, 39, 39]


def frames(length, hop, n):
    return [k * hop + i for k in range(n) for i in range(length)]


with tempfile.TemporaryDirectory() as folder:
    for like in ("", "x3"):
        for positions in (frames(10, 4, 7), frames(3, 0, 5), [k for k in range(20) for _ in range(2)], frames(5, -2, 1)[::-1]):
            names, status = kernels(positions, like=like)
            assert status == 0 and not any("take" in name for name in names), (positions, names, status)
        names, status = kernels([3, 1, 6, 2], like=like)
        assert status == 0 and names == ["take"], names
        assert kernels(frames(10, 4, 9), like=like)[1] == 3, "the last frame ends behind the signal"
    for positions in (frames(10, 4, 7), MIRRORED, REPEATED):
        for names, status in (kernels(positions), kernels(positions, like=""), columns(positions)):
            assert status == 0 and not any("take" in name or "gather" in name for name in names), (positions, names, status)
    path = pathlib.Path(folder) / "long.ptir"  # each length of a row was tried at all of the positions
    n = 1 << 20
    path.write_text(f"func @main(%x: tensor<f32, {n}>) -> tensor<f32, {n}> {{\n"
                    f"  %i = constant value{[*range(n - 1), 5]} -> tensor<si64, {n}>\n"
                    f"  %y = take(%x, %i) -> tensor<f32, {n}>\n  return %y\n}}\n")
    tenon("explain", path, timeout=100)
    names, status = columns([3, 1, 6, 2])
    assert status == 0 and len(names) == 1 and "gather" in names[0], names
    assert columns([*MIRRORED, 40])[1] == 3, "the last column is none"
