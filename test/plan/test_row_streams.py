"""Rows that come from memory, or whose number is open, are reduced four at a time, a piece of each in turn; so are the blocks of long rows.
All have the evaluator's bits, whatever is left over."""
from lib import package  # noqa: F401

import numpy as np

import tenon

FORMS = [  # the type of the input without its number of rows, what is computed of %x, its results
    ("f32, ?Nx{n}", "  %r = reduce_sum(%x) axes[1] -> tensor<f32, ?N>\n", "f32, ?N"),
    ("f64, ?Nx{n}", "  %y = mul(%x, %x) -> tensor<f64, ?Nx{n}>\n  %r = reduce_sum(%y) axes[1] -> tensor<f64, ?N>\n", "f64, ?N"),
    ("f16, 2x?Nx{n}", "  %r = reduce_sum(%x) axes[2] keepdims[true] accum_dtype[f32] out_dtype[f32] -> tensor<f32, 2x?Nx1>\n", "f32, 2x?Nx1"),
    ("si8, ?Nx{n}", "  %r = reduce_sum(%x) axes[1] accum_dtype[si32] out_dtype[si32] -> tensor<si32, ?N>\n", "si32, ?N"),
    ("f32, ?Nx{n}", "  %m = reduce_max(%x) axes[1] -> tensor<f32, ?N>\n  %s = reduce_sum(%x) axes[1] -> tensor<f32, ?N>\n"
     "  %r = div(%s, %m) -> tensor<f32, ?N>\n", "f32, ?N"),
    ("f32, ?Nx{n}", "  %r = reduce_sum(%x) axes[0, 1] -> tensor<f32>\n", "f32"),
]
NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "si8": np.int8}
DRAWN = np.random.default_rng(7)


def compiled(module, cpu, threads):
    try:
        return module.compile(cpu=cpu, threads=threads)
    except tenon.Unavailable:
        return module.compile(threads=threads)


for kind, body, result in FORMS:
    for length in (1024, 1027, 1500, 4096, 5119):
        text = f"func @main(%x: tensor<{kind}>) -> tensor<{result}> {{\n{body}  return %r\n}}\n".replace("{n}", str(length))
        module = tenon.read(text, dialect="ptir-text")
        evaluator = module.compile(engine="ref")
        programs = [compiled(module, cpu, threads) for cpu in ("x86-64", "x86-64-v3", "x86-64-v4") for threads in (1, 2)]
        for rows in (1, 3, 4, 6, 13, 40):
            shape = (2, rows, length) if kind.startswith("f16") else (rows, length)
            x = (DRAWN.standard_normal(shape) * 3).astype(NUMPY[kind.split(",")[0]])
            wanted = np.asarray(evaluator(x)).tobytes()
            for p in programs:
                assert np.asarray(p(x)).tobytes() == wanted, (text, rows)

# a long row, whose blocks are items; the last one is not whole
long = tenon.read("func @main(%x: tensor<f32, 7000001>) -> tensor<f32> {\n  %r = reduce_sum(%x) axes[0] -> tensor<f32>\n  return %r\n}\n",
                  dialect="ptir-text")
x = DRAWN.standard_normal(7000001).astype(np.float32)
assert len({np.asarray(long.compile(**how)(x)).tobytes() for how in ({"engine": "ref"}, {"threads": 1}, {"threads": 2}, {"cpu": "x86-64"})}) == 1
