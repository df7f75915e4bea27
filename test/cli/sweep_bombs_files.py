"""The same as sweep_bombs.py for what comes in other forms: ONNX, StableHLO, the surface language, tensor files, sessions of
the language server.

    sweep_bombs_files.py [FAMILY...]         SHOW=1 prints what each command took
"""
import json
import os
import pathlib
import struct
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sweep_bombs  # noqa: E402

N = 5000  # operations of a chain
PROGRAM = "func @main(%x: tensor<f32, ?N>) -> tensor<f32, ?N> {\n  %y = neg(%x) -> tensor<f32, ?N>\n  return %y\n}\n"
READING = [["check"], ["info"], ["convert", "--to", "ptir", "-o", "OUT.ptir"], ["run", "--random", "1"], ["compile", "-o", "OUT.c"],
           ["report", "-o", "OUT.html"]]


# ---- the forms, as far as they are needed ---------------------------------------------------------

def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def onnx_value(name, dims=(4,)):
    shape = b"".join(field(1, field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def onnx_node(op, ins, outs, *more):
    return b"".join([*(field(1, i) for i in ins), *(field(2, o) for o in outs), field(4, op), *more])


def onnx_model(nodes, out="y", more=b"", graph=b""):
    body = b"".join(field(1, n) for n in nodes) + field(2, "g") + graph + field(11, onnx_value("x")) + field(12, onnx_value(out))
    return field(1, 8) + field(7, body) + field(8, field(2, 17)) + field(8, field(1, "f") + field(2, 1)) + more


# ---- families: what is written, by name, and the commands -----------------------------------------

def onnx_chain(folder):
    nodes = [onnx_node("Exp", [f"v{i - 1}" if i else "x"], [f"v{i}"]) for i in range(N)]
    (folder / "a.onnx").write_bytes(onnx_model(nodes, f"v{N - 1}"))
    return "a.onnx", READING


def onnx_sequences(folder):
    """Sequences of 1, 2, 3, .. elements, each of which has its own."""
    nodes = [onnx_node("SequenceEmpty", [], ["s0"])]
    nodes += [onnx_node("SequenceInsert", [f"s{i}", "x"], [f"s{i + 1}"]) for i in range(25_000)]
    (folder / "a.onnx").write_bytes(onnx_model([*nodes, onnx_node("SequenceLength", ["s25000"], ["y"])]))
    return "a.onnx", READING


def onnx_functions(folder):
    """Each function calls the next twice: 2^40 operations if all were written out."""
    def function(i, inner):
        body = [onnx_node(*inner, ["a"], ["b"], field(7, "f" if i < 39 else "")), onnx_node(*inner, ["b"], ["c"], field(7, "f" if i < 39 else ""))]
        return field(25, field(1, f"F{i}") + field(4, "a") + field(5, "c") + b"".join(field(7, n) for n in body) +
                     field(9, field(2, 17)) + field(9, field(1, "f") + field(2, 1)) + field(10, "f"))
    functions = b"".join(function(i, [f"F{i + 1}"] if i < 39 else ["Exp"]) for i in range(40))
    (folder / "a.onnx").write_bytes(onnx_model([onnx_node("F0", ["x"], ["y"], field(7, "f"))], more=functions))
    return "a.onnx", READING


def onnx_nested(folder):
    """A thousand choices in each other."""
    body = onnx_node("Exp", ["x"], ["r"])
    for _ in range(1000):
        branch = field(1, body) + field(2, "b") + field(12, onnx_value("r"))
        attributes = b"".join(field(5, field(1, name) + field(20, 5) + field(6, branch)) for name in ["then_branch"])
        other = field(1, onnx_node("Exp", ["x"], ["q"])) + field(2, "e") + field(12, onnx_value("q"))
        body = onnx_node("If", ["c"], ["r"], attributes, field(5, field(1, "else_branch") + field(20, 5) + field(6, other)))
        if len(body) > 900_000:
            break
    (folder / "a.onnx").write_bytes(onnx_model([body], "r", graph=field(11, field(1, "c") + field(2, field(1, field(1, 9) + field(2, b""))))))
    return "a.onnx", READING


def onnx_attribute(name, *values):
    """A list of integers."""
    return field(5, field(1, name) + field(20, 7) + b"".join(field(8, v) for v in values))


def onnx_windows(folder):
    """Windows whose positions or counts could be tables as long as the image, and as many phases as a stride has places."""
    wide, padded = onnx_attribute("kernel_shape", 1, 1 << 10), onnx_attribute("pads", 0, 1, 0, 0)
    nodes = [onnx_node("AveragePool", ["x"], ["a"], wide, padded), onnx_node("MaxPool", ["x"], ["b", "p"], onnx_attribute("kernel_shape", 1, 2), padded),
             onnx_node("ConvTranspose", ["w", "w"], ["d"], onnx_attribute("strides", 1, 1 << 25)),
             *(onnx_node("ReduceMax", [v], [f"r{v}"], field(5, field(1, "keepdims") + field(20, 2) + field(3, 0))) for v in "abd"),
             onnx_node("Sum", ["ra", "rb", "rd"], ["y"])]
    weight = field(1, 1) + field(1, 1) + field(1, 1) + field(1, 3) + field(2, 1) + field(8, "w") + field(9, struct.pack("<3f", 1, 2, 3))
    image = field(11, onnx_value("x", (1, 1, 1, 1 << 27)))
    body = b"".join(field(1, n) for n in nodes) + field(2, "g") + field(5, weight) + image + field(12, onnx_value("y"))
    (folder / "a.onnx").write_bytes(field(1, 8) + field(7, body) + field(8, field(2, 17)))
    return "a.onnx", [["check"], ["info"], ["convert", "--to", "ptir", "-o", "OUT.ptir"], ["explain"], ["grad", "--seed", "1"]]


def onnx_huge(folder):
    """A fill of a million times a million numbers, and a tensor that says it has as many."""
    tensor = field(1, 2) + field(2, 7) + field(8, "s") + field(9, struct.pack("<2q", 10**6, 10**6))
    (folder / "a.onnx").write_bytes(onnx_model([onnx_node("ConstantOfShape", ["s"], ["f"]), onnx_node("ReduceSum", ["f"], ["r"]),
                                                onnx_node("Add", ["x", "r"], ["y"])], graph=field(5, tensor)))
    return "a.onnx", READING


def hlo_calls(folder):
    """Each function calls the next twice."""
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = call @f0(%x) : (tensor<4xf32>) -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n"
    for i in range(40):
        inner = f"call @f{i + 1}(%{{}}) : (tensor<4xf32>) -> tensor<4xf32>" if i < 39 else "stablehlo.negate %{} : tensor<4xf32>"
        text += (f"func.func private @f{i}(%x: tensor<4xf32>) -> tensor<4xf32> {{\n  %a = {inner.format('x')}\n  %b = {inner.format('a')}\n"
                 "  return %b : tensor<4xf32>\n}\n")
    (folder / "a.mlir").write_text(f"module {{\n{text}}}\n")
    return "a.mlir", READING


def hlo_chain(folder):
    lines = "".join(f"    %v{i} = stablehlo.exponential %{f'v{i - 1}' if i else 'x'} : tensor<4xf32>\n" for i in range(N))
    (folder / "a.mlir").write_text("module {\n  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" + lines +
                                   f"    return %v{N - 1} : tensor<4xf32>\n  }}\n}}\n")
    return "a.mlir", READING


def hlo_nested(folder):
    """Choices in each other, deeper than any limit."""
    text = "stablehlo.return %x : tensor<4xf32>\n"
    for _ in range(3000):
        text = ('%r = "stablehlo.case"(%i) ({\n' + text + "}) : (tensor<i32>) -> tensor<4xf32>\nstablehlo.return %r : tensor<4xf32>\n")
    text = text.rsplit("stablehlo.return", 1)[0] + "return %r : tensor<4xf32>\n"
    (folder / "a.mlir").write_text("module {\nfunc.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {\n" + text + "}\n}\n")
    return "a.mlir", READING


def hlo_inputs(folder):
    inputs = ", ".join(f"%x{i}: tensor<f32>" for i in range(40_000))
    (folder / "a.mlir").write_text(f"func.func @main({inputs}) -> tensor<f32> {{\n  return %x0 : tensor<f32>\n}}\n")
    return "a.mlir", READING


def hlo_huge(folder):
    (folder / "a.mlir").write_text("module {\n  func.func @main() -> tensor<f32> {\n    %c = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>\n"
                                   "    %z = stablehlo.constant dense<0.0> : tensor<f32>\n    %r = stablehlo.reduce(%c init: %z) applies stablehlo.add "
                                   "across dimensions = [0, 1] : (tensor<1000000x1000000xf32>, tensor<f32>) -> tensor<f32>\n    return %r : tensor<f32>\n  }\n}\n")
    return "a.mlir", READING


def mind_calls(folder):
    """Each function calls the next twice, and calls are written out."""
    text = "".join(f"fn f{i}(x: tensor<f32[4]>) -> tensor<f32[4]> {{ {f'f{i + 1}(f{i + 1}(x))' if i < 39 else 'x + x'} }}\n" for i in range(40))
    (folder / "a.mind").write_text(text + "fn main(x: tensor<f32[4]>) -> tensor<f32[4]> { f0(x) }\n")
    return "a.mind", READING


def mind_nested(folder):
    (folder / "a.mind").write_text("fn main(x: tensor<f32[4]>) -> tensor<f32[4]> { " + "(" * 200000 + "x" + ")" * 200000 + " }\n")
    return "a.mind", READING


def mind_long_name(folder):
    """An input with a long name, which every kernel reads."""
    lines = [f'%0 = Input () {{name="{"x" * 400_000}"}} : tensor<f32>[4, 4]', *(f"%{i} = MatMul (%{i - 1}, %0) : tensor<f32>[4, 4]" for i in range(1, 9000))]
    (folder / "a.ir").write_text("\n".join(lines) + "\noutputs: %8999\n")
    limit = ["--limit", "output_bytes=268435456"]
    return "a.ir", [["check"], ["explain", *limit], ["explain", "--json", *limit], ["report", "-o", "OUT.html", *limit]]


def mind_inputs(folder):
    (folder / "a.mind").write_text(f"fn main({', '.join(f'x{i}: f32' for i in range(70_000))}) -> f32 {{ x0 }}\n")
    return "a.mind", READING


def mind_variables(folder):
    """Derivatives by each of many inputs."""
    names = [f"x{i}" for i in range(35_000)]
    (folder / "a.mind").write_text(f"fn main({', '.join(f'{n}: f32' for n in names)}) -> f32 {{\n  let l = {' + '.join(names)};\n"
                                   f"  let g = grad(l, wrt=[{', '.join(names)}]);\n  g.0\n}}\n")
    return "a.mind", [["check"]]


def mind_misspelled(folder):
    """Functions that are not there, and names of 60 characters that could be meant, but for three of them."""
    known = "".join(f"fn {'a' * 50}{i}(x: f32) -> f32 {{ x }}\n" for i in range(9000))
    calls = "".join(f"  let y{i} = {'a' * 40}ccc{'a' * 7}{i}(x);\n" for i in range(1000))
    (folder / "a.mind").write_text(f"{known}fn main(x: f32) -> f32 {{\n{calls}  x\n}}\n")
    return "a.mind", [["check"]]


def mind_chain(folder):
    lines = "".join(f"  let v{i} = {f'v{i - 1}' if i else 'x'} + x;\n" for i in range(N))
    (folder / "a.mind").write_text(f"fn main(x: tensor<f32[4]>) -> tensor<f32[4]> {{\n{lines}  v{N - 1}\n}}\n")
    return "a.mind", READING


def program(folder):
    (folder / "p.ptir").write_text(PROGRAM)


def npz_bomb(folder):
    """A gigabyte of zeros in a megabyte."""
    program(folder)
    count = 240_000_000
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with zipfile.ZipFile(folder / "b.npz", "w", zipfile.ZIP_DEFLATED) as z, z.open("x.npy", "w") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for _ in range(count // 1_000_000):
            f.write(bytes(4_000_000))
    return None, [["run", "p.ptir", "--input", "b.npz", "--output", "out"], ["run", "p.ptir", "--input", "x=b.npz", "--output", "out"]]


def npz_members(folder):
    """Many members, each of which says that it is a terabyte."""
    program(folder)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (250000000000,), }".ljust(117) + "\n"
    with zipfile.ZipFile(folder / "b.npz", "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(5000):
            z.writestr(f"x{i}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    return None, [["run", "p.ptir", "--input", "b.npz"]]


def npy_header(folder):
    """A header as long as version 1 allows, of nested brackets."""
    program(folder)
    for name, body in (("a", "(" * 65000), ("b", "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1," * 30000 + "), }")):
        (folder / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(body)) + body.encode())
    return None, [["run", "p.ptir", "--input", f"x={name}.npy"] for name in "ab"]


def safetensors_header(folder):
    """Many tensors of nothing, and one header that says it is longer than the file."""
    program(folder)
    many = json.dumps({f"t{i}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for i in range(12000)}).encode()
    (folder / "a.safetensors").write_bytes(struct.pack("<Q", len(many)) + many)
    deep = b'{"x":' * 100000
    (folder / "b.safetensors").write_bytes(struct.pack("<Q", len(deep)) + deep)
    (folder / "c.safetensors").write_bytes(struct.pack("<Q", 2**63 - 1) + b"{}")
    return None, [["run", "p.ptir", "--input", f"{name}.safetensors"] for name in "abc"]


def session(folder, name, text):
    """An editor that opens TEXT, asks everything about a name in its middle, changes a line, and asks again."""
    lines = text.split("\n")
    line = len(lines) // 2
    at = {"textDocument": {"uri": f"file:///{name}"}, "position": {"line": line, "character": 5 if len(lines[line]) > 5 else 0}}
    asked = [("hover", {}), ("completion", {}), ("definition", {}), ("references", {"context": {"includeDeclaration": True}}),
             ("documentHighlight", {}), ("prepareRename", {}), ("rename", {"newName": "q"}), ("documentSymbol", {}), ("foldingRange", {}),
             ("inlayHint", {"range": {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}}),
             ("codeAction", {"range": {"start": at["position"], "end": at["position"]}, "context": {"diagnostics": []}}),
             ("formatting", {"options": {"tabSize": 2, "insertSpaces": True}})]
    messages = [("initialize", {"capabilities": {}}, 1), ("initialized", {}, None),
                ("textDocument/didOpen", {"textDocument": {"uri": f"file:///{name}", "languageId": "tenon", "version": 1, "text": text}}, None)]
    for _ in range(2):
        messages += [(f"textDocument/{method}", at | more, 2) for method, more in asked]
        messages.append(("textDocument/didChange", {"textDocument": {"uri": f"file:///{name}", "version": 2}, "contentChanges": [
            {"range": {"start": at["position"], "end": at["position"]}, "text": "q"}]}, None))
    messages += [("shutdown", None, 3), ("exit", None, None)]
    with open(folder / "session", "wb") as out:
        for method, parameters, number in messages:
            body = json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters} | ({"id": number} if number else {})).encode()
            out.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def text_of(family):
    """A family of sweep_bombs.py, as long as it may be, as a text for editors."""
    def write(folder):
        session(folder, "a.ptir", family(sweep_bombs.size_of(family)))
        return None, [["lsp"]]
    write.__name__ = f"editor_{family.__name__}"
    return write


def editor_mind(folder):
    lines = "".join(f"  let v{i} = {f'v{i - 1}' if i else 'x'} + x;\n" for i in range(40000))
    session(folder, "a.mind", f"fn main(x: tensor<f32[4]>) -> tensor<f32[4]> {{\n{lines}  v39999\n}}\n")
    return None, [["lsp"]]


def editor_core(folder):
    lines = "".join(f"%{i} = Exp (%{i - 1}) : tensor<f32>[4]\n" for i in range(1, 25000))
    session(folder, "a.ir", f'%0 = Input () {{name="x"}} : tensor<f32>[4]\n{lines}outputs: %24999\n')
    return None, [["lsp"]]


def editor_hlo(folder):
    lines = "".join(f"    %v{i} = stablehlo.negate %{f'v{i - 1}' if i else 'x'} : tensor<4xf32>\n" for i in range(18000))
    session(folder, "a.mlir", "module {\n  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" + lines +
            "    return %v17999 : tensor<4xf32>\n  }\n}\n")
    return None, [["lsp"]]


def editor_tiny(folder):
    nodes = ",\n".join(f'{{"id": "n{i}", "uop": "NEG", "src": ["n{i - 1}"]}}' for i in range(1, 20000))
    session(folder, "a.tiny.json", '{"uops": [\n{"id": "n0", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": [4]}},\n' +
            nodes + '\n],"outputs": ["n19999"]}')
    return None, [["lsp"]]


def hlo_tuples(folder):
    """Types that aliases make as large as 2^60 in two ways, where they are compared."""
    lines = [f"!{c}{i} = tuple<{f'!{c}{i - 1}, !{c}{i - 1}' if i else 'tensor<f32>'}>" for c in "ab" for i in range(60)]
    lines += ["func.func private @f(%x: !a59) -> tensor<f32> {", "  %c = stablehlo.constant dense<1.0> : tensor<f32>",
              "  return %c : tensor<f32>", "}", "func.func private @g(%x: !b59) -> tensor<f32> {",
              "  %0 = call @f(%x) : (!a59) -> tensor<f32>", "  return %0 : tensor<f32>", "}",
              "func.func @main(%x: tensor<f32>) -> tensor<f32> {", "  return %x : tensor<f32>", "}"]
    (folder / "a.mlir").write_text("\n".join(lines) + "\n")
    return "a.mlir", [["check"]]


def quoted_sizes(folder):
    """A sum of names in apostrophes in the place of one extent."""
    def of(n):
        return "'a'" if n == 1 else f"({of(n // 2)}+{of(n - n // 2)})"
    size = of(30_000)
    (folder / "a.ptir").write_text(f'func @main(%x: tensor<f32, ?"{size}">) -> tensor<f32, ?"{size}"> {{\n  return %x\n}}\n')
    return "a.ptir", READING[:1]


def conformance_keys(folder):
    (folder / "a.yaml").write_text("category: x\n" + "".join(f"{i:x}: 1\n" for i in range(120_000)))
    return "a.yaml", [["conformance"]]


def conformance_brackets(folder):
    (folder / "a.yaml").write_text("expected: {" + ", ".join(f"{i:x}: []" for i in range(90_000)) + "}\n")
    return "a.yaml", [["conformance"]]


def conformance_strings(folder):
    """Each string stands on the same line as all others."""
    (folder / "a.yaml").write_text("expected: [" + '"a",' * 240_000 + "]\n")
    return "a.yaml", [["conformance"]]


def conformance_inputs(folder):
    """A value for each of 20 000 inputs."""
    source = f"fn main({', '.join(f'x{i}: f32' for i in range(20_000))}) -> f32 {{ x0 }}"
    values = ", ".join(f"x{i}: 1" for i in range(20_000))
    (folder / "a.yaml").write_text(f"category: runtime\ninput:\n  source: |\n    {source}\n  values: {{{values}}}\n"
                                   "expected: {status: success, output: {result: {values: [1]}}}\n")
    return "a.yaml", [["conformance"]]


FAMILIES = [onnx_chain, onnx_sequences, onnx_functions, onnx_nested, onnx_windows, onnx_huge, hlo_calls, hlo_chain, hlo_nested, hlo_inputs, hlo_huge, mind_calls, mind_nested, mind_chain, mind_inputs, mind_variables, mind_long_name, mind_misspelled,
            npz_bomb, npz_members, npy_header, safetensors_header, editor_mind, editor_core, editor_hlo, editor_tiny, hlo_tuples, quoted_sizes, conformance_keys, conformance_brackets, conformance_strings, conformance_inputs,
            *(text_of(f) for f in (sweep_bombs.chain, sweep_bombs.inputs, sweep_bombs.outputs, sweep_bombs.symbols, sweep_bombs.long_name,
                                   sweep_bombs.constant, sweep_bombs.wrong, sweep_bombs.wrong_line))]


def check(family, folder):
    """What each command takes too much for."""
    source, commands = family(folder)
    for path in folder.iterdir():
        assert path.stat().st_size < 1_400_000, f"{family.__name__} writes {path.stat().st_size} bytes"
    for command in commands:
        words = [command[0], *([source] if source else []), *command[1:]]
        words = [str(folder / word) if (folder / word).is_file() else word.replace("OUT", str(folder / "out")) for word in words]
        words = [f"x={folder / word[2:]}" if word.startswith("x=") else str(folder / word) if word == "out" else word for word in words]
        def run(words=words):
            with open(folder / "session" if words == ["lsp"] else os.devnull, "rb") as stdin:
                return sweep_bombs.measure(words, folder, stdin)
        yield from sweep_bombs.fault(f"{family.__name__}, {' '.join(command)}", run)


def main(names):
    faults = []
    for family in FAMILIES:
        if names and family.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory() as name:
            faults += check(family, pathlib.Path(name))
    print("\n".join(faults) or "all within the limits")
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
