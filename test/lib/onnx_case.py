"""Models of one operator, run by the evaluator and as machine code."""
import json
import pathlib
import tempfile
import unittest

import numpy as np

from lib.onnx_files import model, node
from lib.program import start

DTYPES = {"float16": "f16", "float32": "f32", "float64": "f64", "int64": "si64", "int32": "si32", "int16": "si16",
          "uint16": "ui16", "uint8": "ui8", "int8": "si8", "bool": "i1"}
random = np.random.default_rng(7)


def floats(*shape):
    return random.integers(-8, 8, shape).astype(np.float32) / 4


def ints(*numbers):
    return np.array(numbers, dtype=np.int64)


class Case(unittest.TestCase):
    def results(self, op, outputs, *arrays, opset=18, domain="", **attributes):
        """What the evaluator and machine code give, which must be the same, for inputs x0, x1, ...; None: left out.
        OUTPUTS: how many there are, or their names."""
        names = ["-" if a is None else f"x{i}" for i, a in enumerate(arrays)]
        outputs = outputs.split() if isinstance(outputs, str) else [f"y{i}" for i in range(outputs)]
        data = model([node(op, " ".join(names), " ".join(outputs), domain=domain, **attributes)],
                     [(n, DTYPES[str(a.dtype)], list(a.shape)) for n, a in zip(names, arrays) if a is not None],
                     [(name, "f32", None) for name in outputs if name != "-"], opset=opset,
                     domains=[(domain, 1)] if domain else [])
        return self.run_model(data, {n: a for n, a in zip(names, arrays) if a is not None})

    def run_model(self, data, inputs, *arguments):
        """What the evaluator and machine code give, which must be the same, for INPUTS, arrays by their names."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "m.onnx").write_bytes(data)
            given = list(arguments)
            for name, array in inputs.items():
                np.save(folder / f"{name}.npy", array)
                given += ["--input", f"{name}={folder / name}.npy"]
            sets = []
            for engine in "ref", "jit":
                done = start("run", folder / "m.onnx", *given, "--engine", engine, "--output", folder / engine)
                self.assertEqual(done.returncode, 0, done.stderr)
                listed = json.loads((folder / engine / "outputs.json").read_text())
                sets.append([np.load(folder / engine / o["file"]) for o in listed])
        for ref, jit in zip(*sets):
            self.assertEqual(ref.tobytes(), jit.tobytes())
        return sets[0]

    def checked(self, data, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "m.onnx")
            path.write_bytes(data)
            return start("check", path, *arguments, "--diagnostics", "json")

    def accepted(self, data, *arguments):
        done = self.checked(data, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def refused(self, data, *arguments):
        """The kinds of the errors for which the model is refused."""
        done = self.checked(data, *arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        said = [json.loads(line) for line in done.stderr.splitlines()]
        return [d["kind"] for d in said if d["severity"] == "error"]
