"""The gradient of a StableHLO program is one: functions of full_operations.py with a loss, differentiated. What comes out reads, and
gives what the same program gives that was converted to PTIR before, as far as that can express it."""
import json
import pathlib
import re
import sys
import tempfile

import numpy as np

import full_operations
from lib.program import start
from lib.tally import tally

SLOW = {"remainder_f64", "remainder_of_far_numbers"}  # a loop over the bits of the quotient, which its gradient records
FLOAT = re.compile(r"tensor<((?:\d+x)*)(?:f16|f32|f64)>")


def with_loss(text):
    """@main with the sum of tanh over its float results as its only one; None: it has no such results."""
    head, body = text.split(" {\n", 1)
    lines = body.splitlines()
    names, types = re.match(r"\s*return (.*?) : (.*)", lines[-2]).groups()
    parts = []
    for name, type_ in zip(names.split(", "), re.findall(r"tensor<[^<>]*(?:<\w+>)?>", types)):
        found = FLOAT.fullmatch(type_)
        if not found:
            continue
        k, wide = len(parts), f"tensor<{found[1]}f32>"
        lines[-2:-2] = [
            f"%wide{k} = stablehlo.convert {name} : ({type_}) -> {wide}", f"%curve{k} = stablehlo.tanh %wide{k} : {wide}",
            f"%zero{k} = stablehlo.constant dense<0.0> : tensor<f32>",
            f"%part{k} = stablehlo.reduce(%curve{k} init: %zero{k}) applies stablehlo.add across dimensions = "
            f"{list(range(found[1].count('x')))} : ({wide}, tensor<f32>) -> tensor<f32>",
            f"%sum{k} = stablehlo.add %part{k}, {f'%sum{k - 1}' if k else '%zero0'} : tensor<f32>"]
        parts.append(k)
    if not parts:
        return None
    lines[-2] = f"return %sum{parts[-1]} : tensor<f32>"
    return head.split(") -> ", 1)[0] + ") -> tensor<f32> {\n" + "\n".join(lines) + "\n"


def results(folder, program, inputs):
    """What PROGRAM gives for INPUTS; None: it cannot be run."""
    out = folder / f"{program}-out"
    if start("run", "--engine", "ref", folder / program, "--inputs", folder / inputs, "--output", f"{out}/").returncode:
        return None
    return [np.load(out / port["file"]) for port in json.loads((out / "outputs.json").read_text(encoding="utf-8"))]


def close(a, b):
    """Equal within rounding where PTIR, which has no square root and the like, gives a number. Slopes of roots of denormal numbers are larger than
    the steps that it has for these can tell from 0."""
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    is_finite = np.isfinite(b) & ~(np.abs(a) > 1 / np.sqrt(np.finfo(a.dtype).tiny))
    return np.allclose(a[is_finite].astype(np.float64), b[is_finite].astype(np.float64), rtol=max(1e-3, 8 * np.finfo(a.dtype).eps), atol=1e-5)


def check(function):
    """What came of FUNCTION, and what is wrong or None."""
    text, inputs = function.with_inputs()
    text = with_loss(text)
    if text is None or not any(a.dtype.kind == "f" for a in inputs.values()):
        return "without floats", None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "m.mlir").write_text(text, encoding="utf-8")
        np.savez(folder / "named.npz", **inputs)
        np.savez(folder / "numbered.npz", **{str(k): a for k, a in enumerate(inputs.values())})
        done = start("grad", folder / "m.mlir", "-o", folder / "g.mlir")
        if done.returncode:
            return "refused", None if "[NoDerivative]" in done.stderr else done.stderr
        own = results(folder, "g.mlir", "named.npz")
        if own is None:
            return "different", "the gradient does not run"
        if start("convert", "--to", "ptir", folder / "m.mlir", "-o", folder / "m.ptir.json").returncode or \
                start("grad", folder / "m.ptir.json", "-o", folder / "g.ptir.json").returncode:
            return "not in PTIR", None
        other = results(folder, "g.ptir.json", "numbered.npz")
        if len(own) != len(other) or not all(a.shape == b.shape and a.dtype == b.dtype and close(a, b) for a, b in zip(own, other)):
            return "different", f"{own}\n{other}"
        return "same", None


if __name__ == "__main__":
    sys.exit(tally([f for f in full_operations.functions() if f.name not in SLOW], check, lambda f: f.name, 180))
