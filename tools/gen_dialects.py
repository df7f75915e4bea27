"""Writes docs/dialects.md: what becomes of each operation in each dialect.

usage: gen_dialects.py TENON [--check FILE | -o FILE]

The facts come from `tenon ops --legality`, so from the tables that conversion itself uses. With
--check the file must hold exactly what would be written.
"""
import subprocess
import sys

DIALECTS = ("mind", "ptir", "tiny")
HEAD = """# Operations and dialects

<!-- Written by tools/gen_dialects.py; a test compares. -->

`tenon convert` writes an operation of one dialect in another in one of these ways:

| cell | meaning |
|---|---|
| a name | the dialect has the operation, spelt so: results keep every bit |
| → ... | it is written with others; results keep every bit. Attributes or operands that do not allow it are refused with the reason |
| ≈ ... | the same, but results may be rounded differently; `convert` warns, and refuses with `--exact` |
| — | refused: nothing in the dialect says it |

A row counts for every dialect that has the operation, as the one converted from. What else may be
in the way is said when a program is converted (`NotExpressible`): element types, symbolic sizes
(Core IR has none; `--dim` gives values), attributes, several functions.

Element types: Core IR has i32, i64, f32, f64; PTIR all but complex numbers; Tiny IR bool, i32, f16,
bf16, f32. Core IR and Tiny IR broadcast operands by themselves, for PTIR broadcasts are written out.

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
            shown.append("—" if state == "never" else f"`{text}`" if state == "spelt"
                         else marks[state] + text)
        if any(cells[d][0] == "spelt" for d in DIALECTS):
            lines.append(f"| `{op}` | " + " | ".join(shown) + " |")
    return HEAD + "\n".join(lines) + "\n"


def main():
    text = table(sys.argv[1])
    if len(sys.argv) == 4 and sys.argv[2] == "--check":
        with open(sys.argv[3], encoding="utf-8") as f:
            if f.read() != text:
                print(f"{sys.argv[3]} is not up to date: run tools/gen_dialects.py TENON -o {sys.argv[3]}")
                return 1
        return 0
    if len(sys.argv) == 4 and sys.argv[2] == "-o":
        with open(sys.argv[3], "w", encoding="utf-8") as f:
            f.write(text)
        return 0
    sys.stdout.write(text)
    return 0


sys.exit(main())
