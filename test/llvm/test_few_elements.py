"""Few elements that are repeated many times are joined in registers: LLVM ends on all of them, for each kind of vectors."""
import os
import pathlib
import tempfile

from lib.compilers import machine_cpus
from lib.program import tenon

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "p.ptir"
    for dtype in ("f32", "f64", "cf64"):
        for few in (2, 3, 6, 7, 15):
            path.write_text(f"func @main(%x: tensor<{dtype}, {few}>) -> tensor<{dtype}, 4x{few}> {{\n"
                            f"  %y = broadcast_to(%x) result_shape[4, {few}] -> tensor<{dtype}, 4x{few}>\n  return %y\n}}\n")
            shown = {tenon("run", path, "--random", "1", "--cpu", cpu, env=dict(os.environ, TENON_CACHE_DIR="")).stdout
                     for cpu in ["native", *machine_cpus()]}
            assert len(shown) == 1, (dtype, few, shown)
