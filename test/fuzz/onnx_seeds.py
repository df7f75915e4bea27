"""Writes the seeds of fuzz_onnx, small models which together hold every kind of field, and of fuzz_tensor_proto.

usage: PYTHONPATH=test onnx_seeds.py test/fuzz/corpus
"""
import pathlib
import sys

import numpy as np

from lib.onnx_files import field, graph, model, node, put_external, put_tensor

X = ("x", "f32", [2, 3])
N = ("x", "f32", ["N", 3])


def shape_of(*numbers):
    return np.array(numbers, dtype=np.int64)


SEEDS = {
    "add": model([node("Add", "x w", "y")], [X], [("y", "f32", [2, 3])], [("w", np.ones(3, dtype=np.float32))]),
    "symbols": model([node("Shape", "x", "s"), node("Gather", "s zero", "n"), node("Unsqueeze", "n axes", "u"),
                      node("Concat", "u rest", "t", axis=0), node("Reshape", "x t", "y")], [N], [("y", "f32", None)],
                     [("zero", np.array(0, dtype=np.int64)), ("axes", shape_of(0)), ("rest", shape_of(-1))]),
    "slice": model([node("Slice", "x from to axes by", "y")], [N], [("y", "f32", None)],
                   [("from", shape_of(1, 2)), ("to", shape_of(1 << 62, -4)), ("axes", shape_of(0, 1)),
                    ("by", shape_of(1, -1))]),
    "if": model([node("Size", "x", "n"), node("Equal", "n six", "p"),
                 node("If", "p", "y", then_branch=graph([node("Neg", "x", "a")], [], [("a", "f32", None)]),
                      else_branch=graph([node("Exp", "x", "b")], [], [("b", "f32", None)]))],
                [X], [("y", "f32", None)], [("six", np.array(6, dtype=np.int64))]),
    "old": model([node("Softmax", "x", "a", axis=1), node("Clip", "a", "b", min=0.1, max=0.5),
                  node("ReduceSum", "b", "y", axes=[1], keepdims=0)], [X], [("y", "f32", None)], opset=9, ir=3),
    "constant": model([node("Constant", "", "c", value=np.arange(6, dtype=np.float16).reshape(2, 3)),
                       node("Cast", "c", "d", to=1), node("Gemm", "x d", "y", transB=1, alpha=0.5)],
                      [X], [("y", "f32", [2, 2])]),
    "order": model([node("Neg", "a", "y"), node("Exp", "x", "a")], [X], [("y", "f32", None)]),
    "pads": model([node("Pad", "x p", "y", mode="reflect")], [X], [("y", "f32", None)], [("p", shape_of(1, 2, 0, 1))]),
    "split": model([node("Split", "x sizes", "a b", axis=1), node("Tile", "a times", "y")], [X],
                   [("y", "f32", None), ("b", "f32", None)], [("sizes", shape_of(1, 2)), ("times", shape_of(2, 2))]),
    "external": model([node("Add", "x w", "y")], [X], [("y", "f32", None)],
                      [put_external([2, 3], "f32", "w", location="sub/w.bin", offset=5, length=24)]),
    "lists": field(1, 8) + field(8, field(2, 13)) + field(7, b"".join([
        field(1, node("Identity", "w", "y")), field(5, field(1, b"\x02\x03") + field(2, 7) + field(8, "w") +
                                                    field(7, bytes([1, 2, 3, 4, 5, 255, 255, 255, 255, 255, 255, 255,
                                                                    255, 255, 1]))),
        field(12, field(1, "y"))])),
}


TENSORS = {
    "raw": put_tensor(np.ones((2, 3), np.float32), "x"),
    "bools": field(1, 3) + field(2, 9) + field(5, bytes([0, 1, 7])),
    "half": field(1, b"\x02") + field(2, 10) + field(5, 15360) + field(5, 0),
    "packed": field(1, 3) + field(2, 22) + field(9, b"\x21\x0f"),
    "doubles": field(2, 11) + field(10, bytes(8)),
    "external": put_external([2], "f32", "w", location="w.bin"),
}


def write(folder, seeds, extension):
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds.items():
        (folder / f"{name}{extension}").write_bytes(data)


def main():
    folder = pathlib.Path(sys.argv[1])
    write(folder / "onnx", SEEDS, ".onnx")
    write(folder / "tensor_proto", TENSORS, ".pb")


main()
