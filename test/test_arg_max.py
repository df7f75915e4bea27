"""arg_max along every axis, of lines that are short, long, few and many: the positions of the evaluator, also
where a line holds nothing but NaNs, infinities and zeros of both signs.
"""
import pathlib
import sys
import tempfile

from test_windows import special_input, tenon

SHAPES = [[70], [33, 5], [5, 33], [2, 9, 600], [700, 40], [3, 50, 7], [4, 1, 1100], [1, 257]]
KINDS = ["f32", "f64", "f16", "bf16", "fp8_e5m2", "si8", "ui16", "si64", "i1"]


def program(kind, shape, axis, to):
    dims = "x".join(map(str, shape))
    kept = "x".join(map(str, shape[:axis] + shape[axis + 1:]))
    out = f"tensor<{to}, {kept}>" if kept else f"tensor<{to}>"
    return (f"func @main(%x: tensor<{kind}, {dims}>) -> {out} {{\n"
            f"  %y = arg_max(%x) axis[{axis}] output_dtype[{to}] -> {out}\n  return %y\n}}\n")


def main():
    cases = [(kind, shape, axis) for shape in SHAPES for axis in range(len(shape))
             for kind in (KINDS if len(shape) < 2 else KINDS[axis:3 * len(shape):3])]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, (kind, shape, axis) in enumerate(cases):
            source = folder / "a.ptir"
            source.write_text(program(kind, shape, axis, "si32" if number % 2 else "si64"))
            is_special = kind in ("f32", "f64", "f16") and number % 3
            inputs = (special_input(folder, source.read_text(), number) if is_special
                      else ["--random", number])
            found = []
            for how in (["--engine", "ref"], ["--threads", "3"], ["--cpu", "x86-64-v2"]):
                tenon("run", source, *inputs, "--output", folder / "out", *how)
                found.append((folder / "out" / "0.npy").read_bytes())
                if found[0] != found[-1]:
                    print(f"{kind} {shape} axis {axis}: {' '.join(how)} gives other positions")
                    failed += 1
    print(f"{len(cases)} programs, {failed} faults")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
