#!/usr/bin/python3
"""Writes docs/errors.md: the kinds of errors and their codes, with links to their pages.

usage: gen_errors.py ROOT [--check FILE | -o FILE]

The kinds are those of src/base/context/diag.def; the codes stand in the second paragraph of each page of docs/errors. With
--check the file must hold exactly what would be written.
"""
import pathlib
import re
import sys

import generated

HEAD = """# Errors

<!-- Written by tools/gen_errors.py; a test compares. -->

Every diagnostic has a kind, which is the library's, and a code, which is the dialect's; where a dialect has no code
of its own, the name of the kind stands in its place. `tenon explain --code CODE` prints the page of a code or kind.
"""


def codes_of(page):
    """What the page says of codes, "" where there is none."""
    said = re.search(r"^Codes: (.*)\.$", page.read_text(encoding="utf-8"), re.M)[1]
    return "" if said.startswith("none") else said


def text_of(root):
    root = pathlib.Path(root)
    lines = [HEAD]
    for line in (root / "src/base/context/diag.def").read_text(encoding="utf-8").splitlines():
        group = re.fullmatch(r"/\* (.*) \*/", line)
        kind = re.match(r'KIND\((\w+), \w+, "(.*?)"\)', line)
        if group:
            lines += [f"## {group[1].capitalize()}\n", "| kind | codes | what it says |", "|---|---|---|"]
        elif kind:
            codes = codes_of(root / f"docs/errors/{kind[1]}.md")
            lines.append(f"| [{kind[1]}](errors/{kind[1]}.md) | {codes} | {kind[2]} |")
        elif not line and lines[-1].startswith("|"):
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.exit(generated.run(lambda root, _: text_of(root)))
