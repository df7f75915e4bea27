"""The files in editors/ are what the program's tables say, and the TextMate grammars colour every program of the cases."""
import functools
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
import zipfile

from editors import corpus
from lib.program import ROOT

EDITORS = pathlib.Path(ROOT, "editors")


class Tokens:
    """A grammar of flat rules and blocks that nest, applied as editors do: the leftmost match, of several the first rule."""

    def __init__(self, grammar):
        self.rules = [self.rule(r, grammar) for r in grammar["patterns"]]

    def rule(self, r, grammar):
        if "include" in r:
            r = grammar["repository"][r["include"][1:]]
        begin = re.compile(r.get("match") or r["begin"])
        return begin, r.get("end") and re.compile(r["end"]), r.get("name"), r.get("captures", {}).get("1", {}).get("name")

    def line(self, text, depth=0):
        """The scope of each character, and how many blocks are open at the end."""
        scopes, at = [None] * len(text), 0
        block = next((r for r in self.rules if r[1]), None)
        while at <= len(text):
            if depth:
                opens, ends = block[0].search(text, at), block[1].search(text, at)
                first = min((m for m in (opens, ends) if m), key=lambda m: m.start(), default=None)
                to = first.end() if first else len(text)
                scopes[at:to] = [block[2]] * (to - at)
                at, depth = to + (not first), depth + (0 if not first else 1 if first is opens else -1)
                continue
            found = [(m.start(), i, m) for i, r in enumerate(self.rules) if (m := r[0].search(text, at))]
            if not found:
                break
            start, i, m = min(found)
            begin, end, name, inner = self.rules[i]
            for k in range(m.start(), m.end()):
                scopes[k] = name
            if inner:
                scopes[m.start(1):m.end(1)] = [inner] * (m.end(1) - m.start(1))
            depth += bool(end)
            at = max(m.end(), at + (m.end() == start))
        return scopes, depth


def grammar(language):
    return json.loads((EDITORS / "vscode" / "syntaxes" / f"{language}.tmLanguage.json").read_text())


class Grammars(unittest.TestCase):
    def test_operations_of_all_cases(self):
        for dialect, least in (("mind", 800), ("ptir-text", 800)):
            language = corpus.LANGUAGES[dialect][0]
            tokens, seen = Tokens(grammar(language)), 0
            known = functools.cache(lambda line: tokens.line(line)[0])
            for text in corpus.programs(dialect):
                lines = text.split("\n")
                for line, column, word in corpus.operations(dialect, text):
                    scopes = known(lines[line])
                    self.assertEqual(set(scopes[column:column + len(word)]), {f"support.function.{language}"}, lines[line])
                    seen += 1
            self.assertGreater(seen, least)

    def test_builtins_of_the_surface_language(self):
        tokens, depth, seen = Tokens(grammar("mind")), 0, 0
        for line in corpus.together("mind-source").split("\n"):
            scopes, after = tokens.line(line, depth)
            if not depth and not after and '"' not in line:
                code = line.partition("//")[0]
                for found in re.finditer(r"\b(matmul|sum|relu|reshape|grad|mean)\(", code):
                    self.assertEqual(scopes[found.start()], "support.function.mind", line)
                    seen += 1
                for found in re.finditer(r"\b(fn|let|return)\b", code):
                    self.assertEqual(scopes[found.start()], "keyword.control.mind", line)
            depth = after
        self.assertGreater(seen, 10)

    def test_kinds_of_tokens(self):
        def scopes(language, text):
            out, _ = Tokens(grammar(language)).line(text)
            return [s and s.rsplit(".", 1)[0] for s in out]

        line = '%1 = Sum (%0) {axes=[-1], keepdims=true} : tensor<f32>[2, 1] # Sum'
        got = scopes("mind-ir", line)
        for word, scope in (("%1", "variable.other"), ("Sum", "support.function"), ("axes", "entity.other.attribute-name"),
                            ("-1", "constant.numeric"), ("true", "constant.language"), ("f32", "storage.type"),
                            ("# Sum", "comment.line")):
            self.assertEqual(got[line.index(word)], scope, word)
        line = '  %exp = exp(%"a b") dtype[x] -> tensor<f32, ?B>'
        got = scopes("ptir", line)
        self.assertEqual([got[2], got[9], got[13]], ["variable.other", "support.function", "variable.other"])
        line = 'let x = "sum(" /* a /* b */ sum( */ + sum(x);'
        got = scopes("mind", line)
        self.assertEqual(got[line.index('"')], "string.quoted.double")
        self.assertEqual(got[line.index("sum( *")], "comment.block")
        self.assertEqual(got[line.rindex("sum")], "support.function")

    def test_kate(self):
        for path in sorted((EDITORS / "kate").glob("*.xml")):
            tree = xml.etree.ElementTree.parse(path)
            styles = {x.get("name") for x in tree.iter("itemData")}
            rules = [*tree.iter("RegExpr"), *tree.iter("keyword"), *tree.iter("Detect2Chars")]
            self.assertGreater(len(rules), 6)
            self.assertEqual({r.get("attribute") for r in rules} - styles, set())
            for r in tree.iter("RegExpr"):
                re.compile(r.get("String"))

    def test_package(self):
        done = subprocess.run([sys.executable, str(EDITORS / "vscode" / "package.py"), "-"], capture_output=True, check=True)
        again = subprocess.run([sys.executable, str(EDITORS / "vscode" / "package.py"), "-"], capture_output=True, check=True)
        self.assertEqual(done.stdout, again.stdout)
        with zipfile.ZipFile(io.BytesIO(done.stdout)) as archive:
            names = set(archive.namelist())
            for name in ("[Content_Types].xml", "extension.vsixmanifest"):
                xml.etree.ElementTree.fromstring(archive.read(name))
            package = json.loads(archive.read("extension/package.json"))
            for x in package["contributes"]["languages"]:
                self.assertIn("extension/" + x["configuration"][2:], names)
            for x in package["contributes"]["grammars"]:
                self.assertEqual(json.loads(archive.read("extension/" + x["path"][2:]))["scopeName"], x["scopeName"])

    def test_package_writes_no_option(self):
        """A name that begins like an option is not taken for that of the file."""
        with tempfile.TemporaryDirectory() as folder:
            for argument, status in (("--help", 0), ("--out", 1)):
                done = subprocess.run([sys.executable, str(EDITORS / "vscode" / "package.py"), argument], capture_output=True, text=True, check=False,
                                      cwd=folder)
                self.assertEqual((done.returncode, list(pathlib.Path(folder).iterdir())), (status, []), argument)
                self.assertIn("usage: package.py", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
