"""Checks the labels of rules, such as [clamp/C1]: each stands in docs/ops.md, in the code that keeps the
rule, and in a case or test that guards it.

usage: check_labels.py ROOT [--table]

--table prints which operations have how many rules, and where they stand. A case names the rules that it
guards as written, code in a comment.
"""
import collections
import pathlib
import re
import sys

LABEL = re.compile(r"\[([a-z0-9_]+)/([CGR][0-9]+)\]")
PLACES = {"text": ["docs/ops.md"], "code": ["src/**/*.c", "src/**/*.h", "src/**/*.def"],
          "case": ["test/**/*.case", "test/**/*.c", "test/**/*.h", "test/**/*.py"]}


def labels(root):
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for place, patterns in PLACES.items():
        for pattern in patterns:
            for path in sorted(root.glob(pattern)):
                text = path.read_text(encoding="utf-8", errors="replace")
                if place == "text":  # the head explains labels
                    text = text.partition("\n## ")[2]
                for label in LABEL.findall(text):
                    found[label][place].append(path.relative_to(root))
    return found


def defined_once(root):
    """Labels that a section of docs/ops.md defines twice, or for another operation."""
    page = (root / "docs/ops.md").read_text(encoding="utf-8")
    for part in re.split(r"(?m)^## ", page)[1:]:
        name = part.split("\n", 1)[0]
        own = re.findall(r"(?m)^- `\[([a-z0-9_]+)/([CGR][0-9]+)\]`", part)
        for label in own:
            if label[0] != name or own.count(label) > 1:
                yield f"[{'/'.join(label)}] is not defined well in section '{name}' of docs/ops.md"


def main():
    root = pathlib.Path(sys.argv[1])
    found = labels(root)
    faults = list(defined_once(root))
    for label, places in sorted(found.items()):
        for place in PLACES:
            if place not in places:
                where = next(iter(places.values()))[0]
                faults.append(f"[{'/'.join(label)}], in {where}, has no {place}")
    if "--table" in sys.argv:
        for label, places in sorted(found.items()):
            cells = [", ".join(map(str, dict.fromkeys(places[p]))) for p in ("code", "case")]
            print(f"{'/'.join(label):32} {cells[0]:44} {cells[1]}")
    print("\n".join(faults + [f"{len(found)} labels, {len(faults)} faults"]))
    return bool(faults) or not found


if __name__ == "__main__":
    sys.exit(main())
