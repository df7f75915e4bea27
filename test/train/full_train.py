"""tenon train: the same bits however the work is cut, restarts, data in every form, and what is refused."""
import errno
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import unittest.mock

import numpy as np

from lib.program import HANG, TENON, start

# scores = x w + b, and the mean over the samples of their squared distance to y
NET = """\
%x = Input () {name="x"} : tensor<f32>[n, 3]
%y = Input () {name="y"} : tensor<f32>[n, 2]
%w = Input () {name="w"} : tensor<f32>[3, 2]
%b = Input () {name="b"} : tensor<f32>[2]
%xw = MatMul (%x, %w) : tensor<f32>[n, 2]
%scores = BinOp (%xw, %b) {op=Add} : tensor<f32>[n, 2]
%d = BinOp (%scores, %y) {op=Sub} : tensor<f32>[n, 2]
%s = BinOp (%d, %d) {op=Mul} : tensor<f32>[n, 2]
%e = Sum (%s) {axes=[1], keepdims=false} : tensor<f32>[n]
%loss = Mean (%e) {axes=[], keepdims=false} : tensor<f32>[]
outputs: %loss, %scores
"""
# A loop that does not end, as its number never reaches 3.
ENDLESS = """\
func @main(%x: tensor<f32, ?nx3>, %w: tensor<f32>) -> tensor<f32> {
  %i = constant value[0] -> tensor<si64>
  %m = reduce_sum(%x) axes[0, 1] keepdims[false] -> tensor<f32>
  %v = mul(%m, %w) -> tensor<f32>
  %r = while(%i, %v) cond_region[0] body_region[1] -> (tensor<si64>, tensor<f32>)
  return %r[1]
}
region @0(%i: tensor<si64>, %v: tensor<f32>) -> (tensor<i1>, tensor<si64>, tensor<f32>) {
  %n = constant value[3] -> tensor<si64>
  %p = compare(%i, %n) op[less] -> tensor<i1>
  return %p, %i, %v
}
region @1(%i: tensor<si64>, %v: tensor<f32>) -> (tensor<si64>, tensor<f32>) {
  %one = constant value[0] -> tensor<si64>
  %j = mul(%i, %one) -> tensor<si64>
  %w = mul(%v, %v) -> tensor<f32>
  return %j, %w
}
"""
LONG = """func @main(%x: tensor<f64, 4x2>, %y: tensor<f64, 4x2>, %a: tensor<f64, 2>, %b: tensor<f64, 2>) -> tensor<f64> {
  %p = dot_general(%x, %a) contract_lhs[1] contract_rhs[0] -> tensor<f64, 4>
  %q = dot_general(%y, %b) contract_lhs[1] contract_rhs[0] -> tensor<f64, 4>
  %s = add(%p, %q) -> tensor<f64, 4>
  %l = reduce_sum(%s) axes[0] -> tensor<f64>
  return %l
}
"""
SAMPLES = 50
FAULTS = pathlib.Path(TENON).parent / "test/libfaults.so"


def digest_of(text):
    return text.rpartition("sha256 of the weights: ")[2].strip()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "net.ir").write_text(NET)
        draw = np.random.default_rng(1)
        self.x = draw.integers(0, 9, (SAMPLES, 3)).astype(np.float32)
        self.y = (self.x @ draw.normal(size=(3, 2)) / 9).astype(np.float32)
        np.savez(self.dir / "data.npz", x=self.x, y=self.y)

    def run_train(self, *more, net="net.ir", data=("data.npz",), batch=16, steps=9, wrt="w,b"):
        arguments = ["train", net, "--engine", "ref", "--lr", "0.01"]
        for name, value in (("--batch", batch), ("--steps", steps), ("--wrt", wrt)):
            arguments += [name, value] if value else []
        for path in data:
            arguments += ["--data", path]
        return start(*arguments, *more, cwd=self.dir)

    def train(self, *more, **options):
        """The digest of the weights."""
        done = self.run_train(*more, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return digest_of(done.stdout)

    def refused(self, status, words, *more, **options):
        done = self.run_train(*more, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(words, done.stderr)


class Bits(Case):
    def test_engines_and_threads(self):
        want = self.train("--output", "w.safetensors")
        self.assertEqual(want, hashlib.sha256((self.dir / "w.safetensors").read_bytes()).hexdigest())
        for more in (["--engine", "jit", "--threads", "1"], ["--engine", "jit", "--threads", "2"],
                     ["--engine", "jit", "-O1", "--cpu", "x86-64"], ["--engine", "jit", "--memory", "1"],
                     ["--engine", "jit", "--memory", "1M"], ["--engine", "jit", "--recompute", "auto"]):
            self.assertEqual(self.train(*more), want, more)
        for name in ("loss", "%loss", "0"):
            self.assertEqual(self.train("--loss", name), want, name)
        self.assertNotEqual(self.train("--seed", "1"), want)
        self.assertNotEqual(self.train("--leaves", "2"), self.train("--leaves", "16"))

    def test_loss_by_id(self):
        """The loss that is told and judged is the one that is made small, whatever it was called by."""
        (self.dir / "two.ir").write_text(NET.replace("outputs: %loss, %scores", "outputs: %e, %loss"))
        want = self.train("--log", "log.jsonl", "--leaves", "2")
        told = [line["loss"] for line in map(json.loads, (self.dir / "log.jsonl").read_text().splitlines())]
        done = self.run_train("--leaves", "2", "--validate", "data.npz")
        judged = re.findall(r"after step .*: loss .*", done.stderr)
        for name in ("1", "%loss", "%9", "01"):
            with self.subTest(name):
                done = self.run_train("--loss", name, "--leaves", "2", "--log", "log.jsonl", "--validate", "data.npz", net="two.ir")
                self.assertEqual(digest_of(done.stdout), want, done.stderr)
                lines = [json.loads(line) for line in (self.dir / "log.jsonl").read_text().splitlines()]
                self.assertEqual([line["loss"] for line in lines if "loss" in line], told)
                self.assertEqual(re.findall(r"after step .*: loss .*", done.stderr), judged)

    def test_names_that_are_positions(self):
        """An input that is called as the position of another is meant where the name is one."""
        for old, new in (("w", "1"), ("y", "2")):
            (self.dir / "net.ir").write_text((self.dir / "net.ir").read_text().replace(f'name="{old}"', f'name="{new}"'))
        np.savez(self.dir / "data.npz", **{"x": self.x, "2": self.y})
        self.assertEqual(self.train("--output", "w.npz", wrt="1,b"), self.train(wrt="1,b"))
        with np.load(self.dir / "w.npz") as got:
            self.assertEqual({name: got[name].shape for name in got.files}, {"1": (3, 2), "b": (2,)})

    def test_started_as_one_of_several(self):
        """mpirun and srun say so, and then the module for their MPI is wanted; a job is not yet a rank."""
        alone = self.train()
        for variables, module in [({"OMPI_COMM_WORLD_SIZE": "2"}, "openmpi"), ({"PMI_SIZE": "2"}, "mpich"),
                                  ({"SLURM_STEP_NUM_TASKS": "2", "PMIX_RANK": "0"}, "openmpi"),
                                  ({"SLURM_STEP_NUM_TASKS": "2", "SLURM_NTASKS": "2"}, None),
                                  ({"SLURM_STEP_NUM_TASKS": "1", "PMIX_RANK": "0"}, None),
                                  ({"OMPI_COMM_WORLD_SIZE": "1"}, None)]:
            variables["TENON_MPI_PLUGIN"] = str(self.dir / "none.so")
            with self.subTest(variables), unittest.mock.patch.dict(os.environ, variables):
                if module:
                    self.refused(3, f"libtenon-mpi-{module}.so")
                else:
                    self.assertEqual(self.train(), alone)

    def test_optimizers_as_programs(self):
        for name in ("sgd", "momentum", "adam", "adamw"):
            options = ["--optimizer", name, "--weight-decay", "0.1"]
            shown = start("train", "--show-update", *options, cwd=self.dir)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            (self.dir / "update.ptir").write_text(shown.stdout)
            self.assertEqual(self.train("--update", "update.ptir"), self.train(*options[:2], *options[2:]), name)

    def test_no_momentum(self):
        self.assertEqual(self.train("--optimizer", "momentum", "--momentum", "0"), self.train("--optimizer", "sgd"))

    def test_descent(self):
        """Where a batch is all the data, plain descent is that of NumPy, up to rounding."""
        np.savez(self.dir / "all.npz", x=self.x[:48], y=self.y[:48])
        np.savez(self.dir / "start.npz", w=np.full((3, 2), 0.5, np.float32), b=np.zeros(2, np.float32))
        self.train("--optimizer", "sgd", "--output", "w.npz", "--init", "start.npz", data=["all.npz"],
                   batch=48, steps=3)
        x, y, w, b = self.x[:48].astype(float), self.y[:48], np.full((3, 2), 0.5), np.zeros(2)
        for _ in range(3):
            error = 2 / 48 * (x @ w + b - y)
            w, b = w - 0.01 * x.T @ error, b - 0.01 * error.sum(0)
        with np.load(self.dir / "w.npz") as got:
            np.testing.assert_allclose(got["w"], w, rtol=1e-5)
            np.testing.assert_allclose(got["b"], b, rtol=1e-5)

    def test_long_gradients(self):
        """The squares of these are no numbers in f64, of one weight or of all together; their norm is."""
        (self.dir / "long.ptir").write_text(LONG)
        np.savez(self.dir / "start.npz", a=np.zeros(2), b=np.zeros(2))
        for a, b in (([3e200, 4e200], [0, 0]), ([1.2e154, 0], [0, 1.6e154]), ([3e200, 1], [0, 4e200])):
            with self.subTest(a=a, b=b):
                np.savez(self.dir / "long.npz", x=np.array([a] * 4) / 4, y=np.array([b] * 4) / 4)
                self.train("--optimizer", "sgd", "--clip-norm", "1", "--init", "start.npz", "--output", "w.npz",
                           "--log", "log.jsonl", net="long.ptir", data=["long.npz"], batch=4, steps=1, wrt="a,b")
                length = np.sqrt((np.array(a + b) / 1e200) @ (np.array(a + b) / 1e200)) * 1e200
                with np.load(self.dir / "w.npz") as got:
                    np.testing.assert_allclose(np.append(got["a"], got["b"]), -0.01 * np.array(a + b) / length, rtol=1e-14)
                norm = json.loads((self.dir / "log.jsonl").read_text().splitlines()[-1])["norm"]
                np.testing.assert_allclose(norm, length, rtol=1e-6)

    def test_short_norm(self):
        """Clipped gradients have their digits also where the factor is no normal f32, or none at all."""
        (self.dir / "long.ptir").write_text(LONG.replace("f64", "f32"))
        x = np.array([[3, 4]] * 4, np.float32) * np.float32(2.0 ** 120)
        np.savez(self.dir / "long.npz", x=x, y=x)
        np.savez(self.dir / "start.npz", a=np.zeros(2, np.float32), b=np.zeros(2, np.float32))
        for clip in (1e-3, 1e-7, 1e-9):
            self.train("--optimizer", "sgd", "--lr", "1", "--clip-norm", str(clip), "--init", "start.npz", "--output", "w.npz",
                       net="long.ptir", data=["long.npz"], batch=4, steps=1, wrt="a,b")
            with np.load(self.dir / "w.npz") as got:
                np.testing.assert_allclose([*got["a"], *got["b"]], -clip * np.array([3, 4, 3, 4]) / np.sqrt(50), rtol=1e-6)

    def test_rest_of_an_epoch(self):
        """50 samples are three batches of 16; a step more takes others, and the log says when."""
        self.train("--log", "log.jsonl", "--clip-norm", "0.5", "--schedule", "cosine", "--warmup", "2")
        lines = [json.loads(line) for line in (self.dir / "log.jsonl").read_text().splitlines()]
        self.assertEqual([line["step"] for line in lines], list(range(1, 10)))
        self.assertEqual([line["epoch"] for line in lines], [0, 0, 0, 1, 1, 1, 2, 2, 2])
        self.assertEqual(lines[0]["rate"], 0.005)
        self.assertLess(lines[-1]["loss"], lines[0]["loss"])
        self.assertEqual(self.train("--epochs", "3", steps=0), self.train(steps=9))

    def test_fixed_extents(self):
        """A program for four samples is run four times in a batch of 16."""
        (self.dir / "four.ir").write_text(NET.replace("[n", "[4"))
        want = self.train("--leaves", "4")
        self.assertEqual(self.train(net="four.ir"), want)
        converted = start("convert", "four.ir", "--to", "onnx", "-o", "four.onnx", cwd=self.dir)
        self.assertEqual(converted.returncode, 0, converted.stderr)
        self.assertEqual(self.train(net="four.onnx"), want)
        self.assertEqual(self.train("--leaves", "4", net="four.ir", batch=0), want)
        self.refused(2, "takes 4 samples in a run", net="four.ir", batch=18)
        self.refused(2, "takes 4 samples in a run", "--leaves", "8", net="four.ir")
        self.refused(2, "takes 4 samples in a run", net="four.ir", batch=12)

    def test_bound_extents(self):
        """A size that --dim gives is as one that the program has: also for what it is judged by."""
        want = self.train("--leaves", "4")
        self.assertEqual(self.train("--dim", "n=4"), want)
        self.assertEqual(self.train("--dim", "n=4", "--leaves", "4", batch=0), want)
        done = self.run_train("--dim", "n=4", "--validate", "data.npz")
        self.assertEqual(digest_of(done.stdout), want, done.stderr)
        self.assertIn("on 48 samples", done.stderr)
        for more in [], ["--leaves", "8"]:
            self.refused(2, "takes 32 samples in a run", "--dim", "n=32", *more)
        self.refused(1, "the size 'n' cannot be -4", "--dim", "n=-4")


class Data(Case):
    def test_forms(self):
        """Archives, arrays and folders of either, in one file or several, as floats or as integers."""
        want = self.train()
        small = self.x.astype(np.uint8)
        np.save(self.dir / "x.npy", small)
        np.save(self.dir / "target.npy", self.y)
        self.assertEqual(self.train(data=["x.npy", "y=target.npy"]), want)
        np.save(self.dir / "columns.npy", np.asfortranarray(self.x))
        np.save(self.dir / "swapped.npy", self.y.astype(">f4"))
        self.assertEqual(self.train(data=["x=columns.npy", "y=swapped.npy"]), want)
        shards = self.dir / "shards"
        shards.mkdir()
        for k, (begin, end) in enumerate([(0, 1), (1, 1), (1, 33), (33, 50)]):
            np.savez(shards / f"{k}.npz", x=self.x[begin:end], y=self.y[begin:end])
        (shards / "README").write_text("no data")
        self.assertEqual(self.train(data=["shards"]), want)
        self.assertEqual(self.train(data=["shards/0.npz", "shards/2.npz", "shards/3.npz"]), want)
        self.safetensors(self.dir / "data.safetensors", x=self.x, y=self.y)
        self.assertEqual(self.train(data=["data.safetensors"]), want)

    @staticmethod
    def safetensors(path, **tensors):
        at, header = 0, {}
        for name, a in tensors.items():
            header[name] = {"dtype": "F32", "shape": a.shape, "data_offsets": [at, at + a.nbytes]}
            at += a.nbytes
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(a.tobytes() for a in tensors.values()))

    def test_lossy(self):
        """Numbers that would change are refused."""
        np.savez(self.dir / "wide.npz", x=self.x, y=self.y.astype(np.float64))
        self.refused(3, "f64, which does not become f32", data=["wide.npz"])
        np.savez(self.dir / "long.npz", x=self.x.astype(np.int64), y=self.y)
        self.refused(3, "si64, which does not become f32", data=["long.npz"])

    def test_validation(self):
        done = self.run_train("--validate", "data.npz", "--metric", "accuracy=scores:y", "--log", "log.jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("on 50 samples", done.stderr)
        lines = [json.loads(line) for line in (self.dir / "log.jsonl").read_text().splitlines()]
        self.assertEqual(sum("accuracy" in line for line in lines), 3)
        self.train("--output", "w.npz")
        with np.load(self.dir / "w.npz") as w:
            scores = self.x @ w["w"] + w["b"]
        right = (scores.argmax(1) == self.y.argmax(1)).mean()
        self.assertAlmostEqual(lines[-1]["accuracy"], right)
        loss = ((scores - self.y) ** 2).sum(1).mean()
        self.assertAlmostEqual(lines[-1]["validation_loss"], loss, places=5)
        # scores that are NaN are right nowhere, also where the first class is
        np.savez(self.dir / "nan.npz", x=np.full((4, 3), np.nan, np.float32), y=np.float32([[1, 0]] * 4))
        done = self.run_train("--validate", "nan.npz", "--metric", "accuracy=scores:y")
        self.assertIn(", 0.00 % right", done.stderr)
        self.refused(2, "no output 'y'", "--validate", "data.npz", "--metric", "accuracy=y")
        # the only input with as many columns as the scores needs no name
        done = self.run_train("--validate", "data.npz", "--metric", "accuracy=scores")
        self.assertIn(f", {100 * right:.2f} % right", done.stderr)
        self.refused(2, "'z' is", "--validate", "data.npz", "--metric", "accuracy=scores:z")


class Refused(Case):
    def test_options(self):
        for words, more, options in [
                ("--wrt A,B", [], {"wrt": ""}), ("--data names", [], {"data": []}),
                ("how many are a batch", [], {"batch": 0}), ("say it (--batch)", [], {"batch": 0}), ("exclude each other", ["--epochs", "2"], {}),
                ("no optimizer 'adem'", ["--optimizer", "adem"], {}), ("power of two", ["--leaves", "3"], {}),
                ("cut into 32 leaves", ["--leaves", "32"], {}), ("--lr takes", ["--lr", "-1"], {}),
                ("at the rate 0", ["--lr", "0"], {}), ("needs --checkpoint", ["--resume"], {}),
                ("not 'linear'", ["--schedule", "linear"], {}), ("the data of --validate", ["--metric", "accuracy=s"], {}),
                ("takes accuracy=", ["--metric", "f1=s"], {}), ("out of range", ["--keep", "0"], {}),
                ("in [0, 1)", ["--optimizer", "momentum", "--momentum", "1"], {}),
                ("'adam' does not use the setting 'momentum'", ["--momentum", "0.5"], {}),
                ("--weight-decay is of an optimizer", ["--weight-decay", "0.5", "--update", "net.ir"], {}),
                ("trained twice", [], {"wrt": "w,w"}), ("no input 'q'", [], {"wrt": "w,q"}),
                ("no output 'q'", ["--loss", "q"], {})]:
            with self.subTest(words):
                self.refused(2, words, *more, **options)

    def test_places(self):
        """Before the first step, not after the last."""
        done = self.run_train("--output", "missing/w.safetensors")
        self.assertEqual(done.returncode, 3)
        self.assertIn("missing/w.safetensors: cannot be written", done.stderr)
        self.assertNotIn("step", done.stderr)
        for place in "missing/ck", "net.ir", "net.ir/ck/":
            done = self.run_train("--checkpoint", place)
            self.assertEqual(done.returncode, 3)
            self.assertIn(f"{place.rstrip('/')}: cannot be written", done.stderr)
            self.assertNotIn("step", done.stderr)

    def test_form_of_weights(self):
        self.refused(2, "ends with .safetensors, .npz or .npy", "--output", "w.xyz")
        for path in "w.npy", "/dev/full":
            self.before_steps(2, "several weights", "--output", path)

    def before_steps(self, status, words, *more, **options):
        done = self.run_train(*more, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertNotIn("step ", done.stderr)

    def test_validation(self):
        """Before the first step, not after the first epoch."""
        np.savez(self.dir / "half.npz", x=self.x)
        np.savez(self.dir / "uneven.npz", x=self.x[:40], y=self.y)
        np.savez(self.dir / "none.npz", x=self.x[:0], y=self.y[:0])
        self.before_steps(3, "no 'y'", "--validate", "half.npz")
        self.before_steps(3, "40 samples of 'x', but 50 of 'y'", "--validate", "uneven.npz")
        self.before_steps(3, "the data has 0 samples", "--validate", "none.npz")
        self.before_steps(2, "no output 'q'", "--validate", "data.npz", "--metric", "accuracy=q")
        two, none = self.dir / "two.ir", self.dir / "none.ir"
        two.write_text(NET.replace("[n, 3]", "[n, 2]").replace("[3, 2]", "[2, 2]"))
        np.savez(self.dir / "square.npz", x=self.x[:, :2], y=self.y)
        for words in "more than one data input", "note: one is 'x'", "note: one is 'y'":
            self.before_steps(2, words, "--validate", "square.npz", "--metric", "accuracy=scores", net=two, data=["square.npz"])
        none.write_text(NET.replace('name="y"} : tensor<f32>[n, 2]', 'name="y"} : tensor<f32>[n, 1]'))
        np.savez(self.dir / "narrow.npz", x=self.x, y=self.y[:, :1])
        self.before_steps(2, "no data input can be", "--validate", "narrow.npz", "--metric", "accuracy=scores", net=none, data=["narrow.npz"])
        for net in ("net.ir", "open.ir"):  # the program, or only the data, says how many classes there are
            (self.dir / "open.ir").write_text(NET.replace("[3, 2]", "[3, k]").replace("[2]", "[k]").replace("n, 2]", "n, k]"))
            self.before_steps(2, "different shapes", "--validate", "data.npz", "--metric", "accuracy=scores:x", net=net)

    def test_data(self):
        np.savez(self.dir / "few.npz", x=self.x[:10], y=self.y[:10])
        np.savez(self.dir / "uneven.npz", x=self.x[:40], y=self.y)
        np.savez(self.dir / "shape.npz", x=self.x[:, :2], y=self.y)
        np.savez(self.dir / "rank.npz", x=self.x[0], y=self.y)
        np.savez(self.dir / "other.npz", p=self.x)
        np.savez(self.dir / "half.npz", x=self.x)
        (self.dir / "junk.npz").write_bytes(b"junk")
        (self.dir / "empty").mkdir()
        for words, data in [("fewer than a batch of 16", ["few.npz"]), ("40 samples of 'x', but 50 of 'y'", ["uneven.npz"]),
                            ("another shape than its input: [2], where [3] is wanted", ["shape.npz"]), ("another shape", ["rank.npz"]),
                            ("called as an input", ["other.npz"]), ("neither the data", ["half.npz"]), ("the data has 'x'", ["half.npz"]),
                            ("junk.npz", ["junk.npz"]), ("holds no .npy", ["empty"]), ("missing.npz", ["missing.npz"]),
                            ("another type or shape than those before", ["data.npz", "shape.npz"])]:
            with self.subTest(words, data=data):
                self.refused(3, words, data=data)

    def test_weights(self):
        np.savez(self.dir / "bad.npz", w=np.zeros((2, 3), np.float32))
        self.refused(3, "w", "--init", "bad.npz")
        np.savez(self.dir / "other.npz", v=np.zeros((3, 2), np.float32), x=self.x)  # x is data
        self.refused(3, "no tensor in the file of first values has the name of a weight or of another input that gets no samples: its first is 'v'",
                     "--init", "other.npz")
        (self.dir / "open.ir").write_text(NET.replace("[3, 2]", "[3, k]").replace("[2]", "[k]").replace("n, 2]", "n, k]"))
        self.assertEqual(self.train(net="open.ir"), self.train()) # y says what k is

    def test_update(self):
        head = "func @main(%weight: tensor<f32, ?n>, %gradient: tensor<f32, ?n>"
        for words, text in [
                ("lacks an input 'weight'", "func @main(%gradient: tensor<f32, ?n>) -> tensor<f32, ?n> {\n  return %gradient\n}\n"),
                ("1 tensor of state", head + ", %m: tensor<f32, ?n>) -> tensor<f32, ?n> {\n  return %weight\n}\n"),
                ("any extent", "func @main(%weight: tensor<f32, 4>, %gradient: tensor<f32, 4>) -> tensor<f32, 4> {\n  return %weight\n}\n"),
                ("another rank is wanted of 'rate'", head + ", %rate: tensor<f32, ?n>) -> tensor<f32, ?n> {\n  return %rate\n}\n")]:
            with self.subTest(words):
                (self.dir / "u.ptir").write_text(text)
                self.refused(1, words, "--update", "u.ptir")

    def test_endless(self):
        (self.dir / "endless.ptir").write_text(ENDLESS)
        done = self.run_train("--step-timeout", "0.2", net="endless.ptir", wrt="w")
        self.assertEqual(done.returncode, 3)
        self.assertIn("[Timeout]", done.stderr)
        self.assertEqual(self.run_train("--step-timeout", "0").returncode, 2)

    def test_random_update(self):
        """Random numbers of an update program are others in each step, of each weight and seed, whatever restarts there are."""
        (self.dir / "noise.ptir").write_text("""\
func @main(%weight: tensor<f32, ?n>, %gradient: tensor<f32, ?n>) -> tensor<f32, ?n> {
  %r = rng_uniform -> tensor<f32, ?n>
  %y = add(%weight, %r) -> tensor<f32, ?n>
  return %y
}
""")
        np.savez(self.dir / "zero.npz", w=np.zeros((3, 2), np.float32), b=np.zeros(2, np.float32))

        def weights(steps, *more):
            self.train("--update", "noise.ptir", "--init", "zero.npz", "--output", "out.npz", *more, steps=steps)
            with np.load(self.dir / "out.npz") as out:
                return {name: out[name] for name in out.files}
        one, two, other = weights(1), weights(2), weights(1, "--seed", "1")
        drawn = [*one["b"], *one["w"].flat, *(two["b"] - one["b"]), *other["b"]]
        self.assertEqual(len({round(float(x), 5) for x in drawn}), len(drawn))
        weights(1, "--checkpoint", "ck")
        again = weights(2, "--checkpoint", "ck", "--resume")
        for name, value in two.items():
            np.testing.assert_array_equal(again[name], value)

    def test_not_finite(self):
        self.y[7] = np.nan
        np.savez(self.dir / "nan.npz", x=self.x, y=self.y)
        self.refused(3, "loss of step", data=["nan.npz"])
        done = self.run_train("--invalid", "skip", "--log", "log.jsonl", data=["nan.npz"])
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in (self.dir / "log.jsonl").read_text().splitlines()]
        skipped = sum("skipped" in line for line in lines)
        self.assertTrue(0 < skipped < len(lines))


class Checkpoints(Case):
    def files(self):
        return sorted(p.name for p in (self.dir / "ck").iterdir())

    def test_restarts(self):
        want = self.train("--checkpoint", "ck", "--every", "2", "--keep", "2")
        self.assertEqual(self.files(), ["step-00000008.json", "step-00000008.safetensors",
                                        "step-00000009.json", "step-00000009.safetensors"])
        for name in self.files()[2:]:
            (self.dir / "ck" / name).unlink()
        self.assertEqual(self.train("--checkpoint", "ck", "--resume"), want)
        # what is done already is done; without a checkpoint the training begins
        self.assertEqual(self.train("--checkpoint", "ck", "--resume"), want)
        self.assertEqual(self.train("--checkpoint", "new", "--resume"), want)
        # at a constant rate, more steps are the same training
        self.assertEqual(self.train("--checkpoint", "ck", "--resume", steps=12), self.train(steps=12))

    def test_left_over(self):
        """Tensors that nothing describes, of a process that was killed, go with the old checkpoints; newer ones stay."""
        self.train("--checkpoint", "ck", "--every", "2", "--keep", "2")
        for step in (1, 8, 77):
            (self.dir / f"ck/step-{step:08}.safetensors").write_bytes(b"")
        self.train("--checkpoint", "ck", "--resume", "--every", "2", "--keep", "2", steps=12)
        self.assertEqual(self.files(), ["step-00000010.json", "step-00000010.safetensors", "step-00000012.json",
                                        "step-00000012.safetensors", "step-00000077.safetensors"])

    @unittest.skipUnless(FAULTS.exists(), "faults.c is not built")
    def test_removed_by_another(self):
        """An old file may be gone when it is to be removed: another training in the folder did that."""
        options = ("--checkpoint", "ck", "--every", "2", "--keep", "1", "--threads", "1")
        with unittest.mock.patch.dict(os.environ, LD_PRELOAD=str(FAULTS), TENON_FAULT_LOG=str(self.dir / "log")):
            want = self.train(*options)
        calls = (self.dir / "log").read_text().splitlines()
        removals = [n for n, line in enumerate(calls, 1) if line.startswith("unlink ")]
        self.assertGreaterEqual(len(removals), 4)
        for n in removals[:2]:
            shutil.rmtree(self.dir / "ck")
            with unittest.mock.patch.dict(os.environ, LD_PRELOAD=str(FAULTS), TENON_FAULT_AT=str(n),
                                          TENON_FAULT_AS=str(errno.ENOENT)):
                self.assertEqual(self.train(*options), want)

    @unittest.skipUnless(FAULTS.exists(), "faults.c is not built")
    def test_durable_folder(self):
        """The name of a folder that was made for checkpoints is on the disk, too: that is one fsync more."""
        counts = []
        for there, name in ((True, "a"), (False, "b"), (False, "c//")):
            if there:
                (self.dir / name).mkdir()
            log = self.dir / f"log{len(counts)}"
            with unittest.mock.patch.dict(os.environ, LD_PRELOAD=str(FAULTS), TENON_FAULT_LOG=str(log)):
                self.train("--checkpoint", name, "--threads", "1")
            counts.append(sum(line.startswith("fsync ") for line in log.read_text().splitlines()))
        self.assertEqual(counts[1:], [counts[0] + 1] * 2)

    def test_no_files(self):
        """A pipe or a folder of the name of a checkpoint is none, and is not waited for; neither is a name that none gets."""
        want = self.train("--checkpoint", "ck")
        os.mkfifo(self.dir / "ck/step-00000077.json")
        (self.dir / "ck/step-00000078.json").mkdir()
        (self.dir / "ck/step-000000079.json").write_text("{}")
        self.assertEqual(self.train("--checkpoint", "ck", "--resume", "--keep", "1"), want)
        self.assertEqual(self.train("--checkpoint", "ck", "--resume", "--keep", "1", steps=12), self.train(steps=12))

    def test_killed(self):
        want = self.train(steps=3000)
        process = subprocess.Popen([TENON, "train", "net.ir", "--engine", "ref", "--lr", "0.01", "--batch", "16", "--steps", "3000",
                                    "--wrt", "w,b", "--data", "data.npz", "--checkpoint", "ck", "--every", "20"],
                                   cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(HANG * 100):
            if (self.dir / "ck/step-00000040.json").exists() or process.poll() is not None:
                break
            time.sleep(0.01)
        process.kill()
        self.assertIn(process.wait(), (-signal.SIGKILL, 0))
        self.assertTrue(any(name.endswith(".json") for name in self.files()))
        self.assertEqual(self.train("--checkpoint", "ck", "--resume", steps=3000), want)

    def test_another_training(self):
        self.train("--checkpoint", "ck", steps=4)
        ck = ["--checkpoint", "ck", "--resume"]
        self.refused(3, "16 as its batch, not 32", *ck, batch=32)
        self.refused(3, "16 as its leaves, not 4", *ck, "--leaves", "4")
        self.refused(3, "0 as its seed, not 1", *ck, "--seed", "1")
        self.refused(3, "another update", *ck, "--optimizer", "sgd")
        self.refused(3, "another learning rate", *ck, "--lr", "0.5")
        self.refused(3, "0 as its schedule, not 1", *ck, "--schedule", "cosine")
        self.refused(3, "0 as its warmup, not 2", *ck, "--warmup", "2")
        self.refused(3, "clipped", *ck, "--clip-norm", "1")
        self.refused(2, "after step 4, but the training has 3", *ck, steps=3)
        self.train("--checkpoint", "cosine", "--schedule", "cosine", steps=4)
        self.refused(3, "4 as its number of steps, not 8", "--checkpoint", "cosine", "--resume", "--schedule", "cosine", steps=8)
        np.savez(self.dir / "other.npz", x=self.x[::-1], y=self.y[::-1])
        self.refused(3, "another set of samples", *ck, data=["other.npz"])
        (self.dir / "net.ir").write_text(NET.replace("op=Sub", "op=Add"))
        self.refused(3, "another program", *ck)

    def test_another_fixed_input(self):
        """Of those that get no samples and are not trained; checkpoints of older versions do not tell."""
        for name, b in (("a", 1), ("b", 2)):
            np.savez(self.dir / f"{name}.npz", b=np.full(2, b, np.float32))
        self.train("--checkpoint", "ck", "--init", "a.npz", steps=4, wrt="w")
        ck = ["--checkpoint", "ck", "--resume"]
        self.refused(3, "another value of an input that is not trained", *ck, "--init", "b.npz", wrt="w")
        text = self.dir / "ck/step-00000004.json"
        kept = {k: v for k, v in json.loads(text.read_text()).items() if k not in ("inputs", "data")}
        text.write_text(json.dumps(kept))
        self.assertEqual(self.train(*ck, "--init", "a.npz", wrt="w"), self.train("--init", "a.npz", wrt="w"))

    def test_used_folder(self):
        """Those of another training would be taken for those of this one: nothing is trained, and nothing changes there."""
        self.train("--checkpoint", "ck", steps=4)
        before = self.files()
        self.refused(2, "ck: holds checkpoints of another training", "--checkpoint", "ck", "--lr", "0.5", steps=2)
        self.assertEqual(self.files(), before)

    def test_damaged_newest(self):
        """It is said that one may go on from the checkpoint before."""
        want = self.train("--checkpoint", "ck", "--every", "4", steps=8)
        data = self.dir / "ck/step-00000008.safetensors"
        data.write_bytes(data.read_bytes()[:-1])
        ck = ["--checkpoint", "ck", "--resume"]
        done = self.run_train(*ck, steps=8)
        self.assertEqual(done.returncode, 3)
        self.assertIn("--resume takes the one before it", done.stderr)
        data.unlink()
        (self.dir / "ck/step-00000008.json").unlink()
        self.assertEqual(self.train(*ck, steps=8), want)

    def test_damaged(self):
        self.train("--checkpoint", "ck", steps=4)
        text, data = self.dir / "ck/step-00000004.json", self.dir / "ck/step-00000004.safetensors"
        good_text, good_data = text.read_text(), data.read_bytes()
        ck = ["--checkpoint", "ck", "--resume"]
        for broken in ("", "{", "[]", '{"format":"tenon-train-2"}', '{"format":"tenon-train-1"}', "\0",
                       good_text.replace('"step":4', '"step":5'), good_text.replace('"hash":"', '"hash":"zz'),
                       good_text.replace('"batch":16', '"batch":-16'), good_text + "{}"):
            text.write_text(broken)
            self.refused(3, "step-00000004.json", *ck)
        text.write_text(good_text)
        flipped = bytearray(good_data)
        flipped[-3] ^= 1
        for broken in (b"", good_data[:-1], good_data[:20], bytes(flipped), good_data.replace(b'"b"', b'"c"')):
            data.write_bytes(broken)
            self.refused(3, "step-00000004.safetensors", *ck)
        data.unlink()
        self.refused(3, "step-00000004.safetensors", *ck)


if __name__ == "__main__":
    unittest.main()
