"""Of one thing messages speak in the singular."""
import pathlib
import tempfile

import numpy as np

from lib.program import start

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    program, nested = folder / "p.ptir", folder / "n.tiny.json"
    program.write_text("func @main(%x: tensor<f32, 2x2>) -> tensor<f32, 2x2> {\n  %y = transpose(%x) perm[1, 0] -> tensor<f32, 2x2>\n  return %y\n}\n")
    nested.write_text('{"uops": [{"id": "v0"}], "outputs": []}')
    for n, s, entries, ies in (1, "", 1, "y"), (2, "s", 3, "ies"):
        np.save(folder / "x.npy", np.zeros((2, 2), np.float32))
        (folder / f"long{n}.npy").write_bytes((folder / "x.npy").read_bytes() + bytes(n))
        (folder / f"perm{n}.ptir").write_text(program.read_text().replace("perm[1, 0]", f"perm[{', '.join('0' * entries)}]"))
        for words, command in ((f"goes on for {n} byte{s} after the array", ["run", program, "--input", f"x={folder}/long{n}.npy"]),
                               (f"nested deeper than {n} level{s},", ["check", nested, "--limit", f"nesting={n}"]),
                               (f"has {entries} entr{ies} for rank 2", ["check", folder / f"perm{n}.ptir"])):
            done = start(*command)
            assert done.returncode != 0 and words in done.stderr, (words, done.stderr)
