"""Programs in other forms: what Tenon writes as StableHLO, with other spaces and comments, attributes in another order and
place, lists as `dense`, constants as raw bytes, aliases and locations. All of them read as the same program."""
import json
import pathlib
import random
import re
import struct
import tempfile
import unittest

import run_cases
from lib.program import TEST, start, tenon

FORMATS = {"f32": "f", "f64": "d", "i32": "i", "i64": "q", "i8": "b", "i16": "h", "ui8": "B", "ui32": "I"}
ATTRIBUTE = re.compile(r"(?<=\) )\{((?:[^{}\n])*)\}(?= :)")


def split(text):
    """The parts of TEXT between commas that stand in no brackets."""
    parts, depth = [""], 0
    for i, c in enumerate(text):
        if text[i - 1:i + 1] == "->":
            parts[-1] += c
            continue
        depth += (c in "<([") - (c in ">)]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def reorder(r, text):
    """Attributes in another order, and in `<{}>`, or some in either."""
    def one(m):
        parts = split(m[1])
        r.shuffle(parts)
        cut = 0 if m.string[:m.start()].endswith("}) ") else r.randint(0, len(parts))  # in front of regions only
        inner = " <{" + ", ".join(parts[:cut]) + "}>" if cut else ""
        outer = " {" + ", ".join(parts[cut:]) + "}" if cut < len(parts) else ""
        return (inner + outer).strip() or "{}"
    return ATTRIBUTE.sub(one, text)


def lists(r, text):
    """`array<i64: 1, 1>` as a list or a `dense` one; not what is for a custom call, which is not told of `dense`."""
    def one(m):
        numbers = [n.strip() for n in m[1].split(",")]
        kind = r.randrange(3)
        if kind == 0:
            return f"[{', '.join(numbers)}]"
        if kind == 1 and len(set(numbers)) == 1:
            return f"dense<{numbers[0]}> : tensor<{len(numbers)}xi64>"
        return f"dense<[{', '.join(numbers)}]> : tensor<{len(numbers)}xi64>"
    return "\n".join(line if "backend_config" in line else re.sub(r"array<i64: ([-\d, ]+)>", one, line) for line in text.split("\n"))


def raw(r, text):
    """Lists of numbers as their bytes."""
    def one(m):
        numbers, form = re.findall(r"[-+\w.]+", m[1]), FORMATS.get(m[2])
        if not form or r.random() < 0.3 or any("x" in n for n in numbers):
            return m[0]
        convert = float if form in "fd" else int
        data = b"".join(struct.pack("<" + form, convert(n)) for n in numbers)
        return f'value = dense<"0x{data.hex().upper()}"> : tensor<{m[0][m[0].rindex("tensor<") + 7:]}'
    return re.sub(r"value = dense<(\[[^<>]*\])> : tensor<[\dx]*?x(\w+)>", one, text)


def aliases(r, text):
    """Some types by names, defined in front."""
    types = sorted(set(re.findall(r"tensor<[\dx]*\w+>", text)))
    chosen = [t for t in types if r.random() < 0.5]
    lines = re.split(r"(dense<[^\n]*?> : tensor<[^<>]*>)", text)
    for k, t in enumerate(chosen):
        lines = [part if i % 2 else part.replace(t, f"!t{k}") for i, part in enumerate(lines)]
    return "".join(f"!t{k} = {t}\n" for k, t in enumerate(chosen)) + "".join(lines)


def places(r, text):
    """Locations behind operations, some by names that are defined at the end."""
    some = ['loc("f.py":3:7)', "loc(#loc2)", 'loc("jit(f)/add"(#loc2))', "loc(unknown)", 'loc(fused<"a">[#loc2, "b"])',
            'loc(callsite("a"("f.py":1:1 to :9) at #loc2))']
    lines = [line + " " + r.choice(some) if re.match(r'\s*%\w+ = "', line) and not line.endswith("({") and r.random() < 0.5 else line
             for line in text.splitlines()]
    return "\n".join(lines) + '\n#loc2 = loc("g.py":1:2)\n'


def spaces(r, text):
    """Other white space, and comments at the ends of lines, where tokens end."""
    out, is_string = "", False
    for i, c in enumerate(text):
        is_string ^= c == '"' and text[i - 1] != "\\"
        if is_string or c not in ",(){}=\n" or text[i - 1:i + 1] in ("<{", "<(") or text[i:i + 2] == "}>":
            out += c
        elif c == "\n":
            out += r.choice(["\n", "\n\n", " // %x = (\n", "\t\n"])
        else:
            space = r.choice(["", " ", "  ", "\n", "\t"])
            out += c + space if c == "," else space + c + r.choice(["", " "])
    return out


class Forms(unittest.TestCase):
    def texts(self, folder):
        """What is written of the cases and programs of this folder."""
        here = TEST / "stablehlo"
        for path in [*sorted(here.glob("*.case")), *sorted((here / "programs").glob("*.mlir"))]:
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".case":
                _, sections = run_cases.parse_case(path)
                if "bytes" in sections[0].words:
                    continue
                text = sections[0].text()
            source = folder / "s.mlir"
            source.write_text(text, encoding="utf-8")
            done = start("convert", "--to", "stablehlo", source)
            if done.returncode == 0:
                yield path.name, done.stdout

    def test_same_program(self):
        ways, seen = [reorder, lists, raw, aliases, places, spaces], 0
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for title, text in self.texts(folder):
                before, after = folder / "m.mlir", folder / "n.mlir"
                before.write_text(text, encoding="utf-8")
                read = start("convert", "--to", "ptir", before)
                if read.returncode:
                    continue  # what is written is more than what is read
                changed, r = text, random.Random(title)  # its own: another case changes nothing here
                for way in ways:
                    changed = way(r, changed)
                after.write_text(changed, encoding="utf-8")
                with self.subTest(title):
                    self.assertNotEqual(text, changed)
                    self.assertEqual(tenon("convert", "--to", "ptir", after).stdout, read.stdout)
                    seen += 1
        self.assertGreater(seen, 10)

    def test_pretty(self):
        """The short forms are another text of the same program, with names of inputs and outputs."""
        seen = 0
        with tempfile.TemporaryDirectory() as name:
            generic, pretty = pathlib.Path(name) / "g.mlir", pathlib.Path(name) / "p.mlir"
            for title, text in self.texts(pathlib.Path(name)):
                generic.write_text(text, encoding="utf-8")
                read = start("fmt", generic)
                if read.returncode:
                    continue  # what is written is more than what is read
                with self.subTest(title):
                    pretty.write_text(tenon("convert", "--to", "stablehlo", "--style", "pretty", pathlib.Path(name) / "s.mlir").stdout, encoding="utf-8")
                    self.assertEqual(tenon("fmt", pretty).stdout, read.stdout)
                    seen += 1
        self.assertGreater(seen, 20)

    def test_pretty_forms(self):
        text = """module {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32> {jax.arg_info = "w"}) -> (tensor<2xf32> {jax.result_info = "sum"}, tensor<1x2xf32>, tensor<2x3xi1>, tensor<2x2xf32>) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.slice %arg0 [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
    %3 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %4 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
    return %1, %2, %3, %4 : tensor<2xf32>, tensor<1x2xf32>, tensor<2x3xi1>, tensor<2x2xf32>
  }
}
"""
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "m.mlir"
            path.write_text(text, encoding="utf-8")
            lines = tenon("fmt", "--style", "pretty", path).stdout.splitlines()
            # the constant goes with its use
            self.assertEqual(sorted(re.sub(r"%\w+", "%", line) for line in lines),
                             sorted(re.sub(r"%\w+", "%", line) for line in text.splitlines()))

    def test_names_and_dialect_stay(self):
        """Every command that writes a program writes StableHLO of what it read as that, with the names of inputs and outputs."""
        text = """func.func @main(%a: tensor<2xf32> {jax.arg_info = "params['w \\22\\C3\\A4'].\\5C"}, %b: tensor<2xf32>) -> (tensor<f32>
            {jax.result_info = "loss"}, tensor<2xf32>) {
          %0 = stablehlo.multiply %a, %b : tensor<2xf32>
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
          return %1, %0 : tensor<f32>, tensor<2xf32> }"""
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "m.mlir"
            path.write_text(text, encoding="utf-8")
            for command, outputs in (["fmt"], ["loss", "output1"]), (["opt", "--passes", "cse"], ["loss", "output1"]), \
                    (["grad"], ["loss", "output1", "output2", "output3"]), (["convert", "--to", "stablehlo"], ["loss", "output1"]):
                written = tenon(*command, path).stdout
                again = pathlib.Path(name) / "again.mlir"
                again.write_text(written, encoding="utf-8")
                info = json.loads(tenon("info", "--json", again).stdout)
                self.assertEqual(info["dialect"], "stablehlo")
                self.assertEqual([port["name"] for port in info["inputs"]], ["params['w \"\u00e4'].\\", "b"])
                self.assertEqual([port["name"] for port in info["outputs"]], outputs)
                self.assertEqual(tenon("fmt", again).stdout, written)


if __name__ == "__main__":
    unittest.main()
