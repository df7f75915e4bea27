"""A few programs of every kind with vectors that are not whole, for every processor and between guard pages.

    full_partial.py [COUNT [FIRST [KIND...]]]

COUNT of each kind (2) from number FIRST on (0).
"""
import pathlib
import sys
import tempfile

from lib import equality, partial


def run(count, first=0, names=()):
    """The number of faults, which are printed."""
    kinds = [k for k in partial.KINDS if not names or k.__name__ in names]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for kind in kinds:
            for number in range(first, first + count):
                jobs.append([*partial.fields(kind, number, pathlib.Path(folder)), "levels=2"])
        for fields, answer in zip(jobs, equality.ask_all(jobs)):
            if not answer.startswith("ok "):
                path = pathlib.Path(fields[0].split("=", 1)[1])
                faults += 1
                print(f"{path.name}: {answer}\n{path.read_text()}", flush=True)
    print(f"{len(jobs)} programs of {len(kinds)} kinds, {faults} faults")
    return faults


if __name__ == "__main__":
    sys.exit(run(*map(int, sys.argv[1:3] or [2]), *([sys.argv[3:]] if len(sys.argv) > 3 else [])) > 0)
