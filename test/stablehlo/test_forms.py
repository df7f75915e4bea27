"""Programs in other forms: what Tenon writes as StableHLO, with other spaces and comments, attributes in another order and
place, lists as `dense`, constants as raw bytes, aliases and locations. All of them read as the same program."""
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
    """`array<i64: 1, 1>` as a list or a `dense` one."""
    def one(m):
        numbers = [n.strip() for n in m[1].split(",")]
        kind = r.randrange(3)
        if kind == 0:
            return f"[{', '.join(numbers)}]"
        if kind == 1 and len(set(numbers)) == 1:
            return f"dense<{numbers[0]}> : tensor<{len(numbers)}xi64>"
        return f"dense<[{', '.join(numbers)}]> : tensor<{len(numbers)}xi64>"
    return re.sub(r"array<i64: ([-\d, ]+)>", one, text)


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
        ways = [reorder, lists, raw, aliases, places, spaces]
        r, seen = random.Random(3), 0
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for title, text in self.texts(folder):
                before, after = folder / "m.mlir", folder / "n.mlir"
                before.write_text(text, encoding="utf-8")
                read = start("convert", "--to", "ptir", before)
                if read.returncode:
                    continue  # what is written is more than what is read
                changed = text
                for way in ways:
                    changed = way(r, changed)
                after.write_text(changed, encoding="utf-8")
                with self.subTest(title):
                    self.assertNotEqual(text, changed)
                    self.assertEqual(tenon("convert", "--to", "ptir", after).stdout, read.stdout)
                    seen += 1
        self.assertGreater(seen, 10)


if __name__ == "__main__":
    unittest.main()
