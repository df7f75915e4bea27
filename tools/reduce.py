#!/usr/bin/env python3
"""Makes a program that shows a fault small, and keeps the fault.

    tools/reduce.py PROGRAM [-o OUT.ptir] [--seed 1] [--run ARGUMENTS]         the engines disagree, or one of them crashes
    tools/reduce.py PROGRAM [-o OUT.ptir] --test 'COMMAND {}' [--says TEXT]    the command ends as it does now

PROGRAM is of any dialect that converts to PTIR; $TENON is the program to test (build/dev/tenon). Without --test, both engines
run the program on random data, and the fault is that they end differently or leave other bits; ARGUMENTS are given to the
one that compiles, such as '--cpu haswell --threads 2'. With --test, COMMAND runs with the program's path for {}, and the fault
is its exit status, and TEXT on its standard error.

A step takes something away: outputs, instructions (their results become inputs, or one of their operands), regions,
elements of extents. It stays where the fault is still there, until no step does.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TENON = os.environ.get("TENON", str(ROOT / "build/dev/tenon"))
LONGEST = 120  # seconds for one run
NAME = re.compile(r"%[A-Za-z0-9_.$-]+(?:\[\d+\])?")
LINE = re.compile(r"  (%[^ ]+) = (.*) -> (.*)")


# ---- programs as text ----

def pieces(text):
    """The functions and regions: each a head, instructions and what is returned."""
    for block in re.findall(r"^(?:func|region) .*?^}\n", text, re.M | re.S):
        lines = block.splitlines()
        yield lines[0], lines[1:-2], lines[-2]


def joined(parts):
    return "".join("\n".join([head, *body, last, "}"]) + "\n" for head, body, last in parts)


def types_of(text):
    """A list of types, `(a, b)` or `a`, without splitting what is in brackets."""
    text = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    found, depth, at = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<([") - (c in ">)]")
        if c == "," and depth == 0:
            found.append(text[at:i].strip())
            at = i + 1
    return [*found, text[at:].strip()] if text.strip() else []


def split_head(head):
    """What is in front of the parameters, the parameters, the result types."""
    before, _, rest = head.partition("(")
    parameters, _, results = rest.rpartition(") -> ")
    return before, types_of(parameters), types_of(results.removesuffix(" {"))


def make_head(before, parameters, results):
    return f"{before}({', '.join(parameters)}) -> ({', '.join(results)}) {{"


def is_used(name, lines):
    return any(found.partition("[")[0] == name for line in lines for found in NAME.findall(line))


def renamed(lines, old, new):
    return [NAME.sub(lambda m: new if m[0] == old else m[0], line) for line in lines]


# ---- steps ----

def fewer_outputs(parts):
    head, body, last = parts[0]
    before, parameters, results = split_head(head)
    values = types_of(last.strip().removeprefix("return "))
    for i in range(len(values)):
        if len(values) > 1 and len(values) == len(results):
            kept = values[:i] + values[i + 1:]
            yield [(make_head(before, parameters, results[:i] + results[i + 1:]), body,
                    "  return " + ", ".join(kept))] + parts[1:]


def other_outputs(parts):
    """A value in the middle as the only output."""
    head, body, _ = parts[0]
    before, parameters, _ = split_head(head)
    for i, line in enumerate(body):
        m = LINE.fullmatch(line)
        if m and not m[3].startswith("("):
            yield [(make_head(before, parameters, [m[3]]), body[:i + 1], f"  return {m[1]}")] + parts[1:]


def without_dead(parts):
    """At once all that nothing uses."""
    out = []
    for k, (head, body, last) in enumerate(parts):
        kept = []
        for line in reversed(body):
            m = LINE.fullmatch(line)
            if not m or is_used(m[1], [*kept, last]):
                kept.append(line)
        kept.reverse()
        if k == 0:
            before, parameters, results = split_head(head)
            parameters = [p for p in parameters if is_used(p.partition(":")[0], [*kept, last])]
            head = make_head(before, parameters, results)
        out.append((head, kept, last))
    yield out


def as_inputs(parts):
    """The result of an instruction as an input."""
    head, body, last = parts[0]
    before, parameters, results = split_head(head)
    for i in reversed(range(len(body))):
        m = LINE.fullmatch(body[i])
        if m and not m[3].startswith("("):
            yield [(make_head(before, [*parameters, f"{m[1]}: {m[3]}"], results), body[:i] + body[i + 1:], last)] + parts[1:]


def as_operands(parts):
    """One of its operands in place of an instruction's result."""
    for k, (head, body, last) in enumerate(parts):
        for i in reversed(range(len(body))):
            m = LINE.fullmatch(body[i])
            for operand in dict.fromkeys(NAME.findall(m[2])) if m else []:
                *rest, end = renamed([*body[i + 1:], last], m[1], operand)
                yield parts[:k] + [(head, body[:i] + rest, end)] + parts[k + 1:]


def fewer_elements(parts):
    """A number of the text, everywhere, smaller."""
    text = joined(parts)
    numbers = sorted({int(n) for n in re.findall(r"(?<![\w.%@-])\d+(?=x|>|\]|,)|(?<=x)\d+(?=x|>)", text)}, reverse=True)
    for n in numbers:
        for less in sorted({1, 2, n // 2, n - 1}):
            if 0 < less < n:
                yield list(pieces(re.sub(rf"(?<![\w.%@-]){n}(?=x|>|\]|,)|(?<=x){n}(?=x|>)", str(less), text)))


STEPS = [without_dead, other_outputs, fewer_outputs, as_inputs, as_operands, fewer_elements]


# ---- faults ----

def run(command):
    try:
        return subprocess.run(command, capture_output=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, "late", b"", b"")


def engines_differ(path, o):
    """How the engines disagree; "" where they agree, or both refuse the program."""
    with tempfile.TemporaryDirectory() as folder:
        done, bits = [], []
        for engine, more in ("ref", []), ("jit", shlex.split(o.run)):
            out = pathlib.Path(folder, engine + ".npz")
            done.append(run([TENON, "run", path, "--random", str(o.seed), "--engine", engine, *more, "--output", out]).returncode)
            bits.append(out.read_bytes() if out.exists() else None)
    if done[0] != done[1]:
        return f"status {done[0]} and {done[1]}"
    return "other bits" if bits[0] != bits[1] else ""


def command_ends(path, o):
    done = run(["sh", "-c", o.test.replace("{}", shlex.quote(str(path)))])
    says = o.says is None or o.says in done.stderr.decode(errors="replace")
    return f"status {done.returncode}" if says else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("-o", dest="out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", default="")
    parser.add_argument("--test")
    parser.add_argument("--says")
    o = parser.parse_args()
    fault_of = command_ends if o.test else engines_differ
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.ptir")
        made = run([TENON, "convert", o.program, "--to", "ptir-text", "-o", path])
        if made.returncode != 0:
            sys.exit(made.stderr.decode())
        fault = fault_of(path, o)
        if not fault:
            sys.exit("the program shows no fault as PTIR")
        parts, tried = list(pieces(path.read_text())), 1

        def holds(candidate):
            nonlocal tried
            tried += 1
            path.write_text(joined(candidate))
            return fault_of(path, o) == fault

        again = True
        while again:
            again = False
            for step in STEPS:
                taken = True
                while taken:
                    taken = next((c for c in step(parts) if c != parts and holds(c)), None)
                    parts, again = taken or parts, again or bool(taken)
        text = joined(parts)
    print(f"{fault}; {tried} programs tried, {sum(len(body) for _, body, _ in parts)} instructions are left", file=sys.stderr)
    if o.out:
        pathlib.Path(o.out).write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
