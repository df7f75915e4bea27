"""What editors colour in each language: words from the program's tables, and the shapes of tokens.

A language is a dictionary. Its `words` are lists by class (`op`, `keyword`, `attribute`, `type`, `constant`), and
`operation_after` says whether operations stand behind `=` only, so that a value may have the name of one.
"""
import json
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"

# A digit behind one of the characters in (?<!...) is part of a name.
NUMBER = r"-?(?<![\w.%@])(?:0x[0-9A-Fa-f_]+|0b[01_]+|0o[0-7_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?)"
STRING = r'"(?:[^"\\]|\\.)*"'
VALUE = r'[%@](?:[\w.]+|"(?:[^"\\]|\\.)*")'


def table(tenon):
    out = subprocess.run([tenon, "ops", "--json"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def spelled(ops, dialect):
    """The words that are operations of DIALECT, and those that its fields take."""
    names, words = set(), set()
    for op in ops:
        text = re.sub(r" \(.*\)$", "", op["spellings"].get(dialect) or "")
        for name in text.split(", "):
            word, _, rest = name.partition(" {")
            if re.fullmatch(r"\w+", word):
                names.add(word)
            words |= set(re.findall(r"=(\w+)", rest))
    return names, words


def fields(ops, dialect):
    rows = [f for op in ops for f in op["fields"].get(dialect, [])]
    listed = {w for f in rows for w in re.findall(r"\w+", f["words"] or "")}
    return {f["name"] for f in rows}, listed


def dtypes():
    """The element types, as every dialect but Core IR writes them."""
    text = (SOURCE / "scalar" / "dtype.c").read_text(encoding="utf-8")
    return set(re.findall(r'(?:INT\(TN_\w+, |\] = \{)"(\w+)"', text))


def rows_of(path, name):
    """The rows of the C table NAME in the file PATH of src/."""
    text = (SOURCE / path).read_text(encoding="utf-8")
    return re.search(name + r"\[\] = \{(.*?)\};", text, re.S).group(1)


def core_ir(ops):
    names, words = spelled(ops, "mind")
    keys, listed = fields(ops, "mind")
    # A word such as Add is an operation of its own, too, in the published tools.
    return {"id": "mind-ir", "name": "MIND Core IR", "extensions": [".ir", ".mind-ir"], "comment": "#", "block": False,
            "operation_after": True, "value": VALUE,
            "words": {"op": names | words, "keyword": {"outputs", "gradients"},
                      "attribute": keys | {"dtype", "data", "fill", "value", "op", "shape", "perm", "pad"},
                      "type": {"tensor", "Tensor", "i32", "i64", "f32", "f64"},
                      "constant": listed | {"true", "false", "True", "False", "inf", "nan", "Valid", "Same", "Custom"}}}


def surface(ops):
    keywords = set(re.findall(r'"(\w+)"', rows_of("dialect/mind_source/lexer.c", "keywords")))
    functions = set(re.findall(r'\{"(\w+)"', rows_of("dialect/mind_source/builtin.c", "builtins")))
    constants = {"true", "false"}
    return {"id": "mind", "name": "MIND", "extensions": [".mind"], "comment": "//", "block": True,
            "operation_after": False, "value": None,
            "words": {"op": functions, "keyword": keywords - constants | {"mut"}, "attribute": set(),
                      "type": {"tensor", "Tensor", "diff", "i32", "i64", "f32", "f64", "bool", "unit"} - functions,
                      "constant": constants | {"Valid", "Same", "Custom"}}}


def ptir(ops):
    names, _ = spelled(ops, "ptir-text")
    keys, listed = fields(ops, "ptir-text")
    return {"id": "ptir", "name": "PTIR", "extensions": [".ptir"], "comment": "//", "block": False,
            "operation_after": True, "value": VALUE,
            "words": {"op": names - {"parameter"}, "keyword": {"entry", "func", "function", "region", "return"},
                      "attribute": keys | {"value", "fill", "batch"}, "type": {"tensor"} | dtypes(),
                      "constant": {w.lower() for w in listed} - names | {"true", "false", "inf", "nan", "infer", "literal"}}}


def languages(tenon):
    ops = table(tenon)
    return [core_ir(ops), surface(ops), ptir(ops)]
