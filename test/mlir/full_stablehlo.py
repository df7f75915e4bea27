"""Programs converted to StableHLO, computed by stablehlo.py beside this file, against `tenon run`.

The same programs as in full_mlir.py, and those of Tiny IR: cases that give inputs, others on random
ones, gradients, random modules. Integers must be equal, floats close as there: sums run in another
order. What has no counterpart in NumPy (bf16, fp8, 4 bits), random numbers and custom calls are only read.

STABLEHLO_EVERY says which share of the cases is taken (one in 15), the rest as there.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

import full_mlir
from full_mlir import Options
import run_cases
from lib.program import Failure

try:
    import numpy as np
    import stablehlo
except ImportError:
    np = None

TOLERANCE = {"f16": 4e-3, "f32": 2e-5, "f64": 1e-12, "cf32": 2e-5, "cf64": 1e-12}
SHORT = {"float16": "f16", "float32": "f32", "float64": "f64", "complex64": "cf32",
         "complex128": "cf64"}


def input_names(case, source):
    """The names that a case calls its inputs by, in order."""
    if case.dialect == "tiny":
        nodes = json.loads(case.succeed("fmt", case.module).out)["uops"]
        return list(dict.fromkeys(n["arg"]["tensor_id"] for n in nodes if n["uop"] == "INPUT"))
    return list(run_cases.declared_types(source, case.dialect)[1])


def arguments_of(program, given, specials):
    """The arrays for the arguments of @main, in order: as given, else made here from the types."""
    rng = np.random.default_rng(1)
    out = []
    for k, (_, t) in enumerate(program.inputs):
        if k in given:
            out.append(given[k])
            continue
        if t.dtype == np.bool_:
            data = rng.integers(0, 2, t.shape).astype(bool)
        elif np.issubdtype(t.dtype, np.integer):
            data = rng.integers(0, 3, t.shape).astype(t.dtype)
        elif np.issubdtype(t.dtype, np.complexfloating):
            data = (rng.uniform(-2, 2, t.shape) + 1j * rng.uniform(-2, 2, t.shape)).astype(t.dtype)
        else:
            data = rng.uniform(-2, 2, t.shape).astype(t.dtype)
            flat = data.reshape(-1)
            for at, special in zip(range(0, flat.size, 3), [np.nan, -0.0, np.inf, 0.0, -np.inf] * 2):
                if k % 2 and specials:
                    flat[at] = special
        out.append(np.asarray(data))
    return out


def same(got, want, limit, rough):
    dtype = SHORT.get(str(want.dtype))
    if not dtype:
        return np.array_equal(got, want)
    tolerance = max(TOLERANCE[dtype], rough)
    got, want = (np.asarray(a).astype(np.complex128 if a.dtype.kind == "c" else np.float64)
                 for a in (got, want))
    with np.errstate(all="ignore"):
        close = np.abs(got - want) <= tolerance * np.maximum(limit, np.abs(want))
        wide = (np.abs(got) > 1e38) & (np.abs(want) > 1e38)  # sums in another order overflow elsewhere
    return bool(np.all(close | (got == want) | (np.isnan(got) & np.isnan(want)) | wide))


def check_case(path):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        case = run_cases.Case(path, Options, folder)
        if case.sections[0].words[0] != "module" or "strict" in case.sections[0].words:
            return "skipped"
        source = case.sections[0].text()
        case.module.write_text(source, encoding="utf-8")
        if case.tenon("check", case.module).status != 0:
            return "skipped"
        made = case.tenon("convert", "--to", "stablehlo", case.module)
        if made.status != 0:
            if not re.search(full_mlir.REFUSALS, made.err):
                raise Failure(f"refused otherwise: {made.err.decode()}")
            return "refused"
        text = made.out.decode()
        try:
            program = stablehlo.Interpreter(text)
            worst, tries = "read", [{}]
            runs = [s for s in case.sections if s.words[0] == "run"]
            specials = "stablehlo.convolution" not in text  # padding and holes times infinity
            names = input_names(case, source)
            if runs:
                given = case.write_inputs(runs[0], *run_cases.declared_types(source, case.dialect))
                given = dict(a.split("=", 1) for a in given[1::2])
                arrays = {names.index(n): np.load(p) for n, p in given.items()} if set(given) <= set(names) else {}
                if arrays and (specials or all(np.isfinite(a).all() for a in arrays.values())):
                    tries.insert(0, arrays)
            for given in tries:
                done = compare(case, program, arguments_of(program, given, specials))
                worst = "run" if done else worst
        except stablehlo.Unsupported:
            return "read"
        except ValueError:
            return "read"  # too large for NumPy
        except stablehlo.Invalid as why:
            raise Failure(f"{why}\n{text[:4000]}") from None
        return worst


def compare(case, program, arguments):
    """Run both ways. False when Tenon's run fails, which StableHLO cannot."""
    given, out = case.folder / "given.npz", case.folder / "results.npz"
    names = [i["name"] for i in json.loads(case.succeed("info", "--json", case.module).out)["inputs"]]
    numbers = [str(k) for k in range(len(names))]
    np.savez(given, **dict(zip(names if set(names) & set(numbers) else numbers, arguments, strict=True)))
    done = case.tenon("run", "-O0", "--engine", "ref", "--inputs", given, "--output", out, case.module)
    if done.status != 0:
        return False
    archive = np.load(out)
    wanted = [archive[k] for k in archive.files]
    results = program(*arguments)
    rough = max([TOLERANCE.get(SHORT.get(str(a.dtype)), 0) for a in arguments], default=0)
    finite = [np.abs(a[np.isfinite(a)]).max(initial=1) for a in arguments if a.dtype.kind in "fc"]
    for k, (got, want) in enumerate(zip(results, wanted, strict=True)):
        if not same(got, want, max([1.0, *finite]), rough):
            shown = "\n".join(map(repr, arguments))
            raise Failure(f"output {k}:\n{got!r}\nexpected\n{want!r}\nof\n{shown}\n"
                                    f"{case.module.read_text()}")
    return True


def attempt(path):
    try:
        return path, check_case(path), ""
    except Failure as failure:
        return path, "failed", str(failure)


def main():
    if np is None:
        print("skipped: NumPy is not installed")
        return 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ProcessPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        paths = full_mlir.programs(folder, ("exec", "ptir", "tiny", "read"),
                                   int(os.environ.get("STABLEHLO_EVERY", "15")))
        return full_mlir.report(pool.map(attempt, paths, chunksize=4),
                                {"read": "only read", "refused": "cannot be expressed",
                                 "skipped": "without a program"})


if __name__ == "__main__":
    sys.exit(main())
