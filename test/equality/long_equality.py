"""Every program there is, run in every way there is: always the bits of the reference evaluator.

    long_equality.py [--tenon PATH] [--equality PATH] [--random N] [--only-random] [--seed N]
                      [--spread] [--no-code] [--keep FOLDER] [FILTER]

The programs are those of the case files and examples, N random ones of each dialect (60), and N of the
planner's tests. The program `equality` runs each at -O0, -O1 and -O2 by the evaluator and by the engine, for each level of
x86-64 and this processor, with 1, 2, 3 and 8 threads and the work cut as small as possible, and with
guard pages around the memory of every kernel. Then it runs what `tenon compile` made: C compiled by
gcc and by clang, and objects for each processor.

With --spread, each program is compiled once for each width of vectors, and a dozen programs in a row take all of these
ways: several times as many programs in the same time.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import run_cases
from lib import equality, npy, random_graphs, random_modules, random_ptir, random_tiny
from lib.compilers import LEVELS, WARNINGS, machine_cpus, machine_flags, shell, with_headers
from lib.program import TENON, TEST, Failure

PER_BATCH = 24
EXTENSIONS = {"ptir-bincode": ".bincode"} | {d: e for d, (e, _) in run_cases.DIALECTS.items()}
FLAGS = {"profile": "--profile", "entry": "--entry", "dim": "--dim"}


class Program:
    def __init__(self, title, path, fields, inputs):
        self.title, self.path = title, path
        self.fields = fields  # (name, value or None), as the program `equality` takes them
        self.inputs = inputs  # (name, path of .npy)
        self.libraries = []
        self.spread = None
        self.must_run = True

    def fields_of_run(self):
        out = [f"file={self.path}"]
        out += [name if value is None else f"{name}={value}" for name, value in self.fields]
        out += [] if self.spread is None else [f"spread={self.spread}"]
        return out + [f"in={name}={path}" for name, path in self.inputs] + self.libraries

    def flags(self):
        out = []
        for name, value in self.fields:
            if name == "dialect":
                out += ["--from", value]
            elif name == "strict":
                out.append("--strict")
            else:
                out += [FLAGS[name], value]
        return out


# ---- programs -----------------------------------------------------------------------------------

def sizes(source, dialect, shapes):
    """The symbols of the inputs, by the shapes that are given."""
    found = {}
    for name, shape in shapes.items():
        declared = re.search(rf'Input[^\n]*name\s*=\s*"{re.escape(name)}"[^\n]*\[([^\]]*)\]', source)
        for symbol, n in zip(declared[1].split(",") if declared and dialect == "mind" else [],
                             shape):
            if re.fullmatch(r"[A-Za-z_]\w*", symbol.strip()):
                found[symbol.strip()] = n
    return [("dim", f"{symbol}={n}") for symbol, n in sorted(found.items())]


def of_case(title, path, folder, options):
    """The programs of a case: one for each of its runs, or one that gets random inputs."""
    case = run_cases.Case(path, options, folder)
    first = case.sections[0]
    if first.words[0] != "module" or "bytes" in first.words:
        return []
    if any(s.title == "diagnostics" for s in case.sections):
        return []  # most of these are rejected
    fields = []
    for word in first.words[2:]:
        if word.startswith(("profile=", "entry=", "declare=")):
            fields.append(tuple(word.split("=", 1)))
            case.flags += ["--" + word.split("=", 1)[0], word.split("=", 1)[1]]
        elif word == "strict":
            fields.append((word, None))
    source = first.text()
    case.module.write_text(source, encoding="utf-8")
    if case.dialect == "mind-source":
        source = case.lower()
        fields = [f for f in fields if f[0] == "profile"]
    fields.append(("dialect", case.dialect))
    types = run_cases.declared_types(source, case.dialect)
    out = []
    for at, section in enumerate(s for s in case.sections if s.words[0] == "run"):
        own = folder / f"run{at}"
        own.mkdir()
        case.folder = own
        words = case.write_inputs(section, *types)
        inputs = [word.split("=", 1) for word in words[1::2]]
        shapes = {n: npy.read_npy(pathlib.Path(p))[1] for n, p in inputs}
        out.append(Program(f"{title} #{at}", case.module,
                           fields + sizes(source, case.dialect, shapes), inputs))
    if not out:
        out.append(Program(title, case.module, fields, []))
        out[-1].must_run = False
    return out


def of_examples():
    for path in sorted((TEST.parent / "examples").rglob("*")):
        if path.name.startswith("broken") or path.stat().st_size > 1 << 20:
            continue
        for dialect, extension in EXTENSIONS.items():
            if path.name.endswith(extension) and not path.name.endswith(".npy"):
                out = Program(f"examples/{path.name}", path, [("dialect", dialect)], [])
                out.must_run = False
                yield out
                break


def of_modules(seed, folder, options):
    path = folder / "m.case"
    path.write_text(random_modules.Generator(seed).module(), encoding="utf-8")
    return of_case(f"module {seed}", path, folder, options)


def of_ptir(seed, folder, _):
    made = random_ptir.Program(seed)
    path = folder / "m.ptir.json"
    path.write_text(json.dumps(made.json))
    inputs = []
    for k, (dtype, _, data) in enumerate(made.inputs):
        random_ptir.write_input(folder / f"{k}.npy", dtype, data)
        inputs.append((str(k), folder / f"{k}.npy"))
    return [Program(f"ptir {seed}", path, [("dialect", "ptir")], inputs)]


def of_tiny(seed, folder, _):
    made = random_tiny.Program(seed)
    path = folder / "m.tiny.json"
    path.write_text(json.dumps(made.json))
    inputs = []
    for name, data in made.inputs.items():
        np.save(folder / f"{name}.npy", data)
        inputs.append((name, folder / f"{name}.npy"))
    return [Program(f"tiny {seed}", path, [("dialect", "tiny")], inputs)]


def of_graph(seed, folder, _):
    path = folder / "m.ptir"
    return [Program(f"graph {seed}", path, [("dialect", "ptir-text")], [])] if random_graphs.write(seed, path) else []


def make_programs(options, folder, pool):
    jobs = [(of_case, str(p.relative_to(TEST)), p) for p in sorted(TEST.rglob("*.case"))
            if "known" not in p.parts and not options.only_random]
    for make in (of_modules, of_ptir, of_tiny, of_graph):
        jobs += [(make, seed) for seed in range(options.seed, options.seed + options.random)]

    def one(item):
        number, (make, *rest) = item
        own = folder / f"{number:05}"
        own.mkdir()
        try:
            with np.errstate(all="ignore"):
                return make(*rest, own, options), None
        except Failure as failure:
            return [], f"{rest[0]}: {failure}"
    programs, faults = [] if options.only_random else list(of_examples()), []
    for found, fault in pool.map(one, enumerate(jobs)):
        programs += found
        faults += [fault] if fault else []
    for number, program in enumerate(programs):
        program.spread = number if options.spread else None
    return [p for p in programs if options.filter in p.title], faults


# ---- code ---------------------------------------------------------------------------------------

def compile_one(options, program, out, level, *more):
    """(workspace bytes, None), or why the program does not become OUT."""
    header = out.with_suffix(".h")
    done = subprocess.run([options.tenon, "compile", *program.flags(), f"-O{level}", *more,
                           "--seed", "5", "-o", out, "--header", header, program.path],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode:
        return None, done.stderr.decode(errors="replace")
    return int(re.search(r"_WORKSPACE_BYTES (\d+)u", header.read_text())[1]), None


MAY_NOT_COMPILE = ("custom call", "has no value", "too large", "breaks a rule")


def build(options, folder, number, how, level, programs):
    """Code of PROGRAMS in one library, which they then have; faults."""
    kind, compiler, flags = how
    made, faults = [], []
    own = folder / f"code{number}"
    own.mkdir()
    for k, p in enumerate(programs):
        out = own / f"p{k}.{kind}"
        work, fault = compile_one(options, p, out, level, "--name", f"p{k}",
                                  *(flags if kind == "o" else []))
        if work is not None:
            made.append((p, f"p{k}_run:{work}", out))
        elif p.must_run and not any(text in fault for text in MAY_NOT_COMPILE):
            faults.append(f"{p.title}: {fault}")
    library = own / "all.so"
    c = ["-std=c17", *WARNINGS, "-ffp-contract=off", *flags, "-fPIC"] if kind == "c" else []
    if made:
        headers = with_headers(compiler, c, folder) if c else []
        faults += shell([compiler, *c, *headers, "-shared", "-o", library, *[out for _, _, out in made], "-lm"],
                        " ".join([compiler, *flags]))
    for p, symbol, _ in made:
        p.libraries.append(f"lib={level}={symbol}={library}")
    return faults


def build_all(options, folder, programs, pool):
    machines = machine_flags()
    cpus = machine_cpus()
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    batches = [programs[i:i + PER_BATCH] for i in range(0, len(programs), PER_BATCH)]
    jobs = []
    for k, batch in enumerate(batches):
        for c, compiler in enumerate(compilers):
            flags = [LEVELS[(k + c) % 4], *machines[(k // 2 + c) % len(machines)]]
            jobs.append((("c", compiler, flags), (k + c) % 3, batch))
        if compilers:
            flags = ["--cpu", cpus[k % len(cpus)]] if cpus else []
            jobs.append((("o", compilers[0], flags), (k + 2) % 3, batch))
    results = pool.map(lambda job: build(options, folder, job[0], *job[1]), enumerate(jobs))
    return list(itertools.chain(*results))


# ---- all of it ----------------------------------------------------------------------------------

def judge(options, programs):
    """(faults, runs, programs passed over)"""
    faults, runs, passed_over = [], 0, 0
    for p, answer in zip(programs, equality.ask_all([p.fields_of_run() for p in programs], options.equality)):
        if answer.startswith("ok "):
            runs += int(answer[3:])
        elif "too large to hold" in answer:  # kernels may never have to hold it
            passed_over += 1
        elif p.must_run or any(text in answer for text in ("differs", "status", "ended", "touches", "writes")):
            faults.append(f"{p.title}: {answer}\n  {p.fields_of_run()}")
        else:
            passed_over += 1
    return faults, runs, passed_over


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=TENON)
    parser.add_argument("--equality", default=equality.EQUALITY)
    parser.add_argument("--random", type=int, default=60, help="random programs of each kind")
    parser.add_argument("--only-random", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spread", action="store_true", help="compile each program in a few of the ways")
    parser.add_argument("--no-code", dest="code", action="store_false",
                        help="leave out what is made ahead of time")
    parser.add_argument("--keep", help="leave the files in this folder")
    parser.add_argument("filter", nargs="?", default="")
    options = parser.parse_args()
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(options.keep or temporary)
        programs, faults = make_programs(options, folder, pool)
        if options.code:
            faults += build_all(options, folder, programs, pool)
        found, runs, passed_over = judge(options, programs)
        faults += found
    for fault in faults:
        print(fault)
    print(f"{len(programs)} programs, {runs} runs, {passed_over} passed over, {len(faults)} faults")
    return 1 if faults or runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
