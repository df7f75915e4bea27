"""Carries the program of every valid PTIR case through JSON, text and binary: it stays the same.

Fusion hints, which the text form lacks, are the one thing that may be lost.
"""
import pathlib
import sys
import tempfile

import run_cases
from lib.program import Failure, TEST, tenon

NAMES = {"ptir": "m.ptir.json", "ptir-text": "m.ptir", "ptir-bincode": "m.bin"}


def convert(folder, dialect, raw, to):
    path = folder / NAMES[dialect]
    path.write_bytes(raw)
    return tenon("convert", "--from", dialect, path, "--to", to, text=False).stdout


def check(path, folder):
    """True when the case holds a valid program."""
    _, sections = run_cases.parse_case(path)
    module = sections[0]
    if module.words[0] != "module" or "bytes" in module.words or module.words[1] not in NAMES:
        return False
    if any(s.title == "diagnostics" for s in sections):
        return False
    json = convert(folder, module.words[1], module.text().encode(), "ptir")
    for form in ("ptir-bincode", "ptir-text"):
        if form == "ptir-text" and b'"hints": [\n' in json:
            continue
        if convert(folder, form, convert(folder, "ptir", json, form), "ptir") != json:
            raise Failure(f"JSON after {form} differs")
    return True


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="tenon-forms-") as name:
        for path in sorted((TEST / "ptir").glob("*.case")):
            try:
                passed += check(path, pathlib.Path(name))
            except Failure as failure:
                failed += 1
                print(f"FAILED {path.name}\n{failure}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
