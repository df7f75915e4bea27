"""Some functions of full_operations.py on inputs instead of constants, which nobody computes beforehand: run in every way, always
the bits of the reference evaluator."""
import pathlib
import tempfile

import numpy as np

import full_operations
from lib import equality

STRIDE = 12  # of so many functions one is taken: each compiles some thirty programs


def fields(folder, number, function):
    """One program as the program `equality` takes it."""
    text, inputs = function.with_inputs()
    path = folder / f"{number}.mlir"
    path.write_text(text, encoding="utf-8")
    out = [f"file={path}", "dialect=stablehlo", "levels=02"]
    for name, array in inputs.items():
        np.save(folder / f"{number}_{name}.npy", array)
        out.append(f"in={name}={folder}/{number}_{name}.npy")
    return out


def main():
    functions = list(full_operations.functions())[::STRIDE]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = [fields(folder, number, f) for number, f in enumerate(functions)]
        for function, answer in zip(functions, equality.ask_all(programs)):
            if not answer.startswith("ok "):
                print(f"{function.name}: {answer}")
                failed += 1
    print(f"{len(functions)} programs, {failed} faults")
    return failed > 0


if __name__ == "__main__":
    raise SystemExit(main())
