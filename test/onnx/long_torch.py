"""Modules of PyTorch, exported at several versions of ONNX, give what PyTorch gives. Skipped where PyTorch is missing.

usage: long_torch.py [WORD...]

The words select modules by parts of their names.
"""
import json
import pathlib
import sys
import tempfile

import numpy as np

from lib.program import start
from lib.torch_models import Call, exported, is_chosen

import torch
from torch import nn
from torch.nn import functional as F

VERSIONS = 9, 11, 13, 16
r = torch.randn
i = torch.tensor


@torch.jit.script
def branch(x):
    if bool(x.sum() > 0):
        y = x * 2
    else:
        y = x - 1
    return y


@torch.jit.script
def until(x):
    while bool(x.sum() < 10.0):
        x = x + x.abs() + 1
    return x


@torch.jit.script
def rows(x):
    out = []
    for k in range(x.size(0)):
        out.append(x[k] * 2)
    return torch.stack(out)


@torch.jit.script
def states(x):
    h = torch.zeros_like(x[0])
    out = []
    for k in range(x.size(0)):
        h = torch.tanh(x[k] + h)
        out.append(h)
    return torch.stack(out), h


def modules():
    """(name, module, inputs)"""
    image, flat = r(1, 4, 6, 8), r(3, 4)
    places = i([[0, 1], [2, 3], [1, 0]])
    for m in (nn.Conv2d(4, 6, 3, padding=1), nn.Conv2d(4, 8, 3, groups=2, dilation=2, padding=2), nn.Conv2d(4, 4, 3, groups=4, stride=2),
              nn.Conv2d(4, 3, 3, padding=1, padding_mode="reflect"), nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2), nn.BatchNorm2d(4),
              nn.InstanceNorm2d(4, affine=True), nn.GroupNorm(2, 4), nn.LayerNorm([6, 8]), nn.LocalResponseNorm(3),
              nn.MaxPool2d(2), nn.MaxPool2d(3, 2, ceil_mode=True), nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False),
              nn.LPPool2d(2, 2), nn.AdaptiveAvgPool2d((2, 4)), nn.AdaptiveMaxPool2d((3, 2)), nn.PixelShuffle(2), nn.ReflectionPad2d(2),
              nn.ReplicationPad2d(1), nn.ConstantPad2d(1, 2.0), nn.ZeroPad2d(1), nn.Softmax2d(), nn.PReLU(4), nn.Flatten(),
              nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.Upsample(size=(7, 9), mode="bicubic"),
              nn.Upsample(scale_factor=1.5), nn.Unfold((2, 2))):
        yield type(m).__name__, m, (image,)
    for m in (nn.Linear(4, 5), nn.ReLU(), nn.ReLU6(), nn.ELU(), nn.SELU(), nn.CELU(), nn.GELU(), nn.GELU("tanh"), nn.Mish(), nn.SiLU(),
              nn.Hardswish(), nn.Hardsigmoid(), nn.Hardtanh(), nn.Hardshrink(), nn.Softshrink(), nn.Softplus(), nn.Softsign(),
              nn.Softmin(1), nn.LogSoftmax(1), nn.LogSigmoid(), nn.Tanhshrink(), nn.LeakyReLU(), nn.RReLU(), nn.GLU(), nn.Dropout(),
              nn.Identity()):
        yield type(m).__name__, m, (flat,)
    yield "Conv1d", nn.Conv1d(4, 6, 3, padding=1), (r(1, 4, 9),)
    yield "Conv3d", nn.Conv3d(2, 3, 3), (r(1, 2, 5, 5, 5),)
    yield "ConvTranspose1d", nn.ConvTranspose1d(4, 6, 3, 2), (r(1, 4, 9),)
    yield "ConvTranspose3d", nn.ConvTranspose3d(2, 3, 3, 2), (r(1, 2, 3, 3, 3),)
    yield "LSTM", nn.LSTM(3, 4, 2, bidirectional=True), (r(5, 2, 3),)
    yield "GRU", nn.GRU(3, 4, batch_first=True), (r(2, 5, 3),)
    yield "RNN", nn.RNN(3, 4, nonlinearity="relu"), (r(5, 2, 3),)
    yield "LSTMCell", nn.LSTMCell(3, 4), (r(2, 3),)
    yield "GRUCell", nn.GRUCell(3, 4), (r(2, 3),)
    yield "MultiheadAttention", nn.MultiheadAttention(8, 2), (r(5, 2, 8), r(6, 2, 8), r(6, 2, 8))
    yield "TransformerDecoderLayer", nn.TransformerDecoderLayer(8, 2, 16), (r(5, 2, 8), r(6, 2, 8))
    yield "Embedding", nn.Embedding(10, 4), (i([[1, 2], [3, 4]]),)
    yield "EmbeddingBag", nn.EmbeddingBag(10, 4, mode="sum"), (i([[1, 2], [3, 4]]),)
    yield "CosineSimilarity", nn.CosineSimilarity(), (flat, r(3, 4))
    yield "CrossEntropyLoss", nn.CrossEntropyLoss(), (flat, i([0, 1, 3]))
    yield "BCEWithLogitsLoss", nn.BCEWithLogitsLoss(), (flat, torch.rand(3, 4))
    for mode in "bilinear", "nearest", "bicubic":
        for padding in "zeros", "border", "reflection":
            yield f"grid_sample_{mode}_{padding}", Call(lambda x, g, m=mode, p=padding: F.grid_sample(
                x, g, mode=m, padding_mode=p, align_corners=p == "border")), (image, 2 * r(1, 5, 6, 2))
    for name, f in {"topk": lambda x: torch.topk(x, 3), "sort": lambda x: torch.sort(x, descending=True), "cumsum": lambda x: x.cumsum(1),
                    "where": lambda x: torch.where(x > 0, x, x * 0.1), "index": lambda x: x[:, [0, 2]], "flip": lambda x: x.flip(0),
                    "put": lambda x: x.index_put((i([0, 1]),), torch.ones(2, 4)), "roll": lambda x: torch.roll(x, (1, 2), (0, 1)),
                    "tril": torch.tril, "std": lambda x: x.std(1), "var_mean": lambda x: torch.var_mean(x, 1), "norm": lambda x: x.norm(dim=1),
                    "logsumexp": lambda x: x.logsumexp(1), "repeat": lambda x: x.repeat_interleave(2, 1), "unbind": torch.unbind,
                    "chunk": lambda x: torch.chunk(x, 3, 1), "fmod": lambda x: torch.fmod(x, 0.7), "round": torch.round,
                    "remainder": lambda x: torch.remainder(x, 0.7), "max": lambda x: x.max(1), "mask": lambda x: x.masked_fill(x > 0, -1.0),
                    "windows": lambda x: x.unfold(1, 3, 1), "argmax": lambda x: x.argmax(1), "branch": branch, "until": until,
                    "rows": rows, "states": states, "det": lambda x: torch.det(x[:, :3])}.items():
        yield name, Call(f), (flat,)
    yield "einsum", Call(lambda x, y: torch.einsum("bij,bjk->bik", x, y)), (r(2, 3, 4), r(2, 4, 5))
    yield "cdist", Call(torch.cdist), (flat, r(5, 4))
    yield "scatter", Call(lambda x, k: torch.zeros(3, 4).scatter(1, k, x)), (r(3, 2), places)
    yield "gather", Call(lambda x, k: x.gather(1, k)), (flat, places)


def flattened(x):
    return [t for y in x for t in flattened(y)] if isinstance(x, (tuple, list)) else [x.detach().numpy()]


def check(module, inputs, version):
    """What is wrong; "" when the exporter cannot express the module."""
    want = flattened(module(*inputs))
    try:
        data, arrays = exported(module, inputs, version)
    except Exception:  # of many kinds
        return ""
    with tempfile.TemporaryDirectory() as place:
        folder, given = pathlib.Path(place), []
        (folder / "m.onnx").write_bytes(data)
        for name, x in arrays.items():
            np.save(folder / f"{name}.npy", x)
            given += ["--input", f"{name}={folder / name}.npy"]
        done = start("run", folder / "m.onnx", *given, "--output", folder / "out")
        if done.returncode:
            return done.stderr
        got = [np.load(folder / "out" / o["file"]) for o in json.loads((folder / "out/outputs.json").read_text())]
    if [x.shape for x in got] != [x.shape for x in want]:
        return "other shapes"
    return None if all(np.allclose(x, y, 1e-4, 1e-5, True) for x, y in zip(got, want)) else "other numbers"


def main():
    torch.manual_seed(1)
    passed = wrong = 0
    for name, module, inputs in modules():
        if not is_chosen(name):
            continue
        for version in VERSIONS:
            fault = check(module.eval(), inputs, version)
            passed += fault is None
            if fault:
                print(f"{name}, version {version}: {fault}", flush=True)
                wrong += 1
    print(f"{passed} exports pass, {wrong} do not")
    return wrong > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
