"""A tensor that is of no more use becomes the result of what adds to it, or puts into it, at positions."""
import json
import pathlib
import tempfile

from lib.program import tenon

SHAPE, BYTES = "512x512", 4 * 512 * 512
ADD = "scatter_add(%y, %i, %u) update_window_dims[1] inserted_window_dims[0] scatter_dims_to_operand_dims[0]"
ITSELF = ADD.replace("%u", "%y")


def memory(folder, scatter):
    """What a run needs beside inputs and outputs."""
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(f"func @main(%x: tensor<f32, {SHAPE}>, %i: tensor<si32, 512>, %u: tensor<f32, {SHAPE}>) -> tensor<f32, {SHAPE}> {{\n"
                    f"  %y = dot_general(%x, %u) contract_lhs[1] contract_rhs[0] -> tensor<f32, {SHAPE}>\n"
                    f"  %z = {scatter} -> tensor<f32, {SHAPE}>\n"
                    f"  %r = dot_general(%z, %u) contract_lhs[1] contract_rhs[0] -> tensor<f32, {SHAPE}>\n  return %r\n}}\n")
    return json.loads(tenon("explain", "--json", path).stdout)["memory_bytes"]


with tempfile.TemporaryDirectory() as folder:
    # in the latter case the tensor is read after it has changed
    saved = memory(folder, ITSELF) - memory(folder, ADD)
    assert abs(saved - BYTES) < 1024, saved
