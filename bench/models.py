"""Whole ONNX models against ONNX Runtime: one image at a time, on one thread and on two.

    PYTHONPATH=python TENON_LIBRARY=build/release/libtenon.so python3 bench/models.py [--threads 1,2] [--rounds 5]
        [--quick] [--folder DIR] [--json OUT] [--keep] [--starts] [MODEL ...]

MODEL is a name of torchvision's models, which torch.onnx.export writes with random weights (into DIR, where files that are
there already are taken), or the path of an ONNX file with one input of f32. Both run the model in turns, several times over;
one thread counts processor time, which other programs disturb little, two threads the clock. The figures are medians, and the
results must agree up to rounding. --starts also measures from the start of a process to the first result, with and without
cached code, against creating a session and one run.

ONNX Runtime is the package onnxruntime-node of npm, installed where there is a network.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import tenon

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "test")]
import results  # noqa: E402
from lib import onnx_runtime  # noqa: E402

QUICK = ["resnet18", "mobilenet_v2", "shufflenet_v2_x1_0"]
MODELS = QUICK + ["resnet50", "mobilenet_v3_large", "efficientnet_b0", "densenet121", "regnet_y_400mf", "squeezenet1_1",
                  "convnext_tiny", "vit_b_16", "swin_t"]
WANTED = {"median": 1.0, "most": 1.2}
CLOSE = 1e-3  # of the largest number: sums of thousands of products in other orders


def exported(name, folder):
    """The file of a model of torchvision."""
    path = folder / f"{name}.onnx"
    if not path.exists():
        import torch
        import torchvision
        warnings.filterwarnings("ignore")
        torch.manual_seed(0)
        network = getattr(torchvision.models, name)(weights=None).eval()
        torch.onnx.export(network, torch.zeros(1, 3, 224, 224), str(path), opset_version=16, input_names=["x"],
                          output_names=["y"])
    return path


class Tenon:
    def __init__(self, path, threads, x):
        self.net = tenon.open(path).compile(threads=threads, eager=True)
        self.x = x
        self.first = np.asarray(self.run())

    def run(self):
        y = self.net(self.x)
        return y[0] if isinstance(y, (tuple, list)) else y

    def times(self, n):
        found = []
        for _ in range(n):
            busy, now = time.process_time(), time.perf_counter()
            self.run()
            found.append((1e3 * (time.process_time() - busy), 1e3 * (time.perf_counter() - now)))
        return found

    def end(self):
        pass


class Runtime:
    def __init__(self, package, path, threads, x, name, folder):
        given = folder / "input"
        given.write_bytes(x.tobytes())
        (folder / "input.json").write_text(json.dumps({"name": name, "shape": x.shape}))
        self.child = subprocess.Popen(["node", str(HERE / "onnx_runtime.js"), str(package), str(path), str(threads), str(given)],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.child.stdout.readline() != "ready\n":
            raise RuntimeError(f"ONNX Runtime cannot run {path}")
        self.first = np.fromfile(f"{given}.out", np.float32)

    def times(self, n):
        self.child.stdin.write(f"{n}\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def measure(path, package, threads, rounds):
    """Medians of both in milliseconds, and how far apart their results are."""
    ports = tenon.open(path).inputs
    shape = [n if isinstance(n, int) else 1 for n in ports[0].shape]
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    with tempfile.TemporaryDirectory() as place:
        both = [Tenon(path, threads, x), Runtime(package, path, threads, x, ports[0].name, pathlib.Path(place))]
        a, b = (c.first.astype(np.float64).ravel() for c in both)
        apart = float(np.abs(a - b).max() / max(1e-30, np.abs(b).max()))
        runs = max(1, round(200 / max(1.0, both[1].times(2)[1][1])))
        found = [[], []]
        for _ in range(rounds):
            for c, times in zip(both, found):
                c.times(max(1, runs // 2))  # idle threads of the other stop waiting busily, and those of this one wake up
                times += c.times(runs)
        for c in both:
            c.end()
    which = 0 if threads == 1 else 1
    mine, other = (statistics.median(t[which] for t in times) for times in found)
    return {"threads": threads, "ms": mine, "peer_ms": other, "ratio": mine / other, "apart": apart}


def start(path, package, cache):
    """Seconds from the start of a process to the first result."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        ports = tenon.open(path).inputs
        x = np.zeros([n if isinstance(n, int) else 1 for n in ports[0].shape], np.float32)
        np.save(folder / "x.npy", x)
        program = os.environ.get("TENON", HERE.parent / "build/release/tenon")
        now = time.perf_counter()
        subprocess.run([program, "run", path, "--input", f"{ports[0].name}={folder / 'x.npy'}", "--output", folder / "out"],
                       env={**os.environ, "TENON_CACHE_DIR": cache}, capture_output=True, check=True)
        mine = time.perf_counter() - now
        now = time.perf_counter()
        Runtime(package, path, os.cpu_count(), x, ports[0].name, folder).end()
        return mine, time.perf_counter() - now


def starts(path, package):
    with tempfile.TemporaryDirectory() as cache:
        cold, peer_cold = start(path, package, cache)
        warm = [start(path, package, cache) for _ in range(3)]
    mine, peer = statistics.median(w[0] for w in warm), statistics.median([peer_cold] + [w[1] for w in warm])
    return {"cold_ms": 1e3 * cold, "warm_ms": 1e3 * mine, "peer_start_ms": 1e3 * peer}


def kept(row):
    """A row as results.py has them."""
    return {"work": f"model-{row['model']}", "threads": row["threads"], "ms": row["ms"], "best_peer": "onnxruntime",
            "to_best_peer": row["ratio"], "limit": None, "of_limit": None}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--threads", default="1,2" if (os.cpu_count() or 1) > 1 else "1")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="few small models")
    parser.add_argument("--folder", type=pathlib.Path, help="keep exported models there")
    parser.add_argument("--starts", action="store_true", help="also the time to the first result")
    parser.add_argument("--json", type=pathlib.Path, help="also write all figures to a file")
    parser.add_argument("--keep", action="store_true", help="add the figures to results/, and write its table")
    o = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    package, why = onnx_runtime.installed()
    if not package:
        print(f"nothing is measured: {why}")
        return 0
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = o.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"load {load}; milliseconds, medians; one thread: processor time\n")
        print(f"{'model':<20} n {'tenon':>9} {'runtime':>9} {'ratio':>6}  apart", flush=True)
        for name in o.models or (QUICK if o.quick else MODELS):
            path = pathlib.Path(name) if name.endswith(".onnx") else exported(name, folder)
            for threads in map(int, o.threads.split(",")):
                row = {"model": path.stem, **measure(path, package, threads, o.rounds)}
                rows.append(row)
                print(f"{row['model']:<20} {threads} {row['ms']:>9.2f} {row['peer_ms']:>9.2f} {row['ratio']:>6.2f}  "
                      f"{row['apart']:.1e}" + (" TOO FAR" if not row["apart"] <= CLOSE else ""), flush=True)
            if o.starts:
                row.update(starts(path, package))
                print(f"{'  to the first result':<22} cold {row['cold_ms']:.0f}, warm {row['warm_ms']:.0f}, "
                      f"runtime {row['peer_start_ms']:.0f}", flush=True)
    for threads in sorted({row["threads"] for row in rows}):
        ratios = [row["ratio"] for row in rows if row["threads"] == threads]
        print(f"\n{threads} thread{'s' * (threads > 1)}: median ratio {statistics.median(ratios):.2f} (wanted {WANTED['median']}), "
              f"largest {max(ratios):.2f} (wanted {WANTED['most']})")
    if o.json:
        o.json.write_text(json.dumps(rows, indent=1) + "\n")
    if o.keep:
        results.keep({"load": load, "work": [kept(row) for row in rows]})
    return int(any(not row["apart"] <= CLOSE for row in rows))


if __name__ == "__main__":
    sys.exit(main())
