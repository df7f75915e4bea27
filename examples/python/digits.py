"""Trains a network of two layers on handwritten digits: digits.py [OUT.c]

The whole training step, with its gradient and the update by Adam, is one program. The trained network is written to
OUT.c, a C file that needs nothing else.
"""
import pathlib
import sys
from typing import Any

import numpy as np

import tenon
from tenon import nn

DATA = pathlib.Path(__file__).resolve().parent.parent / "digits/data"
Weights = dict[str, Any]


def scores(w: Weights, x: Any) -> Any:
    return nn.linear(nn.relu(nn.linear(x, w["w1"], w["b1"])), w["w2"], w["b2"])


def loss(w: Weights, x: Any, labels: Any) -> Any:
    return nn.cross_entropy(scores(w, x), labels)


@tenon.function
def step(w: Weights, mean: Weights, square: Weights, t: Any, x: Any, labels: Any) -> Any:
    """One step of Adam on all images at once."""
    value, g = tenon.value_and_grad(loss)(w, x, labels)
    mean = tenon.tree_map(lambda m, d: 0.9 * m + 0.1 * d, mean, g)
    square = tenon.tree_map(lambda s, d: 0.999 * s + 0.001 * d * d, square, g)
    rate = 0.01 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t)
    w = tenon.tree_map(lambda p, m, s: p - rate * m / (np.sqrt(s) + 1e-8), w, mean, square)
    return value, w, mean, square


def main() -> None:
    x = np.load(DATA / "images.npy").reshape(-1, 64).astype(np.float32) / 16
    labels = np.load(DATA / "labels.npy").astype(np.int32)
    draw = np.random.default_rng(1).standard_normal
    w = {"w1": draw((64, 160), np.float32) * np.float32(0.18), "b1": np.zeros(160, np.float32),
         "w2": draw((160, 10), np.float32) * np.float32(0.11), "b2": np.zeros(10, np.float32)}
    mean = square = tenon.tree_map(np.zeros_like, w)
    for t in range(1, 61):
        value, w, mean, square = step(w, mean, square, np.float32(t), x[::2], labels[::2])
        if t % 20 == 0:
            print(f"step {t}: loss {float(value):.4f}")
    classify = tenon.function("f32[n, 64]")(lambda x: np.argmax(scores(w, x), axis=1))
    right = int((np.asarray(classify(x[1::2])) == labels[1::2]).sum())
    print(f"never seen before: {right} of {len(x[1::2])} right")
    if len(sys.argv) > 1:
        tenon.function("f32[1, 64]")(lambda x: nn.softmax(scores(w, x))).save(sys.argv[1])


if __name__ == "__main__":
    main()
