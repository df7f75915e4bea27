"""Operators of the domain com.microsoft, against NumPy. runtime/long_microsoft.py compares them with ONNX Runtime."""
import unittest

import numpy as np

from lib.onnx_case import Case, floats, random
from lib.onnx_files import model, node


def bytes_(*shape):
    return random.integers(0, 255, shape).astype(np.uint8)


def numbers(x, scale, zero):
    return (x.astype(np.float64) - float(zero)) * float(scale)


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def heads(x, n):
    return x.reshape(*x.shape[:2], n, -1).transpose(0, 2, 1, 3).astype(np.float64)


def attended(q, k, v, mask=0):
    scores = np.einsum("bhsd,bhtd->bhst", q, k) / np.sqrt(q.shape[-1]) + mask
    y = np.einsum("bhst,bhtd->bhsd", softmax(scores), v)
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)


OWN, OTHER, OUT = [(np.float32(a), np.uint8(b)) for a, b in ((0.03, 120), (0.02, 100), (0.05, 128))]


def packed_in(numbers, bits):
    """Rows of NUMBERS as bytes, the first in the low bits."""
    per = 8 // bits
    padded = np.pad(numbers, ((0, 0), (0, -numbers.shape[1] % per))).reshape(len(numbers), -1, per)
    return (padded << np.arange(per) * bits).sum(-1).astype(np.uint8)


class Microsoft(Case):
    def give(self, op, outputs, *arrays, **attributes):
        arrays = [None if a is None else np.asarray(a) for a in arrays]
        return self.results(op, outputs, *arrays, domain="com.microsoft", **attributes)

    def close(self, got, want):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)

    def near(self, got, want):
        """Quantised: no more than one step away, as rounding of a tie may be."""
        self.assertEqual(got.dtype, np.uint8)
        want = np.clip(np.rint(want), 0, 255)
        self.assertLessEqual(np.abs(got - want).max(), 1)
        self.assertLess((got != want).mean(), 0.1)

    def test_fused(self):
        x, y = floats(4, 2, 3), floats(2, 4, 5)
        got, = self.give("FusedMatMul", 1, x, y, transBatchA=1, transA=1, alpha=0.5)
        self.close(got, np.einsum("kbi,bkj->bij", x, y) / 2)
        a, b, c = floats(3, 4), floats(5, 4), floats(5)
        got, = self.give("FusedGemm", 1, a, b, c, transB=1, activation="LeakyRelu", activation_alpha=0.25)
        sums = a @ b.T + c
        self.close(got, np.where(sums < 0, sums / 4, sums))
        image, f, bias, z = floats(1, 2, 3, 3), floats(4, 2, 1, 1), floats(4), floats(1, 4, 3, 3)
        got, = self.give("FusedConv", 1, image, f, bias, z, activation="Clip", activation_params=[-0.5, 0.75])
        sums = np.einsum("bchw,oc->bohw", image, f[:, :, 0, 0]) + bias.reshape(4, 1, 1) + z
        self.close(got, sums.clip(-0.5, 0.75))

    def test_quantised(self):
        x, y = bytes_(2, 30), bytes_(2, 30)
        a, b = numbers(x, *OWN), numbers(y, *OTHER)
        for op, want in ("QLinearAdd", a + b), ("QLinearMul", a * b):
            got, = self.give(op, 1, x, *OWN, y, *OTHER, *OUT)
            self.near(got, want / OUT[0] + 128)
        got, = self.give("QLinearConcat", 1, *OUT, x, *OWN, y, *OTHER, axis=0)
        self.near(got, np.concatenate([a, b]) / OUT[0] + 128)
        part = np.float32(1 / 256), np.uint8(0)
        got, = self.give("QLinearSigmoid", 1, x, *OWN, *part)
        self.near(got, 256 / (1 + np.exp(-a)))
        got, = self.give("QLinearLeakyRelu", 1, x, *OWN, *OTHER, alpha=0.125)
        self.near(got, np.where(a < 0, a / 8, a) / OTHER[0] + 100)
        got, = self.give("QLinearSoftmax", 1, x.reshape(4, 15), *OWN, *part, axis=1)
        self.near(got, 256 * softmax(a.reshape(4, 15)))
        got, = self.give("QLinearGlobalAveragePool", 1, x.reshape(2, 5, 6, 1), *OWN, *OWN, channels_last=1)
        self.near(got, x.reshape(2, 30).mean(1).reshape(2, 1, 1, 1))

    def test_quantised_products(self):
        x, w, bias = bytes_(3, 4), bytes_(5, 4), np.arange(5, dtype=np.int32) * 40
        sums = numbers(x, *OWN) @ numbers(w, *OTHER).T
        got, = self.give("QGemm", 1, x, *OWN, w, *OTHER, bias, *OUT, transB=1)
        self.near(got, (sums + bias * 0.0006) / 0.05 + 128)
        got, = self.give("QGemm", 1, x, *OWN, w, *OTHER, transB=1)
        self.close(got, sums)
        got, = self.give("MatMulIntegerToFloat", 1, x, w.T.copy(), OWN[0], OTHER[0], OWN[1], OTHER[1], floats(5) * 0 + 1)
        self.close(got, sums + 1)
        real, scales = floats(3, 4), np.abs(floats(5)) / 50 + np.float32(0.01)
        got, = self.give("DynamicQuantizeMatMul", 1, real, w.T.copy(), scales, np.full(5, 90, np.uint8))
        np.testing.assert_allclose(got, real @ ((w.T - 90.0) * scales), atol=0.2)

    def test_weights_of_few_bits(self):
        """Blocks of 16 in columns of 40, the last of which is not full."""
        for bits in 2, 4, 8:
            per = 8 // bits
            packed, scales, zeros = bytes_(6, 3, 16 // per), np.abs(floats(18)), bytes_(6 * ((3 + per - 1) // per))
            unpack = lambda v: (v[..., None] >> (np.arange(per) * bits) & (1 << bits) - 1).reshape(6, -1).astype(np.float64)
            w = unpack(packed.reshape(6, -1)).reshape(6, 3, 16)
            x, bias, options = floats(2, 3, 40), floats(6), {"K": 40, "N": 6, "bits": bits, "block_size": 16}
            for zero, given in ((1 << (bits - 1), None), (unpack(zeros.reshape(6, -1))[:, :3, None], zeros)):
                got, = self.give("MatMulNBits", 1, x, packed, scales, given, None, bias, **options)
                self.close(got, x @ ((w - zero) * scales.reshape(6, 3, 1)).reshape(6, 48)[:, :40].T + bias)

    def test_rows_of_blocks(self):
        """Positions choose rows of a table of few bits."""
        scale, at = np.abs(floats(5, 2)) + 1, np.array([[0, -1], [3, 3]])
        for bits in 2, 4, 8:
            numbers = random.integers(0, 1 << bits, (5, 24))
            zeros = random.integers(0, 1 << bits, (5, 2))
            table, packed = packed_in(numbers, bits), packed_in(zeros, bits)
            for zero in packed, None:
                got, = self.results("GatherBlockQuantized", 1, table, at, scale, zero, domain="com.microsoft", bits=bits, block_size=16)
                of_block = np.repeat(zeros if zero is not None else np.full((5, 2), 1 << bits - 1), 16, 1)[:, :24]
                np.testing.assert_array_equal(got, ((numbers - of_block) * np.repeat(scale, 16, 1)[:, :24])[at])
        self.assertEqual(self.refused(model([node("GatherBlockQuantized", "x i s", "y", domain="com.microsoft", quantize_axis=0,
                                                  gather_axis=1)],
                                            [("x", "ui8", [5, 4]), ("i", "si64", [2]), ("s", "f32", [1, 4])], [("y", "f32", None)],
                                            domains=[("com.microsoft", 1)])), ["NotImplemented"])

    def test_attention(self):
        x, w, b, past = floats(2, 3, 8), floats(8, 24), floats(24), floats(2, 2, 2, 4, 4)
        q, k, v = (heads(part, 2) for part in np.split(x @ w + b, 3, -1))
        got, = self.give("Attention", 1, x, w, b, np.array([2, 3], np.int32), num_heads=2)
        self.close(got, attended(q, k, v, np.where(np.arange(3) < np.array([2, 3]).reshape(2, 1, 1, 1), 0, -10000)))
        got, present = self.give("Attention", 2, x, w, b, None, past, num_heads=2, unidirectional=1)
        k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
        self.close(present, np.stack([k, v]))
        self.close(got, attended(q, k, v, np.where(np.tril(np.ones((3, 7)), 4) > 0, 0, -np.inf)))

    def test_attention_of_quantised_tensors(self):
        x, w, bias, mask = bytes_(2, 3, 8), bytes_(8, 24), floats(24), np.array([[1, 1, 0], [1, 1, 1]], np.int32)
        got, = self.give("QAttention", 1, x, w, bias, OWN[0], OTHER[0], mask, OWN[1], OTHER[1], num_heads=2)
        parts = np.split(numbers(x, *OWN) @ numbers(w, *OTHER) + bias, 3, -1)
        np.testing.assert_allclose(got, attended(*(heads(p, 2) for p in parts), np.where(mask > 0, 0, -10000)[:, None, None]), rtol=1e-4,
                                   atol=1e-4)

    def test_group_norm(self):
        x, scale, shift, skip, bias = floats(2, 3, 4, 8), floats(8), floats(8), floats(2, 3, 4, 8), floats(8)
        def want(x):
            groups = x.astype(np.float64).reshape(2, 12, 2, 4)
            unit = (groups - groups.mean((1, 3), keepdims=True)) / np.sqrt(groups.var((1, 3), keepdims=True) + 0.01)
            return unit.reshape(x.shape) * scale + shift
        options = {"groups": 2, "epsilon": 0.01}
        got, = self.give("GroupNorm", 1, x, scale, shift, **options)
        self.close(got, want(x))
        got, = self.give("GroupNorm", 1, x.transpose(0, 3, 1, 2), scale, shift, channels_last=0, activation=1, **options)
        self.close(got.transpose(0, 2, 3, 1), want(x) / (1 + np.exp(-want(x))))
        got, sums = self.give("SkipGroupNorm", 2, x, scale, shift, skip, bias, **options)
        self.close(sums, x + skip + bias)
        self.close(got, want(x + skip + bias))

    def test_means_of_quantised_windows(self):
        x = bytes_(2, 3, 4, 6)
        means = numbers(x, *OWN).reshape(2, 3, 2, 2, 3, 2).mean((3, 5)) / OUT[0] + OUT[1]
        got, = self.give("QLinearAveragePool", 1, x, *OWN, *OUT, kernel_shape=[2, 2], strides=[2, 2])
        self.near(got, means)
        got, = self.give("QLinearAveragePool", 1, x.transpose(0, 2, 3, 1), *OWN, *OUT, kernel_shape=[2, 2], strides=[2, 2], channels_last=1)
        self.near(got.transpose(0, 3, 1, 2), means)

    def test_attention_of_many_heads(self):
        q, k, v, bias = floats(2, 3, 8), floats(2, 5, 8), floats(2, 5, 8), floats(24)
        mask = np.array([[1, 0, 1, 1, 0], [1] * 5], np.int32)
        got, = self.give("MultiHeadAttention", 1, q, k, v, bias, mask, num_heads=2)
        parts = [heads(p + bias[8 * i:8 * i + 8], 2) for i, p in enumerate((q, k, v))]
        self.close(got, attended(*parts, np.where(mask > 0, 0, -10000)[:, None, None]))
        packed = np.stack([k.reshape(2, 5, 2, 4), v.reshape(2, 5, 2, 4)], 3)
        got, = self.give("MultiHeadAttention", 1, q, packed, num_heads=2)
        self.close(got, attended(heads(q, 2), heads(k, 2), heads(v, 2)))

    def test_attention_of_groups(self):
        """Texts of other lengths: where the new key of each stands, and how far it turns, depends on its own."""
        q, k, v, old = floats(2, 1, 16), floats(2, 1, 8), floats(2, 1, 8), floats(2, 2, 2, 6, 4)
        cos, sin, before = floats(9, 2), floats(9, 2), (5, 2)
        total = np.array([7], np.int32)
        got, keys, values = self.give("GroupQueryAttention", 3, q, k, v, old[0], old[1], np.array(before, np.int32), total, cos, sin,
                                      num_heads=4, kv_num_heads=2, do_rotary=1)
        self.assertEqual(keys.shape, (2, 2, 7, 4))
        for b, at in enumerate(before):
            turn = lambda x: np.concatenate([x[..., :2] * cos[at] - x[..., 2:] * sin[at], x[..., :2] * sin[at] + x[..., 2:] * cos[at]], -1)
            all_k = np.concatenate([old[0, b, :, :at], turn(heads(k, 2)[b])], 1)
            all_v = np.concatenate([old[1, b, :, :at], heads(v, 2)[b]], 1)
            self.close(keys[b, :, :at + 1], all_k)
            self.close(values[b, :, :at + 1], all_v)
            want = attended(turn(heads(q, 4)[b])[None], all_k.repeat(2, 0)[None], all_v.repeat(2, 0)[None])
            self.close(got[b], want[0])

    def test_sinks(self):
        """A share of attention goes to no key: that of a score of each head, or of 0."""
        q, k, v, sinks = floats(2, 3, 16), floats(2, 3, 8), floats(2, 3, 8), floats(4)
        last, total = np.array([2, 2], np.int32), np.array([3], np.int32)
        parts = heads(q, 4), heads(k, 2).repeat(2, 1), heads(v, 2).repeat(2, 1)
        later = np.where(np.tri(3, dtype=bool), 0, -np.inf)
        for scores, more, attributes in (sinks, (sinks,), {}), (np.zeros(4), (), {"smooth_softmax": 1}):
            given = [q, k, v, None, None, last, total, *[None] * 4 * bool(more), *more]
            got, keys, values = self.give("GroupQueryAttention", 3, *given, num_heads=4, kv_num_heads=2, **attributes)
            self.assertEqual(keys.shape, (2, 2, 3, 4))
            own = np.einsum("bhsd,bhtd->bhst", *parts[:2]) / 2 + later
            wide = np.concatenate([own, np.broadcast_to(scores[:, None, None], (2, 4, 3, 1))], -1)
            want = np.einsum("bhst,bhtd->bhsd", softmax(wide)[..., :-1], parts[2])
            self.close(got, want.transpose(0, 2, 1, 3).reshape(2, 3, 16))

    def test_quantised_lstm(self):
        """Both products are of bytes: the inputs have one range, the states of each step have one."""
        x, h, c = floats(4, 2, 3), floats(1, 2, 5), floats(1, 2, 5)
        w, r = [random.integers(-127, 127, (1, n, 20)).astype(np.int8) for n in (3, 5)]
        w_scale, r_scale = (random.random((1, 20)) / 100).astype(np.float32), np.array([0.004], np.float32)
        w_zero, r_zero, bias = random.integers(-9, 9, (1, 20)).astype(np.int8), np.array([3], np.int8), floats(1, 40) / 4

        def times(a, weights, scale, zero):
            low, high = min(a.min(), 0), max(a.max(), 0)
            step = (high - low) / 255
            bytes_ = np.clip(np.rint(a / step) + np.rint(-low / step), 0, 255)
            return (bytes_ - np.rint(-low / step)) @ (weights[0].astype(np.float64) - zero[0]) * step * scale[0]

        def sigmoid(a):
            return 1 / (1 + np.exp(-a))
        seen, state, own = times(x.astype(np.float64), w, w_scale, w_zero), *(a[0].astype(np.float64) for a in (h, c))
        want = []
        for step in seen:
            i, o, forget, new = np.split(step + times(state, r, r_scale, r_zero) + bias[0, :20] + bias[0, 20:], 4, -1)
            own = sigmoid(forget) * own + sigmoid(i) * np.tanh(new)
            state = sigmoid(o) * np.tanh(own)
            want.append(state)
        got = self.give("DynamicQuantizeLSTM", 3, x, w, r, bias, None, h, c, None, w_scale, w_zero, r_scale, r_zero, hidden_size=5)
        for a, b in zip(got, (np.array(want)[:, None], state[None], own[None])):
            np.testing.assert_allclose(a, b, atol=0.01)  # a rounding of a byte may go the other way
        self.close(got[0][0, 0], want[0])

    def test_where_and_max_pool(self):
        where, x, y = np.array([True, False, True]), bytes_(4, 3), bytes_(3)
        got, = self.give("QLinearWhere", 1, where, x, *OWN, y, *OTHER, *OUT)
        self.near(got, np.where(where, numbers(x, *OWN), numbers(y, *OTHER)) / OUT[0] + OUT[1])
        image = bytes_(1, 4, 6, 3)
        got, = self.give("NhwcMaxPool", 1, image, kernel_shape=[2, 3], strides=[2, 3])
        np.testing.assert_array_equal(got, image.reshape(1, 2, 2, 2, 3, 3).max((2, 4)))

    def test_convolution_with_channels_last(self):
        """As that of ONNX with its channels moved; weights stay where they are."""
        image, filters, bias = bytes_(1, 5, 6, 4), bytes_(6, 2, 3, 3), np.arange(6, dtype=np.int32) * 900
        scales = np.linspace(0.01, 0.03, 6).astype(np.float32), np.full(6, 100, np.uint8)
        attributes = {"group": 2, "pads": [1, 0, 1, 1], "strides": [2, 1]}
        want, = self.results("QLinearConv", 1, np.ascontiguousarray(image.transpose(0, 3, 1, 2)), *map(np.asarray, OWN), filters, *scales,
                             np.asarray(np.float32(2)), np.asarray(OUT[1]), bias, **attributes)
        got, = self.give("QLinearConv", 1, image, *OWN, filters, *scales, np.float32(2), OUT[1], bias, channels_last=1, **attributes)
        np.testing.assert_array_equal(got, want.transpose(0, 2, 3, 1))
        self.assertGreater(len(np.unique(got)), 20)

    def test_rotary(self):
        x, cos, sin = floats(2, 3, 8), floats(9, 2), floats(9, 2)
        got, = self.give("RotaryEmbedding", 1, x, np.array([4], np.int64), cos, sin, interleaved=1)
        a, b, c, s = x.reshape(2, 3, 2, 4)[..., 0::2], x.reshape(2, 3, 2, 4)[..., 1::2], cos[4:7, None], sin[4:7, None]
        self.close(got, np.stack([a * c - b * s, a * s + b * c], -1).reshape(2, 3, 8))

    def test_embedding(self):
        ids, kinds = np.array([[1, 2, 3], [4, 0, 1]], np.int32), np.array([[0, 1, 1], [0, 0, 1]], np.int32)
        table, places, other, scale, shift = floats(5, 8), floats(4, 8), floats(2, 8), floats(8), floats(8)
        y, counts, sums = self.give("EmbedLayerNormalization", 3, ids, kinds, table, places, other, scale, shift,
                                    np.array([[1, 1, 0], [1, 1, 1]], np.int32), epsilon=0.001)
        want = (table[ids] + places[:3] + other[kinds]).astype(np.float64)
        self.close(sums, want)
        unit = (want - want.mean(-1, keepdims=True)) / np.sqrt(want.var(-1, keepdims=True) + 0.001)
        self.close(y, unit * scale + shift)
        np.testing.assert_array_equal(counts, [2, 3])

    def test_others(self):
        x = floats(3, 4)
        for axis, want in ((1, (3, 1, 4)), (-1, (3, 4, 1)), (-3, (1, 3, 4))):
            data = model([node("ExpandDims", "x a", "y", domain="com.microsoft")], [("x", "f32", [3, 4])], [("y", "f32", None)],
                         [("a", np.array(axis, np.int32))], domains=[("com.microsoft", 1)])
            got, = self.run_model(data, {"x": x})
            np.testing.assert_array_equal(got, x.reshape(want))
        y = floats(5, 4)
        want = ((x[:, None].astype(np.float64) - y) ** 2).sum(-1)
        self.close(self.give("CDist", 1, x, y)[0], want)
        self.close(self.give("CDist", 1, x, y, metric="euclidean")[0], np.sqrt(want))
        for n in 1, 2, 9:  # with zeros where elimination begins
            a = floats(2, n, n) + 3 * np.roll(np.eye(n, dtype=np.float32), 1, 0)
            got, = self.give("Inverse", 1, a)
            np.testing.assert_allclose(got, np.linalg.inv(a.astype(np.float64)), rtol=1e-3, atol=1e-4)

    def test_tables_of_floats(self):
        table = np.array([-1, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.09105004, 0, 0.0795803, 0.1609302, 0.2461123,
                          0.33791524, 0.44070983, 0.562617, 0.72295684, 1], np.float32)
        x, bytes_4, scale = floats(2, 5), bytes_(8), np.array([2, 0.5], np.float32)  # 5 * 3 numbers in blocks of 8
        w = table[np.stack([bytes_4 >> 4, bytes_4 & 15], 1).reshape(-1)[:15]] * np.repeat(scale, 8)[:15]
        how = {"K": 5, "N": 3, "block_size": 8}
        self.close(self.give("MatMulBnb4", 1, x, bytes_4, scale, **how)[0], x @ w.reshape(3, 5).T)
        self.close(self.give("MatMulBnb4", 1, x, bytes_4, scale, **how, transB=0)[0], x @ w.reshape(5, 3))

    def test_boxes(self):
        image, boxes, which = floats(2, 3, 5, 4), np.array([[0, 0, 1, 1], [0.5, 1, 0.25, -0.5]], np.float32), np.array([0, 1], np.int32)
        for size, mode in (([5, 4], "nearest"), ([3, 2], "bilinear")):
            data = model([node("CropAndResize", "x b i s", "y", domain="com.microsoft", mode=mode, extrapolation_value=9.0)],
                         [("x", "f32", [2, 3, 5, 4]), ("b", "f32", ["n", 4]), ("i", "si32", ["n"])], [("y", "f32", None)],
                         [("s", np.array(size, np.int32))], domains=[("com.microsoft", 1)])
            got, = self.run_model(data, {"x": image, "b": boxes, "i": which})
            rows, columns = [np.linspace(0, n - 1, k).astype(int) for n, k in zip((5, 4), size)]
            np.testing.assert_array_equal(got[0], image[0][:, rows][:, :, columns])
            self.assertTrue((got[1][:, :, -1] == 9).all())
            np.testing.assert_array_equal(got[1][:, 0, 0], image[1][:, 2, 3])

    def test_groups_in_another_order(self):
        x, bytes_4, scale, groups = floats(2, 32), bytes_(3, 2, 8), np.arange(1, 7, dtype=np.float32), np.array([0, 1] * 16, np.int32)
        numbers_ = np.stack([bytes_4 & 15, bytes_4 >> 4], -1).reshape(3, 32) - 8.0
        got, = self.give("MatMulNBits", 1, x, bytes_4, scale, None, groups, K=32, N=3, block_size=16)
        self.close(got, x @ (numbers_ * scale.reshape(3, 2)[:, groups]).T)

    def test_refused(self):
        """What is not read says so, and nothing else is reported."""
        for op, shapes, attributes, kind in (
                ("Attention", [[1, 2, 4], [4, 12], [12], ("si32", [5])], {"num_heads": 2}, "NotImplemented"),
                ("Attention", [[1, 2, 4], [4, 12]], {"num_heads": 3}, "InvalidAttribute"),
                ("Attention", [[1, 2, 4], [4, 12]], {"num_heads": 2, "qkv_hidden_sizes": [4, 4, 5]}, "DimensionMismatch"),
                ("MultiHeadAttention", [[1, 2, 4]], {"num_heads": 2}, "ArityMismatch"),
                ("MultiHeadAttention", [[], [1, 2, 4], [1, 2, 4]], {"num_heads": 2}, "RankMismatch"),
                ("MultiHeadAttention", [[1, 2, 4], [], [1, 2, 4], [12]], {"num_heads": 2}, "RankMismatch"),
                ("GroupQueryAttention", [[1, 2, 9]], {"num_heads": 2, "kv_num_heads": 1}, "InvalidAttribute"),
                ("GroupQueryAttention", [[1, 0, 8], [1, 0, 8], [1, 0, 8], [4], [4], ("si32", [1])], {"num_heads": 2, "kv_num_heads": 2},
                 "RankMismatch"),
                ("RotaryEmbedding", [[1, 2, 16], ("si64", [1]), [0, 1 << 62], [0, 1 << 62]], {}, "MissingAttribute"),
                ("MatMulNBits", [[1, 4], ("ui8", [1 << 61, 8, 0]), [2]], {"K": 16, "N": 2, "block_size": 16}, "DimensionMismatch"),
                ("MatMulNBits", [[1, 4], ("ui8", [2, 1, 8]), [2]], {"K": 17, "N": 2, "block_size": 16}, "DimensionMismatch"),
                ("MatMulNBits", [[1, 4], ("ui8", [2, 1, 8]), [2]], {"K": 16, "N": 2, "block_size": 16, "bits": 3}, "InvalidAttribute"),
                ("FusedGemm", [[2, 2], [2, 2]], {"activation": "Softmax"}, "InvalidAttribute"),
                ("QLinearConcat", [[], ("ui8", []), ("ui8", [2]), [], ("ui8", []), []], {}, "ArityMismatch"),
                ("DynamicQuantizeLSTM", [[1, 1, 2], ("si8", [1, 2, 4]), ("si8", [1, 1, 4]), [1, 8], ("si32", [1]), [1, 1, 1], [1, 1, 1],
                                         [1, 3], [2], ("si8", [1]), [1], ("si8", [1])], {}, "DimensionMismatch"),
                ("EmbedLayerNormalization", [("si32", [1, 2])], {}, "ArityMismatch")):
            with self.subTest(op=op, attributes=attributes):
                typed = [s if isinstance(s, tuple) else ("f32", s) for s in shapes]
                names = [f"x{i}" for i in range(len(typed))]
                data = model([node(op, " ".join(names), "y", domain="com.microsoft", **attributes)],
                             [(n, d, s) for n, (d, s) in zip(names, typed)], [("y", "f32", None)],
                             domains=[("com.microsoft", 1)])
                self.assertEqual(self.refused(data), [kind])


if __name__ == "__main__":
    unittest.main()
