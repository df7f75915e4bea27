"""Converts the program of every case file to ONNX. What is written must be a model to onnx.checker, have the same
bytes a second time, and read back to a program with the same bits, as `tenon equiv -O0` sees them; what is refused
must say which operation has no form. docs/dialect-onnx.md has the counts.

usage: long_write.py [FOLDER...]

With FOLDER arguments only the cases there are looked at, and counts are printed alone. Without Debian's python3-onnx
the checker is left out.
"""
import collections
import concurrent.futures
import pathlib
import re
import sys
import tempfile

from lib.cases import EXTENSIONS, NOT_COMPARED, modules
from lib.onnx_compare import INEXACT
from lib.program import ROOT, TEST, start

try:
    import onnx
except ImportError:
    onnx = None

PAGE = ROOT / "docs/dialect-onnx.md"
COUNTS = re.compile(r"Of the (\d+) programs of the test cases, (\d+) are written")
LEFT_OUT = (*NOT_COMPARED, "takes longer than allowed", "more turns than allowed")


def why(stderr):
    """The refusal without what changes from one program to the next."""
    line = next((s for s in stderr.splitlines() if "NotExpressible" in s), stderr[:200])
    return re.sub(r"^.*?error: (\S+: )?", "", line)


def check(path):
    """("written" or "refused", reason) for each program, and what is wrong."""
    seen, faults = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for k, (dialect, options, text) in enumerate(modules(path)):
            source, model, again = folder / f"{k}{EXTENSIONS[dialect]}", folder / "a.onnx", folder / "b.onnx"
            source.write_text(text, encoding="utf-8", errors="surrogateescape")
            options = options.split()
            if start("check", source, *options).returncode:
                continue
            done = start("convert", source, "--to", "onnx", "-o", model, *options)
            if done.returncode == 1 and "NotExpressible" in done.stderr:
                seen.append(("refused", why(done.stderr)))
                continue
            where = f"{path.relative_to(TEST)}, program {k + 1}"
            if done.returncode:
                faults.append(f"{where}: {done.stderr}")
                continue
            seen.append(("written", ""))
            start("convert", source, "--to", "onnx", "-o", again, *options)
            if model.read_bytes() != again.read_bytes():
                faults.append(f"{where}: other bytes the second time")
            if onnx:
                try:
                    onnx.checker.check_model(onnx.load(str(model)), full_check=True)
                except Exception as fault:  # whatever the checker raises
                    faults.append(f"{where}: onnx.checker: {str(fault)[:300]}")
            if "may round differently" in done.stderr:
                continue
            room = 4 if INEXACT.search(text) else 0
            same = start("equiv", source, model, "-O0", "--n", 3, "--ulp", room, "--timeout", 10, "--output", folder / "failure")
            if same.returncode and not any(s in same.stderr for s in LEFT_OUT):
                faults.append(f"{where}: {same.stdout[-600:]}{same.stderr[-600:]}")
    return seen, faults


def main():
    folders = [pathlib.Path(a).resolve() for a in sys.argv[1:]]
    cases = sorted(p for f in folders or [TEST] for p in ([f] if f.is_file() else f.rglob("*.case")))
    counts, reasons, failed = collections.Counter(), collections.Counter(), 0
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for seen, faults in pool.map(check, cases, chunksize=8):
            for what, reason in seen:
                counts[what] += 1
                reasons[reason] += what == "refused"
            for fault in faults:
                print(fault)
            failed += len(faults)
    for reason, n in reasons.most_common():
        if n:
            print(f"{n:5} {reason}")
    total = counts["written"] + counts["refused"]
    print(f"{total} programs, {counts['written']} written, {failed} faults" + ("" if onnx else "; no onnx.checker"))
    said = COUNTS.search(PAGE.read_text(encoding="utf-8"))
    if not folders and (not said or (int(said[1]), int(said[2])) != (total, counts["written"])):
        print(f"{PAGE.name} does not say 'Of the {total} programs of the test cases, {counts['written']} are written'")
        failed += 1
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
