"""Constant operands of products are packed once for a program, and one program multiplies by them: no later choice of
its sizes, of few rows or many, packs or compiles again, but for one row, whose graph has other nodes. All give the
evaluator's bits."""
import sys

from lib import package  # noqa: F401

import numpy as np

import tenon
from tenon import nn

SIZES = [128, 3, 1, 16, 200, 2, 7, 300, 5]
CPUS = ["x86-64", "x86-64-v3", "x86-64-v4"]
RANDOM = np.random.default_rng(3)


def constant(*shape):
    return RANDOM.random(shape, dtype=np.float32) - 0.5


def attention(x):
    """Of two heads of 64, with everything that a layer of a language model has."""
    def heads(z):
        return np.expand_dims(np.transpose(np.reshape(z, (z.shape[0], 2, 64)), (1, 0, 2)), 0)
    h = nn.layer_norm(x)
    a = nn.attention(heads(h @ Q), heads(h @ K), heads(h @ O), causal=True)
    x = x + np.reshape(np.transpose(np.squeeze(a, 0), (1, 0, 2)), (x.shape[0], 128)) @ R
    return x + nn.gelu(nn.layer_norm(x) @ P) @ P.T


Q, K, O, R, P = constant(128, 128), constant(128, 128), constant(128, 128), constant(128, 128), constant(128, 160)
W, V, U, T = constant(320, 256), constant(256, 320), constant(300, 270), constant(160, 48)
PROGRAMS = [
    ("matmul", "f32[S, 320]", lambda x: x @ W),
    ("transposed", "f32[S, 256]", lambda x: x @ W.T),
    ("batch and rows", "f32[2, S, 320]", lambda x: x @ W),
    ("odd", "f32[S, 300]", lambda x: x @ U),
    ("narrow", "f32[S, 160]", lambda x: nn.relu(x @ T)),
    ("a layer", "f32[S, 128]", attention),
    ("two", "f32[S, 320]", lambda x: nn.gelu(x @ W) @ V),
]


def compiled(module, cpu):
    """For the CPU, or for this one where it does not run such code."""
    try:
        return module.compile(cpu=cpu)
    except tenon.Unavailable:
        return module.compile()


def faults_of(name, text, function, cpu):
    module = tenon.function(text)(function).module
    fast, slow = compiled(module, cpu), module.compile(engine="ref")
    input_name = module.inputs[0].name
    faults, packed, again = [], [], []
    for size in SIZES:
        shape = [size if d == "S" else d for d in tenon.parse_type(text).shape]
        x = np.random.default_rng(size).random(shape, dtype=np.float32) - 0.5
        events = []
        result = fast.run({input_name: x}, progress=events.append)
        done = {e.name for e in events if e.kind == "compile"}
        if "constants" in done:
            packed.append(size)
        if "machine code" in done and size not in (SIZES[0], 1):
            again.append(size)
        if [np.asarray(r).tobytes() for r in result.values()] != [np.asarray(slow(x)).tobytes()]:
            faults.append(f"{name} for {cpu}: other bits with {size}")
    if len(packed) > 1:
        faults.append(f"{name} for {cpu}: constants were packed with {packed}")
    if again:
        faults.append(f"{name} for {cpu}: compiled again with {again}")
    return faults


def main():
    faults = [f for p in PROGRAMS for cpu in CPUS for f in faults_of(*p, cpu)]
    print("\n".join(faults) or f"{len(PROGRAMS)} programs, each for {len(CPUS)} CPUs")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
