"""Options that would change nothing are refused, and not passed over."""
import pathlib
import tempfile
import unittest

from lib.onnx_files import model, node
from lib.program import start

PROGRAMS = {
    "a.ir": '%0 = Input () {name="x"} : tensor<f32>[3]\n%1 = BinOp (%0, %0) {op=Add} : tensor<f32>[3]\noutputs: %1\n',
    "a.ptir": "func @main(%x: tensor<f32, ?N>) -> tensor<f32, ?N> {\n  %s = add(%x, %x) -> tensor<f32, ?N>\n  return %s\n}\n",
    "a.tiny.json": '{"uops": [{"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": [3]}}, '
                   '{"id": "y", "uop": "NEG", "src": ["x"]}], "outputs": ["y"]}',
    "a.mlir": "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n  %0 = stablehlo.add %a, %a : tensor<?xf32>\n"
              "  return %0 : tensor<?xf32>\n}\n",
    "a.mind": "q + 1.0\n",
    "a.onnx": model([node("Add", "x x", "y")], [("x", "f32", ["N"])], [("y", "f32", None)])}
# which of them each option of readers is for
READERS = {("--slice-negative", "clamp"): ("a.ir", "a.mind"), ("--strict",): ("a.tiny.json",), ("--max-pieces", "5"): ("a.tiny.json",),
           ("--declare", "q=f32[3]"): ("a.mind",), ("--input", "q=f32[3]"): ("a.mind",), ("--dim", "N=3"): ("a.mlir", "a.onnx")}


class NoEffect(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        for name, text in PROGRAMS.items():
            (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def check(self, status, words, *arguments):
        done = start(*arguments, cwd=self.folder)
        self.assertEqual((done.returncode, words in done.stderr), (status, True), (arguments, done.stderr))

    def test_readers(self):
        for option, takes in READERS.items():
            for name in PROGRAMS:
                own = ["--declare", "q=f32[3]"] if name == "a.mind" and "q=f32[3]" not in option else []
                for command in "check", "opt":
                    if name in takes:
                        self.check(0, "", command, name, *option, *own)
                    else:
                        self.check(2, f"'{command} {option[0]}' is for programs in", command, name, *option, *own)
                # it may be meant for another program
                self.check(0, "", "check", name, takes[0], *option, *own)

    def test_entry_of_a_model(self):
        self.check(2, "no function 'other'", "check", "a.onnx", "--entry", "other")
        self.check(0, "", "check", "a.onnx", "--entry", "main")

    def test_combinations(self):
        for words, arguments in (
                ("inputs go with --mlir-entry", "convert a.ir --to ptir --random 1"),
                ("inputs go with --mlir-entry", "convert a.ir --to mlir --inputs x.npz"),
                ("--entrypoint goes with -o DIR/", "convert a.ir --to ptir --entrypoint f"),
                ("--entrypoint goes with -o DIR/", "convert a.ir -o b.ptir --entrypoint f"),
                ("beside --code only -o", "explain --code E3003 --json"),
                ("--cpu changes no buffers", "explain a.ir --buffers --cpu haswell"),
                ("--schedule changes no buffers", "explain a.ir --buffers --schedule rows=8"),
                ("--kernel goes with --dump kernels, loops or all", "explain a.ir --dump graph --kernel 0"),
                ("--check is about compiled kernels", "run a.ir --random 1 --engine ref --check"),
                ("--schedule is about compiled kernels", "run a.ir --random 1 --engine ref --schedule rows=8"),
                ("have tolerances of their own", "verify a.mlir --atol 1"),
                ("--keep needs --checkpoint", "train a.ir --wrt x --data x.npz --keep 2"),
                ("--recompute none excludes", "train a.ir --wrt x --data x.npz --memory 1M --recompute none"),
                ("not that of --update", "train --show-update --update a.ir")):
            with self.subTest(arguments):
                self.check(2, words, *arguments.split())
        self.check(0, "", "explain", "--code", "E3003", "-o", "page.txt")
        self.check(0, "", "explain", "a.ir", "--dump", "loops", "--kernel", "0")


if __name__ == "__main__":
    unittest.main()
