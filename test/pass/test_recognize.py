"""Random contractions, spelt naively in Tiny IR, become contractions where the target has such.

Integers are used, so that every conversion must keep every bit. N and a seed may be given.
"""
import json
import pathlib
import random
import sys
import tempfile

from lib.program import start


class Program:
    """Nodes of a program; `shape` of each by id."""

    def __init__(self, rng):
        self.rng, self.nodes, self.shape = rng, [], {}

    def add(self, uop, src, made, **arg):
        name = f"n{len(self.nodes)}"
        self.nodes.append({"id": name, "uop": uop, "src": src, "arg": arg})
        self.shape[name] = made
        return name

    def input(self, name, shape):
        got = self.add("INPUT", [], shape, tensor_id=name, dtype="i32", shape=shape)
        del self.nodes[-1]["src"]
        return got

    def reshape(self, x, shape):
        return self.add("RESHAPE", [x], shape, result_shape=shape)

    def permute(self, x, perm):
        return self.add("PERMUTE", [x], [self.shape[x][i] for i in perm], perm=perm)

    def spread(self, x, axes, order, extents):
        """X, whose axes are called AXES, with the axes ORDER: moved, filled up with 1, expanded."""
        kept = [a for a in order if a in axes]
        if kept != axes:
            x = self.permute(x, [axes.index(a) for a in kept])
        x = self.reshape(x, [extents[a] if a in axes else 1 for a in order])
        if self.rng.random() < 0.8:
            x = self.add("EXPAND", [x], [extents[a] for a in order],
                         result_shape=[extents[a] for a in order])
        return x

    def finish(self, products, order, reduced):
        y = self.add("REDUCE", [products], None, op="SUM", axes=[order.index(a) for a in reduced],
                     dtype="i32")
        return json.dumps({"uops": self.nodes, "outputs": [y]})


def shuffled(rng, items):
    items = list(items)
    rng.shuffle(items)
    return items


def matrix_product(rng):
    """Axes of both, of one, summed, and of neither, in any order."""
    roles = [(rng.choice(["batch", "left", "right", "sum"] + ["none"] * (i > 3)), f"a{i}")
             for i in range(rng.randint(1, 5))] + [("sum", "k")]
    extents = {a: rng.choice([1, 2, 3, 4]) for _, a in roles}
    extents["k"] = rng.choice([2, 3, 5])
    order = shuffled(rng, [a for _, a in roles])
    left = shuffled(rng, [a for r, a in roles if r in ("batch", "left", "sum")])
    right = shuffled(rng, [a for r, a in roles if r in ("batch", "right", "sum")])
    p = Program(rng)
    a = p.spread(p.input("A", [extents[x] for x in left]), left, order, extents)
    b = p.spread(p.input("B", [extents[x] for x in right]), right, order, extents)
    widest = [extents[x] for x in order]
    if p.shape[a] != widest and p.shape[b] != widest:
        a = p.add("EXPAND", [a], widest, result_shape=widest)
    y = p.add("MUL", shuffled(rng, [a, b]), widest)
    return p.finish(y, order, [x for r, x in roles if r == "sum"]), True


def convolution(rng):
    """Images, channels and perhaps groups, with windows over one or two axes."""
    k = rng.randint(1, 2)
    groups = rng.choice([1, 1, 2])
    ext = {"n": rng.randint(1, 2), "g": groups, "c": rng.randint(1, 3), "f": rng.randint(1, 3)}
    stride = [rng.randint(1, 2) for _ in range(k)]
    dilation = [rng.choice([1, 1, 2]) for _ in range(k)]
    kernel = [rng.randint(1, 3) for _ in range(k)]
    pads = [[rng.randint(0, 2), rng.randint(0, 2)] for _ in range(k)]
    sizes = [rng.randint(1, 6) + d * (w - 1) for d, w in zip(dilation, kernel)]
    p = Program(rng)
    x = p.input("X", [ext["n"], groups * ext["c"]] + sizes)
    padded = [s + lo + hi for s, (lo, hi) in zip(sizes, pads)]
    if any(map(any, pads)):
        x = p.add("PAD", [x], p.shape[x][:2] + padded, pad=[[0, 0], [0, 0]] + pads, value=0)
    places = [(s - d * (w - 1) - 1) // t + 1 for s, d, w, t in zip(padded, dilation, kernel, stride)]
    x = p.add("POOL", [x], p.shape[x][:2] + places + kernel, kernel=kernel, stride=stride,
              dilation=dilation)
    axes = ["n", "g", "c"] + [f"o{i}" for i in range(k)] + [f"k{i}" for i in range(k)]
    ext.update({f"o{i}": places[i] for i in range(k)} | {f"k{i}": kernel[i] for i in range(k)})
    x = p.reshape(x, [ext[a] for a in axes])
    filters = shuffled(rng, ["g", "f", "c"] + [f"k{i}" for i in range(k)])
    w = p.input("W", [ext[a] for a in filters])
    order = shuffled(rng, axes + ["f"])
    x, w = p.spread(x, axes, order, ext), p.spread(w, filters, order, ext)
    widest = [ext[a] for a in order]
    if p.shape[x] != widest and p.shape[w] != widest:
        w = p.add("EXPAND", [w], widest, result_shape=widest)
    y = p.add("MUL", shuffled(rng, [x, w]), widest)
    summed = ["c"] + [f"k{i}" for i in range(k)]
    slides = any(p_ > 1 and w > 1 for p_, w in zip(places, kernel))
    return p.finish(y, order, summed), slides


def check(text, wanted, folder, exact):
    """What is wrong, or None."""
    source = folder / "a.tiny.json"
    source.write_text(text)
    for target, name, words in (("mind", "b.ir", ("MatMul", "Dot", "Conv2d")),
                                ("ptir-text", "b.ptir", ("dot_general",))):
        there = folder / name
        out = start("convert", str(source), "--to", target, "-o", str(there),
                    *["--exact"] * exact)
        if out.returncode:
            return f"to {target}: {out.stderr}"
        same = start("equiv", str(source), str(there), "--n", "2")
        if same.returncode:
            return f"to {target}: {same.stdout}{same.stderr}\n{there.read_text()}"
        if wanted and target != "mind" and not any(w in there.read_text() for w in words):
            return f"to {target}: no contraction was found in\n{there.read_text()}"
    return None


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        for i in range(n):
            rng = random.Random(seed * 1000003 + i)
            text, wanted = (matrix_product if i % 2 else convolution)(rng)
            fault = check(text, wanted, pathlib.Path(name), i % 4 == 0)
            if fault:
                faults += 1
                print(f"program {i}: {fault}\n{text}\n")
    print(f"{n} programs, {faults} faults")
    return 1 if faults else 0


sys.exit(main())
