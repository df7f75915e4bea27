"""Programs written as ONNX: names, bytes, what is read back, control flow, sizes, gradients, refusals."""
import math
import pathlib
import struct
import sys
import tempfile

from lib import npy
from lib.program import Failure, start, tenon

try:
    import onnx
except ImportError:
    onnx = None

DENSE = """%0 = Input () {name="x"} : tensor<f32>[2, 3]
%1 = Input () {name="w"} : tensor<f32>[3, 4]
%2 = MatMul (%0, %1) : tensor<f32>[2, 4]
%3 = Relu (%2) : tensor<f32>[2, 4]
%4 = Sum (%3) {axes=[1], keepdims=false} : tensor<f32>[2]
outputs: %3, %4
"""
LOSS = DENSE.replace("axes=[1]", "axes=[0, 1]").replace("tensor<f32>[2]\n", "tensor<f32>[]\n").replace("%3, %4", "%4")
CONTROL = """func @main(%p: tensor<i1>, %x: tensor<f32, 3>, %y: tensor<f32, 3>, %m: tensor<f32, 4x3>) -> (tensor<f32, 3>, tensor<f32, 3>, tensor<f32, 4x3>) {
  %c = cond(%p, %x, %y) true_region[0] false_region[1] -> tensor<f32, 3>
  %s = scan(%x, %m) body_region[2] carry_count[1] scan_output_count[1] -> (tensor<f32, 3>, tensor<f32, 4x3>)
  return %c, %s[0], %s[1]
}

region @0(%a: tensor<f32, 3>, %b: tensor<f32, 3>) -> tensor<f32, 3> {
  %r = add(%a, %b) -> tensor<f32, 3>
  return %r
}

region @1(%a: tensor<f32, 3>, %b: tensor<f32, 3>) -> tensor<f32, 3> {
  return %b
}

region @2(%c: tensor<f32, 3>, %s: tensor<f32, 3>) -> (tensor<f32, 3>, tensor<f32, 3>) {
  %r = mul(%c, %s) -> tensor<f32, 3>
  return %r, %c
}
"""
SIZES = """%0 = Input () {name="x"} : tensor<f32>[n, 4]
%1 = Input () {name="y"} : tensor<f32>[4]
%2 = BinOp (%0, %1) {op=Add} : tensor<f32>[n, 4]
%3 = Transpose (%2) {permutation=[1, 0]} : tensor<f32>[4, n]
outputs: %2, %3
"""
MADE = """func @main(%x: tensor<f32, 24>, %y: tensor<f32, 24>, %i: tensor<si32, 3x2>, %u: tensor<f32, 3x2>, %s: tensor<si32, 3>) -> (tensor<f32, 24>, tensor<f32, 24>, tensor<f32, 24>, tensor<f32, 24>, tensor<f32, 3x2>, tensor<f32, 3x2>, tensor<f32, 3x2>, tensor<f32, 3x2>, tensor<f32, 3x2>) {
  %a = log1p(%x) -> tensor<f32, 24>
  %b = expm1(%x) -> tensor<f32, 24>
  %c = cbrt(%x) -> tensor<f32, 24>
  %d = atan2(%y, %x) -> tensor<f32, 24>
  %e = cumulative(%u) kind[prod] axis[0] -> tensor<f32, 3x2>
  %f = cumulative(%u) kind[max] axis[0] exclusive[true] -> tensor<f32, 3x2>
  %g = cumulative(%u) kind[min] axis[1] reverse[true] -> tensor<f32, 3x2>
  %h = scatter_reduce(%u, %i, %u) axis[0] reduce[max] -> tensor<f32, 3x2>
  %k = segment_reduce(%u, %s) kind[max] num_segments[3] -> tensor<f32, 3x2>
  return %a, %b, %c, %d, %e, %f, %g, %h, %k
}
"""
RANDOM = """func @main() -> (tensor<f32, 3>) {
  %r = rng_uniform() -> tensor<f32, 3>
  return %r
}
"""
REVERSED = """%0 = Input () {name="x"} : tensor<f32>[4]
%1 = Input () {name="w"} : tensor<f32>[2]
%2 = Slice (%0) {ends=[-1], starts=[3], steps=[-2]} : tensor<f32>[2]
%3 = BinOp (%1, %2) {op=Mul} : tensor<f32>[2]
outputs: %3
"""
# Numbers below 0 become 0 where unsigned ones are summed.
UNSIGNED = """func @main(%x: tensor<si8, 3x4>, %y: tensor<si16, 3x4x5>, %z: tensor<si16, 6x4x3>) -> (tensor<ui32, 3>, tensor<ui32, 3x6x3>) {
  %p = dot_general(%x, %x) batch_lhs[0] batch_rhs[0] contract_lhs[1] contract_rhs[1] accum_dtype[ui32] out_dtype[ui32] -> tensor<ui32, 3>
  %q = convolution(%y, %z) strides[1] padding[(0, 0)] base_dilation[1] dilation[1] accum_dtype[ui32] out_dtype[ui32] -> tensor<ui32, 3x6x3>
  return %p, %q
}
"""
# ConvTranspose: its padding is what the window reaches, with the holes in it, less that of the convolution.
SPREAD = """func @main(%x: tensor<f32, 1x2x3>, %f: tensor<f32, 2x2x3>) -> (tensor<f32, 1x2x5>, tensor<f32, 1x2x4>) {
  %a = convolution(%x, %f) strides[1] padding[(2, 2)] base_dilation[2] dilation[2] -> tensor<f32, 1x2x5>
  %b = convolution(%x, %f) strides[1] padding[(1, 2)] base_dilation[2] dilation[2] -> tensor<f32, 1x2x4>
  return %a, %b
}
"""


# 600 equal elements of 64 bits, twice; two weights that begin alike.
EQUAL = """func @main(%x: tensor<si64, 600>, %y: tensor<f32, 2>) -> (tensor<si64, 600>, tensor<f64, 600>, tensor<f32, 2>) {
  %w = constant fill[7] -> tensor<si64, 600>
  %v = constant fill[1.5] -> tensor<f64, 600>
  %a = add(%x, %w) -> tensor<si64, 600>
  %p = constant fill[0.5] -> tensor<f32, 2>
  %q = constant fill[0.5] -> tensor<f32, 2>
  %b = mul(%y, %p) -> tensor<f32, 2>
  %c = add(%b, %q) -> tensor<f32, 2>
  return %a, %v, %c
}
"""

# Extremes, remainders and bits of 64 bits: operators of ONNX Runtime see 32 or 53 of them.
WIDE = """module {
  func.func @main(%x: tensor<7xi64>, %y: tensor<7xi64>, %u: tensor<7xui64>, %v: tensor<7xui64>) -> (tensor<7xi64>, tensor<7xi64>, tensor<7xi64>, tensor<7xi64>, tensor<7xi64>, tensor<7xui64>, tensor<7xi32>, tensor<7xi64>, tensor<7xi64>) {
    %one = stablehlo.constant dense<1> : tensor<7xi64>
    %low = stablehlo.constant dense<-5000000000> : tensor<i64>
    %high = stablehlo.constant dense<5000000000> : tensor<i64>
    %uone = stablehlo.constant dense<1> : tensor<7xui64>
    %uby = stablehlo.maximum %v, %uone : tensor<7xui64>
    %by = stablehlo.or %y, %one : tensor<7xi64>
    %a = stablehlo.maximum %x, %y : tensor<7xi64>
    %b = stablehlo.minimum %x, %y : tensor<7xi64>
    %c = stablehlo.clamp %low, %x, %high : (tensor<i64>, tensor<7xi64>, tensor<i64>) -> tensor<7xi64>
    %d = stablehlo.xor %x, %y : tensor<7xi64>
    %e = stablehlo.remainder %x, %by : tensor<7xi64>
    %f = stablehlo.remainder %u, %uby : tensor<7xui64>
    %g = stablehlo.convert %x : (tensor<7xi64>) -> tensor<7xi32>
    %h = stablehlo.shift_right_logical %x, %y : tensor<7xi64>
    %i = stablehlo.shift_left %x, %y : tensor<7xi64>
    return %a, %b, %c, %d, %e, %f, %g, %h, %i : tensor<7xi64>, tensor<7xi64>, tensor<7xi64>, tensor<7xi64>, tensor<7xi64>, tensor<7xui64>, tensor<7xi32>, tensor<7xi64>, tensor<7xi64>
  }
}
"""

# No elements, of which ONNX Runtime neither finds the largest nor adds along an axis of -1.
EMPTY = """func @main(%x: tensor<f32, 3x0x2>, %i: tensor<si32, 2x0x0>) -> (tensor<f32, 3x0x2>, tensor<si64, 3x0x2>, tensor<f32, 3x0x1>, tensor<si32, 3x0x1>, tensor<si32, 2x0x0>) {
  %a = sort(%x) axis[2] descending[false] -> tensor<f32, 3x0x2>
  %b = argsort(%x) axis[2] descending[true] indices_dtype[si64] -> tensor<si64, 3x0x2>
  %c = top_k(%x) k[1] axis[2] largest[true] indices_dtype[si32] -> (tensor<f32, 3x0x1>, tensor<si32, 3x0x1>)
  %d = popcount(%i) -> tensor<si32, 2x0x0>
  return %a, %b, %c[0], %c[1], %d
}
"""


def written(folder, name, text, *options):
    """The model of a program, which must be one to the checker, and read back with the same bits."""
    source, model, again = folder / name, folder / f"{name}.onnx", folder / "again.onnx"
    source.write_text(text, encoding="utf-8")
    tenon("convert", source, "--to", "onnx", "-o", model, *options)
    tenon("convert", source, "--to", "onnx", "-o", again, *options)
    if model.read_bytes() != again.read_bytes():
        raise Failure(f"{name}: other bytes the second time")
    if onnx:
        onnx.checker.check_model(onnx.load(str(model)), full_check=True)
    tenon("equiv", source, model, "-O0", "--n", 3)
    return model


def floats(path):
    dtype, _, raw = npy.read_npy(path)
    return npy.unpack(dtype, raw)


def made_of_others(folder):
    """Functions and folds that ONNX lacks: the program and its model give the same, but for the last bits of functions."""
    source, model = folder / "made.ptir", folder / "made.onnx"
    source.write_text(MADE, encoding="utf-8")
    tenon("convert", source, "-o", model)
    if onnx:
        onnx.checker.check_model(onnx.load(str(model)), full_check=True)
    inf = math.inf
    x = [0.0, -0.0, 1e-45, -1e-30, 1e-9, -1e-4, 0.5, -0.5, -0.999999, 1.0, -1.0, 2.0, -3.0, 10.0, -80.0, 88.7, 89.0, 1e30, -3e38, 27.0, inf,
         -inf, math.nan, -8.0]
    y = [-0.0, 0.0, 1.0, -1.0, 0.0, -0.0, 0.5, 0.5, -3.0, -0.0, -0.0, 1e30, 1e-30, -10.0, 80.0, inf, -inf, 0.0, -0.0, 27.0, inf, -inf, 1.0, 0.0]
    given = {"x": (x, "f", [24]), "y": (y, "f", [24]), "u": ([1.5, -2.0, 3.0, 0.5, -1.0, 4.0], "f", [3, 2]),
             "i": ([2, 0, 2, 2, 1, 0], "i", [3, 2]), "s": ([1, 1, 0], "i", [3])}
    arguments, results = [], []
    for name, (numbers, form, dims) in given.items():
        path = folder / f"{name}.npy"
        npy.write_raw(path, "f32" if form == "f" else "i32", dims, struct.pack(f"<{len(numbers)}{form}", *numbers))
        arguments += ["--input", f"{name}={path}"]
    for program in source, model:
        tenon("run", program, *arguments, "-O0", "--output", folder / "out")
        results.append([floats(folder / f"out/{k}.npy") for k in range(9)])
    for k, (wanted, got) in enumerate(zip(*results)):
        for at, (a, b) in enumerate(zip(wanted, got)):
            same = math.isnan(b) if math.isnan(a) else a == b and math.copysign(1, a) == math.copysign(1, b) if k > 3 or a in (0, inf, -inf) \
                else abs(a - b) <= 4e-7 * abs(a)
            if not same:
                raise Failure(f"result {k}, element {at} is {b} and not {a}")


def external(folder):
    """Large constants in a file beside the model, at whole pages of it."""
    source, model = folder / "large.ptir", folder / "large.onnx"
    numbers = ", ".join(str(k / 8) for k in range(1500))
    source.write_text(f"func @main(%x: tensor<f32, 1500>) -> tensor<f32, 1500> {{\n  %a = constant value[{numbers}] -> tensor<f32, 1500>\n"
                      f"  %b = constant value[{numbers[:-5]}0.5] -> tensor<f32, 1500>\n  %c = mul(%x, %a) -> tensor<f32, 1500>\n"
                      "  %y = add(%c, %b) -> tensor<f32, 1500>\n  return %y\n}\n", encoding="utf-8")
    tenon("convert", source, "-o", model, "--external-data", "large.data")
    if (folder / "large.data").stat().st_size < 12000 or model.stat().st_size > 4096:
        raise Failure("the constants are not beside the model")
    if onnx:
        onnx.checker.check_model(str(model), full_check=True)
    tenon("equiv", source, model, "-O0", "--n", 3)
    for name, out in ("../large.data", model), ("", model), ("large.onnx", model), ("large.data", folder / "large.ptir"), ("large.data", "-"):
        done = start("convert", source, "--to", "onnx" if out == "-" else "ptir-text" if out != model else "onnx", "-o", out, "--external-data", name)
        if done.returncode != 2:
            raise Failure(f"external data in '{name}' for {out}: {done.returncode} {done.stderr}")


def reversed_slice(folder):
    """The derivative of a slice backwards, which ONNX has no operator for, is that of Core IR."""
    model = written(folder, "reversed.ir", REVERSED)
    here, there = folder / "here.ir", folder / "there.onnx"
    for source, out in ((folder / "reversed.ir", here), (model, there)):
        tenon("grad", source, "--seed", "1", "-o", out)
    tenon("equiv", here, there, "--n", 3)


def of_nothing(folder):
    model = written(folder, "empty.ptir", EMPTY)
    if b"TopK" in model.read_bytes():
        raise Failure("what has no elements is sorted")
    if not onnx:
        return
    graph = onnx.load(str(model)).graph
    axes = [a for x in graph.node if x.op_type == "ReduceSum" for i in graph.initializer if i.name == x.input[1]
            for a in struct.unpack("<q", i.raw_data)]
    if axes != [3]:
        raise Failure(f"bits are added along {axes}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        dense = written(folder, "dense.ir", DENSE)
        back = tenon("convert", dense, "--to", "mind").stdout
        if back != DENSE:
            raise Failure(f"read back as\n{back}")
        loss, gradient = folder / "loss.ir", folder / "gradient.ir"
        loss.write_text(LOSS, encoding="utf-8")
        tenon("grad", loss, "-o", gradient)
        written(folder, "made.ir", gradient.read_text(encoding="utf-8"))
        written(folder, "control.ptir", CONTROL)
        written(folder, "unsigned.ptir", UNSIGNED)
        written(folder, "spread.ptir", SPREAD)
        wide = written(folder, "wide.mlir", WIDE).read_bytes()
        for operator in (b"Clip", b"ReduceSum", b"fmod"):
            if bytes([len(operator)]) + operator in wide:
                raise Failure(f"integers of 64 bits are computed with {operator.decode()}")
        if wide.count(b"\x03Max") + wide.count(b"\x03Min") != 1:
            raise Failure("extremes of si64 are not chosen by comparisons")
        of_nothing(folder)
        reversed_slice(folder)
        weights = written(folder, "equal.ptir", EQUAL).read_bytes()
        for name in b"pq":
            if bytes([66, 1, name]) not in weights:  # of an initializer
                raise Failure("equal weights became one")
        sizes = written(folder, "sizes.ir", SIZES)
        if b"\x12\x01n" not in sizes.read_bytes():
            raise Failure("the size n is no dim_param")
        external(folder)
        made_of_others(folder)
        refused = folder / "random.ptir"
        refused.write_text(RANDOM, encoding="utf-8")
        done = start("convert", refused, "--to", "onnx")
        if done.returncode != 1 or "NotExpressible" not in done.stderr or "rng_uniform" not in done.stderr:
            raise Failure(f"random numbers: {done.returncode} {done.stderr}")
    print("written, checked and read back" if onnx else "written and read back; there is no onnx.checker")


if __name__ == "__main__":
    sys.exit(main())
