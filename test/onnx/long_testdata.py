"""The official test models in every way: the evaluator, machine code of each level and for each processor whose code runs here, and
C. All of a level have the same bits. full_testdata.py compares them with the results that lie beside the models.

usage: long_testdata.py [WORD...]

The words select models by parts of their names.
"""
import concurrent.futures
import ctypes
import os
import pathlib
import re
import sys
import tempfile

import numpy as np

from full_testdata import BROKEN, DATA, evaluate, read_list, run
from lib import onnx_files
from lib.compilers import PORT, WARNINGS, Port, machine_cpus, shell
from lib.program import start


def bits(results):
    """RESULTS as shapes and bytes, with one NaN."""
    out = []
    for array, dtype in results:
        array = array.copy()
        if array.dtype.kind == "f":
            array[np.isnan(array)] = np.nan
        elif dtype == "bf16":
            array[(array & 0x7fff) > 0x7f80] = 0x7fc0
        out.append((array.shape, array.tobytes()))
    return out


def aligned(size, keep):
    block = ctypes.create_string_buffer(size + 64)
    keep.append(block)
    at = ctypes.addressof(block)
    return at + -at % 64


def compiled(model, arguments, like, compiler, scratch):
    """The results of the C of MODEL, or what is wrong with it. LIKE: those of the evaluator."""
    known = [a for pair in zip(arguments[::2], arguments[1::2]) if pair[0] in ("--constant", "--dim") for a in pair]
    files = [a for option, a in zip(arguments[::2], arguments[1::2]) if option == "--input"]
    given = {name: np.load(path) for name, path in (a.rsplit("=", 1) for a in files)}
    # As `tenon run` does it: integers are known where the model cannot be read without, then single floats and short lists of them.
    integers = [a for f in files if given[f.rsplit("=", 1)[0]].dtype.kind in "iub" for a in ("--constant", f)]
    lists = [f for f in files if given[f.rsplit("=", 1)[0]].dtype.kind == "f" and given[f.rsplit("=", 1)[0]].ndim <= 1]
    for more in [], integers, integers + [a for f in lists for a in ("--constant", f)]:
        done = start("compile", model, *known, *more, "-o", scratch / "m.c", "--header", scratch / "m.h", "--name", "m")
        if not re.search("DataDependentShape|Sequence", done.stderr):
            break
    if done.returncode and re.search("symbol|ShapeUnknown", done.stderr):
        return None  # sizes that only the inputs say
    if done.returncode:
        return f"C: {done.stderr}"
    fault = shell([compiler, "-std=c17", "-O1", *WARNINGS, "-fPIC", "-shared", "-o", scratch / "m.so", scratch / "m.c", "-lm"], compiler)
    if fault:
        return fault[0]
    text = (scratch / "m.h").read_text()
    ports = PORT.findall(text)
    keep, ins = [], []
    for port in ports:
        if port[0] == "inputs":
            raw = np.ascontiguousarray(given[Port(port).name]).tobytes()
            ins.append(aligned(len(raw), keep))
            ctypes.memmove(ins[-1], raw, len(raw))
    outs = [aligned(Port(p).bytes, keep) for p in ports if p[0] == "outputs"]
    work = aligned(int(text.split("_WORKSPACE_BYTES ")[1].split("u")[0]), keep)
    pointers = lambda all_: (ctypes.c_void_p * max(1, len(all_)))(*all_)
    if ctypes.CDLL(str(scratch / "m.so")).m_run(pointers(ins), pointers(outs), ctypes.c_void_p(work)) != 0:
        return "C: the run failed"
    return [(np.frombuffer(ctypes.string_at(at, a.nbytes), a.dtype).reshape(a.shape), dtype) for at, (a, dtype) in zip(outs, like)]


def check(number, folder):
    """What is wrong with the model in FOLDER."""
    model, faults = folder / "model.onnx", []
    given, _ = onnx_files.ports(model.read_bytes())
    data = sorted(folder.glob("test_data_set_*"))[0]
    with tempfile.TemporaryDirectory() as place:
        scratch = pathlib.Path(place)
        for level in "-O0", "-O1", "-O2":
            arguments, results, why = evaluate(model, given, data, scratch, level)
            if why:
                return [f"{level}: {why}"]
            for cpu in ["native"] if level != "-O2" else ["native", *machine_cpus()]:
                again, why = run(model, [*arguments, level, "--cpu", cpu], "jit", scratch)
                if why or bits(again) != bits(results):
                    faults.append(f"{level} for {cpu}: {why or 'other bits'}")
        again = compiled(model, arguments, results, ("gcc", "clang")[number % 2], scratch)
        if isinstance(again, str) or again is not None and bits(again) != bits(results):
            faults.append(again if isinstance(again, str) else "C: other bits")
    return faults + ([] if again is not None else [None])


def main():
    if not DATA.exists():
        sys.exit("the package libonnx-testdata is missing; `make setup` installs it")
    words = sys.argv[1:] or [""]
    left_out = BROKEN | set(read_list())
    folders = [f.parent for f in sorted(DATA.glob("*/*/model.onnx"))]
    folders = [f for f in folders if f"{f.parent.name}/{f.name}" not in left_out and any(w in f.name for w in words)]
    wrong = symbolic = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for folder, faults in zip(folders, pool.map(check, range(len(folders)), folders)):
            symbolic += None in faults
            for fault in filter(None, faults):
                print(f"{folder.name}: {fault}", flush=True)
                wrong += 1
    print(f"{len(folders)} models, of which {symbolic} have no C because their sizes are symbolic; {wrong} faults")
    return wrong > 0 or symbolic > len(folders) // 4


if __name__ == "__main__":
    sys.exit(main())
