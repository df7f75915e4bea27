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
import contestants  # noqa: E402
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


def inputs_of(path):
    """Numbers for the one input of a model, by its name."""
    port = tenon.open(path).inputs[0]
    shape = [n if isinstance(n, int) else 1 for n in port.shape]
    return {port.name: np.random.default_rng(1).standard_normal(shape).astype(np.float32)}


def measure(path, package, threads, rounds):
    """Medians of both in milliseconds, and how far apart their results are."""
    inputs = inputs_of(path)
    with tempfile.TemporaryDirectory() as place:
        both = [contestants.Tenon(path, threads, inputs), contestants.Runtime(package, path, threads, inputs, place)]
        apart = contestants.apart(both[0].first, both[1].first)
        runs = max(1, round(200 / max(1.0, both[1].times(2)[1][1])))
        mine, other = contestants.medians(both, threads, rounds, runs)
        for c in both:
            c.end()
    return {"threads": threads, "ms": mine, "peer_ms": other, "ratio": mine / other, "apart": apart}


def start(path, package, cache):
    """Seconds from the start of a process to the first result."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        inputs = inputs_of(path)
        [(name, x)] = inputs.items()
        np.save(folder / "x.npy", x)
        program = os.environ.get("TENON", HERE.parent / "build/release/tenon")
        now = time.perf_counter()
        subprocess.run([program, "run", path, "--input", f"{name}={folder / 'x.npy'}", "--output", folder / "out"],
                       env={**os.environ, "TENON_CACHE_DIR": cache}, capture_output=True, check=True)
        mine = time.perf_counter() - now
        now = time.perf_counter()
        contestants.Runtime(package, path, os.cpu_count(), inputs, folder).end()
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
