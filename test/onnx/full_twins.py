"""Official test models that come twice, as an operator and as the function that defines it (`_expanded`), give the same bits both
ways, but for those that docs/dialect-onnx.md names.

usage: full_twins.py [WORD...]

The words select models by parts of their names.
"""
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

from full_testdata import BROKEN, DATA, evaluate, read_list
from lib import onnx_files

# Their functions compute something else: variances as differences of means of squares, angles by six digits of 2 pi.
OTHERWISE = re.compile(r"test_(layer_normalization|mvn|hannwindow|hammingwindow|blackmanwindow)")


def results(folder):
    given, _ = onnx_files.ports((folder / "model.onnx").read_bytes())
    out = []
    for data in sorted(folder.glob("test_data_set_*")):
        with tempfile.TemporaryDirectory() as place:
            _, found, why = evaluate(folder / "model.onnx", given, data, pathlib.Path(place))
        out += [(array.dtype, array.shape, array.tobytes()) for array, _ in found] if not why else [why]
    return out


def check(folder):
    return results(folder) == results(folder.with_name(folder.name.removesuffix("_expanded")))


def main():
    if not DATA.exists():
        sys.exit("the package libonnx-testdata is missing; `make setup` installs it")
    words = sys.argv[1:] or [""]
    left_out = BROKEN | set(read_list())
    folders = [f for f in sorted(DATA.glob("*/*_expanded")) if f"{f.parent.name}/{f.name}" not in left_out
               and any(w in f.name for w in words)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        same = dict(zip((f.name for f in folders), pool.map(check, folders)))
    wrong = [name for name, equal in same.items() if equal == bool(OTHERWISE.match(name))]
    for name in wrong:
        print(f"{name}: {'the same bits, but it is named as one that differs' if same[name] else 'other bits'}")
    print(f"{len(same)} pairs, {sum(same.values())} with the same bits, {len(wrong)} wrong")
    return bool(wrong) or not same


if __name__ == "__main__":
    sys.exit(main())
