"""Programs of one PTIR operation, in JSON, against what NumPy says of the same data, and programs
that must be refused against the codes of the contract.
"""
import json
import pathlib
import sys
import tempfile
import unittest

import numpy as np

from lib.program import start

DTYPES = {"I1": np.bool_, "Si8": np.int8, "Ui8": np.uint8, "Si16": np.int16, "Ui16": np.uint16,
          "Si32": np.int32, "Ui32": np.uint32, "Si64": np.int64, "Ui64": np.uint64,
          "F16": np.float16, "F32": np.float32, "F64": np.float64, "Cf32": np.complex64,
          "Cf64": np.complex128}
NAMES = {np.dtype(numpy): name for name, numpy in DTYPES.items()}


# ---- programs ----

def shape(*dims):
    return {"dims": [{"Static": d} if isinstance(d, int) else {"Dynamic": d} for d in dims]}


def tensor(dtype, *dims):
    return {"Tensor": {"dtype": dtype, "shape": shape(*dims)}}


def like(x):
    return tensor(NAMES[x.dtype], *x.shape)


def tuple_of(*types):
    return {"Tuple": list(types)}


def value(number):
    return {"Value": number}


def literal(x):
    return {"spec": like(x)["Tensor"], "bytes": list(x.tobytes())}


def instruction(number, op, operands, output):
    return {"id": number, "op": op, "operands": operands, "output": output}


def region(number, parameters, body, results):
    return {"id": number, "parameters": parameters, "body": body, "results": results}


def program(parameters, body, results, result_ids, regions=()):
    main = {"name": "main", "parameters": parameters,
            "parameter_ids": list(range(len(parameters))), "results": results, "body": body,
            "hints": [], "result_ids": result_ids}
    return {"spec_version": "ptir.v0.4", "entry": "main", "functions": [main],
            "regions": list(regions)}


def single(parameters, op, output, regions=()):
    """One operation on the parameters."""
    n = len(parameters)
    return program(parameters, [instruction(n, op, [value(i) for i in range(n)], output)],
                   [output], [n], regions)


def f32(*dims):
    return tensor("F32", *dims)


def numbers(*dims, dtype=np.float32):
    """Small whole numbers of both signs."""
    return (np.arange(int(np.prod(dims))) % 7 - 3).astype(dtype).reshape(dims)


def row(*elements, dtype=np.float32):
    return np.array(elements, dtype)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def tenon(self, command, content, *args):
        file = self.path / "m.ptir.json"
        file.write_text(json.dumps(content))
        return start(command, file, *args)

    def run_on(self, content, inputs):
        args = ["--output", self.path / "out"]
        for i, x in enumerate(inputs):
            np.save(self.path / f"{i}.npy", x)
            args += ["--input", f"{i}={self.path / str(i)}.npy"]
        return self.tenon("run", content, *args)

    def gives(self, content, inputs, *wanted, tolerance=0):
        with self.subTest(op=content["functions"][0]["body"][0]["op"]):
            done = self.run_on(content, inputs)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for i, want in enumerate(map(np.asarray, wanted)):
                got = np.load(self.path / "out" / f"{i}.npy")
                self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
                if tolerance:
                    np.testing.assert_allclose(got, want, tolerance, tolerance)
                else:
                    np.testing.assert_array_equal(got, want)

    def refused(self, code, content, inputs=None):
        """By `check` or, on INPUTS, by `run`."""
        with self.subTest(op=content["functions"][0]["body"][0]["op"], code=code):
            done = (self.tenon("check", content) if inputs is None
                    else self.run_on(content, inputs))
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr.splitlines()[0], rf"\[{code}\]$")


# ---- operations ----

class Elementwise(Case):
    def test_integers_wrap(self):
        functions = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Maximum": np.maximum,
                     "Minimum": np.minimum}
        for name in "Si8", "Si32", "Si64", "Ui8", "Ui32", "Ui64":
            dtype, t = DTYPES[name], tensor(name, 5)
            least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
            a, b = row(least, most, 1, 2, least, dtype=dtype), row(1, most, most, 3, most, dtype=dtype)
            with np.errstate(all="ignore"):
                for op, function in functions.items():
                    self.gives(single([t, t], {"ElementwiseBinary": op}, t), [a, b], function(a, b))
            divide = single([t, t], {"ElementwiseBinary": "Div"}, t)
            self.refused("IntegerDivideByZero", divide, [a, np.zeros_like(a)])
            self.refused("DTypeNotSupported", single([t], {"ElementwiseUnary": "Exp"}, t))
            negate = single([t], {"ElementwiseUnary": "Neg"}, t)
            if name.startswith("U"):
                self.refused("DTypeNotSupported", negate)
                continue
            by = row(-1, 3, 2, -2, -1, dtype=dtype)
            self.gives(divide, [a, by], row(least, int(most) // 3, 0, -1, least, dtype=dtype))
            self.gives(negate, [a], (0 - a).astype(dtype))

    def test_special_floats(self):
        x, t = row(0, -0.0, -1, np.inf, -np.inf, np.nan, 4), f32(7)
        y = row(1, 2, np.nan, np.nan, 1, 1, np.nan)
        with np.errstate(all="ignore"):
            self.gives(single([t], {"ElementwiseUnary": "Log"}, t), [x], np.log(x), tolerance=1e-6)
            self.gives(single([t], {"ElementwiseUnary": "Reciprocal"}, t), [x], 1 / x)
        self.gives(single([t], {"ElementwiseUnary": "Rsqrt"}, t), [x],
                   row(np.inf, -np.inf, np.nan, 0, np.nan, np.nan, .5))
        self.gives(single([t, t], {"ElementwiseBinary": "Maximum"}, t), [x, y], np.fmax(x, y))
        self.gives(single([t, t], {"ElementwiseBinary": "Minimum"}, t), [x, y], np.fmin(x, y))

    def test_compare(self):
        functions = {"Less": np.less, "LessEqual": np.less_equal, "Equal": np.equal,
                     "GreaterEqual": np.greater_equal, "Greater": np.greater,
                     "NotEqual": np.not_equal}
        pairs = [(row(0, -0.0, np.nan, 1), row(-0.0, 1, 1, np.nan)),
                 (row(0, 2**64 - 1, 1, dtype=np.uint64), row(1, 1, 1, dtype=np.uint64)),
                 (row(0, 1, 0, dtype=bool), row(1, 1, 0, dtype=bool))]
        for op, function in functions.items():
            for a, b in pairs:
                self.gives(single([like(a), like(b)], {"Compare": {"op": op}},
                                  tensor("I1", len(a))), [a, b], function(a, b))
        less, i1 = {"Compare": {"op": "Less"}}, tensor("I1", 2)
        complexes = [tensor("Cf32", 2)] * 2
        self.refused("DTypeNotSupported", single(complexes, less, i1))
        self.refused("CompareOperandsMustMatchShape", single([f32(2), f32(3)], less, i1))
        self.refused("CompareOperandsMustMatchShape", single([f32(2), f32(2, 1)], less, i1))
        self.refused("CompareDTypePromotionInvalid", single([f32(2), tensor("F64", 2)], less, i1))
        self.refused("Unspecified", single([f32(2), f32(2)], less, f32(2)))

    def test_choose(self):
        i1, t = tensor("I1", 2), f32(2)
        self.gives(single([i1, t, t], "Select", t), [row(1, 0, dtype=bool), row(1, np.nan),
                                                     row(np.nan, 2)], row(1, 2))
        self.refused("Unspecified", single([tensor("I1"), t, t], "Select", t))
        self.refused("DTypeNotSupported", single([t, t, t], "Select", t))
        self.gives(single([f32(3)] * 3, "Clamp", f32(3)), [row(5, -5, 1), row(2, 0, 0),
                                                           row(1, 9, 9)], row(1, 0, 1))


class Reductions(Case):
    def test_axes(self):
        x = numbers(2, 3, 4)
        for kind, function in ("Sum", np.sum), ("Max", np.max), ("Min", np.min):
            for axes in [0], [2, 0], [-1], [0, 1, 2], []:
                for keep in True, False:
                    want = function(x, axis=tuple(axes), keepdims=keep) if axes else x
                    want = np.asarray(want, np.float32)
                    op = {"Reduce": {"kind": kind, "axes": axes, "keepdims": keep}}
                    self.gives(single([like(x)], op, like(want)), [x], want)

    def test_empty(self):
        for dtype in np.float32, np.int8, np.uint16, np.int64:
            if dtype is np.float32:
                least, most = -np.inf, np.inf
            else:
                least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
            x = np.zeros((0, 2), dtype)
            for kind, identity in ("Sum", 0), ("Max", least), ("Min", most):
                want = np.full(2, identity, dtype)
                op = {"Reduce": {"kind": kind, "axes": [0], "keepdims": False}}
                self.gives(single([like(x)], op, like(want)), [x], want)

    def test_accumulators(self):
        def reduce(**fields):
            return {"Reduce": {"kind": "Sum", "axes": [0], "keepdims": False, **fields}}
        self.gives(single([tensor("Si8", 3)], reduce(accum_dtype="Si32"), tensor("Si8")),
                   [row(127, 127, 1, dtype=np.int8)], np.int8(127))
        self.gives(single([tensor("I1", 3)], reduce(accum_dtype="Si32", out_dtype="Si32"),
                          tensor("Si32")), [np.ones(3, bool)], np.int32(3))
        self.gives(single([f32(3)], reduce(kind="Max"), f32()), [row(1, np.nan, 3)], np.float32(3))
        self.refused("DTypeNotSupported", single([tensor("I1", 3)], reduce(), tensor("I1")))
        for dtype, accumulator in ("F32", "F16"), ("Si32", "F32"), ("Si32", "Si16"), ("Si64", "Cf64"):
            self.refused("InvalidAccumDTypeOverride", single(
                [tensor(dtype, 3)], reduce(accum_dtype=accumulator), tensor(dtype)))
        self.refused("InvalidAttributeValue", single([f32(3)], reduce(axes=[0, -1]), f32()))
        self.refused("InvalidAttributeValue", single([f32(3)], reduce(axes=[1]), f32()))

    def test_positions_and_order(self):
        def arg_max(dtype, axis=-1):
            return {"ArgMax": {"axis": axis, "keepdims": True, "output_dtype": dtype}}

        def top_k(k, largest=True, dtype="Si32"):
            return {"TopK": {"k": k, "axis": -1, "largest": largest, "indices_dtype": dtype}}
        x = row([1, 5, 5], [np.nan, 1, 2])
        for dtype in "Si32", "Si64":
            self.gives(single([like(x)], arg_max(dtype), tensor(dtype, 2, 1)), [x],
                       row([1], [2], dtype=DTYPES[dtype]))
        self.refused("DTypeNotSupported", single([like(x)], arg_max("Ui32"), tensor("Ui32", 2, 1)))
        self.refused("InvalidAttributeValue", single([f32(0, 0)], arg_max("Si32"),
                                                     tensor("Si32", 0, 1)))
        x = row([3, 1, np.nan, 3], [2, 2, 9, -1])
        self.gives(single([like(x)], top_k(3), tuple_of(f32(2, 3), tensor("Si32", 2, 3))), [x],
                   row([3, 3, 1], [9, 2, 2]), row([0, 3, 1], [2, 0, 1], dtype=np.int32))
        self.gives(single([like(x)], top_k(4, False, "Si64"),
                          tuple_of(f32(2, 4), tensor("Si64", 2, 4))), [x],
                   row([1, 3, 3, np.nan], [-1, 2, 2, 9]),
                   row([1, 0, 3, 2], [3, 0, 1, 2], dtype=np.int64))
        self.refused("InvalidAttributeValue", single(
            [like(x)], top_k(5), tuple_of(f32(2, 5), tensor("Si32", 2, 5))))

    def test_segments(self):
        def segments(kind):
            return {"SegmentReduce": {"kind": kind, "num_segments": 4,
                                      "indices_are_sorted": False, "unique": False}}
        x, ids = numbers(4, 2), row(2, 0, 2, 0, dtype=np.int64)
        nothing = [-np.inf] * 2
        self.gives(single([like(x), like(ids)], segments("Max"), f32(4, 2)), [x, ids],
                   row(np.maximum(x[1], x[3]), nothing, np.maximum(x[0], x[2]), nothing))
        for bad in -1, 4:
            self.refused("ScatterIndexOutOfBounds",
                         single([like(x), like(ids)], segments("Sum"), f32(4, 2)),
                         [x, row(0, 0, bad, 0, dtype=np.int64)])


class Contractions(Case):
    def test_dot_general(self):
        def dot(batch_lhs, batch_rhs, lhs, rhs, **more):
            return {"DotGeneral": {"batch_lhs": batch_lhs, "batch_rhs": batch_rhs,
                                   "contract_lhs": lhs, "contract_rhs": rhs, **more}}
        a, b = numbers(2, 3, 4, 5), numbers(3, 5, 2, 4)
        for op, letters in ((dot([1, 0], [0, 2], [3], [1]), "abij,bjak->baik"),
                            (dot([-3, 0], [0, -2], [-1], [1]), "abij,bjak->baik"),
                            (dot([], [], [3, 1], [1, 0]), "abij,bjck->aick")):
            want = np.einsum(letters, a, b)
            self.gives(single([like(a), like(b)], op, like(want)), [a, b], want)
        outer = np.outer(numbers(2), numbers(3)).astype(np.float32)
        self.gives(single([f32(2), f32(3)], dot([], [], [], []), f32(2, 3)),
                   [numbers(2), numbers(3)], outer)
        self.gives(single([f32(2, 0), f32(0, 3)], dot([], [], [1], [0]), f32(2, 3)),
                   [numbers(2, 0), numbers(0, 3)], np.zeros((2, 3), np.float32))
        square = [f32(2, 2), f32(2, 2)]
        self.refused("InvalidAttributeValue", single(square, dot([0], [], [1], [1]), f32(2)))
        self.refused("InvalidAttributeValue", single(square, dot([0], [0], [0], [1]), f32(2)))
        self.refused("Unspecified", single([f32(2, 3), f32(2, 4)], dot([], [], [1], [1]), f32(2, 2)))
        self.refused("DTypeNotSupported", single([tensor("I1", 2)] * 2, dot([], [], [0], [0]),
                                                 tensor("I1")))


class Movement(Case):
    def test_every_dtype(self):
        fills = {"I1": ({"I1": True}, True), "Si64": ({"Signed": -9}, -9),
                 "F16": ({"Float": 1.5}, 1.5), "Cf64": ({"Complex": {"re": 1.0, "im": 2.0}}, 1 + 2j)}
        for name, (spelling, fill) in fills.items():
            x = (np.arange(6) % 3).astype(DTYPES[name]).reshape(2, 3)
            padded = np.full((4, 6), fill, x.dtype)
            padded[1:4:2, 0:6:2] = x
            for op, want in (
                    ({"Reshape": {"new_shape": [{"Explicit": {"Static": 3}}, "Infer"]}},
                     x.reshape(3, 2)),
                    ({"Transpose": {"perm": [-1, 0]}}, x.T),
                    ({"BroadcastTo": {"result_shape": shape(4, 2, 3)}}, np.stack([x] * 4)),
                    ({"Slice": {"starts": [1, 0], "sizes": [1, 2]}}, x[1:2, :2]),
                    ({"Tile": {"repeats": [2, 3]}}, np.tile(x, (2, 3))),
                    ({"Tile": {"repeats": [2, 0]}}, np.tile(x, (2, 0))),
                    ({"Pad": {"low": [1, 0], "high": [0, 1], "interior": [1, 1],
                              "pad_value": spelling}}, padded)):
                self.gives(single([like(x)], op, like(want)), [x], want)
            self.gives(single([like(x)] * 2, {"Concat": {"axis": -1}}, tensor(name, 2, 6)), [x, x],
                       np.concatenate([x, x], 1))

    def test_refused(self):
        invalid, unspecified = "InvalidAttributeValue", "Unspecified"
        for code, parameters, op, output in (
                ("BroadcastRankMismatch", [f32(2, 3)], {"BroadcastTo": {"result_shape": shape(3)}}, f32(3)),
                ("BroadcastDimsInvalid", [f32(2)], {"BroadcastTo": {"result_shape": shape(4)}}, f32(4)),
                ("BroadcastDimsInvalid", [f32(3)], {"BroadcastTo": {"result_shape": shape(1)}}, f32(1)),
                (invalid, [f32(2)], {"Reshape": {"new_shape": ["Infer", "Infer"]}}, f32(2, 1)),
                (invalid, [f32(0)], {"Reshape": {"new_shape": ["Infer", {"Explicit": {"Static": 0}}]}},
                 f32(0, 0)),
                (invalid, [f32(2, 3)], {"Transpose": {"perm": [0, 0]}}, f32(2, 2)),
                (invalid, [f32(2)], {"Slice": {"starts": [1], "sizes": [2]}}, f32(2)),
                (invalid, [f32(2), f32(2)], {"Concat": {"axis": 1}}, f32(4)),
                (unspecified, [f32(2, 3), f32(2, 4)], {"Concat": {"axis": 0}}, f32(4, 3)),
                (unspecified, [f32(), f32()], {"Concat": {"axis": 0}}, f32(2)),
                (invalid, [f32(2)], {"Tile": {"repeats": [1, 1]}}, f32(2)),
                (invalid, [], {"Iota": {"shape": shape(), "dtype": "F32", "axis": 0}}, f32()),
                ("DTypeNotSupported", [], {"Iota": {"shape": shape(2), "dtype": "I1", "axis": 0}},
                 tensor("I1", 2))):
            self.refused(code, single(parameters, op, output))


class Indexing(Case):
    def test_take_and_gather(self):
        x = numbers(4, 3)
        for dtype in np.int32, np.int64:
            i, g = row([3, 0], [1, 1], dtype=dtype), row([3, 0, 1], dtype=dtype).reshape(1, 3)
            self.gives(single([like(x), like(i)], "Take", f32(2, 2, 3)), [x, i], x[i])
            self.gives(single([like(x), like(g)], {"Gather": {"axis": -2}}, f32(1, 3)), [x, g],
                       np.take_along_axis(x, g.astype(int), 0))
        for bad in row(4, dtype=np.int32), row(-1, dtype=np.int32), row(2**32, dtype=np.int64):
            self.refused("GatherIndexOutOfBounds", single([like(x), like(bad)], "Take", f32(1, 3)),
                         [x, bad])
        self.refused("DTypeNotSupported", single([like(x), tensor("Ui32", 1)], "Take", f32(1, 3)))

    def test_scatter(self):
        x, u = numbers(3, 2), (numbers(3, 2) + 1) * 2
        i = row([0, 1], [0, 1], [2, 0], dtype=np.int32)
        folds = {"Add": lambda a, b: a + b, "Max": max, "Min": min, "Replace": lambda a, b: b}
        for how, fold in folds.items():
            want = x.copy()
            for r, c in np.ndindex(3, 2):
                want[i[r, c], c] = fold(want[i[r, c], c], u[r, c])
            self.gives(single([like(x), like(i), like(u)],
                              {"ScatterReduce": {"axis": 0, "reduce": how}}, like(x)), [x, i, u], want)
        rows = {"update_window_dims": [1], "inserted_window_dims": [0],
                "scatter_dims_to_operand_dims": [0]}
        x, u, i = numbers(4, 3), numbers(3, 3), row(1, 3, 1, dtype=np.int32)
        want = x.copy()
        np.add.at(want, i, u)
        for indices, more in ((i, {}), (i, {"index_vector_dim": 1}),
                              (i[:, None], {"index_vector_dim": 1}), (i[None], {"index_vector_dim": 0})):
            self.gives(single([like(x), like(indices), like(u)], {"ScatterAdd": rows | more}, like(x)),
                       [x, indices, u], want)
        self.refused("ScatterIndexOutOfBounds",
                     single([like(x), like(i), like(u)], {"ScatterAdd": rows}, like(x)),
                     [x, row(0, 4, 0, dtype=np.int32), u])

    def test_dynamic_slices(self):
        x = numbers(4, 3)
        self.gives(single([like(x), tensor("Si64", 2)], {"DynamicSlice": {"sizes": [2, 2]}}, f32(2, 2)),
                   [x, row(2**40, -5, dtype=np.int64)], x[2:4, 0:2])
        want = x.copy()
        want[2:4, 1:3] = 9
        self.gives(single([like(x), f32(2, 2), tensor("Si32", 2)],
                          {"DynamicUpdateSlice": {"sizes": [2, 2]}}, like(x)),
                   [x, np.full((2, 2), 9, np.float32), row(7, 1, dtype=np.int32)], want)
        self.refused("InvalidAttributeValue", single(
            [like(x), tensor("Si32", 2)], {"DynamicSlice": {"sizes": [5, 2]}}, f32(5, 2)))


class Windows(Case):
    @staticmethod
    def windows(x, size, stride, padding, base, dilation, identity):
        spread = np.full((len(x) - 1) * base + 1, identity, np.float32)
        spread[::base] = x
        spread = np.pad(spread, padding, constant_values=identity)
        span = (size - 1) * dilation + 1
        return [spread[at:at + span:dilation] for at in range(0, len(spread) - span + 1, stride)]

    def test_reduce_window(self):
        x = numbers(6)
        kinds = ("Sum", np.sum, 0), ("Max", np.max, -np.inf), ("Min", np.min, np.inf)
        for size, stride, padding, base, dilation in ((2, 1, (0, 0), 1, 1), (3, 2, (1, 2), 1, 1),
                                                      (2, 2, (0, 1), 2, 3), (1, 1, (3, 3), 3, 1)):
            for kind, function, identity in kinds:
                want = row(*map(function, self.windows(x, size, stride, padding, base, dilation,
                                                       identity)))
                op = {"ReduceWindow": {
                    "window_dims": [size], "strides": [stride], "padding": [list(padding)],
                    "base_dilation": [base], "window_dilation": [dilation], "reduce": kind}}
                self.gives(single([like(x)], op, like(want)), [x], want)
        fields = {"window_dims": [2], "strides": [1], "padding": [[0, 0]], "base_dilation": [1],
                  "window_dilation": [1], "reduce": "Sum"}
        for change in ({"window_dims": [3]}, {"strides": [0]}, {"base_dilation": [0]},
                       {"window_dilation": [0]}):
            self.refused("InvalidAttributeValue",
                         single([f32(2)], {"ReduceWindow": fields | change}, f32(1)))

    def test_patches(self):
        x = numbers(1, 4, 5, 2)
        padded = np.full((1, 5, 6, 2), 7, np.float32)
        padded[:, 1:, :5] = x
        want = np.stack([np.stack([np.concatenate([padded[0, i + 2 * a, 2 * j + b]
                                                   for a in range(2) for b in range(3)])
                                   for j in range(2)]) for i in range(3)])[None]
        op = {"ExtractPatches": {"window": [2, 3], "strides": [1, 2], "dilation": [2, 1],
                                 "padding": [[1, 0], [0, 1]], "pad_value": {"Float": 7.0}}}
        self.gives(single([like(x)], op, like(want)), [x], want)


class Composites(Case):
    def test_layer_norm(self):
        x, gamma, beta = numbers(3, 4) * np.float32(1.5), numbers(4), numbers(4) + 1
        centred = x - x.mean(1, keepdims=True)
        want = centred / np.sqrt(x.var(1, keepdims=True) + 1e-5) * gamma + beta
        for axis, data, result in (-1, x, want), (0, x.T.copy(), want.T.copy()):
            op = {"LayerNorm": {"epsilon": 1e-5, "feature_axis": axis}}
            self.gives(single([like(data), f32(4), f32(4)], op, like(data)), [data, gamma, beta],
                       result.astype(np.float32), tolerance=1e-5)

    def test_quantisation(self):
        x, scale, zero = row(1.2, -300, .25, 2.75), np.float32(.5), np.int8(3)
        si8, point = tensor("Si8", 4), [f32(), tensor("Si8")]
        quantised = np.clip(np.round(x / scale) + 3, -128, 127).astype(np.int8)
        self.gives(single([like(x)], {"Quantize": {"output_dtype": "Si8"}}, si8),
                   [row(1.9, -300, np.nan, 2.5)], row(1, -128, 0, 2, dtype=np.int8))
        self.gives(single([like(x), *point], {"Quantize": {"output_dtype": "Si8"}}, si8),
                   [x, scale, zero], quantised)
        self.gives(single([si8, *point], {"Dequantize": {}}, f32(4)), [quantised, scale, zero],
                   (quantised.astype(np.float32) - 3) * scale)
        self.gives(single([si8, *point, f32(), tensor("Ui8")], {"Requantize": {"output_dtype": "Ui8"}},
                          tensor("Ui8", 4)),
                   [quantised, scale, zero, np.float32(1), np.uint8(10)],
                   np.clip(np.round((quantised.astype(np.float32) - 3) * scale) + 10, 0, 255)
                   .astype(np.uint8))


class ControlFlow(Case):
    def test_cond(self):
        add = region(0, [f32(2)] * 2, [instruction(2, {"ElementwiseBinary": "Add"},
                                                   [value(0), value(1)], f32(2))], [f32(2)])
        # parameters under other ids, which are taken in ascending order
        take = region(1, [f32(2)] * 2, [instruction(50, {"ElementwiseBinary": "Sub"},
                                                    [value(20), value(10)], f32(2))], [f32(2)])
        op, a, b = {"Cond": {"true_region": 0, "false_region": 1}}, row(1, 2), row(3, 5)
        parameters = [tensor("I1"), f32(2), f32(2)]
        for output in f32(2), tuple_of(f32(2)):
            chosen = single(parameters, op, output, [add, take])
            self.gives(chosen, [np.bool_(True), a, b], a + b)
            self.gives(chosen, [np.bool_(False), a, b], b - a)
        other = region(1, [f32(2)], [instruction(1, "StopGradient", [value(0)], f32(2))], [f32(2)])
        self.refused("RegionSignatureMismatch", single(parameters, op, f32(2), [add, other]))
        self.refused("Unspecified", single(parameters, op, f32(2), [add]))

    def test_while_returns_what_its_condition_made(self):
        i32 = tensor("Si32")
        one, two, ten = ({"Literal": literal(np.array(n, np.int32))} for n in (1, 2, 10))
        condition = region(0, [i32], [
            instruction(1, {"ElementwiseBinary": "Add"}, [value(0), one], i32),
            instruction(2, {"Compare": {"op": "Less"}}, [value(1), ten], tensor("I1")),
            instruction(3, "StopGradient", [value(1)], i32)], [tensor("I1"), i32])
        body = region(1, [i32], [instruction(1, {"ElementwiseBinary": "Mul"}, [value(0), two], i32)],
                      [i32])
        op = {"While": {"cond_region": 0, "body_region": 1}}
        carry = 1 + 1
        while carry < 10:
            carry = 2 * carry + 1
        self.gives(single([i32], op, i32, [condition, body]), [np.int32(1)], np.int32(carry))
        self.refused("RegionSignatureMismatch", single([f32()], op, f32(), [condition, body]))

    def test_scan(self):
        body = region(0, [f32(), f32(2)], [
            instruction(2, {"Reduce": {"kind": "Sum", "axes": [0], "keepdims": False}}, [value(1)], f32()),
            instruction(3, {"ElementwiseBinary": "Add"}, [value(0), value(2)], f32()),
            instruction(4, "StopGradient", [value(3)], f32())], [f32(), f32()])
        op = {"Scan": {"body_region": 0, "carry_count": 1, "scan_output_count": 1}}
        for steps in 3, 0:
            x = numbers(steps, 2)
            sums = (1 + np.cumsum(x.sum(1))).astype(np.float32)
            self.gives(single([f32(), like(x)], op, tuple_of(f32(), f32(steps)), [body]),
                       [np.float32(1), x], sums[-1] if steps else np.float32(1), sums)


class Symbols(Case):
    def test_extents_of_a_run(self):
        add = {"ElementwiseBinary": "Add"}
        both = single([f32("B", 4)] * 2, add, f32("B", 4))
        for n in 3, 1, 0:
            self.gives(both, [numbers(n, 4)] * 2, numbers(n, 4) * 2)
        mismatch = "DynamicDimensionMismatch"
        self.refused(mismatch, both, [numbers(3, 4), numbers(2, 4)])
        self.refused(mismatch, both, [numbers(3, 5), numbers(3, 5)])
        two = single([f32("A"), f32("B")], add, f32("A"))
        self.gives(two, [numbers(3)] * 2, numbers(3) * 2)
        self.refused(mismatch, two, [numbers(3), numbers(2)])
        self.refused(mismatch, two, [numbers(3), numbers(1)])
        self.refused(mismatch, single([f32("A"), f32(3)], add, f32(3)), [numbers(2), numbers(3)])

    def test_extents_that_follow(self):
        joined = single([f32("A"), f32("B")], {"Concat": {"axis": 0}}, f32("C"))
        self.gives(joined, [numbers(3), numbers(2)], np.concatenate([numbers(3), numbers(2)]))
        folded = single([f32("A", 4)], {"Reshape": {"new_shape": ["Infer", {"Explicit": {"Static": 2}}]}},
                        f32("N", 2))
        self.gives(folded, [numbers(3, 4)], numbers(3, 4).reshape(-1, 2))


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed != 0)
