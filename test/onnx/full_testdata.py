"""The official test models of ONNX, as Debian packages them (libonnx-testdata): each is run by the evaluator and as
machine code, which must agree in every bit, and be close to the results that lie beside it. What is refused stands in
refused.txt, with the operator and the reason; a model that passes must not stand there.

usage: full_testdata.py [--update] [WORD...]

The words select models by parts of their names. With --update the list is written anew.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

import numpy as np

from lib import onnx_files
from lib.program import TEST, start

DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
LIST = TEST / "onnx/refused.txt"
# How far results may be from those that are expected: |a - b| <= absolute + relative * |b|.
CLOSE = {"f32": (1e-4, 2e-6), "f64": (1e-7, 1e-7), "f16": (2e-3, 1e-3), "bf16": (2e-2, 1e-2)}
# These have a constant of five or six digits for pi, or their results have four digits.
LOOSE = re.compile(r"test_(hann|hamming|blackman)window|test_roialign|test_gridsample_bicubic")
# Data sets that do not fit their models: an input of another type and shape than the model declares; the results for another
# `epsilon` than the default, which the model leaves.
BROKEN = {"node/test_castlike_BFLOAT16_to_FLOAT", "node/test_castlike_BFLOAT16_to_FLOAT_expanded",
          "node/test_adam_multiple", "node/test_castlike_FLOAT_to_BFLOAT16",
          "node/test_castlike_FLOAT_to_BFLOAT16_expanded"}


def wide(array, dtype):
    if dtype == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array


def differs(got, want, dtype, loose):
    """Why GOT is not WANT, or None."""
    if got.shape != want.shape:
        return f"shape {got.shape} instead of {want.shape}"
    if dtype not in CLOSE:
        same = np.array_equal(got, want)
        return None if same else "other values"
    relative, absolute = (1e-3, 1e-4) if loose else CLOSE[dtype]
    got, want = wide(got, dtype).astype(np.float64), wide(want, dtype).astype(np.float64)
    close = np.isclose(got, want, rtol=relative, atol=absolute, equal_nan=True)
    if close.all():
        return None
    worst = np.nanmax(np.abs(got - want)[~close]) if np.isfinite((got - want)[~close]).any() else np.inf
    return f"{(~close).sum()} of {close.size} elements differ, by up to {worst:g}"


def numbered(folder, stem):
    found = {int(re.search(r"(\d+)\.pb$", p.name)[1]): p for p in folder.glob(f"{stem}_*.pb")}
    return [found[i] for i in sorted(found)]


def run(model, arguments, engine, scratch):
    """The results as arrays with their types; or the reason for the refusal."""
    out = scratch / engine
    done = start("run", model, *arguments, "--engine", engine, "--output", out, "--diagnostics", "json")
    if done.returncode == 0:
        listed = json.loads((out / "outputs.json").read_text())
        return [(np.load(out / o["file"]), o["dtype"]) for o in listed], None
    said = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    errors = [d for d in said if d["severity"] == "error"] or [{"kind": f"status {done.returncode}", "message": done.stderr}]
    reasons = sorted({f"{d['kind']} {d['message'].split(':')[0] if ':' in d['message'] else ''}".strip() for d in errors})
    return None, ", ".join(reasons) if done.returncode == 1 else f"FAILED with {done.returncode}: {errors[0]['message']}"


def unpacked(paths, ports):
    """(name, bytes of a tensor) of what is expected, in order; those of sequences one after the other."""
    for path, (name, kind) in zip(paths, ports):
        data = path.read_bytes()
        for one in [data] if kind == "tensor" else onnx_files.tensors(data, kind == "optional"):
            yield name, one


def fixed(arguments, most):
    """ARGUMENTS with the inputs of MOST axes, of which one with 1 is a list and no image or the like, as constants."""
    out = []
    for option, text in zip(arguments[::2], arguments[1::2]):
        name, path = text.rsplit("=", 1)
        array = np.load(path)
        out += ["--constant" if array.ndim <= most and array.size < 4096 else option, text]
    return out


def evaluate(model, given, data, scratch, *options):
    """(arguments, results, why not) of the evaluator, for the inputs GIVEN that the folder DATA has."""
    arguments = []
    try:
        for name, path in zip(given, numbered(data, "input")):
            _, array, _ = onnx_files.tensor(path.read_bytes())
            target = scratch / f"{len(arguments)}.npy"
            np.save(target, array)
            arguments += ["--input", f"{name}={target}"]
    except (onnx_files.NotRead, ValueError, IndexError, KeyError):
        arguments = []  # an input that is no tensor: it is refused before it matters
    results, why = run(model, [*arguments, *options], "ref", scratch)
    for most in 1, 8:
        if why and re.search("DataDependentShape|ShapeUnknown|Sequence", why):
            arguments = fixed(arguments, most)
            results, why = run(model, [*arguments, *options], "ref", scratch)
    return arguments, results, why


def check(folder):
    """None, or what is wrong with the model in FOLDER: (is it refused?, why)."""
    model = folder / "model.onnx"
    given, wanted = onnx_files.ports(model.read_bytes())
    sets = sorted(folder.glob("test_data_set_*"))
    for data in sets:
        with tempfile.TemporaryDirectory() as place:
            scratch = pathlib.Path(place)
            arguments, results, why = evaluate(model, given, data, scratch)
            if why:
                return (not why.startswith("FAILED"), why)
            expected = list(unpacked(numbered(data, "output"), wanted))
            if len(expected) != len(results):
                return (False, f"{len(results)} results instead of {len(expected)}")
            for (got, dtype), (name, bytes_) in zip(results, expected):
                _, want, want_dtype = onnx_files.tensor(bytes_)
                if dtype == "bf16" and want_dtype == "ui16":
                    want_dtype = dtype  # its patterns
                if dtype != want_dtype:
                    return (False, f"'{name}' has type {dtype} instead of {want_dtype}")
                why = differs(got, want, dtype, LOOSE.search(folder.name))
                if why:
                    return (False, f"'{name}': {why}")
            if os.environ.get("ONNX_REF_ONLY"):
                continue
            again, why = run(model, arguments, "jit", scratch)
            if why:
                return (False, f"machine code: {why}")
            for (a, _), (b, _) in zip(results, again):
                if a.shape != b.shape or not np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"):
                    return (False, "machine code gives other results than the evaluator")
    return None


def read_list():
    lines = LIST.read_text().splitlines() if LIST.exists() else []
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def main():
    words = [a for a in sys.argv[1:] if a != "--update"]
    update = "--update" in sys.argv
    if not DATA.exists():
        sys.exit("the package libonnx-testdata is missing; `make setup` installs it")
    folders = sorted(p.parent for p in DATA.glob("*/*/model.onnx"))
    folders = [f for f in folders if f"{f.parent.name}/{f.name}" not in BROKEN]
    if words:
        folders = [f for f in folders if any(w in f"{f.parent.name}/{f.name}" for w in words)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip((f"{f.parent.name}/{f.name}" for f in folders), pool.map(check, folders)))
    listed, wrong = read_list(), 0
    for name, result in found.items():
        if result and not result[0]:
            print(f"{name}: {result[1]}")
            wrong += 1
        elif result and not update and name not in listed:
            print(f"{name} is refused, but does not stand in refused.txt: {result[1]}")
            wrong += 1
        elif not result and not update and name in listed:
            print(f"{name} passes, but stands in refused.txt; --update takes it away")
            wrong += 1
    refused = {name: result[1] for name, result in found.items() if result and result[0]}
    if update:
        kept = {name: why for name, why in listed.items() if name not in found} | refused
        LIST.write_text("# Models of libonnx-testdata that are refused, and why. full_testdata.py --update writes this.\n" +
                        "".join(f"{name} {kept[name]}\n" for name in sorted(kept)))
    passed = len(found) - len(refused) - sum(1 for r in found.values() if r and not r[0])
    print(f"{len(found)} models: {passed} pass, {len(refused)} are refused, {wrong} are wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
