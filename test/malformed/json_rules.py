"""Faults of JSON itself, the same for all formats that are written in it."""
import re

from malformed.files import cut_bytes, spliced, text_file

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[\[\]{},:]')


class Token:
    def __init__(self, match):
        self.start, self.end, self.text = match.start(), match.end(), match[0]
        self.is_key = False
        self.path = ()

    @property
    def is_value(self):
        return self.text not in list("[]{},:") and not self.is_key


def tokens_of(text):
    """The tokens of TEXT; each knows whether it is a key and which keys lead to it."""
    found = [Token(m) for m in TOKEN.finditer(text)]
    path, keys = [], []
    for k, t in enumerate(found):
        t.is_key = t.text[0] == '"' and k + 1 < len(found) and found[k + 1].text == ":"
        if t.is_key:
            keys[-1:] = [t.text[1:-1]]
        t.path = tuple(keys)
        if t.text in "{[":
            path.append(t)
            keys.append("[]")
        elif t.text in "}]":
            path.pop()
            keys.pop()
            t.path = tuple(keys)
    return found


def value_end(found, k):
    """The number of the token behind the value that begins with token K."""
    depth = 0
    while True:
        if found[k].text in "{[":
            depth += 1
        elif found[k].text in "}]":
            depth -= 1
        k += 1
        if depth == 0:
            return k


def few(items, most):
    """At most MOST of ITEMS, from all over the list."""
    items = list(items)
    if len(items) <= most:
        return items
    return [items[k * len(items) // most] for k in range(most)]


def cuts(name, text, found, words=True, empty="SyntaxError"):
    end = len(text.rstrip())
    for t in few(found[:-1], 12):
        yield text_file("cut behind a token", name, text[:t.end], t.end, "SyntaxError")
    for t in few([t for t in found if t.text[0] == '"' and len(t.text) > 2], 4):
        yield text_file("cut within a string", name, text[:t.end - 1], t.start, "UnterminatedString")
    for t in few([t for t in found if words and t.text in ("true", "false", "null")], 3):
        yield text_file("cut within a word", name, text[:t.end - 1], t.start, "SyntaxError")
    for new in ("x", "{}", ",", "]", "\"\""):
        yield text_file("more behind the end", name, text[:end] + " " + new, end + 1, "SyntaxError")
    yield text_file("nothing", name, "", 0, empty)
    yield text_file("only blanks", name, " \n ", 3 if empty == "SyntaxError" else 0, empty)


def punctuation(name, text, found, relaxed, quotes="SyntaxError"):
    for t, after in few([(a, b) for a, b in zip(found, found[1:]) if a.text in ",:"], 8):
        # What follows is found too early; it moved to the left by one.
        yield text_file("no " + {",": "comma", ":": "colon"}[t.text], name, spliced(text, t.start, t.end, " "), after.start,
                        "SyntaxError")
        yield text_file("two " + {",": "commas", ":": "colons"}[t.text], name, spliced(text, t.end, t.end, t.text), t.end,
                        "SyntaxError")
    for t in few([t for t in found if t.text in "]}"], 5):
        other = {"]": "}", "}": "]"}[t.text]
        yield text_file("the other bracket", name, spliced(text, t.start, t.end, other), t.start, "SyntaxError")
        if not relaxed and found[found.index(t) - 1].text not in "[{":
            yield text_file("comma before the bracket", name, spliced(text, t.start, t.start, ","), t.start + 1, "SyntaxError")
    for t in few([t for t in found if t.is_key], 3):
        yield text_file("key without quotes", name, spliced(text, t.start, t.end, t.text[1:-1]), t.start, "SyntaxError")
        yield text_file("number as a key", name, spliced(text, t.start, t.end, "1"), t.start, "SyntaxError")
        yield text_file("single quotes", name, spliced(text, t.start, t.end, "'" + t.text[1:-1] + "'"), t.start, quotes)


def characters(name, text, found):
    strings = [t for t in found if t.text[0] == '"']
    for t in few(strings, 3):
        at = t.start + 1
        for raw in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80"):
            yield cut_bytes("no UTF-8 in a string", name, text, at, raw, "InvalidUtf8", faults=1)
        for control in "\0\x01\t\n\r\x1f":
            kind = "UnterminatedString" if control in "\n\r" else "InvalidCharacter"
            yield text_file("control character in a string", name, spliced(text, at, at, control),
                            t.start if control in "\n\r" else at, kind)
        for escape in ("\\q", "\\x41", "\\u1-23", "\\u12G4", "\\ud800", "\\udc00", "\\ud800\\u0041", "\\'"):
            yield text_file("bad escape", name, spliced(text, at, at, escape), at, "InvalidEscape")
    for t in few(found, 3):
        yield cut_bytes("no UTF-8 between tokens", name, text, t.start, b"\xfe", "InvalidUtf8", faults=1)
        yield text_file("NUL between tokens", name, spliced(text, t.start, t.start, "\0"), t.start, "SyntaxError")
        yield text_file("control character between tokens", name, spliced(text, t.start, t.start, "\x0b"), t.start, "SyntaxError")
        yield text_file("no-break space between tokens", name, spliced(text, t.start, t.start, "\u00a0"), t.start, "SyntaxError")


def numbers(name, text, found):
    for t in few([t for t in found if t.is_value and t.text[0] in "-0123456789"], 2):
        for new in ("01", "1.", "1e", "1e+", "-", "0x10", "1.e5", "--1", "1.2.3", "1_000"):
            yield text_file("bad number", name, spliced(text, t.start, t.end, new), t.start, "InvalidNumber")
        for new in ("+1", ".5", "NaN", "Infinity", "-Infinity"):
            kind = "InvalidNumber" if new[0] in "-" else "SyntaxError"
            yield text_file("what JSON lacks as a number", name, spliced(text, t.start, t.end, new), t.start, kind)


def repeated(name, text, found, kind="DuplicateKey"):
    """Every member once more, behind itself."""
    for k, t in few([(k, t) for k, t in enumerate(found) if t.is_key], 10):
        end = found[value_end(found, k + 2) - 1].end
        again = text[t.start:end]
        yield text_file("repeated key", name, spliced(text, end, end, ", " + again), end + 2 if kind == "DuplicateKey" else None, kind)


def deep(name, text, found):
    """A member that nobody knows, with much in it."""
    at = found[0].end
    for begin, end in (("[", "]"), ('{"a":', "}")):
        new = '"zz": ' + begin * 300 + "0" + end * 300 + ", "
        yield text_file("deep nesting", name, spliced(text, at, at, new), at + 6 + len(begin) * 127, "LimitExceeded")
        yield text_file("deep nesting, cut", name, spliced(text, at, len(text), new[:6 + len(begin) * 300]),
                        at + 6 + len(begin) * 127, "LimitExceeded")


def faults(name, text, relaxed=False):
    """All of these; RELAXED: the reader takes comments and commas before brackets."""
    found = tokens_of(text)
    yield from cuts(name, text, found)
    yield from punctuation(name, text, found, relaxed)
    yield from characters(name, text, found)
    yield from numbers(name, text, found)
    yield from repeated(name, text, found)
    yield from deep(name, text, found)


def without(text, found, k):
    """TEXT without the member whose key is token K, and the token that opened its object."""
    end = value_end(found, k + 2)
    if found[end].text == ",":
        start, stop = found[k].start, found[end + 1].start
    elif found[k - 1].text == ",":
        start, stop = found[k - 1].start, found[end - 1].end
    else:
        start, stop = found[k].start, found[end - 1].end
    depth, opened = 0, k
    while depth >= 0:
        opened -= 1
        depth += (found[opened].text in "]}") - (found[opened].text in "[{")
    return spliced(text, start, stop, ""), found[opened]


def of_other_kinds(text, found, k):
    """(start, end, new) that put values of other kinds in the place of the value that begins with token K."""
    first, last = found[k], found[value_end(found, k) - 1]
    kind = {"{": "object", "[": "list", '"': "text"}.get(first.text[0], "number" if first.text[0] in "-0123456789" else "word")
    for new, of in (("7", "number"), ('"odd"', "text"), ("[]", "list"), ("{}", "object"), ("null", "word"), ("true", "word"), ("1.5", "fraction")):
        if of != kind:
            yield first.start, last.end, new
