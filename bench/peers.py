#!/usr/bin/python3
"""Tenon against the limits of this machine and against other libraries, in one run.

    peers.py --tenon build/release/tenon [--quick] [--only NAME] [--json OUT] [--keep] [--threads 1,2]
             [--cpu x86-64-v3]

Contestants (programs with the protocol of contestant.h) take turns at each piece of work, several
times over, so that what else the machine does meets all of them. Libraries that are not installed
are left out, which is said.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import contractions
import convolutions
import corners
import results

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"


class Work:
    """What is measured. READ and WRITTEN are the bytes that must come and go, FLOPS what must be
    computed; KNOWN the best that other libraries reached on the machine of reference (Zen 5, one
    thread), in ms; CONSTANTS the inputs whose values Tenon knows beforehand; SIZE the bytes of a
    number that is multiplied."""

    def __init__(self, name, flops=0, read=0, written=0, known=None, file=None, constants="",
                 size=4):
        self.name, self.flops, self.read, self.written = name, flops, read, written
        self.known, self.constants, self.size = known, constants, size
        self.file = file or name + ".ptir"


MILLION = 1 << 20
F = 4  # bytes of a float


def product(name, m, k, n, known, **more):
    return Work(name, 2 * m * k * n, F * (m * k + k * n), F * m * n, known, **more)


def attention(s, known):
    return Work(f"attention-{s}", 4 * 12 * s * s * 64, 3 * 12 * s * 64 * F, 12 * s * 64 * F, known)


def convolution(name, side, ci, window, stride, co, known):
    out = side // stride
    return Work(name, 2 * out * out * co * window * window * ci,
                F * (side * side * ci + window * window * ci * co), F * out * out * co, known,
                constants="w")


GPT2_BLOCKS, GPT2_VOCAB = 12 * 12 * 768 * 768, 50257 * 768  # multiply-adds a token
WORK = [
    product("gemm-256", 256, 256, 256, 0.136),
    product("gemm-512", 512, 512, 512, 1.07),
    product("gemm-1024", 1024, 1024, 1024, 9.09),
    product("gemm-2048", 2048, 2048, 2048, 73.0),
    product("dense", 128, 768, 3072, 2.45),
    product("dense-packed", 128, 768, 3072, None, file="dense.ptir", constants="w"),
    product("dense-gelu", 128, 768, 3072, 2.75),
    product("vector", 1, 768, 3072, 0.093),
    Work("softmax", 0, 4 * MILLION * F, 4 * MILLION * F, 0.99),
    Work("layer-norm", 0, 4 * MILLION * F, 4 * MILLION * F, 1.10),
    Work("chain", 0, 64 * MILLION * F, 16 * MILLION * F, 10.2),
    Work("sum", 0, 16 * MILLION * F, 0, 1.27),
    Work("broadcast-add", 0, 16 * MILLION * F, 16 * MILLION * F, 3.17),
    Work("transpose", 0, 16 * MILLION * F, 16 * MILLION * F, 13.2),
    Work("tiny-1000", known=0.033),
    attention(128, 0.27), attention(512, 4.39), attention(1024, 17.4),
    convolution("conv-3x3", 56, 64, 3, 1, 64, 0.951),
    convolution("conv-7x7", 224, 3, 7, 2, 64, 0.935),
    convolution("conv-1x1", 56, 256, 1, 1, 64, 0.426),
    Work("gpt2-prefill", 2 * (128 * GPT2_BLOCKS + GPT2_VOCAB) + 12 * 4 * 12 * 128 * 128 * 64,
         F * (GPT2_BLOCKS + GPT2_VOCAB), 0, 167, file="gpt2-prefill"),
    Work("gpt2-decode", 2 * (GPT2_BLOCKS + GPT2_VOCAB), F * (GPT2_BLOCKS + GPT2_VOCAB), 0, 13.3,
         file="gpt2-decode"),
    Work("mlp-step", 2 * 128 * (784 * 512 * 2 + 512 * 512 * 3 + 512 * 10 * 3),
         F * (784 * 512 + 512 * 512), F * (784 * 512 + 512 * 512), 2.18),
]


def corner(name):
    if name in convolutions.TEXTS:
        return Work(name, *convolutions.work_of(name), file=corners.file_of(name))
    if name in contractions.TEXTS:
        flops, read, written, size = contractions.work_of(name)
        return Work(name, flops, read, written, file=corners.file_of(name), size=size)
    if name in corners.MOVED:
        return Work(name, 0, *corners.MOVED[name], file=corners.file_of(name))
    m, k, n, _ = corners.product_of(name)
    return product(name, m, k, n, None, file=corners.file_of(name))


WORK += [corner(name) for name in corners.TEXTS]


# ---- programs that are long but regular ----

def write_long_programs(folder):
    corners.write(folder)
    one = "tensor<f32, 8>"
    lines, last = [], "%x"
    for i in range(500):
        lines += [f"  %m{i} = mul({last}, %a) -> {one}", f"  %s{i} = add(%m{i}, %b) -> {one}"]
        last = f"%s{i}"
    head = f"func @main(%x: {one}, %a: {one}, %b: {one}) -> {one} {{\n"
    (folder / "tiny-1000.ptir").write_text(head + "\n".join(lines) + f"\n  return {last}\n}}\n")
    (folder / "small.ptir").write_text(
        "func @main(%x: tensor<f32, 4x8>, %w: tensor<f32, 8x3>) -> tensor<f32, 4x3> {\n"
        "  %y = dot_general(%x, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, 4x3>\n"
        "  %z = tanh(%y) -> tensor<f32, 4x3>\n  return %z\n}\n")


# ---- contestants ----

def build(target, sources, *flags, compiler=None):
    compiler = compiler or os.environ.get("CC") or shutil.which("cc") or "gcc"
    done = subprocess.run([compiler, "-O3", "-Wall", "-Wextra", "-D_POSIX_C_SOURCE=200809L",
                           "-I", str(HERE.parent / "include"), *map(str, sources), "-o",
                           str(target), *flags], stderr=subprocess.PIPE, text=True)
    return target if done.returncode == 0 else None


def cpu_flags():
    """What this processor can do, by the names of Linux; empty where nothing says it."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    return next((set(line.split(":", 1)[1].split()) for line in text.splitlines()
                 if line.startswith("flags")), set())


NARROW = "x86-64-v3"  # Tenon's name of what has AVX2 and no more


def kernel_choice(flags, cpu=None):
    """Which kernels libraries are told to use that do not find out on every processor: the widest
    that this one can run, or their own choice. With CPU those of AVX2 only."""
    if cpu:
        return {"OPENBLAS_CORETYPE": "HASWELL", "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2",
                "DNNL_MAX_CPU_ISA": "AVX2", "NPY_DISABLE_CPU_FEATURES": " ".join(f for f in (
                    "AVX512F", "AVX512CD", "AVX512_SKX", "AVX512_CLX", "AVX512_CNL", "AVX512_ICL"))}
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        return {"OPENBLAS_CORETYPE": "SKYLAKEX", "ATEN_CPU_CAPABILITY": "avx512"}
    if {"avx2", "fma"} <= flags:
        return {"OPENBLAS_CORETYPE": "HASWELL", "ATEN_CPU_CAPABILITY": "avx2"}
    return {}


def environment(threads, cpu=None):
    n = str(threads)
    return {**kernel_choice(cpu_flags(), cpu), **os.environ,
            "OMP_NUM_THREADS": n, "OPENBLAS_NUM_THREADS": n, "MKL_NUM_THREADS": n,
            # memory that was touched once stays, for libraries that allocate their results
            "MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "4294967296",
            "MALLOC_TOP_PAD_": "268435456"}


class Contestant:
    def __init__(self, name, command, threads, cpu=None):
        self.name, self.threads, self.has_ended = name, threads, False
        self.process = subprocess.Popen([str(c) for c in command] + [str(threads)] + ([cpu] if cpu and name == "tenon" else []),
                                        text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE if name != "tenon" else None,
                                        env=environment(threads, cpu))

    def ask(self, line):
        answer = ""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        except OSError:
            pass
        self.has_ended |= not answer
        return answer or "!ended"

    def end(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        self.process.wait()

    def missed(self):
        """Why there are no times of it, or not of all work."""
        return f"{self.name} ended by itself, with status {self.process.returncode}"


def find_contestants(folder, build_folder, threads, only_tenon, cpu):
    gpt2 = [HERE.parent / "examples/gpt2" / f"{n}.c" for n in ("model", "weights", "sample")]
    tenon = build(folder / "tenon", [HERE / "tenon.c", *gpt2], "-std=c17", "-L", str(build_folder),
                  "-ltenon", f"-Wl,-rpath,{build_folder}", "-lm")
    if not tenon:
        sys.exit(f"bench/tenon.c does not build against {build_folder}/libtenon.so")
    commands, missing = {"tenon": [tenon]}, []
    if only_tenon:
        missing.append("all others, as asked")
    else:
        onednn = build(folder / "onednn", [HERE / "onednn.cpp"], "-std=c++17", "-ldnnl",
                       compiler=shutil.which("g++") or "c++")
        if onednn:
            commands["onednn"] = [onednn]
        else:
            missing.append("onednn (no compiler, headers or library)")
        for library in ("numpy", "torch"):
            if subprocess.run([sys.executable, "-c", f"import {library}"],
                              stderr=subprocess.DEVNULL).returncode == 0:
                commands[library] = [sys.executable, HERE / "peer.py", library]
            else:
                missing.append(f"{library} ({sys.executable} cannot import it)")
    return commands, missing, [Contestant(name, command, n, cpu) for name, command in commands.items()
                               for n in threads]


# ---- limits ----

class Limits:
    """The best of all that were measured during the run."""

    def __init__(self, program, quick, cpu):
        self.program, self.seconds, self.best = program, "0.02" if quick else "0.05", {}
        self.widest = ["fma-256"] if cpu else ["fma-512", "fma-256"]

    def measure(self):
        if not self.program:
            return
        found = subprocess.run([str(self.program), self.seconds], stdout=subprocess.PIPE,
                               text=True, check=True).stdout
        for line in found.splitlines():
            name, *both = line.split()
            before = self.best.get(name, [0, 0])
            choose = (lambda a, b: b if not a else min(a, b)) if name == "barrier" else max
            self.best[name] = [choose(a, float(b)) for a, b in zip(before, both)]

    def of(self, work, threads):
        """The least seconds that WORK can take, and what sets them."""
        k, found = threads - 1, []
        peak = max(self.best.get(name, [0, 0])[k] for name in self.widest)
        if work.flops and peak:
            found.append((work.flops / peak * (work.size / F), "fma"))
        held = work.read + work.written
        level = "l2" if held < 700e3 else "l3" if held < 24e6 else "memory"
        kinds = ["read"] if work.written * 3 < work.read else ["copy", "copy-non-temporal"]
        if work.read and work.written and work.written * 3 >= work.read and \
                work.read > 1.5 * work.written:
            kinds = ["triad", "triad-non-temporal"]
        speed = max(self.best.get(f"{kind}-{level}", [0, 0])[k] for kind in kinds)
        if held and speed:
            found.append((held / speed, f"{kinds[0]} {level}"))
        return max(found) if found else (None, "")


# ---- measuring ----

def measure_work(work, contestants, folder, rounds, seconds, fewest):
    """{(contestant, threads): (least, median)}"""
    path = folder / work.file if (folder / work.file).exists() else PROGRAMS / work.file
    if work.file.startswith("gpt2-"):
        path = work.file
    ready, times = [], {}
    for c in contestants:
        answer = c.ask(f"open {work.name} " + (f"{path} {work.constants}" if c.name == "tenon"
                                               else ""))
        if answer == "ready":
            ready.append(c)
        elif c.name == "tenon":
            print(f"{work.name}: tenon {answer}", file=sys.stderr)
    for _ in range(rounds):
        for c in ready:
            time.sleep(0.02)  # threads of the one before stop spinning
            answer = c.ask(f"go {seconds} {fewest}")
            if answer[0] == "!":
                print(f"{work.name}: {c.name} {answer}", file=sys.stderr)
                continue
            least, median, _ = answer.split()
            times.setdefault((c.name, c.threads), []).append((float(least), float(median)))
    for c in contestants:
        c.ask("close")
    return {key: (min(t[0] for t in all_), statistics.median(t[1] for t in all_))
            for key, all_ in times.items()}


def table_row(work, found, limits, threads):
    lines = []
    for n in threads:
        if ("tenon", n) not in found:
            continue
        own, median = found["tenon", n]
        peers = {name: t[0] for (name, m), t in found.items() if m == n and name != "tenon"}
        best = min(peers, key=peers.get) if peers else None
        limit, what = limits.of(work, n)
        lines.append({"work": work.name, "threads": n, "ms": own * 1e3, "median_ms": median * 1e3,
                      "peers_ms": {k: v * 1e3 for k, v in peers.items()},
                      "best_peer": best, "to_best_peer": own / peers[best] if best else None,
                      "limit": what, "limit_ms": limit * 1e3 if limit else None,
                      "of_limit": limit / own if limit else None,
                      "gflops": work.flops / own * 1e-9 if work.flops else None,
                      "gbs": (work.read + work.written) / own * 1e-9, "known_ms": work.known})
    return lines


def number(x, width, digits=3):
    return f"{x:>{width}.{digits}f}" if x is not None else " " * (width - 1) + "-"


def print_row(r):
    peers = "  ".join(f"{k} {v:.3f}" for k, v in sorted(r["peers_ms"].items(),
                                                        key=lambda item: item[1]))
    share = f"{100 * r['of_limit']:.0f} % of {r['limit']}" if r["of_limit"] else ""
    print(f"{r['work']:<14} {r['threads']} {number(r['ms'], 10)} {number(r['median_ms'], 10)} "
          f"{number(r['to_best_peer'], 7, 2)} {number(r['limit_ms'], 9)} {share:<20} "
          f"{number(r['gflops'], 7, 1)} {number(r['gbs'], 6, 1)} {number(r['known_ms'], 7)}"
          f"  {peers}", flush=True)


# ---- from nothing to ready ----

def run_time(command, env, count):
    """Least milliseconds from start to end of a process, and of processor time."""
    best, busy = [], []
    null = os.open(os.devnull, os.O_WRONLY)
    for _ in range(count):
        start = time.monotonic()
        pid = os.posix_spawn(command[0], command, env,
                             file_actions=[(os.POSIX_SPAWN_DUP2, null, 1),
                                           (os.POSIX_SPAWN_DUP2, null, 2)])
        _, status, used = os.wait4(pid, 0)
        best.append(time.monotonic() - start)
        busy.append(used.ru_utime + used.ru_stime)
        if status:
            break
    os.close(null)
    return None if status else (min(best) * 1e3, min(busy) * 1e3)


class Start:
    """Something that gets ready, with kernels in the cache (warm) or without (cold)."""

    def __init__(self, name, command, is_warm, goal, times_itself):
        self.name, self.command, self.is_warm, self.goal = name, command, is_warm, goal
        self.times_itself = times_itself

    def measure(self, count):
        wall = busy = None
        with tempfile.TemporaryDirectory() as cache:
            env = dict(os.environ, TENON_CACHE_DIR=cache)
            for i in range(count + (1 if self.is_warm else 0)):
                if not self.is_warm:
                    for kept in pathlib.Path(cache).iterdir():
                        kept.unlink()
                if self.times_itself:
                    done = subprocess.run(self.command, env=env, stdout=subprocess.PIPE, text=True)
                    if done.returncode:
                        return None
                    first, _, second = (1e3 * float(t) for t in done.stdout.split())
                else:
                    both = run_time(self.command, env, 1)
                    if not both:
                        return None
                    first, second = both
                if i or not self.is_warm:
                    wall = min(wall or first, first)
                    busy = min(busy or second, second)
        return {"work": self.name, "ms": wall, "busy_ms": busy, "goal_ms": self.goal}


def starts(folder, tenon_program, contestant):
    tiny, small = str(folder / "tiny-1000.ptir"), str(folder / "small.ptir")
    run = [str(tenon_program), "run", small, "--random", "1"]
    ready = [str(contestant), "ready"]
    return [Start("gpt2-ready-cold", ready + ["gpt2"], False, 250, True),
            Start("gpt2-ready-warm", ready + ["gpt2"], True, 25, True),
            Start("gpt2-weights-cold", ready + ["gpt2-constants"], False, None, True),
            Start("gpt2-weights-warm", ready + ["gpt2-constants"], True, None, True),
            Start("chain-1000-cold", ready + [tiny], False, 50, True),
            Start("chain-1000-warm", ready + [tiny], True, None, True),
            Start("run-small-cold", run, False, 60, False),
            Start("run-small-warm", run, True, 8, False),
            Start("check-small", [str(tenon_program), "check", small], True, 3, False)]


# ---- all of it ----

def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", type=pathlib.Path, default=HERE.parent / "build/release/tenon")
    parser.add_argument("--threads", default="1,2" if (os.cpu_count() or 1) > 1 else "1")
    parser.add_argument("--only", action="append", help="work whose name contains this")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--cpu", choices=[NARROW], help="as if the processor had AVX2 only; the other libraries, too")
    parser.add_argument("--no-peers", action="store_true", help="only Tenon and the limits")
    parser.add_argument("--json", type=pathlib.Path, help="also write all figures to a file")
    parser.add_argument("--keep", action="store_true", help="add the figures to results/, and write its table")
    o = parser.parse_args()
    program = o.tenon.resolve()
    threads = [int(n) for n in o.threads.split(",")]
    rounds, seconds, fewest = (2, 0.03, 1) if o.quick else (5, 0.1, 3)

    def wanted(name):
        return not o.only or any(part in name for part in o.only)

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write_long_programs(folder)
        limits_program = build(folder / "limits", [HERE / "limits.c"], "-std=c17", "-lpthread")
        commands, missing, contestants = find_contestants(folder, program.parent, threads, o.no_peers, o.cpu)
        if not limits_program:
            missing.append("limits (limits.c is for x86-64)")
        limits = Limits(limits_program, o.quick, o.cpu)
        chosen = [w for w in WORK if wanted(w.name)]
        limits.measure()
        found = {}
        for i, work in enumerate(chosen):
            if sys.stderr.isatty():
                print(f"\r{i + 1}/{len(chosen)} {work.name:<20}", end="", file=sys.stderr,
                      flush=True)
            found[work.name] = measure_work(work, contestants, folder, rounds, seconds,
                                            fewest)
            if i % 8 == 7 or i + 1 == len(chosen):
                limits.measure()
        for c in contestants:
            c.end()
        missing += sorted({c.missed() for c in contestants if c.has_ended})
        if sys.stderr.isatty():
            print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
        print(f"load {os.getloadavg()[0]:.1f}; milliseconds, least; one thread: processor time\n")
        print(f"contestants: {', '.join(commands)}"
              + "".join(f"\nmissing: {one}" for one in missing) + "\n")
        print("limits of one and two threads (10^9 a second; the barrier in ns)")
        for name, (one, two) in limits.best.items():
            scale = 1e9 if name == "barrier" else 1e-9
            print(f"  {name:<18} {number(one * scale or None, 8, 1)} {two * scale:8.1f}")
        print(f"\n{'work':<14} n {'least':>10} {'median':>10} {'/peer':>7} {'limit':>9} {'':20} "
              f"{'GFLOP/s':>7} {'GB/s':>6} {'Zen 5':>7}  peers")
        rows = []
        for work in chosen:
            for row in table_row(work, found[work.name], limits, threads):
                rows.append(row)
                print_row(row)
        begun = []
        print(f"\n{'getting ready':<20} {'ms':>9} {'processor':>10} {'goal':>6}")
        for s in starts(folder, program, commands["tenon"][0]):
            row = s.measure(3 if o.quick else 7) if wanted(s.name) else None
            if row:
                begun.append(row)
                print(f"{row['work']:<20} {row['ms']:>9.2f} {row['busy_ms']:>10.2f} "
                      f"{row['goal_ms'] or '-':>6}", flush=True)
        figures = {"cpu": o.cpu, "load": round(os.getloadavg()[0], 1), "limits": limits.best, "missing": missing, "work": rows,
                   "ready": begun}
        if o.json:
            o.json.write_text(json.dumps(figures, indent=1) + "\n")
        if o.keep:
            results.keep(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
