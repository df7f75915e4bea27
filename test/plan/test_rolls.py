"""A roll over several axes, slices of a concatenation that are concatenated again, has no intermediate result in memory;
what others need, too, or what is cut out twice, has one."""
import pathlib
import re
import tempfile

from lib.program import tenon


def roll(x, axis, shape, by, n):
    rest = [d - by if k == axis else d for k, d in enumerate(shape)]
    cut = [by if k == axis else d for k, d in enumerate(shape)]
    start = [d - by if k == axis else 0 for k, d in enumerate(shape)]

    def of(dims):
        return f"tensor<f32, {'x'.join(map(str, dims))}>"
    return (f"  %a{n} = slice(%{x}) starts{start} sizes{cut} -> {of(cut)}\n"
            f"  %b{n} = slice(%{x}) starts{[0] * len(shape)} sizes{rest} -> {of(rest)}\n"
            f"  %r{n} = concat(%a{n}, %b{n}) axis[{axis}] -> {of(shape)}\n")


def reads(shape, axes, results="%r{last}"):
    """What the kernels read that is no input."""
    of = f"tensor<f32, {'x'.join(map(str, shape))}>"
    last = len(axes) - 1
    lines = "".join(roll(f"r{n - 1}" if n else "x", axis, shape, n + 1, n) for n, axis in enumerate(axes))
    results = results.format(last=last)
    types = ", ".join([of] * len(results.split(",")))
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(f"func @main(%x: {of}) -> ({types}) {{\n{lines}  return {results}\n}}\n")
    assert tenon("run", path, "--random", "1", "--check").returncode == 0
    text = tenon("explain", "--dump", "kernels", path).stdout
    return set(re.findall(r"^  reads (%\d+)", text, re.M)) - {"%0"}, text.count("kernel ")


with tempfile.TemporaryDirectory() as folder:
    assert reads([12, 20], [0, 1]) == (set(), 4)
    assert reads([5, 9, 7], [2, 0, 1]) == (set(), 8)
    assert reads([12, 20], [0, 1], "%r1, %r0")[0], "a result is in memory and may be read there"
    overlapping = "func @main(%x: tensor<f32, 4x6>, %y: tensor<f32, 4x6>) -> tensor<f32, 12x6> {\n" \
        "  %c = concat(%x, %y) axis[0] -> tensor<f32, 8x6>\n  %e = slice(%c) starts[0, 0] sizes[6, 6] -> tensor<f32, 6x6>\n" \
        "  %f = slice(%c) starts[2, 0] sizes[6, 6] -> tensor<f32, 6x6>\n" \
        "  %r = concat(%e, %f) axis[0] -> tensor<f32, 12x6>\n  return %r\n}\n"
    path = pathlib.Path(folder) / "o.ptir"
    path.write_text(overlapping)
    assert "reads %2" in tenon("explain", "--dump", "kernels", path).stdout
