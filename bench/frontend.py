"""Speed of the front end: text to verified, canonical module, in process (frontend.c).

    frontend.py --build FOLDER [--sizes 10000,100000,1000000]

FOLDER holds the built libtenon.so. Prints nanoseconds and bytes an instruction for modules of
several sizes, how far the largest is from linear growth, and the small network of the published
comparisons.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PHASES = ("read", "verify", "canonicalize", "write")


def build(folder):
    driver = folder / "bench_frontend"
    compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
    subprocess.run([compiler, "-std=c17", "-O2", "-Wall", "-Wextra", "-D_POSIX_C_SOURCE=200809L",
                    "-I", str(HERE.parent / "include"), str(HERE / "frontend.c"), "-o",
                    str(driver), "-L", str(folder), "-ltenon", f"-Wl,-rpath,{folder}"], check=True)
    return driver


def measure(driver, *arguments):
    done = subprocess.run([str(driver), *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"frontend {' '.join(arguments)} ended with {done.returncode}")
    return {key: int(value) for key, value in (line.split() for line in done.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build/release")
    parser.add_argument("--sizes", default="10000,100000,1000000")
    options = parser.parse_args()
    driver = build(options.build.resolve())
    sizes = [int(size) for size in options.sizes.split(",")]

    print("front end, nanoseconds of processor time an instruction (best of several rounds)")
    print(f"{'instructions':>12} {'MB text':>8} " + " ".join(f"{p:>12}" for p in PHASES)
          + f" {'sum':>8} {'seconds':>8} {'peak B/instr':>13}")
    totals = {}
    for size in sizes:
        found = measure(driver, "module", str(size))
        if found["leaked"]:
            sys.exit(f"{found['leaked']} bytes leaked")
        total = sum(found[p] for p in PHASES)
        totals[size] = total / size
        print(f"{size:>12} {found['bytes'] / 1e6:>8.1f} "
              + " ".join(f"{found[p] / size:>12.1f}" for p in PHASES)
              + f" {total / size:>8.1f} {total / 1e9:>8.3f} {found['peak'] / size:>13.0f}")
    if len(sizes) > 1:
        ratio = totals[sizes[-1]] / totals[sizes[0]]
        print(f"time an instruction at {sizes[-1]} over that at {sizes[0]}: {ratio:.2f}"
              " (1 is linear)")
    found = measure(driver, "network")
    print("\n784-512-256-10 network, batch 128, twelve operations; median nanoseconds")
    print("  ".join(f"{p} {found[p]}" for p in PHASES))
    print(f"read + verify + canonicalize: {found['total']} ns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
