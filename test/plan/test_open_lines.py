"""Lines of an open length in results that no cache keeps: whether they begin on cache lines is looked at for each, and they are the same bits
either way, beside others, too."""
from lib import package  # noqa: F401

import numpy as np

import tenon

PROGRAMS = {
    "add column": ("f32[B, S];f32[B, 1]", lambda x, y: x + y, lambda x, y: x + y),
    "after a part": ("f32[B, S];f32[B, 17]", lambda x, y: np.concatenate([y, x * 2], axis=1), lambda x, y: np.concatenate([y, x * 2], axis=1)),
    "two results": ("f32[B, S];f32[B, 1]", lambda x, y: (x * y, x - y), lambda x, y: (x * y, x - y)),
    "reversed": ("f32[B, S];f32[B, 1]", lambda x, y: np.flip(x, 1) * 2, lambda x, y: np.flip(x, 1) * 2),
}
SIZES = [(3584, 2048), (3600, 2051), (64, 131072), (7000, 1008)]  # more than 24 MiB of f32
CPUS = ["x86-64", "x86-64-v3", "x86-64-v4"]

random = np.random.default_rng(4)
for name, (types, function, wanted) in PROGRAMS.items():
    module = tenon.function(*types.split(";"))(function).module
    for cpu in CPUS:
        try:
            program = module.compile(cpu=cpu, eager=True, threads=2)
        except tenon.Unavailable:
            continue
        for rows, columns in SIZES:
            x, y = (random.integers(-999, 999, (rows, n)).astype(np.float32) for n in (columns, 17 if "part" in name else 1))
            results, right = program(x, y), wanted(x, y)
            for r, w in zip(*((results, right) if isinstance(right, tuple) else ([results], [right]))):
                assert np.array_equal(np.asarray(r), w), (name, cpu, rows, columns)
