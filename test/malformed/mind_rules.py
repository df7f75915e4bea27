"""Core IR as text and as records."""
import re

from malformed import json_rules, text_rules
from malformed.files import cut_bytes, place_of, spliced, text_file
from malformed.json_rules import few

NAME = "m.ir"
SEED = """# Every instruction of Core v1.
%0 = Input () {name="x"} : tensor<f32>[2, 3]
%1 = Input () {name="image"} : tensor<f32>[1, 4, 4, 1]
%2 = ConstI64 () {value=1} : tensor<i64>[]
%3 = ConstF32 () {value=0.5} : tensor<f32>[]
%4 = ConstF64 () {value=-1e-30} : tensor<f64>[]
%5 = ConstTensor () {data=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=f32, shape=[3, 2]} : tensor<f32>[3, 2]
%6 = BinOp (%0, %3) {op=Sub} : tensor<f32>[2, 3]
%7 = Sum (%6) {axes=[1], keepdims=true} : tensor<f32>[2, 1]
%8 = Mean (%6) {axes=[], keepdims=false} : tensor<f32>[]
%9 = Reshape (%6) {new_shape=[3, -1]} : tensor<f32>[3, 2]
%10 = Transpose (%6) {permutation=[1, 0]} : tensor<f32>[3, 2]
%11 = ExpandDims (%6) {axes=[0, 2]} : tensor<f32>[1, 2, 1, 3]
%12 = Squeeze (%11) {axes=[0]} : tensor<f32>[2, 1, 3]
%13 = Index (%6) {indices=[1, 2]} : tensor<f32>[]
%14 = Slice (%6) {ends=[2, 3], starts=[0, 0], steps=[1, 2]} : tensor<f32>[2, 2]
%15 = Gather (%6, %2) : tensor<f32>[3]
%16 = Dot (%15, %5) : tensor<f32>[2]
%17 = MatMul (%6, %5) : tensor<f32>[2, 2]
%18 = ConstTensor () {data=[[[[1.0]], [[-1.0]]]], dtype=f32, shape=[1, 2, 1, 1]} : tensor<f32>[1, 2, 1, 1]
%19 = Conv2d (%1, %18) {padding=Custom([[0, 0], [1, 0]]), strides=[1, 1]} : tensor<f32>[1, 4, 4, 1]
%20 = Conv2d (%1, %18) {padding=Same, strides=[2, 2]} : tensor<f32>[1, 2, 2, 1]
%21 = Relu (%17) : tensor<f32>[2, 2]
%22 = Neg (%21) : tensor<f32>[2, 2]
%23 = Exp (%22) : tensor<f32>[2, 2]
%24 = Log (%23) : tensor<f32>[2, 2]
outputs: %4, %7, %8, %9, %10, %12, %13, %14, %16, %19, %20, %24
"""
LINE = re.compile(r"(?P<id>%\d+) = (?P<op>\w+) (?P<operands>\([^)]*\))(?: (?P<attrs>\{.*\}))? : (?P<type>tensor<\w+>\[[^\]]*\])")
TOKEN = re.compile(r'-?\d+(?:\.\d+)?(?:e-\d+)?|%?\w+|"[^"]*"|[(){}\[\]<>,:=]')
# Attributes of the seed that readers can do without; and those whose absence is seen elsewhere.
OTHER_KINDS = {("ConstF32", "value"): ('"text"', "[[[1]]]", "nothing"), ("ConstF64", "value"): ('"text"', "[[[1]]]", "nothing"),
               ("Input", "name"): ("[[[1]]]", "1.5"), ("ConstTensor", "data"): ('"text"', "nothing", "1.5")}
OPTIONAL = {("ConstTensor", "dtype"), ("ConstTensor", "shape")}


def instructions():
    return list(LINE.finditer(SEED))


def attributes(m):
    """(start, end, key, value) of each, in the seed."""
    if not m["attrs"]:
        return []
    inner, base = m["attrs"][1:-1], m.start("attrs") + 1
    found, depth, begin = [], 0, 0
    for k, c in enumerate(inner + ","):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            text = inner[begin:k]
            lead = len(text) - len(text.lstrip())
            key, _, value = text.strip().partition("=")
            found.append((base + begin + lead, base + k, key, value))
            begin = k + 1
    return found


def text(rule, start, end, new, kind, at=None, **more):
    """The seed with NEW for what stands from START to END; the fault is at AT, in the seed."""
    return text_file(rule, NAME, spliced(SEED, start, end, new), start if at is None else at, kind, **more)


def noted(rule, start, end, new, kind, op, note):
    """The same for a fault at the operation at OP, with a note at NOTE, in the file."""
    made = text(rule, start, end, new, kind, op, faults=1)
    made.noted = place_of(made.data.decode(), note)
    return made


def names():
    seen = instructions()
    for m in seen:
        for v in re.finditer(r"%\d+", m["operands"]):
            start = m.start("operands") + v.start()
            end = m.start("operands") + v.end()
            yield text("operand that nothing defines", start, end, "%99", "UseBeforeDefinition", faults=1)
            yield text("operand that is defined later", start, end, "%24", "UseBeforeDefinition", faults=1)
        again = m[0].replace('name="', 'name="second ')
        yield text("defined twice", m.end(), m.end(), "\n" + again, "MultipleDefinitions", m.end() + 1, faults=1)
        start = m.start("op")
        yield text("operation that is not known", start, m.end("op"), m["op"] + "Q", "UnknownOp", faults=1)
        yield text("operation of another dialect", start, m.end("op"), "Softmax", "UnknownOp", faults=1)
    at = SEED.index("outputs: ") + 9
    yield text("output that nothing defines", at, at + 2, "%77", "UndefinedOutput", faults=1)
    yield text("output twice named, once wrong", at, at, "%77, ", "UndefinedOutput", faults=1)
    last = seen[-1]
    yield text("no outputs", at - 9, len(SEED), "", "MissingOutputs", last.start(), faults=1)
    yield text("outputs twice", len(SEED), len(SEED), "outputs: %4\n", "SyntaxError", faults=1)
    yield text("gradients of what is not there", len(SEED), len(SEED), "gradients: %0 -> %88\n", "UndefinedOutput", len(SEED) + 17, faults=1)
    yield text("input named twice", SEED.index('"image"'), SEED.index('"image"') + 7, '"x"', "InvalidInput", seen[1].start("op"), faults=1)
    yield text("input without a name", SEED.index('"image"'), SEED.index('"image"') + 7, '""', "InvalidInput", seen[1].start("op"), faults=1)


def arity():
    for m in instructions():
        op, start, end = m.start("op"), m.start("operands"), m.end("operands")
        values = re.findall(r"%\d+", m["operands"])
        more = values + ["%0" if values else "%99"]
        yield text("an operand too many", start, end, "(" + ", ".join(more) + ")", "ArityMismatch" if values else "UseBeforeDefinition", op if values else start + 1, faults=1)
        if values:
            yield text("an operand too few", start, end, "(" + ", ".join(values[1:]) + ")", "ArityMismatch", op, faults=1)


def attribute_faults():
    """Placed at the operation, with a note at the attribute."""
    for m in instructions():
        op, found = m.start("op"), attributes(m)
        if found:
            last = found[-1]
            yield noted("attribute that is not known", last[1], last[1], ", zz=1", "InvalidAttribute", op, last[1] + 2)
        for k, (start, end, key, value) in enumerate(found):
            rest = ", ".join(f"{a[2]}={a[3]}" for i, a in enumerate(found) if i != k)
            if (m["op"], key) not in OPTIONAL:
                kind = "InvalidInput" if m["op"] == "Input" else "MissingAttribute"
                yield text("attribute left out", m.start("attrs"), m.end("attrs"), "{" + rest + "}", kind, op, faults=1)
            yield noted("attribute twice", end, end, f", {key}={value}", "InvalidAttribute", op, end + 3 + len(key))
            yield noted("attribute misspelt", start, start + len(key), key + "q", "InvalidAttribute", op, start)
            for new in OTHER_KINDS.get((m["op"], key), ('"text"', "[[[1]]]", "nothing", "1.5")):
                kind = "InvalidConstant|InvalidAttribute" if m["op"].startswith("Const") else "InvalidPadding" if key == "padding" else "InvalidAttribute"
                yield text("operator that is not known", start + 3, end, new, "UnknownOp", op, faults=1) if key == "op" and new in ("nothing", '"text"') else noted("attribute of another kind", start + len(key) + 1, end, new, kind, op, start + len(key) + 1)


def types():
    other = {"f32": "i32", "f64": "f32", "i64": "i32"}
    for m in instructions():
        start, end = m.span("type")
        shape = SEED.index("[", start)
        comma = "" if SEED[end - 2] == "[" else ", "
        if m["op"] != "Input":
            constant = m["op"].startswith("Const")
            for at, upto, new in ((start + 7, start + 10, other[SEED[start + 7:start + 10]]), (end - 1, end - 1, comma + "7")):
                yield text("another type declared", at, upto, new, "InvalidConstant" if constant else "TypeMismatch",
                           m.start("op") if constant else start)
        if m["op"] == "Input":
            yield text("input of an element type that is not known", start + 7, start + 10, "f33", "InvalidInput")
        else:
            yield text("element type that is not known", start + 7, start + 10, "f33", "UnknownDType")
        yield text("type that is no tensor", start, start + 6, "matrix", "SyntaxError", faults=1)
        yield text("extent that is not known", end - 1, end - 1, comma + "?", "InvalidCharacter|SyntaxError", end - 1 + len(comma), faults=1)
        yield text("extent below zero", shape + 1, end - 1, "-2", "InvalidDimension", start, faults=1)
        if m["op"] == "Input" or m["op"].startswith("Const"):
            yield text("extent of zero", shape + 1, end - 1, "0", "InvalidDimension", start, faults=1)
        yield text("extent that is too large", shape + 1, end - 1, "9" * 30, "InvalidNumber", shape + 1, faults=1)
        yield text("shape without its end", end - 1, end, "", "SyntaxError", end - 1)
        yield text("type left out", m.end("attrs") if m["attrs"] else m.end("operands"), end, "", "SyntaxError")


def syntax():
    """What never stands anywhere, before a token; the rest of the line is not read."""
    for m in instructions():
        tokens = list(TOKEN.finditer(m[0]))
        for t in few(tokens[1:], 6):
            start = m.start() + t.start()
            yield cut_bytes("no UTF-8 before a token", NAME, SEED, start, b"\xff", "InvalidUtf8", faults=1)
            yield text("control character before a token", start, start, "\x01", "InvalidCharacter", faults=1)
        for t in few(tokens[2:], 3):
            start = m.start() + t.start()
            for rule, new in (("CR alone", " \r"), ("NUL", " \0"), ("semicolon before a token", " ;")):
                yield text(rule, start, start, new, "InvalidCharacter", start + 1, faults=1)
        # A line that ends too early, everywhere: what is missing is missed where the line ends.
        for t in few(tokens[1:-1], 6):
            end = m.start() + t.end()
            yield text("line cut behind a token", end, m.end(), "", "SyntaxError|UndefinedName|InvalidInput", end)
    image = SEED.index('"image"')
    yield text("string without its end", image + 6, image + 7, "", "UnterminatedString", image, faults=1)
    for escape in ("\\q", "\\x41", "\\u0041", "\\0", "\\'"):
        yield text("bad escape", image + 3, image + 3, escape, "InvalidEscape", faults=1)


def numbers():
    for m in instructions():
        for n in re.finditer(r"(?<![\w.%])-?\d+(?:\.\d+)?(?:e-?\d+)?(?!\w)", m["attrs"] or ""):
            start, end = m.start("attrs") + n.start(), m.start("attrs") + n.end()
            for new in ("1e", "1e+", "0x1F", "1.2.3"):
                yield text("bad number", start, end, new, "InvalidNumber", faults=1)
            if m["op"] not in ("ConstF32", "ConstF64") and "." not in n[0]:
                yield text("number beyond 64 bits", start, end, "9" * 30, "InvalidNumber", faults=1)


def files():
    yield from names()
    yield from arity()
    yield from attribute_faults()
    yield from types()
    yield from syntax()
    yield from numbers()


RECORDS = """{"operations": [
  {"value_id": 0, "opcode": "Input", "operands": [], "attributes": {"name": "x"}, "result_type": "tensor<f32>[2, 3]"},
  {"value_id": 1, "opcode": "Sum", "operands": [0], "attributes": {"axes": [1], "keepdims": true}, "result_type": "tensor<f32>[2, 1]"}
], "outputs": [1]}
"""


OPTIONAL_KEYS = {"operands", "attributes"}


def records():
    """Records are JSON that is read by the cursor of Core IR, which takes words and commas before brackets."""
    name = "m.ir.json"
    found = json_rules.tokens_of(RECORDS)
    yield from json_rules.cuts(name, RECORDS, found, words=False, empty="MissingOutputs")
    yield from json_rules.punctuation(name, RECORDS, found, relaxed=True, quotes="InvalidCharacter")
    yield from json_rules.repeated(name, RECORDS, found, "DuplicateKey|InvalidAttribute")
    yield from text_rules.characters(name, RECORDS, most=14)
    for k, t in enumerate(found):
        key = t.text[1:-1]
        if not t.is_key:
            continue
        changed, opened = json_rules.without(RECORDS, found, k)
        if key in ("value_id", "opcode", "result_type"):
            yield text_file("member left out", name, changed, opened.start, "SyntaxError", has=f"without '{key}'")
        elif key in ("axes", "keepdims", "name"):
            yield text_file("attribute left out", name, changed, None, "MissingAttribute|InvalidInput", faults=1)
        yield text_file("member misspelt", name, spliced(RECORDS, t.start, t.end, '"' + key + 'q"'), None, "SyntaxError|InvalidAttribute|MissingOutputs")
        if key not in ("axes", "keepdims", "name"):
            for start, end, new in json_rules.of_other_kinds(RECORDS, found, k + 2):
                if key == "value_id" and new == "7" or key in OPTIONAL_KEYS and new in ("{}", "[]") or key == "value_id" and new in ('"odd"', "null", "true"):
                    continue
                yield text_file("value of another kind", name, spliced(RECORDS, start, end, new), start, "SyntaxError|InvalidNumber|UnknownOp")
