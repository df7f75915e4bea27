"""Checks that each public header compiles alone as C11 and as C++17, twice in one file, and that
it defines no macro without the prefix TN_ or TENON_. In its contracts `returns`, `threads` and the
like begin a line: the formatter joins lines that it takes for prose.

usage: check_headers.py INCLUDE [--cc COMPILER]
"""
import argparse
import pathlib
import re
import subprocess
import sys

LANGUAGES = [["-x", "c", "-std=c11"], ["-x", "c++", "-std=c++17"]]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Wconversion", "-Werror"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("include", type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    args = parser.parse_args()
    headers = sorted(args.include.rglob("*.h"))
    n_faults = 0
    for header in headers:
        name = header.relative_to(args.include)
        source = f'#include "{name}"\n' * 2
        for language in LANGUAGES:
            command = [args.cc, *language, *WARNINGS, f"-I{args.include}", "-fsyntax-only", "-"]
            n_faults += subprocess.run(command, input=source, text=True).returncode != 0
        for macro in re.findall(r"^\s*#\s*define\s+(\w+)", header.read_text(), re.M):
            if not macro.startswith(("TN_", "TENON_")):
                print(f"{header}: macro '{macro}' lacks the prefix")
                n_faults += 1
        for number, line in enumerate(header.read_text().splitlines(), 1):
            if re.search(r"^ \*.*\S +(returns|threads|source|options)  ", line):
                print(f"{header}:{number}: a part of the contract does not begin its line")
                n_faults += 1
    print(f"{len(headers)} headers, {n_faults} faults")
    return n_faults != 0 or not headers


if __name__ == "__main__":
    sys.exit(main())
