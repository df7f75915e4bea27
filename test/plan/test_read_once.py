"""What is searched, counted or added up is computed where it is read: no kernel of its own leaves it in memory."""
import json
import pathlib
import tempfile

from lib.program import tenon

HEAD = "func @main(%x: tensor<f32, 7x300>, %y: tensor<f32, 7x300>, %i: tensor<ui8, 30000>) -> ("
ONES = "  %c = constant value[1] -> tensor<si64>\n  %o = broadcast_to(%c) result_shape[30000] -> tensor<si64, 30000>\n"
FIRST = "  %r = arg_max(%1) axis[1] output_dtype[si64] -> tensor<si64, 7>\n"
TOGETHER = {
    "neg arg_max": ("si64, 7", "  %1 = neg(%x) -> tensor<f32, 7x300>\n" + FIRST),
    "sub compare arg_max": ("si64, 7", "  %0 = sub(%x, %y) -> tensor<f32, 7x300>\n  %1 = compare(%0, %y) op[Greater] -> tensor<i1, 7x300>\n" + FIRST),
    "constant broadcast cast segment_reduce": ("si64, 256", ONES + """  %1 = cast(%i) dtype[si32] -> tensor<si32, 30000>
  %r = segment_reduce(%o, %1) kind[Sum] num_segments[256] -> tensor<si64, 256>
"""),
    "mul cumulative": ("f32, 7x300", "  %1 = mul(%x, %y) -> tensor<f32, 7x300>\n  %r = cumulative(%1) kind[Sum] axis[1] -> tensor<f32, 7x300>\n")}
APART = {  # a kernel that is left alone: what costs more than reading it, is not in order, is needed elsewhere, is made of what is overwritten, or would be checked late
    "exp arg_max": ("exp", "si64, 7", "  %1 = exp(%x) -> tensor<f32, 7x300>\n" + FIRST),
    "row arg_max": ("slice broadcast sub", "si64, 7", "  %0 = slice(%y) starts[0, 0] sizes[1, 300] -> tensor<f32, 1x300>\n"
                    "  %w = broadcast_to(%0) result_shape[7, 300] -> tensor<f32, 7x300>\n  %1 = sub(%x, %w) -> tensor<f32, 7x300>\n" + FIRST),
    "many segments": ("cast", "si64, 60000", ONES + """  %1 = cast(%i) dtype[si32] -> tensor<si32, 30000>
  %r = segment_reduce(%o, %1) kind[Sum] num_segments[60000] -> tensor<si64, 60000>
"""),
    "two arg_max": ("neg", "si64, 7", "  %1 = neg(%x) -> tensor<f32, 7x300>\n" + FIRST.replace("%r", "%s") +
                    "  %2 = cumulative(%1) kind[Max] axis[1] -> tensor<f32, 7x300>\n  %3 = arg_max(%2) axis[1] output_dtype[si64] -> tensor<si64, 7>\n"
                    "  %r = add(%s, %3) -> tensor<si64, 7>\n"),
    "own scatter": ("neg", "f32, 7x300", "  %1 = neg(%x) -> tensor<f32, 7x300>\n  %k = iota axis[0] -> tensor<si64, 7x300>\n"
                    "  %r = scatter_reduce(%x, %k, %1) axis[0] reduce[Add] -> tensor<f32, 7x300>\n")}


def kernels(folder, kind, body):
    path = pathlib.Path(folder) / "p.ptir"
    path.write_text(f"{HEAD}tensor<{kind}>) {{\n{body}  return %r\n}}\n")
    assert "si64[30000]" not in tenon("explain", path, "--dump", "kernels").stdout  # ones are not read
    wanted = tenon("run", path, "--random", 1, "--print", "--engine", "ref").stdout
    assert wanted and tenon("run", path, "--random", 1, "--print").stdout == wanted
    return [k["name"] for k in json.loads(tenon("explain", "--json", path).stdout)["functions"][0]["kernels"]]


with tempfile.TemporaryDirectory() as folder:
    for name, program in TOGETHER.items():
        assert kernels(folder, *program) == [name], kernels(folder, *program)
    for name, (alone, *program) in APART.items():
        assert alone in kernels(folder, *program), (name, kernels(folder, *program))
