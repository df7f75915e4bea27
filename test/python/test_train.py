"""Training from Python: the bits of `tenon train`, data in every form, ranks as threads, checkpoints, what is refused."""
import gc
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

from lib import package  # noqa: F401
from lib.program import output
from train.full_train import NET, digest_of

import numpy as np

import tenon
from tenon import train

draw = np.random.default_rng(1)
X = draw.integers(0, 9, (50, 3)).astype(np.float32)
Y = (X @ draw.normal(size=(3, 2)) / 9).astype(np.float32)
OPTIONS = {"wrt": ["w", "b"], "batch": 16, "steps": 9, "rate": 0.01, "engine": "ref"}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def trainer(self, data=None, net=None, **more):
        return train.Trainer(net or tenon.read(NET), data or {"x": X, "y": Y}, **{**OPTIONS, **more})


def finish(t):
    for _ in t:
        pass
    return t.digest


class Training(Case):
    def test_same_as_the_program(self):
        (self.dir / "net.ir").write_text(NET, encoding="utf-8")
        np.savez(self.dir / "data.npz", x=X, y=Y)
        said = output("train", self.dir / "net.ir", "--wrt", "w,b", "--data", self.dir / "data.npz", "--batch", "16",
                      "--steps", "9", "--lr", "0.01", "--engine", "ref")
        want = digest_of(said)
        for data in ({"x": X, "y": Y}, self.dir / "data.npz", [self.dir / "data.npz"],
                     train.Dataset(str(self.dir / "data.npz"))):
            self.assertEqual(finish(self.trainer(data)), want)
        self.assertEqual(finish(self.trainer(net=self.dir / "net.ir", engine="jit", threads=2)), want)
        self.assertEqual(finish(self.trainer(update=train.optimizer())), want)
        for more in ({"seed": 1}, {"leaves": 2}, {"optimizer": "sgd"}, {"schedule": "cosine"}, {"warmup": 3},
                     {"clip_norm": 0.1}, {"weight_decay": 0.5}, {"betas": (0.5, 0.5)}, {"epsilon": 0.1}):
            self.assertNotEqual(finish(self.trainer(**more)), want, more)

    def test_steps(self):
        t = self.trainer(steps=0, epochs=3)
        self.assertEqual((t.batch, t.leaves, t.steps, t.steps_of_epoch, t.done), (16, 16, 9, 3, 0))
        self.assertEqual(repr(t), "<Trainer, step 0 of 9, batch 16>")
        steps = list(t)
        self.assertEqual([s.epoch for s in steps], [0, 0, 0, 1, 1, 1, 2, 2, 2])
        self.assertEqual([s.step for s in steps], list(range(9)))
        self.assertLess(steps[-1].loss, steps[0].loss)
        self.assertEqual(list(t), [])
        t = self.trainer()
        for _ in t:  # steps that are done on the way are no longer left
            if t.done < t.steps:
                t.step()
        self.assertEqual((t.done, t.digest), (9, finish(self.trainer())))
        t.write(self.dir / "w.safetensors")
        self.assertEqual(t.digest, hashlib.sha256((self.dir / "w.safetensors").read_bytes()).hexdigest())

    def test_weights(self):
        """One step of plain descent over all data, from given weights."""
        w, b = np.full((3, 2), 0.5, np.float32), np.zeros(2, np.float32)
        t = self.trainer({"x": X[:48], "y": Y[:48]}, batch=48, steps=1, optimizer="sgd", init={"w": w, "b": b})
        before = t.weights
        self.assertTrue((before["w"].numpy() == w).all())
        t.step()
        error = 2 / 48 * (X[:48].astype(float) @ w + b - Y[:48])
        np.testing.assert_allclose(t.weights["w"], w - 0.01 * X[:48].T @ error, rtol=1e-5)
        self.assertTrue((before["w"].numpy() == w).all())  # a copy

    def test_function(self):
        """The name of a structure stands for all in it; its bf16 tensors keep their bits."""
        @tenon.function({"a": "bf16[3, 2]", "b": "f32[2]"}, "f32[n, 3]", "f32[n, 2]")
        def loss(w, x, y):
            return ((x @ tenon.cast(w["a"], "f32") + w["b"] - y) ** 2).mean()
        first = tenon.tensor([[1, 2], [3, 4], [5, 6]], "bf16")
        t = self.trainer(net=loss, wrt="w", init={"w.a": first})
        self.assertEqual(sorted(t.weights), ["w.a", "w.b"])
        self.assertTrue((t.weights["w.a"].bits() == first.bits()).all())
        finish(t)
        self.assertEqual(t.weights["w.a"].dtype, "bf16")
        self.assertFalse((t.weights["w.a"].bits() == first.bits()).all())

    def test_validation(self):
        t = self.trainer()
        finish(t)
        w = t.weights
        scores = X @ w["w"].numpy() + w["b"].numpy()
        v = t.validate({"x": X, "y": Y}, scores="scores", labels="y")
        self.assertEqual((v.samples, v.right), (50, (scores.argmax(1) == Y.argmax(1)).sum()))
        self.assertEqual(v.accuracy, v.right / 50)
        self.assertAlmostEqual(v.loss, ((scores - Y) ** 2).sum(1).mean(), places=5)
        self.assertEqual(t.validate({"x": X, "y": Y}).right, 0)

    def test_restarts(self):
        want = finish(self.trainer())
        t = self.trainer()
        for _ in range(4):
            t.step()
        t.save(self.dir / "ck", keep=1)
        t = self.trainer()
        self.assertTrue(t.resume(self.dir / "ck"))
        self.assertEqual((t.done, finish(t)), (4, want))
        self.assertFalse(self.trainer().resume(self.dir / "none"))
        with self.assertRaisesRegex(tenon.InputError, "seed"):
            self.trainer(seed=1).resume(self.dir / "ck")

    def test_settings_of_zero(self):
        """0 is a setting as others are; None is the usual one."""
        self.assertEqual(finish(self.trainer(optimizer="momentum", momentum=0)), finish(self.trainer(optimizer="sgd")))
        usual = finish(self.trainer())
        self.assertEqual(finish(self.trainer(betas=(0.9, 0.999), epsilon=1e-8)), usual)
        for betas in (0.0, 0.999), (0.9, 0.0):
            self.assertNotEqual(finish(self.trainer(betas=betas)), usual)
        for setting in {"momentum": -1, "optimizer": "momentum"}, {"betas": (-1, 0.9)}, {"epsilon": 0.0}, {"epsilon": -1}:
            with self.assertRaisesRegex(tenon.UsageError, "it lies"):
                self.trainer(**setting)

    def test_unused_settings(self):
        for words, more in (("'adam' does not use the setting 'momentum'", {"momentum": 0.5}),
                            ("'sgd' does not use the setting 'beta'", {"optimizer": "sgd", "betas": (0.5, 0.5)}),
                            ("the update takes its place", {"momentum": 0.5, "update": train.optimizer("momentum")})):
            with self.assertRaisesRegex(tenon.UsageError, words):
                self.trainer(**more)

    def test_folder_of_another(self):
        """Neither a later training nor an equal one writes where there are checkpoints that it does not go on from."""
        t = self.trainer()
        t.step()
        t.save(self.dir / "ck")
        (self.dir / "link").symlink_to("ck")
        before = {p.name: p.read_bytes() for p in (self.dir / "ck").iterdir()}
        for other in (self.trainer(seed=1), self.trainer()):
            other.step()
            for name in ("ck", "link", "ck/"):
                with self.assertRaisesRegex(tenon.UsageError, "holds checkpoints of another training, the newest after step 1"):
                    other.save(self.dir / name)
            other.save(self.dir / f"own{other.done}")
            shutil.rmtree(self.dir / f"own{other.done}")
        self.assertEqual({p.name: p.read_bytes() for p in (self.dir / "ck").iterdir()}, before)
        t.step()
        t.save(self.dir / "link", keep=1)
        self.assertEqual(sorted(p.name for p in (self.dir / "ck").iterdir()), ["step-00000002.json", "step-00000002.safetensors"])
        more = self.trainer()
        more.resume(self.dir / "ck")
        more.step()
        more.save(self.dir / "ck", keep=0)
        self.assertEqual(len(list((self.dir / "ck").iterdir())), 4)

    def test_damaged(self):
        """What is damaged changes no weight."""
        t = self.trainer()
        t.step()
        t.save(self.dir / "ck")
        data = self.dir / "ck/step-00000001.safetensors"
        damaged = bytearray(data.read_bytes())
        damaged[-1] ^= 1
        data.write_bytes(damaged)
        other = self.trainer()
        before = other.digest
        with self.assertRaisesRegex(tenon.FileError, "another checksum"):
            other.resume(self.dir / "ck")
        self.assertEqual(other.digest, before)
        self.assertEqual(finish(other), finish(self.trainer()))

    def test_empty_folder_of_two(self):
        """Where there was nothing to go on from, the folder is that of the training that saves first."""
        (self.dir / "ck").mkdir()
        first, second = self.trainer(), self.trainer()
        for t in first, second:
            self.assertFalse(t.resume(self.dir / "ck"))
            t.step()
        first.save(self.dir / "ck")
        with self.assertRaisesRegex(tenon.UsageError, "holds checkpoints of another training"):
            second.save(self.dir / "ck")


class Shared(Case):
    def run_rank(self, ranks, out, **more):
        context = tenon.Context()
        with ranks:
            t = self.trainer(net=tenon.read(NET, context=context), ranks=ranks, **more)
            out[ranks.rank] = finish(t)

    def run_ranks(self, n, **odd):
        """The digests, of ranks as threads; rank 1 has the options ODD."""
        group, out = train.RankGroup(n), [None] * n

        def run(r):
            try:
                self.run_rank(group.rank(r), out, **(odd if r == 1 else {}))
            except tenon.Error as error:
                out[r] = error
        threads = [threading.Thread(target=run, args=(r,)) for r in range(n)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return out

    def test_threads(self):
        want = finish(self.trainer())
        for n in (1, 2, 3):
            self.assertEqual(self.run_ranks(n), [want] * n)

    def test_other_options(self):
        for what, odd in (("batch", {"batch": 32}), ("leaves", {"leaves": 8}), ("seed", {"seed": 1}),
                          ("samples", {"data": {"x": X[:40], "y": Y[:40]}}), ("update", {"optimizer": "sgd"}),
                          ("learning rate", {"rate": 0.02}), ("schedule", {"schedule": "cosine"}), ("warmup", {"warmup": 3}),
                          ("number of steps", {"steps": 6}), ("number of steps", {"steps": 12}),
                          ("norm to which gradients are clipped", {"clip_norm": 0.5}),
                          ("rule for steps that are not finite", {"skip": True}),
                          ("first values", {"init": {"w": np.ones((3, 2), np.float32)}})):
            for rank, error in enumerate(self.run_ranks(2, **odd)):
                with self.subTest(odd):
                    self.assertIsInstance(error, tenon.InputError)
                    self.assertIn(f"rank {1 - rank} has another {what} than rank {rank}", str(error))

    def test_one_context(self):
        """No `with`: a rank that is refused must not leave others waiting."""
        one = tenon.read(NET, context=tenon.Context())
        for nets, refused in (([None, None], 2), ([one, one], 1)):
            group, out = train.RankGroup(2), [None, None]

            def run(r, nets=nets, group=group, out=out):
                try:
                    finish(self.trainer(net=nets[r], ranks=group.rank(r)))
                except tenon.Error as error:
                    out[r] = error
            threads = [threading.Thread(target=run, args=(r,)) for r in range(2)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(sum("wait for each other" in str(error) for error in out), refused, out)
            self.assertTrue(all(isinstance(error, tenon.Error) for error in out), out)

    def test_contexts(self):
        """A traced function has a context of its own: data sets and updates of any serve it, also traced ones."""
        @tenon.function("f32[3, 2]", "f32[2]", "f32[n, 3]", "f32[n, 2]")
        def loss(w, b, x, y):
            return ((x @ w + b - y) ** 2).mean()

        @tenon.function("f32[n]", "f32[n]", "f32")
        def descend(weight, gradient, rate):
            return weight - gradient * rate
        want = finish(self.trainer(net=loss))
        data = train.Dataset({"x": X, "y": Y})
        t = self.trainer(data, net=loss, update=train.optimizer())
        self.assertEqual(finish(t), want)
        self.assertEqual(t.validate(data), t.validate({"x": X, "y": Y}))
        (self.dir / "update.ptir").write_text(train.optimizer().text("ptir-text"), encoding="utf-8")
        self.assertEqual(finish(self.trainer(net=loss, update=self.dir / "update.ptir")), want)
        del data
        gc.collect()
        self.assertEqual(t.step().step, 9)  # which lives as long as a trainer reads it
        self.assertEqual(finish(self.trainer(net=loss, update=descend)), finish(self.trainer(net=loss, optimizer="sgd")))

    def test_alone(self):
        with train.mpi() as ranks:
            self.assertEqual((ranks.rank, ranks.ranks), (0, 1))
            self.assertEqual(finish(self.trainer(ranks=ranks)), finish(self.trainer()))
        for n in (0, -1):
            self.assertRaises(tenon.UsageError, train.RankGroup, n)
        for n in (2, -1, 2 ** 32):
            self.assertRaises(tenon.UsageError, train.RankGroup(2).rank, n)
        self.assertRaises(tenon.UsageError, train.RankGroup, 2 ** 32 + 1)
        self.assertRaises(TypeError, train.RankGroup, 2.5)


class Refused(Case):
    def test_options(self):
        for more in ({"wrt": ["q"]}, {"wrt": []}, {"loss": "q"}, {"optimizer": "adem"}, {"leaves": 3}, {"batch": 0},
                     {"schedule": "linear"}, {"steps": 9, "epochs": 1}, {"rate": -1.0}, {"rate": 0}, {"level": 5}):
            with self.subTest(more), self.assertRaises(tenon.UsageError):
                self.trainer(**more)
        with self.assertRaisesRegex(TypeError, "taken as an update, not an object of type function; tenon.function"):
            self.trainer(update=lambda weight, gradient: weight)

    def test_data(self):
        with self.assertRaises(tenon.InputError):
            self.trainer({"x": X})
        with self.assertRaises(tenon.FileError):
            train.Dataset(self.dir / "missing.npz")
        labels = """func @main(%x: tensor<f32, 4x3>, %w: tensor<f32, 3>, %l: tensor<KIND, 4>) -> tensor<f32> {
  %d = dot_general(%x, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, 4>
  %f = cast(%l) -> tensor<f32, 4>
  %m = mul(%d, %f) -> tensor<f32, 4>
  %r = reduce_sum(%m) axes[0] -> tensor<f32>
  return %r
}
"""
        for kind, made, wrong in (("ui8", np.int8, -1), ("ui32", np.int8, -1), ("ui64", np.int64, -2), ("si8", np.uint8, 200),
                                  ("si64", np.uint64, 2**63), ("si8", np.int64, 200), ("ui8", np.int64, -1), ("ui8", np.int64, 256)):
            given = np.ones(50, made)
            net = tenon.read(labels.replace("KIND", kind))
            finish(self.trainer({"x": X, "l": given}, net=net, wrt=["w"], batch=4))
            given[:] = wrong
            with self.subTest((kind, made)), self.assertRaisesRegex(tenon.InputError, "holds a number that is no " + kind):
                finish(self.trainer({"x": X, "l": given}, net=net, wrt=["w"], batch=4))
        for number in (5, np.float32(5), np.array(5), tenon.tensor(5)):
            for name in ("a", "a=b"):
                with self.assertRaisesRegex(tenon.InputError, f"'{name}' is a number, and no sequence of samples"):
                    train.Dataset({"x": X, name: number})
        bad = Y.copy()
        bad[7] = np.nan
        with self.assertRaises(tenon.RunError):
            finish(self.trainer({"x": X, "y": bad}))
        steps = list(self.trainer({"x": X, "y": bad}, skip=True))
        self.assertTrue(0 < sum(s.skipped for s in steps) < 9)


    def test_numbers(self):
        for wrong in (-1, 2 ** 64):
            self.assertRaises(tenon.UsageError, train.schedule_rate, "cosine", 1.0, wrong, 10)
        self.assertRaises(TypeError, train.schedule_rate, "cosine", "1", 0, 10)
        for wrong in (0.9, (0.9,), (0.9, 0.99, 0.999), ("a", "b")):
            with self.assertRaisesRegex(TypeError, "'betas' is"):
                self.trainer(betas=wrong)

    def test_names_of_inputs(self):
        """Any name that an input may have is one of arrays."""
        @tenon.function("f32[3, 1]", "f32[n, 3]")
        def loss(file, allow_pickle):
            return ((allow_pickle @ file - 1) ** 2).mean()
        t = self.trainer({"allow_pickle": X}, loss.module, wrt="file", init={"file": np.ones((3, 1), np.float32)})
        self.assertEqual(t.weights["file"].tolist(), [[1], [1], [1]])
        names = ["a=b", "=", "a/b", "a b", ""]
        data = train.Dataset({name: X for name in names})
        self.assertEqual([p.name for p in data.tensors], names)


class Parts(unittest.TestCase):
    def test_order(self):
        order = train.sample_order(3, 1, 100)
        self.assertEqual(sorted(order.tolist()), list(range(100)))
        self.assertFalse((order == train.sample_order(3, 2, 100)).all())
        self.assertNotEqual(train.leaf_seed(1, 2, 3), train.leaf_seed(1, 3, 2))

    def test_rates(self):
        self.assertEqual([train.schedule_rate("step", 1, i, 8) for i in (0, 3, 4, 5, 6)], [1, 1, 0.1, 0.1, 0.01])
        self.assertEqual(train.schedule_rate("constant", 1, 0, 8, warmup=4), 0.25)
        self.assertRaises(tenon.UsageError, train.schedule_rate, "linear", 1, 0, 8)

    def test_sums(self):
        a = draw.normal(size=(5, 7)).astype(np.float32)
        want = ((a[0] + a[1]) + (a[2] + a[3])) + a[4]
        self.assertTrue((train.reduce_tree(list(a)).numpy() == want).all())
        strided = [x[::2] for x in a]
        self.assertTrue((train.reduce_tree(strided).numpy() == want[::2]).all())
        self.assertTrue((train.reduce_tree([x.astype(x.dtype.newbyteorder()) for x in a]).numpy() == want).all())
        ones = tenon.tensor([1, 2], "bf16")
        self.assertEqual(train.reduce_tree([ones, ones]).astype("f32").tolist(), [2, 4])
        for error, leaves in ((tenon.UsageError, []), (tenon.UsageError, [np.zeros(2, bool)]),
                              (tenon.InputError, [a[0], a[0, :3]]), (tenon.InputError, [a[0], a[0].astype("f8")])):
            with self.assertRaises(error):
                train.reduce_tree(leaves)

    def test_life(self):
        """What a trainer needs lives as long as it; files go with it."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with unittest.mock.patch("tempfile.tempdir", folder.name):
            self.check_life(folder.name)

    def check_life(self, folder):
        context = tenon.Context()
        t = train.Trainer(tenon.read(NET, context=context), {"x": X, "y": Y}, **OPTIONS)
        del context
        gc.collect()
        finish(t)
        self.assertNotEqual(os.listdir(folder), [])
        del t
        gc.collect()
        self.assertEqual(os.listdir(folder), [])


class Forks(unittest.TestCase):
    def test_data_in_a_child(self):
        """A child of fork that is done with data leaves the files to its parent, and frees a trainer that reads them."""
        code = ("import os, signal, sys, numpy as np, tenon\nx = np.ones((64, 3), np.float32)\n"
                "f = tenon.function('f32[3]', 'f32[n, 3]')(lambda w, x: ((x * w - 1) ** 2).mean())\n"
                "data = tenon.train.Dataset({'x': x}, context=f.module._context)\n"
                "t = tenon.train.Trainer(f, data, wrt='w', batch=8, epochs=4)\nt.step()\nfolder = [*data._context._owned.values()]\n"
                "files = [k.folder for _, kept in folder for k in kept if hasattr(k, 'folder')]\ndel folder\nchild = os.fork()\n"
                "if child == 0:\n    signal.alarm(100)\n    del t, data\n    sys.exit(0)\n"
                "assert os.waitpid(child, 0)[1] == 0\nassert files and all(map(os.path.isdir, files)), files\nassert len([*t]) == 31")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
