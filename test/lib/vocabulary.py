"""The table of operations, as `tenon ops --json` prints it, for scripts that make random programs."""
import functools
import json
import re

from lib.program import ROOT, output


@functools.cache
def table():
    """The operations by name."""
    return {op["name"]: op for op in json.loads(output("ops", "--json"))}


def elementwise(operands):
    """Elementwise operations of so many operands that need no attributes."""
    return [op for op in table().values() if "elementwise" in op["traits"] and
            op["min_operands"] == operands and not any(a["required"] for a in op["attributes"])]


def of_floats(op):
    """Does the type rule take floats and give them?"""
    return op["type_rule"] in ("neg", "abs", "relu", "unary_float", "arithmetic", "float_binary",
                               "min_max", "relu_grad")


def ptir_words(operands):
    """The words of PTIR's ElementwiseUnary or ElementwiseBinary, with their operations."""
    spelt = {op["spellings"]["ptir"] or "": op for op in elementwise(operands)}
    return {m[1]: op for text, op in spelt.items() if (m := re.match(r"Elementwise\w+\((\w+)\)", text))}


@functools.cache
def ptir_numbers(operation):
    """The variant numbers of the words of ElementwiseUnary or ElementwiseBinary."""
    kind = operation.removeprefix("Elementwise").upper()
    rows = (ROOT / "src/dialect/ptir/words.def").read_text()
    return {word: i for i, word in enumerate(re.findall(rf"^(?:MORE_)?{kind}\((\w+),", rows, re.M))}


def float_functions(operands, with_derivative=False):
    """Operations that PTIR's text form can apply to floats, by the names it has for them."""
    return [op["spellings"]["ptir-text"] for op in ptir_words(operands).values()
            if of_floats(op) and not (with_derivative and op["derivative"] == "none")]
