"""Reads a page of printed lines with two networks: ocr.py MODELS

One network finds the lines, another reads each of them. MODELS is the folder of the ONNX files of PP-OCRv4, which
examples/ocr/demo.sh fetches. The page is drawn first, so that what is read can be compared with what was written.
"""
import importlib
import pathlib
import sys
from typing import Any

import numpy as np

import tenon

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
LINES = ["Hello Tenon 2026", "The quick brown fox", "3.14159 + 2.71828"]
Image = np.ndarray[Any, np.dtype[np.uint8]]
Box = tuple[slice, slice]


def draw(lines: list[str]) -> Image:
    """A page of LINES, [height, width, 3]; extents are multiples of 32, as the first network wants them."""
    picture, drawing, font = (importlib.import_module(f"PIL.{name}") for name in ("Image", "ImageDraw", "ImageFont"))
    page = picture.new("RGB", (480, 288), "white")
    for k, line in enumerate(lines):
        drawing.Draw(page).text((40, 40 + 80 * k), line, font=font.truetype(FONT, 32), fill="black")
    return np.asarray(page)


def read_net(path: pathlib.Path, image: Image, mean: Any, deviation: Any) -> Any:
    """The result of the network in PATH on IMAGE. Sizes of the model follow from the shape of its input `x`."""
    x = ((image / np.float32(255) - mean) / deviation).transpose(2, 0, 1)[np.newaxis].astype(np.float32)
    return np.asarray(tenon.load(path, shapes={"x": x.shape})(x))


def spans(found: Any, least: int) -> list[tuple[int, int]]:
    """Where FOUND, one truth value for each place, is true for at least LEAST places on end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], found.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2]) if b - a >= least]


def boxes(chance: Any, margin: int = 10) -> list[Box]:
    """Boxes around the lines, from the chance of each pixel to be text: rows first, then columns in these."""
    out = []
    for top, bottom in spans((chance > 0.3).any(axis=1), 4):
        columns = np.flatnonzero((chance[top:bottom] > 0.3).any(axis=0))
        out.append((slice(max(0, top - margin), bottom + margin),
                    slice(max(0, int(columns[0]) - margin), int(columns[-1]) + margin)))
    return out


def scaled(image: Image, height: int) -> Image:
    """IMAGE with HEIGHT rows, and as many columns as a multiple of 32, white at the end."""
    picture = importlib.import_module("PIL.Image")
    width = round(image.shape[1] * height / image.shape[0])
    out = np.full((height, -(-width // 32) * 32, 3), 255, np.uint8)
    out[:, :width] = np.asarray(picture.fromarray(image).resize((width, height)))
    return out


def text(chances: Any, alphabet: list[str]) -> str:
    """The most likely character at each place; those that repeat count once, and number 0 is none."""
    best = chances[0].argmax(axis=1)
    return "".join(alphabet[k] for i, k in enumerate(best) if i == 0 or k != best[i - 1]).strip()


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.split("\n")[0] if __doc__ else "")
        return 2
    models = pathlib.Path(sys.argv[1])
    alphabet = ["", *(models / "ppocr_keys_v1.txt").read_text(encoding="utf-8").split("\n")[:6623], " "]
    page = draw(LINES)
    mean, deviation = (np.array(n, np.float32) for n in ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    chance = read_net(models / "ch_PP-OCRv4_det_infer.onnx", page, mean, deviation)
    found = []
    for rows, columns in boxes(chance[0, 0]):
        line = scaled(page[rows, columns], 48)
        found.append(text(read_net(models / "ch_PP-OCRv4_rec_infer.onnx", line, np.float32(0.5), np.float32(0.5)), alphabet))
        print(f"rows {rows.start} to {rows.stop}, columns {columns.start} to {columns.stop}: {found[-1]}")
    if found != LINES:
        print("that is not what was written", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
