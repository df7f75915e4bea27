"""The workspace that a header asks for has room for what the C file uses, also where machine code for the same CPU has
instructions that C has no operators for, and packs for them."""
import pathlib
import re
import tempfile

from lib.program import tenon

PROGRAM = """func @main(%x: tensor<si8, 1x3x4x3>) -> tensor<si32, 1x5x2x3> {
  %t = transpose(%x) perm[0, 2, 3, 1] -> tensor<si8, 1x4x3x3>
  %p = extract_patches(%t) window[1, 2] strides[2, 2] dilation[2, 1] padding[(3, 3), (0, 1)] pad_value[0] -> tensor<si8, 1x5x2x6>
  %w = constant fill[0] -> tensor<si8, 6x3>
  %y = dot_general(%p, %w) contract_lhs[3] contract_rhs[0] accum_dtype[si32] out_dtype[si32] -> tensor<si32, 1x5x2x3>
  return %y
}
"""


def workspace(path):
    return int(re.search(r"\*   workspace  (\d+) bytes", path.read_text())[1])


with tempfile.TemporaryDirectory() as folder:
    source, code, header = (pathlib.Path(folder) / name for name in ("m.ptir", "m.c", "m.h"))
    source.write_text(PROGRAM)
    for cpu in ("native", "x86-64-v3", "cascadelake", "sapphirerapids", "alderlake"):
        target = () if cpu == "native" else ("--target", "x86_64-linux-gnu", "--cpu", cpu)
        tenon("compile", source, "-o", code, "--header", header, *target)
        assert workspace(header) >= workspace(code), (cpu, workspace(header), workspace(code))
