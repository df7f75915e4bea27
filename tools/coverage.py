"""Prints which share of the lines of each library file the tests ran.

usage: coverage.py BUILD    (a build with TENON_COVERAGE, after its tests ran)
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    ran = {}  # file -> line -> whether any object ran it
    for notes in build.rglob("*.gcno"):
        text = subprocess.run(["gcov", "--json-format", "--stdout", str(notes)], cwd=build,
                              check=True, capture_output=True, text=True).stdout
        for report in map(json.loads, text.splitlines()):
            for file in report["files"]:
                path = os.path.relpath(os.path.join(build, file["file"]), ROOT)
                if path.startswith("src/"):
                    lines = ran.setdefault(path, {})
                    for line in file["lines"]:
                        number = line["line_number"]
                        lines[number] = lines.get(number, False) or line["count"] > 0
    for path, lines in sorted(ran.items()):
        if lines:
            print(f"{100 * sum(lines.values()) / len(lines):6.1f} %  {path}")
    total = sum(map(len, ran.values()))
    hit = sum(sum(lines.values()) for lines in ran.values())
    print(f"{100 * hit / max(total, 1):6.1f} %  of {total} lines")
    return total == 0


if __name__ == "__main__":
    sys.exit(main())
