"""Layers and functions of PyTorch on inputs of some megabytes to a hundred, exported as ONNX, against PyTorch and ONNX Runtime.

    PYTHONPATH=python TENON_LIBRARY=build/release/libtenon.so python3 bench/layers.py [--threads 1,2] [--rounds 3]
        [--cpu x86-64-v3] [--only REGEX] [--folder DIR] [--above 1.05] [--json OUT] [--keep]

What is exported cannot be changed by hand for Tenon's sake, and inputs do not stay in a cache: this is work as users meet it.
Contestants take turns; one thread counts processor time, two threads the clock. Figures are medians of milliseconds. --above
prints the rows alone whose ratio to the fastest other library is larger. --cpu is for Tenon and PyTorch; ONNX Runtime, which
cannot be told, is left out then.
"""
import argparse
import json
import os
import pathlib
import re
import sys
import tempfile
import warnings

if "GLIBC_TUNABLES" not in os.environ:  # results stay in memory that was used before, rather than in new pages: read when a process starts
    os.environ["GLIBC_TUNABLES"] = "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=8589934592"
    if "--cpu" in " ".join(sys.argv):
        os.environ |= {"ATEN_CPU_CAPABILITY": "avx2", "DNNL_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "OPENBLAS_CORETYPE": "HASWELL"}
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "test")]
import contestants  # noqa: E402
import results  # noqa: E402
from lib import onnx_runtime  # noqa: E402

CLOSE = 2e-3  # of the largest number: sums of thousands of products in other orders
warnings.filterwarnings("ignore")


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def ones(*shape):
    """Below: the shape of an input of f32, or an input by itself."""
    return np.ones(shape, np.float32)


def whole(limit, *shape):
    return np.random.default_rng(2).integers(0, limit, shape)


def truths(*shape):
    return np.random.default_rng(3).integers(0, 2, shape).astype(bool)


IMAGES, WIDE, DEEP = (8, 64, 112, 112), (8, 256, 28, 28), (8, 512, 14, 14)
TOKENS, MATRIX = (16, 512, 768), (4096, 2048)
VOLUME, SIGNAL = (2, 32, 32, 56, 56), (16, 64, 16384)


def rotated(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


def layers():
    """name: (module, inputs), each made when it is asked for."""
    found = {}

    def add(name, module, *inputs):
        found[name] = (module, inputs)

    def function(name, call, *inputs):
        add(name, lambda: Function(call), *inputs)

    # Convolutions
    add("conv3-rgb", lambda: nn.Conv2d(3, 32, 3, 2, 1), (8, 3, 224, 224))
    add("conv7-rgb", lambda: nn.Conv2d(3, 64, 7, 2, 3), (8, 3, 224, 224))
    add("conv3-64", lambda: nn.Conv2d(64, 64, 3, 1, 1), (8, 64, 56, 56))
    add("conv3-256", lambda: nn.Conv2d(256, 256, 3, 1, 1), (8, 256, 14, 14))
    add("conv3-stride2", lambda: nn.Conv2d(128, 256, 3, 2, 1), (8, 128, 28, 28))
    add("conv3-dilated", lambda: nn.Conv2d(128, 128, 3, 1, 2, 2), (4, 128, 28, 28))
    add("conv1-256", lambda: nn.Conv2d(256, 64, 1), (8, 256, 56, 56))
    add("conv5-grouped", lambda: nn.Conv2d(64, 64, 5, 1, 2, groups=4), (8, 64, 56, 56))
    add("conv-depthwise", lambda: nn.Conv2d(144, 144, 3, 1, 1, groups=144), (8, 144, 56, 56))
    add("conv-depthwise7", lambda: nn.Conv2d(96, 96, 7, 1, 3, groups=96), (8, 96, 56, 56))
    add("conv-patches4", lambda: nn.Conv2d(3, 96, 4, 4), (8, 3, 224, 224))
    add("conv-patches16", lambda: nn.Conv2d(3, 768, 16, 16), (8, 3, 224, 224))
    add("conv1d", lambda: nn.Conv1d(64, 64, 5, 1, 2), (16, 64, 4096))
    add("conv1d-audio", lambda: nn.Conv1d(1, 64, 10, 5), (4, 1, 160000))
    add("conv1d-dilated", lambda: nn.Conv1d(64, 128, 3, 1, 4, 4), (8, 64, 4096))
    add("conv3d", lambda: nn.Conv3d(16, 32, 3, 1, 1), (2, 16, 16, 56, 56))
    add("conv-transposed", lambda: nn.ConvTranspose2d(64, 32, 4, 2, 1), (8, 64, 56, 56))
    add("conv-transposed2", lambda: nn.ConvTranspose2d(128, 64, 2, 2), (4, 128, 56, 56))
    add("conv1d-transposed", lambda: nn.ConvTranspose1d(128, 64, 16, 8, 4), (4, 128, 2048))
    add("conv-bn-relu", lambda: nn.Sequential(nn.Conv2d(64, 128, 3, 1, 1), nn.BatchNorm2d(128), nn.ReLU()), (8, 64, 56, 56))
    # Normalisation
    add("batch-norm", lambda: nn.BatchNorm2d(64), IMAGES)
    add("batch-norm-relu", lambda: nn.Sequential(nn.BatchNorm2d(64), nn.ReLU()), IMAGES)
    add("group-norm", lambda: nn.GroupNorm(8, 64), IMAGES)
    add("instance-norm", lambda: nn.InstanceNorm2d(64), IMAGES)
    add("layer-norm", lambda: nn.LayerNorm(768), TOKENS)
    add("layer-norm-image", lambda: nn.LayerNorm([64, 56, 56]), (16, 64, 56, 56))
    add("layer-norm-wide", lambda: nn.LayerNorm(8192), (1024, 8192))
    function("rms-norm", lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6), TOKENS)
    function("layer-norm-channels", lambda x: F.layer_norm(x.permute(0, 2, 3, 1), [64]).permute(0, 3, 1, 2), IMAGES)
    function("unit-vectors", lambda x: F.normalize(x, dim=-1), TOKENS)
    function("unit-channels", lambda x: F.normalize(x, dim=1), IMAGES)
    # Pooling
    add("max-pool3", lambda: nn.MaxPool2d(3, 2, 1), IMAGES)
    add("max-pool2", lambda: nn.MaxPool2d(2), IMAGES)
    add("max-pool5-same", lambda: nn.MaxPool2d(5, 1, 2), WIDE)
    add("max-pool1d", lambda: nn.MaxPool1d(4), SIGNAL)
    add("max-pool3d", lambda: nn.MaxPool3d(2), VOLUME)
    add("average-pool2", lambda: nn.AvgPool2d(2), IMAGES)
    add("average-pool3", lambda: nn.AvgPool2d(3, 1, 1), IMAGES)
    add("average-pool7", lambda: nn.AvgPool2d(7), IMAGES)
    add("global-average", lambda: nn.AdaptiveAvgPool2d(1), IMAGES)
    add("global-max", lambda: nn.AdaptiveMaxPool2d(1), IMAGES)
    add("adaptive-pool7", lambda: nn.AdaptiveAvgPool2d(7), IMAGES)
    # Activations
    for name, module in (("relu", nn.ReLU), ("gelu", nn.GELU), ("silu", nn.SiLU), ("sigmoid", nn.Sigmoid), ("tanh", nn.Tanh),
                         ("elu", nn.ELU), ("selu", nn.SELU), ("softplus", nn.Softplus), ("mish", nn.Mish), ("glu", nn.GLU),
                         ("hardswish", nn.Hardswish), ("leaky-relu", nn.LeakyReLU), ("softsign", nn.Softsign)):
        add(name, module, TOKENS)
    add("prelu", lambda: nn.PReLU(64), IMAGES)
    function("gelu-tanh", lambda x: F.gelu(x, approximate="tanh"), TOKENS)
    function("swiglu", lambda a, b: F.silu(a) * b, TOKENS, TOKENS)
    # Softmax and losses
    function("softmax", lambda x: x.softmax(-1), (16, 12, 256, 256))
    function("softmax-short", lambda x: x.softmax(-1), (262144, 16))
    function("softmax-channels", lambda x: x.softmax(1), (8, 21, 224, 224))
    function("softmax-wide", lambda x: x.softmax(-1), (128, 50257))
    function("log-softmax", lambda x: x.log_softmax(-1), (128, 50257))
    function("softmax-masked", lambda x, m: x.masked_fill(m, -1e9).softmax(-1), (16, 12, 256, 256), truths(16, 1, 256, 256))
    function("logsumexp", lambda x: x.logsumexp(-1), MATRIX)
    function("cross-entropy", lambda x, i: F.cross_entropy(x, i), (1024, 10000), whole(10000, 1024))
    function("squared-error", lambda x, y: (x - y).pow(2).mean(), MATRIX, MATRIX)
    function("bce-logits", lambda x, y: F.binary_cross_entropy_with_logits(x, y.abs()), MATRIX, MATRIX)
    function("absolute-error", lambda x, y: (x - y).abs().mean(), MATRIX, MATRIX)
    function("cosine", lambda x, y: F.cosine_similarity(x, y, -1), TOKENS, TOKENS)
    # Linear layers, attention, recurrent networks
    add("linear", lambda: nn.Linear(768, 768), TOKENS)
    add("linear-relu", lambda: nn.Sequential(nn.Linear(768, 1024), nn.ReLU()), (4, 512, 768))
    add("linear-narrow", lambda: nn.Linear(64, 8), (262144, 64))
    add("linear-one", lambda: nn.Linear(768, 1), TOKENS)
    add("linear-small-batch", lambda: nn.Linear(4096, 4096), (4, 4096))
    add("mlp", lambda: nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)), (2048, 784))
    function("matmul-batches", torch.matmul, (64, 128, 128), (64, 128, 128))
    function("matmul-small-batches", torch.matmul, (16384, 16, 16), (16384, 16, 16))
    function("einsum-heads", lambda a, b: torch.einsum("bqhd,bkhd->bhqk", a, b), (4, 256, 12, 64), (4, 256, 12, 64))
    function("outer", lambda a, b: a[:, None] * b[None, :], (4096,), (4096,))
    function("matrix-by-vector", torch.matmul, (8192, 2048), (2048,))
    function("vector-by-matrix", torch.matmul, (8192,), (8192, 2048))
    add("attention", lambda: nn.MultiheadAttention(512, 8, batch_first=True), *[(4, 256, 512)] * 3)
    add("encoder", lambda: nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, activation="gelu"), (4, 128, 512))
    add("lstm", lambda: nn.LSTM(256, 256), (64, 16, 256))
    add("gru", lambda: nn.GRU(128, 256), (64, 16, 128))
    add("lstm-both-ways", lambda: nn.LSTM(128, 128, bidirectional=True), (64, 16, 128))
    add("rnn", lambda: nn.RNN(256, 256), (64, 16, 256))
    function("rotary", rotated, (8, 12, 512, 64), (512, 64), (512, 64))
    # Picking, moving, joining
    add("embedding", lambda: nn.Embedding(50000, 512), whole(50000, 16, 512))
    add("embedding-short", lambda: nn.Embedding(100000, 16), whole(100000, 1024, 100))
    function("index-select-rows", lambda x, i: x.index_select(0, i), MATRIX, whole(4096, 4096))
    function("index-select-columns", lambda x, i: x.index_select(1, i), MATRIX, whole(2048, 2048))
    function("index-select-few", lambda x, i: x.index_select(1, i), MATRIX, whole(2048, 32))
    function("take-along-rows", lambda x, i: x.gather(1, i), MATRIX, whole(2048, *MATRIX))
    function("take-along-columns", lambda x, i: x.gather(0, i), MATRIX, whole(4096, *MATRIX))
    function("scatter-rows", lambda x, i, y: x.scatter(0, i[:, None].expand(-1, 64), y), (65536, 64), whole(65536, 32768), (32768, 64))
    function("scatter-add", lambda x, i, y: x.scatter_add(1, i, y), (1024, 2048), whole(2048, 1024, 512), (1024, 512))
    function("one-hot", lambda i: F.one_hot(i, 256).float(), whole(256, 65536))
    function("where", lambda m, x, y: torch.where(m, x, y), truths(*MATRIX), MATRIX, MATRIX)
    function("masked-fill", lambda x, m: x.masked_fill(m, 0.0), MATRIX, truths(*MATRIX))
    function("lower-triangle", torch.tril, MATRIX)
    function("transposed", lambda x: x.t().contiguous(), MATRIX)
    function("channels-last", lambda x: x.permute(0, 2, 3, 1).contiguous(), IMAGES)
    function("channels-first", lambda x: x.permute(0, 3, 1, 2).contiguous(), (8, 112, 112, 64))
    function("heads", lambda x: x.view(16, 512, 12, 64).permute(0, 2, 1, 3).contiguous(), TOKENS)
    function("reversed-axes", lambda x: x.permute(3, 2, 1, 0).contiguous(), (16, 64, 64, 64))
    function("concat-channels", lambda *x: torch.cat(x, 1), *[(8, 64, 56, 56)] * 4)
    function("concat-last", lambda *x: torch.cat(x, -1), *[(65536, 24)] * 3)
    function("stack-last", lambda *x: torch.stack(x, -1), *[(1024, 2048)] * 3)
    function("split-sum", lambda x: sum(x.chunk(4, -1)), TOKENS)
    function("flipped", lambda x: x.flip(-1), MATRIX)
    function("rolled", lambda x: torch.roll(x, 5, -1), MATRIX)
    function("windows", lambda x: x.view(8, 7, 8, 7, 8, 96).permute(0, 1, 3, 2, 4, 5).reshape(-1, 64, 96), (8, 56, 56, 96))
    function("shuffled-channels", lambda x: x.view(8, 2, 128, 28, 28).transpose(1, 2).reshape(WIDE), WIDE)
    add("pixel-shuffle", lambda: nn.PixelShuffle(2), (8, 64, 112, 112))
    add("pixel-unshuffle", lambda: nn.PixelUnshuffle(2), (8, 16, 224, 224))
    add("unfold", lambda: nn.Unfold(3, padding=1), (4, 32, 56, 56))
    add("pad-zero", lambda: nn.ZeroPad2d(1), IMAGES)
    add("pad-reflect", lambda: nn.ReflectionPad2d(3), (8, 3, 512, 512))
    add("pad-edge", lambda: nn.ReplicationPad2d(2), IMAGES)
    add("upsample-nearest", lambda: nn.Upsample(scale_factor=2), (8, 64, 56, 56))
    add("upsample-bilinear", lambda: nn.Upsample(scale_factor=2, mode="bilinear"), (8, 64, 56, 56))
    add("upsample-corners", lambda: nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), (8, 64, 56, 56))
    add("resize-down", lambda: nn.Upsample(size=(224, 224), mode="bilinear"), (8, 3, 480, 640))
    add("upsample-bicubic", lambda: nn.Upsample(scale_factor=2, mode="bicubic"), (4, 16, 56, 56))
    function("grid-sample", lambda x, g: F.grid_sample(x, g.clamp(-1, 1), align_corners=False), (4, 32, 64, 64), (4, 64, 64, 2))
    function("repeat", lambda x: x.repeat(1, 4), (4096, 512))
    function("expand-add", lambda x, y: x + y, (512, 1, 64), (1, 256, 64))
    # Reductions, scans, sorting
    function("sum-all", lambda x: x.sum(), (4096, 4096))
    function("sum-last", lambda x: x.sum(-1), (4096, 4096))
    function("sum-first", lambda x: x.sum(0), (4096, 4096))
    function("sum-channels", lambda x: x.sum((0, 2, 3)), IMAGES)
    function("mean-short", lambda x: x.mean(-1), (1048576, 8))
    function("variance", lambda x: x.var(-1, unbiased=False), MATRIX)
    function("deviation-columns", lambda x: x.std(0), MATRIX)
    function("norm", lambda x: x.norm(dim=-1), MATRIX)
    function("norm-one", lambda x: x.norm(p=1, dim=-1), MATRIX)
    function("max-last", lambda x: x.amax(-1), MATRIX)
    function("max-first", lambda x: x.amax(0), MATRIX)
    function("arg-max", lambda x: x.argmax(-1), MATRIX)
    function("arg-max-first", lambda x: x.argmax(0), MATRIX)
    function("arg-max-channels", lambda x: x.argmax(1), (8, 21, 224, 224))
    function("product", lambda x: x.prod(-1), MATRIX)
    function("cumsum-last", lambda x: x.cumsum(-1), MATRIX)
    function("cumsum-first", lambda x: x.cumsum(0), MATRIX)
    function("top-10", lambda x: x.topk(10, -1)[0], (512, 10000))
    function("sorted", lambda x: x.sort(-1)[0], (256, 10000))
    function("arg-sort", lambda x: x.gather(-1, x.argsort(-1)), (256, 10000))  # places of equal numbers may differ
    function("distances", torch.cdist, (1024, 64), (1024, 64))
    function("any-row", lambda m: m.any(-1), truths(4096, 4096))
    function("count", lambda x: (x > 0).sum(), MATRIX)
    # Elementwise
    function("add", lambda x, y: x + y, MATRIX, MATRIX)
    function("add-row", lambda x, y: x + y, MATRIX, (2048,))
    function("scale-column", lambda x, y: x * y, MATRIX, (4096, 1))
    function("scale-channels", lambda x, y: x * y, IMAGES, (8, 64, 1, 1))
    function("lerp", lambda x, y: x + 0.3 * (y - x), MATRIX, MATRIX)
    function("divide", lambda x, y: x / (y + 4), MATRIX, MATRIX)
    function("square", lambda x: x ** 2, MATRIX)
    function("power", lambda x: (x.abs() + 0.1) ** 2.2, MATRIX)
    function("root", lambda x: x.abs().sqrt(), MATRIX)
    function("inverse-root", lambda x: (x * x + 1).rsqrt(), MATRIX)
    function("exponential", torch.exp, MATRIX)
    function("logarithm", lambda x: (x.abs() + 1).log(), MATRIX)
    function("sine", torch.sin, MATRIX)
    function("error-function", torch.erf, MATRIX)
    function("arc-tangent", torch.atan, MATRIX)
    function("rounded", torch.round, MATRIX)
    function("floor-remainder", lambda x: torch.floor(x * 8) % 3, MATRIX)
    function("clamp", lambda x: x.clamp(-0.5, 0.5), MATRIX)
    function("maximum", torch.maximum, MATRIX, MATRIX)
    function("compare", lambda x, y: x > y, MATRIX, MATRIX)
    function("both", torch.logical_and, truths(4096, 4096), truths(4096, 4096))
    function("not-nan", lambda x: ~torch.isnan(x), MATRIX)
    function("to-integer", lambda x: (x * 100).to(torch.int32), MATRIX)
    function("to-bytes", lambda x: (x * 100 + 128).clamp(0, 255).to(torch.uint8), MATRIX)
    function("from-bytes", lambda x: x.float() / 255, np.uint8(whole(256, 8, 3, 512, 512)))
    function("image-ready", lambda x: (x.permute(0, 3, 1, 2).float() / 255 - 0.45) / 0.22, np.uint8(whole(256, 8, 512, 512, 3)))
    function("add-integers", lambda x, y: x + y, whole(1000, *MATRIX), whole(1000, *MATRIX))
    function("double-add", lambda x, y: x + y, np.ones((2048, 2048)), np.ones((2048, 2048)))
    function("double-exp", torch.exp, np.ones((1024, 2048)))
    return found


def made(name, module, inputs, folder):
    """The module, its arrays by name, and the file that it was exported to; no file where PyTorch cannot."""
    torch.manual_seed(0)
    module = module().eval()
    rng = np.random.default_rng(1)
    arrays = {f"x{i}": rng.standard_normal(x).astype(np.float32) if isinstance(x, tuple) else x for i, x in enumerate(inputs)}
    path = folder / f"{name}.onnx"
    if not path.exists():
        try:
            torch.onnx.export(module, tuple(torch.from_numpy(x) for x in arrays.values()), str(path), opset_version=16,
                              input_names=list(arrays), output_names=["y"], do_constant_folding=True)
        except Exception as error:  # what it has no operator for
            path.unlink(missing_ok=True)
            return module, arrays, f"not exported: {str(error).splitlines()[0][:60]}"
    return module, arrays, path


def measure(name, layer, o, package, threads, folder):
    module, arrays, path = made(name, *layer, folder)
    if isinstance(path, str):
        return {"skipped": path}
    with tempfile.TemporaryDirectory() as place:
        all_of = {"tenon": contestants.Tenon(path, threads, arrays, o.cpu), "torch": contestants.Torch(module, threads, arrays)}
        if package:
            try:
                all_of["onnxruntime"] = contestants.Runtime(package, path, threads, arrays, place)
            except RuntimeError:
                pass  # an operator that it has not
        apart = contestants.apart(all_of["tenon"].first, all_of["torch"].first)
        runs = max(1, round(100 / max(1.0, all_of["tenon"].times(2)[1][1])))
        found = dict(zip(all_of, contestants.medians(all_of.values(), threads, o.rounds, runs)))
        for c in all_of.values():
            c.end()
    best = min((ms, peer) for peer, ms in found.items() if peer != "tenon")
    return {"work": f"layer-{name}", "threads": threads, "ms": found["tenon"], "best_peer": best[1],
            "to_best_peer": found["tenon"] / best[0], "limit": None, "of_limit": None, "apart": apart, "all": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", default="1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cpu", help="the instructions that Tenon and PyTorch may use")
    parser.add_argument("--only", default="", help="the layers whose names match")
    parser.add_argument("--folder", type=pathlib.Path, help="keep exported models there")
    parser.add_argument("--above", type=float, default=0.0, help="print the rows alone whose ratio is larger")
    parser.add_argument("--json", type=pathlib.Path, help="also write all figures to a file")
    parser.add_argument("--keep", action="store_true", help="add the figures to results/, and write its table")
    o = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    package = None if o.cpu else onnx_runtime.installed()[0]
    rows, is_close = [], True
    print(f"load {load}; milliseconds, medians; one thread: processor time\n")
    print(f"{'layer':<22} n {'tenon':>9} {'torch':>9} {'runtime':>9} {'ratio':>6}  apart", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = o.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, layer in layers().items():
            if not re.search(o.only, name):
                continue
            for threads in map(int, o.threads.split(",")):
                row = measure(name, layer, o, package, threads, folder)
                if "skipped" in row:
                    print(f"{name:<22} {row['skipped']}", flush=True)
                    break
                rows.append(row)
                is_close &= row["apart"] <= CLOSE
                if row["to_best_peer"] > o.above or row["apart"] > CLOSE:
                    runtime = f"{row['all']['onnxruntime']:>9.2f}" if "onnxruntime" in row["all"] else " " * 9
                    print(f"{name:<22} {threads} {row['ms']:>9.2f} {row['all']['torch']:>9.2f} {runtime} {row['to_best_peer']:>6.2f}"
                          f"  {row['apart']:.0e}" + (" TOO FAR" if not row["apart"] <= CLOSE else ""), flush=True)
    if o.json:
        o.json.write_text(json.dumps(rows, indent=1) + "\n")
    if o.keep:
        results.keep({"load": load, "cpu": o.cpu, "work": rows})
    return int(not is_close)


if __name__ == "__main__":
    sys.exit(main())
