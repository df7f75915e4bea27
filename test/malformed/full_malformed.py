"""Malformed files of every format, made by rules from valid ones: each must be refused with the kind, the code and the place that
follow from what the rule broke, with one report for one fault, and never by a signal, a hang or the status of a defect.

    FORMAT=NAME takes one format; TABLE=FILE writes what was said of each file, for people to read."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from lib.program import ROOT, TENON
from lib.serve import serve
from malformed.formats import FORMATS, all_files

SERVE = pathlib.Path(TENON).parent / "test/serve"
AT_LEAST = 1500
SHOWN = 3  # failures of a rule that are printed in full


def code_table():
    """What docs/errors.md says: the codes of a kind by dialect."""
    table = {}
    for kind, codes in re.findall(r"^\| \[(\w+)\]\(errors/\w+\.md\) \| (.*?) \|", (ROOT / "docs/errors.md").read_text(), re.M):
        table[kind] = {dialect: codes.split(" or ") for codes, dialect in re.findall(r"([\w ]+?) in ([A-Z]\w+(?: IR)?)(?:, |$)", codes)}
    return table


CODES = code_table()


def run_one(wrong, folder):
    """The status and the diagnostics that the command ends with; what it said that is no diagnostic is an error."""
    for name, data in {wrong.name: wrong.data, **(wrong.more or {})}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    names = {"{file}": folder / wrong.name, "{folder}": folder}
    arguments = []
    for a in wrong.command:
        for name, path in names.items():
            a = a.replace(name, str(path))
        arguments.append(a)
    status, out, err = serve(SERVE, folder, [*arguments, "--diagnostics", "json"])
    said = []
    for line in err.decode().splitlines():
        try:
            said.append(json.loads(line))
        except ValueError:
            return status, [], f"says what is no diagnostic: {line[:200]}"
    return status, said, None


def difference(wrong, dialect, status, said, odd):
    """What is not as the rule says, or None."""
    if odd and wrong.status != 0:  # a run that succeeds may say what it does
        return odd
    if wrong.status is None:  # the rule leaves it open
        wrong.status = status if status in (1, 2, 3) else 1
    if status != wrong.status:
        return f"ends with {status}, not {wrong.status}"
    errors = [s for s in said if s["severity"] == "error"]
    if wrong.status == 0:
        return None
    if not errors:
        return "reports nothing"
    first = errors[0]
    kinds = wrong.kind.split("|")
    if dialect == "Tiny IR":  # whose kinds have names of its own
        kinds = [first["kind"]] if any(first["code"] in CODES[k].get(dialect, [k]) for k in kinds) else kinds
    if first["kind"] not in kinds:
        return f"kind {first['kind']}, not {wrong.kind}"
    codes = [first["code"]] if dialect == "Tiny IR" else CODES[first["kind"]].get(dialect)
    if first["code"] not in (codes or [first["kind"]]):
        return f"code {first['code']}, but {dialect} has {codes} for {first['kind']}"
    if wrong.place and (first["line"], first["column"]) != tuple(wrong.place):
        return f"place {first['line']}:{first['column']}, not {wrong.place[0]}:{wrong.place[1]}"
    notes = first["notes"] or [{"line": 0, "column": 0}]
    if wrong.noted and (notes[0]["line"], notes[0]["column"]) != tuple(wrong.noted):
        return f"a note at {notes[0]['line']}:{notes[0]['column']}, not {wrong.noted[0]}:{wrong.noted[1]}"
    if wrong.byte is not None and not re.search(rf"\bbyte {wrong.byte}\b", first["message"]):
        return f"byte {wrong.byte} is not named"
    if wrong.node is not None and first["node"] != wrong.node:
        return f"node {first['node']!r}, not {wrong.node!r}"
    if wrong.has and wrong.has not in first["message"]:
        return f"does not say {wrong.has!r}"
    if wrong.faults is not None and len(errors) != wrong.faults:
        return f"{len(errors)} reports, not {wrong.faults}"
    return None


def excerpt(data, place):
    """The line with the fault, short."""
    lines = data.decode(errors="backslashreplace").split("\n")
    if not place or place[0] > len(lines):
        return repr(data[:60])[1:] + ("..." if len(data) > 60 else "")
    line, column = lines[place[0] - 1], place[1] - 1
    begin = max(column - 40, 0)
    return repr(line[begin:column + 40])


def check(job):
    """For each file of a job: (rule, what differs or None, a row of the table)."""
    files, dialect, row_wanted = job
    results = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number, wrong in enumerate(files):
            own = folder / str(number)
            own.mkdir()
            status, said, odd = run_one(wrong, own)
            shutil.rmtree(own)
            wrong_how = difference(wrong, dialect, status, said, odd)
            row = None
            if wrong_how or row_wanted:
                texts = [f"{s['line']}:{s['column']} {s['severity']}: {s['message']} [{s['code']}] {s['node']} "
                         + " ".join(f"| note: {n['message']}" for n in s["notes"]) + (f" | fix: {s['fix']}" if s["fix"] else "")
                         for s in said]
                row = f"{wrong.name}: {wrong.rule}: {excerpt(wrong.data, wrong.place)} {' '.join(wrong.command)}\n    " \
                      + "\n    ".join(t.replace(f"{own}/", "") for t in texts)
            results.append((wrong.rule, wrong_how, row))
    return results


def main():
    only, table = os.environ.get("FORMAT"), os.environ.get("TABLE")
    jobs, counts = [], {}
    for name, dialect in FORMATS.items():
        if only and name != only:
            continue
        files = list(all_files(name))
        counts[name] = len(files)
        jobs += [(files[k:k + 50], dialect, bool(table)) for k in range(0, len(files), 50)]
    failures, rows = [], []
    with concurrent.futures.ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for results in pool.map(check, jobs):
            rows += [row for _, _, row in results if row]
            failures += [(rule, how, row) for rule, how, row in results if how]
    if table:
        pathlib.Path(table).write_text("\n".join(rows) + "\n", encoding="utf-8")
    shown_of = collections.Counter()
    for rule, how, row in failures:
        shown_of[rule] += 1
        if shown_of[rule] <= SHOWN:
            print(f"FAILED {row}\n    -> {how}\n")
    for rule, n in shown_of.items():
        print(f"{n} times: {rule}")
    print(", ".join(f"{name} {n}" for name, n in counts.items()))
    total = sum(counts.values())
    print(f"{total - len(failures)} of {total} malformed files are refused as their rules say")
    return bool(failures) or (not only and total < AT_LEAST)


if __name__ == "__main__":
    sys.exit(main())
