"""Command lines: status 2 for what is wrong with them, 3 for files that are not there."""
from malformed.data_rules import PROGRAM
from malformed.files import Wrong

COMMANDS = ["check", "fmt", "fix", "convert", "equiv", "grad", "opt", "run", "compile", "explain", "report", "info", "verify", "conformance", "train"]


def files():
    def wrong(rule, *words, kind="Usage", status=2, **more):
        return Wrong(rule, "p.ir", PROGRAM, kind, status=status, faults=more.pop("faults", 1), command=words, **more)

    for c in COMMANDS:
        yield wrong("option that is not known", c, "{file}", "--nonsense")
        yield wrong("short option that is not known", c, "{file}", "-Z")
        yield wrong("option without its value", c, "{file}", "--timeout")
        yield wrong("no file", c)
        yield wrong("limit that is not known", c, "{file}", "--limit", "nothing=3")
        yield wrong("limit without a number", c, "{file}", "--limit", "nodes")
        yield wrong("limit that is no number", c, "{file}", "--limit", "nodes=x")
        yield wrong("limit below zero", c, "{file}", "--limit", "nodes=-1")
        yield wrong("limit beyond 64 bits", c, "{file}", "--limit", "nodes=99999999999999999999")
        yield wrong("time that is no number", c, "{file}", "--timeout", "soon")
        yield wrong("time below zero", c, "{file}", "--timeout", "-1")
        if c not in ("verify", "conformance"):  # which look at other files first
            yield wrong("dialect that is not known", c, "{file}", "--from", "latin")
        yield wrong("form of diagnostics that is not known", c, "{file}", "--color", "blue")
        yield wrong("flag with a value", c, "{file}", "--strict=yes")
        yield wrong("profile that is not known", c, "{file}", "--profile", "core-v9")
    for words in (["run", "{file}", "--input", "x"], ["run", "{file}", "--input", "=3"], ["run", "{file}", "--input", "zz=3"], ["run", "{file}", "--input", "9=3"],
                  ["run", "{file}", "--random", "x"], ["run", "{file}", "--random", "-1"], ["run", "{file}", "--threads", "0"], ["run", "{file}", "--threads", "x"],
                  ["run", "{file}", "--engine", "steam"], ["run", "{file}", "--time", "x"], ["run", "{file}", "-O7"], 
                  ["run", "{file}", "--schedule", "nonsense"], ["run", "{file}", "--dim", "B"], ["run", "{file}", "--dim", "B=x"], ["run", "{file}", "--dim", "B=-2"], ["run", "{file}", "{file}"],
                  ["opt", "{file}", "--passes", "nothing"], ["opt", "{file}", "--dump-after", "nothing"], ["opt", "{file}", "--numerics", "loose"],
                  ["grad", "{file}", "--loss", "7"], ["grad", "{file}", "--wrt", "zz"], ["convert", "{file}", "--to", "latin"], ["convert", "{file}"], ["fmt", "{file}", "--style", "ornate"],
                  ["compile", "{file}"], ["compile", "{file}", "-o", "{folder}/x.exe"],
                  ["compile", "{file}", "-o", "{folder}/x.c", "--name", "9x"], ["explain", "{file}", "--dump", "nothing"], ["explain", "--code", "E9999"], ["ops", "nothing"],
                  ["equiv", "{file}", "{file}", "--n", "x"], ["equiv", "{file}", "{file}", "--rtol", "x"], ["train", "{file}", "--wrt", "x"], ["train", "{file}", "--data", "d"],
                  ["train", "{file}", "--wrt", "x", "--data", "d", "--lr", "x"],
                  ["train", "{file}", "--wrt", "x", "--data", "d", "--batch", "0"], ["nonsense"], ["chek", "{file}"], ["help", "nothing"], ["completions", "cmd"], ["manual", "nothing"], ["cache", "burn"]):
        yield wrong("value that an option does not take", *words)
    yield wrong("processor that is not known", "run", "{file}", "--random", "1", "--cpu", "abacus", kind="BackendUnavailable", status=3)
    yield wrong("data that are not there", "train", "{file}", "--wrt", "x", "--data", "{folder}/d", kind="FileError", status=None)
    for c in [c for c in COMMANDS if c not in ("equiv", "train", "compile", "conformance", "verify", "convert", "fix")]:
        yield wrong("file that is not there", c, "{folder}/nowhere.ir", kind="FileError", status=3)
        yield wrong("folder as a file", c, "{folder}", kind="FileError|Usage", status=None)
    for c, more in (("fmt", []), ("opt", []), ("convert", ["--to", "ptir"]), ("explain", []), ("report", [])):
        yield wrong("output in a folder that is not there", c, "{file}", *more, "-o", "{folder}/nowhere/x.out", kind="FileError|Usage", status=None)
        yield wrong("folder as the output", c, "{file}", *more, "-o", "{folder}", kind="FileError|Usage", status=None)
