"""Symbolic sizes: the code of one binding is that of others. Programs run with several sizes and one
cache of compiled code: the first binding fills it, the others add nothing, unless it is said how
many programs they may add, and all give the evaluator's bits.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from lib.program import TENON, start, tenon


def linear(name, x, w, b, width, act):
    return f"""
  %{name}_p = dot_general(%{x}, %{w}) contract_lhs[1] contract_rhs[0] -> tensor<f32, ?Bx{width}>
  %{name}_b = broadcast_to(%{b}) result_shape[?B, {width}] -> tensor<f32, ?Bx{width}>
  %{name}_s = add(%{name}_p, %{name}_b) -> tensor<f32, ?Bx{width}>
  %{name}_t = {act}(%{name}_s) -> tensor<f32, ?Bx{width}>
  %{name} = mul(%{name}_t, %{name}_s) -> tensor<f32, ?Bx{width}>"""


def softmax(name, x, shape):
    """Along the last axis."""
    dims = shape.split("x")
    axis, one = len(dims) - 1, "x".join(dims[:-1] + ["1"])
    result = ", ".join(dims)
    return f"""
  %{name}_m = reduce_max(%{x}) axes[{axis}] keepdims[true] -> tensor<f32, {one}>
  %{name}_n = broadcast_to(%{name}_m) result_shape[{result}] -> tensor<f32, {shape}>
  %{name}_d = sub(%{x}, %{name}_n) -> tensor<f32, {shape}>
  %{name}_e = exp(%{name}_d) -> tensor<f32, {shape}>
  %{name}_s = reduce_sum(%{name}_e) axes[{axis}] keepdims[true] -> tensor<f32, {one}>
  %{name}_z = broadcast_to(%{name}_s) result_shape[{result}] -> tensor<f32, {shape}>
  %{name} = div(%{name}_e, %{name}_z) -> tensor<f32, {shape}>"""


def function(parameters, body, shape):
    return f"func @main({parameters}) -> (tensor<f32, {shape}>) {{{body}\n  return %y\n}}\n"


# name, program, sizes of B
PROGRAMS = [
    ("chain", function("%x: tensor<f32, ?B>, %z: tensor<f32, ?B>", """
  %a = mul(%x, %z) -> tensor<f32, ?B>
  %b = tanh(%a) -> tensor<f32, ?B>
  %y = add(%b, %x) -> tensor<f32, ?B>""", "?B"), [200, 333, 1000, 64, 31, 8]),
    ("rows", function("%x: tensor<f32, ?Bx100>, %z: tensor<f32, 100>", """
  %c = broadcast_to(%z) result_shape[?B, 100] -> tensor<f32, ?Bx100>
  %a = mul(%x, %c) -> tensor<f32, ?Bx100>
  %y = tanh(%a) -> tensor<f32, ?Bx100>""", "?Bx100"), [200, 3, 1000, 64, 31]),
    ("softmax", function("%x: tensor<f32, ?Bx100>", softmax("y", "x", "?Bx100"), "?Bx100"),
     [200, 3, 1000, 64, 31]),
    ("layer norm",
     function("%x: tensor<f32, ?Bx100>, %g: tensor<f32, 100>, %h: tensor<f32, 100>", """
  %y = layer_norm(%x, %g, %h) epsilon[1e-5] feature_axis[1] -> tensor<f32, ?Bx100>""", "?Bx100"),
     [200, 3, 1000, 64, 31]),
    ("linear", function("%x: tensor<f32, ?Bx64>, %w: tensor<f32, 64x96>, %b: tensor<f32, 96>",
                        linear("y", "x", "w", "b", 96, "tanh"), "?Bx96"), [200, 333, 1000]),
    ("linear of some rows",
     function("%x: tensor<f32, ?Bx64>, %w: tensor<f32, 64x96>, %b: tensor<f32, 96>",
              linear("y", "x", "w", "b", 96, "tanh"), "?Bx96"), [64, 48, 33, 77]),
    ("mlp", function("%x: tensor<f32, ?Bx100>, %w: tensor<f32, 100x64>, %b: tensor<f32, 64>, "
                     "%v: tensor<f32, 64x80>, %c: tensor<f32, 80>, %u: tensor<f32, 80x10>, "
                     "%d: tensor<f32, 10>", linear("h", "x", "w", "b", 64, "tanh") +
                     linear("i", "h", "v", "c", 80, "erf") + linear("o", "i", "u", "d", 10, "exp") +
                     softmax("y", "o", "?Bx10"), "?Bx10"), [200, 256, 333]),
    ("attention", function(", ".join(f"%{i}: tensor<f32, ?Bx4x32x16>" for i in "qkv"), """
  %s = dot_general(%q, %k) batch_lhs[0, 1] batch_rhs[0, 1] contract_lhs[3] contract_rhs[3] -> tensor<f32, ?Bx4x32x32>
""" + softmax("p", "s", "?Bx4x32x32") + """
  %y = dot_general(%p, %v) batch_lhs[0, 1] batch_rhs[0, 1] contract_lhs[3] contract_rhs[2] -> tensor<f32, ?Bx4x32x16>""",
                           "?Bx4x32x16"), [20, 3, 8, 31]),
    ("softmax over B", function("%x: tensor<f32, 40x?B>", softmax("y", "x", "40x?B"), "40x?B"),
     [200, 333, 1000, 3000, 64, 31]),
    ("sums over B", function("%x: tensor<f32, 40x?B>, %z: tensor<f32, ?Bx30>", """
  %s = reduce_sum(%x) axes[1] keepdims[true] -> tensor<f32, 40x1>
  %t = reduce_sum(%z) axes[0] keepdims[true] -> tensor<f32, 1x30>
  %a = broadcast_to(%s) result_shape[40, 30] -> tensor<f32, 40x30>
  %b = broadcast_to(%t) result_shape[40, 30] -> tensor<f32, 40x30>
  %y = mul(%a, %b) -> tensor<f32, 40x30>""", "40x30"), [200, 333, 1000, 3000, 64, 31]),
    ("product over B", function("%x: tensor<f32, 64x?B>, %w: tensor<f32, ?Bx96>", """
  %y = dot_general(%x, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, 64x96>""", "64x96"),
     [200, 333, 1000, 64, 31]),
    ("product with B columns", function("%x: tensor<f32, 64x40>, %w: tensor<f32, 40x?B>", """
  %y = dot_general(%x, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, 64x?B>""", "64x?B"),
     [200, 333, 1000, 64, 31]),
    ("attention over B", function(", ".join(f"%{i}: tensor<f32, 2x?Bx16>" for i in "qkv"), """
  %s = dot_general(%q, %k) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[2] -> tensor<f32, 2x?Bx?B>
""" + softmax("p", "s", "2x?Bx?B") + """
  %y = dot_general(%p, %v) batch_lhs[0] batch_rhs[0] contract_lhs[2] contract_rhs[1] -> tensor<f32, 2x?Bx16>""",
                                  "2x?Bx16"), [200, 333, 170, 300]),
    ("transposed", function("%x: tensor<f32, ?Bx100>", """
  %t = transpose(%x) perm[1, 0] -> tensor<f32, 100x?B>
  %y = exp(%t) -> tensor<f32, 100x?B>""", "100x?B"), [200, 333, 1000]),
    ("parts behind each other", function("%x: tensor<f32, ?Bx10>, %z: tensor<f32, ?Bx10>", """
  %a = exp(%x) -> tensor<f32, ?Bx10>
  %b = tanh(%z) -> tensor<f32, ?Bx10>
  %y = concat(%a, %b, %a) axis[0] -> tensor<f32, ?Cx10>""", "?Cx10"), [20, 333, 31]),
]


def run(program, size, engine, cache, out):
    tenon("run", program, "--random", "1", "--dim", size, "--engine", engine, "--output", out,
          env=dict(os.environ, TENON_CACHE_DIR=str(cache)))
    return out.read_bytes()


def faults_of(name, program, symbol, sizes, folder):
    cache = folder / name
    faults, objects = [], 0
    for number in sizes:
        size = f"{symbol}={number}"
        made = run(program, size, "jit", cache, folder / "jit.npz")
        if made != run(program, size, "ref", cache, folder / "ref.npz"):
            faults.append(f"{name}: other bits with {size}")
        now = sum(p.is_file() for p in cache.rglob("*"))
        if number == sizes[0] and now == 0:
            faults.append(f"{name}: nothing was compiled")
        if number != sizes[0] and now != objects:
            faults.append(f"{name}: {size} needed {now - objects} programs of its own")
        objects = now
    return faults


def text_faults(name, text, sizes, folder):
    program = folder / "program.ptir"
    program.write_text(text)
    return faults_of(name, program, "B", sizes, folder)


def gpt2_faults(folder):
    """Prompts of other lengths, of a model so wide that no length decides which kernels there are."""
    gpt2 = pathlib.Path(TENON).parent / "examples" / "gpt2"
    if not gpt2.exists():
        return []
    subprocess.run([gpt2, "--layers", "1", "--width", "512", "--heads", "8", "--vocab", "50", "--positions", "256",
                    "--prompt", "1,2", "--tokens", "1", "--save-ptir", folder], check=True, stdout=subprocess.DEVNULL)
    return faults_of("gpt2", folder / "prefill.ptir.json", "S", [130, 100, 77], folder)


def parts_faults():
    """Where the part of a bias begins that a product adds is no part of its program."""
    body = ""
    for i in range(3):
        body += f"""
  %s{i} = slice(%b) starts[{3 * i}] sizes[4] -> tensor<f32, 4>
  %c{i} = broadcast_to(%s{i}) result_shape[8, 4] -> tensor<f32, 8x4>
  %p{i} = dot_general(%x{i}, %w{i}) contract_lhs[1] contract_rhs[0] -> tensor<f32, 8x4>
  %y{i} = add(%p{i}, %c{i}) -> tensor<f32, 8x4>"""
    inputs = ", ".join(f"%x{i}: tensor<f32, 8x5>, %w{i}: tensor<f32, 5x4>" for i in range(3))
    text = (f"func @main({inputs}, %b: tensor<f32, 10>) -> "
            "(tensor<f32, 8x4>, tensor<f32, 8x4>, tensor<f32, 8x4>) {" + body +
            "\n  return %y0, %y1, %y2\n}\n")
    done = tenon("explain", "--json", "-", "--from", "ptir-text", input=text)
    n = json.loads(done.stdout)["programs"]
    return [] if n == 1 else [f"parts of a bias: {n} programs"]


def main():
    explained = start("explain", "--json", "-", "--from", "ptir-text",
                      input="func @main(%x: tensor<f32>) -> tensor<f32> { return %x }\n")
    if '"machine_code":false' in explained.stdout:
        print("skipped: there is no LLVM, so nothing is compiled")
        return False
    with tempfile.TemporaryDirectory() as folder:
        faults = [fault for name, text, sizes in PROGRAMS
                  for fault in text_faults(name, text, sizes, pathlib.Path(folder))]
        faults += gpt2_faults(pathlib.Path(folder))
    faults += parts_faults()
    print("\n".join(faults) or f"{len(PROGRAMS)} programs")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
