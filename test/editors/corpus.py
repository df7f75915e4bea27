"""Programs of the cases in the languages that editors colour, and where operations stand in them."""
import pathlib
import re

from lib.program import ROOT

# Dialect of a case to the name of the language in editors/, and its files' extension.
LANGUAGES = {"mind": ("mind-ir", ".ir"), "mind-source": ("mind", ".mind"), "ptir-text": ("ptir", ".ptir")}
COMMENT = {"mind": "#", "mind-source": "//", "ptir-text": "//"}
ASSIGNED = re.compile(r'^\s*%?(?:[\w.]+|"[^"]*")\s*=\s*([A-Za-z]\w*)')


def programs(dialect):
    """The programs of DIALECT that cases say nothing bad about, in the order of their files."""
    for path in sorted(pathlib.Path(ROOT, "test").glob("*/**/*.case")):
        text = path.read_text(encoding="utf-8")
        sections = re.split(r"^-- (.*)\n", text, flags=re.M)
        titles = sections[1::2]
        if not titles or titles[0].split()[:2] != ["module", dialect]:
            continue
        if not any(t.startswith(("diagnostics", "fails", "fix")) for t in titles):
            yield sections[2]


def operations(dialect, text):
    """(line, column, word) of each operation that TEXT assigns to a value, from 0."""
    if dialect == "mind-source":
        return
    for at, line in enumerate(text.split("\n")):
        found = ASSIGNED.match(line)
        if found and found.group(1) != "program":
            yield at, found.start(1), found.group(1)


def together(dialect):
    """All programs as one text."""
    return "\n".join(programs(dialect))
