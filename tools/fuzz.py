"""Runs every fuzzer of build/fuzz for FUZZ_SECONDS (60), as many at once as there are processors.

    fuzz.py             FUZZ_SEED fixes where they start
    fuzz.py --night     for FUZZ_HOURS (8) in all, then a report and smaller corpora

New inputs are kept in build/fuzz/corpus; a failing one is written to build/fuzz/found. A night ends with a table: for each
fuzzer how many inputs it ran, what it covered, how many inputs were new, how many fail. Then each corpus is made
smaller, without losing what it covers, and short inputs that cover more than the seeds in test/fuzz/corpus join those.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"

# As test/CMakeLists.txt sets them for the tests, and for the same reasons.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:intercept_tls_get_addr=0")
HANG = 600  # seconds for one input, which take milliseconds
OWN = {"cli": ["-close_fd_mask=3"]}  # it prints what users see
# Seeds of a fuzzer are read in every sweep: they stay short, and few.
LONGEST_SEED, MOST_SEEDS = 2048, 160 * 1024


def run_one(program, corpus, *limits):
    """Run one fuzzer; returns its name, whether it found nothing, and what it printed."""
    name = program.name.removeprefix("fuzz_")
    found = BUILD / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    seeds = ROOT / "test" / "fuzz" / "corpus" / name
    command = [program, *limits, *OWN.get(name, []), f"-timeout={HANG}", "-rss_limit_mb=2048", "-print_final_stats=1",
               f"-artifact_prefix={found}/{name}-", corpus]
    if seeds.is_dir():
        command.append(seeds)
    done = subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    return program.name, done.returncode == 0, done.stdout


def fuzzers():
    return sorted(p for p in BUILD.glob("fuzz_*") if p.is_file())


def run_all(corpus, *limits):
    """Yield (name, ok, output) for each fuzzer, as they end."""
    programs = fuzzers()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        started = [pool.submit(run_one, p, corpus / p.name.removeprefix("fuzz_"), *limits)
                   for p in programs]
        for future in concurrent.futures.as_completed(started):
            yield future.result()


def run_some(runs):
    """The same on so many inputs, which are always the same ones."""
    with tempfile.TemporaryDirectory(prefix="tenon-fuzz-") as corpus:
        yield from run_all(pathlib.Path(corpus), f"-runs={runs}", "-seed=1")


# ---- a night ----

def numbers(output):
    """Inputs that ran, edges and features that they covered, from what libFuzzer prints."""
    ran = re.findall(r"number_of_executed_units:\s*(\d+)", output)
    covered = re.findall(r"cov: (\d+) ft: (\d+)", output)
    return int(ran[-1]) if ran else 0, *(map(int, covered[-1]) if covered else (0, 0))


def count(folder):
    return sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0


def make_smaller(program, corpus):
    """Keep of CORPUS what covers more than the seeds, as few and short inputs as libFuzzer finds; and of these give the
    short ones to the seeds. How many were kept, and how many are seeds now."""
    name = program.name.removeprefix("fuzz_")
    seeds = ROOT / "test" / "fuzz" / "corpus" / name
    seeds.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as merged:
        for path in seeds.iterdir():
            shutil.copy(path, merged)
        known = {path.name for path in seeds.iterdir()}
        subprocess.run([program, "-merge=1", *OWN.get(name, []), "-rss_limit_mb=2048", merged, corpus], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        kept = [path for path in pathlib.Path(merged).iterdir() if path.name not in known]
        for path in corpus.iterdir():
            path.unlink()
        for path in kept:
            shutil.copy(path, corpus)
        room, added = MOST_SEEDS - sum(path.stat().st_size for path in seeds.iterdir()), 0
        for path in sorted(kept, key=lambda path: path.stat().st_size):
            size = path.stat().st_size
            if size <= LONGEST_SEED and size <= room:
                shutil.copy(path, seeds / hashlib.sha1(path.read_bytes()).hexdigest()[:16])
                room, added = room - size, added + 1
    return len(kept), added


def night():
    """True where nothing was found."""
    programs, started = fuzzers(), {}
    seconds = float(os.environ.get("FUZZ_HOURS", "8")) * 3600 * (os.cpu_count() or 1) / max(len(programs), 1)
    for program in programs:
        name = program.name.removeprefix("fuzz_")
        started[name] = count(BUILD / "corpus" / name), count_found(name)
    rows = {}
    for name, ok, output in run_all(BUILD / "corpus", f"-max_total_time={max(int(seconds), 1)}"):
        name = name.removeprefix("fuzz_")
        rows[name] = ok, *numbers(output), count(BUILD / "corpus" / name) - started[name][0], count_found(name) - started[name][1]
        if not ok:
            print(output[-4000:], flush=True)
    print(f"{'fuzzer':14} {'inputs':>12} {'edges':>8} {'features':>9} {'new':>7} {'kept':>6} {'seeds':>6} {'fail':>5}")
    for program in programs:
        name = program.name.removeprefix("fuzz_")
        ok, ran, edges, features, new, found = rows[name]
        kept, added = make_smaller(program, BUILD / "corpus" / name)
        print(f"{name:14} {ran:12} {edges:8} {features:9} {new:7} {kept:6} {added:+6} {found if found or ok else 'end':>5}", flush=True)
    print(f"{seconds / 60:.1f} minutes for each, {seconds * len(programs) / 3600:.1f} hours of a processor in all")
    return all(row[0] for row in rows.values())


def count_found(name):
    found = BUILD / "found"
    return sum(1 for path in found.glob(f"{name}-*")) if found.is_dir() else 0


def main():
    if "--night" in sys.argv:
        return not night()
    n_failed = 0
    limits = [f"-max_total_time={os.environ.get('FUZZ_SECONDS', '60')}"]
    if "FUZZ_SEED" in os.environ:
        limits.append(f"-seed={os.environ['FUZZ_SEED']}")
    for name, ok, output in run_all(BUILD / "corpus", *limits):
        stats = [line.split(":")[-1].strip() for line in output.splitlines()
                 if "number_of_executed_units" in line]
        print(f"{name}: {'ok' if ok else 'FAILED'}, {stats[0] if stats else '?'} inputs")
        if not ok:
            print(output[-8000:])
            n_failed += 1
    return n_failed != 0


if __name__ == "__main__":
    sys.exit(main())
