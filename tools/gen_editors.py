#!/usr/bin/python3
"""Writes what editors need to colour programs: editors/{vscode,vim,emacs,kate}.

usage: gen_editors.py TENON [--check]

The words come from `tenon ops --json` and the tables of the readers (tools/editors/languages.py). With --check every file must
hold exactly what would be written.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "editors"))
import emacs
import kate
import languages
import textmate
import vim

ROOT = pathlib.Path(__file__).resolve().parents[1] / "editors"


def files(tenon):
    """Path below editors/ to text."""
    known = languages.languages(tenon)
    out = {}
    for kind in (textmate, vim, emacs, kate):
        out.update(kind.files(known))
    return out


def main():
    tenon, check = sys.argv[1], sys.argv[2:] == ["--check"]
    stale = 0
    for name, text in files(tenon).items():
        path = ROOT / name
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path} is not up to date: run {sys.argv[0]} TENON")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
