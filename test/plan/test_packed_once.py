"""Constant operands of products are packed once for a program: no later choice of its sizes, of one row, few or many,
packs them again, and all give the evaluator's bits."""
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


W, V, U, T = constant(320, 256), constant(256, 320), constant(300, 270), constant(160, 48)
PROGRAMS = [
    ("matmul", "f32[S, 320]", lambda x: x @ W),
    ("transposed", "f32[S, 256]", lambda x: x @ W.T),
    ("batch and rows", "f32[2, S, 320]", lambda x: x @ W),
    ("odd", "f32[S, 300]", lambda x: x @ U),
    ("narrow", "f32[S, 160]", lambda x: nn.relu(x @ T)),
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
    faults, packed = [], []
    for size in SIZES:
        shape = [size if d == "S" else d for d in tenon.parse_type(text).shape]
        x = np.random.default_rng(size).random(shape, dtype=np.float32) - 0.5
        events = []
        result = fast.run({input_name: x}, progress=events.append)
        if any(e.kind == "compile" and e.name == "constants" for e in events):
            packed.append(size)
        if [np.asarray(r).tobytes() for r in result.values()] != [np.asarray(slow(x)).tobytes()]:
            faults.append(f"{name} for {cpu}: other bits with {size}")
    if len(packed) > 1:
        faults.append(f"{name} for {cpu}: constants were packed with {', '.join(map(str, packed))}")
    return faults


def main():
    faults = [f for p in PROGRAMS for cpu in CPUS for f in faults_of(*p, cpu)]
    print("\n".join(faults) or f"{len(PROGRAMS)} programs, each for {len(CPUS)} CPUs")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
