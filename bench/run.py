"""Runs the benchmarks one after the other: run.py --tenon PATH"""
import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", type=pathlib.Path, default=HERE.parent / "build/release/tenon")
    folder = parser.parse_args().tenon.resolve().parent
    return subprocess.run([sys.executable, str(HERE / "frontend.py"), "--build",
                           str(folder)]).returncode


if __name__ == "__main__":
    sys.exit(main())
