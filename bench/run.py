"""Runs the benchmarks one after the other: run.py --tenon PATH"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


# Programs that see the internals of the library.
PROGRAMS = ("dispatch", "contract")


def run_program(name, folder):
    compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
    program = folder / f"bench_{name}"
    subprocess.run([compiler, "-std=c17", "-O2", "-Wall", "-Wextra", "-D_POSIX_C_SOURCE=200809L",
                    "-I", str(HERE.parent / "include"), "-I", str(HERE.parent / "src"),
                    str(HERE / f"{name}.c"), str(folder / "libtenon_internals.a"), "-lzip",
                    "-lpthread", "-ldl", "-lm", "-o", str(program)], check=True)
    print(f"\n{name}", flush=True)
    return subprocess.run([str(program)]).returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", type=pathlib.Path, default=HERE.parent / "build/release/tenon")
    folder = parser.parse_args().tenon.resolve().parent
    failed = subprocess.run([sys.executable, str(HERE / "frontend.py"), "--build",
                             str(folder)]).returncode
    for name in PROGRAMS:
        failed = run_program(name, folder) or failed
    print("\npeers", flush=True)
    failed = subprocess.run([sys.executable, str(HERE / "peers.py"), "--tenon",
                             str(folder / "tenon"), "--quick"]).returncode or failed
    return failed


if __name__ == "__main__":
    sys.exit(main())
