"""What the generators of documents share: their arguments.

    gen_X.py TENON               print the page
    gen_X.py TENON -o FILE       write it
    gen_X.py TENON --check FILE  1 when FILE is not up to date
"""
import pathlib
import sys


def run(make):
    """MAKE(tenon, old) gives the page; OLD is what the file holds so far. Returns the exit status."""
    tenon, how, name = (sys.argv[1:] + [None, None])[:3]
    path = pathlib.Path(name) if name else None
    old = path.read_text(encoding="utf-8") if path and path.exists() else ""
    text = make(tenon, old)
    if how == "--check" and old != text:
        print(f"{path} is not up to date: run {sys.argv[0]} TENON -o {path}")
        return 1
    if how == "-o":
        path.write_text(text, encoding="utf-8")
    elif how is None:
        sys.stdout.write(text)
    return 0
