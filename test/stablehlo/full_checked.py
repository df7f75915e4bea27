"""Programs that check themselves, by `tenon verify` on both engines: in the forms that JAX, torch-xla and the authors of StableHLO print;
gathers and scatters of every geometry; elementwise operations, conversions and reductions of the narrow element types."""
from lib.program import TEST, start

FOLDER = TEST / "stablehlo" / "programs"
FILES = {"forms.mlir": 68, "indexing.mlir": 90, "narrow.mlir": 40}  # at least so many functions


def main():
    faults = 0
    for name, least in FILES.items():
        for engine in "jit", "ref":  # without passes, which would compute all of it beforehand
            done = start("verify", FOLDER / name, "--engine", engine, "-O0")
            lines = done.stdout.splitlines()
            bad = [line for line in lines[:-1] if ": passed" not in line]
            if done.returncode or bad or len(lines) - 1 < least:
                faults += 1
                print(f"{name}, {engine}: {lines[-1] if lines else ''}", *bad, done.stderr, sep="\n")
    print(f"{len(FILES)} files, {faults} faults")
    return faults > 0


if __name__ == "__main__":
    raise SystemExit(main())
