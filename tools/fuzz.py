"""Runs every fuzzer of build/fuzz for FUZZ_SECONDS (60), as many at once as there are processors.

FUZZ_SEED fixes where they start. New inputs are kept in build/fuzz/corpus; a failing one is written
to build/fuzz/found.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"


HANG = 600  # seconds for one input, which take milliseconds


def run_one(program, corpus, *limits):
    """Run one fuzzer; returns its name, whether it found nothing, and what it printed."""
    name = program.name.removeprefix("fuzz_")
    found = BUILD / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    seeds = ROOT / "test" / "fuzz" / "corpus" / name
    command = [program, *limits, f"-timeout={HANG}", "-rss_limit_mb=2048", "-print_final_stats=1",
               f"-artifact_prefix={found}/{name}-", corpus]
    if seeds.is_dir():
        command.append(seeds)
    # As test/CMakeLists.txt sets them for the tests, and for the same reasons.
    env = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:intercept_tls_get_addr=0")
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    return program.name, done.returncode == 0, done.stdout


def run_all(corpus, *limits):
    """Yield (name, ok, output) for each fuzzer, as they end."""
    programs = sorted(p for p in BUILD.glob("fuzz_*") if p.is_file())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        started = [pool.submit(run_one, p, corpus / p.name.removeprefix("fuzz_"), *limits)
                   for p in programs]
        for future in concurrent.futures.as_completed(started):
            yield future.result()


def run_some(runs):
    """The same on so many inputs, which are always the same ones."""
    with tempfile.TemporaryDirectory(prefix="tenon-fuzz-") as corpus:
        yield from run_all(pathlib.Path(corpus), f"-runs={runs}", "-seed=1")


def main():
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
