"""Rows of a matrix that are fetched ahead may begin anywhere within a line of memory, as those of NumPy do: the line in which a
row ends is fetched. The one in which it begins was read with the row before."""
import pathlib
import re
import tempfile

from lib.program import tenon

PROGRAM = """func @main(%w: tensor<f32, 64x256>, %x: tensor<f32, 256x3136>) -> tensor<f32, 64x3136> {
  %y = dot_general(%w, %x) contract_lhs[1] contract_rhs[0] -> tensor<f32, 64x3136>
  return %y
}
"""


def fetched(loops):
    """The constants that are added to an address before something is fetched there, first level cache or second."""
    made = dict(re.findall(r"(%\d+) = (.*)", loops))
    found = set()
    for address in re.findall(r"prefetch\S* (%\d+)", loops):
        while made[address].startswith("offset"):
            address, by = re.findall(r"%\d+", made[address])
            found |= set(re.findall(r"const\.i64 (0x\w+)", made[by]))
    return found


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(PROGRAM)
    for right in "inside", "tiles":
        for cpu, end in (("x86-64", "0x1c"), ("x86-64-v3", "0x3c"), ("x86-64-v4", "0x3c")):
            loops = tenon("explain", path, "--dump", "loops", "--cpu", cpu, "--schedule", f"vectors=2,right={right}").stdout
            assert end in fetched(loops), (right, cpu, fetched(loops))
