"""The language server's answers about names: definitions, uses, renaming, outlines, types, folds, and values to choose from."""
import json
import re
import subprocess
import unittest

from lib.program import HANG, ROOT, TENON
from lsp.editor import opened, request, session
from lsp.test_lsp import apply

URI = "file:///x"
CORE = """# a comment
# of two lines
%x = Input () {name="x"} : tensor<f32>[N, 2]
%1 = Neg (%x) : tensor<f32>[N, 2]
%2 = BinOp (Add, %1, %01) : tensor<f32>[N, 2]
outputs: %2, %x
"""
MIND = """fn f(a: Tensor<f32>[2], b: Tensor<f32>[2]) -> Tensor<f32>[2] {
  let c = a + b;
  let a = c * a;
  a
}
fn main(x: Tensor<f32>[2]) -> Tensor<f32>[2] {
  let y = f(x, b=x);
  y
}
"""
PTIR = """entry func @main(%a: tensor<f32, ?N x 2>, %"b c": tensor<f32, ?N x 2>) -> tensor<f32, ?N x 2> {
  %c = add(%a, %"b c") -> tensor<f32, ?N x 2>
  %d = tanh(%c) -> tensor<f32, ?N x 2>
  return %d
}
func @other(%a: tensor<f32>) -> tensor<f32> {
  %c = neg(%a) -> tensor<f32>
  return %c
}
"""
LOOP = """func @main(%n: tensor<si32>) -> tensor<si32> {
  %last = while(%n) cond_region[0] body_region[71] -> (tensor<si32>)
  %more = cond(literal<i1>[true], %last[0]) true_region[71] false_region[71] -> (tensor<si32>)
  return %more[0]
}
region @0(%n: tensor<si32>) -> (tensor<i1>, tensor<si32>) {
  %more = compare(%n, literal<si32>[9]) op[less] -> tensor<i1>
  return %more, %n
}
region 71(%n: tensor<si32>) -> tensor<si32> {
  %next = add(%n, literal<si32>[1]) -> tensor<si32>
  return %next
}
"""
# Sizes that are computed of others, and symbols in index maps.
COMPUTED = """func @main(%a: tensor<f32, ?N>, %b: tensor<f32, ?"M+1">) -> tensor<f32, ?"(('M+1'+N)+-2)"> {
  %c = concat(%a, %b) axis[0] -> tensor<f32, ?"('M+1'+N)">
  %d = slice(%c) starts[2] sizes[1] -> tensor<f32, 1>
  %e = broadcast_to(%d) shape[?"((N*2)+N)"] -> tensor<f32, ?"(N*3)">
  return %e
}
"""
MAPS = """{"dims": {"K": 2}, "uops": [
  {"id": "a", "uop": "INPUT", "arg": {"tensor_id": "t", "dtype": "fp32", "shape": ["N", "2*N + 1"]}},
  {"id": "b", "uop": "VIEW", "src": ["a"], "arg": {"result_shape": [3, 1], "index_map": {"out": ["i", "k"], "in": ["N - 1 - i", "K*k"]}}}]}
"""
# Statements and functions that cannot be read.
BROKEN = """fn f(alpha: Tensor<f32>[2], beta: Tensor<f32>[2]) -> Tensor<f32>[2] {
  let gamma = alpha + beta;
  let delta = gamma + ) * beta;
  let last = delta * gamma;
  f(alpha, beta=gamma ];
  last
}
fn main(x: Tensor<f32>[2]) -> Tensor<f32>[2] {
  f(x, x)
}
"""
TINY = """{"uops": [
  {"id": "a", "uop": "INPUT", "src": [], "arg": {"tensor_id": "t", "dtype": "fp32", "shape": ["N", 2]}},
  {"id": "b", "uop": "NEG", "src": ["a"]},
  {"id": "c", "uop": "ADD", "src": ["a", "b"]}], "outputs": ["c"]}
"""


def place(text, offset):
    before = text[:offset]
    return {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}


def offset(text, at):
    return sum(len(line) for line in text.splitlines(True)[:at["line"]]) + at["character"]


def ask(language, text, method, at=None, **parameters):
    if at is not None:
        parameters["position"] = place(text, at)
    *_, got = session(opened(URI, language, text), request(1, "textDocument/" + method, textDocument={"uri": URI}, **parameters))
    return got["result"] if "result" in got else got["error"]["code"]


def nth(text, part, n=0):
    """Where PART stands in TEXT for the Nth time."""
    at = -1
    for _ in range(n + 1):
        at = text.index(part, at + 1)
    return at


class Names(unittest.TestCase):
    # language, text, a place where a name stands, and all its places, the definition first
    NAMES = [
        ("mind-ir", CORE, nth(CORE, "%x", 1) + 1, [nth(CORE, "%x", k) + 1 for k in range(3)]),
        ("mind-ir", CORE, nth(CORE, "%01") + 2, [nth(CORE, "%1") + 1, nth(CORE, "%1", 1) + 1, nth(CORE, "%01") + 1]),
        ("mind-ir", CORE, nth(CORE, "N", 2), [nth(CORE, "[N", k) + 1 for k in range(3)]),
        ("mind", MIND, nth(MIND, "b=x"), [nth(MIND, "b: "), nth(MIND, "b;"), nth(MIND, "b=x")]),
        ("mind", MIND, nth(MIND, "* a") + 2, [nth(MIND, "(a") + 1, nth(MIND, "a +"), nth(MIND, "* a") + 2]),
        ("mind", MIND, nth(MIND, "  a\n") + 2, [nth(MIND, "let a") + 4, nth(MIND, "  a\n") + 2]),
        ("mind", MIND, nth(MIND, "f(x"), [nth(MIND, "f(a"), nth(MIND, "f(x")]),
        ("ptir", PTIR, nth(PTIR, "%a", 1) + 1, [nth(PTIR, "%a") + 1, nth(PTIR, "%a", 1) + 1]),
        ("ptir", PTIR, nth(PTIR, "b c", 1), [nth(PTIR, "b c"), nth(PTIR, "b c", 1)]),
        ("ptir", PTIR, nth(PTIR, "neg(%a") + 5, [nth(PTIR, "%a", 2) + 1, nth(PTIR, "%a", 3) + 1]),
        ("ptir", PTIR, nth(PTIR, "?N", 4) + 1, [nth(PTIR, "?N", k) + 1 for k in range(5)]),
        ("ptir", LOOP, nth(LOOP, "[71]") + 1, [nth(LOOP, "71(")] + [nth(LOOP, w) + len(w) for w in ("body_region[", "true_region[", "false_region[")]),
        ("ptir", LOOP, nth(LOOP, "@0") + 1, [nth(LOOP, "@0") + 1, nth(LOOP, "cond_region[") + 12]),
        ("ptir", COMPUTED, nth(COMPUTED, "?N") + 1, [nth(COMPUTED, "?N") + 1] + [m.start(1) for m in re.finditer(r"[+(](N)[)*]", COMPUTED)]),
        ("tiny-json", MAPS, nth(MAPS, '"N"') + 1, [nth(MAPS, w) + w.index("N") for w in ('"N"', "2*N", '"N - 1')]),
        ("tiny-json", MAPS, nth(MAPS, "K*k"), [nth(MAPS, '"K') + 1, nth(MAPS, "K*k")]),
        ("tiny-json", TINY, nth(TINY, '["a"') + 2, [nth(TINY, '"a"', k) + 1 for k in range(3)]),
    ]

    def test_places(self):
        for language, text, at, places in self.NAMES:
            with self.subTest(language=language, at=at):
                first = ask(language, text, "definition", at)["range"]["start"]
                self.assertEqual(offset(text, first), places[0])
                for with_definition in (True, False):
                    got = ask(language, text, "references", at, context={"includeDeclaration": with_definition})
                    self.assertEqual([offset(text, r["range"]["start"]) for r in got], sorted(places[not with_definition:]))
                marks = ask(language, text, "documentHighlight", at)
                self.assertEqual([(offset(text, m["range"]["start"]), m["kind"]) for m in marks],
                                 sorted((p, 2 if k else 3) for k, p in enumerate(places)))

    def test_what_cannot_be_read(self):
        """Names in a function with syntax errors are known, in the statements that are wrong too, and no fault is told twice."""
        for name, n in (("alpha", 3), ("beta", 3), ("gamma", 4), ("delta", 2), ("last", 2)):
            places = [m.start() for m in re.finditer(rf"\b{name}\b", BROKEN)]
            places = [p for p in places if BROKEN[p:p + 5] != "beta="]
            self.assertEqual(len(places), n)
            for at in places:
                got = ask("mind", BROKEN, "references", at, context={"includeDeclaration": True})
                self.assertEqual([offset(BROKEN, r["range"]["start"]) for r in got], places, name)
        self.assertEqual(ask("mind", BROKEN, "hover", nth(BROKEN, "gamma", 1))["contents"]["value"], "```\ngamma: Tensor<f32, [2]>\n```")
        published, = session(opened(URI, "mind", BROKEN))
        lines = [d["range"]["start"]["line"] for d in published["params"]["diagnostics"]]
        self.assertEqual(lines, sorted(set(lines) & {2, 4}))

    def test_signs(self):
        """The sign of a name counts as its beginning, which is where some editors put the cursor."""
        for language, text, at in (("mind-ir", CORE, nth(CORE, "%x", 1)), ("ptir", PTIR, nth(PTIR, '%"b c', 1)), ("ptir", PTIR, nth(PTIR, "?N", 2)),
                                   ("ptir", PTIR, nth(PTIR, "@main"))):
            name = at + 2 if text[at + 1] == '"' else at + 1
            self.assertIsNotNone(ask(language, text, "definition", name))
            for method in ("definition", "prepareRename", "hover"):
                self.assertEqual(ask(language, text, method, at), ask(language, text, method, name), method)

    def test_no_name(self):
        for method, nothing in (("definition", None), ("references", []), ("documentHighlight", []), ("prepareRename", None)):
            self.assertEqual(ask("mind-ir", CORE, method, nth(CORE, "Neg")), nothing)
        self.assertEqual(ask("mind-ir", CORE, "rename", nth(CORE, "Neg"), newName="y"), -32803)

    def test_rename(self):
        for language, text, at, places in [n for n in self.NAMES if n[1] is not LOOP]:
            with self.subTest(language=language, at=at):
                found = ask(language, text, "prepareRename", at)
                begin, end = (offset(text, found["range"][k]) for k in ("start", "end"))
                self.assertIn(begin, places)
                self.assertEqual(text[begin:end], found["placeholder"])
                once = apply(text, ask(language, text, "rename", at, newName="zebra")["changes"][URI])
                self.assertEqual(once.count("zebra"), len(places))
                self.assertNotIn("[", json.dumps(ask(language, once, "definition", nth(once, "zebra"))["range"]))
                twice = apply(once, ask(language, once, "rename", nth(once, "zebra"), newName=found["placeholder"])["changes"][URI])
                self.assertEqual(twice.replace("%01", "%1"), text.replace("%01", "%1"))

    def test_rename_regions(self):
        """Names of regions are numbers."""
        at = nth(LOOP, "71(")
        after = apply(LOOP, ask("ptir", LOOP, "rename", at, newName="12")["changes"][URI])
        self.assertEqual(after, LOOP.replace("71", "12"))
        for name in ("zebra", "0"):
            self.assertEqual(ask("ptir", LOOP, "rename", at, newName=name), -32803)

    def test_refused(self):
        for language, text, at, name in (("mind-ir", CORE, nth(CORE, "%1") + 1, "x"), ("mind-ir", CORE, nth(CORE, "%1") + 1, "a b"),
                                         ("mind-ir", CORE, nth(CORE, "%1") + 1, ""), ("mind-ir", CORE, nth(CORE, "%1") + 1, "%"),
                                         ("mind", MIND, nth(MIND, "let c") + 4, "a"), ("mind", MIND, nth(MIND, "let c") + 4, "fn"),
                                         ("ptir", PTIR, nth(PTIR, "%c") + 1, "a"), ("tiny-json", TINY, nth(TINY, '"a"') + 1, "b"),
                                         ("tiny-json", TINY, nth(TINY, '"a"') + 1, 'q"')):
            self.assertEqual(ask(language, text, "rename", at, newName=name), -32803, (language, name))
        self.assertEqual(len(ask("mind-ir", CORE, "rename", nth(CORE, "%1") + 1, newName="%y")["changes"][URI]), 3)

    def test_hover(self):
        for language, text, at, words in (("mind-ir", CORE, nth(CORE, "%x") + 1, "input x: tensor<f32>[N, 2]"),
                                          ("mind-ir", CORE, nth(CORE, "N"), None), ("mind-ir", CORE, nth(CORE, "[N") + 1, "size N"),
                                          ("mind", MIND, nth(MIND, "c *"), "c: Tensor<f32, [2]>"), ("mind", MIND, 3, "function f"),
                                          ("ptir", PTIR, nth(PTIR, "%c") + 1, "c: tensor<f32, ?Nx2>"),
                                          ("tiny-json", TINY, nth(TINY, '"b"') + 1, "b: fp32[N, 2]")):
            got = ask(language, text, "hover", at)
            if words:
                self.assertEqual(got["contents"]["value"], f"```\n{words}\n```")

    def test_sizes(self):
        """Hovering over a size tells what operations demand of it."""
        text = ("func @main(%a: tensor<f32, ?N x 2>, %b: tensor<f32, ?M>) -> tensor<f32, ?M> {\n"
                "  %c = reshape(%a) new_shape[?M] -> tensor<f32, ?M>\n  %d = add(%c, %b) -> tensor<f32, ?M>\n  return %d\n}\n")
        for name, at in (("N", nth(text, "?N") + 1), ("M", nth(text, "?M", 1) + 1)):
            got = ask("ptir", text, "hover", at)["contents"]["value"]
            self.assertEqual(got, f"```\nsize {name}\nN*2 = M\n```")

    def outline(self, symbols):
        return [(s["name"], self.outline(s["children"])) if "children" in s else s["name"] for s in symbols]

    def test_outline(self):
        for language, text, names in (("mind-ir", CORE, ["x", "1", "2"]), ("tiny-json", TINY, ["a", "b", "c"]),
                                      ("mind", MIND, [("f", ["a", "b", "c", "a"]), ("main", ["x", "y"])]),
                                      ("ptir", PTIR, [("main", ["a", "b c", "c", "d"]), ("other", ["a", "c"])])):
            self.assertEqual(self.outline(ask(language, text, "documentSymbol")), names)

    def test_hints(self):
        def hints(language, text):
            everything = {"start": place(text, 0), "end": place(text, len(text))}
            return [(offset(text, h["position"]), h["label"]) for h in ask(language, text, "inlayHint", range=everything)]
        self.assertEqual(hints("mind-ir", CORE) + hints("ptir", PTIR), [])
        self.assertEqual(hints("mind", MIND), [(nth(MIND, w) + 5, ": Tensor<f32, [2]>") for w in ("let c", "let a", "let y")])
        self.assertEqual(hints("tiny-json", TINY), [(nth(TINY, w) + 3, ": fp32[N, 2]") for w in ('"b"', '"c"')])

    def test_folds(self):
        self.assertEqual(ask("mind-ir", CORE, "foldingRange"), [{"startLine": 0, "endLine": 1, "kind": "comment"}])
        self.assertEqual(ask("mind", MIND, "foldingRange"), [{"startLine": 0, "endLine": 3}, {"startLine": 5, "endLine": 7}])
        self.assertEqual(ask("tiny-json", TINY, "foldingRange"), [{"startLine": 0, "endLine": 2}])

    def test_choices(self):
        def labels(language, text, at):
            return [c["label"] for c in ask(language, text, "completion", at)]
        at = nth(CORE, "%01") + 1
        self.assertEqual(labels("mind-ir", CORE, at), ["%x", "%1"])
        broken = PTIR.replace("tanh(%c) -> tensor<f32, ?N x 2>", "tanh(%")
        self.assertEqual(labels("ptir", broken, nth(broken, "tanh(%") + 6), ["%a", '%"b c"', "%c"])
        got = labels("mind", MIND, nth(MIND, "y\n}"))
        self.assertTrue({"f", "main", "x", "y", "matmul"} <= set(got))
        self.assertFalse({"a", "c"} & set(got))
        line = "%9 = Sum (%x) {"
        got = labels("mind-ir", CORE + line, len(CORE + line))
        self.assertTrue({"axes", "keepdims", "Sum"} <= set(got))


class Files(unittest.TestCase):
    """In programs as they are written, each value has its definition and another name for it is found everywhere."""

    def check(self, language, text, name):
        symbols = ask(language, text, "documentSymbol")
        flat = [s for top in symbols for s in [top, *top.get("children", [])] if s["kind"] != 12]
        self.assertGreater(len(flat), 3)
        for s in flat[:: max(1, len(flat) // 4)]:
            at = offset(text, s["selectionRange"]["start"])
            edits = ask(language, text, "rename", at, newName=name)["changes"][URI]
            after = apply(text, edits)
            *_, published = session(opened(URI, language, after))
            self.assertEqual([d for d in published["params"]["diagnostics"] if d["severity"] == 1], [])
            uses = ask(language, text, "references", at, context={"includeDeclaration": True})
            self.assertEqual([u["range"] for u in uses], [e["range"] for e in edits])

    def test_examples(self):
        net = ROOT / "examples/digits/train/net.ir"
        self.check("mind-ir", net.read_text(), "zebra")
        for dialect, language, name in (("ptir-text", "ptir", "zebra"), ("ptir", "ptir-json", "98765"), ("tiny", "tiny-json", "zebra")):
            done = subprocess.run([TENON, "convert", "--to", dialect, ROOT / "examples/tiny/gemm.tiny.json"], capture_output=True,
                                  text=True, timeout=HANG, check=True)
            with self.subTest(dialect=dialect):
                self.check(language, done.stdout, name)


if __name__ == "__main__":
    unittest.main()
