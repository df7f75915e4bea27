"""Malformed StableHLO: the code and place of the first error, for each text; and a text that is cut at every byte."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from lib.program import TENON

TWO = "func.func @g(%a: tensor<f32>) -> tensor<f32> {{\n{}\nreturn %a : tensor<f32> }}\nfunc.func @main(%a: tensor<f32>) -> tensor<f32> {{\n" \
    "%0:2 = \"interpreter.run_parallel\"(%a, %a) {{programs = {}}} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)\nreturn %0#0 : tensor<f32> }}"
SUM = "({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %0 = stablehlo.add %x, %y : tensor<f32> stablehlo.return %0 : tensor<f32> })"
F = "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n"
END = "\nreturn %a : tensor<f32> }"
TEXTS = [
    ("", "MissingOutputs", None),
    ("// nothing\n", "MissingOutputs", None),
    ("func.func @f(%x: tensor<2xf32>", "SyntaxError", (1, 31)),
    ("func.func @f(%x: tensor<2xf33>) { return }", "UnknownDType", (1, 27)),
    ("func.func @f(%x: tensor<*xf32>) { return }", "RankMismatch", (1, 25)),
    ("func.func @f(%a: tensor<f32>, %a: tensor<f32>) { return }", "MultipleDefinitions", (1, 32)),
    ("func.func @f() { return }\nfunc.func @f() { return }", "MultipleDefinitions", (2, 11)),
    ("func.func @f() { return }\nfunc.func @g() { return }", "Usage", None),
    ("HloModule m", "WrongDialect", (1, 1)),
    (F + "%0 = stablehlo.add %b, %a : tensor<f32>" + END, "UndefinedName", (2, 21)),
    (F + "%0:2 = stablehlo.add %a, %a : tensor<f32>" + END, "ArityMismatch", (2, 8)),
    (F + "%0 = \"stablehlo.abs\"(%a) : (tensor<f64>) -> tensor<f64>" + END, "TypeMismatch", (2, 6)),
    (F + "%0 = stablehlo.abs %a {k.v = 1, k.v = 2} : tensor<f32>" + END, "DuplicateKey", (2, 33)),
    (F + "%0 = stablehlo.constant dense<\"0x00> : tensor<f32>" + END, "SyntaxError", (2, 31)),
    (F + "%0 = stablehlo.abs %a loc(\"x\" : tensor<f32>" + END, "SyntaxError", (2, 23)),
    (F + "^bb0:" + END[:-1] + "\n^bb1:" + END, "NotImplemented", (2, 1)),
    (F + "%0 = call @f(%a) : (tensor<f32>) -> tensor<f32>" + END, "Cycle", (2, 6)),
    (F + "%0 = stablehlo.constant dense<300> : tensor<i8>\n%1 = stablehlo.abs %0 : tensor<i8>" + END, "InvalidConstant",
     (2, 34)),
    (F + "%0 = stablehlo.constant dense<[1]> : tensor<2xi8>\n%1 = stablehlo.abs %0 : tensor<2xi8>" + END, "InvalidConstant",
     (2, 33)),
    ("func.func @f(%a: tensor<4x!quant.any<i8:f32>>) { return }", "DTypeNotSupported", (1, 11)),
    ("func.func @f(%a: tensor<4x!quant.uniform<i8:f32, 0.0>>) { return }", "InvalidAttribute", (1, 50)),
    ("func.func @f(%a: tensor<4x!quant.uniform<i8<-129:1>:f32, 1.0>>) { return }", "InvalidAttribute", (1, 42)),
    ("func.func @f(%a: tensor<4x!quant.uniform<i64:f32, 1.0>>) { return }", "UnknownDType", (1, 42)),
    ("func.func @f(%a: tensor<4x!quant.uniform<i8:i8, 1.0>>) { return }", "UnknownDType", (1, 45)),
    ("func.func @f(%a: tensor<4x!quant.uniform<i8:f32:0, 1.0>>) { return }", "SyntaxError", (1, 52)),
    ("func.func @f(%a: tensor<4x!quant.uniform<i8:f32:0, {1.0:1, 2.0}>>) -> tensor<4xf32> {\n"
     "%0 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32:0, {1.0:1, 2.0}>>) -> tensor<4xf32>\n"
     "return %0 : tensor<4xf32> }", "ShapeMismatch", (2, 6)),
    ("func.func @f(%a: tensor<4x!quant.uniform<i8:f32:{0:2}, {{1.0}, 2.0}>>) { return }", "SyntaxError", (1, 64)),
    ("func.func @f(%a: tensor<4x4x!quant.uniform<i8:f32:{0:2}, {{1.0}, {2.0, 3.0}}>>) { return }", "InvalidAttribute", (1, 67)),
    ("func.func @f(%a: tensor<4x!quant.uniform<i8:f32:{0:0}, {1.0}>>) { return }", "InvalidAttribute", (1, 50)),
    ("func.func @f(%a: tensor<4x!quant.uniform<i8:f32:{0:2}, {1.0, 2.0, 3.0}>>) -> tensor<4xf32> {\n"
     "%0 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32:{0:2}, {1.0, 2.0, 3.0}>>) -> tensor<4xf32>\n"
     "return %0 : tensor<4xf32> }", "ShapeMismatch", (2, 6)),
    ("func.func @f(%a: tensor<f32>) -> tensor<f64> { return %a : tensor<f32> }", "TypeMismatch", (1, 11)),
    (F + "%0 = stablehlo.abs %a {x.y = " + 300 * "[" + "} : tensor<f32>" + END, "LimitExceeded", None),
    (F + "%0 = chlo.mulhi %a, %a : tensor<f32>, tensor<f32> -> tensor<f32>" + END, "DTypeNotSupported", (2, 6)),
    (F + "%0 = \"chlo.scan\"(%a) ({ ^bb0(%b: tensor<f32>): stablehlo.return %b : tensor<f32> }) : (tensor<f32>) -> tensor<f32>" + END,
     "ArityMismatch", (2, 6)),
    (F + "%0 = chlo.scan(%a) inits() dimension=0 { ^bb0(%b: tensor<f32>): stablehlo.return %b : tensor<f32> } : (tensor<f32>) -> tensor<f32>"
     + END, "InvalidAxis", (2, 6)),
    (F + "%0 = chlo.scan(%a) inits(%a) axis=0 {" + END, "SyntaxError", (2, 30)),
    (F + "%0 = chlo.scan(%a) inits(%a) dimension=0 {} : (tensor<f32>) -> tensor<f32>" + END, "ArityMismatch", (2, 6)),
    ("func.func @f(%a: tensor<3xf32>) -> tensor<f32> {\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%0 = chlo.scan(%a) inits(%z) dimension=0 { ^bb0(%b: tensor<f32>, %c: tensor<f32>): stablehlo.return %b, %c : tensor<f32>, tensor<f32> }"
     " : (tensor<3xf32>, tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32> }", "RegionSignature", None),
    ("func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {\n%t = stablehlo.create_token : !stablehlo.token\n"
     "%0:2 = chlo.scan(%a) inits(%t) dimension=0 { ^bb0(%b: tensor<f32>, %c: !stablehlo.token): stablehlo.return %b, %c : tensor<f32>,"
     " !stablehlo.token } : (tensor<3xf32>, !stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)\nreturn %0#0 : tensor<3xf32> }",
     "NotImplemented", (3, 8)),
    (TWO.format("", "[@g, @g]"), "InvalidAttribute", (5, 8)),
    (TWO.format("", "[[@g], []]"), "InvalidAttribute", (5, 8)),
    (TWO.format("", "[[@g], [@h]]"), "UndefinedName", (5, 8)),
    (TWO.format("", "[[@g, @g, @g]]"), "ArityMismatch", (5, 8)),
    (TWO.format("", "[[@g]]"), "ArityMismatch", (5, 8)),
    (TWO.format("%t = stablehlo.create_token : !stablehlo.token\n%0:2 = \"stablehlo.recv\"(%t) : (!stablehlo.token) -> (tensor<f32>, "
                "!stablehlo.token)", "[[@g], [@g]]"), "Cycle", (6, 8)),
    (TWO.format("%t = stablehlo.create_token : !stablehlo.token\n%0:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> (tensor<f32>, "
                "!stablehlo.token)", "[[@g], [@g]]"), "ArityMismatch", (3, 8)),
    (TWO.format(f"%0 = \"stablehlo.all_reduce\"(%a) {SUM} {{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}} : (tensor<f32>) -> tensor<f32>",
                "[[@g], [@g]]"), "InvalidAttribute", (2, 6)),
    (TWO.format(f"%0 = \"stablehlo.all_reduce\"(%a) {SUM} {{replica_groups = dense<[[0, 1, 0]]> : tensor<1x3xi64>}} : (tensor<f32>) -> tensor<f32>",
                "[[@g], [@g]]"), "InvalidAttribute", (2, 6)),
    *[(TWO.format(f"%0 = \"stablehlo.all_reduce\"(%a) ({{ ^bb0(%p: tensor<{p}>, %q: tensor<{q}>): stablehlo.return %p : tensor<{p}> }}) "
                  "{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>", "[[@g], [@g]]"), "RegionSignature", (2, 6))
      for p, q in (("f32", "f64"), ("f16", "f16"), ("i32", "i32"), ("1xf32", "1xf32"))],
    (TWO.format(f"%0 = \"stablehlo.all_reduce\"(%a) {SUM} {{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = 1>}} : (tensor<f32>) -> "
                "tensor<f32>", "[[@g], [@g]]"), "InvalidAttribute", (2, 6)),
    (TWO.format("%0 = \"stablehlo.all_to_all\"(%a) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, "
                "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>", "[[@g], [@g]]"), "InvalidAxis", (2, 6)),
    ("func.func @f(%a: tensor<2x3xf32>) { %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}}"
     " : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>) return }", "ShapeMismatch", (1, 44)),
    ("func.func @f(%a: tensor<3x3xf32>) { %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a)"
     " : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>) return }", "InvalidAttribute", (1, 44)),
    ("func.func @f(%a: tensor<3x3xf32>) { %0 = stablehlo.custom_call @lapack_spotrf(%a)"
     " : (tensor<3x3xf32>) -> tensor<3x3xf32> return }", "ArityMismatch", (1, 42)),
    ("func.func @f(%a: tensor<3x3xf32>, %k: tensor<f32>) { %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %a, %k)"
     " : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32> return }", "NotImplemented", (1, 59)),
    (b"ML\xefR\x01StableHLO_v1.9.3\x00", "Bytecode", None),
]
WHOLE = F + """  %c = stablehlo.constant dense<[[1.0, 0x7F800000]]> : tensor<1x2xf32>
  %0:2 = stablehlo.while(%i = %a, %j = %a) : tensor<f32>, tensor<f32> attributes {a.b = #c<d>} cond {
    %1 = stablehlo.compare LT, %i, %j, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do { stablehlo.return %j, %i : tensor<f32>, tensor<f32> } loc("l"(unknown))
  return %0#1 : tensor<f32>
}"""


class Malformed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "m.mlir"

    def check(self, text):
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = subprocess.run([TENON, "check", "--diagnostics", "json", "--from", "stablehlo", self.path], capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, check=False)
        return done.returncode, [json.loads(line) for line in done.stderr.splitlines()]

    def test_texts(self):
        for text, code, place in TEXTS:
            with self.subTest(text=text[:200]):
                status, found = self.check(text)
                self.assertTrue(found)
                self.assertEqual((status, found[0]["kind"]), (1, code))
                if place:
                    self.assertEqual((found[0]["line"], found[0]["column"]), place)

    def test_cut(self):
        self.assertEqual(self.check(WHOLE), (0, []))
        for n in range(0, len(WHOLE) - 1, 7):
            with self.subTest(n=n):
                status, found = self.check(WHOLE[:n])
                self.assertEqual(status, 1)
                self.assertTrue(found)

    def test_origins(self):
        """What is refused says where it comes from, as far as locations tell: the name of the operation and the innermost place."""
        aliases = """
#inner = loc("net.py":12:4)
#call = loc(callsite("f"(#inner) at "main.py":1:2))
#named = loc("jit(f)/mul"(#call))
#circle = loc(#circle)"""
        for location, want in [("#named", "(jit(f)/mul at net.py:12:4)"), ('"f.py":3:7 to :9', "(f.py:3:7)"), ('"only/name"', "(only/name)"),
                               ('fused<"x<y>">["a"(#inner), "b"]', "(a at net.py:12:4)"), ('callsite(#inner at #call)', "(net.py:12:4)"),
                               ("unknown", "text"), ("#circle", "text"), ("#nowhere", "text"), ("fused[]", "text")]:
            with self.subTest(location):
                _, found = self.check(F + f'%0 = stablehlo.custom_call @tpu_custom_call(%a) : (tensor<f32>) -> tensor<f32> loc({location})' + END + aliases)
                self.assertEqual(found[0]["kind"], "UnknownTarget")
                self.assertTrue(found[0]["message"].endswith(want), found[0]["message"])

    def test_origins_later(self):
        """The graph keeps them: of a call for what the function does."""
        self.path.write_text("""func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
            %0 = call @f(%a) : (tensor<2xf32>) -> tensor<2xf32> loc("jit(f)"("net.py":3:0))
            return %0 : tensor<2xf32> }
          func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
            %0 = stablehlo.sine %a : tensor<2xf32>
            return %0 : tensor<2xf32> }""", encoding="utf-8")
        done = subprocess.run([TENON, "grad", self.path], capture_output=True, stdin=subprocess.DEVNULL, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("note: it comes from jit(f) at net.py:3:0", done.stderr)


if __name__ == "__main__":
    unittest.main()
