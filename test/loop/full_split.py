"""Reductions of few and long rows, whose blocks are shared out over threads: along rows, of the few columns of a
matrix, which is walked over as one line where it is read so, and of the products of rows with rows."""
from lib.every_way import differences_of_text, report

LONG = 1 << 16


def tensor(kind, shape):
    return f"tensor<{', '.join([kind, 'x'.join(map(str, shape))] if shape else [kind])}>"


def program(kind, shape, axis, how, before, after=()):
    """REDUCE_HOW of what the lines BEFORE make of %x, and then the lines AFTER of %z."""
    x, z = tensor(kind, shape), tensor(kind, shape[:axis] + shape[axis + 1:])
    last = before[-1][0] if before else "%x"
    lines = [f"  {name} = {op} -> {x}" for name, op in before] + [f"  %z = reduce_{how}({last}) axes[{axis}] -> {z}"]
    lines += [f"  {name} = {op} -> {z}" for name, op in after]
    return f"func @main(%x: {x}) -> {z} {{\n" + "\n".join(lines) + f"\n  return {after[-1][0] if after else '%z'}\n}}\n"


SQUARE = [("%y", "mul(%x, %x)")]
ZEROS = [("%s", "sub(%x, %x)"), ("%y", "mul(%s, %x)")]  # of both signs
NOTHING = [("%s", "sub(%x, %x)"), ("%y", "div(%s, %s)")]  # NaN


def dots(kind, rows, length, stored=None, adds=False):
    """Products of rows with rows; those of the left are STORED as others, and the results are added to."""
    x, y, left = tensor(kind, (rows, length)), tensor(kind, (rows,)), tensor(stored or kind, (rows, length))
    lines = [f"  %a = cast(%x) -> {x}"] if stored else []
    lines += [f"  %z = dot_general({'%a' if stored else '%x'}, %i) batch_lhs[0] batch_rhs[0] contract_lhs[1] contract_rhs[1] -> {y}"]
    lines += [f"  %w = add(%z, %j) -> {y}"] if adds else []
    more = f", %j: {y}" if adds else ""
    return f"func @main(%x: {left}, %i: {x}{more}) -> {y} {{\n" + "\n".join(lines) + f"\n  return {'%w' if adds else '%z'}\n}}\n"


def programs():
    rows = [("f32", (2, LONG + 1057), "max", []), ("f32", (LONG + 5,), "min", ZEROS), ("f64", (LONG,), "max", NOTHING),
            ("si8", (LONG + 70,), "min", []), ("ui16", (2, LONG + 1024), "max", []), ("f16", (LONG + 33,), "max", ZEROS)]
    columns = [("f32", (LONG + 33, 3), "sum", []), ("f32", (LONG, 2), "max", ZEROS), ("f64", (LONG + 1024, 5), "sum", SQUARE),
               ("f64", (LONG + 1, 2), "min", NOTHING), ("si8", (LONG + 1057, 7), "max", []), ("f16", (LONG + 40, 3), "sum", []),
               ("f32", (LONG + 9, 3), "sum", [("%y", "exp(%x)")]), ("si32", (LONG + 31, 6), "sum", SQUARE)]
    for kind, shape, how, before in rows:
        yield (program(kind, shape, len(shape) - 1, how, before),)
    for kind, shape, how, before in columns:
        yield (program(kind, shape, 0, how, before, [("%w", "add(%z, %z)")] if how == "sum" else ()),)
    padded = program("f32", (LONG + 9, 3), 0, "sum", [("%y", "pad(%i) low[4, 0] high[5, 0] interior[0, 0] pad_value[0.0]")])
    yield (padded.replace(f"%x: tensor<f32, {LONG + 9}x3>", f"%i: tensor<f32, {LONG}x3>"),)
    for made in (("f32", 1, 2 * LONG), ("f32", 1, LONG + 1), ("f32", 3, LONG + 256 * 5 + 77), ("f64", 2, LONG + 256 * 3), ("f16", 1, LONG + 700),
                 ("si64", 1, LONG + 300), ("f32", 2, LONG + 999, "si8"), ("f32", 1, 32 * LONG + 300), ("f32", 1, LONG + 513, None, True)):
        yield (dots(*made),)


if __name__ == "__main__":
    report(list(programs()), differences_of_text)
