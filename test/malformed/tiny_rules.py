"""Tiny IR: JSON with comments and commas before brackets, and what is wrong within its nodes."""
from malformed import json_rules, text_rules
from malformed.files import spliced, text_file

NAME = "m.tiny.json"
SEED = """{
  "uops": [
    {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": ["B", 3, 4]}},
    {"id": "w", "uop": "INPUT", "arg": {"tensor_id": "w", "dtype": "fp32", "shape": [4, 5]}},
    {"id": "a", "uop": "RESHAPE", "src": ["x"], "arg": {"result_shape": ["B", 3, 4, 1]}},
    {"id": "e", "uop": "EXPAND", "src": ["w"], "arg": {"result_shape": ["B", 3, 4, 5], "broadcast_dimensions": [2, 3]}},
    {"id": "f", "uop": "EXPAND", "src": ["a"], "arg": {"result_shape": ["B", 3, 4, 5]}},
    {"id": "m", "uop": "MUL", "src": ["f", "e"]},
    {"id": "s", "uop": "REDUCE", "src": ["m"], "arg": {"op": "SUM", "axes": [2], "dtype": "fp32"}},
    {"id": "p", "uop": "PERMUTE", "src": ["s"], "arg": {"perm": [0, 2, 1]}},
    {"id": "g", "uop": "PAD", "src": ["p"], "arg": {"pad": [[0, 0], [1, 1], [0, 2]]}},
    {"id": "h", "uop": "SHRINK", "src": ["g"], "arg": {"lo": [0, 1, 0], "hi": ["B", 6, 3]}},
    {"id": "k", "uop": "CAST", "src": ["h"], "arg": {"to": "bf16"}},
    {"id": "r", "uop": "RELU", "src": ["k"]}
  ],
  "outputs": ["r"]
}
"""
OPTIONAL = {"outputs", "broadcast_dimensions"}


def nodes():
    """The members of each node, once for each operation: left out, misspelt, of another kind."""
    found, node = json_rules.tokens_of(SEED), None
    for k, t in enumerate(found):
        if t.is_key and t.text == '"id"':
            node = found[k + 2].text[1:-1]
        if not t.is_key:
            continue
        key, inner = t.text[1:-1], "arg" in t.path[:-1]
        changed, opened = json_rules.without(SEED, found, k)
        if key in OPTIONAL:
            pass
        elif key == "id":
            yield text_file("node without its id", NAME, changed, None, "MissingAttribute|UndefinedName|InvalidAttribute|SyntaxError|MultipleDefinitions")
        elif key == "uops":
            yield text_file("no list of nodes", NAME, changed, None, "SyntaxError|MissingOutputs|MissingAttribute", faults=1)
        elif key == "src":
            yield text_file("node without its sources", NAME, changed, None, "ArityMismatch", node=node, faults=1)
        elif key == "uop":
            yield text_file("node without its operation", NAME, changed, None, "SyntaxError|MissingAttribute|UnknownOp")
        elif key == "dtype" and node == "s":
            yield text_file("reduction without its element type", NAME, changed, None, "AccDtypeMissing|MissingAttribute", faults=1)
        elif inner:
            yield text_file("attribute left out", NAME, changed, None, "MissingAttribute", node=node, faults=1, has=key)
        if inner:
            yield text_file("attribute misspelt", NAME, spliced(SEED, t.start, t.end, f'"{key}q"'), None, "InvalidAttribute|MissingAttribute", node=node)
            end = found[json_rules.value_end(found, k + 2) - 1].end
            yield text_file("attribute that is not known", NAME, spliced(SEED, end, end, ', "zz": 1'), end + 2, "InvalidAttribute", faults=1)
        for start, end, new in json_rules.of_other_kinds(SEED, found, k + 2):
            if key in ("tensor_id", "src", "arg", "id", "outputs") and new == "null" or key == "arg" and not inner and new == "{}":
                continue
            if key in ("tensor_id",) or key == "shape" and new in ("[]",):
                continue
            yield text_file("value of another kind", NAME, spliced(SEED, start, end, new), start,
                            "SyntaxError|InvalidAttribute|InvalidNumber|UnknownOp|UnknownDType|InvalidPermutation|InvalidAxis|MissingAttribute"
                            "|RankMismatch|ElementCountMismatch|ArityMismatch|MissingOutputs|BroadcastMismatch|InvalidImmediate")


def files():
    yield from json_rules.faults(NAME, SEED, relaxed=True)
    yield from nodes()
    yield from text_rules.replaced(NAME, SEED, [
        ("operation that is not known", '"MUL"', '"MULL"', "UnknownOp", 0),
        ("source that nothing defines", '["m"]', '["mm"]', "UndefinedName", 1),
        ("output that nothing defines", '["r"]', '["rr"]', "UndefinedName|UndefinedOutput", 1),
        ("id twice", '"id": "a"', '"id": "w"', "MultipleDefinitions", '"w"'),
        ("node that is its own source", '"src": ["f", "e"]', '"src": ["m", "e"]', "Cycle", None),
        ("nodes in a circle", '"src": ["w"]', '"src": ["r"]', "Cycle", None),
        ("source too many", '["f", "e"]', '["f", "e", "e"]', "ArityMismatch", None),
        ("source too few", '["f", "e"]', '["f"]', "ArityMismatch", None),
        ("extents that do not fit", '"shape": [4, 5]', '"shape": [4, 6]', "BroadcastMismatch", None),
        ("element type that is not known", '"bf16"', '"bf17"', "UnknownDType", 0),
        ("element types that differ", '"w", "dtype": "fp32"', '"w", "dtype": "fp16"', "DTypeMismatch", None),
        ("other number of elements", '["B", 3, 4, 1]', '["B", 3, 5, 1]', "ElementCountMismatch", None),
        ("axis that is not there", '"axes": [2]', '"axes": [7]', "InvalidAxis", None),
        ("axis twice", '"axes": [2]', '"axes": [2, 2]', "DuplicateAxis|InvalidAxis", None),
        ("permutation that is none", '[0, 2, 1]', '[0, 2, 2]', "InvalidPermutation", None),
        ("permutation too short", '[0, 2, 1]', '[0, 1]', "InvalidPermutation", None),
        ("padding below zero", '[1, 1], [0, 2]', '[-1, 1], [0, 2]', "InvalidAttribute|InvalidPadding", None),
        ("padding of too few axes", '[[0, 0], [1, 1], [0, 2]]', '[[0, 0], [1, 1]]', "InvalidAttribute|InvalidPadding", None),
        ("end behind the extent", '["B", 6, 3]', '["B", 66, 3]', "InvalidAttribute|UnguardedAccess|InvalidDimension", None),
        ("extent below zero", '"shape": [4, 5]', '"shape": [4, -5]', "InvalidDimension|NegativeDimension|InvalidAttribute", None),
        ("extent beyond 64 bits", '"shape": [4, 5]', '"shape": [4, 99999999999999999999]', "InvalidNumber|InvalidAttribute|InvalidDimension", None),
        ("size that cannot be read", '"shape": [4, 5]', '"shape": [4, "5+"]', "SyntaxError|InvalidAttribute|InvalidDimension", None),
        ("reduction that is not known", '"SUM"', '"SUMM"', "InvalidAttribute|UnknownOp", None),
        ("node that is a number", '{"id": "r", "uop": "RELU", "src": ["k"]}', '7', "SyntaxError", 0),
        ("comment that stays open", "", "/* and so on", "UnterminatedComment", 0),
    ], faults=1)
