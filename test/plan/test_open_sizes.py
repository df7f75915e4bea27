"""A program whose batch is open is planned as one of that batch, where nothing but the number of rows or images depends on it: each kernel works
in the same way, and its code serves other batches."""
import pathlib
import re
import tempfile

from lib.program import tenon

BATCH = 8
SERVES = ("do not matter", "are given to the code")
PROGRAMS = {
    "pixel shuffle": ("f32, {B}x12x20x24", "f32, {B}x3x40x48", """  %1 = reshape(%x) new_shape[{B}, 3, 2, 2, 20, 24] -> tensor<f32, {B}x3x2x2x20x24>
  %2 = transpose(%1) perm[0, 1, 4, 2, 5, 3] -> tensor<f32, {B}x3x20x2x24x2>
  %r = reshape(%2) new_shape[{B}, 3, 40, 48] -> tensor<f32, {B}x3x40x48>
"""),
    "padded": ("f32, {B}x4x40x200", "f32, {B}x4x42x202",
               "  %r = pad(%x) low[0, 0, 1, 1] high[0, 0, 1, 1] interior[0, 0, 0, 0] pad_value[0.0] -> tensor<f32, {B}x4x42x202>\n"),
    "halves": ("f32, {B}x64x30", "f32, {B}x64x2x15", """  %1 = reshape(%x) new_shape[{B}, 64, 2, 15] -> tensor<f32, {B}x64x2x15>
  %r = neg(%1) -> tensor<f32, {B}x64x2x15>
"""),
    "stack": ("f32, {B}x300", "f32, {B}x300x3", """  %1 = neg(%x) -> tensor<f32, {B}x300>
  %2 = abs(%x) -> tensor<f32, {B}x300>
  %3 = reshape(%x) new_shape[{B}, 300, 1] -> tensor<f32, {B}x300x1>
  %4 = reshape(%1) new_shape[{B}, 300, 1] -> tensor<f32, {B}x300x1>
  %5 = reshape(%2) new_shape[{B}, 300, 1] -> tensor<f32, {B}x300x1>
  %r = concat(%3, %4, %5) axis[2] -> tensor<f32, {B}x300x3>
"""),
    "channels beside channels": ("f32, {B}x16x20x24", "f32, {B}x32x20x24", """  %1 = neg(%x) -> tensor<f32, {B}x16x20x24>
  %r = concat(%x, %1) axis[1] -> tensor<f32, {B}x32x20x24>
"""),
    "columns": ("f32, {B}x300", "f32, {B}x37", """  %c = constant value[300] -> tensor<si64>
  %z = constant value[0] -> tensor<si64>
  %0 = broadcast_to(%z) result_shape[37] -> tensor<si64, 37>
  %1 = broadcast_to(%c) result_shape[37] -> tensor<si64, 37>
  %2 = compare(%i, %0) op[Less] -> tensor<i1, 37>
  %3 = add(%i, %1) -> tensor<si64, 37>
  %4 = select(%2, %3, %i) -> tensor<si64, 37>
  %5 = broadcast_to(%4) result_shape[{B}, 37] -> tensor<si64, {B}x37>
  %r = gather(%x, %5) axis[1] -> tensor<f32, {B}x37>
"""),
}


def written(program, batch):
    given, result, body = program
    text = f"func @main(%x: tensor<{given}>, %i: tensor<si64, 37>) -> tensor<{result}> {{\n{body}  return %r\n}}\n"
    return text.replace("{B}", batch)


def ways(shown):
    """How each step works, but for how many items a thread should have at least."""
    return [re.sub(r", \d+ or more a thread", "", line) for line in shown.splitlines() if re.search(r"^  (how|    ) .* items?,", line)]


with tempfile.TemporaryDirectory() as folder:
    fixed, openly = pathlib.Path(folder) / "fixed.ptir", pathlib.Path(folder) / "open.ptir"
    for name, program in PROGRAMS.items():
        fixed.write_text(written(program, str(BATCH)))
        openly.write_text(written(program, "?B"))
        for cpu in ("x86-64", "x86-64-v3", "x86-64-v4"):
            now, other = (tenon("explain", path, "--cpu", cpu, *more).stdout
                          for path, more in ((fixed, []), (openly, ["--dim", f"B={BATCH}"])))
            assert ways(now) and ways(now) == ways(other), (name, cpu, ways(now), ways(other))
            sizes = re.findall(r"^  sizes +(.*)", other, re.M)
            assert sizes and all(line.startswith(SERVES) for line in sizes), (name, cpu, sizes)
