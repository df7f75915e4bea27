"""StableHLO text."""
from malformed import text_rules
from malformed.files import text_file
from malformed.json_rules import few

NAME = "m.mlir"
SEED = """// A step of a network.
module @net {
  func.func public @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> (tensor<2xf32>) {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %b = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %r = stablehlo.maximum %p, %b : tensor<2x4xf32>
    %t = stablehlo.transpose %r, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %s = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    %c = call @twice(%s) : (tensor<2xf32>) -> tensor<2xf32>
    return %c : tensor<2xf32>
  }
  func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
    %d = stablehlo.add %a, %a : tensor<2xf32>
    return %d : tensor<2xf32>
  }
}
"""
TABLE = [
    ("operation that is not known", "stablehlo.maximum", "stablehlo.maximun", "UnknownOp", 0),
    ("dialect that is not known", "stablehlo.maximum", "marshlo.maximum", "UnknownOp|NotExpressible", 0),
    ("operand that nothing defines", "maximum %p, %b", "maximum %p, %q", "UndefinedName", 13),
    ("operand too many", "maximum %p, %b", "maximum %p, %b, %b", "ArityMismatch|SyntaxError", None),
    ("operand too few", "maximum %p, %b", "maximum %p", "ArityMismatch|SyntaxError", None),
    ("value defined twice", "%t = stablehlo.transpose %r", "%r = stablehlo.transpose %r", "MultipleDefinitions", 1),
    ("function that is not there", "call @twice", "call @thrice", "UndefinedName", None),
    ("function defined twice", "func.func private @twice", "func.func private @main", "MultipleDefinitions", "@main"),
    ("element type that is not known", "dims = [] : (tensor<f32>) -> tensor<2x4xf32>", "dims = [] : (tensor<f32>) -> tensor<2x4xf33>", "UnknownDType", "f33"),
    ("another type declared", "dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>", "dims = [1, 0] : (tensor<2x4xf32>) -> tensor<2x4xf32>", "TypeMismatch|ShapeMismatch", None),
    ("permutation that is none", "dims = [1, 0]", "dims = [1, 1]", "InvalidPermutation|DuplicateAxis", None),
    ("permutation too long", "dims = [1, 0]", "dims = [1, 0, 2]", "InvalidPermutation|InvalidAxis", None),
    ("axis that is not there", "dimensions = [0] :", "dimensions = [7] :", "InvalidAxis", None),
    ("axis twice", "dimensions = [0] :", "dimensions = [0, 0] :", "DuplicateAxis|InvalidAxis", None),
    ("extents that do not fit", "contracting_dims = [1] x [0]", "contracting_dims = [0] x [0]", "DimensionMismatch", None),
    ("lists of other lengths", "contracting_dims = [1] x [0]", "contracting_dims = [1] x [0, 1]", "DimensionMismatch|InvalidAttribute|RankMismatch|ArityMismatch", None),
    ("constant that is no number", "dense<0.000000e+00> : tensor<f32>", "dense<zero> : tensor<f32>", "InvalidConstant|SyntaxError", None),
    ("constant with too many elements", "dense<0.000000e+00> : tensor<f32>", "dense<[1.0, 2.0]> : tensor<f32>", "InvalidConstant|ElementCountMismatch", None),
    ("result of another type", "return %c : tensor<2xf32>", "return %r : tensor<2x4xf32>", "TypeMismatch|ShapeMismatch", None),
    ("no result", "return %c : tensor<2xf32>", "return", "RegionSignature", None),
    ("parenthesis left out", "reduce(%t init: %zero)", "reduce(%t init: %zero", "SyntaxError", None),
    ("bracket left out", "dims = [1, 0]", "dims = [1, 0", "SyntaxError", None),
    ("brace left out", "    return %d : tensor<2xf32>\n  }\n", "    return %d : tensor<2xf32>\n", "SyntaxError", None),
    ("brace too many", "", "}\n", "SyntaxError", 0),
    ("text behind the end", "", "nonsense\n", "SyntaxError|UnknownOp", 0),
    ("type without its end", "(%x: tensor<2x3xf32>,", "(%x: tensor<2x3xf32,", "SyntaxError", None),
    ("string without its end", "module @net", "module @\"net", "SyntaxError|UnterminatedString", '"'),
    ("extent beyond 64 bits", "(%x: tensor<2x3xf32>,", "(%x: tensor<99999999999999999999x3xf32>,", "InvalidNumber|InvalidDimension|SyntaxError", None),
    ("function that calls itself", "%d = stablehlo.add %a, %a : tensor<2xf32>", "%d = call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>", "Cycle", None),
]


def files():
    yield from text_rules.characters(NAME, SEED, control="SyntaxError|InvalidCharacter", comment="//")
    yield from text_rules.replaced(NAME, SEED, TABLE, faults=1)
    tokens = [t for t in text_rules.TOKEN.finditer(SEED) if t.start() > SEED.index("func.func public")]
    for t in few(tokens[:-1], 40):
        yield text_file("cut behind a token", NAME, SEED[:t.end()], None, "SyntaxError|UnknownDType|MissingOutputs", faults=1)
    deep = "[" * 300
    yield text_file("deep nesting", NAME, SEED.replace("%a, %a :", "%a, %a {x.y = " + deep + "} :"), None, "LimitExceeded", faults=1)
