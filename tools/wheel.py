"""Builds a wheel of the Python package with the library in it, without a network: wheel.py BUILD OUT

BUILD is a folder where the library was built (build/release), OUT the folder for the wheel. LLVM and libzip themselves
stay with the system: without LLVM programs run reference kernels.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    if len(sys.argv) != 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    build, out = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for component in ("library", "llvm"):
            subprocess.run(["cmake", "--install", build, "--component", component, "--prefix", folder / "prefix"],
                           check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(ROOT / "python", folder / "python", ignore=shutil.ignore_patterns("__pycache__"))
        package = folder / "python/tenon"
        for library in (folder / "prefix").rglob("libtenon.so.*"):
            if library.is_symlink():  # the name that programs look for
                shutil.copy2(library, package / library.name)
        for module in (folder / "prefix").rglob("tenon/*"):
            (package / "tenon").mkdir(exist_ok=True)
            shutil.copy2(module, package / "tenon")
        subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, folder / "python"],
                       check=True, stdout=subprocess.DEVNULL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
