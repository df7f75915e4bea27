"""Prints which share of the lines and of the branches of the library the tests ran: of each folder, and of files.

usage: coverage.py [--missing] BUILD    (a build with TENON_COVERAGE, after its tests ran)

With --missing, the lines of each file that no test ran are listed instead, those of the largest gaps first.

Where a folder of HELD has less than it should, each of its files that has less must stand in coverage_left.txt, with the
reason; a row there that no such file needs is a fault, too.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What should have these shares of lines and of branches.
HELD = ("api", "base", "dialect", "eval", "graph", "io", "ops", "pass")
LINES, BRANCHES = 95, 85


# Each row is `PATTERN: why`; the pattern stands for paths below src/.
LEFT = ROOT / "tools/coverage_left.txt"


class Counts:
    """Of a file: which lines ran, and which branches were taken, by any object that has them."""

    def __init__(self):
        self.lines, self.branches = {}, {}

    def add(self, line):
        number = line["line_number"]
        self.lines[number] = self.lines.get(number, False) or line["count"] > 0
        for k, branch in enumerate(line["branches"]):
            if not branch["throw"]:
                self.branches[number, k] = self.branches.get((number, k), False) or branch["count"] > 0


def reports(notes, build):
    text = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", str(notes)], cwd=build, check=True,
                          capture_output=True, text=True).stdout
    return [file for report in map(json.loads, text.splitlines()) for file in report["files"]]


def read(build):
    """Counts by the path of a source."""
    out = collections.defaultdict(Counts)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for files in pool.map(lambda notes: reports(notes, build), sorted(build.rglob("*.gcno"))):
            for file in files:
                path = os.path.relpath(os.path.join(build, file["file"]), ROOT)
                if path.startswith("src/"):
                    for line in file["lines"]:
                        out[path].add(line)
    return {path: counts for path, counts in out.items() if counts.lines}


def share(all_):
    """Per cent of what is true in dictionaries; 100 of nothing."""
    n = sum(map(len, all_))
    return 100 * sum(sum(one.values()) for one in all_) / n if n else 100.0


def is_low(all_):
    return share([c.lines for c in all_]) < LINES or share([c.branches for c in all_]) < BRANCHES


def reasons():
    rows = [line.split(": ", 1) for line in LEFT.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {pattern: why for pattern, why in rows}


def without_reason(ran, low_folders):
    """What is wrong with the rows of LEFT."""
    rows, used = reasons(), set()
    for path, counts in sorted(ran.items()):
        name = path.removeprefix("src/")
        if name.split("/")[0] in low_folders and is_low([counts]):
            found = [pattern for pattern in rows if fnmatch.fnmatchcase(name, pattern)]
            used.update(found)
            if not found:
                yield f"{path} is below {LINES} and {BRANCHES}, and {LEFT.name} does not say why"
    for pattern in sorted(set(rows) - used):
        yield f"{LEFT.name}: nothing needs the row '{pattern}'"


def print_missing(ran):
    for path, counts in sorted(ran.items(), key=lambda item: sum(item[1].lines.values()) - len(item[1].lines)):
        missing = [number for number, is_run in sorted(counts.lines.items()) if not is_run]
        if missing:
            print(f"{len(missing):5} {path}: {', '.join(map(str, missing))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    o = parser.parse_args()
    ran = read(o.build)
    if o.missing:
        print_missing(ran)
        return not ran
    folders = collections.defaultdict(list)
    for path, counts in sorted(ran.items()):
        folders[path.split("/")[1]].append(counts)
        print(f"{share([counts.lines]):6.1f} % {share([counts.branches]):6.1f} %  {path}")
    print(" lines   branches")
    low_folders = {folder for folder, all_ in folders.items() if folder in HELD and is_low(all_)}
    for folder, all_ in sorted(folders.items()):
        lines, branches = share([c.lines for c in all_]), share([c.branches for c in all_])
        print(f"{lines:6.1f} % {branches:6.1f} %  {folder}{f'   below {LINES} and {BRANCHES}' if folder in low_folders else ''}")
    everything = list(ran.values())
    print(f"{share([c.lines for c in everything]):6.1f} % {share([c.branches for c in everything]):6.1f} %  "
          f"of {sum(len(c.lines) for c in everything)} lines")
    wrong = list(without_reason(ran, low_folders))
    print("\n".join(wrong))
    return not ran or len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
