"""Random programs of the planner's tests, written in every other dialect and read again.

What is written must be read (StableHLO and ONNX say which operations they do not read) and compute the same: every bit,
but where StableHLO or ONNX have another form, a few units in the last place.

    full_exports.py [COUNT [FIRST]]     programs (30) from number FIRST on (1)
"""
import collections
import pathlib
import re
import sys
import tempfile

from lib import random_graphs
from lib.onnx_compare import INEXACT
from lib.program import start
from lib.tally import tally
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "stablehlo"))
from full_round_trip import REFUSED  # noqa: E402

EXTENSIONS = {"mind": ".ir", "ptir": ".ptir.json", "ptir-bincode": ".bincode", "tiny": ".tiny.json", "stablehlo": ".mlir",
              "onnx": ".onnx"}
# What `equiv` says of programs that it cannot compare.
NOT_COMPARED = re.compile(r"both programs fail|no sizes were found|out of memory|takes longer|is above the limit|too many elements")
CLOSE = ["--ulp", "4", "--rtol", "1e-5", "--atol", "1e-6"]
SAID = collections.Counter()


def check_one(source, folder, dialect):
    """A word for what became of SOURCE in DIALECT, and what is wrong or None."""
    there = folder / ("b" + EXTENSIONS[dialect])
    done = start("convert", source, "--to", dialect, "-o", there)
    if done.returncode:
        is_told = done.returncode == 1 and "NotExpressible" in done.stderr
        return "not written", None if is_told else f"{dialect}: {done.stderr}"
    is_exact = "may round differently" not in done.stderr
    if dialect == "stablehlo" and re.search(r"accum_dtype\[(f16|bf16|fp8)", source.read_text()):
        is_exact = False  # it leaves open how narrow floats are summed
    read = start("check", there)
    if read.returncode:
        told = dialect == "stablehlo" and read.returncode == 1 and all(
            re.search(REFUSED, line) for line in read.stderr.splitlines() if "error:" in line)
        return "not read", None if told else f"{dialect}: {read.stderr}"
    if not is_exact:
        return "rounded", None
    is_close = dialect == "stablehlo" or (dialect == "onnx" and INEXACT.search(source.read_text()))
    done = start("equiv", source, there, "--n", "2", "--timeout", "20", "--output", folder / "failure", *CLOSE * bool(is_close))
    if done.returncode == 0 or NOT_COMPARED.search(done.stdout + done.stderr):
        return "same", None
    if dialect == "stablehlo" and "one program fails" in done.stdout + done.stderr:  # dividing by zero is no error there
        return "fails", None
    return "different", f"{dialect}: {done.stdout}{done.stderr}"


def check(seed):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "a.ptir"
        if not random_graphs.write(seed, source):
            return "without a text", None
        faults = []
        for dialect in EXTENSIONS:
            word, wrong = check_one(source, folder, dialect)
            SAID[dialect, word] += 1
            faults += [wrong] if wrong else []
        return "same", "\n".join([*faults, source.read_text()[:3000]]) if faults else None


if __name__ == "__main__":
    count, first = (*map(int, sys.argv[1:3]), *(30, 1)[len(sys.argv[1:3]):])
    failed = tally(range(first, first + count), check, lambda seed: f"graph {seed}", count // 2)
    print(", ".join(f"{dialect} {word}: {n}" for (dialect, word), n in sorted(SAID.items())))
    sys.exit(failed)
