"""What Tenon writes as StableHLO, read again, computes what the program did: every case of the folders below that can be
written, by `tenon equiv`. A text that is not read must say which operation is in the way, one of those in REFUSED."""
import pathlib
import re
import subprocess
import sys
import tempfile

import run_cases
from lib.program import TENON, TEST
from lib.tally import tally

FOLDERS = ["mlir", "stablehlo", "ptir"]
REFUSED = "|".join([
    "gather", "scatter", "sort", "reduce_window", "rng", "remainder: ", "select_and_scatter",
    "complex numbers", "is no combination", "mod.*f", "operation 'mod'", "power", "ReducerNotSupported", "DTypeNotSupported"])


def tenon(*arguments):
    return subprocess.run([TENON, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False)


def check(path):
    """What came of the case at PATH: a word, and what is wrong or None."""
    _, sections = run_cases.parse_case(path)
    first = sections[0]
    if first.words[0] != "module" or len(first.words) > 2:
        return "skipped", None
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder) / ("m" + run_cases.DIALECTS[first.words[1]][0])
        module.write_text(first.text(), encoding="utf-8")
        text = pathlib.Path(folder) / "again.mlir"
        if tenon("convert", "--to", "stablehlo", "-o", text, module).returncode:
            return "not written", None
        read = tenon("check", text)
        if read.returncode:
            told = all(re.search(REFUSED, line) for line in read.stderr.splitlines() if "error:" in line)
            return "not read", None if read.returncode == 1 and told else read.stderr
        done = tenon("equiv", module, text, "--n", "3", "--ulp", "4", "--rtol", "1e-5", "--atol", "1e-6")
        if re.search("one program fails|out of memory", done.stdout + done.stderr):  # dividing by zero is no error there
            return "fails", None
        return ("same", None) if done.returncode == 0 else ("different", done.stdout + done.stderr + text.read_text())


if __name__ == "__main__":
    paths = [p for folder in FOLDERS for p in sorted((TEST / folder).glob("*.case"))]
    sys.exit(tally(paths, check, lambda path: path.relative_to(TEST), 60))
