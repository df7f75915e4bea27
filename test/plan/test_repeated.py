"""What is costly is computed once, not again by each row that reads it; what is the same for a whole row is computed there."""
import json
import pathlib
import tempfile

from lib.program import tenon

PROGRAM = """func @main(%x: tensor<f32, 96x64>, %g: tensor<f32, GATE>) -> tensor<f32, 96x64> {
  %s = sigmoid(%g) -> tensor<f32, GATE>
  %b = broadcast_to(%s) result_shape[96, 64] -> tensor<f32, 96x64>
  %y = mul(%x, %b) -> tensor<f32, 96x64>
  return %y
}
"""


def kernels(folder, gate):
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(PROGRAM.replace("GATE", gate))
    return [k["name"] for k in json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]]


with tempfile.TemporaryDirectory() as folder:
    assert kernels(folder, "1x64") == ["sigmoid", "broadcast mul"], kernels(folder, "1x64")
    assert kernels(folder, "96x1") == ["sigmoid broadcast mul"], kernels(folder, "96x1")
