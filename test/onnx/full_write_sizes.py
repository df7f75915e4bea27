"""Operations on tensors of open sizes, written as ONNX: a model to onnx.checker, and read back a program with the same bits for sizes
that are drawn."""
import pathlib
import sys
import tempfile

from lib.program import Failure, start, tenon

try:
    import onnx
except ImportError:
    onnx = None

# operands (name, its element type or D, shape), instruction, shapes of the results; D is drawn from the element types
WINDOW = "strides[1, 1, 2] padding[(0, 0), (0, 1), (1, 0)] base_dilation[1, 1, 1] window_dilation[1, 1, 1]"
PROGRAMS = {
    "axes that become one": ("x:D:?Bx?Nx4 w:D:4x5", "dot_general(%x, %w) contract_lhs[2] contract_rhs[0]", "D:?Bx?Nx5"),
    "sums over a product of sizes": ("x:D:?Bx?Nx4 w:D:?Nx?Bx3x?N", "dot_general(%x, %w) contract_lhs[0, 1] contract_rhs[1, 0]", "D:4x3x?N"),
    "batches of open matrices": ("x:D:?Bx?Nx4x?N w:D:?Bx4x?Nx2", "dot_general(%x, %w) batch_lhs[0] batch_rhs[0] contract_lhs[2, 3] contract_rhs[1, 2]", "D:?Bx?Nx2"),
    "a window whose place is data": ("x:D:?Bx?Nx3 s:si32:3", "dynamic_slice(%x, %s) sizes[1, 1, 2]", "D:1x1x2"),
    "a window that is put there": ("x:D:?Bx?N u:D:1x1 s:si32:2", "dynamic_update_slice(%x, %u, %s) sizes[1, 1]", "D:?Bx?N"),
    "an order": ("x:D:?Bx?N", "sort(%x) axis[0] descending[true]", "D:?Bx?N"),
    "positions in order": ("x:D:?Bx?N", "argsort(%x) axis[1] indices_dtype[si32]", "si32:?Bx?N"),
    "sums of windows": ("x:D:?Bx?Nx6", f"reduce_window(%x) window_dims[1, 2, 3] {WINDOW} reduce[sum]", "D:?Bx?Nx3"),
    "extremes of windows": ("x:D:?Bx?Nx6", f"reduce_window(%x) window_dims[1, 2, 3] {WINDOW} reduce[min]", "D:?Bx?Nx3"),
    "patches": ("x:D:?Bx6x5x3", "extract_patches(%x) window[2, 2] strides[1, 2] dilation[1, 1] padding[(0, 0), (1, 0)] pad_value[1]", "D:?Bx5x3x12"),
    "patches of open images": ("x:D:?Bx?Hx?Hx3", "extract_patches(%x) window[3, 1] strides[1, 1] dilation[1, 1] padding[(1, 1), (0, 0)] pad_value[1]", "D:?Bx?Hx?Hx9"),
    "holes": ("x:D:?Bx4", "pad(%x) low[0, 1] high[0, 2] interior[0, 2] pad_value[1]", "D:?Bx13"),
}
FLOATS = {"normalisation": ("x:D:?Bx4 g:D:4", "layer_norm(%x, %g, %g) epsilon[0.001] feature_axis[1]", "D:?Bx4")}
CUTS = """{"uops": [
  {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": ["M", "K"]}},
  {"id": "y", "uop": "SHRINK", "src": ["x"], "arg": {"lo": [0, 0], "hi": ["M // 2 + 1", "K"], "step": [1, 1]}},
  {"id": "z", "uop": "SHRINK", "src": ["x"], "arg": {"lo": ["M // 3", 0], "hi": ["M", "K"], "step": [2, 1]}},
  {"id": "v", "uop": "VIEW", "src": ["x"], "arg": {"result_shape": ["K", "M"], "index_map": ["M - 1 - i1", "i0"]}},
  {"id": "w", "uop": "VIEW", "src": ["x"], "arg": {"result_shape": ["M", "K"], "index_map": ["i0 // 2", "(i1 + i0) % K"]}},
  {"id": "q", "uop": "PAD", "src": ["x"], "arg": {"pad": [["K", 1], [0, "M"]], "value": 3}}
]}
"""


def program(operands, instruction, result, dtype):
    def tensor(kind, dims):
        return f"tensor<{dtype if kind == 'D' else kind}, {dims}>"
    inputs = ", ".join(f"%{name}: {tensor(kind, dims)}" for name, kind, dims in (o.split(":") for o in operands.split()))
    shape = tensor(*result.split(":"))
    return f"func @main({inputs}) -> {shape} {{\n  %r = {instruction} -> {shape}\n  return %r\n}}\n"


def check(folder, name, suffix, text):
    source, model = folder / f"p{suffix}", folder / "m.onnx"
    source.write_text(text, encoding="utf-8")
    tenon("convert", source, "--to", "onnx", "-o", model)
    if onnx:
        onnx.checker.check_model(onnx.load(str(model)), full_check=True)
    same = start("equiv", source, model, "-O0", "--n", 3)
    if same.returncode:
        raise Failure(f"{name}: {same.stdout}{same.stderr}\n{text}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check(folder, "cuts and views", ".tiny.json", CUTS)
        for what, parts in (PROGRAMS | FLOATS).items():
            for dtype in ("f32", "bf16") if what in FLOATS else ("f32", "si64", "ui8"):
                check(folder, f"{what} of {dtype}", ".ptir", program(*parts, dtype))
    print("written, checked and read back" if onnx else "written and read back; there is no onnx.checker")


if __name__ == "__main__":
    sys.exit(main())
