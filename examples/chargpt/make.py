"""Writes a small GPT, its first weights and a text in characters, as `tenon train` takes them: make.py DIR

net.ptir      the network with its loss: characters and those that follow them in, the mean cross entropy and scores out
first.npz     weights to begin with, by name
seen.npz      windows of a text that counts
"""
import pathlib
import sys
from typing import Any

import numpy as np

import tenon
from tenon import nn
from counting import ALPHABET, LENGTH, lines, numbers

LAYERS, HEADS, WIDTH = 2, 4, 64
Weights = dict[str, Any]


def first_weights() -> Weights:
    draw = np.random.default_rng(1)

    def normal(*shape: int) -> Any:
        return (0.02 * draw.standard_normal(shape)).astype(np.float32)

    blocks = [{"norm1": np.ones(WIDTH, np.float32), "qkv": normal(WIDTH, 3 * WIDTH), "mix": normal(WIDTH, WIDTH),
               "norm2": np.ones(WIDTH, np.float32), "up": normal(WIDTH, 4 * WIDTH), "down": normal(4 * WIDTH, WIDTH)}
              for _ in range(LAYERS)]
    return {"embed": normal(len(ALPHABET), WIDTH), "place": normal(LENGTH, WIDTH), "blocks": blocks,
            "norm": np.ones(WIDTH, np.float32)}


def heads(x: Any) -> Any:
    """[batch, length, width] to [batch, head, length, width of a head]"""
    return np.transpose(x.reshape(-1, LENGTH, HEADS, WIDTH // HEADS), (0, 2, 1, 3))


def block(w: Weights, x: Any) -> Any:
    q, k, v = (heads(part) for part in np.split(nn.layer_norm(x, w["norm1"]) @ w["qkv"], 3, axis=-1))
    a = np.transpose(nn.attention(q, k, v, causal=True), (0, 2, 1, 3)).reshape(-1, LENGTH, WIDTH)
    x = x + a @ w["mix"]
    return x + nn.gelu(nn.layer_norm(x, w["norm2"]) @ w["up"]) @ w["down"]


def net(w: Weights, seen: Any, wanted: Any) -> Any:
    x = nn.embedding(w["embed"], seen) + w["place"]
    for b in w["blocks"]:
        x = block(b, x)
    scores = nn.layer_norm(x, w["norm"]) @ np.transpose(w["embed"])
    return nn.cross_entropy(scores, wanted), scores


def windows() -> dict[str, Any]:
    """Parts of a text that has all lines several times. What follows each character is what is wanted."""
    draw = np.random.default_rng(2)
    some = lines(judged=False)
    text = "".join(some[k] for _ in range(8) for k in draw.permutation(len(some)))
    codes = numbers(text)
    at = [i + 1 for i, ch in enumerate(text) if ch == "\n" and i + LENGTH + 2 <= len(text)]
    return {"seen": np.stack([codes[i:i + LENGTH] for i in at]),
            "wanted": np.stack([codes[i + 1:i + LENGTH + 1] for i in at])}


def named(w: Any, name: str) -> dict[str, Any]:
    """The arrays of a structure by the names that its inputs have."""
    if isinstance(w, np.ndarray):
        return {name: w}
    parts = w.items() if isinstance(w, dict) else enumerate(w)
    return {n: a for key, part in parts for n, a in named(part, f"{name}.{key}").items()}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    w = first_weights()
    types = tenon.tree_map(lambda a: f"f32[{', '.join(map(str, a.shape))}]", w)
    tenon.function(types, f"si32[n, {LENGTH}]", f"si32[n, {LENGTH}]")(net).save(folder / "net.ptir")
    np.savez(folder / "first.npz", **named(w, "w"))
    np.savez(folder / "seen.npz", **windows())


if __name__ == "__main__":
    main()
