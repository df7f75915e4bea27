"""PTIR in its three forms."""
from malformed import json_rules, text_rules
from malformed.files import spliced, text_file

# ---- JSON ----

JSON = """{"spec_version": "ptir.v0.4", "entry": "main",
 "functions": [{"name": "main", "parameter_ids": [0, 1], "result_ids": [2], "hints": [],
   "parameters": [{"Tensor": {"dtype": "I1", "shape": {"dims": []}}},
                  {"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 3}]}}}],
   "results": [{"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 3}]}}}],
   "body": [{"id": 2, "op": {"Cond": {"true_region": 0, "false_region": 1}},
             "operands": [{"Value": 0}, {"Value": 1}],
             "output": {"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 3}]}}}}]}],
 "regions": [
   {"id": 0, "parameters": [{"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 3}]}}}],
    "results": [{"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 3}]}}}],
    "body": [{"id": 1, "op": {"ElementwiseUnary": "Neg"}, "operands": [{"Value": 0}],
              "output": {"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 3}]}}}}]},
   {"id": 1, "parameters": [{"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 3}]}}}],
    "results": [{"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 3}]}}}],
    "body": [{"id": 1, "op": {"ElementwiseUnary": "Exp"}, "operands": [{"Value": 0}],
              "output": {"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 3}]}}}}]}]}
"""
OPTIONAL = {"spec_version", "hints"}
ONE_KEY = {"Tensor", "Static", "ElementwiseUnary", "Cond", "Value"}  # of objects that have just one of several keys
NUMBERED = {"Static", "Value", "id", "true_region", "false_region"}


def members(name, text):
    """Each kind of member left out, and with values of other kinds."""
    found, seen = json_rules.tokens_of(text), set()
    for k, t in enumerate(found):
        if not t.is_key or t.path in seen:
            continue
        seen.add(t.path)
        key = t.text[1:-1]
        if key not in OPTIONAL:
            changed, opened = json_rules.without(text, found, k)
            yield text_file("member left out", name, changed, opened.start, "SyntaxError", faults=1,
                            has="object with one key" if key in ONE_KEY else f"missing field '{key}'")
        for start, end, new in json_rules.of_other_kinds(text, found, k + 2):
            if new == "null" and key in OPTIONAL:
                continue
            kind = "InvalidNumber" if key in NUMBERED and new == "1.5" else \
                "UnknownOp" if key == "op" and new == '"odd"' else "SyntaxError"
            yield text_file("value of another kind", name, spliced(text, start, end, new), start, kind, faults=1)


def json_files():
    name = "m.ptir.json"
    yield from json_rules.faults(name, JSON)
    yield from members(name, JSON)
    yield from text_rules.replaced(name, JSON, [
        ("version that is not known", '"ptir.v0.4"', '"ptir.v9"', "UnsupportedVersion"),
        ("entry that is not there", '"entry": "main"', '"entry": "mein"', "UndefinedName", '"mein"'),
        ("element type that is not known", '"I1"', '"I2"', "SyntaxError|UnknownDType"),
        ("operation that is not known", '{"Cond"', '{"Conds"', "UnknownOp", '"Conds"'),
        ("word that is not known", '"Neg"', '"Nog"', "SyntaxError"),
        ("operand that nothing defines", '{"Value": 1}]', '{"Value": 7}]', "UseBeforeDefinition|UndefinedName", None),
        ("result that nothing defines", '"result_ids": [2]', '"result_ids": [9]', "UndefinedOutput", "9"),
        ("result too many", '"result_ids": [2]', '"result_ids": [2, 2]', "UndefinedOutput", None),
        ("id twice", '"id": 2', '"id": 1', "MultipleDefinitions", "1,"),
        ("id below zero", '"id": 2', '"id": -2', "InvalidNumber", "-2"),
        ("id beyond 32 bits", '"id": 2', '"id": 4294967296', "InvalidNumber", "4294967296"),
        ("id beyond 64 bits", '"id": 2', '"id": 99999999999999999999', "InvalidNumber", "99999999999999999999"),
        ("region that is not there", '"true_region": 0', '"true_region": 5', "UndefinedName|RegionSignature", None),
        ("region id twice", '{"id": 1, "parameters"', '{"id": 0, "parameters"', "MultipleDefinitions", None),
        ("parameter id twice", '"parameter_ids": [0, 1]', '"parameter_ids": [0, 0]', "MultipleDefinitions", None),
        ("parameter ids too few", '"parameter_ids": [0, 1]', '"parameter_ids": [0]', "InvalidInput|SyntaxError|UndefinedName|ArityMismatch", None),
    ], faults=1)


# ---- text ----

TEXT = """// A loop, a choice, and what stands around them.
func @main(%n: tensor<si32>, %x: tensor<f32, 2x3>) -> (tensor<si32>, tensor<f32, 2>) {
  %zero = constant value[0] -> tensor<si32>
  %last = while(%n, %zero) cond_region[0] body_region[1] -> (tensor<si32>, tensor<si32>)
  %scale = constant value[1.0, 2.0, 3.0] -> tensor<f32, 3>
  %wide = broadcast_to(%scale) result_shape[2, 3] -> tensor<f32, 2x3>
  %y = mul(%x, %wide) -> tensor<f32, 2x3>
  %t = transpose(%y) perm[1, 0] -> tensor<f32, 3x2>
  %s = reduce_sum(%t) axes[0] keepdims[false] -> tensor<f32, 2>
  return %last[1], %s
}
region @0(%i: tensor<si32>, %sum: tensor<si32>) -> (tensor<i1>, tensor<si32>, tensor<si32>) {
  %zero = constant value[0] -> tensor<si32>
  %more = compare(%i, %zero) op[greater] -> tensor<i1>
  return %more, %i, %sum
}
region @1(%i: tensor<si32>, %sum: tensor<si32>) -> (tensor<si32>, tensor<si32>) {
  %one = constant value[1] -> tensor<si32>
  %next = sub(%i, %one) -> tensor<si32>
  %added = add(%sum, %i) -> tensor<si32>
  return %next, %added
}
"""


def text_files():
    name = "m.ptir"
    yield from text_rules.characters(name, TEXT, control="SyntaxError|InvalidCharacter", comment="//")
    yield from text_rules.replaced(name, TEXT, TEXT_TABLE)
    for t in json_rules.few(list(text_rules.TOKEN.finditer(TEXT))[12:-1], 40):
        yield text_file("cut behind a token", name, TEXT[:t.end()], missed(TEXT, t), "SyntaxError", faults=1)


def missed(text, token):
    """Where it is noticed that TEXT ends behind TOKEN: at the bracket of data that stays open, else at the end."""
    data = text.rfind("value[", 0, token.end()) + 5
    return data if data >= 5 and "]" not in text[data:token.end()] else token.end()


TEXT_TABLE = [
    ("operation that is not known", "mul(%x", "mool(%x", "UnknownOp"),
    ("operand that nothing defines", "mul(%x", "mul(%xx", "UndefinedName|UseBeforeDefinition", "%xx"),
    ("operand too many", "transpose(%y)", "transpose(%y, %y)", "ArityMismatch", None),
    ("operand too few", "mul(%x, %wide)", "mul(%x)", "ArityMismatch", None),
    ("shapes that do not fit", "mul(%x, %wide)", "mul(%x, %scale)", "ShapeMismatch|RankMismatch|BroadcastMismatch", None),
    ("another type declared", "%y) perm[1, 0] -> tensor<f32, 3x2>", "%y) perm[1, 0] -> tensor<f32, 2x3>", "TypeMismatch", None),
    ("element type that is not known", "-> tensor<f32, 3>", "-> tensor<f33, 3>", "UnknownDType|SyntaxError", "f33"),
    ("permutation of an axis that is not there", "perm[1, 0]", "perm[2, 0]", "InvalidPermutation|InvalidAxis", None),
    ("axis twice", "axes[0]", "axes[0, 0]", "DuplicateAxis", None),
    ("axis that is not there", "axes[0]", "axes[5]", "InvalidAxis", None),
    ("field that is not known", "axes[0]", "axis[0]", "InvalidAttribute|SyntaxError", "axis"),
    ("field twice", "axes[0]", "axes[0] axes[0]", "DuplicateKey|SyntaxError|InvalidAttribute", 8),
    ("field left out", "perm[1, 0]", "", "MissingAttribute|SyntaxError", None),
    ("word that is not known", "op[greater]", "op[bigger]", "SyntaxError|InvalidAttribute", "bigger"),
    ("number beyond 64 bits", "perm[1, 0]", "perm[1, 99999999999999999999]", "InvalidNumber|SyntaxError", "999"),
    ("fraction where an integer stands", "perm[1, 0]", "perm[1, 0.5]", "InvalidNumber|SyntaxError", "0.5"),
    ("constant with too few elements", "value[1.0, 2.0, 3.0]", "value[1.0, 2.0]", "InvalidConstant|SyntaxError|LiteralShape", None),
    ("constant that is no number", "value[1.0, 2.0, 3.0]", "value[1.0, x, 3.0]", "SyntaxError|InvalidNumber|InvalidConstant", "x, 3"),
    ("constant out of range", "value[1] -> tensor<si32>", "value[4294967296] -> tensor<si32>", "InvalidConstant|InvalidNumber", "4294967296"),
    ("result that nothing defines", "return %last[1], %s", "return %last[1], %q", "UseBeforeDefinition", "%q"),
    ("element that the tuple lacks", "return %last[1], %s", "return %last[7], %s", "TypeMismatch", 7),
    ("result of another type", "return %last[1], %s", "return %last[1], %y", "TypeMismatch", None),
    ("value defined twice", "%t = transpose", "%y = transpose", "MultipleDefinitions", 1),
    ("function twice", "region @0(", "func @main(%n: tensor<si32>) -> tensor<si32> {\n  return %n\n}\nregion @0(", "MultipleDefinitions", None),
    ("region that is not there", "cond_region[0]", "cond_region[4]", "UndefinedName|RegionSignature", None),
    ("region of another signature", "cond_region[0]", "cond_region[1]", "RegionSignature", None),
    ("regions that reach each other", "%one = constant value[1] -> tensor<si32>",
     "%one = constant value[1] -> tensor<si32>\n  %l = while(%i, %sum) cond_region[0] body_region[1] -> (tensor<si32>, tensor<si32>)", "Cycle", None),
    ("name of a parameter twice", "%x: tensor<f32, 2x3>)", "%n: tensor<f32, 2x3>)", "MultipleDefinitions|InvalidInput", None),
    ("extent below zero", "-> tensor<f32, 3>", "-> tensor<f32, -3>", "SyntaxError|NegativeDimension", "-3"),
    ("no arrow", "mul(%x, %wide) -> ", "mul(%x, %wide) ", "SyntaxError", "<f32, 2x3>\n  %t"),
    ("two statements on a line", "-> tensor<f32, 3x2>\n", "-> tensor<f32, 3x2>", "SyntaxError", "%s = reduce"),
    ("text behind the end", "", "\nnonsense\n", "SyntaxError", "nonsense"),
    ("brace too many", "", "}\n", "SyntaxError", 0),
    ("string without its end", "func @main(", "func @\"main(", "UnterminatedString", '"'),
    ("escape that is not known", "func @main(", "func @\"ma\\qin\"(", "InvalidEscape", "\\q"),
]
