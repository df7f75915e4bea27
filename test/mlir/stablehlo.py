"""StableHLO in the generic form, as `tenon convert --to stablehlo` writes it, read and computed with NumPy.

Every operation follows the text of the specification (openxla.org/stablehlo/spec) and none of Tenon's
code: its semantics, its constraints on types and attributes, and the freedom it leaves. Where the order
is the implementation's, another one is taken than Tenon would: reductions combine as a tree with the
initial value last, updates of a scatter are applied from the last to the first.

Element types without a NumPy counterpart raise Unsupported, what the specification forbids raises Invalid.
"""
import itertools
import math
import re
import struct

import numpy as np


MOST = 1 << 20  # elements


class Invalid(Exception):
    pass


class Unsupported(Exception):
    pass


DTYPES = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
          "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
          "f16": np.float16, "f32": np.float32, "f64": np.float64,
          "complex<f32>": np.complex64, "complex<f64>": np.complex128}


def demand(holds, what):
    if not holds:
        raise Invalid(what)


# ---- text --------------------------------------------------------------------------------------

class Type:
    def __init__(self, text):
        if "?" in text:  # stablehlo/full_open.py has these
            raise Unsupported("open extents")
        *dims, element = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", text).groups()
        self.shape = tuple(int(d) for d in dims[0].split("x") if d)
        self.element = element

    @property
    def dtype(self):
        if self.element not in DTYPES:
            raise Unsupported(self.element)
        if math.prod(self.shape) > MOST:
            raise Unsupported("large tensors")
        return DTYPES[self.element]

    def __eq__(self, other):
        return (self.shape, self.element) == (other.shape, other.element)

    def __repr__(self):
        return "x".join(map(str, (*self.shape, self.element)))


class Op:
    def __init__(self, results, name, operands):
        self.results, self.name, self.operands = results, name, operands
        self.regions, self.attrs, self.inputs, self.outputs = [], {}, [], []


class Parser:
    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self):
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self, what):
        self.skip()
        return self.text.startswith(what, self.at)

    def take(self, what):
        if self.peek(what):
            self.at += len(what)
            return True
        return False

    def need(self, what):
        demand(self.take(what), f"expected {what!r} at {self.text[self.at:self.at + 60]!r}")

    def match(self, pattern):
        self.skip()
        found = re.compile(pattern).match(self.text, self.at)
        demand(found, f"expected {pattern!r} at {self.text[self.at:self.at + 60]!r}")
        self.at = found.end()
        return found[0]

    def listed(self, item, close):
        out = []
        while not self.take(close):
            if out:
                self.need(",")
            out.append(item())
        return out

    def value(self):
        return self.match(r"%[\w.$-]+")

    def type(self):
        return Type(self.match(r"tensor<(?:complex<\w+>|[^<>])*>"))

    def string(self):
        return self.match(r'"(?:[^"\\]|\\.)*"')[1:-1]

    def number(self):
        text = self.match(r"true|false|-?(?:0x[0-9A-Fa-f]+|[\d.]+(?:[eE][-+]?\d+)?)")
        return text

    def nested(self):
        if self.take("["):
            return self.listed(self.nested, "]")
        if self.take("("):
            return tuple(self.listed(self.number, ")"))
        return self.number()

    def attribute(self):
        if self.take("array<"):
            self.match(r"i64|i1|f64")
            if self.take(">"):
                return []
            self.need(":")
            return [{"true": True, "false": False}.get(n) if n in ("true", "false") else
                    (float(n) if "." in n or "0x" in n else int(n)) for n in self.listed(self.number, ">")]
        if self.take("dense<"):
            data = self.nested() if not self.peek(">") else []
            self.need(">")
            self.need(":")
            return constant(data, self.type())
        if self.take("#stablehlo<"):
            return self.match(r"\w+ \w+").split()[1], self.need(">")
        if self.take("#stablehlo.conv<"):
            text = self.match(r"[^>]*->[^>]*")
            self.need(">")
            return [[p.strip() for p in part.strip(" []").split(",")]
                    for part in re.split(r"x(?=\[)|->", text)]
        if self.peek("#stablehlo."):
            self.match(r"#stablehlo\.\w+<")
            return dict(self.listed(self.entry, ">"))
        if self.take("["):
            return self.listed(self.attribute, "]")
        if self.take("{"):
            return dict(self.listed(self.entry, "}"))
        if self.peek('"'):
            return self.string()
        n = self.number()
        if self.take(":"):
            self.match(r"i64|i32|f64")
        return n == "true" if n in ("true", "false") else float(n) if "." in n else int(n, 0)

    def entry(self):
        key = self.string() if self.peek('"') else self.match(r"[\w.]+")
        self.need("=")
        return key, self.attribute()

    def region(self):
        self.need("{")
        arguments = []
        if self.take("^bb0("):
            arguments = self.listed(lambda: (self.value(), self.need(":"), self.type())[::2], ")")
            self.need(":")
        return arguments, self.body()

    def body(self):
        ops = []
        while not self.take("}"):
            ops.append(self.op())
        return ops

    def op(self):
        results = []
        while self.peek("%"):
            results.append(self.value())
            self.take(",")
        if results:
            self.need("=")
        if self.take("func.return"):
            op = Op([], "return", [])
            while not self.peek("}") and not self.peek(":"):
                op.operands.append(self.value())
                self.take(",")
            if self.take(":"):
                op.inputs = [self.type()]
                while self.take(","):
                    op.inputs.append(self.type())
            return op
        name = self.string()
        self.need("(")
        op = Op(results, name.split(".", 1)[1], self.listed(self.value, ")"))
        if self.take("("):
            op.regions = self.listed(self.region, ")")
        if self.take("{"):
            op.attrs = dict(self.listed(self.entry, "}"))
        self.need(":")
        self.need("(")
        op.inputs = self.listed(self.type, ")")
        self.need("->")
        op.outputs = self.listed(self.type, ")") if self.take("(") else [self.type()]
        fits(op)
        return op

    def named_type(self):
        """The type of an argument or result, which may have a name and named extents."""
        t = self.type()
        if self.take("{"):
            self.listed(self.entry, "}")
        return t

    def module(self):
        self.need("module")
        self.need("{")
        self.need("func.func @main(")
        inputs = self.listed(lambda: (self.value(), self.need(":"), self.named_type())[::2], ")")
        outputs = []
        if self.take("->"):
            self.need("(")
            outputs = self.listed(self.named_type, ")")
        self.need("{")
        return inputs, outputs, self.body()


def fits(op):
    """Windows into an operand are never larger, whether or not the operation is ever reached."""
    if op.name in ("dynamic_slice", "gather", "dynamic_update_slice"):
        sizes = op.attrs["slice_sizes"] if "slice_sizes" in op.attrs else op.inputs[1].shape
        demand(len(sizes) == len(op.inputs[0].shape) and
               all(0 <= s <= n for s, n in zip(sizes, op.inputs[0].shape)),
               f"{op.name}: {sizes} of {op.inputs[0]}")


def constant(data, t):
    def one(text):
        if isinstance(text, tuple):
            return complex(*[float(one_part(p, t.dtype(0).real.dtype.type)) for p in text])
        return one_part(text, t.dtype)

    def one_part(text, dtype):
        if text in ("true", "false"):
            return text == "true"
        if text.startswith("0x"):
            size = np.dtype(dtype).itemsize
            return struct.unpack("<" + {2: "e", 4: "f", 8: "d"}[size],
                                 int(text, 16).to_bytes(size, "little"))[0]
        return float(text) if np.issubdtype(dtype, np.floating) else int(text)

    def walk(part):
        return [walk(p) for p in part] if isinstance(part, list) else one(part)

    data = walk(data)
    if not isinstance(data, list):
        return np.full(t.shape, data, t.dtype)
    out = np.array(data, t.dtype) if data else np.zeros(t.shape, t.dtype)
    demand(out.shape == t.shape, f"a constant of shape {out.shape} is declared {t}")
    return out


# ---- operations --------------------------------------------------------------------------------

def is_float(x):
    return np.issubdtype(x.dtype, np.floating)


def same_types(op, n=None):
    for t in op.inputs[:n]:
        demand(t == op.outputs[0], f"{op.name}: {t} for {op.outputs[0]}")


def unary(f, kinds="fi"):
    def run(op, x):
        same_types(op)
        return np.asarray(f(x)).astype(x.dtype)
    return run


def erf(x):
    return np.vectorize(math.erf, otypes=[float])(x.astype(float)) if x.size else x


def binary(f, truth=None):
    def run(op, x, y):
        same_types(op)
        if x.dtype == np.bool_:
            demand(truth, f"{op.name} of truth values")
            return truth(x, y)
        return np.asarray(f(x, y)).astype(x.dtype)
    return run


def divide(x, y):
    if np.issubdtype(x.dtype, np.inexact):
        return x / y
    safe = np.where(y == 0, 1, y).astype(x.dtype)
    q = x // safe
    return (q + ((q < 0) & (q * safe != x))).astype(x.dtype)  # towards zero


def remainder(x, y):
    if is_float(x):
        return np.fmod(x, y)
    return x - divide(x, y) * y


def maximum(x, y):  # -0 is less than 0
    r = np.maximum(x, y)
    return np.where((x == 0) & (y == 0), np.where(np.signbit(x), y, x), r) if is_float(x) else r


def minimum(x, y):
    r = np.minimum(x, y)
    return np.where((x == 0) & (y == 0), np.where(np.signbit(x), x, y), r) if is_float(x) else r


def compare(op, x, y):
    demand(op.inputs[0] == op.inputs[1], "compare: operands differ")
    demand(op.outputs[0].element == "i1" and op.outputs[0].shape == op.inputs[0].shape, "compare")
    kind = ("FLOAT" if np.issubdtype(x.dtype, np.inexact) else
            "SIGNED" if x.dtype.kind == "i" else "UNSIGNED")
    demand(op.attrs["compare_type"][0] == kind, "compare_type")
    way = op.attrs["comparison_direction"][0]
    demand(x.dtype.kind != "c" or way in ("EQ", "NE"), "complex numbers have no order")
    return {"LT": np.less, "LE": np.less_equal, "EQ": np.equal, "GE": np.greater_equal,
            "GT": np.greater, "NE": np.not_equal}[way](x, y)


def select(op, p, x, y):
    demand(op.inputs[1] == op.inputs[2] == op.outputs[0], "select")
    demand(op.inputs[0].shape in ((), op.outputs[0].shape), "select")
    return np.where(p, x, y)


def clamp(op, low, x, high):
    demand(op.inputs[1] == op.outputs[0], "clamp")
    for t in (op.inputs[0], op.inputs[2]):
        demand(t.shape in ((), op.outputs[0].shape), "clamp")
    return minimum(maximum(x, low), high)


def convert(op, x):
    to = op.outputs[0]
    demand(to.shape == op.inputs[0].shape, "convert")
    if to.element == "i1":
        return x != 0
    with np.errstate(all="ignore"):
        return x.astype(to.dtype)


def bitcast_convert(op, x):
    to = op.outputs[0]
    demand(to.shape == op.inputs[0].shape and x.dtype.kind != "c" and np.dtype(to.dtype).itemsize == x.dtype.itemsize,
           "bitcast_convert")
    if x.dtype.kind == "f":
        x = np.where(np.isnan(x), x.dtype.type("nan"), x)
    return np.ascontiguousarray(x).view(to.dtype).reshape(to.shape)


def part(of):
    def run(op, x):
        demand(x.dtype.kind == "c" and op.inputs[0].shape == op.outputs[0].shape, "real, imag")
        return of(x)
    return run


def complex_(op, x, y):
    demand(op.inputs[0] == op.inputs[1] and x.dtype in (np.float32, np.float64), "complex")
    z = np.empty(x.shape, op.outputs[0].dtype)
    z.real, z.imag = x, y
    return z


def reshape(op, x):
    demand(math.prod(op.outputs[0].shape) == x.size, "reshape")
    return x.reshape(op.outputs[0].shape)


def broadcast_in_dim(op, x):
    to, dims = op.outputs[0].shape, op.attrs["broadcast_dimensions"]
    demand(len(dims) == x.ndim and len(set(dims)) == x.ndim, "broadcast_dimensions")
    demand(all(0 <= d < len(to) and n in (1, to[d]) for d, n in zip(dims, x.shape)),
           f"broadcast_in_dim {x.shape} {dims} {to}")
    order = sorted(range(x.ndim), key=lambda i: dims[i])
    spread = [1] * len(to)
    for i in range(x.ndim):
        spread[dims[i]] = x.shape[i]
    return np.broadcast_to(x.transpose(order).reshape(spread), to)


def transpose(op, x):
    demand(sorted(op.attrs["permutation"]) == list(range(x.ndim)), "permutation")
    return x.transpose(op.attrs["permutation"])


def slice_(op, x):
    a = op.attrs
    lo, hi, step = a["start_indices"], a["limit_indices"], a["strides"]
    demand(len(lo) == len(hi) == len(step) == x.ndim, "slice: rank")
    demand(all(0 <= p <= q <= n and s > 0 for p, q, s, n in zip(lo, hi, step, x.shape)), "slice: bounds")
    return x[tuple(slice(*b) for b in zip(lo, hi, step))]


def pad(op, x, value):
    demand(op.inputs[1].shape == () and op.inputs[1].element == op.inputs[0].element, "pad")
    low, high = op.attrs["edge_padding_low"], op.attrs["edge_padding_high"]
    inner = op.attrs["interior_padding"]
    demand(len(low) == len(high) == len(inner) == x.ndim and all(i >= 0 for i in inner), "pad")
    shape = [l + n + max(n - 1, 0) * i + h for l, n, i, h in zip(low, x.shape, inner, high)]
    demand(all(n >= 0 for n in shape), "pad: negative extent")
    out = np.full(shape, value)
    for at in np.ndindex(*x.shape):
        to = tuple(l + p * (i + 1) for l, p, i in zip(low, at, inner))
        if all(0 <= p < n for p, n in zip(to, shape)):
            out[to] = x[at]
    return out


def concatenate(op, *parts):
    demand(parts and 0 <= op.attrs["dimension"] < parts[0].ndim, "concatenate")
    return np.concatenate(parts, op.attrs["dimension"])


def reverse(op, x):
    dims = op.attrs["dimensions"]
    demand(len(set(dims)) == len(dims) and all(0 <= d < x.ndim for d in dims), "reverse")
    return np.flip(x, dims) if dims else x


def iota(op):
    t, d = op.outputs[0], op.attrs["iota_dimension"]
    demand(0 <= d < len(t.shape), "iota_dimension")
    return np.broadcast_to(np.arange(t.shape[d]).reshape([-1] + [1] * (len(t.shape) - 1 - d)),
                           t.shape).astype(t.dtype)


def dynamic_slice(op, x, *starts):
    sizes = op.attrs["slice_sizes"]
    demand(len(starts) == len(sizes) == x.ndim, "dynamic_slice: rank")
    demand(all(0 <= s <= n for s, n in zip(sizes, x.shape)), "dynamic_slice: sizes")
    at = [min(max(int(p), 0), n - s) for p, n, s in zip(starts, x.shape, sizes)]
    return x[tuple(slice(p, p + s) for p, s in zip(at, sizes))]


def dynamic_update_slice(op, x, u, *starts):
    demand(len(starts) == x.ndim == u.ndim, "dynamic_update_slice: rank")
    demand(all(s <= n for s, n in zip(u.shape, x.shape)), "dynamic_update_slice: sizes")
    at = [min(max(int(p), 0), n - s) for p, n, s in zip(starts, x.shape, u.shape)]
    out = x.copy()
    out[tuple(slice(p, p + s) for p, s in zip(at, u.shape))] = u
    return out


def dot_general(op, x, y):
    d = op.attrs["dot_dimension_numbers"]
    bl, br = ints(d, "lhs_batching_dimensions"), ints(d, "rhs_batching_dimensions")
    cl, cr = ints(d, "lhs_contracting_dimensions"), ints(d, "rhs_contracting_dimensions")
    demand(len(bl) == len(br) and len(cl) == len(cr), "dot_general: counts")
    demand(len(set(bl + cl)) == len(bl + cl) and len(set(br + cr)) == len(br + cr), "dot_general")
    demand(all(x.shape[i] == y.shape[j] for i, j in zip(bl + cl, br + cr)), "dot_general: extents")
    wide = op.outputs[0].dtype
    names = iter(range(52))
    left, right = [next(names) for _ in x.shape], [next(names) for _ in y.shape]
    for i, j in zip(bl + cl, br + cr):
        right[j] = left[i]
    keep = ([left[i] for i in bl] + [left[i] for i in range(x.ndim) if i not in bl + cl] +
            [right[j] for j in range(y.ndim) if j not in br + cr])
    if np.issubdtype(wide, np.floating):
        return np.einsum(x.astype(np.float64), left, y.astype(np.float64), right, keep).astype(wide)
    return np.einsum(x.astype(wide), left, y.astype(wide), right, keep).astype(wide)


def ints(d, key):
    return [int(i) for i in d.get(key, [])]


def convolution(op, x, w):
    a = op.attrs
    groups, batches = a["feature_group_count"], a["batch_group_count"]
    demand(groups == 1 or batches == 1, "groups")
    lhs, rhs, out = a["dimension_numbers"]
    spatial = [str(k) for k in range(x.ndim - 2)]
    x = x.transpose([lhs.index(k) for k in ["b", *spatial, "f"]])
    w = w.transpose([rhs.index(k) for k in [*spatial, "i", "o"]])
    demand(x.shape[-1] == w.shape[-2] * groups, "convolution: features")
    demand(x.shape[0] % batches == 0 and w.shape[-1] % (groups * batches) == 0, "groups of unequal size")
    for k, turn in enumerate(a["window_reversal"]):
        w = np.flip(w, k) if turn else w
    low, high = a["padding"][:, 0], a["padding"][:, 1]
    made = Op([], "pad", [])
    made.inputs, made.outputs = [op.inputs[0], Type("tensor<%s>" % op.inputs[0].element)], []
    for key, amounts in (("low", low), ("high", high)):
        made.attrs["edge_padding_" + key] = [0, *map(int, amounts), 0]
    made.attrs["interior_padding"] = [0, *[d - 1 for d in a["lhs_dilation"]], 0]
    x = pad(made, x, np.zeros((), x.dtype))
    reach = [(k - 1) * d + 1 if k else 0 for k, d in zip(w.shape, a["rhs_dilation"])]
    size = [(n - r) // s + 1 if n >= r and n else 0
            for n, r, s in zip(x.shape[1:-1], reach, a["window_strides"])]
    wide = np.float64 if is_float(x) else op.outputs[0].dtype
    parts = []
    for g in range(groups * batches):
        part = np.split(x, groups, -1)[g] if groups > 1 else np.split(x, batches)[g]
        filters = np.split(w, groups * batches, -1)[g]
        y = np.zeros((part.shape[0], *size, filters.shape[-1]), wide)
        for at in np.ndindex(*w.shape[:-2]):
            cut = tuple(slice(p * d, p * d + (n - 1) * s + 1, s) if n else slice(0, 0) for p, d, n, s in
                        zip(at, a["rhs_dilation"], size, a["window_strides"]))
            y += np.tensordot(part[(slice(None), *cut)].astype(wide), filters[at].astype(wide), 1)
        parts.append(y)
    y = np.concatenate(parts, -1)
    return y.transpose([["b", *spatial, "f"].index(k) for k in out]).astype(op.outputs[0].dtype)


def gather(op, x, at):
    a = op.attrs
    d = a["dimension_numbers"]
    offset, collapsed = ints(d, "offset_dims"), ints(d, "collapsed_slice_dims")
    start_map, vector = ints(d, "start_index_map"), d["index_vector_dim"]
    sizes = a["slice_sizes"]
    demand(len(sizes) == x.ndim and all(0 <= s <= n for s, n in zip(sizes, x.shape)),
           f"gather: slice_sizes {sizes} of {x.shape}")
    demand(all(sizes[c] <= 1 for c in collapsed), "gather: collapsed")
    demand(offset == sorted(set(offset)) and collapsed == sorted(set(collapsed)), "gather: order")
    demand(0 <= vector <= at.ndim, "index_vector_dim")
    vectors = at[..., None] if vector == at.ndim else np.moveaxis(at, vector, -1)
    demand(vectors.shape[-1] == len(start_map), "gather: start_index_map")
    kept = [i for i in range(x.ndim) if i not in collapsed]
    demand(len(kept) == len(offset), "gather: offset_dims")
    shape = op.outputs[0].shape
    batch = [i for i in range(len(shape)) if i not in offset]
    demand(tuple(shape[i] for i in batch) == vectors.shape[:-1], "gather: batch")
    demand([shape[i] for i in offset] == [sizes[k] for k in kept], "gather: offsets")
    out = np.zeros(shape, x.dtype)
    for spot in np.ndindex(*vectors.shape[:-1]):
        start = [0] * x.ndim
        for k, axis in enumerate(start_map):
            start[axis] = min(max(int(vectors[spot][k]), 0), x.shape[axis] - sizes[axis])
        part = x[tuple(slice(p, p + s) for p, s in zip(start, sizes))]
        to = [slice(None)] * len(shape)
        for i, p in zip(batch, spot):
            to[i] = p
        out[tuple(to)] = part.reshape([sizes[k] for k in kept])
    return out


class Interpreter:
    def __init__(self, text):
        self.inputs, self.outputs, self.ops = Parser(text).module()

    def __call__(self, *arguments):
        demand(len(arguments) == len(self.inputs), "number of arguments")
        env = {}
        for (name, t), a in zip(self.inputs, arguments):
            demand(a.shape == t.shape and a.dtype == np.dtype(t.dtype), f"argument {name}: {t}")
            env[name] = a
        results = self.block(self.ops, env)
        for r, t in zip(results, self.outputs):
            demand(r.shape == t.shape and r.dtype == np.dtype(t.dtype), f"result {t}")
        return results

    def block(self, ops, outer, lifted=False):
        """What OPS return. Lifted: scalars are arrays, one number for each of many calls."""
        env = dict(outer)
        with np.errstate(all="ignore"):
            for op in ops:
                if op.name == "return":
                    return [env[v] for v in op.operands]
                got = self.op(op, [env[v] for v in op.operands], env, lifted)
                got = got if isinstance(got, list) else [got]
                demand(len(got) == len(op.results) == len(op.outputs), f"{op.name}: results")
                for name, value, t in zip(op.results, got, op.outputs):
                    value = np.asarray(value)
                    demand(value.dtype == np.dtype(t.dtype), f"{op.name}: {value.dtype} for {t}")
                    demand(lifted or value.shape == t.shape, f"{op.name}: {value.shape} for {t}")
                    demand(name not in env, f"{name} is defined twice")
                    env[name] = value
        raise Invalid("a block without its end")

    def call(self, region, env, arguments, lifted=False):
        names, ops = region
        demand(len(names) == len(arguments), "arguments of a region")
        inner = dict(env)
        for (name, t), a in zip(names, arguments):
            demand(lifted or a.shape == t.shape, f"{name}: {a.shape} for {t}")
            demand(a.dtype == np.dtype(t.dtype), f"{name}: {a.dtype} for {t}")
            demand(name not in inner, f"{name} is defined twice")
            inner[name] = a
        return self.block(ops, inner, lifted)

    def op(self, op, x, env, lifted):
        special = getattr(self, "op_" + op.name, None)
        if special:
            return special(op, x, env)
        if op.name not in TABLE:
            raise Unsupported(op.name)
        if lifted:
            demand(op.name in LIFTED, f"{op.name} in the body of a reduction")
        demand([t.element for t in op.inputs] ==
               [next(k for k, v in DTYPES.items() if v == a.dtype.type) for a in x],
               f"{op.name}: declared {op.inputs}")
        return TABLE[op.name](op, *x)

    def op_constant(self, op, x, env):
        return op.attrs["value"]

    def tree(self, region, env, parts):
        """PARTS, lists of arrays that lie in order, combined pair by pair."""
        while len(parts) > 1:
            parts = [self.call(region, env, [*parts[i], *parts[i + 1]], True)
                     if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
        return parts[0]

    def op_reduce(self, op, x, env):
        n, dims = len(x) // 2, op.attrs["dimensions"]
        demand(len(set(dims)) == len(dims) and all(0 <= d < x[0].ndim for d in dims), "reduce")
        demand(all(i.ndim == 0 for i in x[n:]) and all(a.shape == x[0].shape for a in x[:n]), "reduce")
        kept = [i for i in range(x[0].ndim) if i not in dims]
        rows = [a.transpose(kept + sorted(dims)).reshape([x[0].shape[i] for i in kept] + [-1])
                if a.size else np.zeros([x[0].shape[i] for i in kept] +
                                        [math.prod(x[0].shape[i] for i in dims)], a.dtype)
                for a in x[:n]]
        parts = [[r[..., k] for r in rows] for k in range(rows[0].shape[-1])]
        shape = rows[0].shape[:-1]
        parts.append([np.broadcast_to(i, shape) for i in x[n:]])
        return self.tree(op.regions[0], env, parts)

    def op_reduce_window(self, op, x, env):
        demand(len(x) == 2, "reduce_window")
        a, (x, start) = op.attrs, x
        size, stride = a["window_dimensions"], a["window_strides"]
        demand(all(len(a[k]) == x.ndim for k in ("window_dimensions", "window_strides", "base_dilations",
                                                 "window_dilations")), "reduce_window: rank")
        demand(all(v > 0 for k in ("window_dimensions", "window_strides", "base_dilations",
                                   "window_dilations") for v in a[k]), "reduce_window: sizes")
        made = Op([], "pad", [])
        made.inputs = [op.inputs[0], op.inputs[1]]
        made.attrs = {"edge_padding_low": [int(p) for p in a["padding"][:, 0]],
                      "edge_padding_high": [int(p) for p in a["padding"][:, 1]],
                      "interior_padding": [d - 1 for d in a["base_dilations"]]}
        x = pad(made, x, start)
        reach = [(k - 1) * d + 1 for k, d in zip(size, a["window_dilations"])]
        count = [(n - r) // s + 1 if n >= r else 0 for n, r, s in zip(x.shape, reach, stride)]
        parts = []
        for at in itertools.product(*[range(k) for k in size]):
            cut = tuple(slice(p * d, p * d + (n - 1) * s + 1, s) if n else slice(0, 0) for p, d, n, s in
                        zip(at, a["window_dilations"], count, stride))
            parts.append([x[cut]])
        parts.append([np.broadcast_to(start, count)])
        return self.tree(op.regions[0], env, parts)

    def op_scatter(self, op, x, env):
        x, at, u = x
        d = op.attrs["scatter_dimension_numbers"]
        window, inserted = ints(d, "update_window_dims"), ints(d, "inserted_window_dims")
        to, vector = ints(d, "scatter_dims_to_operand_dims"), d["index_vector_dim"]
        demand(window == sorted(set(window)) and inserted == sorted(set(inserted)), "scatter: order")
        demand(x.ndim == len(window) + len(inserted), "scatter: rank")
        vectors = at[..., None] if vector == at.ndim else np.moveaxis(at, vector, -1)
        demand(vectors.shape[-1] == len(to), "scatter: positions")
        spots = [i for i in range(u.ndim) if i not in window]
        demand(tuple(u.shape[i] for i in spots) == vectors.shape[:-1], "scatter: updates")
        kept = [i for i in range(x.ndim) if i not in inserted]
        demand(all(u.shape[j] <= x.shape[i] for i, j in zip(kept, window)), "scatter: windows")
        out = x.copy()
        seen = set()
        order = list(np.ndindex(*u.shape))
        replaces = len(op.regions[0][1]) == 1  # then the order of Tenon decides what stays
        for spot in order if replaces else reversed(order):
            vec = vectors[tuple(spot[i] for i in spots)]
            place = [0] * x.ndim
            for k, axis in enumerate(to):
                place[axis] = int(vec[k])
            for i, j in zip(kept, window):
                place[i] += spot[j]
            place = tuple(place)
            if all(0 <= p < n for p, n in zip(place, x.shape)):
                demand(not op.attrs["unique_indices"] or place not in seen, "unique_indices")
                seen.add(place)
                out[place] = self.call(op.regions[0], env, [out[place], u[spot]])[0]
        if op.attrs["indices_are_sorted"]:
            flat = [tuple(v) for v in vectors.reshape(-1, len(to))]
            demand(flat == sorted(flat), "indices_are_sorted")
        return out

    def op_sort(self, op, x, env):
        axis = op.attrs["dimension"]
        demand(op.attrs["is_stable"] and 0 <= axis < x[0].ndim, "sort")
        out = [a.copy() for a in x]
        for spot in np.ndindex(*x[0].shape[:axis], *x[0].shape[axis + 1:]):
            line = (*spot[:axis], slice(None), *spot[axis:])
            items = [tuple(a[line][k:k + 1].reshape(()) for a in x) for k in range(x[0].shape[axis])]
            done = []  # insertion: stable
            for item in items:
                k = len(done)
                while k and bool(self.call(op.regions[0], env, [
                        v for pair in zip(item, done[k - 1]) for v in pair])[0]):
                    k -= 1
                done.insert(k, item)
            for k, a in enumerate(out):
                if done:
                    a[line] = np.array([item[k] for item in done], a.dtype)
        return out

    def op_if(self, op, x, env):
        demand(x[0].ndim == 0 and x[0].dtype == np.bool_, "if")
        demand(all(not r[0] for r in op.regions), "if: regions have no arguments")
        return self.block(op.regions[0 if x[0] else 1][1], env)

    def op_while(self, op, x, env):
        demand(op.inputs == op.outputs, "while")
        cond, body = op.regions
        while bool(self.call(cond, env, x)[0]):
            x = self.call(body, env, x)
        return x


TABLE = {
    "abs": unary(np.abs), "negate": unary(np.negative), "exponential": unary(np.exp),
    "log": unary(np.log), "tanh": unary(np.tanh), "sine": unary(np.sin), "cosine": unary(np.cos),
    "sqrt": unary(np.sqrt), "rsqrt": unary(lambda x: 1 / np.sqrt(x)), "floor": unary(np.floor),
    "ceil": unary(np.ceil), "round_nearest_even": unary(np.rint), "not": unary(np.invert),
    "erf": unary(erf),
    "add": binary(np.add, np.logical_or), "subtract": binary(np.subtract),
    "multiply": binary(np.multiply, np.logical_and), "divide": binary(divide),
    "remainder": binary(remainder), "power": binary(np.power),
    "maximum": binary(maximum, np.logical_or), "minimum": binary(minimum, np.logical_and),
    "and": binary(np.bitwise_and, np.logical_and), "or": binary(np.bitwise_or, np.logical_or),
    "xor": binary(np.bitwise_xor, np.logical_xor),
    "compare": compare, "select": select, "clamp": clamp, "convert": convert, "reshape": reshape,
    "bitcast_convert": bitcast_convert, "real": part(np.real), "imag": part(np.imag), "complex": complex_,
    "broadcast_in_dim": broadcast_in_dim, "transpose": transpose, "slice": slice_, "pad": pad,
    "concatenate": concatenate, "reverse": reverse, "iota": iota, "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice, "dot_general": dot_general,
    "convolution": convolution, "gather": gather,
}
LIFTED = {"add", "multiply", "maximum", "minimum", "and", "or", "compare", "select", "constant"}
