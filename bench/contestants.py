"""What models.py and layers.py compare: Tenon, ONNX Runtime and PyTorch, each with something ready to run.

Each contestant has `first`, its first result as an array; times(N), the milliseconds of N runs by the processor and by the
clock; and end().
"""
import json
import pathlib
import statistics
import subprocess
import time

import numpy as np

import tenon

HERE = pathlib.Path(__file__).resolve().parent


class Here:
    """A contestant in this process."""

    def run(self):
        raise NotImplementedError

    def times(self, n):
        found = []
        for _ in range(n):
            busy, now = time.process_time(), time.perf_counter()
            self.run()
            found.append((1e3 * (time.process_time() - busy), 1e3 * (time.perf_counter() - now)))
        return found

    def end(self):
        pass


class Tenon(Here):
    """INPUTS: arrays by name."""

    def __init__(self, path, threads, inputs, cpu=None):
        self.net = tenon.open(path).compile(threads=threads, eager=True, **({"cpu": cpu} if cpu else {}))
        self.inputs = list(inputs.values())
        self.first = np.asarray(self.run())

    def run(self):
        y = self.net(*self.inputs)
        return y[0] if isinstance(y, (tuple, list)) else y


class Torch(Here):
    def __init__(self, module, threads, inputs):
        import torch
        torch.set_num_threads(threads)
        self.torch, self.module = torch, module
        self.inputs = [torch.from_numpy(x) for x in inputs.values()]
        self.first = self.run().numpy()

    def run(self):
        with self.torch.no_grad():
            y = self.module(*self.inputs)
        return y[0] if isinstance(y, (tuple, list)) else y


class Runtime:
    """PACKAGE: the folder of onnxruntime-node; FOLDER: an empty one for its input and first result."""

    def __init__(self, package, path, threads, inputs, folder):
        folder = pathlib.Path(folder)
        listed = []
        for number, (name, x) in enumerate(inputs.items()):
            (folder / f"{number}").write_bytes(x.tobytes())
            listed.append({"name": name, "dtype": str(x.dtype), "shape": x.shape, "file": str(folder / f"{number}")})
        (folder / "inputs.json").write_text(json.dumps(listed))
        self.child = subprocess.Popen(["node", str(HERE / "onnx_runtime.js"), str(package), str(path), str(threads), str(folder)],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.child.stdout.readline() != "ready\n":
            self.end()
            raise RuntimeError(f"ONNX Runtime cannot run {path}")
        about = json.loads((folder / "output.json").read_text())
        self.first = np.fromfile(folder / "output", about["dtype"]).reshape(about["shape"])

    def times(self, n):
        self.child.stdin.write(f"{n}\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def medians(contestants, threads, rounds, runs):
    """Milliseconds of each, which take turns of RUNS runs."""
    found = [[] for _ in contestants]
    for _ in range(rounds):
        for c, times in zip(contestants, found):
            c.times(max(1, runs // 2))  # idle threads of the others stop waiting busily, and those of this one wake up
            times += c.times(runs)
    which = 0 if threads == 1 else 1
    return [statistics.median(t[which] for t in times) for times in found]


def apart(a, b):
    """How far two results are apart, as a part of the largest number of B."""
    a, b = (np.asarray(x).astype(np.float64).ravel() for x in (a, b))
    if a.size != b.size:
        return float("inf")
    return float(np.abs(a - b).max() / max(1e-30, np.abs(b).max())) if a.size else 0.0
