"""Modules of PyTorch with unusual options, with open sizes, control flow and advanced indexing, exported at several versions of ONNX:
what ONNX Runtime gives, up to rounding, and the evaluator the bits of machine code. Skipped where PyTorch or ONNX Runtime cannot be had.

usage: long_torch_options.py [WORD...]

The words select modules by parts of their names.
"""
import sys

from lib import onnx_runtime
from lib.onnx_compare import Case, compare
from lib.torch_models import Call, exported, is_chosen

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrizations, spectral_norm, weight_norm

VERSIONS = 9, 11, 13, 16, 17
r, i = torch.randn, torch.tensor


class Many(nn.Module):
    """A module that takes and gives what F says of its parts."""

    def __init__(self, f, **parts):
        super().__init__()
        self.f = f
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *x):
        return self.f(self, *x)


@torch.jit.script
def nested_ifs(x):
    if bool(x.sum() > 0):
        if bool(x.max() > 1):
            y = x * 2
        else:
            y = x + 3
    elif bool(x.min() < -1):
        y = x.abs()
    else:
        y = x.exp()
    return y


@torch.jit.script
def nested_loops(x):
    total = torch.zeros_like(x[0])
    for a in range(x.size(0)):
        for b in range(a + 1):
            if a != b:
                total = total + x[a] * x[b]
    return total


@torch.jit.script
def loop_until(x):
    steps = torch.zeros(1, dtype=torch.long)
    while bool((x.abs().max() < 20.0).item()):
        if bool(x.sum() > 0):
            x = x * 1.5
        else:
            x = x * 1.5 - 0.1
        steps = steps + 1
    return x, steps


@torch.jit.script
def early(x):
    y = x
    for k in range(10):
        y = y * 1.5
        if bool(y.abs().sum() > 30.0):
            break
    return y


@torch.jit.script
def stacked_pairs(x):
    out = []
    for k in range(x.size(0) - 1):
        out.append(torch.cat([x[k], x[k + 1]]))
    return torch.stack(out)


def modules():
    """(name, module, inputs, {number of an input: its open axes})"""
    image, flat, wide = r(2, 4, 6, 8), r(3, 4), r(2, 5, 8)
    open_image, open_flat = {0: (0, 2, 3)}, {0: (0,)}
    yield "weight_norm", weight_norm(nn.Conv2d(4, 6, 3, padding=(2, 1), dilation=(2, 1), stride=(1, 2)), dim=0), (image,), open_image
    yield "spectral_norm", spectral_norm(nn.Linear(4, 5)), (flat,), open_flat
    yield "orthogonal", parametrizations.orthogonal(nn.Linear(4, 4)), (flat,), open_flat
    yield "conv_same", nn.Conv2d(4, 6, (3, 2), padding="same", dilation=2), (image,), open_image
    for mode in "reflect", "replicate", "circular":
        yield f"conv_{mode}", nn.Conv2d(4, 4, (3, 4), padding=(1, 2), padding_mode=mode, groups=2), (image,), open_image
    yield "conv1d_circular", nn.Conv1d(4, 6, 5, padding=2, padding_mode="circular", stride=2), (r(2, 4, 11),), {0: (0, 2)}
    yield "conv_transpose_groups", nn.ConvTranspose2d(4, 6, (3, 2), (2, 3), (1, 0), (1, 2), groups=2, dilation=(2, 1)), (image,), open_image
    yield "conv3d_groups", nn.Conv3d(4, 8, (1, 3, 2), groups=4, stride=(1, 2, 1), padding=(0, 1, 1)), (r(1, 4, 3, 6, 5),), {0: (0,)}
    yield "lstm_projection", nn.LSTM(3, 6, 2, proj_size=4), (r(5, 2, 3),), {}
    yield "lstm_states", Many(lambda m, x, h, c: m.a(x, (h, c)), a=nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)), \
        (r(2, 5, 3), r(4, 2, 4), r(4, 2, 4)), {0: (0, 1), 1: (1,), 2: (1,)}
    yield "lstm_no_bias", nn.LSTM(3, 4, bias=False), (r(5, 2, 3),), {0: (0, 1)}
    yield "gru_two", nn.GRU(3, 4, 2, bidirectional=True), (r(5, 2, 3),), {0: (0, 1)}
    yield "rnn_tanh", nn.RNN(3, 4, 2, batch_first=True), (r(2, 5, 3),), {0: (0, 1)}
    yield "attention_mask", Many(lambda m, x, k: m.a(x, x, x, key_padding_mask=k, need_weights=True), a=nn.MultiheadAttention(8, 2,
            batch_first=True)), \
        (wide, i([[False, False, True, False, True], [False, True, False, False, False]])), {0: (0,), 1: (0,)}
    yield "attention_causal", Many(lambda m, x: m.a(x, x, x, attn_mask=torch.full((5, 5), float("-inf")).triu(1), average_attn_weights=False),
                                   a=nn.MultiheadAttention(8, 4, batch_first=True)), (wide,), {0: (0,)}
    yield "attention_kv", Many(lambda m, q, k, v: m.a(q, k, v)[0], a=nn.MultiheadAttention(8, 2, kdim=6, vdim=4, add_bias_kv=True,
            add_zero_attn=True)), \
        (r(5, 2, 8), r(7, 2, 6), r(7, 2, 4)), {}
    yield "encoder_fast", nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu"), 2), (wide,), {0: (0, 1)}
    yield "encoder_first", nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, norm_first=True), 2, nn.LayerNorm(8)), (wide,), {0: (1,)}
    yield "transformer", nn.Transformer(8, 2, 1, 1, 16, batch_first=True), (wide, r(2, 3, 8)), {0: (0,), 1: (0,)}
    for mode in "sum", "mean", "max":
        yield f"bag_{mode}", nn.EmbeddingBag(10, 4, mode=mode), (i([1, 2, 4, 5, 4, 3]), i([0, 2, 3])), {}
    yield "bag_weighted", Many(lambda m, x, w: m.a(x, per_sample_weights=w), a=nn.EmbeddingBag(10, 4, mode="sum")), (i([[1, 2], [3, 4]]), r(2, 2)), {}
    yield "embedding_padding", nn.Embedding(10, 4, padding_idx=0), (i([[1, 0], [3, 4]]),), {0: (0, 1)}
    for text, shapes in {"bij,bkj->bik": ((2, 3, 4), (2, 5, 4)), "bhid,bhjd->bhij": ((2, 2, 3, 4), (2, 2, 5, 4)), "ij->ji": ((3, 4),), "ii->i": ((4,
            4),),
                         "ij,j->i": ((3, 4), (4,)), "i,j->ij": ((3,), (4,)), "abc,cd,de->abe": ((2, 3, 4), (4, 5), (5, 2)),
                                 "...ij,...jk->...ik": ((2, 2, 3, 4), (2, 2, 4, 3))}.items():
        yield f"einsum {text}", Call(lambda *x, t=text: torch.einsum(t, *x)), tuple(r(s) for s in shapes), {0: (0,)} if text == "bij,bkj->bik" else {}
    calls = {
        "put_add": (lambda x, k, v: x.index_put((k,), v, accumulate=True), flat, i([0, 2, 0]), r(3, 4)),
        "put_pair": (lambda x, a, b, v: x.index_put((a, b), v), flat, i([0, 2]), i([3, 1]), r(2)),
        "put_slice": (lambda x: torch.ones_like(x).index_put((i([0, 1]),), x[:2] * 2), flat),
        "assign": (lambda x: assigned(x), flat),
        "assign_mask": (lambda x: torch.where(x > 0.5, torch.zeros(()), x), flat),
        "index_pair": (lambda x, a, b: x[a, :, b], r(3, 4, 5), i([0, 2, 1]), i([4, 0, 2])),
        "index_newaxis": (lambda x, a: x[:, None, a, ..., 1:], r(3, 4, 5), i([3, 0])),
        "index_back": (lambda x: x[-2:, ::2, [-1, 0]], r(3, 4, 5)),
        "index_matrix": (lambda x, a: x[a], r(3, 4), i([[0, 1], [2, 2]])),
        "index_fill": (lambda x: x.index_fill(1, i([0, 3]), 7.0), flat),
        "index_add": (lambda x, v: x.index_add(0, i([2, 0, 2]), v), flat, r(3, 4)),
        "index_select": (lambda x: x.index_select(1, i([3, 1])), flat),
        "index_copy": (lambda x, v: x.index_copy(0, i([2, 0]), v), flat, r(2, 4)),
        "take": (lambda x: torch.take(x, i([[0, 5], [11, 3]])), flat),
        "take_along": (lambda x, k: torch.take_along_dim(x, k, 1), flat, i([[0, 1], [3, 2], [1, 1]])),
        "topk_small": (lambda x: torch.topk(x, 2, dim=0, largest=False), flat),
        "sort_first": (lambda x: torch.sort(x, dim=0), flat),
        "argsort": (lambda x: torch.argsort(x, dim=1, descending=True), flat),
        "kthvalue": (lambda x: x.sort(1)[0][:, 2], flat),
        "cumsum_types": (lambda x: (x.cumsum(0), (x > 0).cumsum(1), x.long().cumsum(1)), flat),
        "roll_open": (lambda x: torch.roll(x, 2), flat),
        "rot90": (lambda x: torch.rot90(x, 1, (0, 1)), flat),
        "flip_two": (lambda x: x.flip(0, 1), flat),
        "scatter_add": (lambda x, k, v: x.scatter_add(1, k, v), flat, i([[0, 0], [1, 3], [2, 2]]), r(3, 2)),
        "scatter_value": (lambda x, k: x.scatter(0, k, 2.5), flat, i([[0, 1, 2, 0]])),
        "scatter_amax": (lambda x, k, v: x.scatter_reduce(1, k, v, "amax"), flat, i([[0, 0], [1, 3], [2, 2]]), r(3, 2)),
        "scatter_sum": (lambda x, k, v: x.scatter_reduce(1, k, v, "sum"), flat, i([[0, 0], [1, 3], [2, 2]]), r(3, 2)),
        "scatter_prod": (lambda x, k, v: x.scatter_reduce(1, k, v, "prod"), flat, i([[0, 0], [1, 3], [2, 2]]), r(3, 2)),
        "affine": (lambda t, x: F.grid_sample(x, F.affine_grid(t, list(x.shape), align_corners=False), align_corners=False), r(2, 2, 3), image),
        "affine_corners": (lambda t, x: F.grid_sample(x, F.affine_grid(t, [2, 4, 5, 7], align_corners=True), padding_mode="border",
            align_corners=True), r(2, 2, 3), image),
        "unfold": (lambda x: F.unfold(x, (3, 2), dilation=(1, 2), padding=(1, 0), stride=(2, 1)), image),
        "fold": (lambda x: F.fold(x, (6, 8), (2, 2), stride=2), r(2, 12, 12)),
        "fold_overlap": (lambda x: F.fold(x, (5, 6), (3, 2), padding=1), r(2, 12, 35)),
        "frames": (lambda x: x.unfold(-1, 4, 2), r(2, 12)),
        "by_convolution": (lambda x: F.conv1d(x[:, None], torch.cat([torch.cos(fourier()), torch.sin(fourier())])[:, None],
            stride=4).square().sum(1), r(2, 32)),
        "shuffle": (lambda x: F.pixel_unshuffle(x, 2), image), "channel_shuffle": (lambda x: F.channel_shuffle(x, 2), image),
        "pad_circular": (lambda x: F.pad(x, (2, 1, 1, 3), "circular"), image), "pad_negative": (lambda x: F.pad(x, (-1, 2, 1, -2)), image),
        "pad_3d": (lambda x: F.pad(x, (1, 1, 2, 0, 0, 1), "replicate"), r(1, 2, 3, 4, 5)),
        "pool_adaptive": (lambda x: (F.adaptive_avg_pool2d(x, (3, None)), F.adaptive_max_pool2d(x, 1)), image),
        "pool_indices": (lambda x: F.max_pool2d(x, 2, return_indices=True), image),
        "unpool": (lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), image),
        "pool_3d": (lambda x: (F.max_pool3d(x, 2, 1, 1, ceil_mode=True), F.avg_pool3d(x, 2, padding=1, count_include_pad=False)), r(1, 2, 4, 5, 3)),
        "avg_divisor": (lambda x: F.avg_pool1d(x, 3, 2, 1, ceil_mode=True), r(2, 4, 10)),
        "norms": (lambda x: (F.normalize(x, p=1), x.norm(p=3, dim=0), torch.linalg.vector_norm(x, ord=2, dim=1), torch.linalg.norm(x)), flat),
        "distance": (lambda x, y: (F.pairwise_distance(x, y), torch.cdist(x, y, p=1.0), torch.cdist(x[None], y[None])), flat, r(3, 4)),
        "losses": (lambda x, y: (F.smooth_l1_loss(x, y), F.huber_loss(x, y), F.kl_div(x, y.softmax(1), reduction="batchmean"),
            F.hinge_embedding_loss(x, y.sign())), flat, r(3, 4)),
        "cross_weight": (lambda x, y: F.cross_entropy(x, y, weight=i([0.5, 1.0, 2.0, 1.5]), ignore_index=1, reduction="sum"), flat, i([0, 1, 3])),
        "statistics": (lambda x: (x.std(0, unbiased=False), torch.std_mean(x, 1, keepdim=True), x.var(), x.median(), x.prod(1)), flat),
        "amax": (lambda x: (x.amax((0, 1)), x.amin(1, keepdim=True), torch.aminmax(x)), flat),
        "any_all": (lambda x: ((x > 1).any(1), (x > -1).all(), (x > 0).sum(0), torch.count_nonzero(x)), flat),
        "compare": (lambda x: (torch.maximum(x, x.flip(1)), x.clamp(min=i(0.1)), x.clamp(-0.5, 0.5), torch.isnan(x / x), torch.isinf(x / 0)), flat),
        "integers": (lambda x: (torch.div(x, 3, rounding_mode="floor"), torch.div(x, 3, rounding_mode="trunc"), x % 3, x // 2, torch.fmod(x, 3),
            x << 1, x & 6, x ^ 3), i([[-7, 8, 5, -2]])),
        "floats": (lambda x: (torch.floor_divide(x, 0.7), x.frac(), x.trunc(), x.sign(), torch.hypot(x, x + 1), x.logaddexp(x * 2),
            torch.special.expit(x), x.log1p(), x.exp2(), x.rsqrt()), torch.rand(3, 4) + 0.1),
        "trigonometry": (lambda x: (torch.atan2(x, x.flip(0)), x.sinh(), x.asin(), x.atanh(), torch.deg2rad(x), torch.lerp(x, x * 2, 0.3),
            torch.sinc(x)), torch.rand(3, 4) * 0.9),
        "activations": (lambda x: (F.threshold(x, 0.1, 20), F.hardtanh(x, -0.3, 0.4), F.celu(x, 0.7), F.softplus(x, 2, 1),
            F.gumbel_softmax(x * 0 + 1, hard=False).sum() * 0 + F.glu(x, 1).sum()), flat),
        "linear_forms": (lambda x, y: (torch.baddbmm(x, y, y, beta=0.5, alpha=2), torch.outer(y[0, 0], y[0, 1]), torch.tensordot(x, y, ([1, 2], [1,
            2])), torch.kron(y[0, :2, :2], y[1, :2, :2])), r(2, 4, 4), r(2, 4, 4)),
        "bilinear": (lambda x, y: F.bilinear(x, y, torch.ones(3, 4, 5) * 0.1), flat, r(3, 5)),
        "matmul_ranks": (lambda x, y: (x @ y[0, 0], x @ y, y @ x[0], x.mv(y[0, :, 0])), flat, r(2, 4, 4)),
        "meshgrid": (lambda x: torch.meshgrid(x[0], x[:, 1], indexing="ij"), flat),
        "tri": (lambda x: (x.triu(-1), x.tril(1), torch.diag(x[0]), x.diagonal()), flat),
        "expand": (lambda x: (x[:, None].expand(-1, 3, -1), x.expand_as(torch.ones(2, 3, 4)), x.repeat(2, 1, 3), x.tile(2)), flat),
        "splits": (lambda x: (*torch.split(x, [1, 3], 1), *torch.tensor_split(x, 2, 0), *x.unbind(1)), flat),
        "shapes": (lambda x: (x.view(-1, x.size(0)), x.flatten(), x.movedim(0, 1), x.squeeze(), x[None].transpose(-1, 0), x.reshape(x.shape[0], 2,
            -1)), flat),
        "arange": (lambda x: (torch.arange(x.size(0)) * 2, torch.linspace(0, 1, 5) + x[0, 0], torch.arange(0, 3, 0.5), torch.full((x.size(0),), 3.0),
            x.new_zeros(x.shape)), flat),
        "one_hot": (lambda k: (F.one_hot(k, 5), F.one_hot(k, 5).float().argmax(-1)), i([[0, 4], [2, 1]])),
        "bucketize": (lambda x: (x[..., None] > i([-1.0, 0.0, 1.0])).sum(-1), flat),
        "search": (lambda x: torch.bucketize(x, i([-1.0, 0.0, 1.0])), flat),
        "fake_quantize": (lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255), flat),
        "fake_quantize_channels": (lambda x: torch.fake_quantize_per_channel_affine(x, i([0.1, 0.2, 0.05, 0.3]), i([0, 3, 1, 2], dtype=torch.int32),
            1, -128, 127), flat),
        "half": (lambda x: (x.half() * 2).float(), flat),
        "double": (lambda x: x.double().exp().float(), flat),
        "bytes": (lambda x: (x.to(torch.uint8) * 3, x.to(torch.int8), x.to(torch.int16).sum()), torch.rand(3, 4) * 50),
        "scaled": (lambda q: ((q @ q.transpose(-1, -2) / q.size(-1) ** 0.5).masked_fill(torch.ones(q.size(1), q.size(1)).tril() == 0,
            float("-inf")).softmax(-1) @ q), wide),
    }
    kept = {"scaled": (0, 1), "roll_open": (0,), "norms": (0,), "shapes": (0,), "arange": (0,), "unfold": (0,), "statistics": (0,), "tri": (0,),
            "topk_small": (1,), "amax": (0,), "pad_circular": (0, 2, 3), "pool_adaptive": (0,), "expand": (), "frames": (0, 1), "by_convolution": (0,
                    1), "index_back": (1,)}
    for name, (f, *x) in calls.items():
        yield name, Call(f), tuple(x), {0: kept[name]} if name in kept else {}
    for mode, options in (("nearest", {"scale_factor": 1.7}), ("nearest", {"size": (9, 5)}), ("bilinear", {"scale_factor": (0.6, 2)}), ("bilinear",
            {"size": (4, 11), "align_corners": True}),
                          ("bicubic", {"scale_factor": 1.5}), ("bicubic", {"size": (3, 13), "align_corners": True}), ("area", {"size": (3, 4)}),
                                  ("nearest-exact", {"size": (9, 5)}),
                          ("bilinear", {"scale_factor": 2.3, "recompute_scale_factor": True})):
        yield f"interpolate {mode} {options}", Call(lambda x, m=mode, o=options: F.interpolate(x, mode=m, **o)), (image,), \
                open_image if mode != "area" else {}
    yield "interpolate linear", Call(lambda x: F.interpolate(x, scale_factor=2, mode="linear")), (r(2, 4, 7),), {0: (0, 2)}
    yield "interpolate trilinear", Call(lambda x: F.interpolate(x, size=(3, 5, 4), mode="trilinear")), (r(1, 2, 4, 4, 3),), {}
    yield "interpolate like", Call(lambda x, y: F.interpolate(x, size=y.shape[2:], mode="bilinear") + y), (image, r(2, 4, 9, 5)), {0: (2, 3), 1: (2,
            3)}
    for f in nested_ifs, nested_loops, loop_until, early, stacked_pairs:
        yield f.name, Call(f), (flat,), {}
    for part in (nn.BatchNorm1d(4, affine=False), nn.BatchNorm1d(4, track_running_stats=False), nn.InstanceNorm1d(4, track_running_stats=True),
            nn.GroupNorm(4, 4, affine=False),
                 nn.LayerNorm(7, elementwise_affine=False), nn.LocalResponseNorm(2, 0.1, 0.5, 2.0), nn.CrossMapLRN2d(3), nn.Softmax(0),
                         nn.Threshold(0.1, 20), nn.Hardtanh(-2, 0.5),
                 nn.LPPool1d(3, 2, 3, True), nn.FractionalMaxPool2d(2, output_size=2), nn.AlphaDropout(), nn.Unflatten(1, (2, 2)), nn.PReLU(),
                         nn.Softmin(2), nn.MultiLabelSoftMarginLoss()):
        x = (r(2, 4, 7),) if not isinstance(part, (nn.FractionalMaxPool2d, nn.CrossMapLRN2d)) else (image,)
        yield f"{part}", part, x + (torch.rand(2, 4, 7).round(),) * isinstance(part, nn.MultiLabelSoftMarginLoss), {}


def assigned(x):
    y = x.clone()
    y[1:, ::2] = 3.0
    y[0] = x[2]
    y[:, -1] += 1
    return y


def fourier():
    k = torch.arange(9)[:, None] * torch.arange(16)[None] * (2 * torch.pi / 16)
    return k


def cases():
    for name, module, inputs, axes in modules():
        if not is_chosen(name):
            continue
        for version in VERSIONS:
            try:
                made = exported(module.eval(), inputs, version, axes)
            except Exception:  # of many kinds: the exporter cannot express the module
                continue
            yield Case(f"{name}, version {version}", *made, close=(1e-3, 1e-4))


def main():
    package, reason = onnx_runtime.installed()
    if not package:
        print(f"skipped: {reason}")
        return 0
    torch.manual_seed(1)
    all_cases = list(cases())
    total = wrong = 0
    for at in range(0, len(all_cases), 40):
        ran, faults = compare(package, all_cases[at:at + 40])
        for case, fault, theirs in faults:  # ONNX Runtime refuses a few, which are no models to it
            print(f"{case.name}: {fault or f'ONNX Runtime: {theirs}'}", flush=True)
        total, wrong = total + ran, wrong + sum(fault is not None for _, fault, _ in faults)
    print(f"{total} exports pass, {wrong} do not")
    return wrong > 0 or total == 0


if __name__ == "__main__":
    sys.exit(main())
