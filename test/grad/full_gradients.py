"""Gradients against finite differences, for every operation that has a derivative.

Each case is one operation in a program that is differentiated along a line: inputs x = x0 + t * d
with a scalar t, and the loss is the sum of the result times random weights. The gradient by t then
sums what flowed into every input. It is compared with central differences of the loss, the
gradient of the gradient with those of the gradient, and both must be lean, canonical, valid and
the same twice.

    full_gradients.py [NAME|rest]

runs every third case, those whose name holds NAME, or the rest.
"""
import concurrent.futures
import json
import math
import os
import pathlib
import re
import sys
import tempfile

from lib import program, vocabulary
from lib.program import Failure, ROOT

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is missing")
    sys.exit(0)

SUFFIX = {"mind": ".ir", "ptir-text": ".ptir", "tiny": ".tiny.json"}
EXTREMES = ("max", "min", "max_nan", "min_nan")


def tenon(*arguments, status=0):
    done = program.tenon(*arguments, allowed=(status,))
    return done.stdout if status == 0 else done.stderr


# ---- programs ---------------------------------------------------------------------------------

def size(shape):
    return math.prod(shape)


# Where functions are differentiated that are not defined everywhere.
DOMAINS = {"acosh": np.linspace(1.2, 4, 6).reshape(2, 3), "asin": np.linspace(-0.9, 0.8, 6).reshape(2, 3),
           "acos": np.linspace(-0.9, 0.8, 6).reshape(2, 3), "atanh": np.linspace(-0.9, 0.8, 6).reshape(2, 3),
           "log1p": np.linspace(-0.7, 3, 6).reshape(2, 3)}


class Case:
    """An operation: FLOATS are its differentiated operands (name to shape, or to an array where the
    values matter), OTHERS arrays of other inputs; BODY gives the text that defines RESULT of SHAPE
    from them."""

    def __init__(self, dialect, name, floats, body, shape, others=None, flags=(), regions="",
                 positive=False, smooth=True, tolerance=1e-6, grad_flags=()):
        self.dialect, self.name, self.body, self.shape = dialect, name, body, tuple(shape)
        self.grad_flags = list(grad_flags)
        self.flags, self.regions, self.smooth, self.tolerance = list(flags), regions, smooth, tolerance
        rng = np.random.default_rng(sum(map(ord, name)))
        self.values = {}
        self.floats = {}
        kind = np.float32 if dialect == "tiny" else np.float64
        for key, given in floats.items():
            if isinstance(given, np.ndarray):
                start = given.astype(np.float64)
            elif positive:
                start = rng.uniform(0.5, 2.0, given)
            else:  # distinct, and not near zero
                n = size(given)
                start = (rng.permutation(n).reshape(given) + 0.5) / max(n, 1) * 3 - 1.4
                start = start + rng.uniform(-0.1, 0.1, given) / max(n, 1)
            self.floats[key] = start.shape
            self.values[key] = np.asarray(start, kind)
            self.values["d_" + key] = np.asarray(rng.uniform(-1, 1, start.shape), kind)
        self.values["w"] = np.asarray(rng.uniform(-1, 1, self.shape), kind)
        self.others = {k: np.asarray(v) for k, v in (others or {}).items()}
        self.values.update(self.others)

    def text(self):
        return {"mind": self.mind, "ptir-text": self.ptir, "tiny": self.tiny}[self.dialect]()

    def mind(self):
        lines = []

        def tensor(shape, dtype="f64"):
            return f"tensor<{dtype}>[{', '.join(map(str, shape))}]"

        def put(text, shape, dtype="f64"):
            lines.append(f"%{len(lines)} = {text} : {tensor(shape, dtype)}")
            return f"%{len(lines) - 1}"

        ids = {"t": put('Input () {name="t"}', ())}
        for key, shape in self.floats.items():
            ids[key] = put(f'Input () {{name="{key}"}}', shape)
            ids["d_" + key] = put(f'Input () {{name="d_{key}"}}', shape)
        ids["w"] = put('Input () {name="w"}', self.shape)
        for key, value in self.others.items():
            dtype = {"int64": "i64", "int32": "i32"}[str(value.dtype)]
            ids[key] = put(f'Input () {{name="{key}"}}', value.shape, dtype)
        at = {}
        for key, shape in self.floats.items():
            step = put(f"BinOp ({ids['t']}, {ids['d_' + key]}) {{op=Mul}}", shape)
            at[key] = put(f"BinOp ({ids[key]}, {step}) {{op=Add}}", shape)
        at.update({k: ids[k] for k in self.others})
        result = self.body(put, **at) if callable(self.body) else put(self.body.format(**at),
                                                                       self.shape)
        product = put(f"BinOp ({result}, {ids['w']}) {{op=Mul}}", self.shape)
        loss = put(f"Sum ({product}) {{axes=[], keepdims=false}}", ())
        return "\n".join(lines) + f"\noutputs: {loss}\n"

    def ptir(self):
        names = {"float64": "f64", "float32": "f32", "int64": "si64", "int32": "si32", "bool": "i1"}

        def tensor(shape, dtype="f64"):
            return f"tensor<{dtype}{', ' if shape else ''}{'x'.join(map(str, shape))}>"

        lines = []

        def put(text, shape, dtype="f64"):
            name = f"%v{len(lines)}"
            kind = shape if isinstance(shape, str) else tensor(shape, dtype)
            lines.append(f"  {name} = {text} -> {kind}")
            return name

        params = ["%t: tensor<f64>"]
        at = {}
        for key, shape in self.floats.items():
            params += [f"%{key}: {tensor(shape)}", f"%d_{key}: {tensor(shape)}"]
            wide = put(f"broadcast_to(%t) result_shape[{', '.join(map(str, shape))}]", shape)
            at[key] = put(f"add(%{key}, {put(f'mul({wide}, %d_{key})', shape)})", shape)
        params.append(f"%w: {tensor(self.shape)}")
        for key, value in self.others.items():
            params.append(f"%{key}: {tensor(value.shape, names[str(value.dtype)])}")
            at[key] = f"%{key}"
        result = self.body(put, **at) if callable(self.body) else put(self.body.format(**at),
                                                                       self.shape)
        product = put(f"mul({result}, %w)", self.shape)
        axes = ", ".join(map(str, range(len(self.shape))))
        loss = put(f"reduce_sum({product}) axes[{axes}]", ()) if self.shape else product
        return (f"func @main({', '.join(params)}) -> tensor<f64> {{\n" + "\n".join(lines) +
                f"\n  return {loss}\n}}\n" + self.regions)

    def tiny(self):
        nodes = []

        def put(uop, src=(), **arg):
            nodes.append({"id": f"n{len(nodes)}", "uop": uop, "src": list(src), "arg": arg})
            if not src:
                del nodes[-1]["src"]
            if not arg:
                del nodes[-1]["arg"]
            return nodes[-1]["id"]

        def tensor(key, shape, dtype="fp32"):
            return put("INPUT", tensor_id=key, dtype=dtype, shape=list(shape))

        t, at = tensor("t", ()), {}
        for key, shape in self.floats.items():
            x, d = tensor(key, shape), tensor("d_" + key, shape)
            wide = put("EXPAND", [t], result_shape=list(shape), broadcast_dimensions=[])
            at[key] = put("ADD", [x, put("MUL", [wide, d])])
        w = tensor("w", self.shape)
        for key, value in self.others.items():
            at[key] = tensor(key, value.shape, {"bool": "bool", "int32": "i32"}[str(value.dtype)])
        product = put("MUL", [self.body(put, **at), w])
        put("REDUCE", [product], op="SUM", axes=list(range(len(self.shape))), dtype="fp32")
        return json.dumps({"uops": nodes}, indent=1)


# ---- checks -----------------------------------------------------------------------------------

class Bench:
    def __init__(self, case, folder):
        self.case, self.folder = case, folder
        self.suffix = SUFFIX[case.dialect]
        self.kind = np.float32 if case.dialect == "tiny" else np.float64

    def write(self, name, text):
        path = self.folder / (name + self.suffix)
        path.write_text(text)
        return path

    def run(self, module, t):
        np.savez(self.folder / "in.npz", t=self.kind(t), **self.case.values)
        tenon("run", "--engine", "ref", "--inputs", self.folder / "in.npz", "--output", self.folder / "out.npz",
              module)
        with np.load(self.folder / "out.npz") as out:
            return [np.array(out[str(i)]) for i in range(len(out.files))]

    def grad(self, module, name, *arguments):
        arguments = [*self.case.flags, *self.case.grad_flags, *arguments]
        text = tenon("grad", *arguments, module)
        if text != tenon("grad", *arguments, module):
            raise Failure("the gradient is another one the second time")
        path = self.write(name, text)
        tenon("check", *self.case.flags, path)
        canonical = tenon("opt", "--passes", "canonicalize", *self.case.flags, path)
        if canonical != text:
            raise Failure(f"the gradient is not canonical and lean:\n{text}")
        return path

    def differences(self, module, output):
        """Of one output by t, of the fourth order."""
        h = 0.02 if self.kind is np.float32 else 1e-3
        at = {k: float(self.run(module, k * h)[output]) for k in (-2, -1, 1, 2)}
        return (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)

    def compare(self, what, got, want, path):
        limit = self.case.tolerance * max(1.0, abs(want))
        if not abs(got - want) <= limit:
            raise Failure(f"{what} is {got}, finite differences say {want}\n{path.read_text()}")

    def check(self):
        case = self.case
        primal = self.write("primal", case.text())
        tenon("check", *case.flags, primal)
        first = self.grad(primal, "first", "--wrt", "t")
        loss, slope = self.run(first, 0.0)
        if float(loss) != float(self.run(primal, 0.0)[0]):
            raise Failure("the gradient module gives another loss")
        self.compare("the gradient", float(slope), self.differences(primal, 0), first)
        inputs = ",".join(case.floats)
        every = self.grad(primal, "every", "--wrt", inputs)
        total = sum(float(np.sum(g.astype(np.float64) * case.values["d_" + k]))
                    for k, g in zip(case.floats, self.run(every, 0.0)[1:]))
        self.compare("the sum of gradients", total, float(slope), every)
        if case.smooth:
            second = self.grad(first, "second", "--loss", "1", "--wrt", "t")
            curve = float(self.run(second, 0.0)[-1])
            self.compare("the second derivative", curve, self.differences(first, 1), second)


# ---- the cases --------------------------------------------------------------------------------

def mind_cases():
    def m(name, floats, body, shape, **more):
        for flags in ([], ["--profile", "core-v1"]):
            if flags and more.get("extended"):
                continue
            options = {k: v for k, v in more.items() if k != "extended"}
            yield Case("mind", f"mind {name}{' core-v1' if flags else ''}", floats, body, shape,
                       flags=flags, **options)

    for op in ("Add", "Sub", "Mul"):
        for a, b, y in (((2, 3), (2, 3), (2, 3)), ((2, 1), (2, 3), (2, 3)), ((3,), (2, 3), (2, 3)),
                        ((), (2,), (2,)), ((2, 1, 3), (4, 1), (2, 4, 3)), ((1, 1), (1,), (1, 1)),
                        ((), (), ())):
            yield from m(f"{op} {a} {b}", {"a": a, "b": b}, f"BinOp ({{a}}, {{b}}) {{{{op={op}}}}}", y)
    yield from m("Div", {"a": (2, 1), "b": (3,)}, "BinOp ({a}, {b}) {{op=Div}}", (2, 3),
                 positive=True, extended=True)
    for op in ("Sum", "Mean"):
        for x, axes, keep, y in (((2, 3), [1], "false", (2,)), ((2, 3), [1], "true", (2, 1)),
                                 ((2, 3), [], "false", ()), ((2, 3), [], "true", ()),
                                 ((2, 3, 4), [0, 2], "false", (3,)),
                                 ((2, 3, 4), [2, 0], "true", (1, 3, 1)), ((1, 3), [0], "false", (3,)),
                                 ((1, 1), [0, 1], "false", ()), ((2, 3), [-1], "false", (2,)),
                                 ((1, 4), [1, 0], "true", (1, 1))):
            yield from m(f"{op} {x} {axes} {keep}", {"x": x},
                         f"{op} ({{x}}) {{{{axes={axes}, keepdims={keep}}}}}", y)
    for x, y in (((2, 3), (6,)), ((6,), (3, 2)), ((1,), ()), ((), (1, 1)), ((2, 3), (2, 3))):
        yield from m(f"Reshape {x} {y}", {"x": x}, f"Reshape ({{x}}) {{{{new_shape={list(y)}}}}}", y)
    for x, p in (((2, 3), [1, 0]), ((2, 3, 4), [2, 0, 1]), ((2, 3, 4), [1, 2, 0]), ((2,), [0])):
        yield from m(f"Transpose {p}", {"x": x}, f"Transpose ({{x}}) {{{{permutation={p}}}}}",
                     [x[i] for i in p])
    for x, a, y in (((3, 4), [0, 2], (1, 3, 1, 4)), ((3,), [0, 0], (1, 1, 3)), ((), [0], (1,)),
                    ((3,), [1], (3, 1))):
        yield from m(f"ExpandDims {a}", {"x": x}, f"ExpandDims ({{x}}) {{{{axes={a}}}}}", y)
    for x, a, y in (((1, 3, 1, 4), [0, 2], (3, 4)), ((1, 3), [0], (3,)), ((1,), [0], ())):
        yield from m(f"Squeeze {a}", {"x": x}, f"Squeeze ({{x}}) {{{{axes={a}}}}}", y)
    for x, ix in (((4,), [2]), ((2, 3), [1, 0]), ((2, 3, 2), [0, 2, 1]), ((), [])):
        yield from m(f"Index {ix}", {"x": x}, f"Index ({{x}}) {{{{indices={ix}}}}}", ())
    for x, s, e, k in (((6,), [1], [5], [2]), ((5,), [4], [-1], [-1]), ((6,), [5], [0], [-2]),
                       ((4, 5), [1, 0], [3, 5], [1, 3]), ((3, 3), [0, 0], [3, 3], [1, 1]),
                       ((4, 6), [0, 5], [4, 1], [3, -2]), ((3,), [0], [1], [1])):
        y = []
        for n, a, b, c in zip(x, s, e, k):
            y.append(len(range(a, b, c)) if c > 0 or b >= 0 else len(range(a, -1, c)))
        yield from m(f"Slice {s} {e} {k}", {"x": x},
                     f"Slice ({{x}}) {{{{ends={e}, starts={s}, steps={k}}}}}", y)
    for x, i in (((4, 2), [3, 0, 3]), ((3,), [[0, 2], [2, 2]]), ((2, 2, 2), [1]), ((5, 3), 4)):
        i = np.asarray(i, np.int64)
        yield from m(f"Gather {x} {i.shape}", {"x": x}, "Gather ({x}, {i})", i.shape + x[1:],
                     others={"i": i})
    for a, b, y in (((3,), (3,), ()), ((2, 3), (3,), (2,)), ((2,), (2, 3), (3,)),
                    ((2, 3), (3, 4), (2, 4))):
        yield from m(f"Dot {a} {b}", {"a": a, "b": b}, "Dot ({a}, {b})", y)
    for a, b, y in (((2, 3), (3, 4), (2, 4)), ((2, 2, 3), (2, 3, 2), (2, 2, 2)),
                    ((2, 1, 2, 3), (3, 3, 2), (2, 3, 2, 2)), ((2, 3), (4, 3, 1), (4, 2, 1))):
        yield from m(f"MatMul {a} {b}", {"a": a, "b": b}, "MatMul ({a}, {b})", y)
    for op in ("Relu", "Neg", "Exp", "Log"):
        yield from m(op, {"x": (3, 2)}, op + " ({x})", (3, 2), positive=op == "Log")
    yield from m("Log of small", {"x": np.array([0.1, 0.3, 0.7, 30.0])}, "Log ({x})", (4,),
                 tolerance=1e-4)
    for x, w, s, pad, y in (((1, 4, 5, 2), (3, 2, 2, 3), [1, 1], "Valid", (1, 2, 4, 3)),
                            ((2, 5, 4, 1), (2, 3, 1, 2), [2, 1], "Same", (2, 3, 4, 2)),
                            ((1, 3, 3, 1), (2, 2, 1, 1), [2, 3], "Custom([[1, 0], [2, 1]])",
                             (1, 2, 2, 1)),
                            ((1, 7, 6, 2), (2, 3, 2, 1), [3, 2], "Valid", (1, 2, 2, 1)),
                            ((2, 1, 3, 1), (1, 1, 1, 2), [1, 2], "Same", (2, 1, 2, 2)),
                            ((1, 2, 2, 1), (3, 2, 1, 1), [1, 2], "Custom([[2, 2], [3, 0]])",
                             (1, 4, 2, 1))):
        yield from m(f"Conv2d {x} {pad}", {"x": x, "w_": w},
                     f"Conv2d ({{x}}, {{w_}}) {{{{padding={pad}, strides={s}}}}}", y,
                     grad_flags=["--conv2d"])
    yield from m("shared values", {"x": (3,)},
                 lambda put, x: put(f"BinOp ({put(f'BinOp ({x}, {x}) {{op=Mul}}', (3,))}, {x}) "
                                    "{op=Mul}", (3,)), (3,))
    for name, body, floats, shape in (
            ("ReluGrad", "ReluGrad ({g}, {x})", {"g": (3, 2), "x": (3, 2)}, (3, 2)),
            ("Broadcast", "Broadcast ({x}) {{shape=[2, 3, 2]}}", {"x": (3, 1)}, (2, 3, 2)),
            ("SliceGrad", "SliceGrad ({g}) {{ends=[5, 0], shape=[6, 4], starts=[1, 3], "
             "steps=[2, -2]}}", {"g": (2, 2)}, (6, 4)),
            ("Conv2dGradInput", "Conv2dGradInput ({y}, {f}) {{input_shape=[1, 4, 4, 1], "
             "padding=Same, strides=[2, 1]}}", {"y": (1, 2, 4, 2), "f": (3, 2, 1, 2)},
             (1, 4, 4, 1)),
            ("Conv2dGradFilter", "Conv2dGradFilter ({x}, {y}) {{filter_shape=[3, 2, 1, 2], "
             "padding=Same, strides=[2, 1]}}", {"x": (1, 4, 4, 1), "y": (1, 2, 4, 2)},
             (3, 2, 1, 2))):
        yield from m(name, floats, body, shape, extended=True)
    yield from m("ScatterAdd", {"g": (3, 2)}, "ScatterAdd ({g}, {i}) {{shape=[4, 2]}}", (4, 2),
                 others={"i": np.array([2, 0, 2])}, extended=True)


def ptir_cases():
    def p(name, floats, body, shape, **more):
        return Case("ptir-text", f"ptir {name}", floats, body, shape, **more)

    for op in ("neg", "abs", "exp", "tanh", "erf"):
        yield p(op, {"x": (2, 3)}, op + "({x})", (2, 3))
    for op in ("log", "rsqrt", "reciprocal"):
        yield p(op, {"x": (2, 3)}, op + "({x})", (2, 3), positive=True)
    for op in ("add", "sub", "mul", "div", "maximum", "minimum"):
        yield p(op, {"a": (2, 3), "b": (2, 3)}, op + "({a}, {b})", (2, 3), positive=op == "div")
    done = {"neg", "abs", "exp", "tanh", "erf", "log", "rsqrt", "reciprocal", "add", "sub", "mul", "div",
            "maximum", "minimum"}
    for n, names in (1, ["a"]), (2, ["a", "b"]):
        for op in set(vocabulary.float_functions(n, with_derivative=True)) - done:
            at = {"a": DOMAINS[op]} if op in DOMAINS else {k: (2, 3) for k in names}
            yield p(op, at, op + "({" + "}, {".join(names) + "})", (2, 3))
    yield p("clamp", {"x": (4,), "a": np.array([-1., 0.5, 0, -2]), "b": np.array([1., 1, 2, -1])},
            "clamp({x}, {a}, {b})", (4,))
    yield p("select", {"a": (4,), "b": (4,)}, "select({c}, {a}, {b})", (4,),
            others={"c": np.array([True, False, False, True])})
    yield p("cast", {"x": (3,)},
            lambda put, x: put(f"cast({put(f'cast({x})', (3,), 'f32')})", (3,)), (3,),
            tolerance=1e-3, smooth=False)
    yield p("stop_gradient", {"x": (3,), "z": np.zeros(3)},
            lambda put, x, z: put(f"mul({put(f'stop_gradient({z})', (3,))}, {x})", (3,)), (3,),
            tolerance=math.inf, smooth=False)
    for kind in ("sum", *EXTREMES):
        for axes, keep, y in (([1], "false", (2, 4)), ([0, 2], "true", (1, 3, 1)),
                              ([0, 1, 2], "false", ()), ([], "false", (2, 3, 4))):
            yield p(f"reduce_{kind} {axes} {keep}", {"x": (2, 3, 4)},
                    f"reduce_{kind}({{x}}) axes{axes} keepdims[{keep}]", y)
    for n, (a, b, ba, bb, ca, cb, y) in enumerate((
            ((2, 3), (3, 4), [], [], [1], [0], (2, 4)),
            ((2, 3, 4), (4, 2, 5), [0], [1], [2], [0], (2, 3, 5)),
            ((3, 2, 4, 5), (5, 4, 6, 3), [0], [3], [2, 3], [1, 0], (3, 2, 6)),
            ((2, 3, 2), (3, 2, 4), [2, 1], [1, 0], [], [], (2, 3, 2, 4)),
            ((2,), (3,), [], [], [], [], (2, 3)),
            ((3, 2), (2, 3), [], [], [0, 1], [1, 0], ()))):
        yield p(f"dot_general {n}", {"a": a, "b": b},
                f"dot_general({{a}}, {{b}}) batch_lhs{ba} batch_rhs{bb} contract_lhs{ca} "
                f"contract_rhs{cb}", y)
    yield p("dot_general wide", {"a": (2, 3), "b": (3, 2)}, lambda put, a, b: put(
        "cast(" + put("dot_general({}, {}) contract_lhs[1] contract_rhs[0] accum_dtype[f64] "
                      "out_dtype[f64]".format(put(f"cast({a})", (2, 3), "f32"),
                                              put(f"cast({b})", (3, 2), "f32")), (2, 2)) + ")",
        (2, 2)), (2, 2), tolerance=1e-3, smooth=False)
    yield p("reshape", {"x": (2, 3)}, "reshape({x}) new_shape[3, 2]", (3, 2))
    yield p("transpose", {"x": (2, 3, 4)}, "transpose({x}) perm[2, 0, 1]", (4, 2, 3))
    for x, y in (((3, 1), (2, 3, 4)), ((), (2, 2)), ((1, 3), (1, 3)), ((1,), (3,))):
        yield p(f"broadcast_to {x} {y}", {"x": x}, f"broadcast_to({{x}}) result_shape{list(y)}", y)
    yield p("slice", {"x": (4, 5)}, "slice({x}) starts[1, 0] sizes[2, 5]", (2, 5))
    yield p("concat", {"a": (2, 1), "b": (2, 3), "c": (2, 2)}, "concat({a}, {b}, {c}) axis[-1]",
            (2, 6))
    yield p("pad", {"x": (2, 3)}, "pad({x}) low[1, 0] high[0, 2] interior[2, 1] pad_value[1.0]",
            (5, 7))
    yield p("tile", {"x": (2, 3)}, "tile({x}) repeats[3, 2]", (6, 6))
    yield p("take", {"x": (4, 2)}, "take({x}, {i})", (2, 2, 2),
            others={"i": np.array([[3, 0], [3, 1]], np.int32)})
    at = np.array([[2, 0, 1], [2, 2, 0]])
    yield p("gather", {"x": (2, 4)}, "gather({x}, {i}) axis[1]", (2, 3), others={"i": at})
    yield p("gather axis 0", {"x": (3, 3)}, "gather({x}, {i}) axis[0]", (2, 3), others={"i": at})
    for combine in ("add", "max", "min", "replace"):
        yield p(f"scatter_reduce {combine}", {"x": (2, 4), "u": (2, 3)},
                f"scatter_reduce({{x}}, {{i}}, {{u}}) axis[-1] reduce[{combine}]", (2, 4),
                others={"i": np.array([[2, 0, 1], [2, 2, 0]])})
    for n, (x, i, u, window, inserted, dims, vector) in enumerate((
            ((4, 3), [1, 1, 3], (3, 3), [1], [0], [0], None),
            ((4, 3), [[1], [2]], (2, 3), [1], [0], [0], 1),
            ((4, 5), [[1, 2], [0, 3]], (2, 2, 2), [1, 2], [], [0, 1], 1),
            ((3, 4), [[2, 0, 2], [1, 3, 1]], (3,), [], [0, 1], [0, 1], 0),
            ((4, 3), [[2, 0, 2], [1, 3, 1]], (3,), [], [0, 1], [1, 0], 0),
            ((5,), 2, (2,), [0], [], [0], None))):
        more = f" index_vector_dim[{vector}]" if vector is not None else ""
        yield p(f"scatter_add {n}", {"x": x, "u": u},
                f"scatter_add({{x}}, {{i}}, {{u}}) update_window_dims{window} "
                f"inserted_window_dims{inserted} scatter_dims_to_operand_dims{dims}{more}", x,
                others={"i": np.asarray(i, np.int64)})
    yield p("dynamic_slice", {"x": (4, 5)}, "dynamic_slice({x}, {i}) sizes[2, 3]", (2, 3),
            others={"i": np.array([3, 1])})
    yield p("dynamic_update_slice", {"x": (4, 5), "u": (2, 3)},
            "dynamic_update_slice({x}, {u}, {i}) sizes[2, 3]", (4, 5),
            others={"i": np.array([1, 9])})
    for kind in ("sum", "max"):
        yield p(f"segment_reduce {kind}", {"x": (5, 2)},
                f"segment_reduce({{x}}, {{i}}) kind[{kind}] num_segments[3] "
                "indices_are_sorted[false] unique[false]", (3, 2),
                others={"i": np.array([0, 2, 1, 2, 0])})
    for largest in ("true", "false"):
        yield p(f"top_k {largest}", {"x": (2, 5)}, lambda put, x: put(
            "mul({0}, {0})".format(put("reshape(" + put(
                f"top_k({x}) k[2] axis[-1] largest[{largest}] indices_dtype[si32]",
                "(tensor<f64, 2x2>, tensor<si32, 2x2>)") + "[0]) new_shape[2, 2]", (2, 2))),
            (2, 2)), (2, 2))
    for axis, descending in ((0, "true"), (-1, "false")):
        def sorted_by(put, x, y, axis=axis, descending=descending):
            both = put(f"sort({x}, {y}) axis[{axis}] descending[{descending}]",
                       "(tensor<f64, 3x4>, tensor<f64, 3x4>)")
            keys, others = (put(f"reshape({both}[{k}]) new_shape[3, 4]", (3, 4)) for k in (0, 1))
            return put(f"mul({keys}, {others})", (3, 4))
        yield p(f"sort {axis} {descending}", {"x": (3, 4), "y": (3, 4)}, sorted_by, (3, 4))
    for kind in ("sum", "prod", *EXTREMES):
        for axis, exclusive, reverse in ((-1, "false", "false"), (0, "true", "false"), (1, "false", "true"),
                                         (0, "true", "true")):
            made = f"cumulative({{}}) kind[{kind}] axis[{axis}] exclusive[{exclusive}] reverse[{reverse}]"
            # what precedes the first element is infinite, so x itself joins
            joins = {"max": "maximum({}, {})", "min": "minimum({}, {})"}.get(kind[:3], "add({}, {})")
            yield p(f"cumulative {kind} {axis} {exclusive} {reverse}", {"x": (3, 4)},
                    lambda put, x, made=made, joins=joins: put(
                        joins.format(put(made.format(x), (3, 4)), x), (3, 4)), (3, 4))
    for axis, n in ((-1, 4), (1, 3), (0, 2)):
        yield p(f"layer_norm {axis}", {"x": (2, 3, 4), "g": (n,), "b": (n,)},
                f"layer_norm({{x}}, {{g}}, {{b}}) epsilon[0.01] feature_axis[{axis}]", (2, 3, 4))
    for window, strides, dilation, pads, x, y in (
            ([2], [1], [1], [(0, 1)], (1, 4, 2), (1, 4, 4)),
            ([3], [2], [2], [(2, 1)], (2, 6, 1), (2, 3, 3)),
            ([2], [3], [1], [(0, 0)], (1, 8, 1), (1, 3, 2)),
            ([2], [3], [1], [(0, 2)], (1, 8, 1), (1, 3, 2)),
            ([2, 3], [2, 1], [1, 2], [(1, 0), (0, 2)], (1, 5, 6, 2), (1, 3, 4, 12)),
            ([1, 1], [1, 2], [1, 1], [(0, 0), (0, 0)], (1, 2, 3, 1), (1, 2, 2, 1))):
        yield p(f"extract_patches {window} {strides} {dilation}", {"x": x},
                f"extract_patches({{x}}) window{window} strides{strides} dilation{dilation} "
                f"padding{pads} pad_value[0.5]", y)
    # products of patches with a filter: by x they are convolutions again, but for the last two
    for window, dilation, pads, x, rows, y in (
            ([2], [1], [(0, 1)], (1, 4, 2), 0, (1, 4, 3)),
            ([3], [2], [(3, 4)], (2, 5, 1), 1, (2, 8, 3)),
            ([2, 3], [1, 2], [(1, 0), (0, 2)], (1, 5, 6, 2), 0, (1, 5, 4, 3)),
            ([2], [1], [(2, 0)], (1, 4, 2), 0, (1, 5, 3)),
            ([4], [1], [(0, 0)], (1, 5, 2), 1, (1, 2, 3))):
        taps = math.prod(window) * x[-1]
        patches = f"extract_patches({{}}) window{window} strides{[1] * len(window)} dilation{dilation} padding{pads} pad_value[0.5]"
        product = f"dot_general({{}}, {{}}) contract_lhs[{len(y) - 1}] contract_rhs[{rows}]"
        yield p(f"convolution by patches {window} {dilation} {pads}", {"x": x, "f": (taps, 3) if rows == 0 else (3, taps)},
                lambda put, x, f, patches=patches, product=product, y=y, taps=taps: put(
                    product.format(put(patches.format(x), (*y[:-1], taps)), f), y), y)
    for what, x, w, y in (
            ("strides[1, 2] padding[(1, 0), (0, 2)] base_dilation[1, 1] dilation[1, 1]",
             (1, 2, 4, 5), (3, 2, 2, 3), (1, 3, 4, 3)),
            ("strides[1] padding[(1, 1)] base_dilation[1] dilation[2] groups[2]", (2, 4, 5), (6, 2, 3), (2, 6, 3)),
            ("strides[1] padding[(2, 2)] base_dilation[2] dilation[1]", (1, 2, 3), (2, 2, 3), (1, 2, 7)),
            ("strides[2] padding[(0, 0)] base_dilation[1] dilation[1] batch_groups[2]", (2, 2, 4), (2, 2, 2), (1, 2, 2))):
        yield p(f"convolution {what}", {"x": x, "f": w}, f"convolution({{x}}, {{f}}) {what}", y)
    for kind in ("sum", *EXTREMES):
        for n, (w, s, pads, base, d, x, y) in enumerate((
                ([2], [1], [(0, 0)], [1], [1], (5,), (4,)),
                ([3, 2], [1, 2], [(1, 1), (1, 0)], [1, 1], [1, 1], (3, 5), (3, 3)),
                ([1, 3], [1, 2], [(0, 0), (2, 1)], [1, 2], [1, 2], (2, 4), (2, 3)),
                ([2, 1], [3, 1], [(0, 0), (0, 0)], [1, 1], [2, 1], (6, 2), (2, 2)))):
            yield p(f"reduce_window {kind} {n}", {"x": x},
                    f"reduce_window({{x}}) window_dims{w} strides{s} padding{pads} "
                    f"base_dilation{base} window_dilation{d} reduce[{kind}]", y)
    yield from control_cases(p)


def control_cases(p):
    branches = """
region @0(%a: tensor<f64, 3>, %b: tensor<f64, 3>, %k: tensor<si64>) -> (tensor<f64, 3>, tensor<si64>) {
  %m = mul(%a, %b) -> tensor<f64, 3>
  %e = exp(%m) -> tensor<f64, 3>
  return %e, %k
}
region @1(%a: tensor<f64, 3>, %b: tensor<f64, 3>, %k: tensor<si64>) -> (tensor<f64, 3>, tensor<si64>) {
  %m = mul(%a, %a) -> tensor<f64, 3>
  return %m, %k
}
"""
    for taken in (True, False):
        yield p(f"cond {taken}", {"a": (3,), "b": (3,)}, lambda put, a, b, q, k: put(
            "mul({0}, {0})".format(put("reshape(" + put(
                f"cond({q}, {a}, {b}, {k}) true_region[0] false_region[1]",
                "(tensor<f64, 3>, tensor<si64>)") + "[0]) new_shape[3]", (3,))), (3,)), (3,),
            others={"q": np.array(taken), "k": np.array(4)}, regions=branches)
    scan = """
region @0(%h: tensor<f64, 2>, %n: tensor<si64>, %x: tensor<f64, 2>, %u: tensor<f64, 2>) -> (tensor<f64, 2>, tensor<si64>, tensor<f64, 2>) {
  %m = mul(%h, %x) -> tensor<f64, 2>
  %s = add(%m, %u) -> tensor<f64, 2>
  %h2 = tanh(%s) -> tensor<f64, 2>
  %one = constant value[1] -> tensor<si64>
  %n2 = add(%n, %one) -> tensor<si64>
  %y = mul(%h, %h2) -> tensor<f64, 2>
  return %h2, %n2, %y
}
"""
    result = "(tensor<f64, 2>, tensor<si64>, tensor<f64, 4x2>)"
    call = "scan({h}, {n}, {x}, {u}) body_region[0] carry_count[2] scan_output_count[1]"
    given = {"h": (2,), "x": (4, 2), "u": (4, 2)}
    yield p("scan carry", given, lambda put, **v: put("neg(" + put(call.format(**v), result) + "[0])",
                                                      (2,)), (2,), others={"n": np.array(0)},
            regions=scan)
    yield p("scan stacked", given, lambda put, **v: put("neg(" + put(call.format(**v), result) +
                                                        "[2])", (4, 2)), (4, 2),
            others={"n": np.array(0)}, regions=scan)

    def both(put, **v):
        s = put(call.format(**v), result)
        last = put(f"broadcast_to({s}[0]) result_shape[4, 2]", (4, 2))
        return put(f"mul({last}, {s}[2])", (4, 2))

    yield p("scan both", given, both, (4, 2), others={"n": np.array(0)}, regions=scan)
    nested = """
region @0(%h: tensor<f64>, %x: tensor<f64, 3>) -> (tensor<f64>, tensor<f64>) {
  %t = scan(%h, %x) body_region[1] carry_count[1] scan_output_count[0] -> tensor<f64>
  return %t, %h
}
region @1(%h: tensor<f64>, %x: tensor<f64>) -> tensor<f64> {
  %m = mul(%h, %x) -> tensor<f64>
  %s = add(%m, %x) -> tensor<f64>
  return %s
}
"""
    yield p("scan nested", {"h": (), "x": (2, 3)}, lambda put, h, x: put(
        "neg(" + put(f"scan({h}, {x}) body_region[0] carry_count[1] scan_output_count[1]",
                     "(tensor<f64>, tensor<f64, 2>)") + "[1])", (2,)), (2,), regions=nested)
    loop = """
region @0(%i: tensor<si64>, %v: tensor<f64, 2>, %c: tensor<f64, 2>) -> (tensor<i1>, tensor<si64>, tensor<f64, 2>, tensor<f64, 2>) {
  %n = constant value[3] -> tensor<si64>
  %p = compare(%i, %n) op[less] -> tensor<i1>
  return %p, %i, %v, %c
}
region @1(%i: tensor<si64>, %v: tensor<f64, 2>, %c: tensor<f64, 2>) -> (tensor<si64>, tensor<f64, 2>, tensor<f64, 2>) {
  %one = constant value[1] -> tensor<si64>
  %j = add(%i, %one) -> tensor<si64>
  %m = mul(%v, %c) -> tensor<f64, 2>
  %w = tanh(%m) -> tensor<f64, 2>
  return %j, %w, %c
}
"""
    kind = "(tensor<si64>, tensor<f64, 2>, tensor<f64, 2>)"

    def counted(put, v, c, i=None):
        i = i or put("constant value[0]", (), "si64")
        return put("neg(" + put(f"while({i}, {v}, {c}) cond_region[0] body_region[1]", kind) +
                   "[1])", (2,))

    yield p("while counted", {"v": (2,), "c": (2,)}, counted, (2,), regions=loop)
    for start in (0, 2, 3):
        yield p(f"while from {start}", {"v": (2,), "c": (2,)}, counted, (2,), regions=loop,
                others={"i": np.array(start)})
    moving = """
region @0(%v: tensor<f64>) -> (tensor<i1>, tensor<f64>) {
  %n = constant value[10.0] -> tensor<f64>
  %p = compare(%v, %n) op[less] -> tensor<i1>
  %w = mul(%v, %v) -> tensor<f64>
  return %p, %w
}
region @1(%v: tensor<f64>) -> tensor<f64> {
  %h = constant value[0.5] -> tensor<f64>
  %j = add(%v, %h) -> tensor<f64>
  return %j
}
"""
    yield p("while with a changing condition", {"v": np.array(1.3)}, lambda put, v: put(
        f"while({v}) cond_region[0] body_region[1]", ()), (), regions=moving)

    yield from nested_loops(p)


def nested_loops(p):
    """Loops within loops and branches; each is replaced by one that records."""
    turn = """
region @0(%h: tensor<f64, 2>, %w: tensor<f64, 2>, %x: tensor<f64, 2>) -> (tensor<f64, 2>, tensor<f64, 2>, tensor<f64, 2>) {
  %m = mul(%h, %w) -> tensor<f64, 2>
  %a = add(%m, %x) -> tensor<f64, 2>
  %t = tanh(%a) -> tensor<f64, 2>
  return %t, %w, %m
}
"""
    row, rows, si = "tensor<f64, 2>", "tensor<f64, 3x2>", "tensor<si64>"
    given = {"h": (2,), "c": (2,), "x": (3, 2)}
    scanned = f"({row}, {row}, {rows})"
    how = "body_region[0] carry_count[2] scan_output_count[1]"

    def in_a_row(put, h, c, x):
        s = put(f"scan({h}, {c}, {x}) {how}", scanned)
        u = put(f"scan({s}[0], {s}[1], {s}[2]) {how}", scanned)
        return put(f"mul({u}[0], {s}[0])", (2,))

    yield p("scans in a row", given, in_a_row, (2,), regions=turn)
    branches = f"""
region @1(%h: {row}, %w: {row}, %x: {rows}) -> {row} {{
  %s = scan(%h, %w, %x) {how} -> {scanned}
  %u = scan(%s[0], %s[1], %s[2]) {how} -> {scanned}
  %m = mul(%u[0], %s[0]) -> {row}
  return %m
}}
region @2(%h: {row}, %w: {row}, %x: {rows}) -> {row} {{
  %m = mul(%h, %w) -> {row}
  return %m
}}
"""
    yield p("scans in cond", given, lambda put, h, c, x, q: put(
        f"cond({q}, {h}, {c}, {x}) true_region[1] false_region[2]", (2,)), (2,),
        others={"q": np.array(True)}, regions=turn + branches)
    loop = f"""
region @1(%i: {si}, %h: {row}, %w: {row}, %x: {rows}) -> (tensor<i1>, {si}, {row}, {row}, {rows}) {{
  %n = constant value[3] -> {si}
  %p = compare(%i, %n) op[less] -> tensor<i1>
  return %p, %i, %h, %w, %x
}}
region @2(%i: {si}, %h: {row}, %w: {row}, %x: {rows}) -> ({si}, {row}, {row}, {rows}) {{
  %one = constant value[1] -> {si}
  %j = add(%i, %one) -> {si}
  %s = scan(%h, %w, %x) {how} -> {scanned}
  return %j, %s[0], %w, %s[2]
}}
"""

    def looped(put, h, c, x, i=None):
        i = i or put("constant value[1]", (), "si64")
        z = put(f"while({i}, {h}, {c}, {x}) cond_region[1] body_region[2]",
                f"({si}, {row}, {row}, {rows})")
        return put(f"mul({z}[1], {z}[2])", (2,))

    yield p("scan in counted while", given, looped, (2,), regions=turn + loop)
    yield p("scan in while", given, looped, (2,), others={"i": np.array(1)}, regions=turn + loop)
    inner = f"""
region @0(%h: {row}, %w: {row}, %r: {row}) -> ({row}, {row}) {{
  %i = constant value[0] -> {si}
  %t = while(%i, %h, %r) cond_region[1] body_region[2] -> ({si}, {row}, {row})
  %o = mul(%t[1], %w) -> {row}
  return %o, %w
}}
region @1(%i: {si}, %h: {row}, %r: {row}) -> (tensor<i1>, {si}, {row}, {row}) {{
  %n = constant value[2] -> {si}
  %p = compare(%i, %n) op[less] -> tensor<i1>
  return %p, %i, %h, %r
}}
region @2(%i: {si}, %h: {row}, %r: {row}) -> ({si}, {row}, {row}) {{
  %one = constant value[1] -> {si}
  %j = add(%i, %one) -> {si}
  %m = mul(%h, %r) -> {row}
  %k = tanh(%m) -> {row}
  return %j, %k, %r
}}
"""
    yield p("while in scan", given, lambda put, h, c, x: put("neg(" + put(
        f"scan({h}, {c}, {x}) body_region[0] carry_count[2] scan_output_count[0]",
        f"({row}, {row})") + "[0])", (2,)), (2,), regions=inner)


def tiny_cases():
    def c(name, floats, body, shape, **more):
        more.setdefault("tolerance", 1e-2)
        return Case("tiny", f"tiny {name}", floats, body, shape, **more)

    for uop in ("NEG", "EXP2", "RELU", "SIN", "COS"):
        yield c(uop, {"x": (2, 3)}, lambda put, x, uop=uop: put(uop, [x]), (2, 3))
    for uop in ("RSQRT", "LOG2", "SQRT", "RECIP"):
        yield c(uop, {"x": (2, 3)}, lambda put, x, uop=uop: put(uop, [x]), (2, 3), positive=True)
    for uop in ("ADD", "SUB", "MUL", "FDIV", "MAX", "MIN", "POW"):
        apart = {"a": np.array([0.5, 1.5, 2.0]), "b": np.array([1.25, 0.75, 1.0])}
        yield c(uop, apart, lambda put, a, b, uop=uop: put(uop, [a, b]), (3,))
    yield c("immediate", {"x": (3,)}, lambda put, x: put("MUL", [put("ADD", [x, 0.5]), x]), (3,))
    yield c("WHERE", {"a": (3,), "b": (3,)}, lambda put, a, b, p: put("WHERE", [p, a, b]), (3,),
            others={"p": np.array([True, False, True])})
    yield c("CAST", {"x": (3,)}, lambda put, x: put("CAST", [put("CAST", [x], to="fp16")],
                                                    to="fp32"), (3,), tolerance=5e-2, smooth=False)
    yield c("RESHAPE", {"x": (2, 3)}, lambda put, x: put("RESHAPE", [x], result_shape=[3, 2]), (3, 2))
    yield c("PERMUTE", {"x": (2, 3, 4)}, lambda put, x: put("PERMUTE", [x], perm=[2, 0, 1]),
            (4, 2, 3))
    yield c("EXPAND", {"x": (3,)}, lambda put, x: put("EXPAND", [x], result_shape=[2, 3, 4],
                                                      broadcast_dimensions=[1]), (2, 3, 4))
    yield c("PAD", {"x": (2, 3)}, lambda put, x: put("PAD", [x], pad=[[1, 0], [0, 2]], value=1.0),
            (3, 5))
    yield c("SHRINK", {"x": (5, 7)}, lambda put, x: put("SHRINK", [x], lo=[1, 0], hi=[4, 6],
                                                        step=[1, 4]), (3, 2))
    yield c("FLIP", {"x": (2, 3)}, lambda put, x: put("FLIP", [x], axes=[1]), (2, 3))
    yield c("POOL", {"x": (2, 5, 6)}, lambda put, x: put("POOL", [x], kernel=[2, 3], stride=[2, 1],
                                                         dilation=[1, 2]), (2, 2, 2, 2, 3))
    for name, out, result, expressions, x in (
            ("window", ["n", "y", "k"], [2, 3, 2], ["n", "2*y + k"], (2, 6)),
            ("reversed", ["i", "j"], [3, 2], ["2 - i", "1"], (3, 2)),
            ("diagonal", ["i"], [3], ["i", "i"], (3, 3)),
            ("three", ["i", "j", "k"], [2, 2, 2], ["i + 2*j - k + 1"], (5,)),
            ("repeated", ["i", "j"], [2, 3], ["j"], (3,)),
            ("quotient", ["i"], [7], ["i // 3"], (3,)),
            ("quotient behind", ["i"], [7], ["(i + 2) // 3"], (3,)),
            ("remainder", ["i"], [7], ["i % 3"], (3,)),
            ("remainder reversed", ["i"], [7], ["(5 - i) % 3"], (3,)),
            ("both", ["i"], [10], ["i // 4", "i % 4"], (3, 4)),
            ("beside itself", ["i"], [6], ["i", "i // 2"], (6, 3)),
            ("two divisors", ["i"], [12], ["i // 6", "i // 2 % 3", "i % 2"], (2, 3, 2)),
            ("divisors apart", ["i"], [7], ["i // 2", "i // 3"], (4, 3)),
            ("reshaped", ["i", "j"], [4, 6], ["(6*i + j) // 8", "(6*i + j) % 8"], (3, 8)),
            ("strided", ["i"], [5], ["2*i // 3"], (3,)),
            ("strided beside", ["i"], [5], ["2*i // 3", "i"], (3, 5)),
            ("skewed", ["i", "j"], [5, 4], ["i", "(i + j) // 2"], (5, 4)),
            ("skewed down", ["i", "j"], [5, 4], ["(i - j + 3) // 2", "j"], (4, 4)),
            ("nested", ["i"], [11], ["(i // 2 + 1) // 3"], (3,)),
            ("twice", ["i"], [9], ["i // 3 + i % 3"], (5,)),
            ("with an axis", ["i", "j"], [6, 2], ["i // 2 + 2*j", "0"], (5, 2)),
            ("tiled", ["i", "j"], [5, 6], ["i % 2", "j % 3"], (2, 3))):
        yield c(f"VIEW {name}", {"x": x}, lambda put, x, out=out, result=result, e=expressions: put(
            "VIEW", [x], result_shape=result, index_map={"out": out, "in": e}), result)
    for op in ("SUM", "MAX", "MIN"):
        yield c(f"REDUCE {op}", {"x": (2, 3, 4)}, lambda put, x, op=op: put(
            "REDUCE", [x], op=op, axes=[0, 2], dtype="fp32"), (3,))
    yield c("REDUCE init", {"x": np.array([[0.25, 0.5], [1.5, 2.0]])}, lambda put, x: put(
        "REDUCE", [x], op="MAX", axes=[1], dtype="fp32", init=1.0), (2,))
    yield c("REDUCE PROD", {"x": np.array([[0.5, 1.5, -2], [1.0, 2.0, 0.5]])}, lambda put, x: put(
        "REDUCE", [x], op="PROD", axes=[1], dtype="fp32"), (2,))
    yield c("GEMM", {"a": (2, 3), "b": (3, 2)}, lambda put, a, b: put("REDUCE", [put("MUL", [
        put("EXPAND", [a], result_shape=[2, 2, 3], broadcast_dimensions=[0, 2]),
        put("EXPAND", [put("PERMUTE", [b], perm=[1, 0])], result_shape=[2, 2, 3],
            broadcast_dimensions=[1, 2])])], op="SUM", axes=[2], dtype="fp32"), (2, 2))


# ---- all of them -------------------------------------------------------------------------------

def check_complete(cases):
    """Every operation that has a derivative, and a spelling in a dialect, is in some case."""
    texts = {}
    for case in cases:
        texts[case.dialect] = texts.get(case.dialect, "") + case.text()
    missing = []
    for line in tenon("ops").splitlines()[1:]:
        name = line.split()[0] if line.strip() else ""
        about = tenon("ops", name) if re.fullmatch(r"[a-z]\w*", name) else ""
        derivative = re.search(r"^derivative\s+(\w+)", about, re.M)
        if not derivative or derivative[1] in ("none", "later"):
            continue
        spelled = {d: re.findall(r"\w+", s)[-1] for d, s in re.findall(
            rf"\b({'|'.join(SUFFIX)})\s+(?!none\b)(\S+)", about)}
        if spelled and not any(w in texts.get(d, "") for d, w in spelled.items()):
            missing.append(name)
    if missing:
        raise Failure(f"no case for {', '.join(missing)}")


def check_refused(folder):
    """What has no derivative says so."""
    view = json.dumps({"uops": [
        {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": [2]}},
        {"id": "y", "uop": "VIEW", "src": ["x"], "arg": {
            "result_shape": [999, 4], "index_map": {
                "out": ["i", "j"], "in": ["(i + 997*j) * 991 // 2011 % 2"]}}},
        {"id": "z", "uop": "REDUCE", "src": ["y"],
         "arg": {"op": "SUM", "axes": [0, 1], "dtype": "fp32"}}]})
    path = folder / "view.tiny.json"
    path.write_text(view)
    if "too many pieces" not in tenon("grad", path, status=1):
        raise Failure("the view was differentiated")
    trunc = path.with_name("trunc.tiny.json")
    trunc.write_text(re.sub(r'"arg": \{"result_shape".*?\}\}', '"arg": {}', view).replace(
        "VIEW", "TRUNC").replace("[0, 1]", "[0]"))
    if "unsupported operation" not in tenon("grad", trunc, status=1):
        raise Failure("trunc was differentiated")


def check_linear(folder):
    """Two million instructions have a gradient, which would not end if time or memory grew with their square."""
    ops = ["BinOp ({a}, %0) {{op=Mul}}", "BinOp ({b}, {a}) {{op=Add}}", "Relu ({a})", "Neg ({a})"]
    n = 2_000_000
    lines = ['%0 = Input () {name="x"} : tensor<f32>[4]']
    for i in range(1, n):
        text = ops[i % 4].format(a=f"%{i - 1}", b=f"%{max(0, i - 3)}")
        lines.append(f"%{i} = {text} : tensor<f32>[4]")
    lines.append(f"%{n} = Sum (%{n - 1}) {{axes=[], keepdims=false}} : tensor<f32>[]")
    path = folder / "long.ir"
    path.write_text("\n".join(lines) + f"\noutputs: %{n}\n")
    tenon("grad", path, "-o", folder / "long-gradient.ir")


SIZES = {  # the table in docs/gradients.md: primal, extended, core-v1
    "perceptron": ("""
fn main(x: Tensor<f32, [8, 4]>, w1: Tensor<f32, [4, 16]>, b1: Tensor<f32, [16]>,
        w2: Tensor<f32, [16, 3]>, b2: Tensor<f32, [3]>) -> f32 {
    let y = matmul(relu(matmul(x, w1) + b1), w2) + b2;
    mean(y * y)
}""", 12, 28, 34),
    "cross entropy": ("""
fn main(x: Tensor<f32, [8, 4]>, w: Tensor<f32, [4, 5]>, b: Tensor<f32, [5]>, t: Tensor<i64, [8]>) -> f32 {
    let z = matmul(x, w) + b;
    mean(log(sum(exp(z), axes=[1])) - gather(reshape(z, [40]), t))
}""", 13, 28, 37),
    "strided convolution": ("""
fn main(x: Tensor<f32, [1, 5, 5, 2]>, w: Tensor<f32, [3, 3, 2, 4]>) -> f32 {
    sum(relu(conv2d(x, w, strides=[2, 2], padding=Same)))
}""", 5, 9, 37),
}


def check_sizes(folder):
    """The gradients of the examples have as many instructions as documented, or fewer."""
    table = (ROOT / "docs/gradients.md").read_text()
    for name, (text, *documented) in SIZES.items():
        path = folder / "size.mind"
        path.write_text(text)
        counts = [tenon(*arguments, path).count(" = ") for arguments in (
            ("convert", "--to", "mind"), ("grad",), ("grad", "--profile", "core-v1", "--conv2d"))]
        if counts != documented:
            raise Failure(f"{name}: {counts} instructions, documented are {documented}")
        if not re.search(rf"^\| {name}.*\| {' | '.join(map(str, counts))} \|$".replace(" | ", r" \| "),
                         table, re.M):
            raise Failure(f"docs/gradients.md has other numbers for {name} than {counts}")


def run_case(case):
    with tempfile.TemporaryDirectory(prefix="tenon-grad-") as folder:
        try:
            Bench(case, pathlib.Path(folder)).check()
        except Failure as failure:
            return str(failure)
    return None


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else None
    cases = [*mind_cases(), *ptir_cases(), *tiny_cases()]
    if only in (None, "rest"):
        chosen = [c for i, c in enumerate(cases) if (i % 3 == 0) == (only is None)]
    else:
        chosen = [c for c in cases if only in c.name]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, failure in zip(chosen, pool.map(run_case, chosen)):
            if failure:
                failed += 1
                print(f"FAILED {case.name}\n{failure}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="tenon-grad-") as folder:
        for check in (lambda: check_complete(cases), lambda: check_refused(pathlib.Path(folder)),
                      lambda: check_sizes(pathlib.Path(folder)),
                      lambda: check_linear(pathlib.Path(folder))):
            try:
                check()
            except Failure as failure:
                failed += 1
                print(f"FAILED {failure}\n", flush=True)
    print(f"{len(chosen)} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
