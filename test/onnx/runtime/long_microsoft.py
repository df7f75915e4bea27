"""Operators of the domain com.microsoft give what ONNX Runtime gives, up to rounding, and the evaluator the bits of machine
code. Skipped where ONNX Runtime cannot be had (lib/onnx_runtime.py).

usage: long_microsoft.py [WORD...]

The words select cases by parts of their names.
"""
import sys

import numpy as np

from lib import onnx_runtime
from lib.onnx_compare import compare, one

DOMAIN = "com.microsoft"
r = np.random.default_rng(3)


def f(*shape):
    return r.standard_normal(shape).astype(np.float32)


def u8(*shape):
    return r.integers(0, 255, shape).astype(np.uint8)


def s8(*shape):
    return r.integers(-127, 127, shape).astype(np.int8)


def i32(*numbers):
    return np.array(numbers, np.int32)


def i64(*numbers):
    return np.array(numbers, np.int64)


def byte(number):
    return np.array(number, np.uint8)


def scale(number):
    return np.array(number, np.float32)


def words():
    """(operator, outputs with their types, inputs, numbers of those that are initializers, attributes). Of outputs `_`..
    some elements may be anything."""
    yield "Gelu", "y", [f(3, 4)], (), {}
    yield "FastGelu", "y", [f(3, 4), f(4)], (), {}
    yield "BiasGelu", "y", [f(3, 4), f(4)], (), {}
    yield "QuickGelu", "y", [f(3, 4)], (), {"alpha": 1.5}
    yield "SkipLayerNormalization", "y", [f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)], (), {"epsilon": 1e-5}
    yield "SkipLayerNormalization", "y", [f(2, 3, 8), f(3, 8), f(8), f(8)], (), {}
    yield "SkipSimplifiedLayerNormalization", "y - - z", [f(2, 3, 8), f(2, 3, 8), f(8), f(8)], (), {"epsilon": 1e-5}
    yield "FusedMatMul", "y", [f(2, 4, 3), f(2, 5, 4)], (), {"transA": 1, "transB": 1, "alpha": 0.5}
    yield "FusedMatMul", "y", [f(4, 2, 3), f(2, 3, 5)], (), {"transBatchA": 1}
    yield "FusedMatMul", "y", [f(2, 3, 4), f(4, 2, 5)], (), {"transBatchB": 1}
    yield "FusedMatMul", "y", [f(4, 2, 3), f(2, 4, 5)], (), {"transBatchA": 1, "transA": 1}
    for how, numbers in (("Relu", None), ("LeakyRelu", [0.2]), ("Clip", [-0.3, 0.5]), ("HardSigmoid", [0.3, 0.4]),
                         ("Tanh", None), ("Sigmoid", None)):
        yield "FusedConv", "y", [f(1, 3, 6, 6), f(4, 3, 3, 3), f(4)], (), {
            "pads": [1, 1, 1, 1], "activation": how, **({"activation_params": numbers} if numbers else {})}
    yield "FusedConv", "y", [f(1, 3, 6, 6), f(4, 3, 3, 3), f(4), f(1, 4, 4, 4)], (), {"activation": "Relu"}
    yield "FusedGemm", "y", [f(3, 4), f(4, 5), f(5)], (), {"activation": "LeakyRelu", "activation_alpha": 0.3}
    yield "FusedGemm", "y", [f(3, 4), f(5, 4), f(3, 1)], (), {"activation": "Relu", "transB": 1, "alpha": 0.5, "beta": 2.0}
    yield from attention()
    yield from grouped()
    yield from quantised()
    yield from quantised_attention()
    yield "QuantizeLinear", "y:ui8", [f(3, 4), scale(0.03), byte(120)], (), {}
    yield "QuantizeLinear", "y:ui16", [f(3, 4), scale(0.003), np.array(1200, np.uint16)], (), {}
    yield "DequantizeLinear", "y", [u8(3, 4), f(3) ** 2, u8(3)], (), {"axis": 0}
    yield "Pad", "y", [f(3, 4), i64(1, 0, 2, 1), scale(0.5)], (1,), {"mode": "constant"}
    yield "Trilu", "y", [f(3, 4)], (), {"upper": 0}
    yield "GatherND", "y", [f(3, 4), np.array([[0, 1], [2, 2]])], (), {}
    yield "Range", "y", [scale(0), scale(3), scale(0.5)], (0, 1, 2), {}
    yield "GridSample", "y", [f(1, 2, 4, 5), f(1, 3, 3, 2)], (), {}


def attention():
    x, w, b, two = f(2, 5, 8), f(8, 24), f(24), {"num_heads": 2}
    some = r.integers(0, 2, (2, 5)).astype(np.int32)
    yield "Attention", "y", [x, w, b], (), two
    yield "Attention", "y", [x, w, b], (), two | {"unidirectional": 1}
    yield "Attention", "y p", [x, w, b], (), two
    for mask in i32(3, 5), i32(5, 4, 1, 0), some, r.integers(0, 2, (2, 5, 5)).astype(np.int32):
        yield "Attention", "y", [x, w, b, mask], (), two
    yield "Attention", "y", [x, w, b, np.array([[1, 1, 1, 0, 0], [1] * 5], np.int32)], (), two | {"unidirectional": 1}
    yield "Attention", "y p", [x, w, b, None, f(2, 2, 2, 3, 4)], (), two | {"unidirectional": 1}
    yield "Attention", "y p", [x, w, b, np.array([[0] + [1] * 6 + [0], [1] * 8], np.int32), f(2, 2, 2, 3, 4)], (), two
    yield "Attention", "y", [x, w, b, None, None, f(1, 2, 5, 5)], (), two | {"scale": 0.7}
    yield "Attention", "y", [x, f(8, 22), f(22)], (), two | {"qkv_hidden_sizes": [8, 8, 6]}
    q, k, v, old = f(2, 3, 8), f(2, 5, 8), f(2, 5, 8), [f(2, 2, 4, 4), f(2, 2, 4, 4)]
    for more in [], [b], [None, some], [None, i32(3, 5)], [b, None, f(2, 2, 3, 5)]:
        yield "MultiHeadAttention", "y", [q, k, v, *more], (), two
    yield "MultiHeadAttention", "y", [q, k, f(2, 5, 12)], (), two | {"scale": 0.3}
    yield "MultiHeadAttention", "y", [q, f(2, 2, 5, 4), f(2, 2, 5, 4), b], (), two
    yield "MultiHeadAttention", "y", [q, f(2, 3, 8), f(2, 3, 8)], (), two | {"unidirectional": 1}
    yield "MultiHeadAttention", "y k v", [q, f(2, 3, 8), f(2, 3, 8), b, None, None, *old], (), two
    yield "MultiHeadAttention", "y k v", [q, f(2, 3, 8), f(2, 3, 8), None, None, None, *old], (), two | {"unidirectional": 1}
    cos, sin, places = f(16, 4), f(16, 4), np.array([[0, 1, 2], [4, 5, 6]])
    yield "RotaryEmbedding", "y", [f(2, 3, 16), i64(2), cos, sin], (), {}
    yield "RotaryEmbedding", "y", [f(2, 3, 16), places, cos, sin], (), {"interleaved": 1}
    yield "RotaryEmbedding", "y", [f(2, 2, 3, 8), i64(0), cos, sin], (), {}
    yield "RotaryEmbedding", "y", [f(2, 3, 24), i64(1), cos, sin], (), two | {"rotary_embedding_dim": 8}
    ids, kinds = r.integers(0, 9, (2, 5)).astype(np.int32), some
    tables, norm = [f(9, 8), f(7, 8)], [f(8), f(8)]
    marks = np.array([[1, 1, 1, 0, 0], [1] * 5], np.int32)
    yield "EmbedLayerNormalization", "y m:si32 s", [ids, kinds, *tables, f(2, 8), *norm, marks], (), {"epsilon": 1e-6}
    yield "EmbedLayerNormalization", "y m:si32", [ids, None, *tables, None, *norm], (), {}
    yield "EmbedLayerNormalization", "y m:si32", [ids, None, *tables, None, *norm, None, r.integers(0, 6, (2, 5)).astype(np.int32)], (), {}


def grouped():
    """Four heads of queries and two of keys, 16 wide."""
    op, heads = "GroupQueryAttention", {"num_heads": 4, "kv_num_heads": 2}
    turned, angles = heads | {"do_rotary": 1}, [f(16, 8), f(16, 8)]
    prompt, one = [f(2, 4, 64), f(2, 4, 32), f(2, 4, 32)], [f(2, 1, 64), f(2, 1, 32), f(2, 1, 32)]
    none, old = [np.zeros((2, 2, 0, 16), np.float32)] * 2, [f(2, 2, 6, 16), f(2, 2, 6, 16)]
    for more in {}, {"local_window_size": 2}, {"softcap": 0.8}, {"scale": 0.2}:
        yield op, "y k v", [*prompt, None, None, i32(3, 3), i32(4)], (6,), heads | more
    yield op, "y k v", [*prompt, *none, i32(3, 3), i32(4), *angles], (6,), turned
    yield op, "y k v", [f(2, 4, 128), None, None, None, None, i32(3, 3), i32(4), *angles], (6,), turned
    yield op, "y k v", [*one, *old, i32(6, 6), i32(7), *angles], (6,), turned
    yield op, "y k v", [*one, *old, i32(6, 6), i32(7), *angles], (), turned | {"rotary_interleaved": 1}
    yield op, "y _k _v", [*one, *old, i32(6, 3), i32(7), *angles], (6,), turned
    yield op, "y _k _v", [*one, f(2, 2, 9, 16), f(2, 2, 9, 16), i32(6, 6), i32(7), *angles], (6,), turned
    yield op, "y k v", [*one, *old, i32(6, 6), i32(7)], (6,), heads | {"local_window_size": 3}
    yield op, "y k v", [*prompt, None, None, i32(3, 3), i32(4)], (6,), heads | {"smooth_softmax": 1}
    for more in {}, {"local_window_size": 2}, {"softcap": 0.8}:
        yield op, "y k v", [*prompt, None, None, i32(3, 3), i32(4), None, None, None, None, f(4)], (6,), heads | more
    yield op, "y _k _v", [*one, *old, i32(6, 3), i32(7), *angles, None, None, f(4)], (6,), turned
    more = [f(1, 3, 64), f(1, 3, 32), f(1, 3, 32), f(1, 2, 5, 16), f(1, 2, 5, 16)]
    yield op, "y k v", [*more, i32(7), i32(8), *angles], (6,), turned


def quantised_attention():
    x, scales, two = u8(2, 5, 8), [scale(0.03), scale(0.02)], {"num_heads": 2}
    some = r.integers(0, 2, (2, 5)).astype(np.int32)
    for w, zero in (u8(8, 24), byte(100)), (s8(8, 24), np.array(-3, np.int8)):
        yield "QAttention", "y", [x, w, f(24), *scales, None, byte(120), zero], (), two
        yield "QAttention", "y", [x, w, f(24), *scales, some, byte(120), zero], (), two
        yield "QAttention", "y", [x, w, f(24), *scales, i32(3, 5), byte(120), zero], (), two | {"unidirectional": 1}
        yield "QAttention", "y p", [x, w, f(24), *scales, None, byte(120), zero, f(2, 2, 2, 3, 4)], (), two | {"unidirectional": 1}
    yield "QAttention", "y", [x, s8(8, 24), f(24), scale(0.03), np.abs(f(24)) / 50, None, byte(120), np.zeros(24, np.int8)], (1, 4, 7), two


def quantised():
    own, other, out = [scale(0.03), byte(120)], [scale(0.02), byte(100)], [scale(0.05), byte(128)]
    signed = [scale(0.03), np.array(3, np.int8)], [scale(0.02), np.array(-3, np.int8)], [scale(0.05), np.array(5, np.int8)]
    part = [scale(1 / 256), byte(0)]
    for op in "QLinearAdd", "QLinearMul":
        yield op, "y:ui8", [u8(2, 3), *own, u8(2, 3), *other, *out], (), {}
        yield op, "y:si8", [s8(2, 3), *signed[0], s8(3), *signed[1], *signed[2]], (), {}
    yield "QLinearSigmoid", "y:ui8", [u8(40), *own, *part], (1, 2, 3, 4), {}
    yield "QLinearLeakyRelu", "y:ui8", [u8(40), *own, *other], (1, 2, 3, 4), {"alpha": 0.1}
    yield "QLinearGlobalAveragePool", "y:ui8", [u8(2, 3, 4, 5), *own, *part], (), {}
    yield "QLinearGlobalAveragePool", "y:ui8", [u8(2, 4, 5, 3), *own, *part], (), {"channels_last": 1}
    for more in {}, {"pads": [1, 1, 1, 1]}, {"pads": [1, 0, 1, 1], "count_include_pad": 1}, {"ceil_mode": 1, "strides": [2, 2]}:
        yield "QLinearAveragePool", "y:ui8", [u8(2, 3, 6, 7), *own, scale(0.0471), byte(100)], (), {"kernel_shape": [3, 2]} | more
    yield "QLinearAveragePool", "y:ui8", [u8(2, 6, 7, 3), *own, scale(0.0471), byte(100)], (), {"kernel_shape": [3, 2], "channels_last": 1}
    filters = [u8(6, 2, 3, 3), scale(0.02), byte(100), scale(0.5), byte(128), np.arange(6, dtype=np.int32) * 90]
    for more in {}, {"pads": [1, 0, 1, 1], "strides": [2, 1]}, {"auto_pad": "SAME_UPPER", "dilations": [1, 1]}:
        yield "QLinearConv", "y:ui8", [u8(1, 6, 7, 4), *own, *filters], range(1, 9), {"group": 2, "channels_last": 1} | more
        yield "QLinearConv", "y:ui8", [u8(1, 4, 6, 7), *own, *filters], range(1, 9), {"group": 2} | more
    yield "NhwcMaxPool", "y:ui8", [u8(2, 6, 7, 3)], (), {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 1]}
    yield "NhwcMaxPool", "y:si8", [s8(1, 7, 7, 4)], (), {"kernel_shape": [2, 2], "dilations": [2, 2]}
    where = r.integers(0, 2, (3, 1, 5)) > 0
    yield "QLinearWhere", "y:ui8", [where, u8(3, 4, 5), *own, u8(1), *other, scale(0.07), byte(90)], tuple(range(2, 9)), {}
    yield "QLinearConcat", "y:ui8", [scale(0.04), byte(110), u8(2, 3), *own, u8(2, 4), *other], (), {"axis": 1}
    for version in 11, 13:
        yield "QLinearSoftmax", "y:ui8", [u8(3, 2, 7), *own, *part], (), {"axis": 1, "opset": version}
    bias = np.arange(5, dtype=np.int32) * 50
    yield "QGemm", "y:ui8", [u8(3, 4), *own, u8(5, 4), *other, bias, scale(0.1), byte(128)], (), {"transB": 1}
    yield "QGemm", "y", [u8(3, 4), *own, s8(4, 5), f(5) ** 2 / 100, np.zeros(5, np.int8)], (), {"alpha": 0.5}
    yield "MatMulIntegerToFloat", "y", [u8(2, 3, 4), u8(4, 5), own[0], scale([0.02]), own[1], other[1], f(5)], (), {}
    yield "MatMulIntegerToFloat", "y", [u8(3, 4), s8(4, 5), own[0], f(5) ** 2 / 100, own[1], np.zeros(5, np.int8)], (), {}
    yield "DynamicQuantizeMatMul", "y", [f(3, 4), u8(4, 5), *other, f(5)], (), {}
    yield "DynamicQuantizeMatMul", "y", [f(2, 3, 4), s8(4, 5), f(5) ** 2 / 100, np.zeros(5, np.int8)], (), {}
    for direction, rows in ("forward", ()), ("reverse", (20,)), ("bidirectional", ()):
        n = 2 if direction == "bidirectional" else 1
        kind = [np.abs(f(n, *rows)) / 100, np.zeros((n, *rows), np.int8)]
        yield "DynamicQuantizeLSTM", "y h c", [f(4, 2, 3), s8(n, 3, 20), s8(n, 5, 20), f(n, 40), i32(4, 3) if n == 2 else None,
                                               f(n, 2, 5), f(n, 2, 5), None, *kind, *kind], (1, 2, 8, 9, 10, 11), {
            "hidden_size": 5, "direction": direction}
    for bits, rows, size in (4, 32, 16), (4, 40, 16), (4, 128, 32), (8, 32, 16), (2, 32, 16):
        count, attributes = (rows + size - 1) // size, {"K": rows, "N": 6, "bits": bits, "block_size": size}
        weights = [u8(6, count, size * bits // 8), np.abs(f(6 * count)) / 10]
        zeros = u8(6 * ((count * bits + 7) // 8))
        yield "MatMulNBits", "y", [f(3, rows), *weights], (1, 2), attributes
        yield "MatMulNBits", "y", [f(2, 3, rows), *weights, zeros, None, f(6)], (1, 2, 3), attributes
        if bits == 4:
            yield "MatMulNBits", "y", [f(3, rows), *weights, f(6 * count)], (1, 2, 3), attributes
            groups = r.permutation(np.arange(rows) // size).astype(np.int32)
            yield "MatMulNBits", "y", [f(3, rows), *weights, None, groups], (1, 2, 4), attributes
    for kind, size in (0, 16), (1, 32), (1, 64):
        rows, columns = 32, 6
        weights = [u8(rows * columns // 2), np.abs(f(rows * columns // size))]
        yield "MatMulBnb4", "y", [f(2, 3, rows), *weights], (1, 2), {"K": rows, "N": columns, "block_size": size, "quant_type": kind}
    for bits in 4, 8:
        table, at = [u8(7, 24 * bits // 8), np.array([[0, 6], [3, 3]]), np.abs(f(7, 2))], {"bits": bits, "block_size": 16}
        yield "GatherBlockQuantized", "y", table, (0, 2), at
        yield "GatherBlockQuantized", "y", [*table, u8(7, 2 * bits // 8)], (0, 2, 3), at
    yield from others()


def others():
    for axis in 0, 2, -1, -2:
        yield "ExpandDims", "y", [f(3, 4), np.array(axis, np.int32)], (1,), {}
    for metric in "euclidean", "sqeuclidean":
        yield "CDist", "y", [f(5, 3), f(4, 3)], (), {"metric": metric}
        yield "CDist", "y:f64", [f(5, 3).astype(np.float64), f(1, 3).astype(np.float64)], (), {"metric": metric}
    for shape in (1, 1), (3, 3), (2, 3, 5, 5), (20, 20):
        yield "Inverse", "y", [f(*shape)], (), {}
    yield "Inverse", "y:f64", [f(4, 7, 7).astype(np.float64)], (), {}
    boxes = np.array([[0.1, 0.2, 0.8, 0.9], [0.6, 0.9, 0.2, 0.1], [-0.2, 0.3, 1.3, 0.7], [0, 0, 1, 1]], np.float32)
    for mode in "bilinear", "nearest":
        for size in (3, 4), (1, 5), (6, 1):
            yield "CropAndResize", "y", [f(2, 3, 7, 6), boxes, i32(0, 1, 1, 0), i32(*size)], (3,), {"mode": mode, "extrapolation_value": 0.5}


def main():
    package, reason = onnx_runtime.installed()
    if not package:
        print(f"skipped: {reason}")
        return 0
    cases = [one(op, arrays, attributes, 17, constants, outputs, DOMAIN) for op, outputs, arrays, constants, attributes in words()
             if not sys.argv[1:] or any(w in op for w in sys.argv[1:])]
    _, faults = compare(package, cases)
    for case, fault, theirs in faults:
        print(f"{case.name}: {fault or f'ONNX Runtime: {theirs}'}")
    print(f"{len(cases)} models, {len(faults)} wrong")
    return bool(faults) or not cases


if __name__ == "__main__":
    sys.exit(main())
