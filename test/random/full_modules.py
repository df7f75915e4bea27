"""Random well-typed Core IR modules, and damaged ones.

Each module is printed, canonicalised, run and passed through every pass as a case file would be
(run_cases.py), and its results are compared with numpy within error bounds carried along with the
values. Damaged copies must be accepted or rejected, never crash.

RANDOM_MODULES says how many modules (150), RANDOM_SEED where to start (1).
A failing module is printed whole, as a case file.
"""
import concurrent.futures
import os
import pathlib
import random
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is missing")
    print("0 passed, 0 failed")
    sys.exit(0)

import run_cases
from lib import equality, random_modules
from lib.program import TENON, Failure
from lib.random_modules import INTS, NUMPY


def compare(value, result):
    dtype, shape, raw = result
    got = np.frombuffer(raw, NUMPY[dtype]).reshape(shape)
    if dtype != value.dtype or got.shape != value.shape:
        raise Failure(f"{value.name} is {dtype} {shape}, expected {value.dtype} "
                                f"{value.shape}")
    if dtype in INTS:
        bad = got != value.data
    else:
        want = value.data.astype(np.float64)
        same = (got == value.data) | (np.isnan(got) & np.isnan(value.data))
        sure = np.isfinite(value.error) & np.isfinite(want)
        sure |= value.error == 0
        bad = sure & ~same & ~(np.abs(got.astype(np.float64) - want) <= value.error)
    if np.any(bad):
        raise Failure(f"{value.name}: got {got[bad][:5]}, numpy gives "
                                f"{value.data[bad][:5]} within {value.error[bad][:5]}")


def damage(r, text):
    """TEXT with a few small faults, as bytes."""
    lines = text.split("\n")
    for _ in range(r.randint(1, 2)):
        at = r.randrange(len(lines))
        line = lines[at]
        kind = r.randrange(8)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(r.randrange(len(lines)), line)
        elif kind == 2:
            lines[at] = line[:r.randint(0, len(line))]
        elif kind == 3 and line:
            i = r.randrange(len(line))
            odd = r.choice('%[](){}=:,".-0129aE#\\\t\x00é∞')
            lines[at] = line[:i] + odd + line[i + r.choice([0, 1]):]
        elif kind == 4:
            digits = [i for i, c in enumerate(line) if c.isdigit()]
            if digits:
                i = r.choice(digits)
                odd = r.choice(["0", "1", "7", "-1", "99", "4294967296", "9223372036854775807",
                                "1e999", "nan"])
                lines[at] = line[:i] + odd + line[i + 1:]
        elif kind == 5:
            lines[at] = line.replace(*r.choice([("f32", "i64"), ("f64", "f32"), ("i32", "f64"),
                                                ("[", "[["), ("]", ""), (", ", " "), ("(", "(("),
                                                ("Sum", "Mean"), ("MatMul", "Dot"), ("%", "%%"),
                                                ("Add", "Div"), (":", "")]))
        elif kind == 6:
            other = r.choice(lines)
            lines[at] = line[:r.randint(0, len(line))] + other[r.randint(0, len(other)):]
        else:
            i, j = r.randrange(len(lines)), r.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
        if not lines:
            lines = [""]
    raw = "\n".join(lines).encode()
    if r.random() < 0.2 and raw:
        i = r.randrange(len(raw))
        raw = raw[:i] + bytes([r.randrange(256)]) + raw[i + 1:]
    return raw


class Options:
    tenon = TENON
    bless = False
    jit = True
    passes = run_cases.exact_passes(tenon)


def check_module(seed):
    """None, or what is wrong with the module made from SEED."""
    with np.errstate(all="ignore"), tempfile.TemporaryDirectory(prefix="tenon-random-") as folder:
        folder = pathlib.Path(folder)
        generator = random_modules.Generator(seed)
        text = generator.module()
        path = folder / "module.case"
        path.write_text(text, encoding="utf-8")
        case = run_cases.Case(path, Options, folder)
        case.thorough = seed % 3 == 0
        source = case.sections[0].text()
        try:
            case.module.write_text(source, encoding="utf-8")
            canonical = case.check_printing(source)
            case.check_canonical(canonical)
            types, inputs = run_cases.declared_types(source)
            results = case.check_run(case.sections[1], source, canonical, types)
            words = case.write_inputs(case.sections[1], types, inputs)
            answer = equality.ask([f"file={case.module}", "dialect=mind", "levels=2",
                                   *(f"in={word}" for word in words[1::2])])
            if not answer.startswith("ok "):
                raise Failure(answer)
            for value, result in zip(generator.outputs, results):
                compare(value, result)
        except Failure as failure:
            return f"seed {seed}: {failure}\n{text}"

        r = random.Random(seed)
        damaged = []
        for i in range(20):
            damaged.append(folder / f"damaged{i}.ir")
            damaged[-1].write_bytes(damage(r, source))
        try:
            case.tenon("check", "--diagnostics", "json", *damaged)
            for each in damaged[:3]:
                case.tenon("check", each)
                case.tenon("opt", each)
        except Failure as failure:
            for each in damaged:
                try:
                    case.tenon("check", each)
                    case.tenon("opt", each)
                except Failure:
                    return f"seed {seed}, damaged: {failure}\n{each.read_bytes()}"
            return f"seed {seed}, damaged: {failure}"
    return None


def main():
    count = int(os.environ.get("RANDOM_MODULES", "150"))
    first = int(os.environ.get("RANDOM_SEED", "1"))
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for problem in pool.map(check_module, range(first, first + count), chunksize=4):
            if problem:
                failed += 1
                print(problem, flush=True)
    print(f"{count - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
