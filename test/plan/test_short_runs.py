"""Convolutions of pictures, of whose products three follow one another, ask rarely whether the run is cancelled: how often short loops
run is known, also with what a division leaves."""
import pathlib
import tempfile

from lib.program import tenon

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text("""\
func @main(%x: tensor<f32, 1x3x112x112>, %w: tensor<f32, 64x3x11x11>) -> tensor<f32, 1x64x27x27> {
  %y = convolution(%x, %w) strides[4, 4] padding[(2, 2), (2, 2)] base_dilation[1, 1] dilation[1, 1] -> tensor<f32, 1x64x27x27>
  return %y
}
""")
    for cpu in ("x86-64", "x86-64-v3", "x86-64-v4"):
        program = tenon("explain", path, "--dump", "loops", "--cpu", cpu).stdout.rpartition("\nstep ")[2]
        assert program.count("fma.") > 50, program
        assert program.count("poll") <= 1, (cpu, program.count("poll"))
