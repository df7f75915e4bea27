"""Models that Tenon and ONNX Runtime both run: the evaluator and machine code give the same bits, and what ONNX Runtime gives is near."""
import dataclasses
import json
import pathlib
import re
import tempfile

import numpy as np

from lib import onnx_runtime
from lib.onnx_files import model, node
from lib.program import start

NAMES = {"float32": "f32", "float16": "f16", "float64": "f64", "int64": "si64", "int32": "si32", "int16": "si16", "int8": "si8",
         "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64", "bool": "i1"}
# Written with other functions, which are right but for the last bits, or folded in another order.
INEXACT = re.compile("log1p|expm1|cbrt|atan2|cumulative|segment.?reduce", re.I)


@dataclasses.dataclass
class Case:
    name: str
    data: bytes
    inputs: dict                  # arrays by name
    close: tuple = (1e-4, 1e-5)   # how far floats may be apart: of the number itself, and at all
    step: int = 0                 # how far integers may be apart
    odd: float = 0                # part of the truth values of a result that may be others
    open: tuple = ()              # numbers of results of which some elements may be anything
    arguments: tuple = ()         # of `tenon run`, besides
    theirs: bytes = None          # the model for ONNX Runtime; None: the same


def said(array):
    return None if array is None else [str(array.dtype), *array.shape] if array.size > 4 else array.tolist()


def one(op, arrays, attributes=None, opset=21, constants=(), outputs="y", domain="", **how):
    """A model of one node. ARRAYS: its inputs, None where one is left out; those numbered in CONSTANTS are initializers. OUTPUTS:
    their names, with their types where they are not floats (`y:ui8`), `-` for one that is not wanted, `_...` for one whose elements
    may be anything."""
    attributes = attributes or {}
    names = ["-" if a is None else f"x{i}" for i, a in enumerate(arrays)]
    given = {n: a for n, a in zip(names, arrays) if a is not None}
    fixed = [(n, a) for i, (n, a) in enumerate(zip(names, arrays)) if a is not None and i in constants]
    inputs = {n: a for n, a in given.items() if n not in dict(fixed)}
    results = [(*o.split(":"), None)[:2] for o in outputs.split()]
    wanted = [o for o in results if o[0] != "-"]
    data = model([node(op, " ".join(names), " ".join(o for o, _ in results), domain=domain, **attributes)],
                 [(n, NAMES[str(a.dtype)], list(a.shape)) for n, a in inputs.items()],
                 [(o, dtype, None) for o, dtype in wanted], fixed, opset=opset, domains=[(domain, 1)] if domain else ())
    name = f"{op} {opset} {attributes} {[said(a) for a in arrays]}"
    return Case(name, data, inputs, open=tuple(k for k, (o, _) in enumerate(wanted) if o.startswith("_")), **how)


def prepare(case, folder):
    """The job for ONNX Runtime, and the arguments of a run."""
    folder.mkdir()
    (folder / "m.onnx").write_bytes(case.data)
    (folder / "theirs.onnx").write_bytes(case.theirs or case.data)
    inputs, arguments = [], [*case.arguments]
    for name, array in case.inputs.items():
        array.tofile(folder / f"{name}.raw")
        np.save(folder / f"{name}.npy", array)
        inputs.append({"name": name, "type": str(array.dtype), "shape": list(array.shape), "file": str(folder / f"{name}.raw")})
        arguments += ["--input", f"{name}={folder / name}.npy"]
    return {"model": str(folder / "theirs.onnx"), "inputs": inputs, "out": str(folder / "theirs")}, arguments


def apart(case, got, want):
    """By how much the arrays are too far apart, or None."""
    if got.dtype.kind == "f":
        near = np.isclose(got, want, *case.close, equal_nan=True)
    else:
        near = np.abs(got.astype(np.int64) - want.astype(np.int64)) <= case.step
    few = got.dtype == bool and near.size and np.mean(~near) <= case.odd
    return None if near.all() or few else np.abs(got.astype(np.float64) - want)[~near].max()


def wrong(case, folder, arguments, done):
    """What is wrong with a case, or None."""
    sets = []
    for engine in "ref", "jit":
        ended = start("run", folder / "m.onnx", *arguments, "--engine", engine, "--output", folder / engine)
        if ended.returncode:
            return ended.stderr
        listed = json.loads((folder / engine / "outputs.json").read_text())
        sets.append([np.load(folder / engine / o["file"]) for o in listed])
    if any(a.tobytes() != b.tobytes() for a, b in zip(*sets)):
        return "machine code gives other bits than the evaluator"
    for k, (got, about) in enumerate(zip(sets[0], done["outputs"])):
        if [int(d) for d in about["shape"]] != list(got.shape) or about["type"] != str(got.dtype):
            return f"result {k} is {got.dtype}{list(got.shape)}, not {about['type']}{about['shape']}"
        far = None if k in case.open else apart(case, got, np.fromfile(folder / f"theirs.{k}", got.dtype).reshape(got.shape))
        if far is not None:
            return f"result {k} differs by up to {far}"
    return None


def compare(package, cases):
    """How many of CASES both ran, and were not wrong; of the others (case, what is wrong, None), or where ONNX Runtime refuses them
    (case, None, what it says)."""
    ran, faults = 0, []
    with tempfile.TemporaryDirectory() as place:
        folders = [pathlib.Path(place, str(k)) for k in range(len(cases))]
        prepared = [prepare(c, folder) for c, folder in zip(cases, folders)]
        done = onnx_runtime.run(package, [job for job, _ in prepared], place)
        for case, folder, (_, arguments), theirs in zip(cases, folders, prepared, done):
            fault = None if "fault" in theirs else wrong(case, folder, arguments, theirs)
            ran += "fault" not in theirs and not fault
            if fault or "fault" in theirs:
                faults.append((case, fault, theirs.get("fault")))
    return ran, faults
