#!/usr/bin/python3
"""Writes docs/dialects.md: what becomes of each operation in each dialect.

usage: gen_dialects.py TENON [--check FILE | -o FILE]

The facts come from `tenon ops --legality`, so from the tables that conversion itself uses. With
--check the file must hold exactly what would be written.
"""
import subprocess
import sys

import generated

DIALECTS = ("mind", "ptir", "tiny", "onnx")
HEAD = """# Operations and dialects

<!-- Written by tools/gen_dialects.py; a test compares. -->

`tenon convert` writes an operation of one dialect in another in one of these ways:

| cell | meaning |
|---|---|
| a name | the dialect has the operation, spelt so: results keep every bit |
| → ... | it is written with others; results keep every bit. Attributes or operands that do not allow it are refused with the reason |
| ≈ ... | the same, but results may be rounded differently; `convert` warns, and refuses with `--exact` |
| — ... | refused, and what the dialect lacks |

A row counts for every dialect that has the operation, as the one converted from. What else may be
in the way is said when a program is converted (`NotExpressible`): element types, symbolic sizes
(Core IR has none but its own; `--dim` gives values), attributes, several functions.

A program for which only names stand in both columns comes back in the same words, but for names of
values that the other dialect lacks, attributes that say the same (bounds of an empty slice), and
operations that share a spelling there: `expand_dims` and `squeeze` in Tiny IR, or a reduction that
keeps its axes, which there is a `REDUCE` and a `RESHAPE`.

Tiny IR has no contractions. What it spells as `MUL` and `REDUCE(SUM)` of operands that only movement
brought into one shape becomes `dot_general`, `matmul`, `dot`, `conv2d` or `extract_patches` in a
dialect that has them: axes in any order, batches, groups, padding with 0, strides, dilation. For
floats that rounds differently (≈); with `--exact` such programs stay products and sums. Sizes must
be numbers for this: give them with `--dim`.

ONNX is read, too, and lowered to PTIR: what a model says in its own words does not come back in them. More about
writing: [dialect-onnx.md](dialect-onnx.md).

How far the results of ≈ may differ, and which test checks it: [numerics.md](numerics.md#relaxed-numerics).

Element types: Core IR has i32, i64, f32, f64; PTIR all; Tiny IR bool, i32, f16,
bf16, f32; ONNX all but fp8, 4-bit integers and complex numbers. Core IR, Tiny IR and ONNX broadcast operands by themselves, for PTIR broadcasts are written out;
the way back to Core IR drops those that arithmetic does by itself.

"""


def table(tenon):
    out = subprocess.run([tenon, "ops", "--legality"], capture_output=True, text=True, check=True)
    rows = {}
    for line in out.stdout.splitlines():
        op, dialect, state, text = line.split("\t")
        rows.setdefault(op, {})[dialect] = (state, text)
    lines = ["| operation | " + " | ".join(DIALECTS) + " |", "|---" * (len(DIALECTS) + 1) + "|"]
    marks = {"spelt": "", "expanded": "→ ", "relaxed": "≈ "}
    for op, cells in rows.items():
        shown = []
        for d in DIALECTS:
            state, text = cells[d]
            text = text.replace("|", "\\|")
            shown.append(f"— {text}" if state == "never" else f"`{text}`" if state == "spelt"
                         else marks[state] + text)
        if any(cells[d][0] == "spelt" for d in DIALECTS):
            lines.append(f"| `{op}` | " + " | ".join(shown) + " |")
    return HEAD + "\n".join(lines) + "\n"


sys.exit(generated.run(lambda tenon, _: table(tenon)))
