"""Networks of torchvision with random weights, exported at several versions of ONNX, give what ONNX Runtime gives, and the evaluator
the bits of machine code: segmentation, video, optical flow, transformers, detectors up to what depends on data, and quantised
networks. Skipped where torchvision or ONNX Runtime cannot be had.

A quantised network computes floats between QuantizeLinear and QuantizeLinear. They are integers times a scale, so that halves of a
step are not rare; there the order of additions says which way a value is rounded, and what follows is a step or two away. ONNX Runtime
is as far from itself with other optimisations (`graphOptimizationLevel`).

usage: long_networks.py [WORD...]

The words select networks by parts of their names.
"""
import re
import sys
import tempfile

import numpy as np

from lib import onnx_runtime
from lib.onnx_compare import Case, compare
from lib.onnx_files import field, fields
from lib.program import start
from lib.torch_models import exported, is_chosen

import torch

try:
    from torchvision import models
    from torchvision.models import optical_flow, swin_transformer
    from torchvision.models.video import mvit
except ImportError:
    print("skipped: torchvision is missing")
    sys.exit(0)

SMALL = {"min_size": 64, "max_size": 96}
TWO_STAGES = SMALL | {"rpn_pre_nms_top_n_test": 50, "rpn_post_nms_top_n_test": 20}
OF_NONE = {"weights": None, "weights_backbone": None}

QUANTISED = "resnet18", "mobilenet_v2", "googlenet", "inception_v3"
MOST_STEPS = 3
# Of scores that are compared with a threshold, those that lie on it.
ON_THRESHOLD = 1e-3


class Flow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = optical_flow.raft_small(weights=None)

    def forward(self, x):
        return self.inner(x[:1], x[1:], num_flow_updates=2)[-1]


def swin():
    return swin_transformer.SwinTransformer([4, 4], 48, [2, 2], [2, 4], [8, 8], num_classes=10)


def many_scales():
    blocks = [mvit.MSBlockConfig(heads, inner, outer, [3, 3, 3], [3, 3, 3], [1, *[q] * 2], [1, *[kv] * 2])
              for heads, inner, outer, q, kv in ((1, 48, 48, 1, 4), (2, 48, 96, 2, 2), (2, 96, 96, 1, 2))]
    return mvit.MViT(spatial_size=(64, 64), temporal_size=8, block_setting=blocks, residual_pool=False, residual_with_cls_embed=True,
                     rel_pos_embed=False, proj_after_attn=False, num_classes=10)


def called(family, *names, **options):
    return [(name, lambda name=name: getattr(family, name)(**options)) for name in names]


IMAGE, VIDEO = (1, 3, 64, 96), (1, 3, 4, 32, 32)
NETWORKS = [  # (name, what makes it), shape of the input, versions
    *((n, IMAGE, (11, 17)) for n in called(models, "mobilenet_v3_small", "mnasnet0_5", "shufflenet_v2_x0_5", "regnet_x_400mf", weights=None)),
    *((n, IMAGE, (11, 17)) for n in called(models, "efficientnet_v2_s", "densenet121", weights=None)),
    *((n, (1, 3, 96, 96), (13,)) for n in called(models, "googlenet", "inception_v3", weights=None, init_weights=False)),
    *((n, IMAGE, (11, 17)) for n in called(models.segmentation, "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large", **OF_NONE)),
    *((n, VIDEO, (11, 17)) for n in called(models.video, "r3d_18", "mc3_18", "r2plus1d_18", weights=None)),
    (("raft_small", Flow), (2, 3, 128, 136), (16, 17)),
    (("vision_transformer", lambda: models.VisionTransformer(64, 16, 3, 4, 96, 192, num_classes=10)), (1, 3, 64, 64), (11, 17)),
    (("swin", swin), (1, 3, 64, 64), (13, 17)),
    (("mvit", many_scales), (1, 3, 8, 64, 64), (13, 17)),
]
DETECTORS = [
    *((n, (3, 64, 80), (11,)) for n in called(models.detection, "fasterrcnn_mobilenet_v3_large_320_fpn", **OF_NONE, **TWO_STAGES)),
    *((n, (3, 64, 80), (11,)) for n in called(models.detection, "maskrcnn_resnet50_fpn", "fasterrcnn_resnet50_fpn_v2", **OF_NONE, **TWO_STAGES)),
    *((n, (3, 64, 80), (12,)) for n in called(models.detection, "fasterrcnn_resnet50_fpn", **OF_NONE, **TWO_STAGES)),
    *((n, (3, 64, 80), (14,)) for n in called(models.detection, "keypointrcnn_resnet50_fpn", **OF_NONE, **TWO_STAGES)),
    *((n, (3, 64, 80), (11, 16)) for n in called(models.detection, "retinanet_resnet50_fpn", **OF_NONE, **SMALL, topk_candidates=50)),
    *((n, (3, 64, 80), (11,)) for n in called(models.detection, "ssd300_vgg16", **OF_NONE, topk_candidates=20)),
    *((n, (3, 64, 80), (11,)) for n in called(models.detection, "ssdlite320_mobilenet_v3_large", **OF_NONE, topk_candidates=20)),
    *((n, (3, 64, 80), (11,)) for n in called(models.detection, "fcos_resnet50_fpn", **OF_NONE, **SMALL, topk_candidates=50)),
]


# Corners of boxes are anchors of hundreds of pixels times what the last convolutions give, whose operands are hundreds, too: of
# fasterrcnn_resnet50_fpn at version 12 a corner (of 80 pixels) is 0.0014 from ONNX Runtime's. That is rounding: from the same network
# in f64 this library's is 0.0013 away and ONNX Runtime's 0.0007, and the features both have 1e-6 of their largest.
OF_BOXES = 2e-3


def lively(network):
    """NETWORK with statistics and last layers with which no value vanishes."""
    for m in network.modules():
        if isinstance(m, torch.nn.modules.batchnorm._BatchNorm):
            m.running_mean.normal_(0, 0.1)
            m.running_var.uniform_(0.5, 1.5)
    for p in network.parameters():
        if not p.any():
            p.data.normal_(0, 0.1)
    return network.eval()


def quantised(name):
    """The network NAME with weights and values of 8 bits, an input, and the step of its results."""
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    network = lively(getattr(models.quantization, name)(weights=None, quantize=False, **options))
    torch.backends.quantized.engine = "qnnpack"
    network.fuse_model(is_qat=False)
    network.qconfig = torch.ao.quantization.get_default_qconfig("qnnpack")
    torch.ao.quantization.prepare(network, inplace=True)
    x = torch.rand(1, 3, 96, 96)
    network(x)
    torch.ao.quantization.convert(network, inplace=True)
    return network, x, float(np.diff(np.unique(network(x).detach().numpy())).min())


def quantised_cases():
    for name in QUANTISED:
        if not is_chosen(f"quantised_{name}"):
            continue
        torch.manual_seed(1)
        network, x, step = quantised(name)
        data, inputs = exported(network, (x,), 13)
        yield Case(f"quantised_{name}", data, inputs, close=(0, (MOST_STEPS + 0.1) * step))


def with_outputs(data, names):
    """The model DATA with the values NAMES instead of its outputs."""
    out = b""
    for at, value in fields(data):
        if at == 7:
            value = b"".join(field(k, v) for k, v in fields(value) if k != 12) + b"".join(field(12, field(1, n)) for n in names)
        out += field(at, value)
    return out


def ends(data):
    """The results that the diagnostic of DATA offers."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(data)
        file.flush()
        done = start("check", file.name)
    return re.findall(r"--result ([^\s,]+)", done.stderr)


def cases():
    for detector, ((name, make), shape, versions) in [(False, n) for n in NETWORKS] + [(True, n) for n in DETECTORS]:
        if not is_chosen(name):
            continue
        for version in versions:
            torch.manual_seed(version)
            x = torch.rand(shape)
            data, inputs = exported(lively(make()), ([x],) if detector else (x,), version)
            names = ends(data) if detector else ()
            if bool(names) != detector:
                raise SystemExit(f"{name}: the diagnostic offers {names}")
            results = tuple(word for n in names for word in ("--result", n))
            yield Case(f"{name} {version}", data, inputs, close=(1e-3, OF_BOXES if detector else 1e-3), arguments=results,
                       theirs=with_outputs(data, names) if detector else None, odd=ON_THRESHOLD if detector else 0)
    yield from quantised_cases()


def main():
    package, reason = onnx_runtime.installed()
    if not package:
        print(f"skipped: {reason}")
        return 0
    total = wrong = 0
    for case in cases():  # one at a time: some have hundreds of megabytes
        ran, faults = compare(package, [case])
        for _, fault, theirs in faults:
            print(f"{case.name}: {fault or f'ONNX Runtime: {theirs}'}", flush=True)
        total, wrong = total + ran, wrong + len(faults)
    print(f"{total} networks, {wrong} wrong")
    return wrong > 0 or total == 0


if __name__ == "__main__":
    sys.exit(main())
