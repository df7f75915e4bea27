"""What is computed of numbers of four bits and constants is looked up on CPUs with AVX-512, with the evaluator's bits."""
import pathlib
import tempfile

from lib.compilers import machine_cpus
from lib.program import tenon

N = 80  # vectors of 16
F = f"tensor<{N}xf32>"
CONSTANTS = {"a": "7.3", "b": "-0.1", "i": "0x7F800000"}
# What follows the conversion.
WAYS = {"convert": [], "subtract": ["subtract %v, %a"], "from": ["subtract %a, %v"], "scale": ["multiply %v, %a", "add %b, %v"],
        "chain": ["subtract %v, %a", "multiply %b, %v", "add %v, %a"], "infinite": ["multiply %v, %i", "add %v, %a"]}


def program(dtype, way, mask, shift):
    t = f"tensor<{N}x{dtype}>"
    lines = [f"func.func @main(%x: {t}) -> {F} {{", f"  %m = stablehlo.constant dense<{mask}> : {t}",
             f"  %s = stablehlo.constant dense<{shift}> : {t}"]
    lines += [f"  %{name} = stablehlo.constant dense<{value}> : {F}" for name, value in CONSTANTS.items()]
    lines += [f"  %y = stablehlo.shift_right_logical %x, %s : {t}"] if shift else []
    lines += [f"  %n = stablehlo.and {'%y' if shift else '%x'}, %m : {t}", f"  %v0 = stablehlo.convert %n : ({t}) -> {F}"]
    lines += [f"  %v{number + 1} = stablehlo.{step.replace('%v', f'%v{number}')} : {F}" for number, step in enumerate(WAYS[way])]
    return "\n".join([*lines, f"  return %v{len(WAYS[way])} : {F}", "}", ""])


with tempfile.TemporaryDirectory() as folder:
    path, code = pathlib.Path(folder) / "p.mlir", pathlib.Path(folder) / "p.ll"
    every = [("i32", way, mask, shift) for way in WAYS for mask, shift in ((15, 4), (31, 0))]
    for dtype, way, mask, shift in every + [("i32", "scale", 3, 2), ("ui8", "chain", 15, 4), ("ui8", "convert", 15, 0)]:
        path.write_text(program(dtype, way, mask, shift))
        want = tenon("run", path, "--random", "3", "--print", "--engine", "ref").stdout
        for cpu in (machine_cpus() or ["native"]) if mask == 15 else ["native"]:
            got = tenon("run", path, "--random", "3", "--print", "--cpu", cpu).stdout
            assert got == want, (dtype, way, mask, shift, cpu)
        tenon("compile", path, "--cpu", "x86-64-v4", "-o", code)
        text = code.read_text()
        # A mask of more bits is no index, and 0 times infinity no number.
        assert ("permvar.sf.512(" in text) == (mask < 16), (dtype, way, mask, shift)
        if way == "chain" and mask < 16:
            assert "7.3" not in "".join(line for line in text.splitlines() if "fsub" in line), text
