"""Programs of every kind compiled for machines that this one is not, and run by an emulator between guard pages.

    full_emulated.py [COUNT [FIRST [KIND...]]]

For aarch64, as objects and as C, by qemu-user and a cross compiler; where this machine has no AVX2, also for
x86-64-v3 by qemu-user. No emulator of Debian's runs programs with AVX-512: what is written for it is the same loop
programs, which the C of them shows on any machine (compile/full_compile.py). COUNT of each kind of partial.py (1)
from number FIRST on (0).
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from lib import equality, partial, npy
from lib.compilers import PORT, Port, machine_cpus
from lib.program import TENON

HERE = pathlib.Path(__file__).resolve().parent


class Machine:
    def __init__(self, name, flags, compiler, emulator):
        self.name, self.flags, self.compiler, self.emulator = name, flags, compiler, emulator

    def missing(self):
        return [p for p in (self.compiler[0], self.emulator[0]) if not shutil.which(p)]


def machines():
    yield Machine("aarch64", ["--target", "aarch64-linux-gnu"], ["aarch64-linux-gnu-gcc", "-static"], ["qemu-aarch64"])
    if "x86-64-v3" not in machine_cpus():
        yield Machine("x86-64-v3", ["--target", "x86_64-linux-gnu", "--cpu", "x86-64-v3"],
                      ["gcc", "-static", "-march=x86-64-v3"], ["qemu-x86_64", "-cpu", "max"])


class Job:
    """A program, and in files its inputs and the evaluator's results."""

    def __init__(self, folder, kind, number):
        self.name = f"{kind.__name__}_{number}"
        self.data = folder / self.name
        self.fields = [*partial.fields(kind, number, folder), "levels=", f"save={self.data}"]
        self.path = pathlib.Path(self.fields[0].split("=", 1)[1])
        self.sizes = [part for f in self.fields if f.startswith("dim=") for part in ("--dim", f.removeprefix("dim="))]

    def compile(self, machine, form):
        """The object or C file, and a row of the table with what it needs."""
        out = self.data.with_suffix(f".{machine.name}.{form}")
        header = self.data.with_suffix(".h")
        subprocess.run([TENON, "compile", self.path, "-o", out, "--header", header, "--name", self.name, *self.sizes,
                        *(machine.flags if form == "o" else [])], check=True)
        text = header.read_text()
        self.ports = [Port(f) for f in PORT.findall(text)]
        n_in, n_out = (len([f for f in PORT.findall(text) if f[0] == which])
                       for which in ("inputs", "outputs"))
        self.results = self.ports[n_in:]
        work = re.search(r"_WORKSPACE_BYTES (\d+)u", text)[1]
        sizes = ", ".join(str(p.bytes) for p in self.ports)
        return out, (f"extern int {self.name}_run(const void *const *, void *const *, void *);",
                     f'{{"{self.name}", {self.name}_run, {n_in}, {n_out}, {work}, (const size_t[]){{{sizes}}}}},')

    def canonical(self, raw):
        """Status and results, all NaNs as one."""
        parts, at = [raw[:4]], 4
        for p in self.results:
            kind = npy.file_dtype(p.dtype)
            parts.append(npy.same_nan(kind, npy.same_narrow_nan(kind, raw[at:at + p.bytes])))
            at += p.bytes
        return parts

    def size(self):
        return 4 + sum(p.bytes for p in self.results)


def run(machine, form, folder, jobs):
    """What is wrong."""
    made = [job.compile(machine, form) for job in jobs]
    table = folder / f"table-{form}.c"
    table.write_text('#include "emulated.h"\n' + "\n".join(row for _, (row, _) in made) +
                     "\nconst emulated emulated_programs[] = {\n" + "\n".join(row for _, (_, row) in made) +
                     "\n{0}};\n")
    program = folder / f"{machine.name}-{form}"
    subprocess.run([*machine.compiler, "-O2", "-ffp-contract=off", f"-I{HERE}", "-o", program, table,
                    HERE / "emulated_main.c", HERE / "guards.c", *(out for out, _ in made), "-lm"], check=True)
    inputs = b"".join(job.data.with_suffix(".in").read_bytes() for job in jobs)
    done = subprocess.run([*machine.emulator, program], input=inputs, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        return [f"{machine.name}, {form}: ended with {done.returncode}: {done.stderr.decode()}"]
    faults, at = [], 0
    for job in jobs:
        got = job.canonical(done.stdout[at:at + job.size()])
        at += job.size()
        if got != job.canonical(job.data.with_suffix(".out").read_bytes()):
            faults.append(f"{machine.name}, {form}: {job.name} gives other bits\n{job.path.read_text()}")
    return faults


def main(count=1, first=0, *names):
    faults = []
    kinds = [k for k in partial.KINDS if not names or k.__name__ in names]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        jobs = [Job(folder, kind, number) for kind in kinds for number in range(int(first), int(first) + int(count))]
        answers = list(equality.ask_all([job.fields for job in jobs]))
        faults += [answer for answer in answers if not answer.startswith("ok ")]
        for machine in [] if faults else machines():
            if machine.missing():
                print(f"{machine.name}: skipped, without {' and '.join(machine.missing())}")
                continue
            for form in ("o", "c"):
                faults += run(machine, form, folder, jobs)
                print(f"{machine.name}, {form}: {len(jobs)} programs")
    print("\n".join(faults))
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
