#!/usr/bin/python3
"""Runs the programs beside this file on random data and compares the results with NumPy in float64:

    compare.py [--tenon PATH]

The published programs are run as they stand and after `tenon fix`; the corrected attention, whose
K is not transposed before it is reshaped, must be softmax(Q K^T). Tolerance: rtol = atol = 1e-3,
plus the rounding of the result to fp16.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 1e-3


def windows(x, kernel, stride, dilation):
    """[n, c, oy, ox, kh, kw] from [n, c, h, w]."""
    (kh, kw), (sh, sw), (dh, dw) = kernel, stride, dilation
    oy = (x.shape[2] - dh * (kh - 1) - 1) // sh + 1
    ox = (x.shape[3] - dw * (kw - 1) - 1) // sw + 1
    out = np.empty(x.shape[:2] + (oy, ox, kh, kw))
    for a in range(kh):
        for b in range(kw):
            out[..., a, b] = x[:, :, a * dh:a * dh + sh * oy:sh, b * dw:b * dw + sw * ox:sw]
    return out[:, :, :oy, :ox]


def conv(data, dims):
    x, w, bias = (data[k].astype(np.float64) for k in ("X", "W", "bias"))
    g = dims["Cin_total"] // dims["Cin"]
    x = np.pad(x, ((0, 0), (0, 0), (dims["pt"], dims["pb"]), (dims["pl"], dims["pr"])))
    x = windows(x, (dims["Kh"], dims["Kw"]), (dims["Sh"], dims["Sw"]), (dims["Dh"], dims["Dw"]))
    n, _, oy, ox = x.shape[:4]
    x = x.reshape(n, g, dims["Cin"], oy, ox, dims["Kh"], dims["Kw"])
    w = w.reshape(g, -1, *w.shape[1:])
    y = np.einsum("ngcyxab,grcab->ngryx", x, w).reshape(n, dims["Cout"], oy, ox)
    return y + bias[:, None, None]


def softmax(s):
    e = np.exp2((s - s.max(-1, keepdims=True)) * 1.442695)
    return e / e.sum(-1, keepdims=True)


def attention(data, dims):
    q, k = data["Q"].astype(np.float64), data["K"].astype(np.float64)
    return softmax(np.einsum("bhmd,bhnd->bhmn", q, k))


def attention_as_published(data, dims):
    q, k = data["Q"].astype(np.float64), data["K"].astype(np.float64)
    return softmax(np.einsum("bhmd,bhnd->bhmn", q, k.transpose(0, 1, 3, 2).reshape(k.shape)))


def gemm(data, dims):
    return data["A"].astype(np.float64) @ data["B"].astype(np.float64)


GEMM = {"M": 37, "N": 29, "K": 64}
CONV = {"N": 2, "Cin_total": 6, "Cin": 3, "Cout": 8, "H": 11, "W": 9, "Kh": 3, "Kw": 3, "pt": 1,
        "pb": 1, "pl": 1, "pr": 1, "Sh": 2, "Sw": 2, "Dh": 1, "Dw": 1}
ATTENTION = {"B": 2, "H": 3, "M": 5, "N": 7, "D": 8}
SHAPES = {"A": "M K", "B": "K N", "X": "N Cin_total H W", "W": "Cout Cin Kh Kw", "bias": "Cout",
          "Q": "B H M D", "K": "B H N D"}
PROGRAMS = [
    ("gemm", gemm, GEMM, "A B"),
    ("conv", conv, CONV, "X W bias"),
    ("attention", attention_as_published, ATTENTION, "Q K"),
    ("gemm-corrected", gemm, GEMM, "A B"),
    ("conv-corrected", conv, CONV, "X W bias"),
    ("attention-corrected", attention, ATTENTION, "Q K"),
]


def run(tenon, program, data, dims, folder):
    command = [tenon, "run", program, "--output", folder / "out.npz"]
    for name, value in data.items():
        np.save(folder / f"{name}.npy", value)
        command += ["--input", f"{name}={folder / name}.npy"]
    for name, value in dims.items():
        command += ["--dim", f"{name}={value}"]
    subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
    out = np.load(folder / "out.npz")
    return out[out.files[0]].astype(np.float64)


def check(tenon, name, reference, dims, inputs, folder):
    rng = np.random.default_rng(7)
    data = {k: rng.uniform(-0.5, 0.5, [dims[s] for s in SHAPES[k].split()]).astype(np.float16)
            for k in inputs.split()}
    want = reference(data, dims)
    fixed = folder / f"{name}.tiny.json"
    subprocess.run([tenon, "fix", HERE / f"{name}.tiny.json", "-o", fixed], check=True,
                   stderr=subprocess.PIPE)
    subprocess.run([tenon, "check", "--strict", fixed], check=True, stderr=subprocess.PIPE)
    results = [run(tenon, p, data, dims, folder) for p in (HERE / f"{name}.tiny.json", fixed)]
    if not np.array_equal(*results):
        raise SystemExit(f"{name}: 'tenon fix' changed the result")
    rounding = np.abs(want) * 2.0 ** -11 # of the result, to fp16
    error = np.abs(results[0] - want) - rounding
    worst = float((error / (TOLERANCE + TOLERANCE * np.abs(want))).max())
    print(f"{name}: {want.size} elements, largest error {worst:.3f} of the tolerance")
    if results[0].shape != want.shape or worst > 1:
        raise SystemExit(f"{name}: results differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=os.environ.get("TENON", "tenon"))
    args = parser.parse_args()
    for program in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            check(args.tenon, *program, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
