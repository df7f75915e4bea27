"""Pictures of lines of text, and what a network that reads them says.

usage: line.py draw TEXT OUT.npy [180]    draw TEXT with a font of Debian, as the network wants it, or upside down; prints the width
       line.py small LINE.npy OUT.npy     the picture as the network for directions wants it
       line.py direction RESULT.npy       what that says: 0 or 180
       line.py turn LINE.npy OUT.npy      the picture upside down
       line.py text RESULT.npy KEYS       the text in the network's result; KEYS has its alphabet, a character a line
"""
import sys

import numpy as np

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
HEIGHT = 48


def turned(x):
    """Upside down. The margin at the right stays there."""
    drawn = 1 + np.flatnonzero(np.any(x != 0, (0, 1, 2)))[-1]
    out = np.zeros_like(x)
    out[..., :drawn] = x[..., ::-1, drawn - 1::-1]
    return out


def draw(text, path, degrees="0"):
    from PIL import Image, ImageDraw, ImageFont
    font = ImageFont.truetype(FONT, 32)
    drawn = int(font.getlength(text)) + 20
    width = -(-drawn // 32) * 32
    image = Image.new("RGB", (drawn, HEIGHT), "white")
    ImageDraw.Draw(image).text((10, 4), text, font=font, fill="black")
    x = np.zeros((1, 3, HEIGHT, width), np.float32)
    x[0, :, :, :drawn] = ((np.asarray(image, np.float32) / 255 - 0.5) / 0.5).transpose(2, 0, 1)
    np.save(path, turned(x) if degrees == "180" else x)
    print(width)


def small(path, out):
    """192 places wide: the line begins there, or all of it is squeezed."""
    x = np.load(path)
    width = max(x.shape[3], 192)
    wide = np.zeros((*x.shape[:3], width), np.float32)
    wide[..., :x.shape[3]] = x
    np.save(out, wide[..., np.arange(192) * width // 192])


def direction(path):
    print(180 if np.load(path)[0].argmax() else 0)


def turn(path, out):
    np.save(out, turned(np.load(path)))


def text(path, keys):
    """At each place the most likely character: those that repeat count once, and number 0 is none. The
    margins may look like spaces."""
    best = np.load(path)[0].argmax(axis=1)
    alphabet = [""] + open(keys, encoding="utf8").read().split("\n")[:6623] + [" "]
    print("".join(alphabet[k] for i, k in enumerate(best) if i == 0 or k != best[i - 1]).strip())


{"draw": draw, "small": small, "direction": direction, "turn": turn, "text": text}[sys.argv[1]](*sys.argv[2:])
