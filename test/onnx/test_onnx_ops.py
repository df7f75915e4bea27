"""Operators of ONNX beyond the official test models: corner cases, against NumPy."""
import json
import pathlib
import re
import tempfile
import unittest

import numpy as np

from lib.onnx_case import Case, floats, ints, random
from lib.onnx_files import model, node, put_tensor
from lib.program import ROOT, start


class Operators(Case):
    def test_operators_of_one_operation(self):
        """An operation that is written as one operator is what that is read as."""
        rows = re.findall(r'^PLAIN\((\w+), "(\w+)"', (ROOT / "src/dialect/onnx/write/ops.def").read_text(), re.M)
        self.assertGreater(len(rows), 20)
        for op, name in rows:
            read = []
            for inputs in "x", "x y":
                data = model([node(name, inputs, "z")], [(i, "f32", [3]) for i in inputs.split()], [("z", "f32", None)])
                with tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder, "m.onnx")
                    path.write_bytes(data)
                    done = start("info", path, "--json", "-O0")
                read += json.loads(done.stdout)["ops"] if done.returncode == 0 else []
            self.assertEqual(read, [op.lower()], name)

    def test_einsum(self):
        shapes = {"i": 2, "j": 3, "k": 4, "l": 5, "b": 2}
        for equation in ("ij,jk->ik", "ij,jk", "ij->ji", "ii->i", "ii", "bij,bjk->bik", "i,j->ij", "ij,ij->", "ijk->j",
                         "ij,jk,kl->il", "ij,jk,ki->", "bi,bj,bk->ijk", "iij,j->i", "bijk,bijk->bk", "i,i->i", "ij,k->"):
            with self.subTest(equation=equation):
                arrays = [floats(*(shapes[x] for x in term)) for term in equation.split("->")[0].split(",")]
                got, = self.results("Einsum", 1, *arrays, equation=equation)
                np.testing.assert_allclose(got, np.einsum(equation, *arrays), rtol=1e-5)

    def test_einsum_of_an_ellipsis(self):
        for equation, a, b in (("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)), ("...ij,jk->...ik", (5, 2, 3, 4), (4, 5)),
                               ("...i,...i->...", (2, 3), (2, 3)),
                               ("...ij,...jk->...ik", (1, 3, 4), (2, 4, 5)), ("...,...", (2, 3), (2, 3))):
            with self.subTest(equation=equation):
                x, y = floats(*a), floats(*b)
                got, = self.results("Einsum", 1, x, y, equation=equation)
                np.testing.assert_allclose(got, np.einsum(equation, x, y), rtol=1e-5)

    def test_resize_by_rounded_scales(self):
        """1.4 in f32 is below 7 / 5, and 0.6 above 3 / 5: exporters mean the quotients."""
        x = floats(5, 6)
        data = model([node("Upsample", "x s", "y", mode="nearest")], [("x", "f32", [5, 6])], [("y", "f32", None)],
                     [("s", np.array([1.4, 1.5], np.float32))], opset=9)
        got, = self.run_model(data, {"x": x})
        np.testing.assert_array_equal(got, x[[0, 0, 1, 2, 2, 3, 4]][:, [0, 0, 1, 2, 2, 3, 4, 4, 5]])
        x = floats(7)
        data = model([node("Resize", "x - s", "y", mode="nearest", coordinate_transformation_mode="asymmetric",
                           nearest_mode="floor")], [("x", "f32", [7])], [("y", "f32", None)], [("s", np.array([0.6], np.float32))])
        got, = self.run_model(data, {"x": x})
        np.testing.assert_array_equal(got, x[[0, 1, 3, 5]])

    def test_cast_integers(self):
        x = np.array([-(1 << 63), -(1 << 32) - 2, -129, -1, 0, 127, 128, 200, 65535, (1 << 32) + 5], np.int64)
        for number, dtype in ((2, np.uint8), (3, np.int8), (4, np.uint16), (5, np.int16), (6, np.int32), (12, np.uint32),
                              (13, np.uint64), (7, np.int64)):
            with self.subTest(dtype=dtype):
                got, = self.results("Cast", 1, x, to=number)
                np.testing.assert_array_equal(got, x.astype(dtype), strict=True)
        got, = self.results("CastLike", 1, x, np.zeros(3, np.int8))
        np.testing.assert_array_equal(got, x.astype(np.int8), strict=True)

    def test_mod_of_floats(self):
        """Exact, however large the quotient is; by infinities the dividend."""
        for t in (np.float16, np.float32, np.float64):
            x = np.array([[1e4, -7.5, 0.3, -0.0, 6e4, 5, np.inf, np.finfo(t).max]], t)
            y = np.array([[0.1], [3], [-np.inf], [np.finfo(t).tiny], [0]], t)
            got, = self.results("Mod", 1, x, y, fmod=1)
            with np.errstate(all="ignore"):
                want = np.fmod(x, y)
            np.testing.assert_array_equal(got, want, strict=True)
            np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(want[want == 0]))

    def test_pow_of_known_exponents(self):
        """Squares and cubes are products, also where the exponent has other types and shapes; others are roots, inverses or powers."""
        x = np.array([[-3.5, -0.0, 0.1, 7e9, np.inf]], np.float32)
        for exponent in (np.float32(2), np.array([2], np.int64), np.array([[3.0]], np.float32), np.full((2, 1), 2, np.int32)):
            data = model([node("Pow", "x e", "y")], [("x", "f32", [1, 5])], [("y", "f32", None)], [("e", np.asarray(exponent))])
            got, = self.run_model(data, {"x": x})
            wanted = np.broadcast_to(x * x * (x if np.max(exponent) == 3 else np.float32(1)), got.shape)
            np.testing.assert_array_equal(got, wanted)
        for t, few in (np.float32, 1e-6), (np.float64, 1e-14), (np.float16, 1e-3):
            x = np.array([[-3.5, -0.0, 0, 0.1, 5e4, 2, np.inf, -np.inf, np.nan]], t)
            for exponent in (t(0.5), t(-0.5), np.array([[-1]], np.int64), t(1.5), t(-2)):
                data = model([node("Pow", "x e", "y")], [("x", f"f{t().itemsize * 8}", [1, 9])], [("y", f"f{t().itemsize * 8}", None)],
                             [("e", np.asarray(exponent))])
                got, = self.run_model(data, {"x": x})
                with np.errstate(all="ignore"):
                    wanted = np.power(x, np.asarray(exponent, t))
                np.testing.assert_allclose(got, wanted, rtol=few)
                np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(wanted[wanted == 0]))

    def test_cast_known_integers(self):
        """Positions that are known while the file is read."""
        data = model([node("Cast", "w", "i", to=6), node("Gather", "x i", "y")], [("x", "f32", [3])], [("y", "f32", None)],
                     [("w", np.array([1 << 32, (1 << 32) + 2]))])
        got, = self.run_model(data, {"x": np.array([1, 2, 3], np.float32)})
        np.testing.assert_array_equal(got, [1, 3])

    def test_shapes_from_known_floats(self):
        """Detectors of torchvision compute the size of an image by such factors."""
        data = model([node("ReduceMin", "sizes", "least", keepdims=0), node("Reciprocal", "least", "factor"),
                      node("Mul", "factor most", "scale"), node("Mul", "sizes scale", "scaled"), node("Cast", "scaled", "shape", to=7),
                      node("Reshape", "x shape", "y")], [("x", "f32", [32])], [("y", "f32", None)],
                     [("sizes", np.array([2, 4], np.float32)), ("most", np.float32(4))])
        x = floats(32)
        got, = self.run_model(data, {"x": x})
        np.testing.assert_array_equal(got, x.reshape(4, 8))

    def test_shapes_from_narrow_numbers(self):
        """Arithmetic on shapes in every type that is kept: rounded, and wrapped, as the operators do."""
        x = floats(32)
        for number, dtype in (3, np.int8), (2, np.uint8), (5, np.int16), (4, np.uint16), (6, np.int32), (12, np.uint32), (10, np.float16):
            wrapping = np.array([100, 99], np.int64).astype(dtype) if dtype in (np.int8, np.uint8) else np.array([300, 299], dtype)
            data = model([node("Shape", "x", "n"), node("Cast", "n", "m", to=number), node("Div", "m four", "rows"),
                          node("Mul", "big big", "squares"), node("ReduceMin", "squares", "least"), node("Cast", "least", "wide", to=7),
                          node("Cast", "rows", "first", to=7), node("Concat", "first rest", "shape", axis=0), node("Reshape", "x shape", "y"),
                          node("Identity", "wide", "z")],
                         [("x", "f32", [32])], [("y", "f32", None), ("z", "si64", None)],
                         [("four", np.array([4], dtype)), ("big", wrapping), ("rest", ints(-1))])
            with self.subTest(dtype=dtype), np.errstate(over="ignore"):
                y, z = self.run_model(data, {"x": x})
                np.testing.assert_array_equal(y, x.reshape(8, 4))
                least = (wrapping * wrapping).min()
                self.assertEqual(z[0], np.iinfo(np.int64).max if np.isinf(least) else least)

    def test_a_known_half_is_rounded(self):
        """Once to f32 and then to f16, as the operators do; the reshape would be refused were it not known."""
        third, x = np.array([1 / 3], np.float16), floats(12)
        data = model([node("Mul", "nine third", "s"), node("Floor", "s", "f"), node("Cast", "f", "n", to=7), node("Concat", "n rest", "shape", axis=0),
                      node("Reshape", "x shape", "y"), node("Identity", "s", "z")], [("x", "f32", [12])], [("y", "f32", None), ("z", "f16", None)],
                     [("nine", np.array([9.003], np.float16)), ("third", third), ("rest", ints(-1))])
        y, z = self.run_model(data, {"x": x})
        self.assertEqual(z[0], np.float16(9.003) * third[0])
        self.assertEqual(y.shape[0], int(np.floor(z[0])))

    def test_gather_fewer_elements(self):
        x = floats(4, 5)
        got, = self.results("GatherElements", 1, x, np.array([[3, -1], [0, 2]], dtype=np.int64), axis=0)
        np.testing.assert_array_equal(got, [[x[3, 0], x[3, 1]], [x[0, 0], x[2, 1]]])

    def test_scatter_twice(self):
        x, i, u = floats(3, 4), np.array([[1, 1, -2]], dtype=np.int64), floats(1, 3)
        for how, combine in (("add", lambda a, b: a + b), ("mul", lambda a, b: a * b), ("max", max), ("min", min)):
            with self.subTest(how=how):
                want = x.copy()
                for k in range(3):
                    want[0, i[0, k]] = combine(want[0, i[0, k]], u[0, k])
                got, = self.results("ScatterElements", 1, x, i, u, axis=1, reduction=how)
                np.testing.assert_array_equal(got, want)

    def test_scatter_rows(self):
        x, u = floats(4, 3), floats(2, 3)
        got, = self.results("ScatterND", 1, x, np.array([[-1], [1]], dtype=np.int64), u)
        want = x.copy()
        want[[3, 1]] = u
        np.testing.assert_array_equal(got, want)

    def test_gather_batches(self):
        x, i = floats(2, 3, 4), np.array([[[2]], [[-3]]], dtype=np.int64)
        got, = self.results("GatherND", 1, x, i, batch_dims=1)
        np.testing.assert_array_equal(got, np.stack([x[0, [2]], x[1, [0]]]))

    def test_quantise_blocks(self):
        x, scale = floats(2, 6), np.array([[0.5, 0.25, 1], [2, 0.125, 1]], dtype=np.float32)
        zero = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)
        got, = self.results("QuantizeLinear", 1, x, scale, zero, opset=21, axis=1, block_size=2)
        want = np.rint(x / scale.repeat(2, 1)) + zero.repeat(2, 1)
        np.testing.assert_array_equal(got, np.clip(want, 0, 255).astype(np.uint8))
        back, = self.results("DequantizeLinear", 1, got, scale, zero, opset=21, axis=1, block_size=2)
        np.testing.assert_array_equal(back, (got.astype(np.float32) - zero.repeat(2, 1)) * scale.repeat(2, 1))

    def test_sums_of_integers(self):
        x = random.integers(0, 255, (1, 4, 6, 6)).astype(np.uint8)
        f, zeros = random.integers(-127, 127, (6, 2, 3, 3)).astype(np.int8), ints(*range(6)).astype(np.int8)
        got, = self.results("ConvInteger", 1, x, f, np.array(100, np.uint8), zeros, group=2, pads=[1, 0, 1, 0])
        wide, filters = x.astype(np.int64) - 100, f.astype(np.int64) - zeros.reshape(6, 1, 1, 1)
        padded = np.pad(wide, [(0, 0), (0, 0), (1, 1), (0, 0)])
        want = np.zeros((1, 6, 6, 4), np.int64)
        for o in range(6):
            part = padded[:, 2 * (o // 3):2 * (o // 3) + 2]
            for i in range(6):
                for j in range(4):
                    want[0, o, i, j] = (part[0, :, i:i + 3, j:j + 3] * filters[o]).sum()
        np.testing.assert_array_equal(got, want)
        scale, scales = np.array(0.5, np.float32), np.full(6, 0.25, np.float32)
        bias = np.arange(6, dtype=np.int32) * 100
        got, = self.results("QLinearConv", 1, x, scale, np.array(100, np.uint8), f, scales, zeros,
                            np.array(64, np.float32), np.array(128, np.uint8), bias, group=2, pads=[1, 0, 1, 0])
        real = (want + bias.reshape(6, 1, 1)).astype(np.float32) * np.float32(0.125)
        np.testing.assert_array_equal(got, np.clip(np.rint(real / 64) + 128, 0, 255).astype(np.uint8))

    def test_rms(self):
        x, scale = floats(2, 3, 4), floats(4)
        want = x / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-5) * scale
        for op, opset, domain in (("RMSNormalization", 23, ""), ("SimplifiedLayerNormalization", 17, "")):
            got, = self.results(op, 1, x, scale, opset=opset, domain=domain)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
        got, total = self.results("SkipSimplifiedLayerNormalization", "y0 - - y3", x, x, scale, domain="com.microsoft")
        np.testing.assert_array_equal(total, x + x)
        want = 2 * x / np.sqrt((4 * x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-5) * scale
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)

    def test_rms_of_two_types(self):
        """The result has the type of the scale, and is rounded to it alone."""
        for x, scale in (floats(2, 4).astype(np.float16), floats(4)), (floats(2, 4), floats(4).astype(np.float16)):
            wide = x.astype(np.float64)
            want = wide / np.sqrt((wide ** 2).mean(-1, keepdims=True) + 1e-5) * scale
            for op in "RMSNormalization", "SimplifiedLayerNormalization":
                got, = self.results(op, 1, x, scale, opset=23)
                self.assertEqual(got.dtype, scale.dtype)
                np.testing.assert_allclose(got, want, rtol=1e-6 if scale.dtype == np.float32 else 2e-3, atol=1e-6)

    def test_layer_norm(self):
        x, scale, bias = floats(2, 3, 4), floats(4), floats(4)
        wide = x.astype(np.float64) - x.mean(-1, keepdims=True, dtype=np.float64)
        want = wide / np.sqrt((wide ** 2).mean(-1, keepdims=True) + 1e-5) * scale + bias
        for opset in 11, 17:  # ONNX Runtime writes it into models of older versions
            got, = self.results("LayerNormalization", 1, x, scale, bias, opset=opset)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)

    def one_hot(self, depth, extent):
        given = [put_tensor(depth, "depth"), put_tensor(floats(2), "values")]
        return model([node("OneHot", "x depth values", "y")], [("x", "si64", [extent])], [("y", "f32", None)], given)

    def test_one_hot_of_no_extent(self):
        """A depth that is none, in a model with an open size too: as a number of 64 bits it would be that size."""
        for number in -1, np.nan, np.inf, -np.inf, 1e30, -9.3e18:
            for extent in 3, "n":
                with self.subTest(number=number, extent=extent):
                    depth = ints(number) if number == -1 else np.array([number], np.float32)
                    self.assertEqual(self.refused(self.one_hot(depth, extent)), ["InvalidDimension"])

    def test_one_hot_of_a_float(self):
        got, = self.run_model(self.one_hot(np.array([2.75], np.float32), 3), {"x": ints(0, 1, 2)})
        self.assertEqual(got.shape, (3, 2))

    def test_cumulative_products(self):
        x = np.float32([[2, -1, 0.5], [4, 3, -2]])
        for exclusive, reverse, want in ((0, 0, [[2, -2, -1], [4, 12, -24]]), (1, 0, [[1, 2, -2], [1, 4, 12]]),
                                         (0, 1, [[-1, -0.5, 0.5], [-24, -6, -2]]), (1, 1, [[-0.5, 0.5, 1], [-6, -2, 1]])):
            data = model([node("CumProd", "x a", "y", exclusive=exclusive, reverse=reverse)], [("x", "f32", [2, 3])], [("y", "f32", None)], [("a", np.int32(-1))], opset=26)
            np.testing.assert_array_equal(self.run_model(data, {"x": x})[0], want)

    def test_casts_of_bits(self):
        x = np.float32([0, -0.0, 1, np.inf, -2.5])
        data = model([node("BitCast", "x", "i", to=6), node("BitCast", "i", "u", to=12), node("BitCast", "u", "f", to=1)],
                     [("x", "f32", [5])], [("i", "si32", None), ("u", "ui32", None), ("f", "f32", None)], opset=26)
        for got, dtype in zip(self.run_model(data, {"x": x}), ("int32", "uint32", "float32")):
            self.assertEqual((got.dtype, got.tobytes()), (dtype, x.tobytes()))
        for to, kind in (11, "DTypeNotSupported"), (10, "DTypeNotSupported"), (9, "DTypeNotSupported"), (8, "UnknownDType"), (77, "UnknownDType"):
            self.assertEqual(self.refused(model([node("BitCast", "x", "y", to=to)], [("x", "f32", [5])], [("y", "f32", None)], opset=26)), [kind])

    def test_no_elements(self):
        """Where there are none, none is the largest, and no window of channels has any."""
        for shape in (3, 0), (0, 3), (0, 0), (2, 0, 3):
            x = np.zeros(shape, np.float32)
            for opset in 12, 13:
                for axis in range(len(shape)):
                    for op in "Hardmax", "Softmax", "LogSoftmax":
                        with self.subTest(op=op, shape=shape, axis=axis, opset=opset):
                            got, = self.results(op, 1, x, axis=axis, opset=opset)
                            np.testing.assert_array_equal(got, x, strict=True)
            got, = self.results("LRN", 1, x, size=3)
            np.testing.assert_array_equal(got, x, strict=True)

    def test_empty_lists_are_no_number(self):
        """Where one number is wanted, a list of none must not leave it unset."""
        none = put_tensor(ints(), "k")
        x, y = [("x", "f32", [2, 3])], [("y", "f32", None)]
        for op, inputs, domain in (("CumSum", "x k", ""), ("TopK", "x k", ""), ("ExpandDims", "x k", "com.microsoft")):
            with self.subTest(op=op):
                outputs = "y i" if op == "TopK" else "y"
                data = model([node(op, inputs, outputs, domain=domain)], x, y, [none], domains=[(domain, 1)] if domain else [])
                self.assertEqual(self.refused(data), ["InvalidAttribute"])
        self.assertEqual(self.refused(self.one_hot(ints(), 3)), ["DataDependentShape"])

    def attended(self, q, k, v, mask):
        scores = np.einsum("bhsd,bhtd->bhst", q.astype(np.float64), k) / np.sqrt(q.shape[-1]) + mask
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return np.einsum("bhst,bhtd->bhsd", weights / weights.sum(-1, keepdims=True), v)

    def test_attention(self):
        q, k, v = floats(2, 4, 3, 8), floats(2, 4, 5, 8), floats(2, 4, 5, 6)
        got, = self.results("Attention", 1, q, k, v, opset=23)
        np.testing.assert_allclose(got, self.attended(q, k, v, 0), rtol=1e-5, atol=1e-5)
        seen = random.integers(0, 2, (3, 5)).astype(bool) | (np.arange(5) == 0)
        got, = self.results("Attention", 1, q, k, v, seen, opset=23)
        np.testing.assert_allclose(got, self.attended(q, k, v, np.where(seen, 0, -np.inf)), rtol=1e-5, atol=1e-5)
        got, = self.results("Attention", 1, q, k, v, opset=23, is_causal=1)
        causal = np.where(np.tril(np.ones((3, 5))) > 0, 0, -np.inf)
        np.testing.assert_allclose(got, self.attended(q, k, v, causal), rtol=1e-5, atol=1e-5)

    def test_attention_in_heads_behind_a_cache(self):
        flat = floats(2, 3, 32), floats(2, 3, 16), floats(2, 3, 16)
        split = [x.reshape(2, 3, -1, 8).transpose(0, 2, 1, 3) for x in flat]
        old_k, old_v = floats(2, 2, 4, 8), floats(2, 2, 4, 8)
        got, all_k, all_v = self.results("Attention", 3, *flat, None, old_k, old_v, opset=23, is_causal=1, q_num_heads=4,
                                         kv_num_heads=2)
        np.testing.assert_array_equal(all_k, np.concatenate([old_k, split[1]], 2))
        np.testing.assert_array_equal(all_v, np.concatenate([old_v, split[2]], 2))
        k, v = all_k.repeat(2, 1), all_v.repeat(2, 1)
        want = self.attended(split[0], k, v, np.where(np.tril(np.ones((3, 7)), 4) > 0, 0, -np.inf))
        np.testing.assert_allclose(got, want.transpose(0, 2, 1, 3).reshape(2, 3, 32), rtol=1e-5, atol=1e-5)

    def test_scores_of_attention(self):
        q, k, v = floats(2, 2, 3, 4), floats(2, 2, 5, 4), floats(2, 2, 5, 4)
        mask, cap = floats(3, 5), 2.5
        scaled = np.einsum("bhsd,bhtd->bhst", q, k) / 2
        capped = np.tanh(scaled / cap) * cap
        masked = capped + mask
        shares = np.exp(masked) / np.exp(masked).sum(-1, keepdims=True)
        for mode, want in enumerate((scaled, capped, masked, shares)):
            got, scores = self.results("Attention", "y - - s", q, k, v, mask, opset=23, softcap=cap, qk_matmul_output_mode=mode)
            np.testing.assert_allclose(scores, want, rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(got, shares @ v, rtol=1e-4, atol=1e-5)

    def test_attention_to_so_many_keys(self):
        """What lies behind them in a cache is not looked at."""
        q, k, v, lengths = floats(2, 2, 2, 4), floats(2, 2, 6, 4), floats(2, 2, 6, 4), ints(4, 6)
        for causal in 0, 1:
            want = np.zeros((2, 2, 2, 4))
            for b, row in np.ndindex(2, 2):
                n = lengths[b] - causal * (1 - row)
                scores = np.exp(np.einsum("hd,htd->ht", q[b, :, row], k[b, :, :n]) / 2)
                want[b, :, row] = np.einsum("ht,htd->hd", scores / scores.sum(-1, keepdims=True), v[b, :, :n])
            got, = self.results("Attention", 1, q, k, v, None, None, None, lengths, opset=24, is_causal=causal)
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)

    def test_reduced_over_no_axes(self):
        x = floats(2, 3)
        for op, want in {"Sum": x, "L1": abs(x), "L2": abs(x), "SumSquare": x * x, "LogSumExp": x, "LogSum": np.log(np.abs(x) + 1)}.items():
            got, = self.results("Reduce" + op, 1, np.abs(x) + 1 if op == "LogSum" else x, noop_with_empty_axes=1)
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)

    def test_reduced_integers(self):
        """Roots and logarithms are cut off."""
        for dtype in np.int32, np.int64:
            x = np.array([[3, 4, 1], [8, -9, 2], [1, 1, 1]], dtype)
            for op, want in {"L2": [5, 12, 1], "LogSumExp": [4, 8, 2], "LogSum": [2, 0, 1]}.items():
                got, = self.results("Reduce" + op, 1, x, ints(1), keepdims=0)
                np.testing.assert_array_equal(got, np.array(want, dtype), strict=True)

    def test_before_version_10(self):
        """Operators that converters for Core ML wrote."""
        x = floats(1, 3, 4, 5)
        def given(op, **attributes):
            return self.results(op, 1, x, opset=8, **attributes)[0]
        x6 = np.array([-1, 2], np.float32)
        for version, alpha, gamma in (1, 1.6732, 1.0507), (6, 1.67326319, 1.05070102):  # whose numbers are not those of each other
            got, = self.results("Selu", 1, x6, opset=version)
            np.testing.assert_allclose(got, [gamma * alpha * np.expm1(-1), gamma * 2], rtol=1e-6)
        np.testing.assert_allclose(given("Affine", alpha=2.0, beta=0.5), 2 * x + 0.5, rtol=1e-6)
        np.testing.assert_allclose(given("ScaledTanh", alpha=1.5, beta=0.5), 1.5 * np.tanh(0.5 * x), rtol=1e-5)
        np.testing.assert_allclose(given("ParametricSoftplus", alpha=1.5, beta=0.5), 1.5 * np.log1p(np.exp(0.5 * x)), rtol=1e-5)
        np.testing.assert_allclose(given("ThresholdedRelu", alpha=0.5), np.where(x > 0.5, x, 0), rtol=1e-6)
        np.testing.assert_allclose(given("ImageScaler", scale=0.5, bias=[1.0, -2.0, 3.0]),
                                   0.5 * x + np.array([1, -2, 3], np.float32)[:, None, None], rtol=1e-6)
        np.testing.assert_array_equal(given("Crop", border=[1, 0, 2, 1]), x[:, :, 0:3, 1:3])
        np.testing.assert_array_equal(given("Crop", border=[1, 2, 0, 0], scale=[2, 3]), x[:, :, 2:4, 1:4])

    def test_statistics_of_doubles(self):
        x = floats(2, 4).astype(np.float64)
        y, mean, inverse = self.results("LayerNormalization", 3, x, np.ones(4), np.zeros(4))
        self.assertEqual([a.dtype for a in (y, mean, inverse)], [np.float64, np.float32, np.float32])
        np.testing.assert_allclose(mean[:, 0], x.mean(1), rtol=1e-6)

    def test_transposed_convolution_of_an_odd_shape(self):
        """What is cut off in front is one more than what is behind, but for SAME_UPPER."""
        x, w = floats(1, 1, 4), floats(1, 1, 3)
        full = np.convolve(x[0, 0], w[0, 0])
        for how, first in ("NOTSET", 1), ("SAME_LOWER", 1), ("SAME_UPPER", 0):
            got, = self.results("ConvTranspose", 1, x, w, output_shape=[5], auto_pad=how)
            np.testing.assert_allclose(got[0, 0], full[first:first + 5], rtol=1e-6)

    def test_rotary(self):
        x, positions = floats(2, 3, 4, 8), random.integers(0, 10, (2, 4)).astype(np.int64)
        cos, sin = floats(10, 3), floats(10, 3)
        c, s = cos[positions][:, None], sin[positions][:, None]
        for interleaved in 0, 1:
            a, b = (x[..., 0:6:2], x[..., 1:6:2]) if interleaved else (x[..., :3], x[..., 3:6])
            first, second = a * c - b * s, a * s + b * c
            turned = np.stack([first, second], -1).reshape(2, 3, 4, 6) if interleaved else \
                np.concatenate([first, second], -1)
            got, = self.results("RotaryEmbedding", 1, x, cos, sin, positions, opset=23, interleaved=interleaved,
                                rotary_embedding_dim=6)
            np.testing.assert_allclose(got, np.concatenate([turned, x[..., 6:]], -1), rtol=1e-6)

    def test_top_k_ties(self):
        x = np.array([[1, 3, 3, 2], [0, 0, 0, 0]], dtype=np.float32)
        data = self.results("TopK", 2, x, opset=1, k=2, axis=-1)
        np.testing.assert_array_equal(data[0], [[3, 3], [0, 0]])
        np.testing.assert_array_equal(data[1], [[1, 2], [0, 1]])


if __name__ == "__main__":
    unittest.main()
