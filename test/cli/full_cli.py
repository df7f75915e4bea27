"""The command line: options, exit statuses, where output goes, and the form of diagnostics.
"""
import json
import os
import pathlib
import platform
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from lib.onnx_files import model, node
from lib.program import HANG, TENON

ADD = """\
%0 = Input () {name="x"} : tensor<f32>[2, 3]
%1 = Input () {name="y"} : tensor<f32>[3]
%2 = BinOp (%0, %1) {op=Add} : tensor<f32>[2, 3]
outputs: %2, %0
"""
BAD = """\
%0 = Input () {name="x"} : tensor<f32>[2, 3]
%1 = Reshape (%0) {new_shape=[4, 2]} : tensor<f32>[4, 2]
outputs: %1
"""
GATHER = """\
%0 = Input () {name="t"} : tensor<f32>[4, 2]
%1 = Input () {name="i"} : tensor<i64>[3]
%2 = Gather (%0, %1) : tensor<f32>[3, 2]
outputs: %2
"""
DEAD = """\
%0 = Input () {name="x"} : tensor<f32>[2]
%1 = Neg (%0) : tensor<f32>[2]
%2 = Exp (%0) : tensor<f32>[2]
outputs: %1
"""
SYMBOLS = """\
func @main(%x: tensor<f32, ?Ax2>, %y: tensor<f32, ?Ax2>) -> (tensor<f32, ?Ax2>, tensor<f32, ?N>) {
  %s = add(%x, %y) -> tensor<f32, ?Ax2>
  %n = reshape(%s) new_shape[infer] -> tensor<f32, ?N>
  return %s, %n
}
"""
LOOP = """\
func @main(%x: tensor<i1>) -> tensor<f32> {
  %z = constant value[0.0] -> tensor<f32>
  %r = while(%z) cond_region[1] body_region[2] -> tensor<f32>
  return %r
}
region @1(%i: tensor<f32>) -> (tensor<i1>, tensor<f32>) {
  %p = compare(%i, %i) op[equal] -> tensor<i1>
  return %p, %i
}
region @2(%i: tensor<f32>) -> tensor<f32> {
  return %i
}
"""
CUSTOM = """\
func @main(%x: tensor<f32, 2>) -> tensor<f32, 2> {
  %y = custom_call(%x) target["acme.scale.v1"] attrs[by = 3.0] -> tensor<f32, 2>
  return %y
}
"""
FIELDS = ["severity", "kind", "code", "message", "file", "line", "column", "length", "node",
          "notes", "fix"]
COMMANDS = ["check", "fmt", "convert", "equiv", "grad", "opt", "run", "compile", "explain", "ops", "passes"]


class Done:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()

    def json(self):
        return [json.loads(line) for line in self.err.splitlines()]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        (self.dir / name).write_text(text)
        return name

    def tenon(self, *args, stdin="", status=0, env=None):
        done = Done(subprocess.run([TENON, *args], cwd=self.dir, input=stdin if isinstance(stdin, bytes) else stdin.encode(),
                                   capture_output=True, timeout=HANG, env=env))
        if env is None:  # a machine may lack LLVM
            done.err = "".join(line for line in done.err.splitlines(True) if "runs reference kernels" not in line)
        if status is not None:
            self.assertEqual(done.status, status, done.err + done.out)
        self.assertFalse(done.err and status == 0 and "error" in done.err, done.err)
        return done


class Top(Case):
    def test_help(self):
        text = self.tenon("--help").out
        for name in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {name} ")
            page = self.tenon(name, "--help").out
            self.assertEqual(self.tenon(name, "-h").out, page)
            self.assertIn(f"tenon {name}", page)
            self.assertIn("--diagnostics", page)
        for name in COMMANDS:
            page = self.tenon("help", name).out
            self.assertEqual(re.findall(r"(?m)^[A-Z].*$", page), ["NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"])
            options = page.split("\nOPTIONS\n")[1].split("\nEXIT STATUS")[0]
            self.assertTrue(self.tenon(name, "--help").out.endswith("\n\n" + options), name)
            self.assertRegex(page.split("SYNOPSIS")[1], rf"^\n  tenon {name}\b")
        self.assertEqual(self.tenon("help").out, self.tenon("--help").out)
        for other in "completions", "manual":
            self.assertIn(other, text)

    def test_version(self):
        self.assertRegex(self.tenon("--version").out, r"^tenon \d+\.\d+\.\d+\n$")
        self.assertEqual(self.tenon("check", "--version").out, self.tenon("--version").out)

    def test_wrong_usage(self):
        for args in [[], ["no-such"], ["--no-such"], [""], ["check"], ["fmt"], ["fmt", "a", "b"],
                     ["run"], ["opt"], ["check", "--no-such"], ["check", "--from"], ["ops", "a", "b"],
                     ["passes", "a"], ["check", "--color", "blue", "x"], ["check", "--color=", "x"],
                     ["check", "--diagnostics", "xml", "x"], ["check", "--help=1"],
                     ["check", "--profile", "v9", "x"], ["check", "--limit", "nodes", "x"],
                     ["check", "--limit", "nodes=x", "x"], ["check", "--limit", "bugs=1", "x"],
                     ["check", "--limit", "=", "x"], ["run", "-O3", "x"], ["run", "-O", "x", "x"],
                     ["run", "--time", "0", "x"], ["run", "--time", "-1", "x"],
                     ["run", "--threads", "0", "x"], ["run", "--random", "-1", "x"],
                     ["run", "--random", "18446744073709551616", "x"], ["run", "--engine", "x", "x"],
                     ["run", "--device", "tpu", "x"], ["run", "--output=", "x"], ["-o"], ["fmt", "-o"],
                     ["run", "-" + "x" * 5000, "x"]]:
            done = self.tenon(*args, status=2)
            self.assertIn("[Usage]", done.err, args)
            self.assertEqual(done.out, "")

    def test_options_that_exclude_each_other(self):
        add = self.write("add.ir", ADD)
        for args in [["ops", "add", "--json"], ["ops", "--json", "--legality"],
                     ["explain", add, "--json", "--svg"], ["explain", add, "--buffers", "--dump", "loops"],
                     ["explain", add, "--kernel", "0"], ["opt", add, "--passes", "cse", "-O1"],
                     ["opt", add, "--passes", "cse", "--numerics", "exact"], ["check", "-", "-"],
                     ["run", "-", "--input", "x=-"], ["run", add, "--input", "x=-", "--inputs", "-"]]:
            done = self.tenon(*args, status=2)
            self.assertIn("[Usage]", done.err, args)
            self.assertEqual(done.out, "")
        self.tenon("explain", add, "--dump", "loops", "--kernel", "0")

    def test_suggestions(self):
        """Whatever is looked up by a name: a misspelt one is answered with the one that was meant."""
        sized = self.write("sized.ptir", SYMBOLS)
        add = self.write("add.ir", ADD)
        for args, meant in [(["chek", add], "check"), (["help", "chek"], "check"),
                            (["run", "--ramdom", "1"], "--random"), (["ops", "exq"], "exp"),
                            (["opt", add, "--passes", "normalise"], "normalize"),
                            (["opt", add, "--dump-after", "csr"], "cse"),
                            (["check", add, "--from", "mnid"], "mind"),
                            (["convert", add, "--to", "ptri"], "ptir"),
                            (["fmt", add, "--style", "posional"], "positional"),
                            (["check", add, "--limit", "node=3"], "nodes"),
                            (["run", add, "--input", "X=a.npy"], "x"),
                            (["run", sized, "--dim", "a=3", "--random", "1"], "A"),
                            (["equiv", sized, sized, "--dim", "a=3"], "A"),
                            (["run", sized, "--entry", "mian"], "main"),
                            (["grad", add, "--wrt", "Y"], "y")]:
            self.assertIn(f"did you mean '{meant}'?", self.tenon(*args, status=2).err, args)

    def test_long_names_are_cut(self):
        """What a file or an argument says in a million bytes is repeated without its middle, as text and as JSON."""
        name = "n" * 1000000
        (self.dir / "long.ir").write_text(f'%0 = Input () {{name="{name}"}} : tensor<f32>[2]\noutputs: %0\n')
        for arguments in (["run", "long.ir"], ["run", "long.ir", "--input", "q=1"], ["run", "long.ir", "--random", "1", "--output", "x" * 3000]):
            for form in "text", "json":
                done = self.tenon(*arguments, "--diagnostics", form, status=None)
                self.assertNotEqual(done.status, 0)
                self.assertLess(len(done.err), 3000)
                self.assertIn("bytes left out]", done.err)

    def test_options_of_reading(self):
        """Commands that read no program have none."""
        for command in "ops", "passes", "cache", "lsp":
            self.assertNotIn("--from", self.tenon("help", command).out)
            self.tenon(command, "--timeout", "3", status=2)
            self.assertNotIn("did you mean", self.tenon(command, "-Z", status=2).err)

    def test_reading_order_stays(self):
        """What could change the order in which a terminal shows a line is shown as `?`."""
        for code in (0x061c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069):
            self.write("b.ir", f'%0 = Input () {{name="a{chr(code)}b"}} : tensor<f32>[1]\noutputs: %1\n%2 = Nope{chr(code)} (%0) : tensor<f32>[1]\n')
            done = self.tenon("check", "b.ir", status=1)
            self.assertNotIn(chr(code), done.err)
            self.assertIn("Nope?", done.err)

    def test_dialects_are_listed(self):
        """All of them, where one is not known: those that can be read, or converted to."""
        add = self.write("add.ir", ADD)
        both = "mind, {}ptir, ptir-text, ptir-bincode, tiny, onnx, {}stablehlo"
        for args, names in [(["check", add, "--from", "x"], both.format("mind-source, ", "")),
                            (["convert", add, "--to", "x"], both.format("", "mlir, ") + ", dot"),
                            (["convert", add, "--to", "mind-source"], both.format("", "mlir, ") + ", dot")]:
            self.assertIn(f"note: these may be named: {names}\n", self.tenon(*args, status=2).err, args)

    def test_usage_error_as_json(self):
        for args in [["check", "--diagnostics=json", "--nope"], ["run", "--nope", "--diagnostics", "json"]]:
            (d,) = self.tenon(*args, status=2).json()
            self.assertEqual(list(d), FIELDS)
            self.assertEqual((d["kind"], d["code"], d["line"]), ("Usage", "Usage", 0))


class Compile(Case):
    def test_names(self):
        self.write("a.ir", ADD)
        for out, entry in [("net.c", "net"), ("3-layer net.v2.c", "_3_layer_net"), (".c", "program"),
                           ("libnet.c", "libnet")]:
            self.tenon("compile", "a.ir", "-o", out, "--header", "x.h")
            self.assertIn(f"\nint {entry}_run(", (self.dir / out).read_text())
            self.assertIn(f"#define {entry.upper()}_WORKSPACE_BYTES ", (self.dir / "x.h").read_text())
        self.tenon("compile", "a.ir", "-o", "net.c", "--name", "other")
        self.assertIn("\nint other_run(", (self.dir / "net.c").read_text())
        self.tenon("compile", "a.ir", "-o", "only.h")
        self.assertIn("int only_run(", (self.dir / "only.h").read_text())

    def test_same_text(self):
        self.write("a.ir", ADD)
        self.write("b.ir", ADD)
        os.mkdir(self.dir / "sub")
        self.write("sub/a.ir", ADD)
        for out, program in [("x/net.c", "a.ir"), ("y/net.c", "sub/a.ir")]:
            os.mkdir(self.dir / out[0])
            self.tenon("compile", program, "-o", out)
        self.assertEqual((self.dir / "x/net.c").read_text(), (self.dir / "y/net.c").read_text())

    def test_usage(self):
        self.write("a.ir", ADD)
        for args in [[], ["-o", "net"], ["-o", "net.exe"], ["-o", "-"], ["-o", "n.c", "--header="], ["-o", "n.c", "--header", "n.c"],
                     ["-o", "n.c", "--weights", "w", "--header", "w"], ["-o", "n.o", "--weights", "n.o"],
                     ["-o", "n.c", "-O3"], ["-o", "n.c", "--dim", "N"], ["-o", "n.c", "--name", "a b"],
                     ["-o", "n.c", "--entry", "nothing"], ["-o", "n.c", "a.ir"]]:
            self.assertIn("[Usage]", self.tenon("compile", "a.ir", *args, status=2).err, args)
        self.assertIn("[FileError]", self.tenon("compile", "a.ir", "-o", "no/such.c", status=3).err)

    def test_symbols(self):
        self.write("s.ptir", SYMBOLS)
        done = self.tenon("compile", "s.ptir", "-o", "s.c", status=1)
        self.assertIn("'A' has no value (--dim SYM=N)", done.err)
        self.tenon("compile", "s.ptir", "-o", "s.c", "--dim", "A=3")
        self.assertIn("inputs[0]  f32[3,2]  24 bytes", (self.dir / "s.c").read_text())
        self.write("t.ptir", "func @main(%x: tensor<f32, ?A x ?B>, %y: tensor<f32, ?B x ?C>) -> tensor<f32, ?A x ?B> {\n  return %x\n}\n")
        done = self.tenon("compile", "t.ptir", "-o", "t.c", status=1)
        self.assertIn(": 'A', 'B', 'C' have no value (--dim SYM=N)", done.err)

    def test_machines(self):
        self.write("a.ir", ADD)
        done = self.tenon("compile", "a.ir", "-o", "a.s", "--target", "aarch64-linux-gnu",
                          status=None)
        if "LLVM cannot be loaded" in done.err:
            self.skipTest("LLVM is not there")
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("a_run:", (self.dir / "a.s").read_text())
        for args in [["--target", "vax"], ["--cpu", "no-such"], ["--target", "x86_64-linux-gnu",
                                                                 "--cpu", "cortex-a72"]]:
            done = self.tenon("compile", "a.ir", "-o", "b.o", *args, status=3)
            self.assertIn("[BackendUnavailable]", done.err)
            self.assertFalse((self.dir / "b.o").exists())
        done = self.tenon("compile", "a.ir", "-o", "b.o", "--cpu", "no-such", status=3)
        self.assertIn("'no-such' is not known for this machine", done.err)
        self.tenon("run", "a.ir", "--random", "1", "--cpu", "x86-64-v2")

    @unittest.skipUnless(platform.machine() == "x86_64", "the names are those of x86-64")
    def test_cpus_beyond_this_one(self):
        """Code can be made for any CPU; where this machine cannot run it, that is said first."""
        self.write("a.ir", ADD)
        plain = self.tenon("run", "a.ir", "--random", "1", "--engine", "ref").out
        refused = 0
        for cpu in ("native", "x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids", "znver5", "bdver4"):
            done = self.tenon("compile", "a.ir", "-o", "a.o", "--cpu", cpu, status=None)
            if "LLVM cannot be loaded" in done.err:
                self.skipTest("LLVM is not there")
            self.assertEqual(done.status, 0, done.err)
            done = self.tenon("run", "a.ir", "--random", "1", "--cpu", cpu, status=None)
            if done.status == 0:
                self.assertEqual(done.out, plain)
            else:
                refused += 1
                self.assertEqual(done.status, 3)
                self.assertIn(f"cannot run code for the CPU '{cpu}' [BackendUnavailable]", done.err)
        self.assertGreater(refused, 0)  # no CPU has the instructions of both of AMD's families and Intel's

    def test_no_linker(self):
        self.write("a.ir", ADD)
        done = self.tenon("compile", "a.ir", "-o", "a.so", env={"PATH": "/nowhere"}, status=3)
        if "LLVM cannot be loaded" not in done.err:
            self.assertIn("needs a linker", done.err)


class Check(Case):
    def test_silent_when_valid(self):
        self.write("a.ir", ADD)
        done = self.tenon("check", "--all-errors", "a.ir", "a.ir")
        self.assertEqual((done.out, done.err), ("", ""))

    def test_stdin(self):
        self.tenon("check", "-", stdin=ADD)
        self.assertIn("<stdin>:2:6: error:", self.tenon("check", "-", stdin=BAD, status=1).err)

    def test_text(self):
        self.write("bad.ir", BAD)
        done = self.tenon("check", "bad.ir", status=1)
        lines = done.err.splitlines()
        self.assertRegex(lines[0], r"^bad\.ir:2:6: error: .*\[E3007\]$")
        self.assertEqual(lines[1], "    " + BAD.splitlines()[1])
        self.assertRegex(lines[2], r"^ {9}\^~*$")
        self.assertEqual(done.out, "")
        self.assertNotIn("\x1b", done.err)

    def test_json(self):
        self.write("bad.ir", BAD)
        (d,) = self.tenon("check", "--diagnostics", "json", "bad.ir", status=1).json()
        self.assertEqual(list(d), FIELDS)
        self.assertEqual((d["severity"], d["kind"], d["code"], d["file"], d["line"], d["column"], d["node"]),
                         ("error", "ElementCountMismatch", "E3007", "bad.ir", 2, 6, "%1"))
        self.assertIn("element count mismatch", d["message"].lower())
        for note in d["notes"]:
            self.assertEqual(list(note), ["message", "file", "line", "column"])

    def test_fix_applies(self):
        text = ADD.replace("BinOp (%0, %1) {op=Add} : tensor<f32>[2, 3]",
                           "BinOp (%0, %1) {op=Add} : tensor<f32>[2, 4]")
        (d,) = self.tenon("check", "--diagnostics=json", "-", stdin=text, status=1).json()
        self.assertEqual(d["code"], "E2001")
        fix = d["fix"]
        self.assertEqual(list(fix), ["title", "offset", "length", "replacement"])
        fixed = text[:fix["offset"]] + fix["replacement"] + text[fix["offset"] + fix["length"]:]
        self.tenon("check", "-", stdin=fixed)

    def test_color(self):
        self.write("bad.ir", BAD)
        self.assertIn("\x1b[", self.tenon("check", "--color=always", "bad.ir", status=1).err)
        self.assertNotIn("\x1b[", self.tenon("check", "--color=never", "bad.ir", status=1).err)
        for d in self.tenon("check", "--color=always", "--diagnostics=json", "bad.ir", status=1).json():
            self.assertNotIn("\x1b", d["message"])

    def test_all_files_and_all_errors(self):
        two = BAD.replace("outputs: %1", "%2 = Neg (%9) : tensor<f32>[4, 2]\noutputs: %1")
        self.write("one.ir", BAD)
        self.write("two.ir", two)
        self.write("good.ir", ADD)
        found = self.tenon("check", "--diagnostics=json", "one.ir", "good.ir", "two.ir", status=1).json()
        self.assertEqual([(d["file"], d["code"]) for d in found],
                         [("one.ir", "E3007"), ("two.ir", "E3007"), ("two.ir", "E4001")])

    def test_files_that_cannot_be_read(self):
        self.write("good.ir", ADD)
        self.write("bad.ir", BAD)
        os.mkdir(self.dir / "folder.ir")
        done = self.tenon("check", "missing.ir", "bad.ir", "folder.ir", "good.ir", status=3)
        self.assertIn("missing.ir: error: cannot be opened: No such file", done.err)
        self.assertIn("folder.ir: error: is a directory [FileError]", done.err)
        self.assertIn("E3007", done.err)

    def test_output_limit(self):
        text = ('%0 = ConstTensor () {fill=1} : tensor<f32>[1099511627776]\n'
                '%1 = Index (%0) {indices=[5]} : tensor<f32>[]\noutputs: %1\n')
        for to in "ptir", "ptir-bincode":
            done = self.tenon("convert", "-", "--from", "mind", "--to", to, stdin=text, status=1)
            self.assertIn("output_bytes=N permits more [LimitExceeded]", done.err)
        for limit, status in ("50", 1), ("5000", 0):
            self.tenon("fmt", "-", "--from", "mind", "--limit", f"output_bytes={limit}", stdin=text, status=status)
        self.tenon("fmt", "-", "--from", "mind", "--style", "strict", "--limit", "output_bytes=1000000", stdin=text,
                   status=1)

    def test_gradient_of_two_kinds(self):
        words = "grad", "-", "--from", "mind", "--cotangent", "x"
        self.assertIn("--cotangent and --seed exclude each other", self.tenon(*words, "--seed", "2", stdin=ADD, status=2).err)
        self.tenon(*words, stdin=ADD)

    def test_gradient_of_huge_index(self):
        """The one-hot vector of 2^62 elements, which Core v1 needs, takes 2^64 bytes, not none."""
        text = ('%0 = Input () {name="x"} : tensor<f32>[4611686018427387904]\n'
                '%1 = Index (%0) {indices=[7]} : tensor<f32>[]\noutputs: %1\n')
        self.assertIn("out of memory", self.tenon("grad", "-", "--from", "mind", "--profile", "core-v1", stdin=text, status=3).err)
        self.assertIn("SliceGrad", self.tenon("grad", "-", "--from", "mind", stdin=text).out)

    def test_deep_values(self):
        for inner, outer in ("(x,)", "(t,)"), ("[x]", "[t]"), ("[1.0]", "[t]"), ("|y| y", "grad(t)"):
            body = f"let t = {inner};\n" + f"let t = {outer};\n" * 200000
            done = self.tenon("check", "--from", "mind-source", "-", stdin=f"fn main(x: f32) {{ {body} t }}", status=1)
            self.assertIn("[E1007]", done.err)

    def test_huge_file(self):
        with open(self.dir / "huge.ir", "wb") as file:
            file.truncate(5 << 30)
        self.assertIn("4 GiB", self.tenon("check", "huge.ir", status=3).err)

    def test_pipe_and_special_files(self):
        os.mkfifo(self.dir / "pipe.ir")
        writer = subprocess.Popen(["sh", "-c", f"cat > '{self.dir}/pipe.ir'"], stdin=subprocess.PIPE)
        comment = "# a long text that arrives in pieces\n" * 20000
        reader = subprocess.Popen([TENON, "check", "pipe.ir"], cwd=self.dir)
        writer.communicate((comment + ADD).encode())
        self.assertEqual(reader.wait(timeout=HANG), 0)
        self.tenon("check", "--from", "mind", "/dev/null", status=1)

    def test_unknown_dialect(self):
        self.write("a.ir", ADD)
        self.assertIn("no dialect called 'x'", self.tenon("check", "--from", "x", "a.ir", status=2).err)
        self.write("a.txt", "hello\n")
        self.assertIn("--from", self.tenon("check", "a.txt", status=2).err)
        self.write("b.txt", ADD)
        self.tenon("check", "b.txt")

    def test_profile(self):
        div = ADD.replace("op=Add", "op=Div")
        self.tenon("check", "-", stdin=div)
        self.assertIn("E4013", self.tenon("check", "--profile=core-v1", "-", stdin=div, status=1).err)
        self.tenon("check", "--profile", "extended", "-", stdin=div)

    def test_limit(self):
        self.assertIn("LimitExceeded", self.tenon("check", "--limit", "nodes=2", "-", "--diagnostics=json",
                                                  stdin=ADD, status=1).err)

    def test_limit_of_calls(self):
        """What StableHLO's functions stand for beyond their first calls counts eight times; a second call in itself is fine."""
        t = "tensor<f32>"
        text = "".join(f"func.func private @f{i}(%x: {t}) -> {t} {{\n  %a = call @f{i + 1}(%x) : ({t}) -> {t}\n"
                       f"  %b = call @f{i + 1}(%a) : ({t}) -> {t}\n  return %b : {t}\n}}\n" for i in range(7))
        text += (f"func.func private @f7(%x: {t}) -> {t} {{\n  %a = stablehlo.negate %x : {t}\n  return %a : {t}\n}}\n"
                 f"func.func @main(%x: {t}) -> {t} {{\n  %a = call @f0(%x) : ({t}) -> {t}\n  return %a : {t}\n}}\n")
        self.write("calls.mlir", text)  # 382 operations, of which 15 the first time
        self.tenon("check", "calls.mlir", "--limit", "nodes=4000")
        (d,) = self.tenon("check", "calls.mlir", "--limit", "nodes=2500", "--diagnostics=json", status=1).json()
        self.assertEqual(d["kind"], "LimitExceeded")

    def test_memory_of_source(self):
        """However far reading comes, the limit is told once."""
        names = [f"y{i}" for i in range(5000)]
        text = (f"fn g({', '.join(f'{n}: f32' for n in names)}) -> f32 {{ y0 }}\n"
                f"fn main(x: f32) -> f32 {{ g({', '.join(f'{n}=x' for n in names)}) }}\n")
        for limit in range(200_000, 6_000_000, 400_000):
            done = self.tenon("check", "-", "--from", "mind-source", "--limit", f"memory_bytes={limit}", stdin=text, status=1)
            self.assertEqual(done.err.count("LimitExceeded"), 1, done.err)
            self.assertEqual(len(done.err.splitlines()), 1, done.err)

    def test_memory_of_lines(self):
        """The lines after that at which memory ends say nothing."""
        lines = "".join(f"%{i + 1} = Exp (%{i}) : tensor<f32>[4]\n" for i in range(1000))
        text = '%0 = Input () {name="x"} : tensor<f32>[4]\n' + lines + "outputs: %1000\n"
        self.tenon("check", "-", "--from", "mind", stdin=text)
        for limit in range(40_000, 120_000, 10_000):
            done = self.tenon("check", "-", "--from", "mind", "--limit", f"memory_bytes={limit}", stdin=text, status=1)
            self.assertEqual(len(done.err.splitlines()), 1, done.err)

    def test_limit_of_errors(self):
        lines = "".join(f"  %v{i} = nope{i}(%x) -> tensor<f32>\n" for i in range(300))
        self.write("wrong.ptir", f"func @main(%x: tensor<f32>) -> tensor<f32> {{\n{lines}  return %x\n}}\n")
        self.assertEqual(len(self.tenon("check", "wrong.ptir", "--diagnostics=json", status=1).json()), 100)
        self.assertEqual(len(self.tenon("check", "wrong.ptir", "--limit", "errors=7", "--diagnostics=json", status=1).json()), 7)
        self.assertEqual(len(self.tenon("check", "wrong.ptir", "--limit", "errors=0", "--diagnostics=json", status=1).json()), 300)
        self.write("twice.ptir", "func @f(%x: tensor<f32>) -> tensor<f32> {\n  return %x\n}\n" * 200)
        self.assertEqual(len(self.tenon("check", "twice.ptir", "--diagnostics=json", status=1).json()), 100)
        (self.dir / "wrong.onnx").write_bytes(model([node("Exp", f"u{i}", f"v{i}") for i in range(200)], [("x", "f32", [2])], [("v0", "f32", None)]))
        self.assertEqual(len(self.tenon("check", "wrong.onnx", "--diagnostics=json", status=1).json()), 100)

    def test_hostile_text(self):
        for text in [b"\xff\xfe", b"\0" * 100, b"%" * 10000, b"(" * 100000, b"\x1b[2J" * 10, b"%0 = " * 5000,
                     b"outputs: " + b"%1, " * 10000, "%ä = Öp (☃)\n".encode() * 10]:
            done = subprocess.run([TENON, "check", "--from=mind", "-"], input=text, capture_output=True,
                                  timeout=HANG)
            self.assertEqual(done.returncode, 1, done.stderr[:300])
            self.assertNotIn(b"\x1b", done.stderr)


class Format(Case):
    def test_canonical(self):
        messy = "# c\r\n%a = Input{name: \"x\"} : Tensor<f32, [2,3]>\r\n%b = Neg(%a) : tensor<f32[2, 3]>\r\noutputs: %b,\r\n"
        self.write("m.ir", messy)
        want = '%0 = Input () {name="x"} : tensor<f32>[2, 3]\n%1 = Neg (%0) : tensor<f32>[2, 3]\noutputs: %1\n'
        self.assertEqual(self.tenon("fmt", "m.ir").out, want)
        self.assertEqual(self.tenon("fmt", "-", stdin=want).out, want)
        self.assertEqual(self.tenon("fmt", "m.ir", "-o", "-").out, want)

    def test_in_place(self):
        self.write("m.ir", "  " + ADD.replace("\n", "\n\n"))
        self.assertEqual(self.tenon("fmt", "m.ir", "-o", "m.ir").out, "")
        self.assertEqual((self.dir / "m.ir").read_text(), ADD)
        self.tenon("fmt", "m.ir", "-oother.ir")
        self.assertEqual((self.dir / "other.ir").read_text(), ADD)

    def test_styles(self):
        for style in ["canonical", "positional", "tool", "records"]:
            text = self.tenon("fmt", "--style", style, "-", stdin=ADD).out
            self.assertEqual(self.tenon("fmt", "--from", "mind", "-", stdin=text).out, ADD, style)
        self.assertIn("no style 'x'", self.tenon("fmt", "--style=x", "-", stdin=ADD, status=2).err)

    def test_rejected(self):
        done = self.tenon("fmt", "-", "-o", "out.ir", stdin=BAD, status=1)
        self.assertEqual(done.out, "")
        self.assertFalse((self.dir / "out.ir").exists())

    def test_unwritable(self):
        self.write("a.ir", ADD)
        self.assertIn("[FileError]", self.tenon("fmt", "a.ir", "-o", "no/such/folder.ir", status=3).err)
        with open("/dev/full", "w") as full:
            done = subprocess.run([TENON, "fmt", "a.ir"], cwd=self.dir, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"[FileError]", done.stderr)

    def test_broken_pipe(self):
        many = "".join(f"%{i} = Neg (%{i - 1}) : tensor<f32>[2, 3]\n" for i in range(3, 20000))
        self.write("a.ir", ADD.replace("outputs: %2, %0\n", many + "outputs: %19999\n"))
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([TENON, "fmt", "a.ir"], cwd=self.dir, stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"[FileError]", done.stderr)


class Optimize(Case):
    def test_default(self):
        out = self.tenon("opt", "-", stdin=DEAD).out
        self.assertNotIn("Exp", out)
        self.assertEqual(self.tenon("opt", "-O1", "-", stdin=DEAD).out, out)
        self.assertEqual(self.tenon("opt", "-O0", "-", stdin=DEAD).out, DEAD)

    def test_passes(self):
        self.assertIn("Exp", self.tenon("opt", "--passes", "cse", "-", stdin=DEAD).out)
        self.assertNotIn("Exp", self.tenon("opt", "--passes=cse,dce", "-", stdin=DEAD).out)
        self.assertIn("no pass called 'x'", self.tenon("opt", "--passes", "dce,x", "-", stdin=DEAD, status=2).err)
        self.tenon("opt", "--passes", "", "-", stdin=DEAD, status=2)

    def test_the_name_of_the_output_tells_the_dialect(self):
        """What is written under a name can be read back under it."""
        self.write("add.ir", ADD)
        for name, start in [("o.ptir", "func @main"), ("o.ptir.json", "{"), ("o.tiny.json", "{"), ("o.mlir", "module"), ("o.ir", "%0 = Input"),
                            ("o.txt", "%0 = Input"), ("o.onnx", "")]:
            for command in ["convert"], ["grad", "--seed", "1"], ["opt"]:
                with self.subTest(name, command=command[0]):
                    if (command[0], name) == ("convert", "o.txt"):
                        self.assertIn(" .ptir.json ", self.tenon(*command, "add.ir", "-o", name, status=2).err)
                        continue
                    self.tenon(*command, "add.ir", "-o", name)
                    self.assertTrue((self.dir / name).read_bytes().startswith(start.encode()))
                    self.tenon("check", *(["--from", "mind"] if name == "o.txt" else []), name)
        self.tenon("grad", "add.ir", "--seed", "1", "-o", "o.mind", status=2)  # that is only read

    def test_names_of_code(self):
        """`compile` alone writes code: no other command puts a program into a file of that name."""
        self.write("add.ir", ADD)
        for command in ["convert"], ["grad", "--seed", "1"], ["opt"], ["fmt"], ["fix"]:
            for name in "o.c", "o.so", "o.ll":
                with self.subTest(name, command=command[0]):
                    said = self.tenon(*command, "add.ir", "-o", name, status=2).err
                    self.assertIn(f"'{command[0]}' writes programs, and '{name}' is a name of code, which 'tenon compile' makes", said)
                    self.assertFalse((self.dir / name).exists())
        self.tenon("convert", "--to", "ptir", "add.ir", "-o", "o.c")  # who says what to write gets it

    def test_a_dialect_that_was_guessed(self):
        """A file with faults whose name tells no dialect: which one it was taken for."""
        for name, text, guess in [("script.py", "import numpy as np\ndef f(x): return x\n", "mind-source"), ("net.txt", "%0 = Relo (%1) : f\n", "mind"),
                                  ("net.mind", "%0 = Relo (%1) : f\n", "mind"), ("net.ptir", '{"functions": [], "regions": 3', "ptir"),
                                  ("net.ir", "%0 = Relo (%1) : f\n", None), ("outputs.mind", "outputs = 3\n", None)]:
            self.write(name, text)
            said = self.tenon("check", name, status=1).err
            self.assertEqual("note: the text looks like" in said, guess is not None, said)
            if guess:
                self.assertIn(f"the text looks like {guess}, and was read as that; --from names another dialect", said)
        self.assertNotIn("looks like", self.tenon("check", "--from", "mind", "net.txt", status=1).err)

    def test_convert_to_folder(self):
        (self.dir / "n.ptir").write_text("func @my.net(%x: tensor<f32, 2>) -> tensor<f32, 2> {\n"
                                         "  %y = neg(%x) -> tensor<f32, 2>\n  return %y\n}\n")
        for extra, name in ([], "my_net"), (["--entrypoint", "9 lives"], "_9_lives"):
            self.tenon("convert", "n.ptir", "--to", "ptir", "-o", "made/", *extra)
            self.assertEqual(sorted(p.name for p in (self.dir / "made").iterdir()),
                             ["meta.json", "program.ptir.json"])
            meta = json.loads((self.dir / "made" / "meta.json").read_text())
            (entry,) = meta.pop("entrypoints")
            self.assertEqual(meta, {"target": "ptir"})
            self.assertEqual(entry["ptir"], "my.net")
            self.assertRegex(entry["symbol"], f"^{name}__[0-9a-f]{{16}}$")
            self.tenon("check", "made/program.ptir.json")
        self.tenon("convert", "n.ptir", "--to", "ptir-bincode", "-o", "n.bincode")
        h = 0xcbf29ce484222325
        for byte in (self.dir / "n.bincode").read_bytes():
            h = (h ^ byte) * 0x100000001b3 % 2**64
        self.assertTrue(entry["symbol"].endswith(f"__{h:016x}"))

    def test_constants(self):
        program = """\
func @main(%x: tensor<f32, ?Bx3>, %w: tensor<f32, 3x2>, %s: tensor<f32, 1>) -> tensor<f32, ?Bx2> {
  %b = broadcast_to(%s) result_shape[3, 2] -> tensor<f32, 3x2>
  %m = mul(%w, %b) -> tensor<f32, 3x2>
  %y = dot_general(%x, %m) contract_lhs[1] contract_rhs[0] -> tensor<f32, ?Bx2>
  return %y
}
"""
        (self.dir / "w.ptir").write_text(program)
        w = np.arange(6, dtype=np.float32).reshape(3, 2)
        x = np.arange(3, dtype=np.float32).reshape(1, 3)
        np.save(self.dir / "w.npy", w)
        np.save(self.dir / "x.npy", x)
        np.save(self.dir / "s.npy", np.array([2], np.float32))
        np.savez(self.dir / "c.npz", w=w, s=np.array([2], np.float32), other=x)
        folded = self.tenon("opt", "w.ptir", "--constants", "c.npz", "--passes", "fold-parameters,dce").out
        self.assertIn("%m = constant value[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]", folded)
        self.assertEqual(folded.count(" = "), 2)
        one_by_one = self.tenon("opt", "w.ptir", "--constant", "w=w.npy", "--constant", "2=s.npy",
                                "--passes", "fold-parameters,dce").out
        self.assertEqual(one_by_one, folded)
        (self.dir / "folded.ptir").write_text(folded)
        self.assertEqual(
            self.tenon("run", "folded.ptir", "--input", "x=x.npy").out,
            self.tenon("run", "w.ptir", "--input", "x=x.npy", "--inputs", "c.npz").out)
        bound = self.tenon("opt", "w.ptir", "--constant", "x=x.npy").out
        self.assertIn("func @main(%w: tensor<f32, 3x2>, %s: tensor<f32, 1>) -> tensor<f32, 1x2>", bound)
        self.assertIn("[DynamicDimensionMismatch]", self.tenon(
            "opt", "w.ptir", "--constant", "w=x.npy", status=3).err)
        self.assertIn("no input 'q'", self.tenon("opt", "w.ptir", "--constant", "q=x.npy", status=2).err)
        done = self.tenon("run", "w.ptir", "--numerics", "fast", status=2)
        self.assertIn("exact or relaxed", done.err)

    def test_dump(self):
        done = self.tenon("opt", "--passes", "dce,cse", "--dump-after", "all", "-", stdin=DEAD)
        first, second = re.findall(r"(?ms)^# after .*?\n(?=# after|\Z)", done.err)
        self.assertTrue(first.startswith("# after dce\n"))
        self.assertTrue(second.startswith("# after cse (unchanged)\n"))
        self.assertEqual(self.tenon("fmt", "-", stdin=first).out, done.out) # a dump reads back
        only = self.tenon("opt", "--passes", "dce,cse", "--dump-after=cse", "-", stdin=DEAD)
        self.assertEqual(only.err, second)
        self.assertIn("did not run", self.tenon("opt", "--passes", "dce", "--dump-after=cse", "-", stdin=DEAD).err)
        self.tenon("opt", "--dump-after", "x", "-", stdin=DEAD, status=2)

    def test_output(self):
        self.tenon("opt", "-", "-o", "out.ir", stdin=DEAD)
        self.tenon("check", "out.ir")


class Run(Case):
    def setUp(self):
        super().setUp()
        self.x = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.y = np.array([10, 20, 30], dtype=np.float32)
        self.write("add.ir", ADD)
        np.save(self.dir / "x.npy", self.x)
        np.save(self.dir / "y.npy", self.y)

    def test_print(self):
        done = self.tenon("run", "add.ir", "--input", "x=x.npy", "--input=y=y.npy")
        self.assertEqual(done.out, "%2: f32[2, 3]\n[[10.0, 21.0, 32.0],\n [13.0, 24.0, 35.0]]\n"
                                   "x: f32[2, 3]\n[[0.0, 1.0, 2.0],\n [3.0, 4.0, 5.0]]\n")

    def test_standard_input(self):
        data = (self.dir / "x.npy").read_bytes()
        np.savez(self.dir / "in.npz", x=self.x, y=self.y)
        want = self.tenon("run", "add.ir", "--inputs", "in.npz").out
        self.assertEqual(self.tenon("run", "add.ir", "--input", "x=-", "--input", "y=y.npy", stdin=data).out, want)
        self.assertEqual(self.tenon("run", "add.ir", "--inputs", "-",
                                    stdin=(self.dir / "in.npz").read_bytes()).out, want)
        self.assertIn("ends too early", self.tenon("run", "add.ir", "--input", "x=/dev/stdin", "--input", "y=y.npy",
                                                   stdin=data[:-1], status=3).err)

    def test_folder(self):
        done = self.tenon("run", "add.ir", "--input", "0=x.npy", "--input", "1=y.npy", "--output", "out")
        self.assertEqual(done.out, "")
        np.testing.assert_array_equal(np.load(self.dir / "out/0.npy"), self.x + self.y)
        np.testing.assert_array_equal(np.load(self.dir / "out/1.npy"), self.x)
        self.assertEqual(json.loads((self.dir / "out/outputs.json").read_text()),
                         [{"file": "0.npy", "name": "%2", "dtype": "f32", "shape": [2, 3]},
                          {"file": "1.npy", "name": "x", "dtype": "f32", "shape": [2, 3]}])
        self.assertEqual(sorted(p.name for p in (self.dir / "out").iterdir()), ["0.npy", "1.npy", "outputs.json"])
        done = self.tenon("run", "add.ir", "--random", "1", "--output", "out", "--print")
        self.assertIn("%2: f32[2, 3]\n", done.out)
        self.assertIn("[FileError]", self.tenon("run", "add.ir", "--random=1", "--output", "a/b", status=3).err)
        self.assertIn("[FileError]", self.tenon("run", "add.ir", "--random=1", "--output", "add.ir", status=3).err)
        self.assertIn("'x.txt/'", self.tenon("run", "add.ir", "--random=1", "--output", "x.txt", status=2).err)
        self.assertFalse((self.dir / "x.txt").exists())
        for name in "x.txt/", "x.txt", "v1.0":  # a folder, as it says, as it is there, as no file ends so
            self.tenon("run", "add.ir", "--random=1", "--output", name)
            self.assertTrue((self.dir / name / "0.npy").exists())

    def test_text_under_its_own_name(self):
        self.write("add.ir", ADD)
        for command in "fmt", "fix":
            self.assertIn("ptir-text", self.tenon(command, "add.ir", "-o", "x.ptir", status=2).err)
            self.assertFalse((self.dir / "x.ptir").exists())
            for name in "y.ir", "y", "y.unknown":
                self.tenon(command, "add.ir", "-o", name)

    def test_outputs_have_the_names_of_their_values(self):
        """Also when they are inputs: in Tiny IR the id of the node, not the name that it takes data under."""
        self.write("id.tiny.json", json.dumps({"uops": [
            {"id": "n0", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": [2]}},
            {"id": "y", "uop": "NEG", "src": ["n0"]}], "outputs": ["n0", "y"]}))
        self.write("id.ptir", "func @main(%x: tensor<f32, 2>) -> (tensor<f32, 2>, tensor<f32, 2>) {\n"
                              "  %y = neg(%x) -> tensor<f32, 2>\n  return %x, %y\n}\n")
        self.write("id.ir", '%0 = Input () {name="x"} : tensor<f32>[2]\n%1 = Neg (%0) : tensor<f32>[2]\noutputs: %0, %1\n')
        np.save(self.dir / "two.npy", np.ones(2, np.float32))
        for file, names in [("id.tiny.json", ["n0", "y"]), ("id.ptir", ["x", "y"]), ("id.ir", ["x", "%1"])]:
            for level in "012":
                self.tenon("run", file, "-O", level, "--input", "x=two.npy", "--output", "out")
                told = json.loads((self.dir / "out/outputs.json").read_text())
                self.assertEqual([o["name"] for o in told], names)

    def test_archives(self):
        np.savez(self.dir / "in.npz", x=self.x, **{"1": self.y, "unused": self.y})
        self.tenon("run", "add.ir", "--inputs", "in.npz", "--output", "out.npz")
        out = np.load(self.dir / "out.npz")
        self.assertEqual(sorted(out.files), ["0", "1"])
        np.testing.assert_array_equal(out["0"], self.x + self.y)
        # --input wins
        np.save(self.dir / "z.npy", self.y * 0)
        self.tenon("run", "add.ir", "--inputs", "in.npz", "--input", "y=z.npy", "--output", "out.npz")
        np.testing.assert_array_equal(np.load(self.dir / "out.npz")["0"], self.x)

    def test_safetensors(self):
        header = json.dumps({"y": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}).encode()
        (self.dir / "y.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + self.y.tobytes())
        done = self.tenon("run", "add.ir", "--inputs", "y.safetensors", "--input", "x=x.npy")
        self.assertIn("[[10.0, 21.0, 32.0]", done.out)

    def test_missing(self):
        (d,) = self.tenon("run", "add.ir", "--input", "x=x.npy", "--diagnostics=json", status=3).json()
        self.assertEqual((d["kind"], d["node"]), ("MissingInput", "y"))
        found = self.tenon("run", "add.ir", "--diagnostics=json", status=3).json()
        self.assertEqual([d["node"] for d in found], ["x", "y"])

    def test_unknown_or_repeated(self):
        for args in [["--input", "z=x.npy"], ["--input", "2=x.npy"], ["--input", "x"], ["--input", "=x.npy"],
                     ["--input", "x=x.npy", "--input", "0=x.npy"], ["--dim", "N=3"], ["--dim", "N"],
                     ["--entry", "no such"]]:
            self.assertIn("[Usage]", self.tenon("run", "add.ir", *args, status=2).err)

    def test_misfit(self):
        np.save(self.dir / "f64.npy", self.x.astype(np.float64))
        np.save(self.dir / "flat.npy", self.x.reshape(6))
        np.save(self.dir / "t.npy", self.x.reshape(3, 2))
        for name in ["f64.npy", "flat.npy", "t.npy"]:
            done = self.tenon("run", "add.ir", "--input", f"x={name}", "--random", "1", status=3)
            self.assertIn("input 'x' is f32[2, 3], but " + name, done.err)
            self.assertIn("[InputMismatch]", done.err)
        self.write("junk.npy", "junk")
        self.assertIn("[FileError]", self.tenon("run", "add.ir", "--input", "x=junk.npy", status=3).err)
        self.assertIn("[FileError]", self.tenon("run", "add.ir", "--inputs", "junk.npy", status=3).err)
        self.assertIn("[FileError]", self.tenon("run", "add.ir", "--input", "x=none.npy", status=3).err)

    def test_comparison_of_loops_ends(self):
        """Random inputs say how often the loop turns, up to 2^63 times."""
        loop = """func @main(%n: tensor<si64>) -> tensor<si64> {
  %z = constant value[0] -> tensor<si64>
  %t = while(%z, %n) cond_region[5] body_region[6] -> (tensor<si64>, tensor<si64>)
  return %t[0]
}

region @5(%k: tensor<si64>, %n: tensor<si64>) -> (tensor<i1>, tensor<si64>, tensor<si64>) {
  %c = compare(%k, %n) op[less] -> tensor<i1>
  return %c, %k, %n
}

region @6(%k: tensor<si64>, %n: tensor<si64>) -> (tensor<si64>, tensor<si64>) {
  %o = constant value[1] -> tensor<si64>
  %j = add(%k, %o) -> tensor<si64>
  return %j, %n
}
"""
        self.write("loop.ptir", loop)
        self.write("two.ptir", loop.replace("value[1]", "value[2]"))
        out = self.tenon("equiv", "loop.ptir", "loop.ptir").out
        compared, passed = (int(n) for n in re.search(r"in (\d+) runs?\npassed over: (\d+) runs?", out).groups())
        self.assertEqual(compared + passed, 16)
        self.assertGreater(min(compared, passed), 0)
        self.assertIn("different", self.tenon("equiv", "loop.ptir", "two.ptir", status=1).out)
        self.write("endless.ptir", loop.replace("compare(%k, %n) op[less]", "compare(%k, %k) op[equal]"))
        (d,) = self.tenon("equiv", "endless.ptir", "endless.ptir", "--turns", "10", "--diagnostics=json", status=3).json()
        self.assertEqual(d["kind"], "Timeout")
        self.assertIn("--turns", d["message"])

    def test_types_are_compared_before_data_is_read(self):
        """With 64 KiB for tensors, only a reader that takes memory first says AllocationFailure."""
        big = np.zeros(1 << 20, np.float32)
        np.save(self.dir / "big.npy", big)
        np.savez_compressed(self.dir / "big.npz", x=big)
        header = json.dumps({"x": {"dtype": "F32", "shape": [1 << 20], "data_offsets": [0, 4 << 20]}}).encode()
        (self.dir / "big.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + big.tobytes())
        small = ["--limit", "run_bytes=65536", "--diagnostics=json"]
        for given in [["--input", "x=big.npy"], ["--inputs", "big.npz"], ["--inputs", "big.safetensors"]]:
            for command in [["run", "add.ir", *given], ["convert", "add.ir", "--to", "mlir", "--mlir-entry", *given],
                            ["opt", "add.ir", *(g.replace("--input", "--constant") for g in given)]]:
                if command[0] == "convert" and given[0] == "--inputs":
                    command += ["--input", "y=y.npy"]
                (d,) = self.tenon(*command, *small, status=3).json()
                self.assertEqual((d["kind"], d["node"]), ("InputMismatch", "x"), command)
        # a pipe is not kept beyond what could be loaded either
        (d,) = self.tenon("run", "add.ir", "--input", "x=-", *small, stdin=(self.dir / "big.npy").read_bytes(),
                          status=3).json()
        self.assertEqual(d["kind"], "FileError")
        # a 4-bit input looks at the values, once there are as many as it wants
        self.write("four.ptir", "func @main(%x: tensor<si4, 3>) -> tensor<si4, 3> {\n  return %x\n}\n")
        for array, what in [(np.zeros(1 << 20, np.int8), "holds si8[1048576]"),
                            (np.array([1, 2, 77], np.int8), "out of range")]:
            np.save(self.dir / "four.npy", array)
            done = self.tenon("run", "four.ptir", "--input", "x=four.npy", "--limit", "run_bytes=65536", status=3)
            self.assertIn(what, done.err)

    def test_random(self):
        one = self.tenon("run", "add.ir", "--random", "1").out
        self.assertEqual(self.tenon("run", "add.ir", "--random=1", "-O0").out, one)
        self.assertNotEqual(self.tenon("run", "add.ir", "--random", "2").out, one)
        self.tenon("run", "add.ir", "--random", "18446744073709551615")

    def test_out_of_bounds(self):
        self.write("gather.ir", GATHER)
        np.save(self.dir / "i.npy", np.array([0, 9, 1]))
        (d,) = self.tenon("run", "gather.ir", "--input", "i=i.npy", "--random=1", "--output", "out",
                          "--diagnostics=json", status=3).json()
        self.assertEqual((d["kind"], d["code"], d["line"]), ("IndexOutOfBounds", "E6001", 3))
        self.assertFalse((self.dir / "out").exists())
        for seed in range(10):
            self.tenon("run", "gather.ir", "--random", str(seed))

    def test_unavailable(self):
        (d,) = self.tenon("run", "add.ir", "--device", "gpu", "--diagnostics=json", status=3).json()
        self.assertEqual((d["kind"], d["code"]), ("BackendUnavailable", "E6002"))
        self.assertIn("no backend available for target gpu", d["message"])
        self.assertIn("cpu", d["notes"][0]["message"])
        self.tenon("run", "add.ir", "--device", "cpu", "--engine", "ref", "--random", "1")

    def test_profile_trace(self):
        for engine, kinds in (("ref", {"compile", "run"}), ("jit", {"compile", "run"})):
            self.tenon("run", "add.ir", "--engine", engine, "--random", "1", "--time", "2",
                       "--profile-trace", "t.json")
            events = json.loads((self.dir / "t.json").read_text())["traceEvents"]
            self.assertEqual(len([e for e in events if e["cat"] == "run"]), 2)
            self.assertEqual({e["cat"] for e in events} - {"kernel", "reference", "copy"}, kinds)
            for e in events:
                self.assertTrue(e["ph"] == "X" and e["dur"] >= 0 and e["args"]["threads"] >= 1)
        self.assertIn("profile-trace", self.tenon("run", "add.ir", "--profile-trace=", status=2).err)

    def test_profile_trace_folds_turns(self):
        """Of each step only the first turns are told one by one; the others are one event with their sums. (A scan
        whose body computes element by element would be one kernel.)"""
        self.write("scan.ptir", """\
func @main(%s: tensor<f32, 2>, %x: tensor<f32, 5000>) -> tensor<f32, 2> {
  %r = scan(%s, %x) body_region[1] carry_count[1] scan_output_count[0] -> tensor<f32, 2>
  return %r
}
region 1(%s: tensor<f32, 2>, %v: tensor<f32>) -> tensor<f32, 2> {
  %n = tanh(%s) -> tensor<f32, 2>
  %t = reduce_sum(%n) axes[0] keepdims[true] -> tensor<f32, 1>
  %b = broadcast_to(%t) shape[2] -> tensor<f32, 2>
  %m = mul(%n, %b) -> tensor<f32, 2>
  return %m
}
""")
        self.tenon("run", "scan.ptir", "--random", "1", "--profile-trace", "t.json", "--time", "120")
        text = (self.dir / "t.json").read_text()
        self.assertLess(len(text), 200000)
        runs, tracks = {}, {}
        for e in json.loads(text)["traceEvents"]:
            key = (e["name"], e["cat"])
            runs[key] = runs.get(key, 0) + e["args"].get("folded", 1)
            if "folded" in e["args"]:
                self.assertLessEqual(e["args"]["busy"], e["dur"])
                tracks[e["tid"]] = tracks.get(e["tid"], 0) + 1
            else:
                self.assertEqual(e["tid"], 1)
        inner = {k: n for k, n in runs.items() if k[1] in ("kernel", "reference", "copy")}
        self.assertTrue(inner and all(n % (120 * 5000) == 0 for n in inner.values()), runs)
        self.assertEqual(runs["run", "run"], 120)
        self.assertTrue(all(n == 1 for n in tracks.values()))

    def test_rejected_before_anything(self):
        self.assertIn("E3007", self.tenon("run", "-", "--input", "x=none.npy", stdin=BAD, status=1).err)

    def test_memory_limit(self):
        done = self.tenon("run", "add.ir", "--input", "x=x.npy", "--input", "y=y.npy", "--limit", "run_bytes=20", status=3)
        self.assertTrue("E6004" in done.err or "AllocationFailure" in done.err)

    def test_time(self):
        done = self.tenon("run", "add.ir", "--random", "1", "--time", "5")
        self.assertRegex(done.err, r"^time: median \d+\.\d{9} s, min \d+\.\d{9} s, 5 runs\n$")
        self.assertEqual(self.tenon("run", "add.ir", "--random", "1").out, done.out)

    def test_symbols(self):
        self.write("s.ptir", SYMBOLS)
        np.save(self.dir / "z.npy", np.arange(4, dtype=np.float32).reshape(2, 2))
        np.save(self.dir / "long.npy", np.zeros((3, 2), dtype=np.float32))
        both = ["--input", "x=z.npy", "--input", "y=z.npy"]
        out = self.tenon("run", "s.ptir", *both).out
        self.assertIn("f32[2, 2]\n[[0.0, 2.0],\n [4.0, 6.0]]\n", out)
        self.assertIn("f32[4]\n[0.0, 2.0, 4.0, 6.0]\n", out)
        self.assertEqual(self.tenon("run", "s.ptir", *both, "--dim", "A=2", "--dim", "N=4").out, out)
        self.tenon("run", "s.ptir", *both, "--output", "out", "--time", "3")
        listed = json.loads((self.dir / "out" / "outputs.json").read_text())
        self.assertEqual([entry["shape"] for entry in listed], [[2, 2], [4]])

        def fault(*args, status=3):
            (d,) = self.tenon("run", "s.ptir", *args, "--diagnostics=json", status=status).json()
            return d
        d = fault("--input", "x=z.npy", "--input", "y=long.npy")
        self.assertEqual((d["kind"], d["code"]), ("DimensionBinding", "DynamicDimensionMismatch"))
        self.assertEqual(fault(*both, "--dim", "N=5")["kind"], "DimensionBinding")
        d = fault(*both, "--dim", "A=3")
        self.assertEqual((d["kind"], d["code"]), ("DimensionBinding", "DynamicDimensionMismatch"))
        self.assertIn("(input 'x' is f32[3, 2], but z.npy holds f32[2, 2])", d["message"])
        np.save(self.dir / "flat.npy", np.zeros(2, dtype=np.float32))
        self.assertIn("is f32[A, 2]", fault("--input", "x=flat.npy")["message"])
        # random data needs numbers
        d = fault("--input", "x=z.npy", "--random", "1", status=2)
        self.assertEqual((d["kind"], d["node"]), ("Usage", "y"))
        self.assertIn("without a value for 'A'", d["message"])
        self.assertIn("f32[5, 2]", self.tenon("run", "s.ptir", "--random", "1", "--dim", "A=5").out)

    def test_equiv_replay(self):
        program = """{"uops": [
  {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "bf16", "shape": ["M"]}},
  {"id": "e", "uop": "EXPAND", "src": ["x"], "arg": {"result_shape": ["Q", "M"]}},
  {"id": "y", "uop": "%s", "src": ["e", 0]}]}"""
        self.write("the first.tiny.json", program % "ADD")
        self.write("b.tiny.json", program % "SUB")
        self.write("c.tiny.json", program % "MUL")
        self.assertIn("different", self.tenon("equiv", "the first.tiny.json", "b.tiny.json", status=1).out)
        out = self.tenon("equiv", "the first.tiny.json", "c.tiny.json", "--output", "an example", status=1).out
        commands = [shlex.split(line)[1:] for line in out.splitlines() if line.startswith("  tenon run")]
        self.assertEqual([c[1] for c in commands], ["the first.tiny.json", "c.tiny.json"])
        shown = [self.tenon(*c).out for c in commands]
        self.assertNotEqual(*shown)
        self.assertIn("y: bf16[3, 2]", shown[0])

    def test_equiv_tolerance(self):
        one = """%0 = Input () {name="x"} : tensor<f32>[4]
%1 = ConstF32 () {value=1.0} : tensor<f32>[]
%2 = BinOp (%0, %1) {op=Mul} : tensor<f32>[4]
outputs: %2
"""
        self.write("a.ir", one)
        self.write("b.ir", one.replace("1.0", "1.0001"))
        same = ["equiv", "a.ir", "b.ir", "--n", "1"] # random numbers only: the later runs have infinities
        self.assertIn("different", self.tenon(*same, status=1).out)
        self.assertIn("close", self.tenon(*same, "--rtol", "1e-3").out)
        self.assertIn("close", self.tenon(*same, "--atol", "2e-4").out)
        self.assertIn("close", self.tenon(*same, "--atol", "5e-5", "--rtol=6e-5").out)
        self.assertIn("different", self.tenon(*same, "--rtol", "1e-5", status=1).out)
        self.assertIn("different", self.tenon(*same, "--atol", "1e-9", "--rtol", "0", status=1).out)
        self.assertIn("equal", self.tenon("equiv", "a.ir", "a.ir", "--rtol", "1").out)
        self.write("c.ir", one.replace("Mul", "Add"))
        self.assertIn("different", self.tenon("equiv", "a.ir", "c.ir", "--rtol", "1e-3", status=1).out)
        for bad in ["x", "-1", "inf", "nan", ""]:
            self.tenon(*same, "--rtol", bad, status=2)

    def test_help_lists_each_option_once(self):
        for command in COMMANDS:
            options = re.findall(r"(?m)^  (-[-\w]+)", self.tenon(command, "--help").out)
            self.assertEqual(len(options), len(set(options)), (command, options))

    def test_operands_are_said_once(self):
        """PTIR's wording has the operands' types, so no note repeats them; Core IR's has not."""
        self.write("bad.ptir", "func main(x: tensor<f32, 2x3>) -> tensor<f32, 2x3> {\n"
                   "  %a = pad(%x) low[1] high[1] interior[0] pad_value[0.0] -> tensor<f32, 2x3>\n  return %a\n}\n")
        (d,) = self.tenon("check", "bad.ptir", "--diagnostics=json", status=1).json()
        self.assertEqual((d["message"].count("f32[2, 3]"), d["notes"]), (1, []))
        self.write("bad.ir", BAD)
        (d,) = self.tenon("check", "bad.ir", "--diagnostics=json", status=1).json()
        self.assertEqual(len(d["notes"]), 1)

    def test_equiv_types(self):
        program = """{"uops": [
  {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "%s", "shape": [%s]}},
  {"id": "y", "uop": "NEG", "src": ["x"]}]}"""
        for name, dtype, shape in (("a", "fp32", "4, 3"), ("b", "fp32", "3, 4"), ("c", "fp16", "4, 3")):
            self.write(name + ".tiny.json", program % (dtype, shape))
        for other, text in (("b", "f32[3, 4]"), ("c", "f16[4, 3]")):
            err = self.tenon("equiv", "a.tiny.json", other + ".tiny.json", status=1).err
            self.assertIn("'x' is f32[4, 3]", err)
            self.assertIn(f"'x' is {text}", err)

    def test_tiny_inputs(self):
        self.write("t.tiny.json", """{"uops": [
  {"id": "a", "uop": "INPUT", "arg": {"tensor_id": "s", "dtype": "fp32", "shape": ["M", "N", 2]}},
  {"id": "b", "uop": "INPUT", "arg": {"tensor_id": "t", "dtype": "fp32", "shape": ["M"]}},
  {"id": "r", "uop": "REDUCE", "src": ["a"], "arg": {"op": "SUM", "axes": ["N", 2], "dtype": "fp32"}},
  {"id": "y", "uop": "ADD", "src": ["r", "b"]}]}""")
        for name, shape, dtype in (("s", (3, 4, 2), "f4"), ("w", (3, 4, 5), "f4"), ("h", (3, 4, 2), "f2"),
                                   ("t", (3,), "f4"), ("u", (4,), "f4")):
            np.save(self.dir / f"{name}.npy", np.zeros(shape, dtype=dtype))

        def code(*given):
            (d,) = self.tenon("run", "t.tiny.json", *[f"--input={g}.npy" for g in given],
                              "--diagnostics=json", status=3).json()
            return d["code"], d["kind"]

        self.tenon("run", "t.tiny.json", "--input", "s=s.npy", "--input", "t=t.npy")
        self.assertEqual(code("s=s", "t=u"), ("E1304", "AxisAlignmentMismatch"))
        # a size that the program itself gives, and a number that it writes
        text = (self.dir / "t.tiny.json").read_text()
        self.write("t.tiny.json", text[:-1] + ', "dims": {"M": 4}}')
        self.assertEqual(code("s=s", "t=t"), ("E1304", "AxisAlignmentMismatch"))
        self.write("t.tiny.json", text[:-1] + ', "dims": {"M": 3}}')
        self.assertEqual(code("s=w", "t=t"), ("E1002", "AxisSizeMismatch"))
        self.write("t.tiny.json", text)
        self.assertEqual(code("s=w", "t=t"), ("E1002", "AxisSizeMismatch"))
        self.assertEqual(code("s=h", "t=t"), ("E1114", "InputMismatch"))
        self.assertEqual(code("s=s"), ("E1113", "MissingInput"))

    def test_no_llvm(self):
        """Whoever does not ask for the evaluator is told once that there is no machine code."""
        self.write("add.ir", ADD)
        env = {**os.environ, "TENON_LLVM_PLUGIN": "/nowhere"}
        run = ["run", "add.ir", "--random", "1", "--diagnostics=json"]
        plain = self.tenon(*run, "--engine=ref").out
        for engine in ([], ["--engine=jit"], ["--time=3"]):
            done = self.tenon(*run, *engine, env=env)
            (d,) = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
            self.assertEqual((d["severity"], d["kind"]), ("warning", "BackendUnavailable"))
            self.assertEqual(done.out, plain)
        self.assertEqual(self.tenon(*run, "--engine=ref", env=env).err, "")
        for quiet in (["equiv", "add.ir", "add.ir"], ["opt", "add.ir"],
                      ["compile", "add.ir", "-o", "add.c"], ["convert", "add.ir", "--to", "mlir",
                                                             "--mlir-entry", "--random", "1"]):
            self.assertEqual(self.tenon(*quiet, env=env).err, "")
        self.assertIn("LLVM is not installed", self.tenon("explain", "add.ir", env=env).out)
        self.assertFalse(json.loads(self.tenon("explain", "add.ir", "--json", env=env).out)["machine_code"])

    def test_not_covered(self):
        """What has no loops runs by reference kernels, and is told with the reason."""
        self.write("e.ir", """\
%0 = Input () {name="x"} : tensor<f32>[1048576, 1]
%1 = Input () {name="y"} : tensor<f32>[1, 1048576]
%2 = BinOp (%0, %1) {op=Sub} : tensor<f32>[1048576, 1048576]
%3 = Sum (%2) {axes=[0, 1], keepdims=false} : tensor<f32>[]
outputs: %3
""")
        why = "kernel sub sum: it has more than 2^38 positions"
        text = self.tenon("explain", "e.ir").out
        self.assertIn("runs by reference kernels: " + why, text)
        self.assertIn("not covered: 2 nodes run by reference kernels", text)
        data = json.loads(self.tenon("explain", "e.ir", "--json").out)
        self.assertEqual((data["not_covered"], data["functions"][0]["why"]), (2, why))
        self.assertNotIn("not covered", self.tenon("explain", self.write("a.ir", ADD)).out)
        run = ["run", "e.ir", "--random", "1", "--timeout", "0.01", "--diagnostics=json"]
        first, *others = self.tenon(*run, status=3).json()  # too large for the evaluator, or too slow
        if others:  # there is LLVM
            self.assertEqual((first["severity"], first["kind"], len(others)), ("note", "Advice", 1))
            self.assertIn(why, first["message"])

    def test_defects(self):
        """What the compiler makes wrong ends with 70, lack of memory with 3, and neither is passed over."""
        fake = os.path.join(os.path.dirname(TENON), "test/libfake_llvm.so")
        if not os.path.exists(fake):
            self.skipTest("only builds with tests have a code generator that fails")
        self.write("a.ir", ADD)
        for how, status, kind in (("broken", 70, "InternalError"), ("nonsense", 70, "InternalError"),
                                  ("memory", 3, "AllocationFailure")):
            with tempfile.TemporaryDirectory() as cache:
                env = {**os.environ, "TENON_LLVM_PLUGIN": fake, "FAKE_LLVM": how, "TENON_CACHE_DIR": cache}
                done = self.tenon("run", "a.ir", "--random", "1", "--diagnostics=json", env=env, status=status)
            (d,) = done.json()
            self.assertEqual((d["severity"], d["kind"], done.out), ("error", kind, ""), how)

    def test_limited_memory(self):
        """With little memory LLVM ends a process of its own, never this one."""
        def limited(kib, *args):
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (kib << 10, kib << 10))
            with tempfile.TemporaryDirectory() as cache:
                return subprocess.run([TENON, *args], cwd=self.dir, capture_output=True, timeout=60, preexec_fn=limit,
                                      env={**os.environ, "TENON_CACHE_DIR": cache})
        if limited(64 << 10, "--version").returncode:
            self.skipTest("sanitizers take more memory than that")
        self.write("a.ir", ADD)
        self.write("l.ptir", LOOP)
        plain = self.tenon("run", "a.ir", "--random", "1", "--engine=ref").out
        for kib in (*range(60000, 260000, 13000), 1 << 20):
            done = limited(kib, "run", "a.ir", "--random", "1")
            self.assertEqual((done.returncode, done.stdout.decode()), (0, plain), (kib, done.stderr))
            done = limited(kib, "compile", "a.ir", "-o", "a.o")
            self.assertIn(done.returncode, (0, 3), (kib, done.stderr))
        for name in ("a.ir", "l.ptir"):  # the other process makes the same
            first = self.tenon("compile", name, "-o", "x.o", "--name", "x", status=None)
            if "LLVM cannot be loaded" in first.err:
                continue
            done = limited(4 << 20, "compile", name, "-o", "y.o", "--name", "x")
            self.assertEqual((first.status, done.returncode), (0, 0), done.stderr)
            self.assertEqual((self.dir / "x.o").read_bytes(), (self.dir / "y.o").read_bytes())

    def test_random_positions(self):
        """Random integers that are positions exist."""
        inputs = "%x: tensor<f32, 9x3>, %i: tensor<si32, 40>, %u: tensor<f32, 40x3>, %j: tensor<si64, 40x3>"
        for line in ("take(%x, %i) -> tensor<f32, 40x3>", "gather(%x, %j) axis[0] -> tensor<f32, 40x3>",
                     "gather(%u, %j) axis[1] -> tensor<f32, 40x3>",
                     "scatter_reduce(%x, %j, %u) axis[0] reduce[max] -> tensor<f32, 9x3>",
                     "segment_reduce(%u, %i) kind[sum] num_segments[5] indices_are_sorted[false] unique[false] -> tensor<f32, 5x3>",
                     "scatter_add(%x, %i, %u) update_window_dims[1] inserted_window_dims[0] "
                     "scatter_dims_to_operand_dims[0] -> tensor<f32, 9x3>"):
            self.write("p.ptir", f"func @main({inputs}) -> {line.split('-> ')[1]} {{\n  %z = {line}\n  return %z\n}}\n")
            self.tenon("run", "p.ptir", "--random", "7")

    def test_random_positions_that_come_from_afar(self):
        """Positions that are moved, cast, chosen or passed through regions on their way exist too."""
        t = "tensor<si32, 40>"
        regions = f"""\
region 1(%i: {t}, %j: {t}) -> {t} {{
  return %i
}}
region 2(%i: {t}, %j: {t}) -> {t} {{
  return %j
}}
region 3(%i: {t}) -> (tensor<i1>, {t}) {{
  %p = constant value[false] -> tensor<i1>
  return %p, %i
}}
region 4(%e: tensor<si32>, %i: tensor<si32>) -> (tensor<si32>, tensor<si32>) {{
  return %e, %i
}}
"""
        for lines in (["%a = reshape(%i) new_shape[8, 5] -> tensor<si32, 8x5>",
                       "%b = transpose(%a) perm[1, 0] -> tensor<si32, 5x8>", f"%k = reshape(%b) new_shape[40] -> {t}"],
                      ["%a = cast(%i) -> tensor<si64, 40>", f"%k = cast(%a) -> {t}"],
                      ["%a = slice(%i) starts[10] sizes[20] -> tensor<si32, 20>", f"%k = concat(%a, %a) axis[0] -> {t}"],
                      [f"%k = select(%p, %i, %j) -> {t}"], [f"%k = maximum(%i, %j) -> {t}"],
                      [f"%k = cond(%q, %i, %j) true_region[1] false_region[2] -> {t}"],
                      [f"%k = while(%i) cond_region[3] body_region[5] -> {t}"],
                      ["%e = constant value[0] -> tensor<si32>",
                       f"%s = scan(%e, %i) body_region[4] carry_count[1] scan_output_count[1] -> (tensor<si32>, {t})",
                       f"%k = reshape(%s[1]) new_shape[40] -> {t}"]):
            body = "".join(f"  {line}\n" for line in lines)
            self.write("p.ptir", f"func @main(%x: tensor<f32, 3x2>, %i: {t}, %j: {t}, %p: tensor<i1, 40>, %q: tensor<i1>) "
                                 f"-> tensor<f32, 40x2> {{\n{body}  %z = take(%x, %k) -> tensor<f32, 40x2>\n  return %z\n}}\n"
                                 f"{regions}region 5(%i: {t}) -> {t} {{\n  return %i\n}}\n")
            self.tenon("run", "p.ptir", "--random", "7")

    def test_explain_costs(self):
        """Bytes and arithmetic are those that are counted by hand."""
        def costs(name, lines):
            body = "\n".join(f"%{i} = {line}" for i, line in enumerate(lines))
            self.write(name, f"{body}\noutputs: %{len(lines) - 1}\n")
            plan = json.loads(self.tenon("explain", name, "--json").out)
            kernels = [k for f in plan["functions"] for k in f["kernels"]]
            return sum(k["bytes"] for k in kernels), sum(k["flops"] for k in kernels), plan.get("memory_bytes")
        x = 'Input () {name="x"} : tensor<f32>[64,300]'
        # an epilogue counts, operands once
        bytes_, flops, _ = costs("a.ir", [x, 'Input () {name="w"} : tensor<f32>[300,200]',
                                          "MatMul (%0, %1) : tensor<f32>[64,200]", "Exp (%2) : tensor<f32>[64,200]"])
        self.assertEqual((bytes_, flops), (4 * (64 * 300 + 300 * 200 + 64 * 200), 2 * 64 * 300 * 200 + 64 * 200))
        # an image is not its windows
        image, filters = 'Input () {name="x"} : tensor<f32>[1,20,20,8]', 'Input () {name="w"} : tensor<f32>[3,3,8,16]'
        conv = 'Conv2d (%0, %1) {strides=[1,1], padding="same"} : tensor<f32>[1,20,20,16]'
        bytes_, flops, _ = costs("b.ir", [image, filters, conv])
        self.assertEqual((bytes_, flops), (4 * (3200 + 1152 + 6400), 2 * 6400 * 72))
        # movement computes nothing, and only what is used is read
        bytes_, flops, memory = costs("c.ir", [x, "Slice (%0) {starts=[0,0], ends=[2,300], steps=[1,1]} : tensor<f32>[2,300]",
                                               "Transpose (%1) {permutation=[1,0]} : tensor<f32>[300,2]",
                                               "Exp (%2) : tensor<f32>[300,2]"])
        self.assertEqual((bytes_, flops), (2 * 4 * 600, 600))
        self.assertLess(memory, 1000)
        # a reduction and what depends on it
        bytes_, flops, _ = costs("d.ir", [x, "Exp (%0) : tensor<f32>[64,300]",
                                          "Sum (%1) {axes=[1], keepdims=true} : tensor<f32>[64,1]",
                                          "BinOp (%1, %2) {op=Div} : tensor<f32>[64,300]"])
        self.assertEqual((bytes_, flops), (2 * 4 * 64 * 300, 3 * 64 * 300))
        # two products one after the other hold what is between them
        _, flops, memory = costs("e.ir", [x, 'Input () {name="y"} : tensor<f32>[300,64]', "MatMul (%1, %0) : tensor<f32>[300,300]",
                                          "MatMul (%2, %2) : tensor<f32>[300,300]"])
        self.assertEqual(flops, 2 * 300 * 300 * (64 + 300))
        self.assertGreater(memory, 4 * 300 * 300)

    def test_timeout(self):
        self.write("loop.ptir", LOOP)
        (d,) = self.tenon("run", "loop.ptir", "--timeout", "0.05", "--random", "1", "--output", "out",
                          "--diagnostics=json", status=3).json()
        self.assertEqual(d["kind"], "Timeout")
        self.assertIn("0.050000000 s", d["message"])
        self.assertFalse((self.dir / "out").exists())
        (d,) = self.tenon("run", "add.ir", "--timeout=1e-9", "--random=1", "--diagnostics=json", status=3).json()
        self.assertEqual(d["kind"], "Timeout")  # while the program is read
        large = "tensor<f32>[3000,3000]"  # 40 products of these take seconds
        products = "".join(f"  %{k} = MatMul (%{k - 1}, %0) : {large}\n" for k in range(1, 41))
        self.write("long.ir", f'  %0 = Input () {{name="x"}} : {large}\n{products}outputs: %40\n')
        (d,) = self.tenon("run", "long.ir", "--timeout=0.3", "--random=1", "--threads=1", "--diagnostics=json", status=3).json()
        self.assertEqual((d["kind"], d["code"]), ("Timeout", "E6007"))
        # also inside one operation, which takes seconds on the fastest machine
        self.write("long.tiny.json", """{"uops": [
  {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": [4096]}},
  {"id": "e", "uop": "EXPAND", "src": ["x"], "arg": {"result_shape": [20000000, 4096]}},
  {"id": "p", "uop": "EXP2", "src": ["e"]},
  {"id": "m", "uop": "REDUCE", "src": ["p"], "arg": {"op": "SUM", "axes": [0, 1], "dtype": "fp32"}}]}""")
        for command in (["run", "long.tiny.json", "--random=1", "--threads=1"],
                        ["equiv", "long.tiny.json", "long.tiny.json"]):
            (d,) = self.tenon(*command, "--timeout", "0.01", "--diagnostics=json", status=3).json()
            self.assertEqual(d["kind"], "Timeout")
        # and inside one constant that a pass computes: 60000 products of matrices
        matrix, number = "tensor<f32, 512x512>", "tensor<si32>"
        self.write("folded.ptir", f"""func @main() -> {matrix} {{
  %k = constant value[0] -> {number}
  %v = constant fill[0.5] -> {matrix}
  %w = while(%k, %v) cond_region[0] body_region[1] -> ({number}, {matrix})
  return %w[1]
}}

region @0(%k: {number}, %v: {matrix}) -> (tensor<i1>, {number}, {matrix}) {{
  %c = compare(%k, literal<si32>[60000]) op[less] -> tensor<i1>
  return %c, %k, %v
}}

region @1(%k: {number}, %v: {matrix}) -> ({number}, {matrix}) {{
  %n = add(%k, literal<si32>[1]) -> {number}
  %p = dot_general(%v, %v) contract_lhs[1] contract_rhs[0] -> {matrix}
  return %n, %p
}}
""")
        (d,) = self.tenon("opt", "folded.ptir", "--passes", "fold-parameters", "--timeout", "0.3", "--diagnostics=json", status=3).json()
        self.assertEqual(d["kind"], "Timeout")
        self.tenon("equiv", "add.ir", "add.ir", "--timeout", "1000")
        self.tenon("run", "add.ir", "--timeout", "1000", "--random", "1")
        for bad in ["0", "-1", "", "x", "1s", "2e9", "1e999"]:
            self.assertIn("[Usage]", self.tenon("run", "add.ir", "--timeout", bad, status=2).err)

    def test_custom_call(self):
        self.write("c.ptir", CUSTOM)
        (d,) = self.tenon("run", "c.ptir", "--random", "1", "--diagnostics=json", status=3).json()
        self.assertEqual(d["kind"], "NotImplemented")
        self.assertTrue(d["message"].startswith("acme.scale.v1 is not implemented: "), d["message"])

    def test_levels(self):
        outs = {self.tenon("run", "add.ir", "--random", "1", flag).out for flag in ["-O0", "-O1", "-O2"]}
        self.assertEqual(len(outs), 1)
        self.tenon("run", "add.ir", "--random", "1", "--threads", "2", "-O", "1")

    def test_no_inputs_and_large_output(self):
        text = "%0 = ConstTensor () {fill=1.5} : tensor<f32>[40, 50]\n%1 = ConstI64 () {value=-7} : tensor<i64>[]\noutputs: %0, %1\n"
        out = self.tenon("run", "-", stdin=text).out
        self.assertIn("%0: f32[40, 50]\n[[1.5, 1.5, 1.5, ..., 1.5, 1.5, 1.5],\n", out)
        self.assertIn(" ...,\n", out)
        self.assertTrue(out.endswith("%1: i64[]\n-7\n") or out.endswith("%1: si64[]\n-7\n"), out[-40:])
        self.assertEqual(out.count("1.5"), 36)


class Tables(Case):
    def test_ops(self):
        out = self.tenon("ops").out
        for name in ["add", "conv2d", "custom_call", "take"]:
            self.assertRegex(out, rf"(?m)^{name} ")
        page = self.tenon("ops", "sum").out
        for want in ["operands     1", "axes", "keepdims", "optional", "derivative", "mind"]:
            self.assertIn(want, page)
        self.assertIn("direction", self.tenon("ops", "compare").out)
        self.assertIn("required", self.tenon("ops", "compare").out)
        self.assertIn("lt le eq ge gt ne", self.tenon("ops", "compare").out)
        self.tenon("ops", "no-such", status=2)
        table = {op["name"]: op for op in json.loads(self.tenon("ops", "--json").out)}
        self.assertEqual(table["add"]["spellings"]["ptir"], "ElementwiseBinary(Add)")
        self.assertEqual(table["add"]["max_operands"], 2)
        self.assertIn("elementwise", table["add"]["traits"])
        self.assertIsNone(table["concat"]["max_operands"])
        self.assertEqual(table["compare"]["attributes"][0]["name"], "direction")

    def test_passes(self):
        out = self.tenon("passes").out
        for name in ["normalize", "dce", "canonicalize", "cse"]:
            self.assertRegex(out, rf"(?m)^{name} +exact")
        self.assertRegex(out, r"(?m)^relax +relaxed +- ")


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed != 0)
