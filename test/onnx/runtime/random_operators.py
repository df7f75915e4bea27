"""Random models of one operator, in the forms that ONNX Runtime and the text of ONNX agree on.

Each function draws one model of a group of operators; GROUPS lists them.
"""
import numpy as np

from lib.onnx_compare import one


def ints(numbers):
    return np.array(numbers, np.int64)


def number(x, dtype=np.float32):
    return np.array(x, dtype)


# ---- images ----

def resize(d):
    """With align_corners and scales ONNX Runtime counts positions by the rounded extent, and tf_crop_and_resize does not make its
    extents smaller by the region: both modes get sizes."""
    rank, mode = d.of(3, 4, 4, 5), d.of("nearest", "linear", "cubic")
    if mode == "cubic":
        rank = 4
    opset, shape = d.of(13, 18, 19), [1, d.upto(1, 2), *d.several(rank - 2, 1, 8)]
    how = d.of("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "tf_crop_and_resize",
               *(["half_pixel_symmetric"] if opset == 19 else []))
    attributes = {"mode": mode, "coordinate_transformation_mode": how}
    if mode == "nearest":
        attributes["nearest_mode"] = d.of("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    if mode == "cubic":
        attributes |= d.of({}, {"cubic_coeff_a": -0.5}) | d.of({}, {"exclude_outside": 1})
    if opset >= 18 and mode != "nearest" and how in ("half_pixel", "pytorch_half_pixel", "asymmetric") and d.chance():
        attributes["antialias"] = 1
    axes = list(range(2, rank)) if opset >= 18 and d.chance() else list(range(rank))
    if len(axes) < rank:
        attributes["axes"] = axes
    roi = None
    if how == "tf_crop_and_resize":
        bounds = [(0, 1) if a < 2 else (0.1 * d.upto(0, 4), 0.5 + 0.1 * d.upto(0, 7)) for a in axes]
        roi = number([low for low, _ in bounds] + [high for _, high in bounds])
        attributes |= d.of({}, {"extrapolation_value": 3.5})
    if how in ("align_corners", "tf_crop_and_resize") or d.chance():
        sizes = [shape[a] if a < 2 else d.upto(1, 13) for a in axes]
        return one("Resize", [d.floats(*shape), roi, None, ints(sizes)], attributes, opset, (1, 2, 3))
    scales = [1 if a < 2 else d.of(0.5, 2, 1.5, 0.6, 3, 2.3, 0.75, 1) for a in axes]
    return one("Resize", [d.floats(*shape), roi, number(scales)], attributes, opset, (1, 2))


def pool(d):
    op, rank, opset = d.of("AveragePool", "MaxPool", "LpPool"), d.of(1, 2, 2, 3), d.of(11, 18, 19, 22)
    kernel = d.several(rank, 1, 3)
    attributes = {"kernel_shape": kernel, "strides": d.several(rank, 1, 3)}
    if d.chance(0.3):
        attributes["auto_pad"] = d.of("SAME_UPPER", "SAME_LOWER", "VALID")
    elif d.chance(0.7):
        attributes["pads"] = [d.upto(0, k - 1) for k in kernel + kernel]
    if op != "LpPool" and d.chance():
        attributes["ceil_mode"] = 1
    if d.chance(0.3) and opset >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[op] and "auto_pad" not in attributes:
        attributes["dilations"] = d.several(rank, 1, 2)
    if op == "AveragePool" and "ceil_mode" not in attributes:
        attributes |= d.of({}, {"count_include_pad": 1})
    if op == "LpPool":
        attributes |= d.of({}, {"p": d.upto(1, 3)})
    both = op == "MaxPool" and d.chance(0.4)
    if both:
        attributes |= d.of({}, {"storage_order": 1})
    return one(op, [d.floats(1, 2, *d.several(rank, 5, 9))], attributes, opset, outputs="y z" if both else "y")


def convolution(d):
    """ONNX Runtime dilates nothing with SAME padding, and pads transposed convolutions in its own way."""
    op, rank, group = d.of("Conv", "ConvTranspose"), d.of(1, 2, 2, 3), d.of(1, 1, 2, 4)
    inner, outer, kernel = group * d.upto(1, 2), group * d.upto(1, 3), d.several(rank, 1, 3)
    attributes = {"strides": d.several(rank, 1, 2), "group": group} | d.of({}, {"kernel_shape": kernel})
    if op == "Conv" and d.chance(0.3):
        attributes["auto_pad"] = d.of("SAME_UPPER", "SAME_LOWER", "VALID")
    else:
        attributes |= d.of({}, {"dilations": d.several(rank, 1, 2)}) | d.of({}, {"pads": d.several(2 * rank, 0, 1)})
    if op == "ConvTranspose" and d.chance(0.4):
        attributes["output_padding"] = [d.upto(0, s - 1) for s in attributes["strides"]]
    weights = [outer, inner // group] if op == "Conv" else [inner, outer // group]
    arrays = [d.floats(d.upto(1, 2), inner, *d.several(rank, 5, 8)), d.floats(*weights, *kernel)]
    return one(op, arrays + ([d.floats(outer)] if d.chance() else []), attributes, d.of(11, 22))


def grid_sample(d):
    opset = d.of(16, 20, 22)
    rank = d.of(2, 2, 3) if opset >= 20 else 2
    mode = d.of("bilinear", "nearest", "bicubic") if opset < 20 else d.of("linear", "nearest", "cubic" if rank == 2 else "linear")
    return one("GridSample", [d.floats(2, 2, *d.several(rank, 1, 5)), d.floats(2, *d.several(rank, 1, 3), rank) * number(1.3)],
               {"mode": mode, "padding_mode": d.of("zeros", "border", "reflection"), "align_corners": d.upto(0, 1)}, opset)


def roi_align(d):
    corners = np.sort(d.r.random((3, 2, 2)).astype(np.float32) * 12 - 1, 1).reshape(3, 4)
    opset = d.of(10, 16)
    attributes = {"sampling_ratio": d.of(0, 1, 2, 3), "output_height": d.upto(1, 3), "output_width": d.upto(1, 4),
                  "spatial_scale": d.of(1.0, 0.5)}
    if opset >= 16:
        attributes |= d.of({}, {"coordinate_transformation_mode": d.of("half_pixel", "output_half_pixel")})
    return one("RoiAlign", [d.floats(2, 2, *d.several(2, 3, 8)), corners, d.integers(np.int64, 3, low=0, high=1)], attributes, opset)


def patches(d):
    """Col2Im, and deformable convolutions."""
    kernel, strides, dilations, image = d.several(2, 1, 3), d.several(2, 1, 2), d.several(2, 1, 2), d.several(2, 6, 8)
    pads = d.several(2, 0, 1) * 2
    extents = [(image[k] + 2 * pads[k] - dilations[k] * (kernel[k] - 1) - 1) // strides[k] + 1 for k in range(2)]
    attributes = {"dilations": dilations, "strides": strides, "pads": pads}
    n = kernel[0] * kernel[1]
    if d.chance():
        return one("Col2Im", [d.floats(2, 3 * n, extents[0] * extents[1]), ints(image), ints(kernel)], attributes, 18, (1, 2))
    group, offsets, outer = d.upto(1, 2), d.upto(1, 2), d.of(2, 4)
    arrays = [d.floats(1, 4, *image), d.floats(outer, 4 // group, *kernel), d.floats(1, offsets * n * 2, *extents)]
    if d.chance():
        arrays += [d.floats(outer) if d.chance() else None, d.floats(1, offsets * n, *extents)]
    return one("DeformConv", arrays, attributes | {"group": group, "offset_group": offsets}, 19)


# ---- movement ----

def pad(d):
    shape, opset = d.shape(1, 4), d.of(13, 18, 19, 21)
    mode = d.of("constant", "reflect", "edge", *(["wrap"] if opset >= 19 else []))
    axes = d.axes(len(shape), 1) if opset >= 18 and d.chance() else list(range(len(shape)))
    most = [{"constant": 3, "edge": 3, "reflect": shape[a] - 1, "wrap": shape[a]}[mode] for a in axes]
    amounts = [d.upto(0, m) for m in most + most]
    if mode == "constant" and shape[axes[0]] > 1 and d.chance(0.3):
        amounts[0] = -1
    value = number(1.5) if mode == "constant" and d.chance() else None
    arrays = [d.floats(*shape), ints(amounts), value]
    if axes != list(range(len(shape))):
        arrays.append(ints([a - d.of(0, len(shape)) for a in axes]))
    elif value is None:
        arrays.pop()
    return one("Pad", arrays, {"mode": mode}, opset, (1, 2, 3))


def split(d):
    shape, opset = d.shape(1, 3, 9), d.of(13, 18)
    axis = d.axis(len(shape))
    n = d.upto(1, shape[axis])
    names = " ".join(f"y{k}" for k in range(n))
    if opset == 18 and -(-shape[axis] // n) * (n - 1) < shape[axis]:
        return one("Split", [d.floats(*shape)], {"axis": axis, "num_outputs": n}, 18, outputs=names)
    return one("Split", [d.floats(*shape), ints([0] * (n - 1) + [shape[axis]])], {"axis": axis}, 13, (1,), names)


def crop(d):
    shape = d.shape(2, 4, 7)
    axes = d.axes(len(shape), 1)
    attributes = {} if len(axes) == len(shape) else {"axes": [a - d.of(0, len(shape)) for a in axes]}
    return one("CenterCropPad", [d.floats(*shape), ints(d.several(len(axes), 1, 8))], attributes, 18, (1,))


# ---- elements ----

def reduction(d):
    """Extremes and means of nothing have no value in ONNX; ONNX Runtime keeps axes without elements, but for sums."""
    op, shape, opset = d.of("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"), d.shape(0, 4, 4), d.of(13, 18)
    if shape and op == "Sum" and d.chance():
        shape[0] = 0
    x = d.positive(*shape, most=3) if op == "LogSum" else d.floats(*shape)
    if op in ("Sum", "Max", "Min", "Prod") and d.chance(0.3):
        x = d.integers(d.of(np.int32, np.int64), *shape, low=-9, high=9)
    axes = [a - d.of(0, len(shape)) for a in d.axes(len(shape))]
    attributes = d.of({}, {"keepdims": d.upto(0, 1)})
    if opset < 18 and op != "Sum":
        return one("Reduce" + op, [x], attributes | ({"axes": axes} if axes else {}), opset)
    attributes |= d.of({}, {"noop_with_empty_axes": d.upto(0, 1)})
    return one("Reduce" + op, [x, ints(axes)], attributes, opset, (1,))


def integer(d):
    dtype = d.of(np.uint8, np.int8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
    x, y = d.integers(dtype, 3, 1, low=0, high=100), d.integers(dtype, 4, low=0, high=100)
    op = d.of("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift", "Mod", "Div")
    if op == "BitwiseNot":
        return one(op, [x], {}, 18)
    if op == "BitShift":
        dtype = d.of(np.uint8, np.uint32, np.uint64)
        return one(op, [d.integers(dtype, 3, 4), d.integers(dtype, 4, low=0, high=7)], {"direction": d.of("LEFT", "RIGHT")}, 11)
    if op in ("Mod", "Div"):
        x, y = d.integers(np.int64, 3, 4, low=-50, high=50), d.integers(np.int64, 4, low=1, high=9) * d.of(-1, 1)
        return one(op, [x, y], d.of({}, {"fmod": 1}) if op == "Mod" else {}, 14)
    return one(op, [x, y], {}, 18)


# ---- layers ----

def normalisation(d):
    shape = d.shape(2, 4, 6)
    axis = d.axis(len(shape))
    scale, epsilon = d.floats(*shape[axis:]), d.of(1e-5, 0.1)
    kind = d.of("LayerNormalization", "RMSNormalization", "GroupNormalization", "InstanceNormalization")
    if kind == "LayerNormalization":
        return one(kind, [d.floats(*shape), scale] + ([d.floats(*shape[axis:])] if d.chance() else []), {"axis": axis, "epsilon": epsilon}, 17)
    if kind == "RMSNormalization":
        return one(kind, [d.floats(*shape), scale], {"axis": axis, "epsilon": epsilon}, 23)
    x = d.floats(2, 4, *d.shape(1, 3))
    if kind == "InstanceNormalization":
        return one(kind, [x, d.floats(4), d.floats(4)], {"epsilon": epsilon}, d.of(6, 22))
    groups, opset = d.of(1, 2, 4), d.of(18, 21)
    n = groups if opset == 18 else 4
    return one(kind, [x, d.floats(n), d.floats(n)], {"num_groups": groups, "epsilon": epsilon}, opset)


def recurrent(d):
    op, steps, batch, inputs, hidden = d.of("LSTM", "GRU", "RNN"), d.upto(1, 5), d.upto(1, 3), d.upto(1, 4), d.upto(1, 5)
    direction, gates = d.of("forward", "reverse", "bidirectional"), {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    n = 2 if direction == "bidirectional" else 1
    arrays = [d.floats(steps, batch, inputs), d.floats(n, gates * hidden, inputs), d.floats(n, gates * hidden, hidden)]
    arrays.append(d.floats(n, 2 * gates * hidden) if d.chance() else None)
    arrays.append(d.integers(np.int32, batch, low=1, high=steps) if d.chance(0.4) else None)
    state = [d.floats(n, batch, hidden) for _ in range(2 if op == "LSTM" else 1)]
    arrays += state if d.chance() else [None] * len(state)
    if op == "LSTM" and d.chance(0.3):
        arrays.append(d.floats(n, 3 * hidden))
    attributes = {"hidden_size": hidden, "direction": direction}
    if op == "GRU":
        attributes |= d.of({}, {"linear_before_reset": 1})
    attributes |= d.of({}, {"clip": 0.5})
    return one(op, arrays, attributes, d.of(7, 14, 22), outputs="y h c" if op == "LSTM" else "y h")


def rotary(d):
    heads, steps, width, interleaved = d.upto(1, 3), d.of(1, 4), d.of(4, 8), d.upto(0, 1)
    part = d.of(0, 0, width // 2)
    attributes = {"interleaved": interleaved} | ({"rotary_embedding_dim": part} if part else {})
    flat = d.chance()
    x = d.floats(2, steps, heads * width) if flat else d.floats(2, heads, steps, width)
    if flat or part:
        attributes["num_heads"] = heads
    half = (part or width) // 2
    if d.chance():
        return one("RotaryEmbedding", [x, d.floats(20, half), d.floats(20, half), d.integers(np.int64, 2, steps, low=0, high=19)], attributes, 23)
    return one("RotaryEmbedding", [x, d.floats(2, steps, half), d.floats(2, steps, half)], attributes, 23)


def attention(d):
    """Behind a cache, ONNX Runtime lets the first query of a causal model see one key."""
    steps, keys, width, values, shared = d.of(1, 3, 4), d.of(3, 5), d.of(4, 8), d.of(4, 6), d.upto(1, 2)
    heads = shared * d.upto(1, 3)
    attributes = d.of({}, {"scale": 0.7}) | d.of({}, {"softcap": 2.5})
    old = d.of(0, 0, 2)
    if not old and d.chance(0.4):
        attributes["is_causal"] = 1
    if d.chance():
        attributes |= {"q_num_heads": heads, "kv_num_heads": shared}
        arrays = [d.floats(2, steps, heads * width), d.floats(2, keys, shared * width), d.floats(2, keys, shared * values)]
    else:
        arrays = [d.floats(2, heads, steps, width), d.floats(2, shared, keys, width), d.floats(2, shared, keys, values)]
    if "softcap" not in attributes and d.chance():
        mask = d.floats(*d.of((), (2, 1), (2, heads), (1, heads)), steps, keys + old)
        if d.chance():
            mask = mask > -0.5
            mask[..., 0] = True
        arrays.append(mask)
    if old:
        arrays += [None] * (4 - len(arrays)) + [d.floats(2, shared, old, width), d.floats(2, shared, old, values)]
    return one("Attention", arrays, attributes, d.of(23, 24), outputs="y pk pv" if old else "y")


GROUPS = [resize, pool, convolution, grid_sample, roi_align, patches, pad, split, crop, reduction, integer, normalisation, recurrent,
          rotary, attention]
