"""pyflakes finds nothing in the Python files: no import without use, no unused variable, no name that is not defined.

An import for its effect, or one that is only tried, ends with `# noqa: F401`.
"""
import ast
import pathlib
import sys

try:
    from pyflakes import checker
except ImportError:
    print("skipped: pyflakes is not installed")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("bench", "examples", "python", "test", "tools")


def faults(text, name):
    """What pyflakes says of TEXT, but of imports that are marked."""
    lines = text.splitlines()
    for message in sorted(checker.Checker(ast.parse(text), name).messages, key=lambda m: m.lineno):
        if "noqa: F401" not in lines[message.lineno - 1]:
            yield str(message)


assert len([*faults("import os\n", "a.py")]) == 1 and not [*faults("import os  # noqa: F401\n", "a.py")]
found = [fault for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))
         for fault in faults(path.read_text(), str(path.relative_to(ROOT)))]
for fault in found:
    print(fault)
sys.exit(len(found) > 0)
