"""Products of a batch with one and the same matrix are products of more rows: they get the schedule of these."""
import json
import pathlib
import tempfile

from lib.program import tenon

ROWS = [(64,), (64, 1), (1, 64), (4, 16), (16, 4, 1)]


def schedule(folder, rows):
    left, out = ([*rows, n] for n in (128, 96))
    path = folder / "p.ir"
    path.write_text(f'%0 = Input () {{name="x"}} : tensor<f32>{left}\n%1 = Input () {{name="w"}} : tensor<f32>[128, 96]\n'
                    f"%2 = MatMul (%0, %1) : tensor<f32>{out}\noutputs: %2\n")
    kernels = json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]
    assert len(kernels) == 1, kernels
    return kernels[0]["schedules"]


with tempfile.TemporaryDirectory() as folder:
    found = [schedule(pathlib.Path(folder), rows) for rows in ROWS]
    assert "rows=1," not in found[0][0], found
    assert all(s == found[0] for s in found), found
