"""Programs with open extents are written with `?`: what is written computes the same for all sizes, in both forms; read and written again, its
text stays; and so does its gradient."""
import pathlib
import subprocess
import sys
import tempfile

import run_cases
from lib.program import TENON, TEST
from lib.tally import tally

ROUNDS = 3  # after so many the text stays


def tenon(*arguments):
    done = subprocess.run([TENON, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check_text(module, folder):
    """What is wrong with what is written of MODULE, or None."""
    text = folder / "written.mlir"
    for style in ("pretty", "canonical"):
        status, said = tenon("convert", "--to", "stablehlo", "--style", style, "-o", text, module)
        if status:
            return said
        status, said = tenon("equiv", module, text, "--n", "4")
        if status:
            return said + text.read_text(encoding="utf-8")
    for _ in range(ROUNDS):
        before = text.read_text(encoding="utf-8")
        status, said = tenon("convert", "--to", "stablehlo", "-o", text, text)
        if status:
            return said
    return None if text.read_text(encoding="utf-8") == before else "the text does not stay:\n" + before


def check(case):
    """What came of CASE, a name with a text: a word, and what is wrong or None."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        module = folder / f"m{case[1]}"
        module.write_text(case[2], encoding="utf-8")
        fault = check_text(module, folder)
        if fault:
            return "different", fault
        gradient = folder / "gradient.mlir"
        if not case[3]:
            return "same", None
        status, said = tenon("grad", module, "--loss", "0", "-o", gradient)
        fault = said if status else check_text(gradient, folder)
        return ("different", fault) if fault else ("with gradient", None)


def cases():
    yield "polymorphic.mlir", ".mlir", (TEST / "stablehlo/programs/polymorphic.mlir").read_text(encoding="utf-8"), True
    for path in [TEST / "stablehlo/dynamic.case", TEST / "stablehlo/dynamic-model.case", TEST / "stablehlo/dynamic-sizes.case",
                 *sorted((TEST / "stablehlo/open").iterdir())]:
        if path.suffix != ".case":
            yield path.name, "".join(path.suffixes), path.read_text(encoding="utf-8"), False
            continue
        for section in run_cases.parse_case(path)[1]:
            if section.words[0] == "module":
                yield path.name, ".mlir", section.text(), False


if __name__ == "__main__":
    sys.exit(tally(list(cases()), check, lambda case: case[0], 1))
