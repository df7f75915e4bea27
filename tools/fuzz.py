"""Runs every fuzzer of build/fuzz for FUZZ_SECONDS (default 10), as many at once as there are
processors. FUZZ_SEED fixes where they start, so that a run can be repeated. New inputs are kept in build/fuzz/corpus; a failing one is written to build/fuzz/found.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"


def run_one(program, seconds):
    """Run one fuzzer; returns whether it found nothing, and what it printed."""
    name = program.name.removeprefix("fuzz_")
    corpus = BUILD / "corpus" / name
    found = BUILD / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    seeds = ROOT / "test" / "fuzz" / "corpus" / name
    command = [program, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
               "-print_final_stats=1", f"-artifact_prefix={found}/{name}-", corpus]
    if seeds.is_dir():
        command.append(seeds)
    if "FUZZ_SEED" in os.environ:
        command.append(f"-seed={os.environ['FUZZ_SEED']}")
    # As test/CMakeLists.txt sets them for the tests, and for the same reasons.
    env = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:intercept_tls_get_addr=0")
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    return done.returncode == 0, done.stdout


def run_all(seconds):
    """Yield (name, ok, output) for each fuzzer."""
    programs = sorted(p for p in BUILD.glob("fuzz_*") if p.is_file())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, (ok, output) in zip(programs, pool.map(lambda p: run_one(p, seconds),
                                                            programs)):
            yield program.name, ok, output


def main():
    n_failed = 0
    for name, ok, output in run_all(int(os.environ.get("FUZZ_SECONDS", "10"))):
        stats = [line.split(":")[-1].strip() for line in output.splitlines()
                 if "number_of_executed_units" in line]
        print(f"{name}: {'ok' if ok else 'FAILED'}, {stats[0] if stats else '?'} inputs")
        if not ok:
            print(output[-8000:])
            n_failed += 1
    return n_failed != 0


if __name__ == "__main__":
    sys.exit(main())
