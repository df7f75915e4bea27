"""Some functions of full_operations.py on inputs instead of constants, as C: what the compiled code gives is what the reference
evaluator gives, bit by bit."""
import argparse
import pathlib
import re
import subprocess
import tempfile

import numpy as np

import full_operations
from compile import full_compile
from lib import npy
from lib.compilers import PORT, Port, machine_flags
from lib.program import TENON

STRIDE = 30  # of so many functions one is taken
PER_BATCH = 12


class Program:
    """A function as full_compile.py takes it: its C file, its inputs and the outputs that are wanted."""

    def __init__(self, number, function, folder):
        self.name, self.title, self.folder = f"f{number:04}", function.name, folder
        text, arrays = function.with_inputs()
        self.path("mlir").write_text(text, encoding="utf-8")
        self.tenon("compile", "-o", self.path("c"), "--header", self.path("h"), self.path("mlir"))
        header = self.path("h").read_text(encoding="utf-8")
        found = PORT.findall(header)
        self.inputs = [Port(f) for f in found if f[0] == "inputs"]
        self.outputs = [Port(f) for f in found if f[0] == "outputs"]
        self.workspace = 0 if "workspace  not used" in header else int(re.search(r"_WORKSPACE_BYTES (\d+)u", header)[1])
        given, raw = [], [arrays[port.name].tobytes() for port in self.inputs]
        for name, array in arrays.items():
            path = folder / f"{self.name}_{name}.npy"
            np.save(path, array)
            given += ["--input", f"{name}={path}"]
        made = folder / f"{self.name}-out"
        self.tenon("run", "--engine", "ref", "--output", made, *given, self.path("mlir"))
        files = [npy.read_npy(made / f"{k}.npy")[2] for k in range(len(self.outputs))]
        self.runs = [(raw, [npy.same_narrow_nan(port.dtype, npy.same_nan(port.dtype, data)) for port, data in zip(self.outputs, files)])]

    def path(self, extension):
        return self.folder / f"{self.name}.{extension}"

    def tenon(self, *arguments):
        done = subprocess.run([TENON, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{self.title}: {done.stderr}")


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--stride", type=int, default=STRIDE)
    words.add_argument("--first", type=int, default=0)
    asked = words.parse_args()
    functions = list(full_operations.functions())[asked.first::asked.stride]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        faults, programs = [], []
        for number, function in enumerate(functions):
            try:
                programs.append(Program(number, function, folder))
            except RuntimeError as error:
                faults.append(str(error))
        flags = machine_flags()
        for k in range(0, len(programs), PER_BATCH):
            number = k // PER_BATCH
            faults += full_compile.build_c(folder, number, "gcc", ["-O1", *flags[number % len(flags)]], programs[k:k + PER_BATCH])
    for fault in faults:
        print(fault)
    print(f"{len(programs)} programs, {len(faults)} faults")
    return len(faults) > 0


if __name__ == "__main__":
    raise SystemExit(main())
