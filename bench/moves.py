"""Elements that move in runs of any length: patches of images, pixels from channels, few columns repeated, colours in the
other order, rolls, columns beside columns, borders of bytes. Part of corners.py, which writes the programs out."""
import json

from everyday import F, MILLION, product, program

IMAGES, PATCHES = (8, 3, 224, 224), (8, 196, 768)
CHANNELS, PIXELS = (4, 27, 64, 64), (4, 3, 192, 192)
TILE, TILES, TILED = (100, 10), (10, 30), (1000, 300)
COLOURS = (480, 640, 3)
ROLLED = (512, 512)
LEFT, RIGHT, BESIDE = (MILLION // 8, 3), (MILLION // 8, 5), (MILLION // 8, 8)
TALL, SQUARE = (640, 480, 3), (640, 640, 3)

ROWS, COLUMNS = ROLLED
TEXTS = {
    "patches": program([("f32", IMAGES)], ("reshape(%x) new_shape[8, 3, 14, 16, 14, 16]", "f32", (8, 3, 14, 16, 14, 16)),
                       ("transpose(%v) perm[0, 2, 4, 1, 3, 5]", "f32", (8, 14, 14, 3, 16, 16)),
                       ("reshape(%v) new_shape[8, 196, 768]", "f32", PATCHES)),
    "pixels-of-channels": program([("f32", CHANNELS)], ("reshape(%x) new_shape[4, 3, 3, 3, 64, 64]", "f32", (4, 3, 3, 3, 64, 64)),
                                  ("transpose(%v) perm[0, 1, 4, 2, 5, 3]", "f32", (4, 3, 64, 3, 64, 3)),
                                  ("reshape(%v) new_shape[4, 3, 192, 192]", "f32", PIXELS)),
    "tile-of-ten": program([("f32", TILE)], ("tile(%x) repeats[10, 30]", "f32", TILED)),
    "turn-colours": json.dumps({"uops": [
        {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": COLOURS}},
        {"id": "y", "uop": "FLIP", "src": ["x"], "arg": {"axes": [2]}}], "outputs": ["y"]}),
    "roll-two-axes": f"""func @main(%x: tensor<f32, {ROWS}x{COLUMNS}>) -> tensor<f32, {ROWS}x{COLUMNS}> {{
  %a = slice(%x) starts[{ROWS - 3}, 0] sizes[3, {COLUMNS}] -> tensor<f32, 3x{COLUMNS}>
  %b = slice(%x) starts[0, 0] sizes[{ROWS - 3}, {COLUMNS}] -> tensor<f32, {ROWS - 3}x{COLUMNS}>
  %c = concat(%a, %b) axis[0] -> tensor<f32, {ROWS}x{COLUMNS}>
  %d = slice(%c) starts[0, {COLUMNS - 5}] sizes[{ROWS}, 5] -> tensor<f32, {ROWS}x5>
  %e = slice(%c) starts[0, 0] sizes[{ROWS}, {COLUMNS - 5}] -> tensor<f32, {ROWS}x{COLUMNS - 5}>
  %y = concat(%d, %e) axis[1] -> tensor<f32, {ROWS}x{COLUMNS}>
  return %y
}}
""",
    "columns-beside": program([("f32", LEFT), ("f32", RIGHT)], ("concat(%x, %i) axis[1]", "f32", BESIDE)),
    "pad-bytes": program([("ui8", TALL)], ("pad(%x) low[0, 80, 0] high[0, 80, 0] interior[0, 0, 0] pad_value[114u]", "ui8", SQUARE)),
}

# The bytes that must be read and written.
MOVED = {
    "patches": (F * product(IMAGES), F * product(IMAGES)), "pixels-of-channels": (F * product(CHANNELS), F * product(PIXELS)),
    "tile-of-ten": (F * product(TILE), F * product(TILED)), "turn-colours": (F * product(COLOURS), F * product(COLOURS)),
    "roll-two-axes": (F * product(ROLLED), F * product(ROLLED)), "columns-beside": (F * product(BESIDE), F * product(BESIDE)),
    "pad-bytes": (product(TALL), product(SQUARE)),
}


# ---- other libraries ----

def numpy_work(np, new):
    def one(function, x):
        return lambda: function(x)

    def beside():
        x, y, z = new(*LEFT), new(*RIGHT), np.empty(BESIDE, np.float32)
        return lambda: np.concatenate((x, y), 1, out=z)

    def pad():
        x, y = np.ones(TALL, np.uint8), np.full(SQUARE, 114, np.uint8)
        return lambda: np.copyto(y[:, 80:-80], x)

    def turned():
        x, y = new(*COLOURS), np.empty(COLOURS, np.float32)
        return lambda: np.copyto(y, x[..., ::-1])

    return {"tile-of-ten": lambda: one(lambda x: np.tile(x, TILES), new(*TILE)), "columns-beside": beside, "pad-bytes": pad,
            "roll-two-axes": lambda: one(lambda x: np.roll(x, (3, 5), (0, 1)), new(*ROLLED)), "turn-colours": turned,
            "patches": lambda: one(lambda x: x.reshape(8, 3, 14, 16, 14, 16).transpose(0, 2, 4, 1, 3, 5).reshape(PATCHES), new(*IMAGES))}


def torch_work(torch, new):
    def one(function, x):
        return lambda: function(x)

    def beside():
        x, y, z = new(*LEFT), new(*RIGHT), torch.empty(*BESIDE)
        return lambda: torch.cat((x, y), 1, out=z)

    return {"tile-of-ten": lambda: one(lambda x: x.repeat(*TILES), new(*TILE)), "columns-beside": beside,
            "pad-bytes": lambda: one(lambda x: torch.nn.functional.pad(x, (0, 0, 80, 80), value=114), torch.ones(TALL, dtype=torch.uint8)),
            "roll-two-axes": lambda: one(lambda x: torch.roll(x, (3, 5), (0, 1)), new(*ROLLED)),
            "turn-colours": lambda: one(lambda x: torch.flip(x, (2,)), new(*COLOURS)),
            "pixels-of-channels": lambda: one(lambda x: torch.nn.functional.pixel_shuffle(x, 3), new(*CHANNELS)),
            "patches": lambda: one(lambda x: x.reshape(8, 3, 14, 16, 14, 16).permute(0, 2, 4, 1, 3, 5).reshape(PATCHES), new(*IMAGES))}
