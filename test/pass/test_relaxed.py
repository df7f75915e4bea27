"""Every way of writing an operation that rounds differently keeps the bound of docs/numerics.md.

One program for each row of src/pass/expand/expand.def that is RELAXED, and for contractions recognised in
sums of products, is converted; both are run on the same inputs, and the difference is compared with
the bound, which is computed in double precision. Derivatives of what
is written are compared, too, where steps on the way are no numbers.
"""
import json
import pathlib
import re
import sys
import tempfile

import numpy as np

from lib.program import ROOT, start, tenon

TABLE = ROOT / "src/pass/expand/expand.def"
EXTENSIONS = {"mind": ".ir", "ptir-text": ".ptir", "tiny": ".tiny.json"}
HALF_ULP = {"f32": 2.0 ** -24, "f16": 2.0 ** -11}  # of 1

rng = np.random.default_rng(5)


def mind_unary(op):
    return f"""%0 = Input () {{name="x"}} : tensor<f32>[400]
%1 = {op} (%0) : tensor<f32>[400]
outputs: %1
"""


def tiny_unary(op, dtype="fp32"):
    return f"""{{"uops": [
  {{"id": "x", "uop": "INPUT", "arg": {{"tensor_id": "x", "dtype": "{dtype}", "shape": [400]}}}},
  {{"id": "y", "uop": "{op}", "src": ["x"]}}]}}"""


def ptir_unary(op, dtype="f32"):
    return f"""func @main(%x: tensor<{dtype}, 400>) -> tensor<{dtype}, 400> {{
  %y = {op}(%x) -> tensor<{dtype}, 400>
  return %y
}}
"""


def naive_product(dtype, m, n, k, kept):
    return f"""{{"uops": [
  {{"id": "a", "uop": "INPUT", "arg": {{"tensor_id": "x", "dtype": "{dtype}", "shape": [{m}, {k}]}}}},
  {{"id": "b", "uop": "INPUT", "arg": {{"tensor_id": "w", "dtype": "{dtype}", "shape": [{n}, {k}]}}}},
  {{"id": "r", "uop": "RESHAPE", "src": ["a"], "arg": {{"result_shape": [{m}, 1, {k}]}}}},
  {{"id": "e", "uop": "EXPAND", "src": ["r"], "arg": {{"result_shape": [{m}, {n}, {k}]}}}},
  {{"id": "f", "uop": "EXPAND", "src": ["b"], "arg": {{"result_shape": [{m}, {n}, {k}]}}}},
  {{"id": "p", "uop": "MUL", "src": ["e", "f"]}},
  {{"id": "y", "uop": "REDUCE", "src": ["p"], "arg": {{"op": "SUM", "axes": [2], "dtype": "{kept}"}}}}]}}"""


def anywhere(low, high):
    """Numbers of a sign of their own, spread over their sizes."""
    size = np.exp2(rng.uniform(low, high, 400))
    return size * np.where(rng.random(400) < 0.5, -1, 1)


def positive(low, high):
    return np.exp2(rng.uniform(low, high, 400))


def conv_size(dy, w, h, stride, top):
    """Sums of |dy w| over the taps of every input pixel, and the number of products."""
    n, ho, wo, co = dy.shape
    kh, kw, ci, _ = w.shape
    size = np.zeros((n, h, h, ci))
    for a in range(kh):
        for b in range(kw):
            for oy in range(ho):
                for ox in range(wo):
                    y, x = oy * stride + a - top, ox * stride + b - top
                    if 0 <= y < h and 0 <= x < h:
                        size[:, y, x] += np.abs(dy[:, oy, ox]) @ np.abs(w[a, b]).T
    return size, kh * kw * co


def conv_bound(x, w, y, u):
    size, k = conv_size(x, w, 9, 2, 1)
    return (2 * k + 2) * u * size


def product_bound(right_is_transposed):
    def bound(x, w, y, u):
        right = np.abs(w).T if right_is_transposed else np.abs(w)
        return (2 * x.shape[-1] + 2) * u * (np.abs(x) @ right)
    return bound


def narrow_bound(x, w, y, u):  # the products were rounded to f16
    return product_bound(True)(x, w, y, u) + 2.0 ** -11 * (np.abs(x) @ np.abs(w).T)


def exp_bound(x, w, y, u):
    return 4 * (np.abs(x) + 1) * u * np.abs(y) + 2.0 ** -149


GRAD = """%0 = Input () {name="x"} : tensor<f32>[2, 5, 5, 20]
%1 = Input () {name="w"} : tensor<f32>[3, 3, 4, 20]
%2 = Conv2dGradInput (%0, %1) {input_shape=[2, 9, 9, 4], padding=Custom([[1, 1], [1, 1]]), strides=[2, 2]} : tensor<f32>[2, 9, 9, 4]
outputs: %2
"""
MATMUL = """%0 = Input () {name="x"} : tensor<f32>[20, 700]
%1 = Input () {name="w"} : tensor<f32>[700, 9]
%2 = MatMul (%0, %1) : tensor<f32>[20, 9]
outputs: %2
"""
DOT = """func @main(%x: tensor<f32, 20x700>, %w: tensor<f32, 700x9>) -> tensor<f32, 20x9> {
  %y = dot_general(%x, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, 20x9>
  return %y
}
"""
NARROW_DOT = DOT.replace("f32", "f16")

# row, dialect and program, target, what the target's text must show, inputs, bound
CASES = [
    ("exp_as_exp2", "mind", mind_unary("Exp"), "tiny", "EXP2", [anywhere(-20, 6)], exp_bound),
    ("exp2_as_exp", "tiny", tiny_unary("EXP2"), "mind", "Exp", [anywhere(-20, 6.8)], exp_bound),
    ("log_as_log2", "mind", mind_unary("Log"), "tiny", "LOG2", [positive(-120, 120)],
     lambda x, w, y, u: 6 * u * np.abs(y)),
    ("log2_as_log", "tiny", tiny_unary("LOG2"), "ptir-text", "log(", [positive(-120, 120)],
     lambda x, w, y, u: 6 * u * np.abs(y)),
    ("sqrt_as_rsqrt", "tiny", tiny_unary("SQRT"), "ptir-text", "rsqrt(", [positive(-120, 120)],
     lambda x, w, y, u: 4 * u * np.abs(y)),
    ("sqrt_as_rsqrt", "tiny", tiny_unary("SQRT", "fp16"), "ptir-text", "rsqrt(", [positive(-24, 15.9)],
     lambda x, w, y, u: 4 * u * np.abs(y)),
    ("sqrt_as_exp", "tiny", tiny_unary("SQRT"), "mind", "Log", [positive(-120, 120)],
     lambda x, w, y, u: (np.abs(np.log(x)) + 5) * u * np.abs(y)),
    ("rsqrt_as_exp", "tiny", tiny_unary("RSQRT"), "mind", "Log", [positive(-120, 120)],
     lambda x, w, y, u: (np.abs(np.log(x)) + 5) * u * np.abs(y)),
    ("tanh_as_exp", "ptir-text", ptir_unary("tanh"), "mind", "Exp", [anywhere(-20, 5)],
     lambda x, w, y, u: np.full(x.shape, 12 * u)),
    ("tanh_as_exp", "ptir-text", ptir_unary("tanh", "f16"), "tiny", "EXP2", [anywhere(-8, 2)],
     lambda x, w, y, u: np.full(x.shape, 40 * u)),
    ("dot_general_as_sum", "ptir-text", DOT, "tiny", "REDUCE",
     [rng.normal(size=(20, 700)), rng.normal(size=(700, 9))], product_bound(False)),
    ("dot_general_as_sum", "ptir-text", NARROW_DOT, "tiny", "REDUCE",
     [rng.normal(size=(20, 700)), rng.normal(size=(700, 9))],
     lambda x, w, y, u: product_bound(False)(x, w, y, 2.0 ** -24) + 2 * u * np.abs(y)),
    ("matmul_as_sum", "mind", MATMUL, "tiny", "REDUCE",
     [rng.normal(size=(20, 700)), rng.normal(size=(700, 9))], product_bound(False)),
    ("conv2d_grad_input_as_patches", "mind", GRAD, "ptir-text", "extract_patches",
     [rng.normal(size=(2, 5, 5, 20)), rng.normal(size=(3, 3, 4, 20))], conv_bound),
    ("recognize", "tiny", naive_product("fp32", 20, 9, 700, "fp32"), "mind", "MatMul",
     [rng.normal(size=(20, 700)), rng.normal(size=(9, 700))], product_bound(True)),
    ("recognize", "tiny", naive_product("fp16", 20, 9, 700, "fp32"), "ptir-text", "dot_general",
     [rng.normal(size=(20, 700)), rng.normal(size=(9, 700))], narrow_bound),
]


def run(program, folder, n_inputs):
    given = [f"--input={name}={folder}/{name}.npy" for name in ("x", "w")[:n_inputs]]
    tenon("run", str(program), *given, "-O0", "--output", str(folder / "out"))
    (listed,) = json.loads((folder / "out" / "outputs.json").read_text())
    return listed["dtype"], np.load(folder / "out" / listed["file"])


def check(case, folder):
    row, dialect, text, target, shows, inputs, bound = case
    source, there = folder / f"a{EXTENSIONS[dialect]}", folder / f"b{EXTENSIONS[target]}"
    source.write_text(text)
    narrow = "f16" in text or "fp16" in text
    data = [x.astype(np.float16 if narrow else np.float32) for x in inputs]
    for name, x in zip(("x", "w"), data):
        np.save(folder / f"{name}.npy", x)
    out = tenon("convert", str(source), "--to", target, "-o", str(there))
    if "may round differently" not in out.stderr:
        return "no warning"
    if shows not in there.read_text():
        return f"'{shows}' is not in\n{there.read_text()}"
    if start("convert", source, "--exact", "--to", target).returncode == 0 and row != "recognize":
        return "--exact does not refuse it"
    dtype, before = run(source, folder, len(data))
    _, after = run(there, folder, len(data))
    x, w = [d.astype(np.float64) for d in data] + [None] * (2 - len(data))
    before, after = before.astype(np.float64), after.astype(np.float64)
    if not np.array_equal(np.isfinite(before), np.isfinite(after)):
        return "not finite in other places"
    keep = np.isfinite(before)
    allowed = bound(x, w, before, HALF_ULP[dtype])
    apart = np.abs(np.where(keep, before - after, 0))
    if (apart[keep] > allowed[keep]).any():
        worst = np.argmax(np.where(keep, apart / np.maximum(allowed, 1e-300), 0))
        return f"{apart.flat[worst]} apart where {allowed.flat[worst]} are allowed"
    return None


LIMITS = [0.0, -0.0, 1e-3, -1e-3, 1, -1, 9, 50, -50, np.inf, np.nan]
# dialect and program, target, where, the gradient of the result, and the derivative
SLOPES = [(*program, LIMITS, 1, lambda x: 1 - np.tanh(x) ** 2) for program in (
    ("ptir-text", ptir_unary("tanh"), "mind"), ("ptir-text", ptir_unary("tanh", "f16"), "tiny"))]
SLOPES.append(("tiny", tiny_unary("SQRT", "fp16"), "ptir-text", [1e-3, 1, 1000, 6e4], 1000,
               lambda x: 0.5 / np.sqrt(x)))


def check_slope(case, folder):
    dialect, text, target, where, seed, slope = case
    source, there = folder / f"a{EXTENSIONS[dialect]}", folder / f"b{EXTENSIONS[target]}"
    gradient = folder / f"c{EXTENSIONS[target]}"
    source.write_text(text)
    x = np.ones(400, np.float16 if "16" in text else np.float32)
    x[:len(where)] = where
    np.save(folder / "x.npy", x)
    tenon("convert", source, "--to", target, "-o", there)
    tenon("grad", there, "--seed", seed, "-o", gradient)
    tenon("run", gradient, f"--input=0={folder}/x.npy", "--output", folder / "out")
    listed = json.loads((folder / "out" / "outputs.json").read_text())[1]
    got = np.load(folder / "out" / listed["file"]).astype(np.float64)
    true = seed * slope(x.astype(np.float64))
    near = np.abs(got - true) <= 40 * HALF_ULP[listed["dtype"]] * np.maximum(1, np.abs(true))
    if (near | (np.isnan(got) & np.isnan(true))).all():
        return None
    return f"{got[:len(where)]} rather than {true[:len(where)]}"


def main():
    rows = set(re.findall(r"EXPAND\(\w+, (\w+),\s*RELAXED", TABLE.read_text()))
    faults = [f"no case for {row}" for row in sorted(rows - {c[0] for c in CASES})]
    with tempfile.TemporaryDirectory() as name:
        for case in CASES:
            fault = check(case, pathlib.Path(name))
            if fault:
                faults.append(f"{case[0]}, {case[1]} to {case[3]}: {fault}")
        for case in SLOPES:
            fault = check_slope(case, pathlib.Path(name))
            if fault:
                faults.append(f"slopes of what becomes of {case[1]} in {case[2]}: {fault}")
    for fault in faults:
        print(fault)
    print(f"{len(CASES)} cases, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
