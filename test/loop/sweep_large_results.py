"""Results so large that they are written by non-temporal stores, which need lines that begin on cache lines: parts of
larger results begin anywhere.
"""
from lib.every_way import differences, report


def shaped(dims):
    return f"tensor<f32, {'x'.join(map(str, dims))}>"


def program(before, value, after, axis, body):
    """A result of VALUE's extents, which BODY computes of %y, between parts that are BEFORE and AFTER long."""
    def part(n):
        return [n if i == axis else d for i, d in enumerate(value)]
    lengths = [n for n in (before, value[axis], after) if n]
    names = ", ".join(name for name, n in (("%a", before), ("%e", 1), ("%b", after)) if n)
    out = shaped(part(sum(lengths)))
    inputs = [f"%{name}: {shaped(part(n))}" for name, n in (("a", before), ("b", after)) if n]
    lines = [f"func @main({', '.join([*inputs, f'%y: {shaped(value)}'])}) -> {out} {{", body.format(t=shaped(value))]
    if len(lengths) > 1:
        lines.append(f"  %v = concat({names}) axis[{axis}] -> {out}")
    return "\n".join([*lines, f"  return {'%v' if len(lengths) > 1 else '%e'}", "}", ""])


EXP = "  %e = exp(%y) -> {t}"
ROWS = """  %s = reduce_sum(%y) axes[1] keepdims[true] -> tensor<f32, 3584x1>
  %m = broadcast_to(%s) shape[3584, 2048] -> {t}
  %e = sub(%y, %m) -> {t}"""
LARGE = 7 << 20  # elements of 4 bytes
KINDS = [(17, (LARGE,), 0, 0, EXP), (16, (LARGE,), 3, 0, EXP), (0, (LARGE,), 5, 0, EXP),
         (17, (3584, 2048), 0, 1, EXP), (16, (3584, 2048), 16, 1, EXP), (0, (3584, 2048), 1, 1, EXP),
         (1, (3584, 2048), 2, 0, EXP), (5, (7, 1024, 1024), 0, 1, EXP),
         (17, (3584, 2048), 0, 1, ROWS), (0, (3584, 2048), 7, 1, ROWS), (3, (3584, 2048), 0, 0, ROWS)]


def check(asked, folder, number, *kind):
    source = folder / "a.ptir"
    source.write_text(program(*kind))
    return differences(asked, source, [f"random={number}"])


if __name__ == "__main__":
    report(KINDS, check)
