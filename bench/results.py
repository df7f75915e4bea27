#!/usr/bin/env python3
"""Keeps what peers.py, models.py and layers.py measured, by kind of processor, and writes it as a table.

    results.py keep FIGURES.json     add a run (peers.py --json) to the file of this processor, and
                                     write the table
    results.py table [--check]       write the table; or fail if it is not that of the files

A kind of processor is its family and the widest instructions that it has. Its file in results/ has
the runs in the order in which they were kept, the same work of the same commit once.
"""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
HEAD = """# Measured

Written by `bench/results.py` from the files beside it, which `peers.py`, `models.py` and `layers.py` add to with `--keep`. Each cell has the time of
Tenon as a ratio to the fastest other library of the same run, on one thread: first of the last run, then, where there is one, of the run before in which the work was
measured. Runs beside other work are noisy: a ratio may be off by a tenth.
"""


def processor(is_narrow=False):
    """Vendor, family and model as Linux names them, and the widest vectors: amd-25-1-avx2. IS_NARROW: no wider than AVX2."""
    facts = dict(re.findall(r"^([a-z _]+?)\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)[::-1])
    vendor = {"AuthenticAMD": "amd", "GenuineIntel": "intel"}.get(facts.get("vendor_id", ""), "other")
    flags = facts.get("flags", "").split()
    widest = next((w for w in ("avx512f", "avx2", "avx")[is_narrow:] if w in flags), "sse2")
    return f"{vendor}-{facts.get('cpu family', '0')}-{facts.get('model', '0')}-{widest.removesuffix('f')}"


def kept_row(row):
    names = ("work", "threads", "ms", "best_peer", "to_best_peer", "limit", "of_limit")
    return {name: round(row[name], 4) if isinstance(row[name], float) else row[name] for name in names}


def run_of(figures):
    commit = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, cwd=RESULTS)
    return {"date": datetime.date.today().isoformat(), "commit": commit.stdout.strip() or None,
            "load": figures.get("load"), "work": [kept_row(row) for row in figures["work"]]}


def text_of(run):
    """Each row on a line of its own, so that changes can be read."""
    head = json.dumps({key: value for key, value in run.items() if key != "work"})
    return head[:-1] + ', "work": [\n  ' + ",\n  ".join(json.dumps(row) for row in run["work"]) + "]}"


def keep(figures):
    """Add FIGURES, as peers.py has them, to the file of this processor, and write the table."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{processor(bool(figures.get('cpu')))}.json"
    runs = json.loads(file.read_text()) if file.exists() else []
    new = run_of(figures)
    again = {(row["work"], row["threads"]) for row in new["work"]}
    for run in runs:
        if run["commit"] == new["commit"]:
            run["work"] = [row for row in run["work"] if (row["work"], row["threads"]) not in again]
    runs = [run for run in runs if run["work"]] + [new]
    file.write_text("[" + ",\n".join(map(text_of, runs)) + "]\n")
    write_table()
    return file


def ratios(runs, work):
    """The ratios of WORK on one thread, the newest first."""
    found = [row["to_best_peer"] for run in reversed(runs) for row in run["work"]
             if row["work"] == work and row["threads"] == 1 and row["to_best_peer"]]
    return " (before ".join(f"{ratio:.2f}" for ratio in found[:2]) + (")" if len(found) > 1 else "")


def table():
    files = sorted(RESULTS.glob("*.json"))
    kinds = {file.stem: json.loads(file.read_text()) for file in files}
    works = list(dict.fromkeys(row["work"] for runs in kinds.values() for run in runs for row in run["work"]))
    lines = [HEAD]
    for kind, runs in kinds.items():
        last = runs[-1]
        lines.append(f"- `{kind}`: {len(runs)} run{'s' * (len(runs) > 1)}, the last of {last['date']}, commit {last['commit']}, "
                     f"load {last['load']}\n")
    lines.append("| work | " + " | ".join(kinds) + " |\n|" + "---|" * (1 + len(kinds)))
    lines += [f"| {work} | " + " | ".join(ratios(runs, work) or "-" for runs in kinds.values()) + " |" for work in works]
    return "\n".join(lines) + "\n"


def table_file():
    return RESULTS / "README.md"


def write_table():
    table_file().write_text(table())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("keep").add_argument("figures", type=pathlib.Path)
    commands.add_parser("table").add_argument("--check", action="store_true")
    o = parser.parse_args()
    if o.command == "keep":
        print(keep(json.loads(o.figures.read_text())))
        return 0
    if o.command == "table" and o.check:
        if table_file().read_text() != table():
            print(f"{table_file()} is not the table of the files beside it; write it by bench/results.py table", file=sys.stderr)
            return 1
        return 0
    write_table()
    return 0


if __name__ == "__main__":
    sys.exit(main())
