"""Programs of one to a few kernels of every kind, at odd extents, whose vectors are rarely whole.

Each kind draws its extents, element types and attributes; full_partial.py runs a few of each between guard pages,
sweep_partial.py many.
"""
import json
import math
import random

import run_cases

INTS = ("Si8", "Ui8", "Si16", "Ui16", "Si32", "Ui32", "Si64", "Ui64")
FLOATS = ("Fp8E4M3", "Fp8E5M2", "Bf16", "F16", "F32", "F64")
REAL = INTS + FLOATS
NUMBERS = REAL + ("Si4", "Ui4", "Cf32", "Cf64")
ALL = NUMBERS + ("I1",)
WIDE = ("F32", "F64", "Si32", "Si64")  # elements for which most machines have masks
EDGES = (1, 3, 5, 7, 8, 9, 11, 13, 15, 16, 17, 31, 33, 63, 65)


def spec(dtype, shape):
    return {"dtype": dtype, "shape": {"dims": [{"Static": d} for d in shape]}}


class Value:
    def __init__(self, operand, dtype, shape):
        self.operand, self.dtype, self.shape = operand, dtype, tuple(shape)


class Program:
    """A PTIR function in the making: inputs first."""

    def __init__(self, draw):
        self.r, self.inputs, self.body, self.regions = draw, [], [], []

    # ---- drawing

    def n(self, most=70):
        """An extent up to MOST, mostly odd: of few lanes, about as long as vectors, or any."""
        return self.r.choice([e for e in EDGES if e <= most] + [self.r.randrange(1, most + 1, 2)])

    def dims(self, rank, most=9000):
        """Extents, MOST elements in all."""
        while True:
            out = [self.n(self.r.choice([9, 17, 70])) for k in range(rank)]
            if math.prod(out) <= most:
                return out

    def kind(self, kinds):
        """An element type among KINDS."""
        wide = [k for k in kinds if k in WIDE]
        return self.r.choice(wide if wide and self.r.random() < 0.5 else kinds)

    def input(self, dtype, shape):
        self.inputs.append((dtype, tuple(shape)))
        return Value({"Value": len(self.inputs) - 1}, dtype, shape)

    # ---- operations

    def op(self, op, operands, dtype, shape):
        self.body.append((op, operands, dtype, tuple(shape)))
        return Value(len(self.body) - 1, dtype, shape)

    def unary(self, op, x):
        return self.op({"ElementwiseUnary": op}, [x], x.dtype, x.shape)

    def binary(self, op, x, y):
        return self.op({"ElementwiseBinary": op}, [x, y], x.dtype, x.shape)

    def spread(self, x, shape):
        return self.op({"BroadcastTo": {"result_shape": spec("F32", shape)["shape"]}}, [x], x.dtype, shape)

    def reduced(self, kind, x, axes, keep=True):
        shape = [1 if k in axes else d for k, d in enumerate(x.shape) if keep or k not in axes]
        return self.op({"Reduce": {"kind": kind, "axes": axes, "keepdims": keep, "accum_dtype": None,
                                   "out_dtype": None}}, [x], x.dtype, shape)

    def tuple(self, op, operands, types):
        """The elements of a tuple, each by an operation of its own: a function returns values."""
        at = len(self.body)
        self.body.append((op, operands, {"Tuple": [{"Tensor": spec(*t)} for t in types]}, None))
        return [self.op("StopGradient", [Value((at, k), *t)], *t) for k, t in enumerate(types)]

    def padded(self, x, low, high, hole):
        zero = self.r.random() < 0.5  # is what masks give anyway
        value = ({"I1": not zero} if x.dtype == "I1" else
                 {"Complex": {"re": 0.0, "im": 0.0 if zero else -2.0}} if x.dtype[0] == "C" else
                 {"Signed": 0 if zero else 3} if x.dtype[0] == "S" else
                 {"Unsigned": 0 if zero else 5} if x.dtype[0] == "U" else {"Float": 0.0 if zero else -1.5})
        shape = [n + a + b + (n - 1) * c for n, a, b, c in zip(x.shape, low, high, hole)]
        return self.op({"Pad": {"low": low, "high": high, "interior": hole, "pad_value": value}}, [x], x.dtype, shape)

    def reshaped(self, x, shape):
        return self.op({"Reshape": {"new_shape": [{"Explicit": {"Static": d}} for d in shape]}}, [x], x.dtype, shape)

    def transposed(self, x, perm):
        return self.op({"Transpose": {"perm": perm}}, [x], x.dtype, [x.shape[p] for p in perm])

    def dot(self, x, y, batch, contract, accumulator=None):
        """Of pairs of axes."""
        used = [set(p[k] for p in batch + contract) for k in (0, 1)]
        shape = [x.shape[a] for a, _ in batch]
        shape += [d for k, v in enumerate((x, y)) for a, d in enumerate(v.shape) if a not in used[k]]
        return self.op({"DotGeneral": {"batch_lhs": [a for a, _ in batch], "batch_rhs": [b for _, b in batch],
                                       "contract_lhs": [a for a, _ in contract],
                                       "contract_rhs": [b for _, b in contract],
                                       "accum_dtype": accumulator, "out_dtype": accumulator}}, [x, y], accumulator or x.dtype, shape)

    def json(self, *results):
        n = len(self.inputs)

        def operand(v):
            if isinstance(v.operand, tuple):
                return {"TupleElement": {"tuple": n + v.operand[0], "index": v.operand[1]}}
            return v.operand if isinstance(v.operand, dict) else {"Value": n + v.operand}
        body = [{"id": n + k, "op": op, "operands": [operand(v) for v in operands],
                 "output": output if isinstance(output, dict) else {"Tensor": spec(output, shape)}}
                for k, (op, operands, output, shape) in enumerate(self.body)]
        tensors = [{"Tensor": spec(*i)} for i in self.inputs]
        return json.dumps({"spec_version": "ptir.v0.4", "entry": "main", "regions": self.regions, "functions": [{
            "name": "main", "parameters": tensors, "parameter_ids": list(range(n)), "body": body, "hints": [],
            "results": [{"Tensor": spec(v.dtype, v.shape)} for v in results],
            "result_ids": [operand(v)["Value"] for v in results]}]})


# ---- kinds: each a function of a program, which gives its results ------------------------------------------

def elementwise(p):
    kind = p.kind(NUMBERS)
    shape = p.dims(p.r.randint(1, 3))
    x, y = p.input(kind, shape), p.input(kind, [d if p.r.random() < 0.7 else 1 for d in shape])
    y = p.spread(y, shape)
    z = p.binary(p.r.choice(["Add", "Sub", "Mul"]), x, y)
    c = p.op({"Compare": {"op": "Equal"}}, [x, z], "I1", shape)
    return p.op("Select", [c, y, z], kind, shape), c


def converted(p):
    x = p.input(p.kind(REAL), p.dims(p.r.randint(1, 2)))
    kind = p.kind(REAL)
    y = p.op({"Cast": {"dtype": kind}}, [x], kind, x.shape)
    return y, p.binary("Add", y, y)


def divided(p):
    """Integers divided by a constant, and what is left."""
    kind = p.r.choice(INTS)
    bits, is_signed = int(kind[2:]), kind[0] == "S"
    most = (1 << (bits - is_signed)) - 1
    by = p.r.choice([1, 2, 3, 7, 10, 16, 127, 1 << p.r.randrange(bits - 1), p.r.randint(1, most), most])
    by = -by if is_signed and p.r.random() < 0.2 else by
    x = p.input(kind, p.dims(p.r.randint(1, 2)))
    c = p.op({"Constant": {"spec": spec(kind, ()), "bytes": list(by.to_bytes(bits // 8, "little", signed=is_signed))}}, [], kind, ())
    y = p.spread(c, x.shape)
    q = p.binary("Div", x, y)
    return q, p.binary("Sub", x, p.binary("Mul", q, y))


def short_rows(p):
    """Pads of rows that are shorter than a vector, of which parts are known to be beyond them."""
    x = p.input(p.r.choice(WIDE), [p.n(33), p.r.randint(1, 12)])
    low, high = ([p.r.choice([0, p.r.randint(0, 9)]) for _ in x.shape] for _ in range(2))
    y = p.padded(x, low, high, [0, 0])
    return (p.binary("Mul", y, y) if y.dtype in NUMBERS and p.r.random() < 0.4 else y,)


def image_pads(p):
    """A border around images whose few channels are last, and something of that."""
    shape = [*p.dims(p.r.randint(1, 3), 900), p.r.randint(1, 9)]
    x = p.input(p.kind(ALL), shape)
    low, high = ([p.r.choice([0, p.r.randint(0, 4)]) for _ in shape[1:]] + [0] for _ in range(2))
    hole = [p.r.choice([0, 0, 0, 1]) for _ in shape[1:]] + [0]
    y = p.padded(x, low, high, hole)
    if y.dtype in NUMBERS and p.r.random() < 0.4:
        y = p.binary("Mul", y, p.spread(p.input(y.dtype, y.shape[-1:]), y.shape))
    if y.dtype in REAL and p.r.random() < 0.3:
        return (p.reduced("Sum", y, [p.r.randrange(len(shape))]),)
    return (y if p.r.random() < 0.6 else cut(p, y),)


def pads(p):
    x = p.input(p.kind(ALL), p.dims(p.r.randint(1, 3), 3000))
    low, high = ([p.r.choice([0, p.r.randint(0, 9)]) for _ in x.shape] for _ in range(2))
    hole = [p.r.choice([0, 0, 1, 2]) if p.r.random() < 0.4 else 0 for _ in x.shape]
    if x.dtype in NUMBERS and p.r.random() < 0.4:
        x = p.binary("Add", x, x)
    y = p.padded(x, low, high, hole)
    if y.dtype in NUMBERS and p.r.random() < 0.4:
        y = p.binary("Mul", y, y)
    if p.r.random() < 0.4:
        return (cut(p, y),)
    return (y,)


def cut(p, x):
    starts = [p.r.randint(0, d - 1) for d in x.shape]
    sizes = [p.r.randint(1, d - s) for s, d in zip(starts, x.shape)]
    return p.op({"Slice": {"starts": starts, "sizes": sizes}}, [x], x.dtype, sizes)


def slices(p):
    x = p.input(p.kind(ALL), p.dims(p.r.randint(1, 3)))
    y = cut(p, x)
    return (p.binary("Add", y, y) if x.dtype in NUMBERS else y,)


def joined(p):
    kind, shape = p.kind(ALL), p.dims(p.r.randint(1, 3), 3000)
    axis = p.r.randrange(len(shape))
    parts = [p.input(kind, [p.n(40) if k == axis else d for k, d in enumerate(shape)])
             for _ in range(p.r.randint(2, 4))]
    shape[axis] = sum(v.shape[axis] for v in parts)
    return (p.op({"Concat": {"axis": axis}}, parts, kind, shape),)


def rolled(p):
    """Parts of what was joined, joined again, once or twice, along other axes."""
    y, = joined(p)
    for _ in range(p.r.randint(1, 2)):
        axis = p.r.randrange(len(y.shape))
        at = p.r.randint(0, y.shape[axis])
        ends = [(k, n) for k, n in ((0, at), (at, y.shape[axis] - at)) if n > 0]
        if p.r.random() < 0.7:
            ends.reverse()
        parts = []
        for start, n in ends:
            sizes = [n if k == axis else d for k, d in enumerate(y.shape)]
            starts = [start if k == axis else 0 for k in range(len(y.shape))]
            parts.append(p.op({"Slice": {"starts": starts, "sizes": sizes}}, [y], y.dtype, sizes))
        y = p.op({"Concat": {"axis": axis}}, parts, y.dtype, y.shape)
    return (p.binary("Add", y, y) if y.dtype in NUMBERS and p.r.random() < 0.3 else y,)


def stacked(p):
    """Single elements side by side along the last axis, some of them computed, and the same as one line of them."""
    kind, n = p.kind(ALL), p.r.randint(2, p.r.choice([10, 10, 40]))
    shape = [*p.dims(p.r.randint(1, 2), 900), 1]
    x = [p.input(kind, shape) for _ in range(p.r.randint(1, 3))]
    parts = [p.r.choice(x) for _ in range(n)]
    if kind in NUMBERS:
        parts = [v if p.r.random() < 0.5 else p.binary(p.r.choice(["Add", "Mul"]), v, p.r.choice(x)) for v in parts]
    if kind in REAL and p.r.random() < 0.3:
        parts[0] = p.reduced(p.r.choice(["Sum", "Max"]), p.input(kind, [*shape[:-1], p.n(20)]), [len(shape) - 1], True)
    y = p.op({"Concat": {"axis": len(shape) - 1}}, parts, kind, [*shape[:-1], n])
    line = p.reshaped(y, [math.prod(y.shape)])
    return p.r.choice([(y,), (line,), (y, line)])


def interleaved(p):
    """Stacks of elements as lines beside each other, or behind other lines: the phases of an image."""
    kind, rows, length = p.kind(ALL), p.n(9), p.r.choice([16, 17, 24, 28, 33, 40, 100])
    x = [p.input(kind, [rows, length, 1]) for _ in range(3)]
    axis, lines = p.r.choice([0, 1, 2]), []
    n = p.r.choice([2, 2, 2, 3, 4, 9])
    for _ in range(p.r.randint(1, 3)):
        parts = [p.r.choice(x) for _ in range(n)]
        if kind in NUMBERS and p.r.random() < 0.5:
            parts[0] = p.binary("Add", parts[0], parts[1])
        line = p.op({"Concat": {"axis": 2}}, parts, kind, [rows, length, n])
        lines.append(p.reshaped(line, [rows, 1, length * n]))
    if len(lines) == 1 or p.r.random() < 0.3:
        shape = [rows, 1, length * n]
        shape[axis] = p.n(5)
        lines.insert(p.r.randint(0, len(lines)), p.input(kind, shape))
    shape = list(lines[0].shape)
    shape[axis] = sum(v.shape[axis] for v in lines)
    y = p.op({"Concat": {"axis": axis}}, lines, kind, shape)
    return (p.reshaped(y, [math.prod(shape)]) if p.r.random() < 0.5 else y,)


def tiled(p):
    x = p.input(p.kind(ALL), p.dims(2, 700))
    repeats = [p.r.randint(1, 3) for _ in x.shape]
    return (p.op({"Tile": {"repeats": repeats}}, [x], x.dtype, [a * b for a, b in zip(x.shape, repeats)]),)


def repeated(p):
    """Each element several times, and the same few over and over: as often as lanes have a divisor, mostly."""
    kind, n, times = p.kind(ALL), p.n(40), p.r.choice([2, 4, 8, 16, 32, 64, 3, 5])
    x, y = p.input(kind, (n, 1)), p.input(kind, (1, times))
    each, over = (p.reshaped(p.spread(v, (n, times)), [n * times]) for v in (x, y))
    if p.r.random() < 0.5:
        return cut(p, each), cut(p, over)
    if kind in NUMBERS and p.r.random() < 0.7:
        return (p.binary("Mul", each, over),)
    return each, over


def many_times(p):
    """A few elements many times: whole vectors of them are made once."""
    x = p.input(p.kind(ALL), (p.r.choice([1, 2, 5]), p.r.randint(2, 17)))
    times = p.r.choice([9, 16, 33, 64, 100])
    y = p.op({"Tile": {"repeats": [1, times]}}, [x], x.dtype, [x.shape[0], x.shape[1] * times])
    if x.dtype in NUMBERS and p.r.random() < 0.5:
        y = p.binary("Add", y, y if p.r.random() < 0.5 else p.input(x.dtype, y.shape))
    return (y,)


def regrouped(p):
    """Axes that are taken apart, put into another order and joined: patches, channels that become places, repeated elements."""
    kind, short = p.kind(ALL), p.r.choice([2, 3, 4, 5])
    parts = [p.n(9), short, p.r.choice([3, 8, 16, 33]), p.r.choice([short, 1, 16, 20])]
    p.r.shuffle(parts)
    x = p.input(kind, (parts[0] * parts[1], parts[2] * parts[3]))
    y = p.reshaped(x, parts)
    if p.r.random() < 0.3:
        y = p.spread(p.reshaped(y, [*parts, 1]), [*parts, short])
    y = p.transposed(y, p.r.sample(range(len(y.shape)), len(y.shape)))
    cut_at = p.r.randint(0, len(y.shape) - 1)
    y = p.reshaped(y, [math.prod(y.shape[:cut_at]), math.prod(y.shape[cut_at:])])
    if kind in NUMBERS and p.r.random() < 0.4:
        y = p.binary("Add", y, p.input(kind, y.shape) if p.r.random() < 0.5 else y)
    return (y,)


def records(p):
    """Rows of a few elements in the other order. In StableHLO, as PTIR has no word for it."""
    dims = [p.r.choice([1, 3]), p.n(70), p.r.randint(2, 7)]
    kind = "x".join(map(str, dims)) + "x" + p.r.choice(["f32", "f64", "i8", "ui8", "i16", "i32", "i64", "f16", "bf16", "i1", "complex<f32>"])
    axes = p.r.choice(["2", "1, 2", "0, 2"])
    return "stablehlo", (f"func.func @main(%x: tensor<{kind}>) -> tensor<{kind}> {{\n"
                         f"  %y = stablehlo.reverse %x, dims = [{axes}] : tensor<{kind}>\n  return %y : tensor<{kind}>\n}}\n")


def fields_apart(p):
    """Fields of records become rows."""
    n = p.r.randint(2, 17)
    x = p.input(p.kind(ALL), p.r.choice([[p.n(300), n], [p.r.randint(1, 3), p.n(100), n]]))
    axes = list(range(len(x.shape)))
    y = p.transposed(x, axes[:-2] + [axes[-1], axes[-2]])
    for _ in range(p.r.choice([0, 0, 1, 5]) if x.dtype in NUMBERS else 0):
        y = p.binary(p.r.choice(["Add", "Mul"]), y, p.r.choice([y, p.input(y.dtype, y.shape)]))
    return (y,)


def columns(p):
    """Some fields of records, side by side, of which as many may be computed as there are."""
    n = p.r.choice([8, 8, 4, p.r.randint(2, 17)])
    x = p.input(p.r.choice(["I1", "Si8", "Ui8", "Fp8E5M2", "Si16", "Bf16", p.kind(ALL)]), [p.r.choice([p.n(300), 64, 129, 320]), n])
    if x.dtype in INTS + ("I1",) and p.r.random() < 0.7:
        x = p.op({"Cast": {"dtype": "Si32"}}, [x], "Si32", x.shape)
    y = None
    for at in p.r.sample(range(n), p.r.randint(1, n) if x.dtype in NUMBERS else 1):
        part = p.op({"Slice": {"starts": [0, at], "sizes": [x.shape[0], 1]}}, [x], x.dtype, [x.shape[0], 1])
        y = part if y is None else p.binary(p.r.choice(["Add", "Mul"]), y, part)
    return (y,)


def every_eighth(p):
    """Fields of records of which the last one may not be whole. In StableHLO, as PTIR has no steps."""
    kind, step = p.r.choice([("i8", 8), ("ui8", 8), ("i1", 8), ("i16", 4), ("bf16", 4)])
    n = p.r.choice([64, 65, 128, 192])
    first = p.r.randrange(step)
    size = first + (n - 1) * step + p.r.choice([1, step - first])
    return "stablehlo", (f"func.func @main(%x: tensor<{size}x{kind}>) -> tensor<{n}x{kind}> {{\n"
                         f"  %y = stablehlo.slice %x [{first}:{size}:{step}] : (tensor<{size}x{kind}>) -> tensor<{n}x{kind}>\n"
                         f"  return %y : tensor<{n}x{kind}>\n}}\n")


def turned(p):
    x = p.input(p.kind(ALL), p.dims(p.r.randint(2, 4)))
    perm = p.r.sample(range(len(x.shape)), len(x.shape))
    y = p.transposed(x, perm)
    if x.dtype in NUMBERS and p.r.random() < 0.5:
        y = p.binary("Add", y, p.input(y.dtype, y.shape))
    return (y,)


def reductions(p):
    x = p.input(p.kind(REAL + ("Cf32",)), p.dims(p.r.randint(1, 3)))
    axes = sorted(p.r.sample(range(len(x.shape)), p.r.randint(1, len(x.shape))))
    y = p.binary("Mul", x, x) if p.r.random() < 0.4 else x
    kinds = ["Sum"] + ["Max", "Min"] * (x.dtype in REAL) + ["MaxNan", "MinNan"] * (x.dtype in FLOATS)
    kind = p.r.choice(kinds)
    return (p.reduced(kind, y, axes, p.r.random() < 0.5),)


def extrema_of_columns(p):
    """Largest and smallest elements of columns, some of which are zeros of either sign."""
    shape = [p.r.choice([1, 2, 3]), p.r.choice([31, 32, 33, 47, 100, 259, 512]), p.n(140)]
    x = p.input(p.kind(REAL), shape)
    if x.dtype[0] in "FB" and p.r.random() < 0.6:
        x = p.binary("Mul", p.unary("Abs", p.unary("RoundEven", x)), p.spread(p.input(x.dtype, [1, 1, shape[2]]), shape))
    kinds = ["Max", "Min"] + ["MaxNan", "MinNan"] * (x.dtype in FLOATS)
    return tuple(p.reduced(k, x, [1], False) for k in p.r.sample(kinds, p.r.randint(1, 2)))


def narrow_rows(p):
    """Rows of so few elements that vectors may lie across them: as they are, some of each, with factors for each element,
    in one pass or two."""
    kind, wide, n = p.kind(ALL), p.r.choice([2, 3, 4, 4, 5, 8, 8]), p.r.choice([p.n(300), 64, 129, 320])
    x = p.input(kind, [n, wide])
    if wide > 2 and p.r.random() < 0.2:
        wide -= 1
        x = p.op({"Slice": {"starts": [0, p.r.randrange(2)], "sizes": [n, wide]}}, [x], kind, [n, wide])
    y = x
    if kind != "I1" and p.r.random() < 0.4:
        y = p.binary(p.r.choice(("Mul", "Add")), y, p.spread(p.input(kind, [1, wide]), x.shape))
    elif kind == "I1" and p.r.random() < 0.7:
        kind = p.r.choice(("Ui8", "Si32", "Si64", "F32"))
        y = p.op({"Cast": {"dtype": kind}}, [y], kind, y.shape)
    how = p.r.choice(["Sum"] * (kind != "I1") + ["Max", "Min"] * (kind in REAL + ("I1",)))
    total = p.reduced(how, y, [1])
    if kind not in FLOATS or p.r.random() < 0.5:
        return (total,)
    e = p.binary("Sub", y, p.spread(total, y.shape))
    return e, p.reduced("Sum", p.binary("Mul", e, e), [1])


def any_or_all(p):
    """Whether any or all of long rows are true, mostly of such that are rarely so."""
    shape, how = [p.r.choice([1, 1, 3, 5]), 200 + p.n(70) * p.r.choice([1, 9, 40])], p.r.choice(("Max", "Min"))
    x = p.input("I1", shape)
    if p.r.random() < 0.8:
        kind = p.r.choice(("Si8", "Ui8", "Ui8", p.kind(REAL)))
        y = p.op({"Compare": {"op": "Equal" if how == "Max" else "NotEqual"}}, [p.input(kind, shape), p.input(kind, shape)], "I1", shape)
        x = p.op("Select", [x, y, x] if how == "Max" else [x, x, y], "I1", shape)
    return (p.reduced(how, x, [1]),)


def rows(p):
    """As softmax does it: several passes over rows."""
    x = p.input(p.kind(FLOATS), p.dims(2))
    axes = [p.r.choice([1, 1, 0])]
    e = p.unary("Exp", p.binary("Sub", x, p.spread(p.reduced("Max", x, axes), x.shape)))
    total = p.reduced("Sum", e, axes)
    return p.binary("Div", e, p.spread(total, x.shape)), total


def normalised(p):
    x = p.input(p.kind(FLOATS), p.dims(2))
    k = p.r.randrange(2)
    g, b = (p.input(x.dtype, [x.shape[k]]) for _ in range(2))
    return (p.op({"LayerNorm": {"epsilon": 0.5, "feature_axis": k}}, [x, g, b], x.dtype, x.shape),)


def kept(p):
    """Rows of which a pass keeps values for the next one, and for the results, with nodes between to which many ways lead."""
    kind, shape = p.r.choice(("F32", "F32", "F64")), [p.r.choice((17, 33, 40)), 63 + p.n()]

    def one(v):
        return p.spread(p.reduced(p.r.choice(("Sum", "Max", "Min")), v, [1]), shape)
    x, other = p.input(kind, shape), p.spread(p.input(kind, [1, shape[1]]), shape)
    value = p.unary(p.r.choice(("Exp", "Tanh", "Erf")), x)
    v = p.binary("Sub", p.r.choice((x, x, value)), one(p.binary("Sub", value, one(value))))
    for _ in range(p.r.choice((0, 2, 9, 9))):
        v = p.binary("Maximum", p.binary("Mul", v, other), p.binary("Add", v, other))
    return (p.binary("Add", one(v), p.binary("Mul", value, p.r.choice((v, x)))),)


def products(p):
    kind = p.r.choice(("F32", "F32", "F64", "F16", "Bf16", "Fp8E5M2", "Si4", "Si8", "Si32", "Ui16", "Si64", "Cf32", "Cf64"))
    m, n, k = p.n(), p.n(), p.n()
    batch = [p.n(5)] * p.r.randint(0, 1)
    left, right = p.r.random() < 0.5, p.r.random() < 0.5  # turned
    b = len(batch)
    x = p.input(kind, batch + ([k, m] if left else [m, k]))
    y = p.input(kind, batch + ([n, k] if right else [k, n]))
    z = p.dot(x, y, [(0, 0)] * b, [(b + (0 if left else 1), b + (1 if right else 0))])
    if p.r.random() < 0.4:
        z = p.binary("Add", z, p.spread(p.input(kind, [1] * b + [1, n]), z.shape))
    return (z,)


def swept_products(p):
    """Of a few rows with so many columns, contiguous each, that they are swept in place."""
    k = p.r.randint(300, 1100)
    n = (2 << 20) // (4 * k) + p.r.randint(1, 70)
    x, y = p.input("F32", [p.r.randint(5, 12), k]), p.input("F32", [n, k])
    return (p.dot(x, y, [], [(1, 1)]),)


def narrow_products(p):
    """Of many products and few columns, both operands in the order of the products: swept or in tiles of results."""
    kind, n = p.r.choice(("F32", "F32", "F64")), p.r.choice((33, 48, 64, 65, 100, 123))
    k = (2 << 20) // ((4 if kind == "F32" else 8) * n) + p.r.randint(1, 300)
    m = p.r.randint(5, 40)
    turned = p.r.random() < 0.7
    return (p.dot(p.input(kind, [k, m] if turned else [m, k]), p.input(kind, [k, n]), [], [(0 if turned else 1, 0)]),)


def uneven_sweeps(p):
    """Of a few rows, swept in parts that are no multiple of the two vectors that all columns are."""
    kind, size = p.r.choice((("F32", 4), ("F64", 8)))
    n = p.r.choice((160, 192, 288, 320, 416)) * 4 // size
    k = (2 << 20) // (size * n) + p.r.randint(1, 300)
    return (p.dot(p.input(kind, [p.r.randint(9, 40), k]), p.input(kind, [k, n]), [], [(1, 0)]),)


def swept_rows(p):
    """Of single rows: neighbouring parts of the columns are swept together."""
    kind, size = p.r.choice((("F32", 4), ("F64", 8), ("Si32", 4)))
    batch = p.r.choice(([], [], [2], [3]))
    n = p.r.choice((p.r.randint(65, 600), p.r.randint(600, 1400), p.r.randint(4000, 5000)))
    k = (1 << 18) // (size * n) + p.r.randint(1, 300)
    axes = list(range(len(batch)))
    return (p.dot(p.input(kind, batch + [1, k]), p.input(kind, batch + [k, n]), [(a, a) for a in axes],
                  [(len(batch) + 1, len(batch))]),)


def tiled_products(p):
    """Large enough for tiles of results, of which the last ones are partial."""
    kind, m, k = p.r.choice(("F32", "F32", "F64", "Si32")), p.r.choice((5, 23, 64, 67, 151)), p.r.choice((67, 257, 519))
    n = (9 << 18) // (m * k) // 2 * 2 + p.r.randint(0, 1)
    n = max(n, 65)
    left, right = p.r.random() < 0.5, p.r.random() < 0.5  # turned
    z = p.dot(p.input(kind, [k, m] if left else [m, k]), p.input(kind, [n, k] if right else [k, n]), [],
              [(0 if left else 1, 1 if right else 0)])
    if p.r.random() < 0.4:
        z = p.binary("Add", z, p.spread(p.input(kind, [1, n]), z.shape))
    return (z,)


def vectors(p):
    """Products with a vector."""
    kind, m, k = p.r.choice(("F32", "F64", "F16", "Si32")), p.n(), p.n()
    by_columns = p.r.random() < 0.5
    x = p.input(kind, [k, m] if by_columns else [m, k])
    return (p.dot(x, p.input(kind, [k]), [], [(0 if by_columns else 1, 0)]),)


def distant_columns(p):
    """A vector times rows a multiple of half a page apart, of which all or most is used: two blocks of products at once."""
    kind, size = p.r.choice((("F32", 4), ("F32", 4), ("F64", 8), ("Si32", 4)))
    row = p.r.randint(2, 5) * 2048 // size
    k = row if row < 513 or p.r.random() < 0.5 else p.r.randint(512, row)
    n = (40 << 10) // (k * size) + p.n(40)
    y = p.input(kind, [n, row])
    if k < row:
        y = p.op({"Slice": {"starts": [0, row - k], "sizes": [n, k]}}, [y], kind, [n, k])
    x = p.input(kind, [k])
    return (p.dot(y, x, [], [(1, 0)]) if p.r.random() < 0.5 else p.dot(x, y, [], [(0, 1)]),)


def short_products(p):
    """Of integers that are summed in 32 bits: two or four by one instruction."""
    kind = p.r.choice(("Si8", "Si8", "Si8", "Ui8", "Si16", "Si4"))
    m, n, k = p.r.choice((13, p.n(), p.n(120))), p.n(), p.n(70) * p.r.choice((1, 2, 4, 4, 12, 32))
    if p.r.random() < 0.3:  # a convolution
        image, w = [p.n(9) + 2, p.n(9) + 2], p.r.randint(1, 3)
        low, high, c = p.r.randint(0, w - 1), p.r.randint(0, w - 1), p.r.choice((3, 4 * p.n(9)))
        out = [d + low + high - w + 1 for d in image]
        f, layout = p.input(kind, [w, w, c, n]), p.r.choice(([0, 3, 1, 2], [0, 1, 2, 3]))
        shape, result = ([s[layout.index(i)] for i in range(4)] for s in ([1, c, *image], [1, n, *out]))
        x = p.input(kind, shape)
        return (p.op({"Convolution": {"strides": [1, 1], "padding": [[low, high]] * 2, "base_dilation": [1, 1],
                                      "dilation": [1, 1], "groups": 1, "batch_groups": None, "lhs_axes": layout,
                                      "rhs_axes": [3, 2, 0, 1], "out_axes": layout, "accum_dtype": "Si32",
                                      "out_dtype": "Si32"}}, [x, f], "Si32", result),)
    batch = [p.n(3)] * p.r.randint(0, 1)
    left, right, b = p.r.random() < 0.5, p.r.random() < 0.5, len(batch)
    x = p.input(kind, batch + ([k, m] if left else [m, k]))
    y = p.input(kind, batch + ([n, k] if right else [k, n]))
    return (p.dot(x, y, [(0, 0)] * b, [(b + (0 if left else 1), b + (1 if right else 0))], "Si32"),)


def dots(p):
    """Sums of products of rows with rows: many rows, or few long ones."""
    kind, rows = p.r.choice(("F32", "F32", "F64", "F16", "Si8", "Si32", "Si64")), p.r.choice((1, 1, 3, p.n(), p.n()))
    k = p.r.choice((p.n(), p.r.randint(250, 270), p.r.randint(500, 1100), p.r.randint(1, 12000))) if rows < 20 else p.n(600)
    stored = p.r.choice(("F16", "Si8")) if kind == "F32" and p.r.random() < 0.4 else kind
    x = p.input(stored, [rows, k])
    if stored != kind:
        x = p.binary("Mul", p.op({"Cast": {"dtype": kind}}, [x], kind, x.shape), p.spread(p.input(kind, [rows, 1]), x.shape))
    z = p.dot(x, p.input(kind, [rows, k]), [(0, 0)], [(1, 1)])
    if p.r.random() < 0.4:
        z = p.binary("Add", z, p.input(kind, z.shape))
    return (z,)


def windows(p, rank, base=False):
    """(window, strides, padding, dilation, shape, results)"""
    while True:
        shape = p.dims(rank, 3000)
        window, strides, dilation = ([p.r.choice([1, 2, 2, 3, 4]) for _ in shape],
                                     [p.r.choice([1, 1, 2, 3]) for _ in shape],
                                     [p.r.choice([1, 1, 1, 2]) for _ in shape])
        padding = [[p.r.randint(0, 2), p.r.randint(0, 2)] for _ in shape]
        room = [n + sum(q) - ((w - 1) * d + 1) for n, w, d, q in zip(shape, window, dilation, padding)]
        if min(room) >= 0:
            return window, strides, padding, dilation, shape, [a // s + 1 for a, s in zip(room, strides)]


def convolutions(p):
    """Contractions that read windows in place."""
    window, strides, padding, dilation, image, out = windows(p, 2)
    kind = p.r.choice(("F32", "F64", "F16", "Si32", "Si8"))
    n, c, co = p.n(2), p.n(9), p.n(33)
    x = p.input(kind, [n, *image, c])
    value = {"Signed": 0} if kind[0] == "S" else {"Float": 0.0}
    k = math.prod(window) * c
    patches = p.op({"ExtractPatches": {"window": window, "strides": strides, "dilation": dilation,
                                       "padding": padding, "pad_value": value}}, [x], kind, [n, *out, k])
    return (p.dot(patches, p.input(kind, [k, co]), [], [(3, 0)]),)


def signals(p):
    """One line that a filter of any length moves along, over its ends, too."""
    kind, n, m, d = p.r.choice(("F32", "F32", "F64", "Si32", "F16")), p.n(400), p.r.choice((p.n(40), p.r.randint(250, 600))), p.r.choice((1, 1, 1, 2))
    reach = (m - 1) * d
    padding = p.r.choice(([0, 0], [reach, reach], [p.n(reach + 1), p.n(9)]))
    out = n + reach + sum(padding) - reach
    value = {"Signed": 0} if kind[0] == "S" else {"Float": 0.0}
    patches = p.op({"ExtractPatches": {"window": [1, m], "strides": [1, 1], "dilation": [1, d], "padding": [[0, 0], padding], "pad_value": value}},
                   [p.input(kind, [1, 1, n + reach, 1])], kind, [1, 1, out, m])
    y = p.dot(patches, p.input(kind, [m, 1]), [], [(3, 0)])
    return (p.binary("Add", y, p.input(kind, y.shape)) if p.r.random() < 0.4 else y,)


def grouped_convolutions(p):
    """Convolutions in any layout, in groups, dilated, with what follows them."""
    k = p.r.randint(1, 2)
    window, strides, padding, dilation, image, places = windows(p, k)
    kind = p.r.choice(("F32", "F32", "F64", "F16", "Si32", "Si8"))
    groups = p.r.choice((1, 2, p.n(20)))
    n, c, co = p.n(2), p.r.choice((1, 1, p.n(5))), p.r.choice((1, 1, 2, p.n(17)))
    layouts = [list(range(k + 2))] * 3
    if p.r.random() < 0.7:
        last = [0, k + 1, *range(1, k + 1)]
        layouts = [last, p.r.sample(range(k + 2), k + 2), last]

    def placed(extents, axes):
        return [e for _, e in sorted(zip(axes, extents))]

    x = p.input(kind, placed([n, groups * c, *image], layouts[0]))
    w = p.input(kind, placed([groups * co, c, *window], layouts[1]))
    base = [1] * k
    y = p.op({"Convolution": {"strides": strides, "padding": padding, "base_dilation": base, "dilation": dilation,
                              "groups": groups, "batch_groups": None, "lhs_axes": layouts[0],
                              "rhs_axes": layouts[1], "out_axes": layouts[2], "accum_dtype": None,
                              "out_dtype": None}},
             [x, w], kind, placed([n, groups * co, *places], layouts[2]))
    if p.r.random() < 0.5:
        bias = p.input(kind, placed([1, groups * co, *[1] * k], layouts[2]))
        y = p.binary("Add", y, p.spread(bias, y.shape))
    return (y,)


def pools(p):
    window, strides, padding, dilation, shape, out = windows(p, p.r.randint(1, 3))
    x = p.input(p.kind(REAL), shape)
    kinds = ("Sum", "Max", "Min") + ("MaxNan", "MinNan") * (x.dtype in FLOATS)
    return (p.op({"ReduceWindow": {"window_dims": window, "strides": strides, "padding": padding,
                                   "base_dilation": [1] * len(shape), "window_dilation": dilation,
                                   "reduce": p.r.choice(kinds), "accum_dtype": None}},
                 [x], x.dtype, out),)


def wide_pools(p):
    """Windows along lines of several vectors, of which the first and the last meet padding."""
    shape = [p.r.randint(1, 3), p.r.randint(130, 300)]
    window, strides, padding = [p.r.randint(1, 3), p.r.randint(2, 5)], [1, p.r.choice([1, 1, 2])], [[0, 0], [p.r.randint(0, 4), p.r.randint(0, 4)]]
    window[0] = min(window[0], shape[0])
    out = [(d + sum(q) - w) // s + 1 for d, w, s, q in zip(shape, window, strides, padding)]
    x = p.input(p.kind(REAL), shape)
    return (p.op({"ReduceWindow": {"window_dims": window, "strides": strides, "padding": padding, "base_dilation": [1, 1],
                                   "window_dilation": [1, 1], "reduce": p.r.choice(("Sum", "Max", "Min")), "accum_dtype": None}},
                 [x], x.dtype, out),)


def taken(p):
    x = p.input(p.kind(ALL), p.dims(p.r.randint(1, 2)))
    i = p.input(p.r.choice(("Si32", "Si64")), p.dims(p.r.randint(1, 2), 70))
    return (p.op("Take", [x, i], x.dtype, i.shape + x.shape[1:]),)


def taken_columns(p):
    """What is looked up along an axis that is brought to the front for that, and back."""
    x = p.input(p.kind(ALL), p.dims(p.r.randint(2, 3)))
    k = p.r.randrange(1, len(x.shape))
    axes = list(range(len(x.shape)))
    rows = p.transposed(x, [k] + axes[:k] + axes[k + 1:])
    i = p.input(p.r.choice(("Si32", "Si64")), [p.n(40)])
    y = p.op("Take", [rows, i], x.dtype, i.shape + rows.shape[1:])
    y = p.transposed(y, [a + 1 for a in axes[:k]] + [0] + axes[k + 1:])
    return (p.binary("Mul", y, y) if x.dtype in NUMBERS and p.r.random() < 0.3 else y,)


def constant_places(p, x, axis, n):
    """A few runs of positions, each of even steps, for N positions along AXIS."""
    all_of, places = x.shape[axis], []
    while len(places) < n:
        step, start = p.r.choice([1, 1, 1, -1, 0, 2]), p.r.randrange(all_of)
        most = all_of if step == 0 else 1 + (all_of - 1 - start if step > 0 else start) // abs(step)
        places += [start + step * k for k in range(p.r.randint(1, most))]
    data = [b for i in places[:n] for b in i.to_bytes(8, "little")]
    return p.op({"Constant": {"spec": spec("Si64", [n]), "bytes": data}}, [], "Si64", [n])


def taken_runs(p):
    """Borders that repeat or mirror what is beside them: positions that are known, along two axes."""
    y = p.input(p.kind(ALL), p.dims(p.r.randint(2, 3)))
    rank = len(y.shape)
    for k in p.r.sample(range(rank), 2):
        others = [a for a in range(rank) if a != k]
        n = p.n(80)
        rows = p.transposed(y, [k] + others)
        rows = p.op("Take", [rows, constant_places(p, rows, 0, n)], y.dtype, (n,) + tuple(rows.shape[1:]))
        y = p.transposed(rows, [([k] + others).index(a) for a in range(rank)])
    return (p.binary("Mul", y, y) if y.dtype in NUMBERS and p.r.random() < 0.3 else y,)


def taken_rows(p):
    """Rows that are looked up, each with a factor, added up along an axis: the vectors may lie along others."""
    x = p.input(p.kind(FLOATS), p.dims(2))
    shape = [p.n(9), p.n(140), x.shape[1]]
    y = p.op("Take", [x, p.input(p.r.choice(("Si32", "Si64")), shape[:2])], x.dtype, shape)
    axes = [p.r.choice([1, 1, 2, 0])]
    if p.r.random() < 0.6:
        y = p.binary("Mul", y, p.spread(p.input(x.dtype, shape[:2] + [1]), shape))
    return (p.reduced(p.r.choice(["Sum", "Sum", "Max"]), y, axes, p.r.random() < 0.5),)


def gathered(p):
    x = p.input(p.kind(ALL), p.dims(p.r.randint(1, 2)))
    k = p.r.randrange(len(x.shape))
    i = p.input(p.r.choice(("Si32", "Si64")), [p.n(40) if a == k else d for a, d in enumerate(x.shape)])
    return (p.op({"Gather": {"axis": k}}, [x, i], x.dtype, i.shape),)


def scattered(p):
    x = p.input(p.kind(REAL), p.dims(p.r.randint(1, 2)))
    k = p.r.randrange(len(x.shape))
    shape = [p.n(40) if a == k else d for a, d in enumerate(x.shape)]
    i, u = p.input("Si32", shape), p.input(x.dtype, shape)
    kind = p.r.choice(["Replace", "Add", "Max", "Min"])
    return (p.op({"ScatterReduce": {"axis": k, "reduce": kind}}, [x, i, u], x.dtype, x.shape),)


def segments(p):
    x = p.input(p.kind(REAL), p.dims(2))
    n = p.n(20)
    return (p.op({"SegmentReduce": {"kind": p.r.choice(("Sum", "Max")), "num_segments": n, "accum_dtype": None,
                                    "indices_are_sorted": False, "unique": False}},
                 [x, p.input("Si32", x.shape[:1])], x.dtype, (n,) + x.shape[1:]),)


def sorted_segments(p):
    """Many single numbers whose segments are in order, in this program: bytes, or whether they are 0."""
    n = p.r.choice([2048, 4100, 4607, 6001, 9000])
    x, y = p.input(p.kind(REAL), [n]), p.input("Ui8", [n])
    y, _ = p.tuple({"Sort": {"axis": 0, "descending": False}}, [y, y], [("Ui8", [n])] * 2)
    for kind in p.r.choice([["Si32"], ["Si64"], ["I1", "Si32"]]):
        y = p.op({"Cast": {"dtype": kind}}, [y], kind, [n])
    rows = p.r.choice([256, 300, 255])
    return (p.op({"SegmentReduce": {"kind": p.r.choice(("Sum", "Max")), "num_segments": rows, "accum_dtype": None,
                                    "indices_are_sorted": False, "unique": False}}, [x, y], x.dtype, (rows,)),)


def windows_at(p):
    """Windows whose place is data."""
    x = p.input(p.kind(ALL), p.dims(p.r.randint(1, 2)))
    sizes = [p.r.randint(1, d) for d in x.shape]
    i = p.input("Si64", [len(sizes)])
    y = p.op({"DynamicSlice": {"sizes": sizes}}, [x, i], x.dtype, sizes)
    return y, p.op({"DynamicUpdateSlice": {"sizes": sizes}}, [x, p.input(x.dtype, sizes), i], x.dtype, x.shape)


def largest(p):
    x = p.input(p.kind(REAL + ("I1",)), p.dims(p.r.randint(1, 2)))
    k = p.r.randrange(len(x.shape))
    shape = [d for a, d in enumerate(x.shape) if a != k]
    return (p.op({"ArgMax": {"axis": k, "keepdims": False, "output_dtype": "Si32"}}, [x], "Si32", shape),)


def long_functions(p):
    """Functions on lines that are long enough for more vectors at once than others take."""
    kind, other = p.r.choice(["f64", "f64", "f32"]), p.r.choice(["f32", "complex<f32>", "i8", "f64"])
    shape = p.r.choice(["", "3x"]) + str(p.r.randrange(1025, 3000))
    x, y, z = (f"tensor<{shape}x{k}>" for k in (kind, other, "f32"))
    of_one = p.r.choice(["sine", "log_plus_one", "cbrt", "tan", "exponential_minus_one", "logistic"])
    of_two = p.r.choice(["power", "atan2"]) if kind == "f64" else "power"
    return "stablehlo", (
        f"func.func @main(%x: {x}, %y: {y}) -> ({x}, {y}, {z}) {{\n  %a = stablehlo.{of_one} %x : {x}\n"
        f"  %b = stablehlo.abs %x : {x}\n  %c = stablehlo.{of_two} %b, %a : {x}\n  %d = stablehlo.multiply %y, %y : {y}\n"
        f"  %e = stablehlo.convert %c : ({x}) -> {z}\n  return %c, %d, %e : {x}, {y}, {z}\n}}\n")


def computed_apart(p):
    """What is searched, counted or added up, computed where it is read."""
    shape = p.r.choice([p.dims(p.r.randint(1, 2)), [p.r.randrange(201, 3000)], [p.n(5), p.r.randrange(129, 1500)], [p.r.randrange(129, 900), 1]])
    y = p.input(p.kind(REAL), shape)
    for step in p.r.sample(["neg", "cast", "add", "scale", "compare"], p.r.randint(1, 3)):
        if y.dtype == "I1":
            break
        if step == "neg" and y.dtype[0] != "U":
            y = p.unary("Neg", y)
        elif step == "cast":
            kind = p.kind(REAL)
            y = p.op({"Cast": {"dtype": kind}}, [y], kind, shape)
        elif step == "add":
            y = p.binary("Add", y, p.input(y.dtype, shape))
        elif step == "scale":
            y = p.binary("Mul", y, p.spread(p.input(y.dtype, p.r.choice([(), [1] * len(shape)])), shape))
        elif step == "compare":
            y = p.op({"Compare": {"op": "Greater"}}, [y, p.input(y.dtype, shape)], "I1", shape)
    k, sort = p.r.randrange(len(shape)), p.r.choice(["search", "search", "cumulate", "segments", "counts", "scatter"])
    if sort == "search" or y.dtype == "I1":
        return (p.op({"ArgMax": {"axis": k, "keepdims": False, "output_dtype": "Si32"}}, [y], "Si32", shape[:k] + shape[k + 1:]),)
    if sort == "cumulate":
        return (p.op({"Cumulative": {"kind": p.r.choice(("Sum", "Max")), "axis": k, "exclusive": p.r.random() < 0.3, "reverse": p.r.random() < 0.3}},
                     [y], y.dtype, shape),)
    if sort == "scatter":
        return (p.op({"ScatterReduce": {"axis": k, "reduce": p.r.choice(["Replace", "Add", "Max"])}},
                     [p.input(y.dtype, shape), p.input("Si32", shape), y], y.dtype, shape),)
    ids = p.op({"Cast": {"dtype": "Si32"}}, [p.input("Ui8", shape[:1])], "Si32", shape[:1])
    if sort == "counts":
        kind = p.r.choice(["Si64", "Si32", "F32"])
        y = p.spread(p.op({"Cast": {"dtype": kind}}, [p.op({"Constant": {"spec": spec("Si8", ()), "bytes": [1]}}, [], "Si8", ())], kind, ()), shape[:1])
    return (p.op({"SegmentReduce": {"kind": p.r.choice(("Sum", "Max")), "num_segments": 256, "accum_dtype": None,
                                    "indices_are_sorted": False, "unique": False}}, [y, ids], y.dtype, (256,) + tuple(y.shape[1:])),)


def ordered(p):
    """Short lines, whose elements are compared each with each, many of them, and long ones."""
    rank = p.r.randint(1, 2)
    shape = p.dims(rank)
    k = p.r.randrange(rank)
    if rank == 2 and p.r.random() < 0.5:
        shape = [p.r.randrange(2, p.r.choice([9, 40, 150])) if a == k else p.r.randrange(4, 40) for a in range(rank)]
    elif p.r.random() < 0.6:
        shape = [p.r.randrange(129, 900, 2) if a == k else p.n(5) for a in range(rank)]
    x, down = p.input(p.kind(REAL + ("I1",)), shape), p.r.random() < 0.5
    kept = list(shape)
    kept[k] = p.r.randint(1, min(shape[k], p.r.choice([9, 99, 999])))
    y = p.input(p.kind(ALL), shape)
    return (*p.tuple({"Sort": {"axis": k, "descending": down}}, [x, y], [(x.dtype, shape), (y.dtype, shape)]),
            p.op({"Argsort": {"axis": k, "descending": down, "indices_dtype": "Si32"}}, [x], "Si32", shape),
            *p.tuple({"TopK": {"k": kept[k], "axis": k, "largest": down, "indices_dtype": "Si64"}}, [x],
                     [(x.dtype, kept), ("Si64", kept)]))


def cumulated(p):
    kind = p.r.choice(("Sum", "Prod", "Max", "Min", "MaxNan", "MinNan"))
    kinds = FLOATS if kind.endswith("Nan") else REAL if kind in ("Max", "Min") else NUMBERS
    x = p.input(p.kind(kinds), p.dims(p.r.randint(1, 3)))
    return (p.op({"Cumulative": {"kind": kind, "axis": p.r.randrange(len(x.shape)),
                                 "exclusive": p.r.random() < 0.5, "reverse": p.r.random() < 0.5}},
                 [x], x.dtype, x.shape),)


def turned_products(p):
    """Softmax of products, times others: kernels in stages, strips and chains."""
    kind, b, m, n, d = p.r.choice(("F32", "F32", "F64", "F16")), p.n(4), p.n(33), p.n(), p.n(33)
    q, k, v = p.input(kind, [b, m, d]), p.input(kind, [b, n, d]), p.input(kind, [b, n, d])
    s = p.dot(q, k, [(0, 0)], [(2, 2)])
    e = p.unary("Exp", p.binary("Sub", s, p.spread(p.reduced("Max", s, [2]), s.shape)))
    w = p.binary("Div", e, p.spread(p.reduced("Sum", e, [2]), s.shape))
    return (p.dot(w, v, [(0, 0)], [(2, 1)]),)


def quantised(p):
    """Numbers as integers of a scale and a zero, for all or by channel, and back."""
    x = p.input(p.r.choice(("F32", "F64", "F16", "Bf16")), p.dims(p.r.randint(1, 3)))
    kind = p.r.choice(("Si4", "Ui4", "Si8", "Ui8", "Si16", "Si32"))
    axis = p.r.choice([None, p.r.randrange(len(x.shape))])
    scale, zero = (p.input(k, [] if axis is None else [x.shape[axis]]) for k in (x.dtype, kind))
    q = p.op({"Quantize": {"output_dtype": kind, "axis": axis}}, [x, scale, zero], kind, x.shape)
    y = p.op({"Dequantize": {"axis": axis, "output_dtype": x.dtype}}, [q, scale, zero], x.dtype, x.shape)
    return q, p.binary("Sub", x, y)


def decoded_products(p):
    """Products with weights of few bits, which have a scale by row, by column or by block, and moved operands."""
    kind, stored = p.r.choice(("F32", "F32", "F64", "Bf16")), p.r.choice(("Si4", "Ui4", "Si8", "Ui8", "Fp8E5M2", "Bf16"))
    m, n, k = p.r.choice([1, 1, 2, 5, 9]), p.n(), p.n(33) * p.r.choice([1, 2, 4])
    w = p.op({"Cast": {"dtype": kind}}, [p.input(stored, [k, n])], kind, [k, n])
    if p.r.random() < 0.7:
        w = p.binary("Mul", w, p.spread(p.input(kind, p.r.choice([[1, n], [k, 1], [1, 1]])), w.shape))
    if k % 2 == 0 and p.r.random() < 0.5:
        w = p.reshaped(p.binary("Mul", p.reshaped(w, [k // 2, 2, n]), p.spread(p.input(kind, [k // 2, 1, n]), [k // 2, 2, n])), [k, n])
    x = p.input(kind, [m, k])
    how = p.r.randrange(4)
    if how == 0:
        x = p.transposed(p.input(kind, [k, m]), [1, 0])
    elif how == 1 and k > 2:
        low = p.r.randint(1, k - 1)
        x = p.op({"Concat": {"axis": 1}}, [p.input(kind, [m, low]), p.input(kind, [m, k - low])], kind, [m, k])
    elif how == 2 and k > 2:
        x = p.padded(p.input(kind, [m, k - 2]), [0, 1], [0, 1], [0, 0])
    return (p.dot(x, w, [], [(1, 0)]),)


def decoded_tiles(p):
    """Products with weights of few bits, large enough for tiles of results, whose last vector of columns may have none."""
    m, n = p.r.choice((12, 15, 16)), p.r.choice((65, 72, 100, 137))
    k = (4 << 20) // (m * n) + p.r.randint(1, 9)
    w = p.op({"Cast": {"dtype": "F32"}}, [p.input("Si8", [k, n])], "F32", [k, n])
    w = p.binary("Mul", w, p.spread(p.input("F32", p.r.choice(([k, 1], [k, 1], [1, n]))), w.shape))
    turned = p.r.random() < 0.5
    return (p.dot(p.input("F32", [k, m] if turned else [m, k]), w, [], [(0 if turned else 1, 0)]),)


def open_products(p):
    """Products with extents that are known when the program runs, and operands as they are or turned."""
    kind = p.r.choice(("f32", "f32", "f64", "bf16"))
    sizes = {"M": p.r.choice((p.n(), 300)), "N": p.n(200) - p.r.randint(0, 1) or 1, "K": p.n()}
    a, b = p.r.choice(("?M, ?K", "?K, ?M")), p.r.choice(("?K, ?N", "?K, ?N", "?N, ?K"))
    axes = [f"contract_{side}[{text.split(', ').index('?K')}]" for side, text in (("lhs", a), ("rhs", b))]
    types = [f"tensor<{kind}, {text.replace(', ', 'x')}>" for text in (a, b, "?M, ?N")]
    text = (f"func @main(%x: {types[0]}, %y: {types[1]}) -> {types[2]} {{\n"
            f"  %r = dot_general(%x, %y) {' '.join(axes)} -> {types[2]}\n  return %r\n}}\n")
    return "ptir-text", text, [f"dim={name}={size}" for name, size in sizes.items()]


def open_columns(p):
    """Rows times a matrix of as many columns as are known when the program runs, which may be one number everywhere."""
    kind, m, k = p.r.choice(("f32", "f32", "f64", "si32", "bf16")), p.r.choice((1, 1, 2, 3, 5, 9, 40)), p.r.choice((p.n(), 300))
    x, y, z = (f"tensor<{kind}, {dims}>" for dims in (f"{m}x{k}", f"{k}x?N", f"{m}x?N"))
    is_one = p.r.random() < 0.7
    number = (f"  %c = constant value[3] -> tensor<{kind}>\n  %y = broadcast_to(%c) shape[{k}, ?N] -> {y}\n" if is_one else "")
    text = (f"func @main(%x: {x}, %{'z: ' + z if is_one else 'y: ' + y}) -> {z} {{\n{number}"
            f"  %r = dot_general(%x, %y) contract_lhs[1] contract_rhs[0] -> {z}\n  return %r\n}}\n")
    return "ptir-text", text, [f"dim=N={p.r.choice((1, 3, 8, 17, 40, 100, 300))}"]


def open_batches(p):
    """Products with vectors that are computed, as many as are known when the program runs."""
    kind, m = p.r.choice(("f32", "f64")), p.r.choice((2, 3, 5, 16))
    sizes = {"B": p.r.choice((2, 3, 5, 8)), "K": p.r.choice((8, 16, 32, 48, 64, p.n()))}
    x, y = f"tensor<{kind}, ?Bx?K>", f"tensor<{kind}, ?Bx{m}>"
    text = (f"func @main(%w: tensor<{kind}, ?Bx{m}x?K>, %x: {x}, %s: tensor<{kind}, ?Bx1>) -> {y} {{\n"
            f"  %t = broadcast_to(%s) shape[?B, ?K] -> {x}\n  %v = mul(%x, %t) -> {x}\n"
            f"  %r = dot_general(%w, %v) batch[0] contract_lhs[2] contract_rhs[1] -> {y}\n  return %r\n}}\n")
    return "ptir-text", text, [f"dim={name}={size}" for name, size in sizes.items()]


def scanned(p):
    """The rows of a tensor one after the other, with one that is carried."""
    x = p.input(p.kind(NUMBERS), [p.n(9), *p.dims(p.r.randint(1, 2), 900)])
    row = {"Tensor": spec(x.dtype, x.shape[1:])}
    add, mul = ({"id": 2 + k, "op": {"ElementwiseBinary": op}, "operands": [{"Value": k}, {"Value": 1}], "output": row}
                for k, op in enumerate(("Add", "Mul")))
    p.regions = [{"id": 0, "parameters": [row, row], "body": [add, mul], "results": [row, row]}]
    return p.tuple({"Scan": {"body_region": 0, "carry_count": 1, "scan_output_count": 1}},
                   [p.input(x.dtype, x.shape[1:]), x], [(x.dtype, x.shape[1:]), (x.dtype, x.shape)])


# ---- in other dialects: functions of a program that give its dialect and text ------------------------------

def core_type(kind, shape):
    return f"tensor<{kind}>[{', '.join(map(str, shape))}]"


def core(lines):
    body = "\n".join(f"%{k} = {line}" for k, line in enumerate(lines))
    return "mind", f"{body}\noutputs: %{len(lines) - 1}\n"


def steps(p):
    """Every few elements, or such put back among zeros."""
    kind, whole = p.r.choice(("f32", "f64", "i32", "i64")), p.dims(p.r.randint(1, 3))
    starts = [p.r.randint(0, d - 1) for d in whole]
    by = [p.r.choice([1, 1, 2, 3, 4, 5]) for _ in whole]
    ends = [p.r.randint(s + 1, d) for s, d in zip(starts, whole)]
    part = [(e - s + b - 1) // b for s, e, b in zip(starts, ends, by)]
    is_back = kind[0] == "f" and p.r.random() < 0.6
    given, made = (part, whole) if is_back else (whole, part)
    how = f"ends={ends}, starts={starts}, steps={by}"
    return core([f'Input () {{name="x"}} : {core_type(kind, given)}',
                 f"SliceGrad (%0) {{{how}, shape={whole}}} : {core_type(kind, made)}" if is_back else
                 f"Slice (%0) {{{how}}} : {core_type(kind, made)}",
                 f"BinOp (%1, %1) {{op=Mul}} : {core_type(kind, made)}"])


def images(p):
    """Convolutions in two dimensions."""
    kind, n, c, co = p.r.choice(("f32", "f64", "i32")), p.n(2), p.n(17), p.n(33)
    h, w, kh, kw, sh, sw = p.n(17), p.n(33), p.n(3), p.n(5), p.r.randint(1, 2), p.r.randint(1, 3)
    is_same = p.r.random() < 0.5 or kh > h or kw > w
    out = [-(-h // sh), -(-w // sw)] if is_same else [(h - kh) // sh + 1, (w - kw) // sw + 1]
    return core([f'Input () {{name="x"}} : {core_type(kind, [n, h, w, c])}',
                 f'Input () {{name="w"}} : {core_type(kind, [kh, kw, c, co])}',
                 f"Conv2d (%0, %1) {{strides=[{sh}, {sw}], padding={'Same' if is_same else 'Valid'}}} : "
                 + core_type(kind, [n, *out, co])])


def moves(p):
    """Chains of movement."""
    kind, shape = p.r.choice(("fp32", "fp16", "i32", "bool")), p.dims(p.r.randint(1, 3), 3000)
    nodes = [{"id": "v0", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": kind, "shape": shape}}]

    def add(uop, **arg):
        nodes.append({"id": f"v{len(nodes)}", "uop": uop, "src": [nodes[-1]["id"]], "arg": arg})
    for _ in range(p.r.randint(1, 4)):
        uop = p.r.choice(["SHRINK", "SHRINK", "FLIP", "PAD", "PAD", "PERMUTE", "RESHAPE"])
        if uop == "SHRINK":
            lo = [p.r.randint(0, d - 1) for d in shape]
            hi = [p.r.randint(a + 1, d) for a, d in zip(lo, shape)]
            by = [p.r.choice([1, 1, 2, 3]) for _ in shape]
            add(uop, lo=lo, hi=hi, step=by)
            shape = [(b - a + s - 1) // s for a, b, s in zip(lo, hi, by)]
        elif uop == "FLIP":
            add(uop, axes=p.r.sample(range(len(shape)), p.r.randint(1, len(shape))))
        elif uop == "PAD":
            pads = [[p.r.choice([0, 1, 3, 5]), p.r.choice([0, 2, 3, 7])] for _ in shape]
            add(uop, pad=pads, value=False if kind == "bool" else 1)
            shape = [a + d + b for d, (a, b) in zip(shape, pads)]
        elif uop == "PERMUTE":
            perm = p.r.sample(range(len(shape)), len(shape))
            add(uop, perm=perm)
            shape = [shape[k] for k in perm]
        elif len(shape) > 1:
            add(uop, result_shape=[shape[0] * shape[1], *shape[2:]])
            shape = [shape[0] * shape[1], *shape[2:]]
    if kind == "fp32" and p.r.random() < 0.3:
        add("REDUCE", op="SUM", axes=[p.r.randrange(len(shape))], dtype=kind)
    return "tiny", json.dumps({"uops": nodes, "outputs": [nodes[-1]["id"]]})


KINDS = (elementwise, converted, divided, short_rows, pads, image_pads, slices, joined, rolled, stacked, interleaved, tiled, repeated, many_times, regrouped, records, fields_apart, columns, every_eighth, turned, reductions,
         extrema_of_columns, narrow_rows, any_or_all, rows, normalised, kept, products, swept_products, narrow_products, uneven_sweeps, swept_rows, tiled_products, vectors, distant_columns, dots, short_products, convolutions,
         grouped_convolutions, signals, pools, wide_pools,
         taken, taken_rows, taken_columns, taken_runs, gathered, scattered, segments, sorted_segments, windows_at, largest, long_functions, computed_apart, cumulated, ordered,
         turned_products, quantised, decoded_products, decoded_tiles, open_products, open_columns, open_batches, scanned, steps, images, moves)


def program(kind, number):
    """(dialect, text) of program NUMBER of a kind, and what it says of its sizes, if any are open."""
    p = Program(random.Random(f"{kind.__name__} {number}"))
    made = kind(p)
    return made if isinstance(made[0], str) else ("ptir", p.json(*made))


def fields(kind, number, folder):
    """Program NUMBER of a kind, for the program `equality`; its file is in FOLDER."""
    dialect, text, *sizes = program(kind, number)
    path = folder / f"{kind.__name__}_{number}{run_cases.DIALECTS[dialect][0]}"
    path.write_text(text)
    return [f"file={path}", f"dialect={dialect}", f"random={number}", *(sizes[0] if sizes else [])]
