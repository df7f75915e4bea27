"""All numbers of f16 and fp8_e5m2 become f32 with the evaluator's bits, by the conversion of CPUs that have one."""
import pathlib
import tempfile

import numpy as np

from lib.compilers import machine_cpus
from lib.program import tenon

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    path, code = folder / "p.mlir", folder / "p.ll"
    for bits, dtype in (16, "f16"), (8, "f8E5M2"):
        n = 1 << bits
        f = f"tensor<{n}xf32>"
        path.write_text(f"func.func @main(%x: tensor<{n}xui{bits}>) -> {f} {{\n"
                        f"  %y = stablehlo.bitcast_convert %x : (tensor<{n}xui{bits}>) -> tensor<{n}x{dtype}>\n"
                        f"  %z = stablehlo.convert %y : (tensor<{n}x{dtype}>) -> {f}\n  return %z : {f}\n}}\n")
        np.save(folder / "x.npy", np.arange(n).astype(f"uint{bits}"))
        found = []
        for how in ["--engine", "ref"], *(["--cpu", cpu] for cpu in machine_cpus() or ["native"]):
            tenon("run", path, "--input", f"x={folder}/x.npy", *how, "--output", folder / "y.npy")
            y = np.load(folder / "y.npy")
            found.append(np.where(np.isnan(y), np.float32(np.nan), y).tobytes())
            assert found[-1] == found[0], (dtype, how)
        if dtype == "f16":
            want = np.arange(n).astype(np.uint16).view(np.float16).astype(np.float32)
            assert found[0] == np.where(np.isnan(want), np.float32(np.nan), want).tobytes()
        for cpu, has in ("x86-64-v2", False), ("x86-64-v3", True), ("x86-64-v4", True):
            tenon("compile", path, "--cpu", cpu, "-o", code)
            assert (" x half> " in code.read_text()) == has, (dtype, cpu)
