"""ONNX models: the wire format of protobuf, then what is wrong within a model that can be read."""
import numpy as np

from lib.onnx_files import field, function, graph, model, node, put_attribute, put_sparse, value_info, varint
from malformed.files import Wrong

NAME = "m.onnx"
X = ("x", "f32", [2, 3])
Y = ("y", "f32", None)
NEGATED = graph([node("Neg", "x", "b")], [], [("b", "f32", None)])


def seed():
    return model([node("MatMul", "x w", "a", name="first"), node("Relu", "a", "b", name="second"),
                  node("ReduceSum", "b", "y", name="third", axes=[1], keepdims=0)], [X], [Y],
                 [("w", np.ones((3, 4), dtype=np.float32))], opset=11)


# Fields whose value is a message, by the message's name: only there is looked within.
MESSAGES = {"ModelProto": {7: "GraphProto", 8: "OperatorSetIdProto"},
            "GraphProto": {1: "NodeProto", 5: "TensorProto", 11: "ValueInfoProto", 12: "ValueInfoProto"},
            "NodeProto": {5: "AttributeProto"}, "ValueInfoProto": {2: "TypeProto"}, "TypeProto": {1: "Tensor"},
            "Tensor": {2: "TensorShapeProto"}, "TensorShapeProto": {1: "Dimension"}}


def structure(data, begin, end, message):
    """(offset of the tag, of the length or value, of the content, end, kind, message) of each field, and of those within."""
    at = begin
    while at < end:
        start = at
        tag, at = varint(data, at)
        value_at = at
        if tag & 7 == 2:
            n, at = varint(data, at)
            yield start, value_at, at, at + n, 2, message
            inner = MESSAGES.get(message, {}).get(tag >> 3)
            if inner:
                yield from structure(data, at, at + n, inner)
            at += n
        else:
            if tag & 7 == 0:
                _, at = varint(data, at)
            else:
                at += {1: 8, 5: 4}[tag & 7]
            yield start, value_at, value_at, at, tag & 7, message


def wire():
    data = seed()
    for start, value_at, content, end, kind, message in structure(data, 0, len(data), "ModelProto"):
        top = message == "ModelProto"
        yield Wrong("cut behind a tag", NAME, data[:value_at], "SyntaxError", byte=None, has=None, faults=1)
        if end - content > 1:
            yield Wrong("cut within a value", NAME, data[:content + (end - content) // 2], "SyntaxError", faults=1)
        # Within a message of the same length, so that only this field is wrong.
        for wrong_kind in (3, 4, 6, 7):
            tag, behind = varint(data, start)
            if behind - start == 1:
                yield Wrong("wire type that is not known", NAME, data[:start] + bytes([tag & ~7 | wrong_kind]) + data[behind:],
                            "SyntaxError", byte=None, faults=1)
        if kind == 2 and content - value_at == 1:
            yield Wrong("length beyond the message", NAME, data[:value_at] + b"\x7f" + data[content:] if end + 127 > len(data) or not top
                        else data[:value_at] + b"\x7f", "SyntaxError", faults=1)
        yield Wrong("field number zero", NAME, data[:start] + b"\0" + data[start + 1:], "SyntaxError", faults=1)
    yield Wrong("number that does not end", NAME, data + b"\x08" + b"\xff" * 11, "SyntaxError", faults=1)
    yield Wrong("nothing", NAME, b"", "SyntaxError", faults=1)


def made(rule, nodes, kind, inputs=(X,), outputs=(Y,), constants=(), status=1, **more):
    options = {k: more.pop(k) for k in ("opset", "ir", "domains", "functions") if k in more}
    return Wrong(rule, NAME, model(nodes, list(inputs), list(outputs), list(constants), **options), kind, status=status, **more)


def ints(*values):
    return np.array(values, dtype=np.int64)


def models():
    relu = node("Relu", "x", "y", name="one")
    yield made("operator that is not known", [node("Reluu", "x", "y", name="one")], "UnknownOp|NotExpressible", node="one", faults=1)
    yield made("domain that is not known", [node("Relu", "x", "y", name="one", domain="far.away")], "UnknownOp|NotExpressible", node="one", faults=1)
    yield made("operator without a name", [node("", "x", "y", name="one")], "UnknownOp|SyntaxError|NotExpressible", faults=1)
    yield made("input that nothing makes", [node("Relu", "z", "y", name="one")], "UndefinedName|UseBeforeDefinition", has="'z'", faults=1)
    yield made("output that nothing makes", [relu], "UndefinedOutput|UndefinedName", outputs=[("q", "f32", None)], has="'q'", faults=1)
    yield made("no outputs", [relu], "MissingOutputs", outputs=[], faults=1)
    yield made("no nodes and no outputs", [], "MissingOutputs", outputs=[], faults=1)
    yield made("name made twice", [relu, node("Neg", "x", "y", name="two")], "MultipleDefinitions", has="'y'", faults=1)
    yield made("input made once more", [node("Relu", "x", "y", name="one"), node("Neg", "y", "x", name="two")], "Cycle|MultipleDefinitions", faults=1)
    yield made("input declared twice", [relu], "MultipleDefinitions|InvalidInput", inputs=[X, X], has="'x'", faults=1)
    yield made("node that needs itself", [node("Add", "x y", "y", name="one")], "Cycle|UseBeforeDefinition", faults=1)
    yield made("nodes in a circle", [node("Add", "x b", "a", name="one"), node("Relu", "a", "b", name="two"), node("Neg", "a", "y", name="three")],
               "Cycle|UseBeforeDefinition", faults=1)
    for opset in (0, 1 << 40):
        yield made("operator set that is not known", [relu], "UnsupportedVersion", opset=opset, faults=1)
    # Operators of one family each: an input too many, one too few, an attribute of another kind, one that does not fit.
    unary = ["Relu", "Neg", "Exp", "Log", "Sqrt", "Tanh", "Sigmoid", "Abs", "Floor", "Ceil", "Erf", "Softplus", "Identity", "Shape", "Sin", "Cos"]
    binary = ["Add", "Sub", "Mul", "Div", "MatMul", "Pow"]
    for op in unary:
        yield made("input too many", [node(op, "x x", "y", name="one")], "ArityMismatch", node="one", faults=1)
        yield made("input left out", [node(op, "", "y", name="one")], "ArityMismatch", node="one", faults=1)
        yield made("output too many", [node(op, "x", "y z", name="one")], "ArityMismatch", node="one", faults=1)
    for op in binary:
        yield made("input too many", [node(op, "x x x", "y", name="one")], "ArityMismatch", node="one", faults=1)
        yield made("input left out", [node(op, "x", "y", name="one")], "ArityMismatch", node="one", faults=1)
        yield made("shapes that do not fit", [node(op, "x z", "y", name="one")], "BroadcastMismatch|DimensionMismatch|ShapeMismatch",
                   inputs=[X, ("z", "f32", [7, 5])], node="one", faults=1)
        if op != "Pow":
            yield made("element types that differ", [node(op, "x z", "y", name="one")], "DTypeMismatch", inputs=[X, ("z", "si64", [3, 3] if op == "MatMul" else [3])],
                       node="one", faults=1)
    for op, attributes, kind in [
            ("Transpose", {"perm": [0]}, "InvalidPermutation"), ("Transpose", {"perm": [0, 0]}, "InvalidPermutation|DuplicateAxis"), ("Transpose", {"perm": [0, 5]}, "InvalidPermutation|InvalidAxis"),
            ("Transpose", {"perm": 1}, "InvalidAttribute"), ("Transpose", {"perm": "abc"}, "InvalidAttribute"), ("Transpose", {"perm": [0.5, 1.0]}, "InvalidAttribute"),
            ("Softmax", {"axis": 7}, "InvalidAxis"), ("Softmax", {"axis": -9}, "InvalidAxis"), ("Softmax", {"axis": "x"}, "InvalidAttribute"), ("Softmax", {"axis": 1.5}, "InvalidAttribute"),
            ("Flatten", {"axis": 9}, "InvalidAxis"), ("Cast", {}, "MissingAttribute"), ("Cast", {"to": 99}, "UnknownDType|InvalidAttribute|DTypeNotSupported"), ("Cast", {"to": "f32"}, "InvalidAttribute"),
            ("LeakyRelu", {"alpha": "x"}, "InvalidAttribute"), ("LeakyRelu", {"alpha": [1.0]}, "InvalidAttribute"), ("Elu", {"alpha": 3}, "InvalidAttribute"),
            ("ReduceSum", {"axes": [4]}, "InvalidAxis"), ("ReduceMean", {"axes": [0, 0]}, "DuplicateAxis"), ("ReduceMax", {"keepdims": "x"}, "InvalidAttribute"),
            ("Squeeze", {"axes": [0]}, "SqueezeExtent"), ("Unsqueeze", {}, "MissingAttribute"), ("Unsqueeze", {"axes": [9]}, "InvalidAxis"), ("Unsqueeze", {"axes": [0, 0]}, "DuplicateAxis|InvalidAxis"),
            ("ArgMax", {"axis": 8}, "InvalidAxis"), ("LpNormalization", {"axis": 5}, "InvalidAxis"), ("DepthToSpace", {"blocksize": 2}, "InvalidAttribute"), ("DepthToSpace", {}, "MissingAttribute"),
            ("EyeLike", {"dtype": 77}, "UnknownDType|InvalidAttribute|DTypeNotSupported"), ("Hardmax", {"axis": 5}, "InvalidAxis"), ("LogSoftmax", {"axis": 5}, "InvalidAxis"), ("CumSum", {}, "ArityMismatch"),
            ("AveragePool", {"kernel_shape": [2]}, "RankMismatch"), ("MaxPool", {}, "MissingAttribute|RankMismatch"), ("LRN", {}, "MissingAttribute"), ("Concat", {}, "MissingAttribute"), ("Split", {"axis": 9}, "InvalidAxis")]:
        yield made("attribute that does not fit", [node(op, "x", "y", name="one", **attributes)], kind, opset=11, node="one", faults=1)
    for op, constant, kind in [
            ("Reshape", ints(4), "ElementCountMismatch"), ("Reshape", ints(-1, -1), "InvalidAttribute|InvalidDimension|CannotInfer"), ("Reshape", ints(-2), "InvalidDimension|NegativeDimension|InvalidAttribute"),
            ("Reshape", np.ones(2, dtype=np.float32), "InvalidAttribute"), ("Expand", ints(5, 3), "BroadcastMismatch"), ("Tile", ints(2), "InvalidAttribute|RankMismatch|DimensionMismatch|ShapeMismatch"),
            ("Pad", ints(1, 1), "InvalidPadding|InvalidAttribute|DimensionMismatch"), ("Unsqueeze", ints(0, 0), "DuplicateAxis|InvalidAxis"), ("ReduceSum", ints(5), "InvalidAxis"),
            ("Squeeze", ints(1), "SqueezeExtent"), ("CumSum", ints(3), "InvalidAxis"), ("TopK", ints(9), "InvalidAttribute|InvalidDimension"), ("Gather", np.ones(2, dtype=np.float32), "IndexDType|DTypeNotSupported")]:
        yield made("constant that does not fit", [node(op, "x c", "y" if op != "TopK" else "y i", name="one")], kind, constants=[("c", constant)], node="one", faults=1)
    for indices, dims in (ints(7), [7]), (ints(1, 0), [7]), (ints(0), [-7]), (np.array([[0, 9]]), [7, 7]), (np.ones(1, np.float32), [7]):
        yield made("sparse tensor that does not fit", [node("Add", "x c", "y", name="one")], "InvalidConstant",
                   constants=[put_sparse("c", np.ones(len(indices), np.float32), indices, dims)], has="the sparse tensor 'c' cannot be read", faults=1)
    for k in -(1 << 63), -(1 << 63) + 1:  # numbers that the extents of symbols are among
        yield made("number that stands for a symbol", [node("TopK", "x", "y i", name="one", k=k)], "InvalidAttribute", inputs=[("x", "f32", ["n"])], opset=9,
                   node="one", has="'k' must not be negative", faults=1)
    for rule, nodes, kind in [
            ("attribute that stands twice", [node("Softmax", "x", "y", name="one", axis=0) + field(5, put_attribute("axis", 1))], "InvalidAttribute"),
            ("step of zero", [node("Range", "zero five zero", "y", name="one")], "InvalidAttribute"),
            ("zero point of another kind", [node("QuantizeLinear", "x scale scale", "y", name="one")], "DTypeNotSupported"),
            ("condition that is no truth value", [node("If", "x", "y", name="one", then_branch=NEGATED, else_branch=NEGATED)], "DTypeMismatch"),
            ("condition of two elements", [node("If", "two", "y", name="one", then_branch=NEGATED, else_branch=NEGATED)], "ElementCountMismatch"),
            ("number of iterations that is a float", [node("Loop", "scale two x", "y", name="one", body=NEGATED)], "DTypeMismatch"),
            ("hidden size of other weights", [node("RNN", "steps w r", "y", name="one", hidden_size=3)], "InvalidAttribute"),
            ("bias of other channels", [node("ImageScaler", "image", "y", name="one", bias=[1.0, 2.0])], "DimensionMismatch"),
            ("border beyond the image", [node("Crop", "image", "y", name="one", border=[1, 1, 5, 0])], "InvalidAttribute"),
            ("border below zero", [node("Crop", "image", "y", name="one", border=[-1, 1, 4, 0])], "InvalidAttribute"),
            ("border of no image", [node("Crop", "x", "y", name="one", border=[1, 1, 1, 1])], "ShapeUnknown"),
            ("attention without heads", [node("Attention", "steps steps steps", "y", name="one")], "MissingAttribute"),
            ("attention of matrices", [node("Attention", "x x x", "y", name="one")], "RankMismatch")]:
        yield made(rule, nodes, kind, node="one", faults=1, opset=23 if "attention" in rule else 8 if "b" == rule[0] else 13,
                   inputs=[X, ("steps", "f32", [5, 1, 4]), ("image", "f32", [1, 3, 4, 5]), ("two", "i1", [2])],
                   constants=[("zero", ints(0)[0]), ("five", ints(5)[0]), ("scale", np.float32(1)),
                              ("w", np.ones((1, 2, 4), np.float32)), ("r", np.ones((1, 2, 2), np.float32))])
    # Tensors of the file.
    for rule, bad, kind in [
            ("too few bytes of data", field(1, 3) + field(2, 1) + field(8, "w") + field(9, b"\0" * 8), "InvalidConstant"),
            ("too many bytes of data", field(1, 3) + field(2, 1) + field(8, "w") + field(9, b"\0" * 16), "InvalidConstant"),
            ("no data", field(1, 3) + field(2, 1) + field(8, "w"), "InvalidConstant"),
            ("extent below zero", field(1, -3) + field(2, 1) + field(8, "w") + field(9, b""), "InvalidConstant|InvalidDimension|NegativeDimension"),
            ("extents beyond 64 bits", field(1, 1 << 40) + field(1, 1 << 40) + field(2, 1) + field(8, "w") + field(9, b""), "InvalidConstant|InvalidDimension|LimitExceeded"),
            ("element type that is not known", field(1, 3) + field(2, 99) + field(8, "w") + field(9, b"\0" * 12), "UnknownDType|InvalidConstant|DTypeNotSupported"),
            ("element type of zero", field(1, 3) + field(2, 0) + field(8, "w") + field(9, b"\0" * 12), "UnknownDType|InvalidConstant|DTypeNotSupported"),
            ("no name", field(1, 1) + field(2, 1) + field(9, b"\0" * 4), "InvalidInput")]:
        body = field(1, node("Add", "x w", "y", name="one")) + field(5, bad) + field(11, value_info(*X)) + field(12, value_info(*Y))
        yield Wrong("tensor with " + rule, NAME, field(1, 8) + field(7, body) + field(8, field(2, 13)), kind, faults=None if rule == "no name" else 1)
    yield Wrong("no graph", NAME, field(1, 8) + field(8, field(2, 13)), "SyntaxError|MissingOutputs", faults=1)
    yield Wrong("no operator set", NAME, field(1, 8) + field(7, field(1, relu) + field(11, value_info(*X)) + field(12, value_info(*Y))),
                "UnknownOp", has="imports no version", faults=1)
    for name, bad in (("no UTF-8", b"\xff\xfe"), ("NUL", b"a\0b")):
        body = field(1, field(1, "x") + field(2, bad) + field(4, "Relu")) + field(11, value_info(*X)) + field(12, field(1, bad))
        yield Wrong("name with " + name, NAME, field(1, 8) + field(7, body) + field(8, field(2, 13)), "InvalidUtf8")


def doubles():
    """What stands twice, or on two sides, and says two things."""
    relu = node("Relu", "x", "y", name="one")
    own = [function("own_relu", "a", "b", [node(op, "a", "b")]) for op in ("Relu", "Neg")]
    called = node("own_relu", "x", "y", name="one", domain="own")
    yield made("domain imported twice", [relu], "UnsupportedVersion", domains=[("ai.onnx", 17)], has="version 13 and in version 17", faults=1)
    yield made("domain imported twice alike", [relu], "", domains=[("ai.onnx", 13), ("", 13)], status=0)
    yield made("own domain imported twice", [called], "UnsupportedVersion", domains=[("own", 1), ("own", 2)], functions=own[:1], has="'own'", faults=1)
    inside = field(1, "own_relu") + field(4, "a") + field(5, "b") + field(7, node("Relu", "a", "b")) + field(10, "own")
    inside += field(9, field(2, 13)) + field(9, field(1, "ai.onnx") + field(2, 14))
    yield made("domain imported twice by a function", [called], "UnsupportedVersion", domains=[("own", 1)], functions=[inside], faults=1)
    yield made("function defined twice", [called], "MultipleDefinitions", domains=[("own", 1)], functions=own, has="'own_relu'", faults=1)
    overloads = [f + field(13, name) for f, name in zip(own, ("a", "b"))]
    yield made("functions of two overloads", [called + field(8, "b")], "", domains=[("own", 1)], functions=overloads, status=0)
    two = graph([node("Neg", "x", "b"), node("Abs", "x", "c")], [], [("b", "f32", None), ("c", "f32", None)])
    for branches in ({"then_branch": NEGATED, "else_branch": two}, {"then_branch": two, "else_branch": NEGATED}):
        for condition, known in (("p", []), ("t", [("t", np.array(True))])):
            yield made("branches of different outputs", [node("If", condition, "y", name="one", **branches)], "RegionSignature", node="one",
                       inputs=[X, ("p", "i1", [])], constants=known, faults=1)


def files():
    yield Wrong("the seed", NAME, seed(), "", status=0)
    yield from wire()
    yield from models()
    yield from doubles()
