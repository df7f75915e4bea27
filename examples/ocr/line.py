"""Pictures of lines of text, and what a network that reads them says.

usage: line.py draw TEXT OUT.npy      draw TEXT with a font of Debian, as the network wants it; prints the width
       line.py text RESULT.npy KEYS   the text in the network's result; KEYS has its alphabet, a character a line
"""
import sys

import numpy as np

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
HEIGHT = 48


def draw(text, path):
    from PIL import Image, ImageDraw, ImageFont
    font = ImageFont.truetype(FONT, 32)
    drawn = int(font.getlength(text)) + 20
    width = -(-drawn // 32) * 32
    image = Image.new("RGB", (drawn, HEIGHT), "white")
    ImageDraw.Draw(image).text((10, 4), text, font=font, fill="black")
    x = np.zeros((1, 3, HEIGHT, width), np.float32)
    x[0, :, :, :drawn] = ((np.asarray(image, np.float32) / 255 - 0.5) / 0.5).transpose(2, 0, 1)
    np.save(path, x)
    print(width)


def text(path, keys):
    """At each place the most likely character: those that repeat count once, and number 0 is none. The
    margins may look like spaces."""
    best = np.load(path)[0].argmax(axis=1)
    alphabet = [""] + open(keys, encoding="utf8").read().split("\n")[:6623] + [" "]
    print("".join(alphabet[k] for i, k in enumerate(best) if i == 0 or k != best[i - 1]).strip())


{"draw": draw, "text": text}[sys.argv[1]](*sys.argv[2:])
