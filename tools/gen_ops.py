#!/usr/bin/python3
"""Writes docs/ops.md: one section for each operation.

usage: gen_ops.py TENON [--check FILE | -o FILE]

What the table of operations says is written anew; what people wrote behind `<!-- rules -->` in a section
of FILE stays. With --check, FILE must hold exactly what would be written.
"""
import json
import re
import subprocess
import sys

import generated

HEAD = """# Operations

<!-- The facts are written by tools/gen_ops.py; a test compares. What stands behind `rules` is written by hand. -->

One section for each operation. The facts come from its row in `src/graph/ops.def`; [numerics.md](numerics.md) says
which bits come out, [gradients.md](gradients.md) has all derivatives, [dialects.md](dialects.md) what becomes of an
operation in a dialect that lacks it. *Type rule*, *kernel*, *derivative* and *lowering* name functions of the library.

A rule with a label, such as `[clamp/C1]`, stands in the code that keeps it and in the cases that guard it, too:
C are constraints and results, G derivatives, R rewrites. `tools/check_labels.py` prints which rules stand where.

"""
RULES = "<!-- rules -->"
DIALECTS = ("mind", "ptir", "tiny", "onnx", "mlir", "stablehlo")


def operands(op):
    low, high = op["min_operands"], op["max_operands"]
    return str(low) if low == high else f"{low} or more" if high is None else f"{low} to {high}"


def attribute(a):
    words = f" ({a['words']})" if a["words"] else ""
    return f"- `{a['name']}`, {a['kind']}{'' if a['required'] else ', optional'}: {a['help']}{words}"


def sentence(words):
    """An operand that begins it, as in `a + b`, keeps its small letter."""
    operand = re.match(r"[a-z] (\W|shifted|to the|with)", words)
    return (words if operand else words[0].upper() + words[1:]) + "."


def section(op, rules):
    lines = [f"## {op['name']}", "", sentence(op["help"]), ""]
    lines += [f"Operands: {operands(op)}. Type rule: `{op['type_rule']}`. Kernel: `{op['kernel']}`. "
              f"Derivative: `{op['derivative']}`. Lowering: `{op['lowering']}`."]
    if op["traits"]:
        lines[-1] += f" Traits: {', '.join(op['traits'])}."
    if op["attributes"]:
        lines += ["", *map(attribute, op["attributes"])]
    spelt = [f"`{op['spellings'][d]}` ({d})" for d in DIALECTS if op["spellings"][d]]
    lines += ["", "Spelt " + ", ".join(spelt) + "." if spelt else "No dialect spells it."]
    return "\n".join(lines) + "\n\n" + RULES + "\n" + rules


def page(tenon, old):
    """The page, with the rules that OLD has by operation."""
    kept = {}
    for part in re.split(r"(?m)^## ", old)[1:]:
        kept[part.split("\n", 1)[0]] = part.split(RULES + "\n", 1)[-1].rstrip("\n")
    out = subprocess.run([tenon, "ops", "--json"], capture_output=True, text=True, check=True)
    table = json.loads(out.stdout)
    lost = set(kept) - {op["name"] for op in table}
    if lost:
        sys.exit(f"sections of no operation: {', '.join(sorted(lost))}")
    return HEAD + "\n".join(section(op, kept[op["name"]] + "\n" if kept.get(op["name"]) else "")
                            for op in table)


sys.exit(generated.run(page))
