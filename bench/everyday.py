"""Small everyday work on arrays: reductions over other axes than the last, of few columns and of everything, rows and
columns that are looked up, borders, histograms, windows along lines, pairs, truth values, whole quotients, repetitions. Part of corners.py, which writes the programs out."""
F, I = 4, 8  # bytes of a float, of a position
MILLION = 1 << 20


def product(numbers):
    p = 1
    for n in numbers:
        p *= n
    return p


def tensor(dtype, shape):
    return f"tensor<{', '.join([dtype, 'x'.join(map(str, shape))] if shape else [dtype])}>"


def program(inputs, *steps):
    """INPUTS are %x, %i, ..., of (dtype, shape); STEPS operations with dtype and shape, which name the one before %v."""
    names = list("xij")[:len(inputs)]
    lines, last = [], None
    for number, (text, dtype, shape) in enumerate(steps):
        lines.append(f"  %v{number} = {text.replace('%v', f'%v{number - 1}')} -> {tensor(dtype, shape)}")
        last = (f"%v{number}", dtype, shape)
    parameters = ", ".join(f"%{n}: {tensor(*i)}" for n, i in zip(names, inputs))
    return f"func @main({parameters}) -> {tensor(*last[1:])} {{\n" + "\n".join(lines) + f"\n  return {last[0]}\n}}\n"


# name: shape, axes
SUMS = {"sum-ten-columns": ((65536, 10), 0), "sum-three-columns": ((MILLION // 4, 3), 0),
        "sum-short-middle": ((512, 40, 128), 1), "sum-middle": ((32, 256, 128), 1)}
TABLE, BAGS = (10_000, 64), (2048, 20)
MATRIX, COLUMNS = (4096, 1024), 32
IMAGES = (8, 56, 56, 3)
BORDERED = (8, 58, 58, 3)
PICTURES = (8, 3, 224, 224)
SQUARE = (1024, 1024)
TRUTHS = (100_000, 10)
STACK = (64, 128, 100)  # summed over all axes but the middle one
FEW = (MILLION // 4, 3)
BINS = 256
LINES = (16, 64, 1024)
PAIRS = (MILLION // 2, 2)
SMALL, LARGE = (4, 16, 64, 64), (4, 16, 128, 128)  # pictures, and the same with each pixel four times
TILE, TILES = (1000, 8), (10, 32)
TILED = (TILE[0] * TILES[0], TILE[1] * TILES[1])


def channels_last(shape):
    return (*shape[:1], *shape[2:], shape[1])


def without(shape, axis):
    return shape[:axis] + shape[axis + 1:]


TEXTS = {name: program([("f32", shape)], (f"reduce_sum(%x) axes[{axis}]", "f32", without(shape, axis)))
         for name, (shape, axis) in SUMS.items()}
TEXTS.update({
    "max-1m": program([("f32", (MILLION,))], ("reduce_max(%x) axes[0]", "f32", ())),
    "max-1m-si8": program([("si8", (MILLION,))], ("reduce_max(%x) axes[0]", "si8", ())),
    "argmax-1m-ui8": program([("ui8", (MILLION,))], ("arg_max(%x) axis[0] output_dtype[si64]", "si64", ())),
    "any-1m": program([("i1", (MILLION,))], ("reduce_max(%x) axes[0]", "i1", ())),
    "any-rows-of-ten": program([("i1", TRUTHS)], ("reduce_max(%x) axes[1]", "i1", TRUTHS[:1])),
    "embedding-bag": program([("f32", TABLE), ("si64", BAGS)], ("take(%x, %i)", "f32", BAGS + TABLE[1:]),
                             ("reduce_sum(%v) axes[1]", "f32", BAGS[:1] + TABLE[1:])),
    "take-columns": program([("f32", MATRIX), ("si64", (COLUMNS,))],
                            ("transpose(%x) perm[1, 0]", "f32", MATRIX[::-1]),
                            ("take(%v, %i)", "f32", (COLUMNS, MATRIX[0])),
                            ("transpose(%v) perm[1, 0]", "f32", (MATRIX[0], COLUMNS))),
    "take-along": program([("f32", SQUARE), ("si64", SQUARE)], ("gather(%x, %i) axis[1]", "f32", SQUARE)),
    "pad-images": program([("f32", IMAGES)], ("pad(%x) low[0, 1, 1, 0] high[0, 1, 1, 0] interior[0, 0, 0, 0] pad_value[0.0]",
                                              "f32", BORDERED)),
    "channels-last": program([("f32", PICTURES)],
                             ("transpose(%x) perm[0, 2, 3, 1]", "f32", channels_last(PICTURES))),
})

WINDOWS = "window_dims[1, 1, 3] strides[1, 1, 1] padding[(0, 0), (0, 0), (1, 1)] base_dilation[1, 1, 1] window_dilation[1, 1, 1] reduce[max]"
TEXTS.update({
    "argmax-three-columns": program([("f32", FEW)], ("arg_max(%x) axis[0] output_dtype[si64]", "si64", FEW[1:])),
    "argmax-rows-of-three": program([("f32", FEW)], ("arg_max(%x) axis[1] output_dtype[si64]", "si64", FEW[:1])),
    "histogram": program([("f32", (MILLION,)), ("si64", (MILLION,))],
                         (f"segment_reduce(%x, %i) kind[sum] num_segments[{BINS}] indices_are_sorted[false] unique[false]", "f32", (BINS,))),
    "less-f16": program([("f16", (MILLION,)), ("f16", (MILLION,))], ("compare(%x, %i) op[Less]", "i1", (MILLION,))),
    "differ-1m": program([("i1", (MILLION,)), ("i1", (MILLION,))], ("compare(%x, %i) op[NotEqual]", "i1", (MILLION,))),
    "max-along-lines": program([("f32", LINES)], (f"reduce_window(%x) {WINDOWS}", "f32", LINES)),
    "stack-pairs": program([("f32", (PAIRS[0], 1)), ("f32", (PAIRS[0], 1))], ("concat(%x, %i) axis[1]", "f32", PAIRS)),
})

TEXTS.update({
    "divide-by-seven": program([("si32", (MILLION,))], ("constant fill[7]", "si32", (MILLION,)), ("div(%x, %v)", "si32", (MILLION,))),
    "divide-bytes": program([("ui8", (MILLION,))], ("constant fill[7]", "ui8", (MILLION,)), ("div(%x, %v)", "ui8", (MILLION,))),
    "repeat-pixels": program([("f32", SMALL)], ("reshape(%x) new_shape[4, 16, 64, 1, 64, 1]", "f32", (4, 16, 64, 1, 64, 1)),
                             ("broadcast_to(%v) result_shape[4, 16, 64, 2, 64, 2]", "f32", (4, 16, 64, 2, 64, 2)),
                             ("reshape(%v) new_shape[4, 16, 128, 128]", "f32", LARGE)),
    "tile-of-eight": program([("f32", TILE)], ("tile(%x) repeats[10, 32]", "f32", TILED)),
})

TEXTS.update({
    "count-1m": program([("i1", (MILLION,))], ("cast(%x)", "si64", (MILLION,)), ("reduce_sum(%v) axes[0]", "si64", ())),
    "sum-1m-f64": program([("f64", (MILLION,))], ("reduce_sum(%x) axes[0]", "f64", ())),
    "sum-outside": program([("f32", STACK)], ("reduce_sum(%x) axes[0, 2]", "f32", STACK[1:2])),
})

# The bytes that must be read and written.
MOVED = {name: (F * product(shape), F * product(without(shape, axis))) for name, (shape, axis) in SUMS.items()}
MOVED.update({
    "count-1m": (MILLION, I), "sum-1m-f64": (8 * MILLION, 8), "sum-outside": (F * product(STACK), F * STACK[1]),
    "max-1m": (F * MILLION, F), "max-1m-si8": (MILLION, 1), "argmax-1m-ui8": (MILLION, I), "any-1m": (MILLION, 1), "any-rows-of-ten": (product(TRUTHS), TRUTHS[0]),
    "embedding-bag": (F * product(TABLE) + I * product(BAGS), F * BAGS[0] * TABLE[1]),
    "take-columns": (F * MATRIX[0] * COLUMNS + I * COLUMNS, F * MATRIX[0] * COLUMNS),
    "take-along": ((F + I) * product(SQUARE), F * product(SQUARE)),
    "pad-images": (F * product(IMAGES), F * product(BORDERED)),
    "channels-last": (F * product(PICTURES), F * product(PICTURES)),
    "argmax-three-columns": (F * product(FEW), I * FEW[1]), "argmax-rows-of-three": (F * product(FEW), I * FEW[0]),
    "histogram": ((F + I) * MILLION, F * BINS), "less-f16": (4 * MILLION, MILLION), "differ-1m": (2 * MILLION, MILLION),
    "max-along-lines": (F * product(LINES), F * product(LINES)), "stack-pairs": (F * product(PAIRS), F * product(PAIRS)),
    "divide-by-seven": (4 * MILLION, 4 * MILLION), "divide-bytes": (MILLION, MILLION),
    "repeat-pixels": (F * product(SMALL), F * product(LARGE)), "tile-of-eight": (F * product(TILE), F * product(TILED)),
})


# ---- other libraries ----

def numpy_work(np, new):
    def sums(shape, axis):
        x, y = new(*shape), np.empty(without(shape, axis), np.float32)
        return lambda: np.sum(x, axis, out=y)

    def one(function, x):
        return lambda: function(x)

    def take_columns():
        x, i = new(*MATRIX), np.random.default_rng(1).integers(0, MATRIX[1], COLUMNS)
        y = np.empty((MATRIX[0], COLUMNS), np.float32)
        return lambda: np.take(x, i, axis=1, out=y, mode="clip")

    def pad_images():
        x, y = new(*IMAGES), np.zeros(BORDERED, np.float32)
        return lambda: np.copyto(y[:, 1:-1, 1:-1], x)

    def to_channels_last():
        x, y = new(*PICTURES), np.empty(channels_last(PICTURES), np.float32)
        return lambda: np.copyto(y, x.transpose(0, 2, 3, 1))

    def two(function, make):
        x, y = make(), make()
        return lambda: function(x, y)

    def histogram():
        x, i = new(MILLION), np.random.default_rng(1).integers(0, BINS, MILLION)
        return lambda: np.bincount(i, x, BINS)

    def stack_pairs():
        x, y, z = new(PAIRS[0], 1), new(PAIRS[0], 1), np.empty(PAIRS, np.float32)
        return lambda: np.concatenate((x, y), 1, out=z)

    return {**{name: (lambda w=w: sums(*w)) for name, w in SUMS.items()}, "channels-last": to_channels_last,
            "argmax-three-columns": lambda: one(lambda x: np.argmax(x, 0), new(*FEW)),
            "argmax-rows-of-three": lambda: one(lambda x: np.argmax(x, 1), new(*FEW)),
            "histogram": histogram, "stack-pairs": stack_pairs,
            "less-f16": lambda: two(np.less, lambda: new(MILLION).astype(np.float16)),
            "differ-1m": lambda: two(np.not_equal, lambda: new(MILLION) < 0),
            "count-1m": lambda: one(np.count_nonzero, new(MILLION) < 0),
            "sum-1m-f64": lambda: one(np.sum, new(MILLION).astype(np.float64)),
            "sum-outside": lambda: one(lambda x: np.sum(x, (0, 2)), new(*STACK)),
            "max-1m": lambda: one(np.max, new(MILLION)),
            "max-1m-si8": lambda: one(np.max, (new(MILLION) * 127).astype(np.int8)),
            "argmax-1m-ui8": lambda: one(np.argmax, (abs(new(MILLION)) * 255).astype(np.uint8)),
            "any-1m": lambda: one(np.any, np.zeros(MILLION, bool)),
            "any-rows-of-ten": lambda: one(lambda x: np.any(x, 1), np.zeros(TRUTHS, bool)),
            "divide-by-seven": lambda: one(lambda x: x // 7, (new(MILLION) * 1e6).astype(np.int32)),
            "divide-bytes": lambda: one(lambda x: x // 7, (abs(new(MILLION)) * 255).astype(np.uint8)),
            "tile-of-eight": lambda: one(lambda x: np.tile(x, TILES), new(*TILE)),
            "take-columns": take_columns, "pad-images": pad_images}


def torch_work(torch, new):
    def sums(shape, axis):
        x, y = new(*shape), torch.empty(without(shape, axis))
        return lambda: torch.sum(x, axis, out=y)

    def one(function, x):
        return lambda: function(x)

    def bag():
        x, i = new(*TABLE), torch.randint(TABLE[0], BAGS)
        return lambda: torch.nn.functional.embedding_bag(i, x, mode="sum")

    def take_columns():
        x, i, y = new(*MATRIX), torch.randint(MATRIX[1], (COLUMNS,)), torch.empty(MATRIX[0], COLUMNS)
        return lambda: torch.index_select(x, 1, i, out=y)

    def take_along():
        x, i, y = new(*SQUARE), torch.randint(SQUARE[1], SQUARE), torch.empty(*SQUARE)
        return lambda: torch.gather(x, 1, i, out=y)

    def pad_images():
        x = new(*IMAGES)
        return lambda: torch.nn.functional.pad(x, (0, 0, 1, 1, 1, 1))

    def to_channels_last():
        x, y = new(*PICTURES), torch.empty(channels_last(PICTURES))
        return lambda: y.copy_(x.permute(0, 2, 3, 1))

    def two(function, make):
        x, y = make(), make()
        return lambda: function(x, y)

    def histogram():
        x, i, y = new(MILLION), torch.randint(BINS, (MILLION,)), torch.empty(BINS)
        return lambda: y.zero_().index_add_(0, i, x)

    def stack_pairs():
        x, y, z = new(PAIRS[0], 1), new(PAIRS[0], 1), torch.empty(*PAIRS)
        return lambda: torch.cat((x, y), 1, out=z)

    return {**{name: (lambda w=w: sums(*w)) for name, w in SUMS.items()}, "channels-last": to_channels_last,
            "argmax-three-columns": lambda: one(lambda x: torch.argmax(x, 0), new(*FEW)),
            "argmax-rows-of-three": lambda: one(lambda x: torch.argmax(x, 1), new(*FEW)),
            "histogram": histogram, "stack-pairs": stack_pairs,
            "less-f16": lambda: two(torch.lt, lambda: new(MILLION).half()),
            "differ-1m": lambda: two(torch.ne, lambda: new(MILLION) < 0),
            "max-along-lines": lambda: one(lambda x: torch.nn.functional.max_pool1d(x, 3, 1, 1), new(*LINES)),
            "count-1m": lambda: one(torch.sum, new(MILLION) < 0),
            "sum-1m-f64": lambda: one(torch.sum, new(MILLION).double()),
            "sum-outside": lambda: one(lambda x: torch.sum(x, (0, 2)), new(*STACK)),
            "max-1m": lambda: one(torch.amax, new(MILLION)),
            "max-1m-si8": lambda: one(torch.amax, (new(MILLION) * 127).to(torch.int8)),
            "argmax-1m-ui8": lambda: one(torch.argmax, (new(MILLION).abs() * 255).to(torch.uint8)),
            "any-1m": lambda: one(torch.any, torch.zeros(MILLION, dtype=torch.bool)),
            "any-rows-of-ten": lambda: one(lambda x: torch.any(x, 1), torch.zeros(TRUTHS, dtype=torch.bool)),
            "divide-by-seven": lambda: one(lambda x: torch.div(x, 7, rounding_mode="trunc"), (new(MILLION) * 1e6).int()),
            "divide-bytes": lambda: one(lambda x: torch.div(x, 7, rounding_mode="trunc"), (new(MILLION).abs() * 255).to(torch.uint8)),
            "repeat-pixels": lambda: one(lambda x: torch.nn.functional.interpolate(x, scale_factor=2), new(*SMALL)),
            "tile-of-eight": lambda: one(lambda x: x.repeat(*TILES), new(*TILE)),
            "embedding-bag": bag, "take-columns": take_columns, "take-along": take_along, "pad-images": pad_images}
