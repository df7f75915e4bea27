"""Random programs by the evaluator on other machines, which give the bits of this one; in an emulator.

    long_machines.py [COUNT [FIRST [MACHINE...]]]

COUNT programs (1000), half of them of the planner's tests and half of PTIR's, from number FIRST on (1), for each MACHINE of
tools/cross.sh: aarch64, armhf, riscv64, i686. What a machine lacks is said.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from lib import npy, random_graphs, random_ptir
from lib.program import ROOT, TENON
from lib.tally import tally

MACHINES = {"aarch64": "aarch64-linux-gnu", "armhf": "arm-linux-gnueabihf", "riscv64": "riscv64-linux-gnu", "i686": "i686-linux-gnu"}


def results(program, source, seed, out):
    """The status of a run and what it wrote, all NaNs as one."""
    done = subprocess.run([program, "run", source, "--random", str(seed), "--engine", "ref", "--output", out],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    if done.returncode:
        return done.returncode, done.stderr if done.returncode not in (1, 3) else None
    found = []
    for entry in json.loads((out / "outputs.json").read_text()):
        dtype, shape, raw = npy.read_npy(out / entry["file"])
        found.append((entry["dtype"], tuple(shape), npy.same_narrow_nan(entry["dtype"], npy.same_nan(dtype, raw))))
    return 0, found


def check(machine, seed):
    """A word for what became of program SEED, and what is wrong or None."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if seed % 2:
            source = folder / "p.ptir.json"
            source.write_text(json.dumps(random_ptir.Program(seed).json))
        else:
            source = folder / "p.ptir"
            if not random_graphs.write(seed, source):
                return "without a text", None
        here = results(TENON, source, seed, folder / "here")
        there = results(ROOT / f"build/{machine}/emulated-tenon", source, seed, folder / "there")
        if here == there:
            return "same" if here[0] == 0 else "refused", None
        return "different", f"{str(here)[:500]}\n{str(there)[:500]}\n{source.read_text()}"


def main(count=1000, first=1, *names):
    status = 0
    for machine in names or MACHINES:
        built = subprocess.run(["tools/cross.sh", "--build", machine], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if built.returncode:
            print(f"{machine}: not built; it needs gcc-{MACHINES[machine]} and qemu-user\n{built.stdout[-2000:]}")
            status = 1
            continue
        print(f"{machine}:", flush=True)
        seeds = range(int(first), int(first) + int(count))
        status |= tally(seeds, lambda seed: check(machine, seed), enough=int(count) // 2)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
