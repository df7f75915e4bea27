"""A choice between one number of f16 and a constant has the evaluator's bits, those of zeros too, and needs no function of another library."""
import pathlib
import subprocess
import tempfile

import numpy as np

from lib.compilers import machine_cpus
from lib.program import tenon

COMPARISONS = ("GT", "GE", "LT", "LE", "EQ", "NE")
CONSTANTS = ("0.0", "-0.0", "1.5", "0x7C00")
VALUES = np.array([0.0, -0.0, 1.5, -6e-8, np.inf, np.nan], np.float16)

lines, out = [], []
for number, constant in enumerate(CONSTANTS):
    lines.append(f"  %c{number} = stablehlo.constant dense<{constant}> : tensor<f16>")
    for how in COMPARISONS:
        for side, (a, b) in enumerate((("%x", f"%c{number}"), (f"%c{number}", "%x"))):
            name = f"{how.lower()}{number}_{side}"
            lines += [f"  %p{name} = stablehlo.compare {how}, %x, %c{number} : (tensor<f16>, tensor<f16>) -> tensor<i1>",
                      f"  %{name} = stablehlo.select %p{name}, {a}, {b} : tensor<i1>, tensor<f16>"]
            out.append(f"%{name}")
TYPES = ", ".join(["tensor<f16>"] * len(out))
PROGRAM = "\n".join([f"func.func @main(%x: tensor<f16>) -> ({TYPES}) {{", *lines, f"  return {', '.join(out)} : {TYPES}", "}", ""])

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    path, code, x = folder / "p.mlir", folder / "p.o", folder / "x.npy"
    path.write_text(PROGRAM)

    for value in VALUES:
        np.save(x, value)
        tenon("run", path, "--input", f"x={x}", "--check")
    for cpu in machine_cpus() or ["native"]:
        tenon("compile", path, "--cpu", cpu, "-o", code)
        needed = subprocess.run(["nm", "-u", code], capture_output=True, text=True, check=True).stdout
        assert not needed.strip(), (cpu, needed)
