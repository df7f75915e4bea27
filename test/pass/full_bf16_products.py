"""Products of bf16 by the instruction that sums two of them: only with relaxed numerics, and within the bound of
docs/numerics.md of the exact results."""
import pathlib
import sys
import tempfile

import numpy as np

from lib.program import tenon

U = 2.0 ** -24  # half an ulp of 1 in f32
# rows, products and columns, the product that is contracted, and how the operands are made from f32
SHAPES = [(130, 98, 70), (16, 64, 37), (64, 1024, 48), (3, 512, 96), (200, 6, 5), (33, 99, 40), (13, 66, 48)]
SPELLED = {  # contracted axes, and the shapes of operands
    "plain": ("contract_lhs[1] contract_rhs[0]", lambda m, k, n: ((m, k), (k, n))),
    "left transposed": ("contract_lhs[0] contract_rhs[0]", lambda m, k, n: ((k, m), (k, n))),
    "right transposed": ("contract_lhs[1] contract_rhs[1]", lambda m, k, n: ((m, k), (n, k))),
}


def text_of(shape):
    return "x".join(map(str, shape))


def program(spelled, m, k, n):
    """A product of two operands that are cast to bf16, of the same with the left one in memory before, and with a right one that no other
    kernel reads: with 13 to 16 rows it is computed where it is loaded."""
    axes, shapes = SPELLED[spelled]
    a, b = map(text_of, shapes(m, k, n))
    rule = f"{axes} accum_dtype[f32] out_dtype[f32] -> tensor<f32, {m}x{n}>"
    return f"""func @main(%x: tensor<f32, {a}>, %y: tensor<f32, {b}>, %z: tensor<f32, {b}>) -> (tensor<f32, {m}x{n}>, tensor<f32, {m}x{n}>, tensor<f32, {m}x{n}>, tensor<bf16, {a}>) {{
  %a = cast(%x) dtype[bf16] -> tensor<bf16, {a}>
  %b = cast(%y) dtype[bf16] -> tensor<bf16, {b}>
  %c = dot_general(%a, %b) {rule}
  %d = mul(%a, %a) -> tensor<bf16, {a}>
  %e = dot_general(%d, %b) {rule}
  %f = cast(%z) dtype[bf16] -> tensor<bf16, {b}>
  %g = dot_general(%a, %f) {rule}
  return %c, %e, %g, %d
}}
"""


def bf16(x):
    """X rounded to bf16, to the nearest even."""
    bits = x.view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).view(np.float32)


def results(source, folder, *options):
    tenon("run", source, "--input", f"x={folder}/x.npy", "--input", f"y={folder}/y.npy", "--input", f"z={folder}/z.npy", "--output", folder / "out", *options)
    return [np.load(folder / "out" / f"{i}.npy") for i in range(3)]


def difference(spelled, m, k, n, folder, rng):
    """What is wrong with one product."""
    source, shapes = folder / "p.ptir", SPELLED[spelled][1](m, k, n)
    source.write_text(program(spelled, m, k, n))
    x, y, z = (rng.standard_normal(s).astype(np.float32) * np.exp2(rng.integers(-20, 20, s)).astype(np.float32) for s in (*shapes, shapes[1]))
    for name, data in (("x", x), ("y", y), ("z", z)):
        np.save(folder / f"{name}.npy", data)
    exact = results(source, folder)
    for options in (["-O0", "--numerics", "relaxed"], ["--check", "--numerics", "relaxed"]):
        if any((a != b).any() for a, b in zip(exact, results(source, folder, *options))):
            yield f"{' '.join(options)} changed bits"
    relaxed = results(source, folder, "--numerics", "relaxed", "--threads", "1")
    if any((a != b).any() for a, b in zip(relaxed, results(source, folder, "--numerics", "relaxed", "--threads", "3"))):
        yield "the number of threads changed bits"
    a, b, c = (bf16(v).astype(np.float64) for v in (x, y, z))
    for i, (left, right) in enumerate(((a, b), (bf16((a * a).astype(np.float32)).astype(np.float64), b), (a, c))):
        left, right = left.T if spelled == "left transposed" else left, right.T if spelled == "right transposed" else right
        size = np.abs(left) @ np.abs(right)
        tiny = 2.0 ** -126 * (np.abs(left).sum(1)[:, None] + np.abs(right).sum(0)[None, :] + 2 * k)
        for name, got in (("exact", exact[i]), ("relaxed", relaxed[i])):
            if not (np.abs(got - left @ right) <= (2 * k + 2) * U * size + tiny).all():
                yield f"result {i} is too far off, {name}"


def instructions(folder):
    """Whether the instruction is there with relaxed numerics, and only then."""
    source = folder / "p.ptir"
    source.write_text(program("plain", 64, 64, 64))
    for numerics, level, cpu, wanted in (("relaxed", "-O2", "znver4", True), ("relaxed", "-O2", "icelake-server", False),
                                         ("relaxed", "-O0", "znver4", False), ("exact", "-O2", "znver4", False)):
        tenon("compile", source, "-o", folder / "p.s", "--cpu", cpu, "--numerics", numerics, level,
              "--target", "x86_64-linux-gnu")
        if ("vdpbf16ps" in (folder / "p.s").read_text()) != wanted:
            yield f"{numerics} {level} for {cpu}: vdpbf16ps should {'' if wanted else 'not '}be there"


def main():
    rng, faults = np.random.default_rng(3), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        faults += instructions(folder)
        for spelled in SPELLED:
            for shape in SHAPES:
                faults += [f"{spelled} {shape}: {f}" for f in difference(spelled, *shape, folder, rng)]
    print("\n".join(faults))
    return len(faults) > 0


sys.exit(main())
