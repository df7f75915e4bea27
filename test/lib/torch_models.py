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


class Call(torch.nn.Module):
    """A function as a module."""

    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *x):
        return self.f(*x)


def exported(module, inputs, version, axes=None):
    """MODULE as a model of VERSION of ONNX, and its INPUTS by name: x0, x1, ... AXES: by the number of an input those that are open."""
    names = [f"x{k}" for k in range(len(inputs))]
    out = io.BytesIO()
    sizes = {names[k]: {a: f"n{k}_{a}" for a in open_axes} for k, open_axes in (axes or {}).items() if open_axes}
    torch.onnx.export(module, inputs, out, opset_version=version, input_names=names, dynamic_axes=sizes or None)
    flat = [t for x in inputs for t in (x if isinstance(x, list) else [x])]
    return out.getvalue(), dict(zip(names, (t.numpy() for t in flat)))
