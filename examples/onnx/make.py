"""Trains the network of digits.onnx and writes the file: make.py OUT.onnx

The network has two layers: image[n, 64], with pixels from 0 to 1, to probabilities[n, 10] and their
maximum, confidence[n]. ONNX is protobuf; what is needed of it to write six nodes stands below.
"""
import pathlib
import sys

import numpy as np

import tenon
from tenon import nn

DATA = pathlib.Path(__file__).resolve().parent.parent / "digits/data"


def train():
    x = np.load(DATA / "images.npy").reshape(-1, 64).astype(np.float32) / 16
    labels = np.load(DATA / "labels.npy").astype(np.int32)
    draw = np.random.default_rng(1).standard_normal
    w = {"w1": draw((64, 32), np.float32) * np.float32(0.18), "b1": np.zeros(32, np.float32),
         "w2": draw((32, 10), np.float32) * np.float32(0.25), "b2": np.zeros(10, np.float32)}

    @tenon.function
    def step(w, x, labels):
        def loss(w):
            hidden = nn.relu(nn.linear(x, w["w1"], w["b1"]))
            return nn.cross_entropy(nn.linear(hidden, w["w2"], w["b2"]), labels)
        return tenon.tree_map(lambda p, d: p - 0.5 * d, w, tenon.grad(loss)(w))

    for _ in range(400):
        w = step(w, x[::2], labels[::2])
    return {name: np.asarray(value) for name, value in w.items()}


# ---- the fields of protobuf messages, by their numbers ----

def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(op, inputs, output, attributes=b""):
    names = b"".join(field(1, i) for i in inputs.split()) + field(2, output) + field(3, output)
    return field(1, names + field(4, op) + attributes)


def tensor(name, array):
    dims = b"".join(field(1, n) for n in array.shape)
    return field(5, dims + field(2, 1) + field(8, name) + field(9, array.astype("<f4").tobytes()))


def port(number, name, *extents):
    shape = b"".join(field(1, field(2, e) if isinstance(e, str) else field(1, e)) for e in extents)
    return field(number, field(1, name) + field(2, field(1, field(1, 1) + field(2, shape))))


AXIS_1 = field(5, field(1, "axes") + field(8, 1) + field(20, 7))
NOT_KEPT = field(5, field(1, "keepdims") + field(3, 0) + field(20, 2))


def model(w):
    graph = (node("MatMul", "image w1", "product") + node("Add", "product b1", "sum") + node("Relu", "sum", "hidden")
             + node("Gemm", "hidden w2 b2", "scores") + node("Softmax", "scores", "probabilities")
             + node("ReduceMax", "probabilities", "confidence", AXIS_1 + NOT_KEPT) + field(2, "digits")
             + b"".join(tensor(name, array) for name, array in w.items())
             + port(11, "image", "n", 64) + port(12, "probabilities", "n", 10) + port(12, "confidence", "n"))
    return field(1, 8) + field(2, "tenon") + field(7, graph) + field(8, field(2, 17))


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_bytes(model(train()))
