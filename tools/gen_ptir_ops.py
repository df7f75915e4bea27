#!/usr/bin/python3
"""Writes docs/ptir-ops.md: the operations of PTIR with their fields.

usage: gen_ptir_ops.py TENON [--check FILE | -o FILE]

The facts come from `tenon ops --json`, so from the table that all forms of PTIR are read and
written by. With --check the file must hold exactly what would be written.
"""
import json
import subprocess
import sys

import generated

HEAD = """# The operations of PTIR and their fields

<!-- Written by tools/gen_ptir_ops.py; a test compares. -->

A field is what stands beside an operation's operands. Its name is the same in JSON, where it is a key of the
operation's object, and in the text, where its value follows in brackets: `top_k(%x) k[2] axis[0] largest[true]
indices_dtype[si32]`. [dialect-ptir.md](dialect-ptir.md) has the grammar, whole programs, and regions.

| holds | JSON | text |
|---|---|---|
| integers | `[1, 2]` | `[1, 2]` |
| integer, region | `3` | `[3]` |
| axis, axes | `-1`, `[0, 1]`; negative ones count from the end | `[-1]`, `[0, 1]` |
| pairs | `[[0, 1], [2, 3]]` | `[(0, 1), (2, 3)]` |
| bool | `true` | `[true]` |
| float | `1e-5`, `"inf"`, `"-inf"`, `"nan"` | `[1e-5]`, `[inf]` |
| scalar | `{"Float": 1.0}`, `{"Signed": -1}`, `{"Unsigned": 1}`, `{"I1": true}`, `{"Complex": [1.0, 0.0]}` | `[1.0]`, `[-1]`, `[1u]`, `[true]`, `[(1.0, 0.0)]` |
| dtype | `"F32"`, `"Si32"`, `"Fp8E4M3"` | `[f32]`, `[si32]`, `[fp8e4m3]` |
| extents | `{"dims": [{"Static": 2}, {"Dynamic": "N"}]}` | `[2, ?N]` |
| new extents | `[{"Explicit": {"Static": 3}}, "Infer"]` | `[3, infer]` |
| word | one of the words given | the same in small letters: `[less_equal]` |
| string | `"acme.twice"` | `["acme.twice"]` |
| free attributes | `{"alpha": {"kind": "F64", "value": 1.0}}` | `[alpha = 1.0]` |

An operation without fields is a bare string in JSON: `"op": "Select"`. Which fields may be absent says the column of
that name: *yes*, or *in the text* where the declared type says it or there is a default. The last column is what
`tenon ops OP` calls the attribute, where that is another word.

"""


def rows_of(ops, dialect):
    """{spelling: (vocabulary ops, fields)}"""
    rows = {}
    for op in ops:
        spelling = op["spellings"][dialect]
        if spelling:
            names, fields = rows.setdefault(spelling, ([], op["fields"].get(dialect, [])))
            names.append(op["name"])
    return rows


def base(spelling):
    return spelling.split("(")[0]


def elementwise(forms):
    lines = ["## Elementwise operations", "",
             "Selected by a word, `\"op\": {\"ElementwiseUnary\": \"Neg\"}`, which in small letters is the name in the text: "
             "`neg(%x)`.", "", "| operation | words |", "|---|---|"]
    words = {}
    for spelling in forms:
        if spelling.startswith("Elementwise"):
            words.setdefault(base(spelling), []).append(spelling.split("(")[1].rstrip(")"))
    return lines + [f"| `{name}` | {', '.join(f'`{w}`' for w in of)} |" for name, of in words.items()]


def absent(field, in_text):
    if not field["required"]:
        return "yes"
    if not in_text:
        return "in the text, whose name of the operation has it"
    return "" if in_text["required"] else "in the text"


def plain(forms, text):
    of_op = {op: (spelling, {f["name"]: f for f in fields}) for spelling, (ops, fields) in text.items() for op in ops}
    lines = ["", "## Other operations", "",
             "| operation, in JSON and the text | field | holds | may be absent | attribute |", "|---|---|---|---|---|"]
    done = set()
    for spelling, (ops, fields) in forms.items():
        name = base(spelling)
        if name.startswith("Elementwise") or name in ("parameter", "Constant") or name in done:
            continue
        done.add(name)
        texts = [of_op[op][0] for s, (list_, _) in forms.items() if base(s) == name for op in list_]
        head = f"`{name}`, " + ", ".join(f"`{t}`" for t in texts)
        if not fields:
            lines.append(f"| {head} | | | | |")
        for field in fields:
            in_text = of_op[ops[0]][1].get(field["name"])
            words = ", ".join(f"`{w}`" for w in (field["words"] or "").split() if w != "-")
            holds = field["type"] + (": " + words if words else "")
            other = "" if field["attribute"] in (None, field["name"]) else f"`{field['attribute']}`"
            lines.append(f"| {head} | `{field['name']}` | {holds} | {absent(field, in_text)} | {other} |")
            head = ""
    return lines


def page(tenon):
    out = subprocess.run([tenon, "ops", "--json"], capture_output=True, text=True, check=True)
    table = json.loads(out.stdout)
    forms = rows_of(table, "ptir"), rows_of(table, "ptir-text")
    return HEAD + "\n".join(elementwise(forms[0]) + plain(*forms)) + "\n"


sys.exit(generated.run(lambda tenon, _: page(tenon)))
