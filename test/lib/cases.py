"""The programs of case files, for scripts that do something else with them than test/run_cases.py."""
import re

EXTENSIONS = {"mind": ".ir", "ptir": ".ptir.json", "ptir-text": ".ptir", "tiny": ".tiny.json"}
# What `tenon equiv` says where nothing satisfies a program, or a constant is larger than the reader permits.
NOT_COMPARED = ("no sizes were found", "a constant of too many elements", "a constant of this size is above the limit", "out of memory")


def modules(path):
    """(dialect, options, text) of the valid programs of a case."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    if re.search(r"^-- (diagnostics|error)", text, re.M):
        return
    for m in re.finditer(r"^-- module (\S+)(.*)\n((?:(?!-- ).*\n?)*)", text, re.M):
        if m[1] in EXTENSIONS and "bytes" not in m[2]:
            yield m[1], m[2], m[3]
