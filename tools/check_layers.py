"""Checks that the tree reads as the pipeline: each room of src/ includes only rooms that stand above it, needs nothing
from below at link time either, and has no file of the same name as another room. The command line sees no room at all:
it includes the public headers and its own, and takes only public functions.

usage: check_layers.py ROOT [--objects FILE.o ...]

The objects are those of src/, in folders that end as the sources do: .../src/base/memory/memory.c.o.
"""
import pathlib
import re
import subprocess
import sys

# The pipeline, top to bottom; ARCHITECTURE.md says what each room does. A folder with parts is listed part by part.
BASE = ["base/memory", "base/system", "base/context", "base/text"]
API = ["api", "api/contexts", "api/files", "api/modules", "api/programs"]
TRAIN = ["train/data", "train/transport", "train"]
CLI = ["cli/session", "cli/arguments", "cli/running", "cli/conformance", "cli/training", "cli/commands", "cli"]
ROOMS = [*BASE, "layout", "machine", "scalar", "graph", "ops", "index", "eval/parts", "eval/kernels", "eval", "grad", "forms", "dialect",
         "pass/expand", "pass/sizes", "pass", "pass/conversions", "plan",
         "loop/ir", "loop/element", "loop/emit", "loop/contract", "loop/nest",
         "target", "program", "runtime", "io", "compile", "compile/aot", "compile/explain", "report", *API, *TRAIN, "lsp", *CLI]
# Rooms that see less than everything above them.
ONLY = {"layout": BASE, **{room: CLI[:i] for i, room in enumerate(CLI)},
        "program": [*BASE, "machine"], "runtime": [*BASE, "machine", "scalar", "program"],
        "io": [*BASE, "scalar"], **{room: [*BASE, "scalar", "graph", "forms", "io", *API, *TRAIN[:i]] for i, room in enumerate(TRAIN)},
        "loop/ir": [*BASE, "scalar", "graph", "ops"], "lsp": [*BASE, *API], "cli/commands": [*CLI[:CLI.index("cli/commands")], "lsp"]}
# Rooms whose subfolders are independent of each other; files directly in them are shared.
SIBLINGS = ["dialect", "target"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def room_of(path):
    """The room that the file at PATH (relative to src/) stands in, or None."""
    for depth in (2, 1):
        name = "/".join(path.parts[:depth])
        if len(path.parts) > depth and name in ROOMS:
            return name
    return None


def fault(path, quote, name, src):
    """Why the file at PATH (relative to SRC) may not include NAME, or None."""
    own = room_of(path)
    if quote == "<":
        if name.startswith("llvm-c/") and path.parts[:2] != ("target", "llvm"):
            return "only target/llvm includes LLVM"
        return None
    if name.startswith("tenon/"):
        return None
    if "/" not in name:  # beside the file itself, such as a .def table
        return None if (src / path.parent / name).exists() else "write includes from src/"
    parts = pathlib.PurePath(name).parts
    other = room_of(pathlib.PurePath(name))
    if other is None:
        return f"'{name}' is in no room of the pipeline"
    if other == own:
        is_list = len(path.parts) == 2  # dialect/dialect.c lists the dialects
        apart = own in SIBLINGS and len(parts) > 2 and parts[:2] != path.parts[:2] and not is_list
        return f"{parts[0]}/{parts[1]} is private to itself" if apart else None
    above = ONLY.get(own, ROOMS[:ROOMS.index(own)])
    return None if other in above else f"'{own}' may include only: {', '.join(above) or 'itself'}"


def twin_faults(files):
    """A line for each two rooms that have a file of one name; siblings may, since they never meet."""
    rooms = {}
    for path in files:
        if path.parts[0] in SIBLINGS and len(path.parts) > 2:
            continue
        other = rooms.setdefault(path.name, path)
        if other.parent != path.parent:
            yield f"{path}: {other} has the same name"


def source_of(name):
    """The path below src/ of the source that the object NAME was made from."""
    return pathlib.PurePath(name.rpartition("/src/")[2].removesuffix(".o"))


def link_faults(objects):
    """A line for each symbol that a room takes from one below it."""
    output = subprocess.run(["nm", "-A", "-P", *objects], stdout=subprocess.PIPE, text=True, check=True).stdout
    defined, wanted = {}, []
    for line in output.splitlines():
        name, symbol, kind = line.split()[:3]
        path = source_of(name.rstrip(":"))
        if kind == "U":
            wanted.append((path, symbol))
        elif kind.isupper():
            defined[symbol] = path
    for path, symbol in wanted:
        own, other = room_of(path), room_of(defined.get(symbol, path))
        if own in CLI and symbol.startswith("tn_"):
            continue
        if own != other and other not in ONLY.get(own, ROOMS[:ROOMS.index(own)]):
            why = "which is not public" if own in CLI and other not in CLI else f"'{own}' stands above '{other}'"
            yield f"{path}: takes {symbol} from {defined[symbol]}: {why}"


def main():
    src = pathlib.Path(sys.argv[1]) / "src"
    files = sorted(p for p in src.rglob("*") if p.suffix in (".c", ".h", ".def"))
    n_faults = 0
    for file in files:
        path = file.relative_to(src)
        if room_of(path) is None:
            print(f"{file}: in no room of the pipeline")
            n_faults += 1
            continue
        text = file.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            why = fault(path, match[1], match[2], src)
            if why:
                line = text.count("\n", 0, match.start(1)) + 1
                print(f"{file}:{line}: includes {match[2]}: {why}")
                n_faults += 1
    for line in twin_faults([f.relative_to(src) for f in files]):
        print(f"{src}/{line}")
        n_faults += 1
    if sys.argv[2:3] == ["--objects"]:
        for line in link_faults(sys.argv[3:]):
            print(line)
            n_faults += 1
    print(f"{len(files)} files, {n_faults} faults")
    return n_faults != 0 or not files


if __name__ == "__main__":
    sys.exit(main())
