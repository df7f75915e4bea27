"""The structures that the package declares are those of the headers, as a C compiler sees them."""
import ctypes
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from lib import package  # noqa: F401
from lib.program import ROOT

from tenon import _library as c

RENAMED = {"CustomUse": {"inputs": "in", "outputs": "out"}}


def structures():
    for cls in vars(c).values():
        if isinstance(cls, type) and issubclass(cls, ctypes.Structure) and cls is not ctypes.Structure:
            yield cls.__doc__.split()[0], cls


class Layout(unittest.TestCase):
    def test_structures(self):
        """Structures that begin with their size may have grown since."""
        lines, want = [], []
        for name, cls in structures():
            grows = cls._fields_[0][0] == "size"
            size = f"sizeof({name}) >= {ctypes.sizeof(cls)} ? {ctypes.sizeof(cls)} : 0" if grows else f"sizeof({name})"
            lines.append(f'printf("{name} %zu\\n", (size_t)({size}));')
            want.append(f"{name} {ctypes.sizeof(cls)}")
            for field, *_ in cls._fields_:
                own = RENAMED.get(cls.__name__, {}).get(field, field)
                lines.append(f'printf("{name}.{own} %zu %zu\\n", offsetof({name}, {own}), '
                             f'sizeof((({name} *)0)->{own}));')
                at = getattr(cls, field)
                want.append(f"{name}.{own} {at.offset} {at.size}")
        text = ("#include <stdio.h>\n#include <tenon/convert.h>\n#include <tenon/forms.h>\n#include <tenon/train.h>\n"
                "int main(void)\n{\n" + "\n".join(lines) + "\n}\n")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "layout.c"
            source.write_text(text, encoding="utf-8")
            subprocess.run([os.environ.get("CC", "cc"), "-std=c11", f"-I{ROOT / 'include'}", source, "-o",
                            source.with_suffix("")], check=True)
            got = subprocess.run([source.with_suffix("")], check=True, capture_output=True, text=True).stdout
        self.assertEqual(got.splitlines(), want)
        self.assertGreater(len(want), 100)

    def test_functions(self):
        """Every function has as many parameters as in the headers."""
        text = "".join((ROOT / "include/tenon" / h).read_text(encoding="utf-8")
                       for h in ("tenon.h", "files.h", "convert.h", "build.h", "forms.h", "train.h"))
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        headers = {}
        for found in re.finditer(r"TN_API\s+([^;{]*?)(tn_\w+)\(([^;{]*?)\)\s*;", text):
            inner, n, depth = found[3].strip(), 0, 0
            for ch in inner:
                depth += (ch == "(") - (ch == ")")
                n += ch == "," and depth == 0
            headers[found[2]] = 0 if inner in ("void", "") else n + 1
        table = (ROOT / "include/tenon/build_elementwise.def").read_text(encoding="utf-8")
        for kind, name in re.findall(r"TN_(UNARY|BINARY)\((\w+)", table):
            headers[name] = 2 if kind == "UNARY" else 3
        for name, (_, arguments) in c.declared().items():
            self.assertEqual(headers.get(name), len(arguments), name)

    def test_elementwise(self):
        """The package has the functions of build_elementwise.def; the last two are for gradients alone."""
        table = (ROOT / "include/tenon/build_elementwise.def").read_text(encoding="utf-8")
        names = {n for _, n in re.findall(r"TN_(UNARY|BINARY)\(tn_(\w+)", table)}
        self.assertEqual(names, {*c.UNARY, *c.BINARY, "relu_grad"})


if __name__ == "__main__":
    unittest.main()
