"""Weights of few bits: what a step of decoding takes that reads weights as f16, or as 8 or 4 bits in blocks of 32, against f32.

    PYTHONPATH=python TENON_LIBRARY=build/release/libtenon.so python3 bench/few_bits.py [--threads 1,2] [--rounds 5] [--json OUT]

The work: one row times one matrix of 4096 x 4096, and all products of a step of GPT-2 with 124 million weights, the 50257 logits
included (attention and norms are left out: they read no weights). Models are ONNX, with MatMul, Cast and MatMulNBits. All kinds of
weights run in turns, and ggml, the heart of llama.cpp, does the same work (see ggml.py); one thread counts processor time, two
threads the clock. The figures are medians.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import time

import numpy as np

import tenon

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "test")]
import ggml  # noqa: E402
from lib.onnx_files import model, node  # noqa: E402

BLOCK = 32
WANTED = {"f16": 0.55, "8 bits": 0.30, "4 bits": 0.18}  # of the time of f32, where reading weights is all there is to do
WIDTH, LAYERS, VOCABULARY = 768, 12, 50257
# Inputs and outputs of each product; what follows reads as many of the results as it has inputs.
WORK = {"4096x4096": [(4096, 4096)],
        "gpt2-124m": [(WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)] * LAYERS + [(WIDTH, VOCABULARY)]}


def product(kind, number, k, n, random):
    """Nodes that multiply x{number} with a matrix, the matrix, and inputs that have it."""
    w, x, y = f"w{number}", f"x{number}", f"y{number}"
    if kind in ("f32", "f16"):
        matrix = (random.standard_normal((k, n), np.float32) / np.sqrt(k)).astype(np.float16 if kind == "f16" else np.float32)
        nodes = [node("Cast", w, f"{w}c", to=1)] if kind == "f16" else []
        return [*nodes, node("MatMul", f"{x} {w}c" if nodes else f"{x} {w}", y)], {w: matrix}, [(w, kind, [k, n])]
    bits = int(kind[0])
    blocks = k // BLOCK
    packed = random.integers(0, 256, (n, blocks, BLOCK * bits // 8), np.uint8)
    scales = (random.random(n * blocks, np.float32) + 0.5) / np.float32(2 ** (bits - 1) * np.sqrt(k))
    nodes = [node("MatMulNBits", f"{x} {w} {w}s", y, domain="com.microsoft", K=k, N=n, bits=bits, block_size=BLOCK)]
    return nodes, {w: packed, f"{w}s": scales}, [(w, "ui8", list(packed.shape)), (f"{w}s", "f32", [n * blocks])]


def made(kind, work, threads):
    """The program, ready to run, and its input."""
    random = np.random.default_rng(1)
    nodes, inputs, constants = [], [("x0", "f32", [1, work[0][0]])], {}
    for number, (k, n) in enumerate(work):
        some, arrays, names = product(kind, number, k, n, random)
        nodes += some
        inputs += names
        constants.update(arrays)
        if number + 1 < len(work):
            then = work[number + 1][0]
            bounds = {f"b{number}": np.array([0]), f"e{number}": np.array([then]), f"a{number}": np.array([1])}
            nodes.append(node("Slice", " ".join([f"y{number}", *bounds]), f"x{number + 1}"))
            inputs += [(name, "si64", [1]) for name in bounds]
            constants.update(bounds)
    data = model(nodes, inputs, [(f"y{len(work) - 1}", "f32", None)], domains=[("com.microsoft", 1)])
    net = tenon.load(data, constants=constants, threads=threads, eager=True)
    return net, random.standard_normal((1, work[0][0])).astype(np.float32)


def runs_of(kind, work, threads, peer):
    """What runs the work, by who does it."""
    net, x = made(kind, work, threads)
    runs = {"tenon": lambda: net(x)}
    if peer:
        runs["ggml"] = ggml.Products(peer, kind, work, threads, np.random.default_rng(1)).run
    return runs


def measure(work, threads, rounds, peer):
    """Milliseconds by kind of weights, and by who does the work."""
    kinds = {kind: runs_of(kind, work, threads, peer) for kind in ("f32", "f16", "8 bits", "4 bits")}
    clock = time.process_time if threads == 1 else time.perf_counter
    found = {kind: {who: [] for who in runs} for kind, runs in kinds.items()}
    for _ in range(rounds):
        for kind, runs in kinds.items():
            for who, run in runs.items():
                run()
                for _ in range(10):
                    now = clock()
                    run()
                    found[kind][who].append(1e3 * (clock() - now))
    return {kind: {who: statistics.median(times) for who, times in by.items()} for kind, by in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", default="1,2" if (os.cpu_count() or 1) > 1 else "1")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path, help="also write all figures to a file")
    o = parser.parse_args()
    rows, peer = [], ggml.find()
    print(f"load {round(os.getloadavg()[0], 1)}; milliseconds, medians; one thread: processor time\n")
    print(f"{'work':<12} n {'weights':<8} {'ms':>8} {'of f32':>7} {'wanted':>7} {'ggml ms':>8} {'of ggml':>8}")
    for name, work in WORK.items():
        for threads in map(int, o.threads.split(",")):
            found = measure(work, threads, o.rounds, peer)
            for kind, by in found.items():
                ms, of_f32, other = by["tenon"], by["tenon"] / found["f32"]["tenon"], by.get("ggml")
                rows.append({"work": name, "threads": threads, "weights": kind, "ms": ms, "of_f32": of_f32, "ggml_ms": other})
                beside = f"{other:>8.3f} {ms / other:>8.2f}" if other else f"{'-':>8} {'-':>8}"
                print(f"{name:<12} {threads} {kind:<8} {ms:>8.3f} {of_f32:>7.2f} {WANTED.get(kind, 1):>7.2f} {beside}", flush=True)
    if o.json:
        o.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
