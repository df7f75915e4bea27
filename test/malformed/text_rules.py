"""Faults of characters, the same in all languages that are text; and how a table of replacements becomes files."""
import re

from malformed.files import cut_bytes, spliced, text_file
from malformed.json_rules import few

TOKEN = re.compile(r'tensor<|[%@#!]?[A-Za-z_][\w.]*|[%@#]\d+|\d+(?:\.\d+)?|"[^"\n]*"|->|\S')


def characters(name, text, control="InvalidCharacter", comment=None, most=20):
    """What no text may hold, before tokens from all over TEXT. CONTROL is the kind of a control character."""
    for t in few(TOKEN.finditer(text), most):
        at = t.start()
        yield cut_bytes("no UTF-8 before a token", name, text, at, b"\xff", "InvalidUtf8", faults=1)
        yield cut_bytes("a surrogate in UTF-8", name, text, at, b"\xed\xbf\xbf", "InvalidUtf8", faults=1)
        yield cut_bytes("a character cut short", name, text, at, b"\xe2\x82", "InvalidUtf8", faults=1)
        for rule, new in (("NUL before a token", "\0"), ("control character before a token", "\x01"), ("DEL before a token", "\x7f")):
            yield text_file(rule, name, spliced(text, at, at, " " + new + " "), at + 1, control)
    if comment:
        yield cut_bytes("no UTF-8 in a comment", name, text, 0, comment.encode() + b" \xc0\xaf\n", "InvalidUtf8", len(comment) + 1, faults=1)


def replaced(name, text, table, **more):
    """Rows are (rule, old, new, kind) and optionally what of NEW, or behind it, the fault is at: a text that is looked for from
    there on, None for no place, or a number of characters. OLD must stand once in TEXT; '' is its end."""
    for row in table:
        rule, old, new, kind = row[:4]
        start = text.rindex(old) if old == "" else text.index(old)
        assert old == "" or text.count(old) == 1, (rule, old)
        changed = spliced(text, start, start + len(old), new)
        where = row[4] if len(row) > 4 else 0
        options = {**more, **(row[5] if len(row) > 5 else {})}
        at = None if where is None else start + where if isinstance(where, int) else changed.index(where, start)
        yield text_file(rule, name, changed, at, kind, **options)
