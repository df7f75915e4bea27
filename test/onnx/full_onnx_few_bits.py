"""Weights of few bits: products of few rows read them as they are stored, with the evaluator's bits on every processor."""
import json
import pathlib
import tempfile
import unittest

import numpy as np

from lib.compilers import machine_cpus
from lib.onnx_case import floats, random
from lib.onnx_files import model, node
from lib.program import tenon

N, BLOCK = 256, 32


class FewBits(unittest.TestCase):
    def check(self, bits, k, rows, zeros):
        count = (k + BLOCK - 1) // BLOCK
        x, w = floats(rows, k), random.integers(0, 256, (N, count, BLOCK * bits // 8)).astype(np.uint8)
        inputs = [("x", "f32", ["m", k]), ("w", "ui8", list(w.shape)), ("s", "f32", [N * count])]
        constants = {"w": w, "s": np.abs(floats(N * count)) + 1}
        if zeros:
            constants["z"] = random.integers(0, 256, (N, (count * bits + 7) // 8)).astype(np.uint8)
            inputs.append(("z", "ui8", list(constants["z"].shape)))
        data = model([node("MatMulNBits", " ".join(name for name, _, _ in inputs), "y", domain="com.microsoft", K=k, N=N,
                           bits=bits, block_size=BLOCK)], inputs, [("y", "f32", None)], domains=[("com.microsoft", 1)])
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            path = folder / "m.onnx"
            path.write_bytes(data)
            np.savez(folder / "c.npz", **constants)
            np.save(folder / "x.npy", x)
            given = [path, "--constants", folder / "c.npz"]
            tenon("run", *given, "--input", f"x={folder}/x.npy", "--engine", "ref", "--output", folder / "ref")
            want = np.load(folder / "ref" / "0.npy").tobytes()
            for cpu in machine_cpus() or ["native"]:
                for sizes in [], ["--dim", f"m={rows}"]:
                    tenon("run", *given, *sizes, "--input", f"x={folder}/x.npy", "--cpu", cpu, "--output", folder / "jit")
                    self.assertEqual(np.load(folder / "jit" / "0.npy").tobytes(), want, f"{bits} bits, {rows} rows, {cpu}")
            shown = json.loads(tenon("explain", *given, "--json", "--dim", f"m={rows}").stdout)
            return shown["functions"][0]["kernels"]

    def test_bits(self):
        for bits, k, rows, zeros in (2, 288, 5, True), (4, 256, 1, False), (4, 270, 2, True), (4, 96, 40, True), (8, 256, 1, True):
            kernels = self.check(bits, k, rows, zeros)
            if rows == 1:
                self.assertEqual(len(kernels), 1, "the weights are decoded where they are multiplied")
                self.assertIn("ui8", json.dumps(kernels[0]["reads"]))

    def test_several(self):
        """What products of one shape share, such as their zero point, keeps none of them from strips."""
        inputs = [("x", "f32", [1, N])]
        constants, nodes = {}, []
        for k in range(2):
            w = random.integers(0, 256, (N, N // BLOCK, BLOCK)).astype(np.uint8)
            constants.update({f"w{k}": w, f"s{k}": np.abs(floats(N * N // BLOCK)) + 1})
            inputs += [(f"w{k}", "ui8", list(w.shape)), (f"s{k}", "f32", [N * N // BLOCK])]
            nodes.append(node("MatMulNBits", f"{'y' if k else 'x'} w{k} s{k}", "z" if k else "y", domain="com.microsoft", K=N,
                              N=N, bits=8, block_size=BLOCK))
        data = model(nodes, inputs, [("z", "f32", None)], domains=[("com.microsoft", 1)])
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "m.onnx").write_bytes(data)
            np.savez(folder / "c.npz", **constants)
            given = [folder / "m.onnx", "--constants", folder / "c.npz"]
            shown = tenon("explain", *given, "--dump", "graph").stdout
            self.assertEqual(shown.count(f"si8[{N // 64}, {N // BLOCK}, {BLOCK}, 64]:"), 2, shown)
            runs = {tenon("run", *given, "--random", "1", "--print", *how).stdout for how in (["--engine", "ref"], [])}
            self.assertEqual(len(runs), 1)


if __name__ == "__main__":
    unittest.main()
