"""Writes a convolutional network and handwritten digits, as `tenon train` takes them: make.py DIR

net.ptir      the network with its loss: images and labels in, the mean cross entropy and the scores out
seen.npz      the images of even number
unseen.npz    the others, to judge by
"""
import pathlib
import sys
from typing import Any

import numpy as np

import tenon
from tenon import nn

DATA = pathlib.Path(__file__).resolve().parent.parent / "digits/data"
SAME = (1, 1, 1, 1)  # a 3x3 filter leaves rows and columns as many as they were


@tenon.function("f32[3, 3, 1, 32]", "f32[32]", "f32[3, 3, 32, 64]", "f32[64]", "f32[1024, 10]", "f32[10]",
                "f32[n, 8, 8]", "si64[n]")
def net(w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any, images: Any, labels: Any) -> Any:
    x = np.expand_dims(images / 16, -1)
    x = nn.relu(nn.conv2d(x, w1, b1, pads=SAME))
    x = nn.relu(nn.conv2d(x, w2, b2, pads=SAME))
    x = nn.max_pool(x, (2, 2), (2, 2)).reshape(-1, 1024)
    scores = nn.linear(x, w3, b3)
    return nn.cross_entropy(scores, labels), scores


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    net.save(folder / "net.ptir")
    images, labels = np.load(DATA / "images.npy"), np.load(DATA / "labels.npy")
    for name, part in ("seen", slice(0, None, 2)), ("unseen", slice(1, None, 2)):
        np.savez(folder / f"{name}.npz", images=images[part], labels=labels[part])


if __name__ == "__main__":
    main()
