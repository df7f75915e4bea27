"""Random well-typed Core IR modules, and what NumPy says of their results."""
import math
import random
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is missing")
    print("0 passed, 0 failed")
    sys.exit(0)

FLOATS = ("f32", "f64")
INTS = ("i32", "i64")
NUMPY = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
EPS = {"f32": 2.0**-23, "f64": 2.0**-52, "i32": 0.0, "i64": 0.0}
WORDS = ["x", "weights", "b1", "größe", "a_b", "Input", "true", "n0"]


def divide(x, y):
    """Integer division: toward zero, wrapping, 0 where y is 0."""
    x, y = np.broadcast_arrays(x, y)
    half = 2**(8 * x.dtype.itemsize - 1)
    out = np.empty(x.shape, x.dtype)
    for at in np.ndindex(x.shape):
        p, q = int(x[at]), int(y[at])
        quotient = 0 if q == 0 else abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1)
        out[at] = (quotient + half) % (2 * half) - half
    return out


class Value:
    """A value of the module: its text id, type, data as numpy computes it, and a bound on how far
    a correct result may lie from that."""

    def __init__(self, name, dtype, data, error):
        self.name, self.dtype = name, dtype
        self.data = np.asarray(data, NUMPY[dtype])
        self.error = np.broadcast_to(np.asarray(error, np.float64), self.data.shape)

    @property
    def shape(self):
        return self.data.shape


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.values, self.lines, self.inputs = [], [], []
        self.n = 0
        self.numbering = self.r.choice(["dense", "sparse", "named"])

    # ---- text

    def fresh(self):
        self.n += 1
        if self.numbering == "dense":
            return f"%{self.n - 1}"
        if self.numbering == "sparse":
            return f"%{self.n * 37 % 10007}"
        return f"%v{self.n}" if self.n % 3 else f"%{self.n}"

    def type_text(self, dtype, shape):
        dims = ", ".join(map(str, shape))
        return self.r.choice([f"tensor<{dtype}>[{dims}]", f"Tensor<{dtype}, [{dims}]>",
                              f"tensor<{dtype}[{dims}]>"])

    def emit(self, opcode, operands, attributes, dtype, data, error=0.0):
        """ATTRIBUTES: (key, text) in positional order. Chooses a spelling and adds the value."""
        value = Value(self.fresh(), dtype, data, error)
        ids = [o.name for o in operands]
        form = self.r.randrange(4)
        if opcode == "BinOp" and form == 0:
            text = f"{attributes[0][1]} ({', '.join(ids)})"
            if attributes[0][1] == "Div":
                text = f"BinOp(Div, {', '.join(ids)})"
        elif opcode == "BinOp" and form == 1:
            text = f"BinOp({attributes[0][1]}, {', '.join(ids)})"
        elif form == 1 and opcode not in ("Input", "Slice", "SliceGrad"):
            text = f"{opcode}({', '.join(ids + [t for _, t in attributes])})"
        else:
            mark = self.r.choice(["=", ": "])
            pairs = [f"{k}{mark}{t}" for k, t in attributes]
            self.r.shuffle(pairs)
            braces = " {" + ", ".join(pairs) + "}" if pairs else ""
            text = f"{opcode} ({', '.join(ids)}){braces}"
        self.lines.append(f"{value.name} = {text} : {self.type_text(dtype, value.shape)}"
                          + self.r.choice(["", "", "", "  # note"]))
        self.values.append(value)
        if self.r.random() < 0.05:
            alias = Value(self.fresh(), dtype, data, value.error)
            self.lines.append(f"{alias.name} = {value.name}")
            self.values.append(alias)
        return value

    # ---- sources

    def random_shape(self, most=3):
        rank = self.r.choice([0, 1, 1, 2, 2, 2, 3, 3, 4][:3 + 2 * most])
        return tuple(self.r.choice([1, 1, 2, 2, 3, 3, 4, 5, 7]) for _ in range(min(rank, most)))

    def random_data(self, dtype, shape, low=None, high=None):
        count = math.prod(shape)
        if dtype in INTS:
            span = (low, high) if high is not None else self.r.choice([(-4, 4), (-100, 100),
                                                                      (-2**31, 2**31 - 1)])
            flat = [self.r.randint(*span) for _ in range(count)]
        else:
            flat = [self.r.choice([0.0, -0.0, 1.0, -1.0, 0.5, self.r.uniform(-2, 2),
                                   self.r.uniform(-2, 2), self.r.uniform(-2, 2)])
                    for _ in range(count)]
        return np.array(flat, NUMPY[dtype]).reshape(shape)

    def literal(self, data):
        if data.ndim:
            return "[" + ", ".join(self.literal(d) for d in data) + "]"
        return repr(float(data)) if data.dtype.kind == "f" else str(int(data))

    def source(self, dtype=None, shape=None, data=None):
        dtype = dtype or self.r.choice(FLOATS + FLOATS + INTS)
        if data is None:
            data = self.random_data(dtype, self.random_shape() if shape is None else shape)
        if self.r.random() < 0.65:
            name = f"{self.r.choice(WORDS)}{len(self.inputs)}"
            value = self.emit("Input", [], [("name", f'"{name}"')], dtype, data)
            self.inputs.append((name, data))
            return value
        scalar = {"i64": "ConstI64", "f32": "ConstF32", "f64": "ConstF64"}.get(dtype)
        if data.ndim == 0 and scalar and self.r.random() < 0.7:
            return self.emit(scalar, [], [("value", self.literal(data))], dtype, data)
        if self.r.random() < 0.3:
            data = np.full(data.shape, data.flat[0] if data.size else 0, data.dtype)
            pair = ("fill", self.literal(data.flat[0])) if data.size else ("data", "[]")
            line = self.fresh()
            self.lines.append(f"{line} = ConstTensor {{{pair[0]}={pair[1]}}} : "
                              + self.type_text(dtype, data.shape))
            self.values.append(Value(line, dtype, data, 0.0))
            return self.values[-1]
        return self.emit("ConstTensor", [], [("data", self.literal(data))], dtype, data)

    def pick(self, wanted):
        """A value for which WANTED holds, or None."""
        found = [v for v in self.values if wanted(v)]
        return self.r.choice(found) if found else None

    def some(self, dtypes=FLOATS + INTS, wanted=lambda v: True):
        return (self.pick(lambda v: v.dtype in dtypes and wanted(v))
                or self.source(self.r.choice(dtypes)))

    # ---- instructions: each adds one, or does nothing where no operand fits

    def rounding(self, dtype, data):
        tiny = 2.0**-149 if dtype == "f32" else 2.0**-1074
        return 2 * EPS[dtype] * np.abs(data.astype(np.float64)) + (tiny if EPS[dtype] else 0.0)

    def binop(self):
        a = self.some()

        def fits(v):
            try:
                return v.dtype == a.dtype and math.prod(np.broadcast_shapes(a.shape, v.shape)) < 999
            except ValueError:
                return False
        b = self.pick(fits) or a
        if self.r.random() < 0.3:
            b = self.source(a.dtype, tuple(self.r.choice([1, d]) for d in a.shape if d) or ())
            if not fits(b):
                b = a
        if self.r.random() < 0.5:
            a, b = b, a
        op = self.r.choice(["Add", "Sub", "Mul", "Mul", "Add", "Div"])
        x, y = a.data, b.data
        ex, ey = a.error, b.error
        if op == "Add":
            out, error = x + y, ex + ey
        elif op == "Sub":
            out, error = x - y, ex + ey
        elif op == "Mul":
            out = x * y
            error = np.abs(x * 1.0) * ey + np.abs(y * 1.0) * ex + ex * ey
        elif a.dtype in INTS:
            out = divide(x, y)
            error = 0.0
        else:
            out = x / y
            safe = np.abs(y.astype(np.float64)) - ey
            error = np.where((ex == 0) & (ey == 0), 0.0,
                             np.where(safe > 0, (ex + np.abs(out.astype(np.float64)) * ey) / safe,
                                      math.inf))
        out = np.asarray(out).astype(NUMPY[a.dtype])
        if np.any(error):
            error = error + self.rounding(a.dtype, out)
        self.emit("BinOp", [a, b], [("op", op)], a.dtype, out, 0.0 if a.dtype in INTS else error)

    def unary(self):
        op = self.r.choice(["Relu", "Neg", "Neg", "Exp", "Log", "Relu"])
        v = self.some(FLOATS + INTS if op == "Neg" else FLOATS)
        x, e = v.data, v.error
        if op == "Neg":
            return self.emit(op, [v], [], v.dtype, -x, e)
        if op == "Relu":
            return self.emit(op, [v], [], v.dtype, np.where(x > 0, x, NUMPY[v.dtype](0)), e)
        wide = x.astype(np.float64)
        if op == "Exp":
            out = np.exp(wide).astype(NUMPY[v.dtype])
            error = np.exp(wide) * np.expm1(e) + 2 * self.rounding(v.dtype, out)
        else:
            out = np.log(wide).astype(NUMPY[v.dtype])
            low = wide - e
            error = np.where(e == 0, 0.0, np.where(low > 0, np.log(wide / low), math.inf))
            error = error + 2 * self.rounding(v.dtype, out)
        return self.emit(op, [v], [], v.dtype, out, error)

    def reduction(self):
        op = self.r.choice(["Sum", "Mean"])
        v = self.some()
        rank = v.data.ndim
        axes = self.r.sample(range(rank), self.r.randint(0, rank))
        keep = self.r.random() < 0.5
        full = not axes
        where = tuple(axes) if axes else tuple(range(rank))
        x = v.data
        if v.dtype in INTS:
            out = np.sum(x, axis=where, keepdims=keep and not full, dtype=x.dtype)
        else:
            out = np.sum(x.astype(np.float64), axis=where, keepdims=keep and not full)
        count = math.prod(x.shape[a] for a in where)
        kept = {"axis": where, "keepdims": keep and not full}
        error = (np.sum(v.error, **kept)
                 + (count + 2) * EPS[v.dtype] * np.sum(np.abs(x.astype(np.float64)), **kept))
        if op == "Mean" and v.dtype in INTS:
            out = divide(np.asarray(out), np.asarray(count, x.dtype))
        elif op == "Mean":
            out, error = out / np.float64(count), error / max(count, 1)
        out = np.asarray(out).astype(NUMPY[v.dtype])
        error = error + self.rounding(v.dtype, out)
        shown = [a - rank if self.r.random() < 0.3 else a for a in axes]
        self.emit(op, [v], [("axes", str(shown)), ("keepdims", self.r.choice(
            ["true", "True"]) if keep else self.r.choice(["false", "False"]))],
                  v.dtype, out, 0.0 if v.dtype in INTS else error)

    def move(self, v, opcode, attributes, f):
        self.emit(opcode, [v], attributes, v.dtype, np.ascontiguousarray(f(v.data)).reshape(
            f(v.data).shape), f(v.error))

    def reshape(self):
        v = self.some()
        rest, shape = v.data.size, []
        if rest == 0:
            shape, to = [self.r.randint(1, 3), -1], None
            to = (shape[0], 0)
        else:
            while rest > 1 and len(shape) < 3:
                d = self.r.choice([k for k in range(1, rest + 1) if rest % k == 0])
                shape.append(d)
                rest //= d
            shape += [rest] if rest > 1 or self.r.random() < 0.2 else []
            to = tuple(shape)
            if shape and self.r.random() < 0.3:
                shape[self.r.randrange(len(shape))] = -1
        self.move(v, "Reshape", [("new_shape", str(shape))], lambda a: a.reshape(to))

    def transpose(self):
        v = self.some()
        p = list(range(v.data.ndim))
        self.r.shuffle(p)
        self.move(v, "Transpose", [("permutation", str(p))], lambda a: a.transpose(p))

    def expand_dims(self):
        v = self.some(wanted=lambda v: v.data.ndim < 4)
        axes, shape = [], list(v.shape)
        for _ in range(self.r.randint(0, 2)):
            axes.append(self.r.randint(0, len(shape) + len(axes)))
        axes.sort()
        for a in axes:
            if a > len(shape):
                return
            shape.insert(a, 1)
        self.r.shuffle(axes)
        self.move(v, "ExpandDims", [("axes", str(axes))], lambda a: a.reshape(shape))

    def squeeze(self):
        v = self.some(wanted=lambda v: 1 in v.shape)
        ones = [i for i, d in enumerate(v.shape) if d == 1]
        axes = self.r.sample(ones, self.r.randint(0, len(ones)))
        shape = [d for i, d in enumerate(v.shape) if i not in axes]
        self.move(v, "Squeeze", [("axes", str(axes))], lambda a: a.reshape(shape))

    def index(self):
        v = self.some(wanted=lambda v: v.data.size > 0)
        if v.data.size:
            at = tuple(self.r.randrange(d) for d in v.shape)
            self.move(v, "Index", [("indices", str(list(at)))], lambda a: np.asarray(a[at]))

    def slice(self):
        v = self.some()
        starts, ends, steps, picks = [], [], [], []
        for d in v.shape:
            s, e = self.r.randint(-d - 2, d + 2), self.r.randint(-d - 2, d + 2)
            k = self.r.choice([1, 1, 1, 2, 3, -1, -2, 100])
            if self.r.random() < 0.5:
                s, e, k = (0, d, 1) if self.r.random() < 0.6 else (d - 1, -1, -1)
            starts.append(s), ends.append(e), steps.append(k)
            if k > 0:
                s, e = (min(max(b + d if b < 0 else b, 0), d) for b in (s, e))
            else:
                s, e = (min(max(b, -1), d - 1) for b in (s, e))
            picks.append(list(range(s, e, k)))

        def take(a):
            return a[np.ix_(*picks)] if picks else a
        if self.r.random() < 0.5:
            ranges = ", ".join(f"{s}:{e}:{k}" if k != 1 or self.r.random() < 0.5 else f"{s}:{e}"
                               for s, e, k in zip(starts, ends, steps))
            self.move(v, "Slice", [("starts", str(starts)), ("ends", str(ends)),
                                   ("steps", str(steps))], take)
            line = self.lines[-1] if " = Slice" in self.lines[-1] else None
            if line and v.shape:
                head, _, tail = line.partition(" = Slice")
                self.lines[-1] = f"{head} = Slice({v.name}, [{ranges}])" + tail[tail.rindex("} :")
                                                                               + 1:]
            return
        self.move(v, "Slice", [("starts", str(starts)), ("ends", str(ends)),
                               ("steps", str(steps))], take)

    def gather(self):
        v = self.some(wanted=lambda v: v.data.ndim > 0 and v.shape[0] > 0)
        if v.data.ndim == 0 or v.shape[0] == 0:
            return
        shape = self.random_shape(2)
        dtype = self.r.choice(INTS)
        i = self.source(dtype, data=self.random_data(dtype, shape, 0, v.shape[0] - 1))
        i.data = i.data.copy()
        self.emit("Gather", [v, i], [], v.dtype, v.data[i.data], v.error[i.data])

    def contraction(self):
        dtype = self.r.choice(FLOATS + INTS)
        m, k, n = (self.r.choice([1, 2, 3, 5, 17]) for _ in range(3))
        op = self.r.choice(["Dot", "MatMul", "MatMul"])
        sa, sb = [m, k], [k, n]
        if op == "Dot":
            if self.r.random() < 0.4:
                sa = [k]
            if self.r.random() < 0.4:
                sb = [k]
        else:
            for s in (sa, sb):
                for _ in range(self.r.randint(0, 2)):
                    s.insert(0, self.r.choice([1, 2]))
        found = self.pick(lambda v: v.dtype == dtype and v.data.ndim == 2)
        if found and len(sa) == 2 and found.data.size:
            sb[-2 if len(sb) > 1 else 0] = found.shape[1]
            a = found
        else:
            a = self.source(dtype, tuple(sa))
        b = self.source(dtype, tuple(sb))
        if op == "MatMul":
            f = np.matmul
        else:
            f = np.dot
        x, y = a.data, b.data
        if dtype in INTS:
            return self.emit(op, [a, b], [], dtype, np.asarray(f(x, y)), 0.0)
        x, y = x.astype(np.float64), y.astype(np.float64)
        out = np.asarray(f(x, y)).astype(NUMPY[dtype])
        error = (f(np.abs(x), b.error) + f(a.error, np.abs(y)) + f(a.error, b.error)
                 + (x.shape[-1] + 2) * EPS[dtype] * f(np.abs(x), np.abs(y)))
        return self.emit(op, [a, b], [], dtype, out, error + self.rounding(dtype, out))

    def conv2d(self):
        dtype = self.r.choice(FLOATS + INTS)
        n, h, w, c, co = (self.r.choice(k) for k in ([1, 2], [2, 3, 5], [3, 4, 6], [1, 2], [1, 3]))
        kh, kw = self.r.randint(1, min(h, 3)), self.r.randint(1, 3)
        sh, sw = self.r.randint(1, 3), self.r.randint(1, 2)
        x, f = self.source(dtype, (n, h, w, c)), self.source(dtype, (kh, kw, c, co))
        kind = self.r.choice(["Valid", "Same", "Custom"])
        if kind == "Valid":
            t = b = l = r = 0
        elif kind == "Same":
            down, across = (max((-(-d // s) - 1) * s + k - d, 0)
                            for d, s, k in ((h, sh, kh), (w, sw, kw)))
            t, l = down // 2, across // 2
            b, r = down - t, across - l
        else:
            t, b, l, r = (self.r.randint(0, 2) for _ in range(4))
            kind = f"Custom([[{t}, {b}], [{l}, {r}]])"
        ho, wo = (h + t + b - kh) // sh + 1, (w + l + r - kw) // sw + 1
        work = np.float64 if dtype in FLOATS else NUMPY[dtype]

        def conv(p, q):
            padded = np.zeros((n, h + t + b, w + l + r, c), work)
            padded[:, t:t + h, l:l + w] = p
            out = np.zeros((n, ho, wo, co), work)
            for i in range(ho):
                for j in range(wo):
                    window = padded[:, i * sh:i * sh + kh, j * sw:j * sw + kw]
                    out[:, i, j] = np.tensordot(window, q.astype(work), ([1, 2, 3], [0, 1, 2]))
            return out
        out = conv(x.data, f.data).astype(NUMPY[dtype])
        error = 0.0
        if dtype in FLOATS:
            size = (kh * kw * c + 2) * EPS[dtype]
            error = size * conv(np.abs(x.data), np.abs(f.data)) + self.rounding(dtype, out)
        self.emit("Conv2d", [x, f], [("strides", f"[{sh}, {sw}]"), ("padding", kind)], dtype, out,
                  error)

    def extension(self):
        kind = self.r.choice(["ReluGrad", "Broadcast", "ScatterAdd", "SliceGrad"])
        v = self.some(FLOATS)
        if kind == "ReluGrad":
            g = self.source(v.dtype, v.shape) if v.data.size else v
            zero = NUMPY[v.dtype](0)
            self.emit(kind, [g, v], [], v.dtype, np.where(v.data > 0, g.data, zero),
                      np.where(np.abs(v.data) > v.error, g.error, np.where(v.error > 0, math.inf,
                                                                           g.error)))
        elif kind == "Broadcast" and v.data.size and v.data.ndim < 4:
            shape = [self.r.randint(1, 3)] + [d if d != 1 else self.r.randint(1, 3)
                                             for d in v.shape]
            self.move(v, kind, [("shape", str(shape))], lambda a: np.broadcast_to(a, shape))
        elif kind == "SliceGrad" and v.data.ndim == 1 and v.data.size:
            size, start, step = v.shape[0], self.r.randint(0, 2), self.r.randint(1, 3)
            last = start + (size - 1) * step
            d = last + self.r.randint(1, 3)

            def scatter(a):
                out = np.zeros(d, a.dtype)
                out[start:last + 1:step] = a
                return out
            self.move(v, kind, [("shape", f"[{d}]"), ("starts", f"[{start}]"),
                                ("ends", f"[{last + 1}]"), ("steps", f"[{step}]")], scatter)
        elif kind == "ScatterAdd" and v.data.ndim and v.data.size:
            rows = self.r.randint(1, 4)
            i = self.source("i64", data=self.random_data("i64", v.shape[:1], 0, rows - 1))
            out, error = np.zeros((rows,) + v.shape[1:]), np.zeros((rows,) + v.shape[1:])
            np.add.at(out, i.data, v.data.astype(np.float64))
            np.add.at(error, i.data, v.error + v.shape[0] * EPS[v.dtype]
                      * np.abs(v.data.astype(np.float64)))
            out = out.astype(NUMPY[v.dtype])
            self.emit(kind, [v, i], [("shape", str(list(out.shape)))], v.dtype, out,
                      v.shape[0] * error + self.rounding(v.dtype, out))

    def module(self):
        """The text of a case with this module and its inputs."""
        for _ in range(self.r.randint(1, 3)):
            self.source()
        steps = [self.binop] * 5 + [self.unary] * 3 + [self.reduction] * 3 + [
            self.reshape, self.transpose, self.expand_dims, self.squeeze, self.index, self.slice,
            self.slice, self.gather, self.contraction, self.contraction, self.conv2d,
            self.extension]
        for _ in range(self.r.randint(3, 22)):
            self.r.choice(steps)()
        self.outputs = self.r.sample(self.values, min(len(self.values), self.r.randint(1, 5)))
        self.outputs += self.values[-1:]
        self.lines.append("outputs: " + ", ".join(v.name for v in self.outputs))
        text = "\n".join(self.lines)
        if self.r.random() < 0.1:
            text = text.replace("\n", "\n\n")
        inputs = "\n".join(f"{name} = " + " ".join(self.literal(x) for x in data.flat)
                           for name, data in self.inputs)
        return f"# Random module.\n\n-- module mind\n{text}\n\n-- run\n{inputs}\n"
