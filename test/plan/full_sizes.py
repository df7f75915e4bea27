"""Symbolic sizes of many kinds of programs: three other choices of sizes compile nothing, and give the evaluator's bits."""
import itertools
import os
import pathlib
import sys
import tempfile

from lib import package  # noqa: F401

import numpy as np

import tenon
from tenon import nn
from tenon._trace import call

SIZES = [dict(B=96, S=57, T=75), dict(B=57, S=130, T=41), dict(B=130, S=75, T=96), dict(B=41, S=96, T=57)]
# Sizes that some are run with besides: fewer than lanes of a vector, more than a block of a sum has, and strips.
NARROW = dict(B=300, S=5, T=3)
MORE = {name: [NARROW, dict(B=9000, S=20, T=4), dict(B=200, S=2100, T=5)]
        for name in ("sum columns S", "max columns", "mean and store", "cumsum columns", "reversed cumsum columns",
                     "reversed cumsum S")}
MORE |= {name: [NARROW, dict(B=2, S=9000, T=4)] for name in ("sort S", "argsort", "sort wide")}
MORE["softmax columns S"] = [NARROW]
MORE["gate of rows"] = [NARROW]
CPUS = ["x86-64-v3", "x86-64-v4"]  # that the counts are of: a block has as many rows as fit into registers
PROGRAMS = []


def program(name, types, function):
    PROGRAMS.append((name, types.split(";"), function))


# elementwise
program("add", "f32[B];f32[B]", lambda x, y: x + y)
program("add column", "f32[B, 30];f32[B, 1]", lambda x, y: x + y)
program("add row", "f32[B, 30];f32[30]", lambda x, y: x + y)
program("add rows S", "f32[B, S];f32[S]", lambda x, y: np.exp(x) * y)
program("add columns S", "f32[B, S];f32[B, 1]", lambda x, y: np.tanh(x) * y)
program("gelu", "f32[B, S]", lambda x: nn.gelu(x))
program("f16", "f16[B, 30]", lambda x: np.exp(x) + x)
program("bf16 to f32", "bf16[B, S]", lambda x: tenon.cast(x, "f32") * 2)
program("i32", "si32[B, S];si32[B, S]", lambda x, y: x * y + 3)
program("i8", "si8[B, 17]", lambda x: tenon.cast(x, "f32") * 0.5)
program("f64", "f64[B]", lambda x: np.sin(x))
program("where", "f32[B, S];f32[B, S]", lambda x, y: np.where(x > y, x, -y))
program("clip", "f32[B]", lambda x: np.clip(x, -1, 1))
program("gate of rows", "f32[S, 64];f32[1, 64]", lambda x, y: x * nn.sigmoid(y))
program("outer sum", "f32[B, 1];f32[1, S]", lambda x, y: x + y)
# movement
program("transpose", "f32[B, 30]", lambda x: x.T)
program("transpose S", "f32[B, S]", lambda x: np.exp(x.T))
program("heads", "f32[B, S, 4, 16]", lambda x: np.transpose(x, (0, 2, 1, 3)) * 2)
program("to heads", "f32[B, S, 64]",
        lambda x: np.transpose(np.reshape(x, (x.shape[0], x.shape[1], 4, 16)), (0, 2, 1, 3)))
program("from heads", "f32[B, 4, S, 16]",
        lambda x: np.reshape(np.transpose(x, (0, 2, 1, 3)), (x.shape[0], x.shape[2], 64)))
program("flatten", "f32[B, S]", lambda x: np.reshape(x, (x.shape[0] * x.shape[1],)))
program("slice fixed", "f32[B, 30]", lambda x: x[:, 3:17] * 2)
program("slice step", "f32[B, 30]", lambda x: x[:, ::2] * 2)
program("slice halves", "f32[B, 64]", lambda x: x[:, :32] * x[:, 32:])
program("rotary", "f32[B, 4, 16];f32[B, 1, 8]",
        lambda x, c: np.concatenate([x[:, :, :8] * c - x[:, :, 8:] * c, x[:, :, 8:] * c + x[:, :, :8] * c], axis=2))
program("concat rows", "f32[B, 30];f32[S, 30]", lambda x, y: np.concatenate([x, y], axis=0))
program("concat columns", "f32[B, 30];f32[B, 20]", lambda x, y: np.concatenate([x, y], axis=1) * 2)
program("concat columns S", "f32[30, B];f32[30, S]", lambda x, y: np.concatenate([x, y], axis=1))
program("concat past", "f32[4, S, 16];f32[4, 1, 16]", lambda x, y: np.concatenate([x, y], axis=1))
program("pad columns", "f32[B, 30]", lambda x: np.pad(x, ((0, 0), (2, 3))))
program("pad rows", "f32[B, 30]", lambda x: np.pad(x, ((2, 3), (0, 0))))
program("flip", "f32[B, 30]", lambda x: np.flip(x, 1))
program("flip rows", "f32[B, 30]", lambda x: np.flip(x, 0))
program("expand", "f32[B]", lambda x: np.broadcast_to(np.expand_dims(x, 1), (x.shape[0], 12)))
program("stack", "f32[B, 12];f32[B, 12]", lambda x, y: np.stack([x, y], axis=1))
program("stack last", "f32[B, 40];f32[B, 40]", lambda x, y: np.stack([x, y * 2, x + y], axis=2))
program("pad images", "f32[B, 3, 9, 40]", lambda x: np.pad(x, ((0, 0), (0, 0), (1, 1), (2, 1))))
program("pixel shuffle", "f32[B, 8, 6, 20]", lambda x: np.reshape(np.transpose(
    np.reshape(x, (x.shape[0], 2, 2, 2, 6, 20)), (0, 1, 4, 2, 5, 3)), (x.shape[0], 2, 12, 40)))
program("concat images", "f32[B, 4, 8, 16];f32[B, 4, 8, 16]", lambda x, y: np.concatenate([x, y * 2], axis=1))
program("tile heads", "f32[B, 2, 1, S, 16]",
        lambda x: np.reshape(np.broadcast_to(x, (x.shape[0], 2, 3, x.shape[3], 16)), (x.shape[0], 6, x.shape[3], 16)))
# sums
program("sum rows", "f32[B, 30]", lambda x: np.sum(x, axis=1))
program("sum columns", "f32[B, 30]", lambda x: np.sum(x, axis=0))
program("sum rows S", "f32[B, S]", lambda x: np.sum(x, axis=1))
program("sum columns S", "f32[B, S]", lambda x: np.sum(x, axis=0))
program("sum all", "f32[B, S]", lambda x: np.sum(x))
program("sum vector", "f32[B]", lambda x: np.sum(x * x))
program("mean", "f32[B, S]", lambda x: np.mean(x, axis=1))
program("mean middle", "f32[B, S, 30]", lambda x: np.mean(x, axis=1))
program("max rows", "f32[B, S]", lambda x: np.max(x, axis=1))
program("mean and store", "f32[B, S]", lambda x: (x * 2, np.mean(x * 2, axis=0)))
program("max columns", "f32[B, S]", lambda x: np.max(x, axis=0))
program("min i32", "si32[B, 30]", lambda x: np.min(x, axis=1))
program("var", "f32[B, S]", lambda x: np.var(x, axis=1))
program("sum f64", "f64[B, S]", lambda x: np.sum(x, axis=1))
program("sum i64", "si64[B, S]", lambda x: np.sum(x, axis=0))
program("sum f16", "f16[B, S]", lambda x: np.sum(x, axis=1))
program("batch norm", "f32[B, 3, S]", lambda x: (x - np.mean(x, axis=(0, 2), keepdims=True)) * 2)
program("argmax", "f32[B, 30]", lambda x: np.argmax(x, axis=1))
program("argmax S", "f32[B, S]", lambda x: np.argmax(x, axis=1))
program("argmax columns", "f32[B, S]", lambda x: np.argmax(x, axis=0))
program("top_k", "f32[B, 30]", lambda x: tenon.top_k(x, 3)[0])
program("sort", "f32[B, 30]", lambda x: np.sort(x, axis=1))
program("sort S", "f32[B, S]", lambda x: np.sort(x, axis=1))
program("sort wide", "f64[B, S]", lambda x: np.sort(x, axis=1))
program("argsort", "f32[B, S]", lambda x: np.argsort(x, axis=1))
program("cumsum", "f32[B, 30]", lambda x: np.cumsum(x, axis=1))
program("cumsum S", "f32[B, S]", lambda x: np.cumsum(x, axis=1))
program("cumsum columns", "f32[B, S]", lambda x: np.cumsum(x, axis=0))
program("reversed cumsum S", "f32[B, S]", lambda x: call("cumulative", x, 0, 1, True, True))
program("reversed cumsum columns", "f32[B, S]", lambda x: call("cumulative", x, 0, 0, True, True))
program("cumulative complex", "cf32[B, S]", lambda x: call("cumulative", x, 1, 0, False, False))
program("any", "f32[B, S]", lambda x: np.max(tenon.cast(x > 0, "si32"), axis=1))
# norms
program("softmax", "f32[B, 30]", lambda x: nn.softmax(x))
program("softmax S", "f32[B, S]", lambda x: nn.softmax(x))
program("softmax columns", "f32[B, 30]", lambda x: nn.softmax(x, 0))
program("softmax columns S", "f32[B, S]", lambda x: nn.softmax(x, 0))
program("log softmax", "f32[B, S]", lambda x: nn.log_softmax(x))
program("layer norm", "f32[B, S, 64];f32[64];f32[64]", lambda x, g, b: nn.layer_norm(x, g, b))
program("rms norm", "f32[B, 64];f32[64]", lambda x, g: nn.rms_norm(x, g))
program("rms norm f16", "f16[B, 64];f16[64]", lambda x, g: nn.rms_norm(x, g))
program("cross entropy", "f32[B, 30];si32[B]", lambda x, t: nn.cross_entropy(x, t))
# products
program("matmul M", "f32[B, 64];f32[64, 96]", lambda x, y: x @ y)
program("matmul N", "f32[40, 64];f32[64, B]", lambda x, y: x @ y)
program("matmul K", "f32[40, B];f32[B, 96]", lambda x, y: x @ y)
program("matmul MN", "f32[B, 64];f32[64, S]", lambda x, y: x @ y)
program("matmul MK", "f32[B, S];f32[S, 96]", lambda x, y: x @ y)
program("matmul NK", "f32[40, B];f32[B, S]", lambda x, y: x @ y)
program("matmul MNK", "f32[B, S];f32[S, T]", lambda x, y: x @ y)
program("matmul TN", "f32[64, B];f32[64, 96]", lambda x, y: x.T @ y)
program("matmul NT", "f32[B, 64];f32[96, 64]", lambda x, y: x @ y.T)
program("gram", "f32[B, 64]", lambda x: x @ x.T)
program("gram K", "f32[B, 64]", lambda x: x.T @ x)
program("matvec", "f32[B, 64];f32[64]", lambda x, y: x @ y)
program("vecmat", "f32[B];f32[B, 64]", lambda x, y: x @ y)
program("dot", "f32[B];f32[B]", lambda x, y: x @ y)
program("outer", "f32[B];f32[S]", lambda x, y: np.outer(x, y))
program("batched", "f32[B, 20, 16];f32[B, 16, 24]", lambda x, y: x @ y)
program("batched S", "f32[4, S, 16];f32[4, 16, S]", lambda x, y: x @ y)
program("linear gelu", "f32[B, S, 64];f32[64, 96];f32[96]", lambda x, w, b: nn.gelu(nn.linear(x, w, b)))
program("mlp", "f32[B, 64];f32[64, 96];f32[96];f32[96, 10];f32[10]",
        lambda x, w, b, v, c: nn.softmax(nn.linear(nn.relu(nn.linear(x, w, b)), v, c)))
program("matmul f64", "f64[B, 64];f64[64, 40]", lambda x, y: x @ y)
program("matmul f16", "f16[B, 64];f16[64, 40]", lambda x, y: x @ y)
program("matmul bf16", "bf16[B, 64];bf16[64, 40]", lambda x, y: x @ y)
program("matmul i32", "si32[B, 64];si32[64, 40]", lambda x, y: x @ y)
program("matmul i8", "si8[B, 64];si8[64, 40]", lambda x, y: tenon.cast(x, "si32") @ tenon.cast(y, "si32"))
program("einsum", "f32[B, S, 8];f32[8, 4, 16]", lambda x, w: np.einsum("bsd,dhe->bhse", x, w))
program("grad w", "f32[B, 64];f32[64, 30];f32[B, 30]", lambda x, w, y: x.T @ (x @ w - y))
# attention
program("attention", "f32[B, 4, S, 16];f32[B, 4, S, 16];f32[B, 4, S, 16]", lambda q, k, v: nn.attention(q, k, v))
program("causal", "f32[1, 4, S, 16];f32[1, 4, S, 16];f32[1, 4, S, 16]",
        lambda q, k, v: nn.attention(q, k, v, causal=True))
program("cross attention", "f32[1, 4, S, 16];f32[1, 4, T, 16];f32[1, 4, T, 16]", lambda q, k, v: nn.attention(q, k, v))
program("attention of one", "f32[1, 4, 1, 16];f32[1, 4, T, 16];f32[1, 4, T, 16]", lambda q, k, v: nn.attention(q, k, v))
program("masked attention", "f32[1, 4, S, 16];f32[1, 4, S, 16];f32[1, 4, S, 16];f32[S, S]",
        lambda q, k, v, m: nn.attention(q, k, v, mask=m))
program("grouped", "f32[S, 8, 16];f32[S, 2, 16]",
        lambda q, k: np.einsum("sghd,tgd->ghst", np.reshape(q, (q.shape[0], 2, 4, 16)), k))
# convolution
program("conv batch", "f32[B, 12, 12, 3];f32[3, 3, 3, 8]", lambda x, w: nn.conv2d(x, w))
program("conv height", "f32[2, S, 20, 3];f32[3, 3, 3, 8]", lambda x, w: nn.conv2d(x, w))
program("conv width", "f32[2, 20, S, 3];f32[3, 3, 3, 8]", lambda x, w: nn.conv2d(x, w))
program("conv both", "f32[1, S, T, 3];f32[3, 3, 3, 8]", lambda x, w: nn.conv2d(x, w))
program("conv same", "f32[B, 12, 12, 3];f32[3, 3, 3, 8];f32[8]",
        lambda x, w, b: nn.relu(nn.conv2d(x, w, b, pads=(1, 1, 1, 1))))
program("conv same height", "f32[2, S, 20, 3];f32[3, 3, 3, 8]", lambda x, w: nn.conv2d(x, w, pads=(1, 1, 1, 1)))
program("conv 1d", "f32[1, 1, S, 8];f32[1, 5, 8, 16]", lambda x, w: nn.conv2d(x, w))
program("conv 1x1", "f32[B, 10, 10, 8];f32[1, 1, 8, 16]", lambda x, w: nn.conv2d(x, w))
program("conv 1x1 height", "f32[1, S, 10, 8];f32[1, 1, 8, 16]", lambda x, w: nn.conv2d(x, w))
program("max pool", "f32[B, 12, 12, 8]", lambda x: nn.max_pool(x, (2, 2), (2, 2)))
program("avg pool", "f32[B, 12, 12, 8]", lambda x: nn.avg_pool(x, (3, 3)))
program("global pool", "f32[B, 8, S, S]", lambda x: np.mean(x, axis=(2, 3)))
# gather, scatter
program("embedding", "f32[50, 32];si32[B]", lambda t, i: nn.embedding(t, i))
program("embedding S", "f32[50, 32];si32[B, S]", lambda t, i: nn.embedding(t, i))
program("take rows at computed positions", "f32[100, 256];si32[B]", lambda x, i: np.take(x, i + 1, axis=0))
program("take table S", "f32[B, 32];si32[9]", lambda t, i: np.take(t, i, axis=0))
program("gather columns", "f32[B, 30];si32[B, 4]", lambda x, i: np.take_along_axis(x, i, 1))
program("gather from the end", "f32[B, 30];si32[B, 4]", lambda x, i: np.take_along_axis(x, np.where(i < 1, i + 29, i), 1))
program("take columns", "f32[B, 40];si32[9]", lambda x, i: np.take(x, np.where(i < 1, i + 39, i), axis=1))
program("one hot", "si32[B]", lambda i: nn.one_hot(i, 12))
program("iota", "f32[B]", lambda x: x + tenon.cast(tenon.iota((x.shape[0],)), "f32"))
program("scatter", "f32[50, 8];si32[B, 8];f32[B, 8]", lambda x, i, u: tenon.scatter(x, i, u))
program("segment sum", "f32[B, 8];si32[B]", lambda x, s: tenon.segment_sum(x, s, 10))
program("cache update", "f32[4, S, 16];f32[4, 1, 16];si32[3]", lambda x, u, s: tenon.dynamic_update_slice(x, u, s))
program("window", "f32[S, 16];si32[2]", lambda x, s: tenon.dynamic_slice(x, s, (4, 16)))
# loops



def recurrent(x, h, w):
    def step(h, now):
        h = np.tanh(now + h @ w)
        return h, h
    return tenon.scan(step, h, x)[1]


program("recurrent", "f32[S, 1, 16];f32[1, 16];f32[16, 16]", recurrent)
program("recurrent batch", "f32[S, B, 16];f32[B, 16];f32[16, 16]", recurrent)
program("scan elementwise", "f32[S, B];f32[B]", lambda x, h: tenon.scan(lambda h, now: (h * 0.5 + now, h), h, x)[1])
program("while", "f32[B]", lambda x: tenon.fori_loop(0, 5, lambda i, y: y * 0.5 + x, x))
program("random", "f32[B, 30]", lambda x: x + tenon.random_uniform((x.shape[0], 30)))


def block(x, wq, wk, wv, wo, w1, w2):
    def heads(z):
        return np.expand_dims(np.transpose(np.reshape(z, (z.shape[0], 4, 16)), (1, 0, 2)), 0)
    h = nn.layer_norm(x)
    a = nn.attention(heads(h @ wq), heads(h @ wk), heads(h @ wv), causal=True)
    x = x + np.reshape(np.transpose(np.squeeze(a, 0), (1, 0, 2)), (x.shape[0], 64)) @ wo
    return x + nn.gelu(nn.layer_norm(x) @ w1) @ w2


program("transformer block", "f32[S, 64];f32[64, 64];f32[64, 64];f32[64, 64];f32[64, 64];f32[64, 256];f32[256, 64]", block)


def data(t, sizes, random):
    shape = [d if isinstance(d, int) else sizes[str(d)] for d in t.shape]
    if t.dtype.is_integer:
        return random.integers(0, 3, shape).astype(t.dtype.storage)  # positions, too
    if t.dtype.name == "bf16":
        return ((random.random(shape, dtype=np.float32) - 0.5).view(np.uint32) >> 16).astype(np.uint16)
    return (random.random(shape) - 0.5).astype(t.dtype.storage)


def listed(results):
    return [np.asarray(r).tobytes() for r in (results if isinstance(results, (list, tuple)) else [results])]


def compiled(module, cpu):
    """For the CPU of the counts, if this machine runs its code."""
    try:
        return module.compile(cpu=cpu, eager=True), True
    except tenon.Unavailable:
        return module.compile(eager=True), False


def faults_of(name, texts, function, folder, cpu):
    os.environ["TENON_CACHE_DIR"] = str(folder)
    module = tenon.function(*texts)(function).module
    (fast, counts), slow = compiled(module, cpu), module.compile(engine="ref")
    faults, objects, added = [], 0, 0
    for number, sizes in enumerate(SIZES + MORE.get(name, [])):
        random = np.random.default_rng(number)
        x = [data(tenon.parse_type(t), sizes, random) for t in texts]
        if listed(fast(*x)) != listed(slow(*x)):
            faults.append(f"{name}: other bits for {cpu} with {sizes}")
        now = sum(p.is_file() for p in folder.rglob("*"))
        added += now - objects if number else 0
        objects = now
    if counts and added > 0:
        faults.append(f"{name}: the other sizes needed {added} programs of their own for {cpu}")
    return faults


def main():
    all_faults = []
    with tempfile.TemporaryDirectory() as top:
        for number, (cpu, (name, texts, function)) in enumerate(itertools.product(CPUS, PROGRAMS)):
            folder = pathlib.Path(top) / str(number)
            folder.mkdir()
            all_faults += faults_of(name, texts, function, folder, cpu)
    print("\n".join(all_faults) or f"{len(PROGRAMS)} programs for {len(CPUS)} CPUs")
    return bool(all_faults)


if __name__ == "__main__":
    sys.exit(main())
