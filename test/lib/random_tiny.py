"""Random Tiny IR programs with what they compute.

Numbers are small and whole, so that sums, products and narrow floats are exact and NumPy gives the
very bits.
"""
import random

import numpy as np

DTYPES = {"fp32": np.float32, "fp16": np.float16, "i32": np.int32, "bool": np.bool_}
MOST = 1 << 10  # of any number, so that fp16 stays exact


class Value:
    def __init__(self, name, dtype, data):
        self.name, self.dtype, self.data = name, dtype, data

    @property
    def shape(self):
        return list(self.data.shape)


class Program:
    """`json` is the program, `inputs` and `values` what goes in and comes out by name."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.nodes, self.values, self.inputs, self.made = [], [], {}, 0
        for i in range(self.r.randint(1, 3)):
            self.input(i)
        for _ in range(self.r.randint(2, 12)):
            self.step()
        self.outputs = self.values[-2:]
        self.json = {"uops": self.nodes, "outputs": [v.name for v in self.outputs]}
        if self.r.random() < 0.3:
            self.r.shuffle(self.nodes)

    # ---- pieces

    def input(self, i):
        r = self.r
        dtype = r.choice(["fp32", "fp32", "fp16", "i32", "bool"])
        shape = [r.choice([1, 2, 3, 4, 5] + [0] * (r.random() < 0.1)) for _ in range(r.randint(0, 4))]
        rng = np.random.default_rng(r.randrange(1 << 30))
        data = rng.integers(0, 2, shape) if dtype == "bool" else rng.integers(-8, 9, shape)
        data = np.asarray(data).astype(DTYPES[dtype])
        self.inputs[f"in{i}"] = data
        self.add({"uop": "INPUT", "arg": {"tensor_id": f"in{i}", "dtype": dtype, "shape": shape}},
                 dtype, data)

    def add(self, node, dtype, data):
        data = np.asarray(data)
        limit = MOST if dtype == "fp16" else MOST * MOST
        if data.size > 4000 or (dtype != "bool" and data.size and np.abs(data.astype(float)).max() > limit):
            return None
        name = f"v{self.made}"
        self.made += 1
        self.nodes.append({"id": name, **node})
        self.values.append(Value(name, dtype, np.ascontiguousarray(data).reshape(data.shape)))
        return self.values[-1]

    def pick(self, *dtypes):
        fitting = [v for v in self.values if not dtypes or v.dtype in dtypes]
        return self.r.choice(fitting[-6:]) if fitting else None

    def step(self):
        self.r.choice([self.reshape, self.permute, self.expand, self.pad, self.shrink, self.flip,
                       self.view, self.pool, self.unary, self.binary, self.binary, self.where,
                       self.cast, self.reduce, self.reduce, self.strided])()

    def moved(self, x, uop, data, **arg):
        return self.add({"uop": uop, "src": [x.name], "arg": arg}, x.dtype, data)

    # ---- movement

    def reshape(self):
        x = self.pick()
        shape = list(x.shape)
        for _ in range(self.r.randint(1, 3)):
            at = self.r.randint(0, len(shape))
            kind = self.r.randrange(3)
            if kind == 0:
                shape.insert(at, 1)
            elif kind == 1 and len(shape) > 1 and at < len(shape) - 1:
                shape[at:at + 2] = [shape[at] * shape[at + 1]]
            elif at < len(shape) and shape[at] % 2 == 0 and shape[at]:
                shape[at:at + 1] = [2, shape[at] // 2]
        written = list(shape)
        if shape and 0 not in shape and self.r.random() < 0.3:
            written[self.r.randrange(len(shape))] = -1
        self.moved(x, "RESHAPE", x.data.reshape(shape), result_shape=written)

    def permute(self):
        x = self.pick()
        perm = self.r.sample(range(len(x.shape)), len(x.shape))
        key = self.r.choice(["perm", "perm", "dims"])
        self.moved(x, "PERMUTE", x.data.transpose(perm), **{key: perm})

    def expand(self):
        x = self.pick()
        shape = [self.r.randint(1, 3) if d == 1 else d for d in x.shape]
        more = [self.r.randint(1, 3) for _ in range(self.r.randint(0, 2))]
        arg = {"result_shape": more + shape}
        kind = self.r.randrange(3)
        if kind == 0 and not more:
            arg["broadcast_dimensions"] = [i for i, (a, b) in enumerate(zip(x.shape, shape)) if a == b]
            self.moved(x, "EXPAND", np.broadcast_to(x.data, shape), **arg)
        elif kind == 1 and more:
            places = sorted(self.r.sample(range(len(more) + len(shape)), len(shape)))
            wide = [self.r.randint(1, 3)] * (len(more) + len(shape))
            spread = [1] * len(wide)
            for k, at in enumerate(places):
                wide[at], spread[at] = shape[k], x.shape[k]
            self.moved(x, "EXPAND", np.broadcast_to(x.data.reshape(spread), wide),
                       result_shape=wide, broadcast_dimensions=places)
        else:
            self.moved(x, "EXPAND", np.broadcast_to(x.data, more + shape), **arg)

    def pad(self):
        x = self.pick()
        pads = [[self.r.randint(0, 2), self.r.randint(0, 2)] for _ in x.shape]
        value = self.r.choice([0, 0, 1, 3]) if x.dtype != "bool" else self.r.choice([False, True])
        data = np.pad(x.data, pads, constant_values=value) if pads else x.data
        flat = self.r.random() < 0.2 and pads
        self.moved(x, "PAD", data, pad=[n for p in pads for n in p] if flat else pads, value=value)

    def shrink(self):
        x = self.pick()
        lo = [self.r.randint(0, d) for d in x.shape]
        hi = [self.r.randint(a, d) for a, d in zip(lo, x.shape)]
        step = [self.r.randint(1, 3) for _ in x.shape]
        at = tuple(slice(a, b, s) for a, b, s in zip(lo, hi, step))
        self.moved(x, "SHRINK", x.data[at], lo=lo, hi=hi, step=step)

    def flip(self):
        x = self.pick()
        axes = self.r.sample(range(len(x.shape)), self.r.randint(0, len(x.shape)))
        written = [a - len(x.shape) if self.r.random() < 0.3 else a for a in axes]
        self.moved(x, "FLIP", np.flip(x.data, axes) if axes else x.data, axes=written)

    def view(self):
        """Expressions whose values happen to fit; NumPy looks each element up."""
        x = self.pick()
        if 0 in x.shape:
            return
        shape = [self.r.randint(1, 4) for _ in range(self.r.randint(1, 3))]
        axes = [f"i{k}" for k in range(len(shape))]
        spots = dict(zip(axes, np.meshgrid(*[np.arange(d) for d in shape], indexing="ij")))
        maps, index = [], []
        for d in x.shape:
            for _ in range(20):
                a, b = self.r.choice(axes), self.r.choice(axes)
                text = self.r.choice([a, f"{a} // 2", f"{a} % 2", f"2*{a}", f"{a} + {b}", f"{d - 1} - {a}",
                                      f"floordiv({a} + {b}, 2)", f"({a} + 1) % {d}", "0", str(d - 1)])
                got = eval(text, {"floordiv": lambda p, q: p // q}, spots) + np.zeros(shape, int)
                if got.min() >= 0 and got.max() < d:
                    break
            else:
                text, got = "0", np.zeros(shape, int)
            maps.append(text)
            index.append(got)
        form = self.r.randrange(3)
        index_map = (maps if form == 0 else {str(k): e for k, e in enumerate(maps)} if form == 1 and maps
                     else {"out": axes, "in": maps})
        data = x.data[tuple(index)] if maps else np.broadcast_to(x.data, shape)
        self.moved(x, "VIEW", data, result_shape=shape, index_map=index_map)

    def strided(self):
        x = self.pick()
        if x.data.size < 2:
            return
        shape = [self.r.randint(1, 3) for _ in range(self.r.randint(1, 3))]
        strides = [self.r.randint(0, 3) for _ in shape]
        reach = sum((d - 1) * s for d, s in zip(shape, strides))
        if reach >= x.data.size:
            return
        offset = self.r.randint(0, x.data.size - 1 - reach)
        at = offset + sum(np.arange(d).reshape([-1] + [1] * (len(shape) - 1 - k)) * s
                          for k, (d, s) in enumerate(zip(shape, strides)))
        self.moved(x, "VIEW", np.broadcast_to(x.data.reshape(-1)[at], shape), result_shape=shape,
                   index_map={"strides": strides, "offset": offset})

    def pool(self):
        x = self.pick()
        k = self.r.randint(1, 2)
        if len(x.shape) < k or 0 in x.shape or len(x.shape) + k > 6:
            return
        kernel, stride, dilation = ([self.r.randint(1, 3) for _ in range(k)] for _ in range(3))
        sizes = x.shape[len(x.shape) - k:]
        if any(d * (w - 1) + 1 > n for n, w, d in zip(sizes, kernel, dilation)):
            return
        windows = np.lib.stride_tricks.sliding_window_view(
            x.data, [d * (w - 1) + 1 for w, d in zip(kernel, dilation)],
            axis=tuple(range(len(x.shape) - k, len(x.shape))))
        at = ((slice(None),) * (len(x.shape) - k) + tuple(slice(None, None, s) for s in stride)
              + tuple(slice(None, None, d) for d in dilation))
        self.moved(x, "POOL", windows[at], kernel=kernel, stride=stride, dilation=dilation)

    # ---- elementwise

    def unary(self):
        x = self.pick("fp32", "fp16", "i32")
        if x:
            uop = self.r.choice(["NEG", "RELU"])
            zero = DTYPES[x.dtype](0)
            data = -x.data if uop == "NEG" else np.where(x.data > 0, x.data, zero)
            self.add({"uop": uop, "src": [x.name]}, x.dtype, data)

    def partner(self, x):
        """A source that goes with X: its name or an immediate, and the data."""
        fitting = [v for v in self.values if v.dtype == x.dtype and len(v.shape) == len(x.shape)
                   and all(a == b or 1 in (a, b) for a, b in zip(v.shape, x.shape))]
        if self.r.random() < 0.2:
            value = bool(self.r.randrange(2)) if x.dtype == "bool" else self.r.randint(-4, 4)
            return value, np.asarray(value, DTYPES[x.dtype])
        other = self.r.choice(fitting)
        return other.name, other.data

    def binary(self):
        x = self.pick()
        other, data = self.partner(x)
        table = {"MAX": np.maximum, "MIN": np.minimum, "CMPLT": np.less, "CMPEQ": np.equal,
                 "CMPNE": np.not_equal}
        if x.dtype == "bool":
            table.update(AND=np.logical_and, OR=np.logical_or, XOR=np.logical_xor)
        else:
            table.update(ADD=np.add, SUB=np.subtract, MUL=np.multiply)
        uop = self.r.choice(sorted(table))
        result = table[uop](x.data, data)
        if uop in ("MAX", "MIN") and x.dtype != "bool":
            result = result + DTYPES[x.dtype](0)  # of two zeros the sign is settled below
            both = (x.data == 0) & (data == 0)
            if both.any() and x.dtype != "i32":
                return
        self.add({"uop": uop, "src": [x.name, other]}, "bool" if uop.startswith("CMP") else x.dtype,
                 result)

    def where(self):
        p = self.pick("bool")
        if not p:
            return
        fitting = [v for v in self.values if len(v.shape) == len(p.shape)
                   and all(a == b or 1 in (a, b) for a, b in zip(v.shape, p.shape))]
        x = self.r.choice(fitting)
        other, data = self.partner(x)
        try:
            result = np.where(p.data, x.data, data).astype(DTYPES[x.dtype])
        except ValueError:
            return
        self.add({"uop": "WHERE", "src": [p.name, x.name, other]}, x.dtype, result)

    def cast(self):
        x = self.pick()
        to = self.r.choice(sorted(DTYPES))
        data = x.data != 0 if to == "bool" else x.data.astype(DTYPES[to])
        self.add({"uop": "CAST", "src": [x.name], "arg": {"to": to}}, to, data)

    def reduce(self):
        x = self.pick()
        axes = self.r.sample(range(len(x.shape)), self.r.randint(0, len(x.shape)))
        op = self.r.choice(["MAX", "MIN"] if x.dtype == "bool" else ["SUM", "SUM", "MAX", "MIN"])
        if op != "SUM" and (any(x.shape[a] == 0 for a in axes) or (x.data == 0).any()):
            return
        dtype = "fp32" if x.dtype == "fp16" else x.dtype
        data = x.data.astype(DTYPES[dtype])
        f = {"SUM": np.sum, "MAX": np.max, "MIN": np.min}[op]
        written = [a - len(x.shape) if self.r.random() < 0.3 else a for a in axes]
        result = f(data, axis=tuple(axes)) if axes else data
        if op == "SUM" and dtype == "fp32":
            result = np.where(result == 0, np.float32(0), result)
            if (data == 0).any() and np.signbit(data[data == 0]).any():
                return  # sums of negative zeros
        self.add({"uop": "REDUCE", "src": [x.name], "arg": {"op": op, "axes": written, "dtype": dtype}},
                 dtype, np.asarray(result, DTYPES[dtype]))
