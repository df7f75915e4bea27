"""MIND's surface language."""
from malformed import text_rules
from malformed.files import spliced, text_file
from malformed.json_rules import few

NAME = "m.mind"
SEED = """// A layer and its gradient.
import std::tensor;
fn layer(x: Tensor<f32, [2, 3]>, w: Tensor<f32, [3, 4]>, b: Tensor<f32, [4]>) -> Tensor<f32, [2, 4]> {
    let y = matmul(x, w) + b;
    relu(y)
}
fn loss(w: Tensor<f32, [3, 4]>, x: Tensor<f32, [2, 3]>, b: Tensor<f32, [4]>) -> f32 {
    let y = layer(x, w, b);
    let (n, two) = (0x8, 2.0);
    mean(y * y, axes=[0, 1]) * two
}
fn main(x: Tensor<f32, [2, 3]>, w: Tensor<f32, [3, 4]>, b: Tensor<f32, [4]>) -> Tensor<f32, [3, 4]> {
    let t = transpose(w, permutation=[1, 0]);
    let c: Tensor<f32, [2, 2]> = [[1.0, 2.0], [3.0, 4.0]];
    let d = c[0, 0:2];
    grad(loss)(w, x, b) + transpose(t) * sum(d)
}
"""
TABLE = [
    ("variable that nothing defines", "relu(y)\n", "relu(yy)\n", "UndefinedName", "yy"),
    ("function that nothing defines", "layer(x, w, b)", "layr(x, w, b)", "UndefinedName|UnknownOp", "layr"),
    ("function defined twice", "fn layer(", "fn layer() -> f32 { 1.0 }\nfn layer(", "MultipleDefinitions", None),
    ("parameter defined twice", "fn main(x: Tensor<f32, [2, 3]>, w", "fn main(x: Tensor<f32, [2, 3]>, x", "MultipleDefinitions|InvalidInput", None),
    ("argument too few", "layer(x, w, b)", "layer(x, w)", "ArityMismatch", None),
    ("argument too many", "layer(x, w, b)", "layer(x, w, b, b)", "ArityMismatch", None),
    ("argument of another type", "layer(x, w, b)", "layer(x, x, b)", "TypeMismatch", None),
    ("argument that is not known", "mean(y * y, axes=[0, 1])", "mean(y * y, axis3=[0, 1])", "InvalidAttribute|ArityMismatch|UndefinedName", None),
    ("result of another type", "relu(y)\n", "x\n", "TypeMismatch", None),
    ("shapes that do not fit", "matmul(x, w) + b", "matmul(x, w) + x", "BroadcastMismatch", None),
    ("inner extents that differ", "matmul(x, w)", "matmul(w, x)", "DimensionMismatch", None),
    ("axis that is not there", "axes=[0, 1]", "axes=[0, 5]", "InvalidAxis", None),
    ("axis twice", "axes=[0, 1]", "axes=[0, 0]", "DuplicateAxis", None),
    ("permutation that is none", "permutation=[1, 0]", "permutation=[1, 1]", "InvalidPermutation", None),
    ("permutation too long", "permutation=[1, 0]", "permutation=[1, 0, 2]", "InvalidPermutation", None),
    ("type that is not known", "b: Tensor<f32, [4]>) -> f32", "b: Tensor<f33, [4]>) -> f32", "UnknownDType|SyntaxError", "f33"),
    ("extent of zero", "b: Tensor<f32, [4]>) -> f32", "b: Tensor<f32, [0]>) -> f32", "InvalidDimension", None),
    ("literal of another shape", "[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]", "LiteralShape", None),
    ("literal that is ragged", "[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 2.0], [3.0]]", "LiteralShape|InvalidConstant", None),
    ("index too long", "c[0, 0:2]", "c[0, 0, 0]", "IndexLength|SliceLength|RankMismatch", None),
    ("index that is out of bounds", "c[0, 0:2]", "c[9, 0:2]", "IndexOutOfBounds", None),
    ("step of zero", "c[0, 0:2]", "c[0, 0:2:0]", "SliceStep", None),
    ("gradient of what is no number", "grad(loss)", "grad(layer)", "GradientShape|TypeMismatch", None),
    ("gradient of nothing", "grad(loss)", "grad()", "ArityMismatch", None),
    ("tuple of another length", "(n, two) =", "(n, two, three) =", "TypeMismatch|ArityMismatch", None),
    ("function that calls itself", "relu(y)\n", "layer(x, w, b)\n", "UnknownOp|Cycle", None),
    ("keyword as a name", "let t =", "let while =", "SyntaxError", "while"),
    ("semicolon left out", "+ b;", "+ b", "SyntaxError", "relu(y)"),
    ("name left out", "let t =", "let =", "SyntaxError", 4),
    ("parenthesis left out", "relu(y)\n", "relu(y\n", "SyntaxError", "}"),
    ("bracket that does not fit", "axes=[0, 1]", "axes=[0, 1)", "SyntaxError", ")"),
    ("brace left out", "", "fn last() -> f32 { 1.0", "SyntaxError", 22),
    ("brace too many", "", "}\n", "SyntaxError", 0),
    ("operator twice", "y * y,", "y * * y,", "SyntaxError", 4),
    ("operator at the end", "+ b;", "+ ;", "SyntaxError", 2),
    ("type left out", "w: Tensor<f32, [3, 4]>, b: Tensor<f32, [4]>) -> Tensor<f32, [2, 4]>", "w, b: Tensor<f32, [4]>) -> Tensor<f32, [2, 4]>", "SyntaxError", 1),
    ("arrow left out", "-> f32 {", "f32 {", "SyntaxError", 0),
    ("comment that stays open", "", "/* and so on", "UnterminatedComment", 0),
    ("comment within a comment that stays open", "", "/* a /* b */ and so on", "UnterminatedComment", 0),
    ("string that stays open", "", "fn last() -> f32 { \"abc", "UnterminatedString", 19),
    ("statement that is not supported", "let d = c[0, 0:2];", "let d = c[0, 0:2]; while true { }", "UnknownOp|NotImplemented", "while"),
    ("function that is not supported", "relu(y)\n", "softmax(y)\n", "UnknownOp|NotImplemented", "softmax"),
]
NUMBERS = ["1.", "1e", "1e+", "0b12", "0xg", "0x", "0b", "1.2.3", "1_000_", "12abc", "0o8", "1e99999999999999999999"]
ESCAPES = ["\\q", "\\x41", "\\u41", "\\u{}", "\\u{d800}", "\\u{110000}", "\\u{12"]


def files():
    yield from text_rules.characters(NAME, SEED, comment="//")
    yield from text_rules.replaced(NAME, SEED, TABLE, faults=1)
    at = SEED.index("2.0);")
    for new in NUMBERS:
        yield text_file("bad number", NAME, spliced(SEED, at, at + 3, new), at, "InvalidNumber|SyntaxError", faults=None)
    for new in ESCAPES:
        at = SEED.index("relu(y)\n")
        yield text_file("bad escape", NAME, spliced(SEED, at, at, f'let z = "a{new}";\n    '), at + 10, "InvalidEscape")
    for new in "$#~`?\u00b7\u20ac\u200b\u3000":
        at = SEED.index("relu(y)\n")
        yield text_file("character that is not known", NAME, spliced(SEED, at, at, f"{new} "), at, "InvalidCharacter", faults=1)
    starts = [t for t in text_rules.TOKEN.finditer(SEED) if t.start() > SEED.index("fn layer")]
    for t in few(starts[:-1], 50):
        if SEED[t.end():].strip().startswith("fn ") or t[0] == "main":
            continue
        yield text_file("cut behind a token", NAME, SEED[:t.end()], t.end() if t[0] != '"' else None, "SyntaxError", faults=1)
    deep = "(" * 300
    at = SEED.index("relu(y)\n")
    yield text_file("deep nesting", NAME, spliced(SEED, at, at + 7, deep + "y" + ")" * 300), None, "SyntaxError|LimitExceeded", faults=1)
