"""Runs what is written as ONNX with ONNX Runtime (the package onnxruntime-node of npm, installed by this test where
there is a network; skipped otherwise) and compares with the evaluator: the programs of the case files, on random inputs.
Floats are to be equal up to rounding, everything else exactly; what the runtime has no kernel for is counted.

usage: long_write_runtime.py [--random N] [--seed FIRST] [FOLDER...]

With FOLDER arguments only the cases there are looked at, with --random N random programs of the planner's tests. ONNXRUNTIME names a folder with the package in node_modules.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import re
import sys
import tempfile

import numpy as np

from lib import onnx_files, onnx_runtime, random_graphs
from lib.cases import EXTENSIONS, modules
from lib.program import TEST, start

MOST_ELEMENTS = 1 << 26  # of an input that is made
WORDS = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16",
         11: "float64", 12: "uint32", 13: "uint64", 16: "bfloat16"}
SHORT = {"F16": "float16", "Bf16": "bfloat16", "F32": "float32", "F64": "float64"}
# |a - b| <= absolute + relative * the largest |b|
CLOSE = {"float32": (2e-5, 1e-6), "float64": (1e-11, 1e-12), "float16": (4e-3, 1e-3), "bfloat16": (2e-2, 1e-2)}
# Said of models that are right, where the runtime has no kernel for an operator and an element type, or for a scan
# of no slices.
NO_KERNEL = re.compile(r"Could not find an implementation|NOT_IMPLEMENTED|not implemented|not supported|Type Error: Type "
                       r"'tensor\(.*is invalid|unsupported data type|utils::IsPrimit|OrtValueTensorSlicer", re.I)
# Programs that never end, or end in an error, on such inputs; and extremes with a constant NaN, which wins there.
LEFT_OUT = {"grad/while-open.case", "ptir/json-one-tuples.case", "ptir/while-never.case", "exec/extremes-of-known-bounds.case"}
# Products are of f16, which the runtime does not round to that; the result is f32.
NARROW_INSIDE = {"convert/convolution-groups.case"}


def message(data, number):
    return [value for n, value in onnx_files.fields(data) if n == number]


def declared(model):
    """(name, number of the element type, extents) of each input; sizes without a number are 3."""
    graph = message(model, 7)[0]
    for info in message(graph, 11):
        tensor = message(message(info, 2)[0], 1)[0]
        shape = message(tensor, 2)
        dims = [(message(d, 1) or [3])[0] for d in (message(shape[0], 1) if shape else [])]
        yield message(info, 1)[0].decode(), message(tensor, 1)[0], dims


def drawn(random, number, dims):
    if number == 16:
        return (random.standard_normal(dims).astype(np.float32).reshape(dims).view(np.uint32) >> 16).astype(np.uint16)
    form = np.dtype(onnx_files.TYPES[number][0])
    if form.kind == "f":
        return np.asarray(random.standard_normal(dims)).astype(form)
    return np.asarray(random.integers(0, 2, dims)).astype(form)


def sources(item):
    """(title, options, file) of each program of ITEM, the path of a case or the number of a random program."""
    if isinstance(item, int):
        path = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH), "a.ptir")
        if random_graphs.write(item, path):
            yield f"random program {item}", "", path
        return
    for k, (dialect, options, text) in enumerate(modules(item)):
        path = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH), f"a{EXTENSIONS[dialect]}")
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        yield f"{item.relative_to(TEST)}, program {k + 1}", options, path


def prepare(item):
    """A job for each program that is written and runs: the model, its inputs, and what the evaluator says."""
    jobs = []
    for title, options, source in sources(item):
        folder = source.parent
        model, out = folder / "a.onnx", folder / "want"
        if start("convert", source, "--to", "onnx", "-o", model, *options.split()).returncode:
            continue
        random, inputs, arguments = np.random.default_rng(1), [], []
        asked = list(declared(model.read_bytes()))
        if any(math.prod(max(d, 1) for d in dims) > MOST_ELEMENTS for _, _, dims in asked):  # NumPy counts like this, too
            continue
        for i, (name, number, dims) in enumerate(asked):
            array = drawn(random, number, dims)
            np.save(folder / f"{i}.npy", array)
            array.tofile(folder / f"{i}.raw")
            inputs.append({"name": name, "type": WORDS[number], "shape": dims, "file": str(folder / f"{i}.raw")})
            arguments += ["--input", f"{i}={folder / f'{i}.npy'}"]
        sizes = sorted(set(re.findall(r"--dim \S+", options)))
        if start("run", source, *arguments, *" ".join(sizes).split(), "-O0", "--engine", "ref", "--output", out,
                 *options.split()).returncode:
            continue
        jobs.append({"model": str(model), "inputs": inputs, "out": str(folder / "got"), "want": str(out),
                     "where": title})
    return jobs


def wide(array, word):
    if word == "bfloat16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)


def wrong(job, outputs):
    """Why the results are not the evaluator's, or None."""
    listed = json.loads((pathlib.Path(job["want"]) / "outputs.json").read_text())
    for k, (one, had) in enumerate(zip(listed, outputs)):
        want = np.load(pathlib.Path(job["want"]) / one["file"])
        got = np.fromfile(f"{job['out']}.{k}", dtype=want.dtype)
        if [int(d) for d in had["shape"]] != list(want.shape) or got.size != want.size:
            return f"output {k} has the shape {had['shape']}, not {list(want.shape)}"
        got = got.reshape(want.shape)
        if had["type"] not in CLOSE:
            if not np.array_equal(got, want):
                return f"output {k}: {got.ravel()[:6]} instead of {want.ravel()[:6]}"
            continue
        narrow = job["where"].split(",")[0] in NARROW_INSIDE
        relative, absolute = CLOSE["float16" if narrow else had["type"]]
        got, want = wide(got, had["type"]), wide(want, had["type"])
        finite = np.abs(want[np.isfinite(want)])
        room = absolute + relative * (finite.max() if finite.size else 0)
        if not np.isclose(got, want, rtol=0, atol=room, equal_nan=True).all():
            return f"output {k}: {got.ravel()[:6]} instead of {want.ravel()[:6]}"
    return None


# ---- random programs whose results hang on the last bits

RESULT = re.compile(r"^  (%\S+) = (.*) -> tensor<(f16|bf16|f32|f64)(?:, ([\dx]+))?>$")
NOISE = {"f16": 1.002, "bf16": 1.016, "f32": 1.000002, "f64": 1.000000000002}


def noisy(text, random):
    """The program with every float a little larger or smaller, those of one result alike."""
    lines = []
    for line in text.splitlines():
        m = RESULT.match(line)
        if not m:
            lines.append(line)
            continue
        name, operation, kind, dims = m.groups()
        shape = f"tensor<{kind}, {dims}>" if dims else f"tensor<{kind}>"
        factor = NOISE[kind] if random.random() < 0.5 else 2 - NOISE[kind]
        lines += [f"  {name}_r = {operation} -> {shape}", f"  {name}_c = constant value[{factor!r}] -> tensor<{kind}>"]
        if dims:
            lines.append(f"  {name}_b = broadcast_to({name}_c) result_shape[{dims.replace('x', ', ')}] -> {shape}")
        lines.append(f"  {name} = mul({name}_r, {name}_{'b' if dims else 'c'}) -> {shape}")
    return "\n".join(lines) + "\n"


def is_sensitive(job):
    """Does such noise change the results of a random program by more than rounding may?"""
    folder = pathlib.Path(job["model"]).parent
    source, out = folder / "noisy.ptir", folder / "noisy"
    if not job["where"].startswith("random"):
        return False
    source.write_text(noisy((folder / "a.ptir").read_text(), np.random.default_rng(1)))
    given = [word for i in range(len(job["inputs"])) for word in ("--input", f"{i}={folder / f'{i}.npy'}")]
    if start("run", source, *given, "-O0", "--engine", "ref", "--output", out).returncode:
        return False
    outputs = []
    for k, one in enumerate(json.loads((out / "outputs.json").read_text())):
        array = np.load(out / one["file"])
        array.tofile(f"{folder / 'noise'}.{k}")
        known = np.load(pathlib.Path(job["want"]) / one["file"])
        outputs.append({"shape": array.shape, "type": SHORT.get(one["dtype"], known.dtype.name)})
    return wrong({**job, "out": str(folder / "noise")}, outputs) is not None


def main():
    package, reason = onnx_runtime.installed()
    if not package:
        print(f"skipped: {reason}")
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folders", nargs="*", type=lambda a: pathlib.Path(a).resolve())
    o = parser.parse_args()
    folders = o.folders or ([] if o.random else [TEST])
    cases = sorted(p for f in folders for p in ([f] if f.is_file() else f.rglob("*.case")))
    cases = [p for p in cases if str(p.relative_to(TEST)) not in LEFT_OUT] + [*range(o.seed, o.seed + o.random)]
    with np.errstate(all="ignore"), concurrent.futures.ProcessPoolExecutor() as pool:
        jobs = [j for found in pool.map(prepare, cases, chunksize=8) for j in found]
        counts, failed = collections.Counter(), 0
        for job, done in zip(jobs, onnx_runtime.run(package, jobs, SCRATCH)):
            fault = done.get("fault")
            if fault and NO_KERNEL.search(fault):
                counts["no kernel"] += 1
                continue
            fault = fault or wrong(job, done["outputs"])
            if fault and "outputs" in done and is_sensitive(job):
                counts["sensitive"] += 1
                continue
            counts["wrong" if fault else "equal"] += 1
            if fault:
                failed += 1
                print(f"{job['where']}: {fault}")
    print(f"{len(jobs)} programs: {counts['equal']} equal, {counts['no kernel']} without a kernel, {counts['sensitive']} of which rounding "
          f"decides, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as SCRATCH:
        sys.exit(main())
