"""Modules of PyTorch as ONNX models, for scripts whose words on the command line select some by parts of their names. Where
PyTorch is missing, importing this ends the script as skipped."""
import io
import sys
import warnings

try:
    import torch
except ImportError:
    print("skipped: PyTorch is missing")
    sys.exit(0)

warnings.filterwarnings("ignore")  # the exporter has many


def is_chosen(name):
    return not sys.argv[1:] or any(word in name for word in sys.argv[1:])


def exported(module, inputs, version):
    """MODULE as a model of VERSION of ONNX, and its INPUTS by name: x0, x1, ..."""
    names = [f"x{k}" for k in range(len(inputs))]
    out = io.BytesIO()
    torch.onnx.export(module, inputs, out, opset_version=version, input_names=names)
    flat = [t for x in inputs for t in (x if isinstance(x, list) else [x])]
    return out.getvalue(), dict(zip(names, (t.numpy() for t in flat)))
