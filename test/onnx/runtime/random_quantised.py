"""Random models with quantised tensors; as random_operators.py. What is rounded twice may be one step away."""
import numpy as np

from lib.onnx_compare import NAMES, Case, one
from lib.onnx_files import model, node

MICROSOFT = "com.microsoft"


def types(d):
    """Of activations and of weights."""
    return d.of((np.uint8, np.int8), (np.uint8, np.uint8), (np.int8, np.int8))


def scale(d, *shape, most=0.1):
    return d.positive(*shape, most=most)


def zero(d, dtype, *shape):
    return d.integers(dtype, *shape, low=0, high=9)


def convolution(d):
    activations, weights = types(d)
    rank, group = d.of(1, 2, 2, 3), d.of(1, 2, 4)
    inner, outer, kernel = group * d.upto(1, 2), group * d.upto(1, 3), d.several(rank, 1, 3)
    x, w = d.integers(activations, 1, inner, *d.several(rank, 4, 8)), d.integers(weights, outer, inner // group, *kernel)
    attributes = {"group": group, "strides": d.several(rank, 1, 2)}
    attributes |= d.of({"pads": d.several(2 * rank, 0, 1)}, {"auto_pad": d.of("SAME_UPPER", "SAME_LOWER", "VALID")}, {})
    if d.chance(0.3):
        return one("ConvInteger", [x, w, zero(d, activations), zero(d, weights)], attributes, 13, (1, 2, 3))
    by_channel = d.chance()
    shape = [outer] if by_channel else []
    arrays = [x, scale(d), zero(d, activations), w, scale(d, *shape, most=0.05), np.zeros(shape, weights) if by_channel else zero(d, weights),
              scale(d, most=0.6), zero(d, activations)]
    if d.chance():
        arrays.append(d.integers(np.int32, outer, low=-3000, high=3000))
    return one("QLinearConv", arrays, attributes, d.of(10, 13, 21), range(1, 9), step=1)


def product(d):
    activations, weights = types(d)
    batch, k, m, n = d.of([], [2], [2, 3]), d.upto(1, 8), d.upto(1, 4), d.upto(1, 6)
    a, b, shape = d.integers(activations, *batch, m, k), d.integers(weights, k, n), d.of([], [n])
    own, other = [scale(d), zero(d, activations)], [scale(d, *shape, most=0.05), zero(d, weights, *shape)]
    op = d.of("QLinearMatMul", "MatMulInteger", "MatMulIntegerToFloat", "QGemm")
    if op == "QLinearMatMul":
        return one(op, [a, *own, b, *other, scale(d, most=0.3), zero(d, activations)], {}, d.of(10, 21), range(1, 8), step=1)
    if op == "MatMulInteger":
        return one(op, [a, b, own[1], other[1]], {}, 13, (1, 2, 3))
    if op == "MatMulIntegerToFloat":
        return one(op, [a, b, own[0], other[0], own[1], other[1]], {}, 13, range(1, 6), domain=MICROSOFT)
    return one(op, [a.reshape(-1, k), *own, b, *other, None, scale(d, most=0.3), zero(d, activations)], {}, 13, range(1, 9),
               domain=MICROSOFT, step=1)


def elementwise(d):
    dtype = d.of(np.uint8, np.int8)
    x, own, out = d.integers(dtype, 2, 4, 3, 5), [scale(d), zero(d, dtype)], [scale(d), zero(d, dtype)]
    op = d.of("Add", "Mul", "LeakyRelu", "Sigmoid", "GlobalAveragePool", "AveragePool", "Softmax", "Concat")
    if op in ("Add", "Mul"):
        shapes = d.of(((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((3, 1), (1, 5)), ((3, 4), ()))
        a, b = (d.integers(dtype, *s) for s in shapes)
        arrays, attributes = [a, *own, b, scale(d), zero(d, dtype), *out], {}
    elif op == "Concat":
        arrays, attributes = [*out, x, *own, x, scale(d), zero(d, dtype)], {"axis": d.axis(4)}
    else:
        arrays = [x, *own, *out]
        attributes = {"LeakyRelu": {"alpha": 0.1}, "Softmax": {"axis": d.of(-1, 1), "opset": 13},
                      "GlobalAveragePool": {"channels_last": d.upto(0, 1)},
                      "AveragePool": {"kernel_shape": [2, 2], "pads": [1, 0, 0, 1], "strides": [2, 2], "count_include_pad": d.upto(0, 1)}}.get(op, {})
    fixed = [k for k, a in enumerate(arrays) if a.ndim == 0]
    return one("QLinear" + op, arrays, attributes, 13, fixed, domain=MICROSOFT, step=1)


def conversion(d):
    """By one scale, one for each slice of an axis, or one for each block."""
    dtype, opset = d.of(np.uint8, np.int8, np.uint16, np.int16), 21
    if dtype in (np.uint8, np.int8):
        opset = d.of(13, 19, 21)
    how = d.of("all", "axis", *(["block"] if opset == 21 else []))
    shape, attributes = {"all": ([], {}), "axis": ([3], {"axis": d.of(1, -2)}), "block": ([2, 3, 3], {"axis": 2, "block_size": 2})}[how]
    by = [scale(d, *shape), zero(d, dtype, *shape)]
    if d.chance():
        return one("QuantizeLinear", [d.floats(2, 3, 6), *by], attributes, opset, (1, 2), step=1)
    return one("DequantizeLinear", [d.integers(dtype, 2, 3, 6), *by], attributes, opset, (1, 2))


def few_bits(d):
    bits, rows, size = d.of((4, 32, 16), (4, 40, 16), (4, 128, 32), (8, 32, 16), (8, 64, 32), (2, 64, 32))
    blocks = -(-rows // size)
    arrays = [d.floats(2, 3, rows), d.integers(np.uint8, 6, blocks, size * bits // 8), scale(d, 6 * blocks)]
    if d.chance():
        arrays.append(d.integers(np.uint8, 6 * -(-blocks * bits // 8)))
    return one("MatMulNBits", arrays, {"K": rows, "N": 6, "bits": bits, "block_size": size}, 17, range(1, 4), domain=MICROSOFT,
               close=(1e-3, 1e-3))


def network(d):
    """Layers between QuantizeLinear and DequantizeLinear, as quantisers of networks write them. Steps that layers are away add up."""
    activations, weights = types(d)
    nodes, fixed = [], []

    def constant(array):
        fixed.append((f"c{len(fixed)}", array))
        return fixed[-1][0]

    def add(op, *inputs, **attributes):
        nodes.append(node(op, " ".join(inputs), f"t{len(nodes)}", **attributes))
        return f"t{len(nodes) - 1}"

    def quantised(x, step):
        by = constant(np.float32(step)), constant(zero(d, activations))
        return add("DequantizeLinear", add("QuantizeLinear", x, *by), *by)

    def weight(*shape):
        n = shape[0]
        return add("DequantizeLinear", constant(d.integers(weights, *shape)), constant(scale(d, n, most=0.01)),
                   constant(np.zeros(n, weights)), axis=0)

    t, channels, step = quantised("x", 0.05), 3, 0.05
    for _ in range(d.upto(2, 6)):
        kind = d.of("Conv", "Depthwise", "Relu", "MaxPool", "AveragePool", "Sigmoid", "Add", "Concat")
        if kind == "Conv":
            t, channels = add("Conv", t, weight(4, channels, 3, 3), pads=[1] * 4), 4
        elif kind == "Depthwise":
            t = add("Conv", t, weight(channels, 1, 3, 3), pads=[1] * 4, group=channels)
        elif kind in ("MaxPool", "AveragePool"):
            t = add(kind, t, kernel_shape=[3, 3], pads=[1] * 4)
        elif kind == "Concat":
            t, channels = add("Concat", t, t, axis=1), 2 * channels
        else:
            t = add(kind, t, t) if kind == "Add" else add(kind, t)
        t = quantised(t, step)
    t = quantised(add("Flatten", add("GlobalAveragePool", t)), step)
    t = quantised(add("Gemm", t, weight(5, channels), transB=1), step)
    x = d.floats(1, 3, 8, 8)
    data = model(nodes, [("x", NAMES["float32"], [1, 3, 8, 8])], [(t, None, None)], fixed, opset=d.of(13, 19, 21))
    return Case(f"quantised network {activations.__name__} {weights.__name__}", data, {"x": x}, close=(0, 4.01 * step))


GROUPS = [convolution, product, elementwise, conversion, few_bits, network]
