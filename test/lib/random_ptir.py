"""Random well-typed PTIR programs, what NumPy says of their results, and their binary form."""
import math
import random
import re
import struct
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is missing")
    print("0 passed, 0 failed")
    sys.exit(0)

from lib import vocabulary

NUMPY = {"I1": np.bool_, "Si8": np.int8, "Ui8": np.uint8, "Si16": np.int16, "Ui16": np.uint16,
         "Si32": np.int32, "Ui32": np.uint32, "Si64": np.int64, "Ui64": np.uint64,
         "F16": np.float16, "F32": np.float32, "F64": np.float64, "Cf32": np.complex64,
         "Cf64": np.complex128}
STORAGE = {**NUMPY, "Si4": np.int8, "Ui4": np.uint8, "Fp8E4M3": np.uint8, "Fp8E5M2": np.uint8,
           "Bf16": np.uint16}
INTS = ("Si4", "Ui4", "Si8", "Ui8", "Si16", "Ui16", "Si32", "Ui32", "Si64", "Ui64")
FLOATS = ("Fp8E4M3", "Fp8E5M2", "Bf16", "F16", "F32", "F64")
COMPLEX = ("Cf32", "Cf64")
REAL = INTS + FLOATS
NUMBERS = REAL + COMPLEX
ALL = ("I1",) + NUMBERS
UNARY, BINARY = vocabulary.ptir_words(1), vocabulary.ptir_words(2)
SIGNED = tuple(d for d in INTS if d.startswith("S"))
# What the type rules of elementwise operations take.
RULES = {"neg": SIGNED + FLOATS + COMPLEX, "abs": REAL, "unary_float": FLOATS, "arithmetic": NUMBERS,
         "min_max": REAL, "float_binary": FLOATS, "relu": SIGNED + FLOATS, "unary_bits": INTS,
         "integer_binary": INTS, "bits_binary": INTS, "predicate": FLOATS, "integer_unary": INTS,
         "part": COMPLEX, "complex": ("F32", "F64")}
PART = {"Cf32": "F32", "Cf64": "F64"}
WIDTH = {d: {"Fp8E4M3": 8, "Fp8E5M2": 8}.get(d) or int(re.sub(r"\D", "", d)) for d in INTS + FLOATS}


def tensor(dtype, shape):
    return {"Tensor": spec(dtype, shape)}


def spec(dtype, shape):
    return {"dtype": dtype, "shape": {"dims": [{"Static": int(d)} for d in shape]}}


class Value:
    """Something an operand can name. DATA is what numpy says it is exactly, or None."""

    def __init__(self, operand, dtype, shape, data=None):
        self.operand, self.dtype, self.shape = operand, dtype, tuple(shape)
        self.data = None
        if data is not None and dtype in NUMPY:
            self.data = np.asarray(data).astype(NUMPY[dtype]).reshape(self.shape)

    @property
    def type(self):
        return tensor(self.dtype, self.shape)


class Scope:
    """A function or region in the making."""

    def __init__(self, program, parameters):
        self.program, self.r = program, program.r
        self.parameters = [tensor(*p) for p in parameters]
        self.body, self.next = [], len(parameters)
        self.values = [Value({"Value": k}, *p) for k, p in enumerate(parameters)]

    # ---- making instructions

    def emit(self, op, operands, dtype, shape, data=None):
        value = Value({"Value": self.next}, dtype, shape, data)
        self.instruction(op, operands, value.type)
        self.values.append(value)
        return value

    def emit_tuple(self, op, operands, types):
        at = self.next
        self.instruction(op, operands, {"Tuple": [tensor(*t) for t in types]})
        made = [Value({"TupleElement": {"tuple": at, "index": k}}, *t)
                for k, t in enumerate(types)]
        self.values += made
        return made

    def instruction(self, op, operands, output):
        self.body.append({"id": self.next, "op": op, "operands": [o.operand for o in operands],
                          "output": output})
        self.next += 1

    def shape(self, most=3):
        rank = self.r.randint(0, most)
        return tuple(self.r.choice([0, 1, 1, 2, 2, 3, 3, 4]) for _ in range(rank))

    def constant(self, dtype, shape, data=None):
        raw = self.program.random_data(dtype, shape) if data is None else data
        raw = np.asarray(raw, STORAGE[dtype])
        bytes_ = list(np.ascontiguousarray(raw).tobytes())
        literal = {"spec": spec(dtype, shape), "bytes": bytes_}
        if self.r.random() < 0.4:
            return Value({"Literal": literal}, dtype, shape, raw if dtype in NUMPY else None)
        return self.emit({"Constant": literal}, [], dtype, shape,
                         raw if dtype in NUMPY else None)

    def some(self, dtypes=ALL, fits=lambda v: True):
        found = [v for v in self.values if v.dtype in dtypes and fits(v)]
        if found and self.r.random() < 0.9:
            return self.r.choice(found)
        for _ in range(50):
            shape = self.shape()
            dtype = self.r.choice(dtypes)
            if fits(Value(None, dtype, shape)):
                return self.constant(dtype, shape)
        return self.r.choice(found) if found else None

    def like(self, v, dtype=None):
        dtype = dtype or v.dtype
        found = [w for w in self.values if w.dtype == dtype and w.shape == v.shape]
        if found and self.r.random() < 0.8:
            return self.r.choice(found)
        return self.constant(dtype, v.shape)

    def indices(self, shape, extent):
        """Positions below EXTENT, or None where there are none."""
        dtype = self.r.choice(("Si32", "Si64"))
        if extent == 0 and math.prod(shape):
            return None
        data = np.array([self.r.randrange(extent) for _ in range(math.prod(shape))],
                        NUMPY[dtype]).reshape(shape)
        return self.constant(dtype, shape, data)

    def axis(self, rank):
        return self.r.choice([self.r.randrange(rank), self.r.randrange(rank) - rank])

    # ---- operations: each adds an instruction, or nothing where nothing fits

    def unary(self):
        op = self.r.choice(list(UNARY))
        rule = UNARY[op]["type_rule"]
        v = self.some(RULES[rule])
        data = None
        if v.data is not None and op in ("Neg", "Abs"):
            data = -v.data if op == "Neg" else np.abs(v.data)
        if v.data is not None and rule == "part":
            data = v.data.real if op == "Real" else v.data.imag
        out = "I1" if rule == "predicate" else PART[v.dtype] if rule == "part" else v.dtype
        self.emit({"ElementwiseUnary": op}, [v], out, v.shape, data)

    def binary(self):
        op = self.r.choice(list(BINARY))
        v = self.some(RULES[BINARY[op]["type_rule"]])
        w = self.like(v)
        if op == "Div" and v.dtype in INTS:
            raw = self.program.random_data(v.dtype, v.shape)
            w = self.constant(v.dtype, v.shape, np.where(raw == 0, 1, raw).astype(raw.dtype))
        data = None
        if v.data is not None and w.data is not None and v.dtype not in COMPLEX + ("F16",):
            if op in ("Add", "Sub", "Mul"):
                data = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[op](v.data, w.data)
            elif op == "Div":
                data = v.data / w.data if v.dtype in FLOATS else None
            elif op in ("Maximum", "Minimum") and v.dtype in INTS:
                data = (np.maximum if op == "Maximum" else np.minimum)(v.data, w.data)
        self.emit({"ElementwiseBinary": op}, [v, w], "Cf" + v.dtype[1:] if op == "Complex" else v.dtype, v.shape, data)

    def clamp(self):
        v = self.some(REAL)
        self.emit("Clamp", [v, self.like(v), self.like(v)], v.dtype, v.shape)

    def compare(self):
        v = self.some()
        names = {"Less": np.less, "LessEqual": np.less_equal, "Equal": np.equal,
                 "GreaterEqual": np.greater_equal, "Greater": np.greater, "NotEqual": np.not_equal}
        op = self.r.choice(("Equal", "NotEqual") if v.dtype in COMPLEX else tuple(names))
        w = self.like(v)
        known = v.data is not None and w.data is not None
        self.emit({"Compare": {"op": op}}, [v, w], "I1", v.shape,
                  names[op](v.data, w.data) if known else None)

    def select(self):
        v = self.some()
        w, p = self.like(v), self.like(v, "I1")
        known = all(x.data is not None for x in (v, w, p))
        self.emit("Select", [p, v, w], v.dtype, v.shape,
                  np.where(p.data, v.data, w.data) if known else None)

    def cast(self):
        v = self.some()
        dtype = self.r.choice(("I1",) + COMPLEX if v.dtype in COMPLEX else ALL)
        data = None
        if v.data is not None and dtype in NUMPY and (dtype == v.dtype or v.dtype == "I1"):
            data = v.data.astype(NUMPY[dtype])
        elif v.data is not None and v.dtype in INTS and dtype in INTS and dtype in NUMPY:
            limits = np.iinfo(NUMPY[dtype])
            flat = [min(max(int(x), limits.min), limits.max) for x in v.data.flat]
            data = np.array(flat, NUMPY[dtype])
        self.emit({"Cast": {"dtype": dtype}}, [v], dtype, v.shape, data)

    def wrap(self):
        v = self.some(INTS)
        dtype = self.r.choice(INTS)
        data = None
        if v.data is not None and dtype in NUMPY:
            data = v.data.astype(NUMPY[dtype])
        self.emit({"Wrap": {"dtype": dtype}}, [v], dtype, v.shape, data)

    def bitcast(self):
        v = self.some(INTS + FLOATS)
        dtype = self.r.choice([d for d in INTS + FLOATS if WIDTH[d] == WIDTH[v.dtype]])
        self.emit({"Bitcast": {"dtype": dtype}}, [v], dtype, v.shape)

    def stop_gradient(self):
        v = self.some()
        self.emit("StopGradient", [v], v.dtype, v.shape, v.data)

    def move(self, op, v, f):
        shape = f(np.empty(v.shape, np.int8)).shape
        self.emit(op, [v], v.dtype, shape, f(v.data) if v.data is not None else None)

    def reshape(self):
        v = self.some()
        n = math.prod(v.shape)
        shape = self.r.choice([[n], [1, n], list(reversed(v.shape)), [n, 1, 1]])
        entries = [{"Explicit": {"Static": d}} for d in shape]
        if n and shape and self.r.random() < 0.4:
            entries[self.r.randrange(len(shape))] = "Infer"
        self.move({"Reshape": {"new_shape": entries}}, v, lambda a: a.reshape(shape))

    def transpose(self):
        v = self.some()
        p = list(range(len(v.shape)))
        self.r.shuffle(p)
        self.move({"Transpose": {"perm": p}}, v, lambda a: a.transpose(p))

    def broadcast(self):
        v = self.some(fits=lambda v: math.prod(v.shape) < 100)
        shape = [self.r.choice([0, 1, 2, 3]) if d == 1 else d for d in v.shape]
        shape = [self.r.choice([1, 2]) for _ in range(self.r.randint(0, 2))] + shape
        self.move({"BroadcastTo": {"result_shape": spec("F32", shape)["shape"]}}, v,
                  lambda a: np.broadcast_to(a, shape))

    def slice(self):
        v = self.some()
        starts = [self.r.randint(0, d) for d in v.shape]
        sizes = [self.r.randint(0, d - s) for s, d in zip(starts, v.shape)]
        self.move({"Slice": {"starts": starts, "sizes": sizes}}, v,
                  lambda a: a[tuple(slice(s, s + n) for s, n in zip(starts, sizes))])

    def concat(self):
        v = self.some(fits=lambda v: v.shape)
        k = self.axis(len(v.shape))
        parts = [v] + [self.like(v) for _ in range(self.r.randint(0, 2))]
        shape = list(v.shape)
        shape[k] *= len(parts)
        known = all(p.data is not None for p in parts)
        self.emit({"Concat": {"axis": k}}, parts, v.dtype, shape,
                  np.concatenate([p.data for p in parts], k) if known else None)

    def scalar(self, dtype):
        if dtype == "I1":
            return {"I1": True}, True
        if dtype in COMPLEX:
            return {"Complex": {"re": 0.5, "im": -2.0}}, 0.5 - 2j
        if dtype in INTS:
            return ({"Signed": 3}, 3) if dtype.startswith("S") else ({"Unsigned": 5}, 5)
        return self.r.choice([({"Float": -1.5}, -1.5), ({"Signed": 2}, 2)])

    def pad(self):
        v = self.some(fits=lambda v: math.prod(v.shape) < 100)
        low, high, hole = ([self.r.choice([0, 0, 1, 2]) for _ in v.shape] for _ in range(3))
        literal, value = self.scalar(v.dtype)
        shape = [a + n + b + max(n - 1, 0) * c for n, a, b, c in zip(v.shape, low, high, hole)]
        data = None
        if v.data is not None:
            data = np.full(shape, value, v.data.dtype)
            data[tuple(slice(a, a + n + max(n - 1, 0) * c, c + 1)
                       for n, a, c in zip(v.shape, low, hole))] = v.data
        self.emit({"Pad": {"low": low, "high": high, "interior": hole, "pad_value": literal}}, [v],
                  v.dtype, shape, data)

    def tile(self):
        v = self.some(fits=lambda v: math.prod(v.shape) < 100)
        repeats = [self.r.choice([0, 1, 1, 2]) for _ in v.shape]
        self.move({"Tile": {"repeats": repeats}}, v,
                  lambda a: np.tile(a, repeats) if repeats else a)

    def iota(self):
        shape = self.shape() or (3,)
        k = self.r.randrange(len(shape))
        dtype = self.r.choice(NUMBERS)
        along = np.arange(shape[k]).reshape([-1 if i == k else 1 for i in range(len(shape))])
        self.emit({"Iota": {"shape": spec("F32", shape)["shape"], "dtype": dtype, "axis": k}}, [],
                  dtype, shape, np.broadcast_to(along, shape))

    def rng(self):
        shape, dtype = self.shape(), self.r.choice(FLOATS)
        op = self.r.choice(("RngUniform", "RngNormal"))
        self.emit({op: {"shape": spec("F32", shape)["shape"], "dtype": dtype}}, [], dtype, shape)

    def reduce(self):
        kind = self.r.choice(("Sum", "Max", "Min", "MaxNan", "MinNan"))
        v = self.some(FLOATS if kind.endswith("Nan") else NUMBERS if kind == "Sum" else ("I1",) + REAL)
        axes = self.r.sample(range(len(v.shape)), self.r.randint(0, len(v.shape)))
        keep = self.r.random() < 0.5
        shape = np.sum(np.empty(v.shape), axis=tuple(axes), keepdims=keep).shape
        data = None
        if v.data is not None and v.dtype in INTS and kind == "Sum":
            data = np.sum(v.data, axis=tuple(axes), keepdims=keep, dtype=v.data.dtype)
        shown = [a - len(v.shape) if self.r.random() < 0.3 else a for a in axes]
        self.emit({"Reduce": {"kind": kind, "axes": shown, "keepdims": keep, "accum_dtype": None,
                              "out_dtype": None}}, [v], v.dtype, shape, data)

    def arg_max(self):
        v = self.some(("I1",) + REAL, lambda v: v.shape and 0 not in v.shape)
        k, keep = self.axis(len(v.shape)), self.r.random() < 0.5
        dtype = self.r.choice(("Si32", "Si64"))
        shape = list(v.shape)
        shape[k:] = ([1] if keep else []) + shape[k:][1:]
        data = np.argmax(v.data, k) if v.data is not None and v.dtype in INTS else None
        self.emit({"ArgMax": {"axis": k, "keepdims": keep, "output_dtype": dtype}}, [v], dtype,
                  shape, data)

    def top_k(self):
        v = self.some(("I1",) + REAL, lambda v: v.shape)
        k = self.axis(len(v.shape))
        shape = list(v.shape)
        shape[k] = self.r.randint(0, shape[k])
        self.emit_tuple({"TopK": {"k": shape[k], "axis": k, "largest": self.r.random() < 0.5,
                                  "indices_dtype": "Si32"}}, [v],
                        [(v.dtype, shape), ("Si32", shape)])

    def sort(self):
        v = self.some(("I1",) + REAL, lambda v: v.shape)
        k, descending = self.axis(len(v.shape)), self.r.random() < 0.5
        if self.r.random() < 0.5:
            dtype = self.r.choice(("Si32", "Si64"))
            self.emit({"Argsort": {"axis": k, "descending": descending, "indices_dtype": dtype}}, [v], dtype, v.shape)
            return
        more = [self.like(v, self.r.choice(ALL)) for _ in range(self.r.randint(0, 2))]
        op = {"Sort": {"axis": k, "descending": descending}}
        if more:
            self.emit_tuple(op, [v, *more], [(u.dtype, u.shape) for u in (v, *more)])
        else:
            self.emit(op, [v], v.dtype, v.shape)

    def cumulative(self):
        kind = self.r.choice(("Sum", "Prod", "Max", "Min", "MaxNan", "MinNan"))
        v = self.some(FLOATS if kind.endswith("Nan") else ("I1",) + REAL if kind in ("Max", "Min") else NUMBERS,
                      lambda v: v.shape)
        self.emit({"Cumulative": {"kind": kind, "axis": self.axis(len(v.shape)),
                                  "exclusive": self.r.random() < 0.5, "reverse": self.r.random() < 0.5}},
                  [v], v.dtype, v.shape)

    def dot_general(self):
        v = self.some(NUMBERS, lambda v: math.prod(v.shape) < 40)
        rank = len(v.shape)
        axes = self.r.sample(range(rank), self.r.randint(0, rank))
        cut = self.r.randint(0, len(axes))
        batch, contract = axes[:cut], axes[cut:]
        order = [("b", a) for a in batch] + [("c", a) for a in contract]
        order += [("f", None)] * (rank < 3)
        self.r.shuffle(order)
        w = self.constant(v.dtype, [2 if a is None else v.shape[a] for _, a in order])
        place = {a: k for k, (_, a) in enumerate(order) if a is not None}
        shape = ([v.shape[a] for a in batch] +
                 [d for a, d in enumerate(v.shape) if a not in axes] + [2] * (("f", None) in order))
        data = None
        if v.data is not None and w.data is not None and v.dtype in INTS:
            names = "abcdef"[:rank]
            right = "".join("z" if a is None else names[a] for _, a in order)
            free = [names[a] for a in range(rank) if a not in axes]
            out = "".join(names[a] for a in batch) + "".join(free) + "z" * ("z" in right)
            data = np.einsum(f"{names},{right}->{out}", v.data, w.data, dtype=v.data.dtype,
                             casting="unsafe")
        self.emit({"DotGeneral": {"batch_lhs": batch, "batch_rhs": [place[a] for a in batch],
                                  "contract_lhs": contract,
                                  "contract_rhs": [place[a] for a in contract],
                                  "accum_dtype": None, "out_dtype": None}}, [v, w], v.dtype, shape,
                  data)

    def take(self):
        v = self.some(fits=lambda v: v.shape and math.prod(v.shape) < 60)
        i = self.indices(self.shape(2), v.shape[0])
        if i:
            self.emit("Take", [v, i], v.dtype, i.shape + v.shape[1:],
                      v.data[i.data] if v.data is not None else None)

    def along(self):
        """A value, one of its axes, and positions along it."""
        v = self.some(fits=lambda v: v.shape)
        k = self.axis(len(v.shape))
        shape = list(v.shape)
        shape[k] = self.r.randint(0, 3)
        return v, k, self.indices(tuple(shape), v.shape[k])

    def gather(self):
        v, k, i = self.along()
        if i:
            self.emit({"Gather": {"axis": k}}, [v, i], v.dtype, i.shape,
                      np.take_along_axis(v.data, i.data.astype(np.int64), k)
                      if v.data is not None else None)

    def scatter_reduce(self):
        v, k, i = self.along()
        kinds = ["Replace"] + ["Add", "Mul"] * (v.dtype != "I1") + ["Max", "Min"] * (v.dtype in REAL)
        kinds += ["MaxNan", "MinNan"] * (v.dtype in FLOATS)
        if i:
            self.emit({"ScatterReduce": {"axis": k, "reduce": self.r.choice(kinds)}},
                      [v, i, self.constant(v.dtype, i.shape)], v.dtype, v.shape)

    def scatter_add(self):
        v = self.some(NUMBERS, lambda v: v.shape)
        n = self.r.randint(0, 3)
        i = self.indices((n,), v.shape[0])
        if i:
            self.emit({"ScatterAdd": {"update_window_dims": list(range(1, len(v.shape))),
                                      "inserted_window_dims": [0],
                                      "scatter_dims_to_operand_dims": [0],
                                      "index_vector_dim": self.r.choice([None, 1])}},
                      [v, i, self.constant(v.dtype, (n,) + v.shape[1:])], v.dtype, v.shape)

    def dynamic(self):
        v = self.some()
        sizes = [self.r.randint(0, d) for d in v.shape]
        starts = np.array([self.r.randint(-3, 5) for _ in sizes], np.int64)
        i = self.constant("Si64", (len(sizes),), starts)
        at = tuple(slice(b, b + n) for b, n in
                   ((min(max(int(s), 0), d - n), n) for s, d, n in zip(starts, v.shape, sizes)))
        if self.r.random() < 0.5:
            self.emit({"DynamicSlice": {"sizes": sizes}}, [v, i], v.dtype, sizes,
                      v.data[at] if v.data is not None else None)
            return
        u = self.constant(v.dtype, sizes)
        data = None
        if v.data is not None:
            data = v.data.copy()
            data[at] = u.data
        self.emit({"DynamicUpdateSlice": {"sizes": sizes}}, [v, u, i], v.dtype, v.shape, data)

    def segment_reduce(self):
        v = self.some(REAL, lambda v: v.shape)
        n = self.r.randint(1, 4)
        i = self.indices(v.shape[:1], n)
        self.emit({"SegmentReduce": {"kind": self.r.choice(("Sum", "Max")), "num_segments": n,
                                     "accum_dtype": None, "indices_are_sorted": False,
                                     "unique": False}}, [v, i], v.dtype, (n,) + v.shape[1:])

    def windows(self, shape, base):
        """(window, strides, padding, dilation, extents), or None when a window does not fit."""
        window, strides, dilation = ([self.r.choice([1, 1, 2]) for _ in shape] for _ in range(3))
        padding = [[self.r.randint(0, 2), self.r.randint(0, 1)] for _ in shape]
        out = []
        for n, b, w, s, (lo, hi), d in zip(shape, base, window, strides, padding, dilation):
            room = (max((n - 1) * b + 1, 0) if n else 0) + lo + hi - ((w - 1) * d + 1)
            if room < 0:
                return None
            out.append(room // s + 1)
        return window, strides, padding, dilation, out

    def reduce_window(self):
        v = self.some(REAL, lambda v: math.prod(v.shape) < 60)
        base = [self.r.choice([1, 1, 2]) for _ in v.shape]
        found = self.windows(v.shape, base)
        if found:
            window, strides, padding, dilation, out = found
            kinds = ("Sum", "Max", "Min") + ("MaxNan", "MinNan") * (v.dtype in FLOATS)
            self.emit({"ReduceWindow": {"window_dims": window, "strides": strides,
                                        "padding": padding, "base_dilation": base,
                                        "window_dilation": dilation,
                                        "reduce": self.r.choice(kinds),
                                        "accum_dtype": None}}, [v], v.dtype, out)

    def extract_patches(self):
        v = self.some(fits=lambda v: len(v.shape) == 3)
        found = v and self.windows(v.shape[1:-1], [1])
        if found:
            window, strides, padding, dilation, out = found
            self.emit({"ExtractPatches": {"window": window, "strides": strides,
                                          "dilation": dilation, "padding": padding,
                                          "pad_value": self.scalar(v.dtype)[0]}}, [v], v.dtype,
                      (v.shape[0], *out, math.prod(window) * v.shape[-1]))

    def convolution(self):
        v = self.some([d for d in ALL if d != "I1"], lambda v: len(v.shape) == 3 and math.prod(v.shape) > 0)
        if not v:
            return
        axes = self.r.choice([[0, 1, 2], self.r.sample(range(3), 3)])
        n, c, extent = (v.shape[a] for a in axes)
        base = self.r.choice([1, 1, 2, 3])
        found = self.windows([extent], [base])
        if not found:
            return
        (window,), strides, padding, dilation, (places,) = found
        groups = self.r.choice([g for g in (1, 1, 2, 3) if c % g == 0])
        images = self.r.choice([g for g in (1, 1, 2) if n % g == 0 and groups == 1] or [1])
        co = groups * images * self.r.randint(1, 2)
        w = self.constant(v.dtype, (co, c // groups, window))
        order = self.r.choice([None, self.r.sample(range(3), 3)])
        out = [0] * 3
        for a, e in zip(order or range(3), (n // images, co, places)):
            out[a] = e
        self.emit({"Convolution": {"strides": strides, "padding": padding, "base_dilation": [base],
                                   "dilation": dilation, "groups": None if groups == 1 else groups,
                                   "batch_groups": None if images == 1 else images,
                                   "lhs_axes": None if axes == [0, 1, 2] else axes, "rhs_axes": None,
                                   "out_axes": order, "accum_dtype": None, "out_dtype": None}},
                  [v, w], v.dtype, tuple(out))

    def layer_norm(self):
        v = self.some(FLOATS, lambda v: v.shape)
        k = self.axis(len(v.shape))
        g, b = (self.constant(v.dtype, (v.shape[k],)) for _ in range(2))
        self.emit({"LayerNorm": {"epsilon": 0.5, "feature_axis": k}}, [v, g, b], v.dtype, v.shape)

    def quantize(self):
        v = self.some(("F32", "F64"))
        q = self.r.choice(("Si4", "Ui4", "Si8", "Ui8", "Si16", "Si32"))
        scale = Value({"Literal": {"spec": spec(v.dtype, ()), "bytes": list(
            np.asarray(0.25, NUMPY[v.dtype]).tobytes())}}, v.dtype, ())
        made = self.emit({"Quantize": {"output_dtype": q, "axis": None}}, [v, scale], q, v.shape)
        if self.r.random() < 0.5:
            self.emit({"Dequantize": {"axis": None, "output_dtype": v.dtype}}, [made, scale],
                      v.dtype, v.shape)
        else:
            self.emit({"Requantize": {"output_dtype": "Si16", "axis": None}},
                      [made, scale, scale], "Si16", v.shape)

    # ---- regions

    def results(self, op, operands, types):
        """One result as a tensor or a tuple of one, else a tuple."""
        if len(types) == 1 and self.r.random() < 0.7:
            self.emit(op, operands, *types[0])
        else:
            self.emit_tuple(op, operands, types)

    def arguments(self, most):
        found = [v for v in self.values if math.prod(v.shape) < 60]
        return self.r.sample(found, min(len(found), self.r.randint(0, most)))

    def cond(self):
        arguments = self.arguments(3)
        types = [(v.dtype, v.shape) for v in arguments]
        yes, no = Scope(self.program, types), Scope(self.program, types)
        yes.grow(self.r.randint(0, 3))
        no.grow(self.r.randint(0, 2))
        out = [self.r.choice(yes.values) for _ in range(self.r.randint(1, 2))] if yes.values else []
        if not out:
            out = [yes.constant("F32", (2,))]
        wanted = [(v.dtype, v.shape) for v in out]
        regions = [yes.close(out), no.close([no.like(Value(None, *t)) for t in wanted])]
        p = self.some(("I1",), lambda v: v.shape == ()) or self.constant("I1", ())
        self.results({"Cond": {"true_region": regions[0], "false_region": regions[1]}},
                     [p] + arguments, wanted)

    def while_(self):
        carried = [self.constant("Si32", ())] + self.arguments(2)
        carried[0] = self.constant("Si32", (), np.asarray(self.r.randint(0, 3), np.int32))
        types = [(v.dtype, v.shape) for v in carried]
        test, body = Scope(self.program, types), Scope(self.program, types)
        limit = test.constant("Si32", (), np.asarray(4, np.int32))
        less = test.emit({"Compare": {"op": "Less"}}, [test.values[0], limit], "I1", ())
        regions = [test.close([less] + test.values[:len(types)])]
        one = body.constant("Si32", (), np.asarray(1, np.int32))
        out = [body.emit({"ElementwiseBinary": "Add"}, [body.values[0], one], "Si32", ())]
        for v in body.values[1:len(types)]:
            if v.dtype in NUMBERS and self.r.random() < 0.6:
                v = body.emit({"ElementwiseBinary": "Sub"}, [v, body.like(v)], v.dtype, v.shape)
            out.append(v)
        regions.append(body.close(out))
        self.results({"While": {"cond_region": regions[0], "body_region": regions[1]}}, carried,
                     types)

    def scan(self):
        rows = self.some(fits=lambda v: v.shape and math.prod(v.shape) < 60)
        carried = self.arguments(2)
        types = [(v.dtype, v.shape) for v in carried]
        body = Scope(self.program, types + [(rows.dtype, rows.shape[1:])])
        body.grow(self.r.randint(0, 3))
        out = [body.like(Value(None, *t)) for t in types]
        each = [self.r.choice(body.values) for _ in range(self.r.randint(0 if types else 1, 2))]
        region = body.close(out + each)
        types += [(v.dtype, rows.shape[:1] + v.shape) for v in each]
        self.results({"Scan": {"body_region": region, "carry_count": len(carried),
                               "scan_output_count": len(each)}}, carried + [rows], types)

    def close(self, results):
        """The region's id. Its last instructions define its results."""
        regions = self.program.regions
        for k, v in enumerate(results):
            shape = [{"Explicit": {"Static": d}} for d in v.shape]
            same = {"Reshape": {"new_shape": shape}} if (k + len(regions)) % 4 else "StopGradient"
            self.emit(same, [v], v.dtype, v.shape)
        regions.append({"id": len(regions), "parameters": self.parameters, "body": self.body,
                        "results": [v.type for v in results]})
        return len(regions) - 1

    def grow(self, n):
        kinds = [self.unary, self.binary, self.binary, self.clamp, self.compare, self.select,
                 self.cast, self.wrap, self.bitcast, self.stop_gradient, self.reshape, self.transpose, self.broadcast,
                 self.slice, self.concat, self.pad, self.tile, self.iota, self.rng, self.reduce,
                 self.reduce, self.arg_max, self.top_k, self.cumulative, self.sort, self.dot_general,
                 self.take, self.gather,
                 self.scatter_reduce, self.scatter_add, self.dynamic, self.segment_reduce,
                 self.reduce_window, self.extract_patches, self.convolution, self.layer_norm, self.quantize]
        if self.program.depth < 2:
            kinds += [self.cond, self.while_, self.scan]
        for _ in range(n):
            self.program.depth += 1
            self.r.choice(kinds)()
            self.program.depth -= 1


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.regions, self.depth = [], 0
        self.inputs = []
        for _ in range(self.r.randint(0, 3)):
            dtype = self.r.choice(ALL)
            shape = tuple(self.r.choice([0, 1, 2, 3]) for _ in range(self.r.randint(0, 3)))
            self.inputs.append((dtype, shape, self.random_data(dtype, shape)))
        main = self.main = Scope(self, [(d, s) for d, s, _ in self.inputs])
        for v, (dtype, _, data) in zip(main.values, self.inputs):
            v.data = data if dtype in NUMPY else None
        main.grow(self.r.randint(1, 14))
        whole = [v for v in main.values if "Value" in v.operand]
        self.outputs = [self.r.choice(whole) for _ in range(self.r.randint(1, 4))] if whole else []
        self.json = {
            "spec_version": "ptir.v0.4", "entry": "main", "functions": [{
                "name": "main", "parameters": [tensor(d, s) for d, s, _ in self.inputs],
                "parameter_ids": list(range(len(self.inputs))),
                "results": [v.type for v in self.outputs], "body": main.body, "hints": [],
                "result_ids": [v.operand["Value"] for v in self.outputs]}],
            "regions": self.regions}

    def random_data(self, dtype, shape):
        n = math.prod(shape)
        pick = self.r.choice
        if dtype in NUMPY and NUMPY[dtype] in (np.float16, np.float32, np.float64):
            flat = [pick([0.0, -0.0, 1.0, -1.5, math.inf, math.nan, self.r.uniform(-3, 3),
                          self.r.uniform(-3, 3), self.r.uniform(-3, 3)]) for _ in range(n)]
        elif dtype in COMPLEX:
            flat = [complex(pick([0, 1, -1.5, 2]), pick([0, -1, 0.5])) for _ in range(n)]
        elif dtype == "I1":
            flat = [self.r.random() < 0.5 for _ in range(n)]
        elif dtype in ("Si4", "Ui4"):
            flat = [self.r.randint(-8, 7) if dtype == "Si4" else self.r.randint(0, 15)
                    for _ in range(n)]
        else:
            limits = np.iinfo(STORAGE[dtype])
            flat = [pick([limits.min, limits.max, 0, 1, 2, 3, 5, self.r.randint(limits.min,
                                                                               limits.max)])
                    for _ in range(n)]
        return np.array(flat, STORAGE[dtype]).reshape(shape)


# ---- the binary form ---------------------------------------------------------------------------

UINTS, UINT, INT, OPTION = "n*", "n", "i", "?"  # the kinds of fields
FIELDS = {
    "DotGeneral": {"batch_lhs": UINTS, "batch_rhs": UINTS, "contract_lhs": UINTS,
                   "contract_rhs": UINTS, "accum_dtype": "?dtype", "out_dtype": "?dtype"},
    "Reduce": {"kind": "Sum Max Min MaxNan MinNan", "axes": UINTS, "keepdims": "bool", "accum_dtype": "?dtype",
               "out_dtype": "?dtype"},
    "ArgMax": {"axis": INT, "keepdims": "bool", "output_dtype": "dtype"},
    "Compare": {"op": "Less LessEqual Equal GreaterEqual Greater NotEqual"},
    "Select": {}, "Cast": {"dtype": "dtype"}, "StopGradient": {},
    "Reshape": {"new_shape": "new_shape"}, "Transpose": {"perm": UINTS},
    "BroadcastTo": {"result_shape": "shape"}, "Slice": {"starts": UINTS, "sizes": UINTS},
    "Concat": {"axis": INT},
    "Pad": {"low": UINTS, "high": UINTS, "interior": UINTS, "pad_value": "scalar"},
    "Tile": {"repeats": UINTS}, "Iota": {"shape": "shape", "dtype": "dtype", "axis": UINT},
    "Take": {}, "Gather": {"axis": INT},
    "ScatterAdd": {"update_window_dims": UINTS, "inserted_window_dims": UINTS,
                   "scatter_dims_to_operand_dims": UINTS, "index_vector_dim": "?n"},
    "ScatterReduce": {"axis": INT, "reduce": "Add Max Min Replace Mul MaxNan MinNan"},
    "DynamicSlice": {"sizes": UINTS}, "DynamicUpdateSlice": {"sizes": UINTS},
    "Cond": {"true_region": UINT, "false_region": UINT},
    "While": {"cond_region": UINT, "body_region": UINT},
    "Scan": {"body_region": UINT, "carry_count": UINT, "scan_output_count": UINT},
    "ExtractPatches": {"window": UINTS, "strides": UINTS, "dilation": UINTS, "padding": "pairs",
                       "pad_value": "scalar"},
    "ReduceWindow": {"window_dims": UINTS, "strides": UINTS, "padding": "pairs",
                     "base_dilation": UINTS, "window_dilation": UINTS, "reduce": "Sum Max Min - - MaxNan MinNan",
                     "accum_dtype": "?dtype"},
    "RngUniform": {"shape": "shape", "dtype": "dtype"},
    "RngNormal": {"shape": "shape", "dtype": "dtype"},
    "TopK": {"k": UINT, "axis": INT, "largest": "bool", "indices_dtype": "dtype"},
    "SegmentReduce": {"kind": "Sum Max", "num_segments": UINT, "accum_dtype": "?dtype",
                      "indices_are_sorted": "bool", "unique": "bool"},
    "Quantize": {"output_dtype": "dtype", "axis": "?n"},
    "Dequantize": {"axis": "?n", "output_dtype": "?dtype"},
    "Requantize": {"output_dtype": "dtype", "axis": "?n"}, "CustomCall": {},
    "LayerNorm": {"epsilon": "f64", "feature_axis": INT}, "Clamp": {},
    "Cumulative": {"kind": "Sum Prod Max Min MaxNan MinNan", "axis": INT, "exclusive": "bool", "reverse": "bool"},
    "Convolution": {"strides": UINTS, "padding": "pairs", "base_dilation": UINTS, "dilation": UINTS,
                    "groups": "?n", "batch_groups": "?n", "lhs_axes": "?n*", "rhs_axes": "?n*",
                    "out_axes": "?n*", "accum_dtype": "?dtype", "out_dtype": "?dtype"},
    "Sort": {"axis": INT, "descending": "bool"},
    "Argsort": {"axis": INT, "descending": "bool", "indices_dtype": "dtype"},
    "Wrap": {"dtype": "dtype"}, "Bitcast": {"dtype": "dtype"}}
OPERATIONS = ["Constant", "ElementwiseUnary", "ElementwiseBinary", *FIELDS]


def u32(n):
    return struct.pack("<I", n)


def u64(n):
    return struct.pack("<Q", n)


def many(items, f):
    return u64(len(items)) + b"".join(map(f, items))


def string(text):
    return u64(len(text.encode())) + text.encode()


def encode_dtype(name):
    return u32(ALL.index(name))


def encode_dim(d):
    return u32(0) + u64(d["Static"]) if "Static" in d else u32(1) + string(d["Dynamic"])


def encode_shape(s):
    return many(s["dims"], encode_dim)


def encode_type(t):
    if "Tuple" in t:
        return u32(1) + many(t["Tuple"], encode_type)
    return u32(0) + encode_dtype(t["Tensor"]["dtype"]) + encode_shape(t["Tensor"]["shape"])


def encode_literal(x):
    return (encode_dtype(x["spec"]["dtype"]) + encode_shape(x["spec"]["shape"]) +
            u64(len(x["bytes"])) + bytes(x["bytes"]))


def encode_scalar(x):
    (kind, v), = x.items()
    number = {"I1": "?", "Signed": "q", "Unsigned": "Q", "Float": "d"}
    head = u32(["I1", "Signed", "Unsigned", "Float", "Complex"].index(kind))
    if kind == "Complex":
        return head + struct.pack("<dd", v["re"], v["im"])
    return head + struct.pack("<" + number[kind], v)


def encode_field(kind, v):
    if kind[0] == OPTION:
        return b"\0" if v is None else b"\1" + encode_field(kind[1:], v)
    plain = {UINTS: lambda: many(v, u64), UINT: lambda: u64(v), "bool": lambda: bytes([v]),
             INT: lambda: struct.pack("<q", v), "f64": lambda: struct.pack("<d", v),
             "dtype": lambda: encode_dtype(v), "shape": lambda: encode_shape(v),
             "scalar": lambda: encode_scalar(v),
             "pairs": lambda: many(v, lambda p: u64(p[0]) + u64(p[1])),
             "new_shape": lambda: many(v, lambda d: u32(1) if d == "Infer"
                                       else u32(0) + encode_dim(d["Explicit"]))}
    return plain[kind]() if kind in plain else u32(kind.split().index(v))


def encode_op(op):
    name, payload = (op, {}) if isinstance(op, str) else next(iter(op.items()))
    head = u32(OPERATIONS.index(name))
    if name == "Constant":
        return head + encode_literal(payload)
    if name.startswith("Elementwise"):
        return head + u32(vocabulary.ptir_numbers(name)[payload])
    return head + b"".join(encode_field(kind, payload[k]) for k, kind in FIELDS[name].items())


def encode_operand(o):
    if "Value" in o:
        return u32(0) + u32(o["Value"])
    if "Literal" in o:
        return u32(2) + encode_literal(o["Literal"])
    return u32(1) + u32(o["TupleElement"]["tuple"]) + u64(o["TupleElement"]["index"])


def encode_inst(i):
    return (u32(i["id"]) + encode_op(i["op"]) + many(i["operands"], encode_operand) +
            encode_type(i["output"]))


def encode_function(f):
    return (string(f["name"]) + many(f["parameters"], encode_type) +
            many(f["parameter_ids"], u32) + many(f["results"], encode_type) +
            many(f["body"], encode_inst) + u64(len(f["hints"])) + many(f["result_ids"], u32))


def encode_program(p):
    """Of a program as the JSON writer prints it, without hints."""
    return (string(p["spec_version"]) + string(p["entry"]) +
            many(p["functions"], encode_function) +
            many(p["regions"], lambda r: u64(r["id"]) + many(r["parameters"], encode_type) +
                 many(r["body"], encode_inst) + many(r["results"], encode_type)))


# ---- files --------------------------------------------------------------------------------------

def write_input(path, dtype, data):
    np.save(path, np.ascontiguousarray(data, STORAGE[dtype]).reshape(data.shape))
