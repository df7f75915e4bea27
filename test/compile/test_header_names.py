"""Programs whose names differ in capitals only have a header each; that macros of theirs have one name is said by the compiler."""
import pathlib
import shutil
import subprocess
import tempfile

from lib.program import tenon

PROGRAM = "func @main(%x: tensor<f32, 4>) -> tensor<f32, 4> {{\n  %y = {}(%x) -> tensor<f32, 4>\n  return %y\n}}\n"

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for name, op in ("net", "neg"), ("Net", "exp"):
        (folder / "p.ptir").write_text(PROGRAM.format(op))
        tenon("compile", folder / "p.ptir", "--name", name, "-o", folder / f"{name}-1.c", "--header", folder / f"{name}-1.h")
    (folder / "main.c").write_text('#include "net-1.h"\n#include "Net-1.h"\n'
                                   "int main(void) { return net_run == Net_run; }\n")
    compiler = shutil.which("gcc") or shutil.which("clang")
    done = subprocess.run([compiler, "-std=c17", "-Werror=implicit-function-declaration", "main.c", "net-1.c", "Net-1.c", "-lm",
                           "-o", "main"], cwd=folder, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([folder / "main"]).returncode == 0
