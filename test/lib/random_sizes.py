"""Random programs with symbolic sizes, as the text of PTIR."""
from lib import vocabulary

UNARY = vocabulary.float_functions(1)
BINARY = ["add", "sub", "mul", "maximum", "minimum"]
KINDS = ["f32"] * 6 + ["f64", "f16", "bf16", "si32", "si64", "si8", "ui8"]
FLOATS = ("f32", "f64", "f16", "bf16")


def is_open(extent):
    return isinstance(extent, str)


class Program:
    """Values are names with element types and shapes: tuples of numbers and names of SYMBOLS."""

    def __init__(self, rng, symbols=("B",)):
        self.rng, self.symbols = rng, symbols
        self.lines, self.values, self.inputs, self.regions = [], [], [], []
        self.theme = rng.choice(KINDS)
        for _ in range(rng.randint(1, 3)):
            self.add_input(self.theme, self.shape())
        for _ in range(rng.randint(2, 9)):
            self.add_some()

    def extent(self):
        return self.rng.choice([1, 2, 5, 7, 16, 33, 40, 100])

    def shape(self):
        rng = self.rng
        shape = [self.extent() for _ in range(rng.randint(0, 2))]
        for symbol in self.symbols[:1] if rng.random() < 0.5 else self.symbols:
            shape.insert(rng.randint(0, len(shape)) if rng.random() < 0.4 else 0, symbol)
        return tuple(shape)

    @staticmethod
    def type_of(kind, shape):
        dims = "x".join(f"?{d}" if is_open(d) else str(d) for d in shape)
        return f"tensor<{kind}, {dims}>" if dims else f"tensor<{kind}>"

    @staticmethod
    def listed(shape):
        return "[" + ", ".join(f"?{d}" if is_open(d) else str(d) for d in shape) + "]"

    def add_input(self, kind, shape):
        name = f"%x{len(self.inputs)}"
        self.inputs.append(f"{name}: {self.type_of(kind, shape)}")
        self.values.append((name, kind, shape))
        return name

    def put(self, text, kind, shape, results=1):
        name = f"%v{len(self.lines)}"
        one = self.type_of(kind, shape)
        self.lines.append(f"  {name} = {text} -> " + (one if results == 1 else f"({', '.join([one] * results)})"))
        if results == 1:
            self.values.append((name, kind, shape))
        return name

    def pick(self, kinds=KINDS):
        found = [v for v in self.values if v[1] in kinds][-4:]
        if found:
            return self.rng.choice(found)
        kind, shape = self.rng.choice(kinds), self.shape()
        return self.add_input(kind, shape), kind, shape

    def like(self, kind, shape):
        return self.rng.choice([v for v, k, s in self.values if s == shape and k == kind]
                               or [self.add_input(kind, shape)])

    def broadcast(self, x, kind, shape):
        return self.put(f"broadcast_to({x}) result_shape{self.listed(shape)}", kind, shape)

    # ---- steps: each adds an instruction or a few, or nothing

    def unary(self):
        x, kind, shape = self.pick(FLOATS)
        self.put(f"{self.rng.choice(UNARY)}({x})", kind, shape)

    def binary(self):
        x, kind, shape = self.pick()
        self.put(f"{self.rng.choice(BINARY)}({x}, {self.like(kind, shape)})", kind, shape)

    def reduce(self):
        x, kind, shape = self.pick()
        if shape:
            axis = self.rng.randrange(len(shape))
            one = shape[:axis] + (1,) + shape[axis + 1:]
            r = self.put(f"reduce_{self.rng.choice(['sum', 'max', 'min'])}({x}) axes[{axis}] keepdims[true]", kind, one)
            if self.rng.random() < 0.5:
                self.put(f"sub({x}, {self.broadcast(r, kind, shape)})", kind, shape)

    def product(self):
        x, kind, shape = self.pick()
        if shape:
            axis = self.rng.randrange(len(shape))
            width = self.extent()
            w = self.add_input(kind, (shape[axis], width))
            self.put(f"dot_general({x}, {w}) contract_lhs[{axis}] contract_rhs[0]", kind,
                     shape[:axis] + shape[axis + 1:] + (width,))

    def stored_product(self):
        """By weights that the program has, as numbers of its type or of 8 bits that a scale is for."""
        x, kind, shape = self.pick()
        known = [a for a, d in enumerate(shape) if not is_open(d)]
        if not known:
            return
        axis, width = self.rng.choice(known), self.extent()
        of_bytes = kind in FLOATS and self.rng.random() < 0.5
        numbers = ", ".join(str(self.rng.randint(0 if kind == "ui8" else -9, 9)) for _ in range(shape[axis] * width))
        w = f"%v{len(self.lines)}"
        dims = (shape[axis], width)
        self.lines.append(f"  {w} = constant value[{numbers}] -> {self.type_of('si8' if of_bytes else kind, dims)}")
        if of_bytes:
            scale = self.add_input(kind, (1, width))
            w = self.put(f"mul({self.put(f'cast({w})', kind, dims)}, {self.broadcast(scale, kind, dims)})", kind, dims)
        self.put(f"dot_general({x}, {w}) contract_lhs[{axis}] contract_rhs[0]", kind, shape[:axis] + shape[axis + 1:] + (width,))

    def wide_product(self):
        """Of short numbers, summed in wider ones."""
        x, kind, shape = self.pick(("si8", "ui8", "f16", "bf16"))
        if shape:
            axis, width, sum_kind = self.rng.randrange(len(shape)), self.extent(), "f32" if kind in FLOATS else "si32"
            w = self.add_input(kind, (shape[axis], width))
            self.put(f"dot_general({x}, {w}) contract_lhs[{axis}] contract_rhs[0] accum_dtype[{sum_kind}] out_dtype[{sum_kind}]",
                     sum_kind, shape[:axis] + shape[axis + 1:] + (width,))

    def moved_product(self):
        """Of an operand that is moved where it is loaded."""
        x, kind, shape = self.pick()
        if not shape or len(shape) > 2:
            return
        axis = self.rng.randrange(len(shape))
        moved = self.like(kind, shape)
        step = self.rng.choice(["join", "reverse", "turn", "cast"])
        if step == "join":
            other = [a for a in range(len(shape)) if not is_open(shape[a])]
            if other:
                at = self.rng.choice(other)
                wide = tuple(2 * d if a == at else d for a, d in enumerate(shape))
                moved = self.put(f"concat({x}, {moved}) axis[{at}]", kind, wide)
                shape = wide
        elif step == "turn" and len(shape) == 2:
            shape = shape[::-1]
            moved = self.put(f"transpose({x}) perm[1, 0]", kind, shape)
        elif step == "cast":
            moved = self.put(f"cast({self.put(f'cast({x})', 'bf16', shape)})", kind, shape)
        w = self.add_input(kind, (shape[axis], self.extent()))
        self.put(f"dot_general({moved}, {w}) contract_lhs[{axis}] contract_rhs[0]", kind,
                 shape[:axis] + shape[axis + 1:] + (int(self.inputs[-1].split("x")[-1].rstrip(">")),))

    def transpose(self):
        x, kind, shape = self.pick()
        order = self.rng.sample(range(len(shape)), len(shape))
        self.put(f"transpose({x}) perm{order}", kind, tuple(shape[i] for i in order))

    def bias(self):
        x, kind, shape = self.pick()
        if shape:
            axis = self.rng.randrange(len(shape))
            b = self.add_input(kind, tuple(d if i == axis else 1 for i, d in enumerate(shape)))
            self.put(f"add({x}, {self.broadcast(b, kind, shape)})", kind, shape)

    def slice(self):
        x, kind, shape = self.pick()
        if shape and not is_open(shape[-1]) and shape[-1] != 1:
            size = self.rng.randint(1, shape[-1] - 1)
            start = self.rng.randint(0, shape[-1] - size)
            b = self.add_input(kind, (shape[-1],))
            s = self.put(f"slice({b}) starts[{start}] sizes[{size}]", kind, (size,))
            t = self.add_input(kind, shape[:-1] + (size,))
            self.put(f"mul({t}, {self.broadcast(s, kind, shape[:-1] + (size,))})", kind, shape[:-1] + (size,))

    def chosen(self):
        x, kind, shape = self.pick()
        y = self.like(kind, shape)
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = compare({x}, {y}) op[less] -> {self.type_of('i1', shape)}")
        self.put(f"select({name}, {x}, {y})", kind, shape)

    def cast(self):
        x, _, shape = self.pick()
        kind = self.rng.choice(KINDS)
        self.put(f"cast({x})", kind, shape)

    def along(self):
        """What walks along an axis, of a known extent or not."""
        x, kind, shape = self.pick()
        if shape:
            axis = self.rng.randrange(len(shape))
            flag = self.rng.choice(["true", "false"])
            step = self.rng.choice(["sort", "argsort", "cumulative", "arg_max"])
            if step == "sort":
                self.put(f"sort({x}) axis[{axis}] descending[{flag}]", kind, shape)
            elif step == "argsort":
                self.put(f"argsort({x}) axis[{axis}] descending[{flag}] indices_dtype[si32]", "si32", shape)
            elif step == "arg_max":
                self.put(f"arg_max({x}) axis[{axis}] output_dtype[si32]", "si32", shape[:axis] + shape[axis + 1:])
            else:
                self.put(f"cumulative({x}) kind[{self.rng.choice(['sum', 'max'])}] axis[{axis}] exclusive[{flag}] "
                         f"reverse[{self.rng.choice(['true', 'false'])}]", kind, shape)

    def positions(self):
        """Rows that are taken, or into which others are added."""
        x, kind, shape = self.pick()
        if not shape:
            return
        n = self.extent()
        i = f"%v{len(self.lines)}"
        below = 1 if is_open(shape[0]) else shape[0]
        self.lines.append(f"  {i} = constant value{[self.rng.randrange(below) for _ in range(n)]} -> tensor<si32, {n}>")
        if self.rng.random() < 0.5:
            self.put(f"take({x}, {i})", kind, (n,) + shape[1:])
        elif len(shape) == 1:
            self.put(f"scatter_reduce({x}, {i}, {self.add_input(kind, (n,))}) axis[0] reduce[add]", kind, shape)

    def padded(self):
        x, kind, shape = self.pick()
        if shape and not is_open(shape[-1]):
            low, high = self.rng.randint(0, 3), self.rng.randint(0, 3)
            zeros = ", ".join(["0"] * len(shape))
            before = ", ".join(["0"] * (len(shape) - 1) + [str(low)])
            after = ", ".join(["0"] * (len(shape) - 1) + [str(high)])
            value = "1.5" if kind in FLOATS else "1"
            self.put(f"pad({x}) low[{before}] high[{after}] interior[{zeros}] pad_value[{value}]", kind,
                     shape[:-1] + (shape[-1] + low + high,))

    def normal(self):
        x, kind, shape = self.pick(FLOATS)
        known = [a for a, d in enumerate(shape) if not is_open(d)]
        if known:
            axis = self.rng.choice(known)
            g, b = (self.add_input(kind, (shape[axis],)) for _ in range(2))
            self.put(f"layer_norm({x}, {g}, {b}) epsilon[0.001] feature_axis[{axis}]", kind, shape)

    def loop(self):
        """A few turns of a loop, or the rows of a tensor, with a tensor that is carried."""
        x, kind, shape = self.pick()
        one, at = self.type_of(kind, shape), len(self.regions)
        if self.rng.random() < 0.5 and shape:
            row = shape[1:]
            each, c = self.type_of(kind, row), self.add_input(kind, row)
            self.regions.append(f"region @{at}(%c: {each}, %r: {each}) -> ({each}, {each}) {{\n"
                                f"  %s = sub(%r, %c) -> {each}\n  %t = add(%s, %s) -> {each}\n  return %s, %t\n}}\n")
            name = f"%v{len(self.lines)}"
            self.lines.append(f"  {name} = scan({c}, {x}) body_region[{at}] carry_count[1] scan_output_count[1] -> ({each}, {one})")
            self.put(f"add({name}[1], {x})", kind, shape)
            return
        n = self.rng.randint(0, 4)
        count = f"%v{len(self.lines)}"
        self.lines.append(f"  {count} = constant value[0] -> tensor<si32>")
        head = f"(%i: tensor<si32>, %x: {one}) -> ("
        self.regions += [f"region @{at}{head}tensor<i1>, tensor<si32>, {one}) {{\n  %n = constant value[{n}] -> tensor<si32>\n"
                         "  %p = compare(%i, %n) op[less] -> tensor<i1>\n  return %p, %i, %x\n}\n",
                         f"region @{at + 1}{head}tensor<si32>, {one}) {{\n  %o = constant value[1] -> tensor<si32>\n"
                         f"  %j = add(%i, %o) -> tensor<si32>\n  %y = sub(%x, %x) -> {one}\n  %z = maximum(%y, %x) -> {one}\n"
                         "  return %j, %z\n}\n"]
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = while({count}, {x}) cond_region[{at}] body_region[{at + 1}] -> (tensor<si32>, {one})")
        self.put(f"add({name}[1], {x})", kind, shape)

    def add_some(self):
        self.rng.choice([self.unary, self.binary, self.binary, self.reduce, self.reduce, self.product, self.product, self.moved_product,
                         self.stored_product, self.wide_product, self.transpose, self.bias, self.slice, self.chosen, self.cast,
                         self.along, self.along, self.positions, self.padded, self.normal, self.loop])()

    def text(self):
        results = self.values[-self.rng.randint(1, 2):]
        results = [(self.put(f"cast({v})", "f32", s), "f32", s) if k == "bf16" else (v, k, s)  # NumPy cannot tell its NaNs
                   for v, k, s in results]
        types = ", ".join(self.type_of(k, s) for _, k, s in results)
        names = ", ".join(v for v, _, _ in results)
        return (f"func @main({', '.join(self.inputs)}) -> ({types}) {{\n" +
                "\n".join(self.lines) + f"\n  return {names}\n}}\n" + "".join(self.regions))
