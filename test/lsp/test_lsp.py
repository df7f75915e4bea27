"""The language server: the life of a session, texts that follow the editor's, diagnostics and their edits."""
import json
import random
import re
import subprocess
import unittest

from lib.program import HANG, ROOT, TENON
from lsp.editor import END, frame, initialize, messages, notification, opened, request, session, talk

URI = "file:///x.ir"
WRONG = '%0 = Input () {name="é😀"} : tensor<f32>[2]\n%1 = Sum (%9) {axes=[0], keepdims=false} : tensor<f32>[]\noutputs: %1\n'
RIGHT = '%0 = Input() {name="x"} : tensor<f32>[2]\n%1 = Neg (%0) : tensor<f32>[2]\noutputs: %1\n'


def codes(published):
    return [d["code"] for d in published["params"]["diagnostics"]]


def apply(text, edits):
    """TEXT after EDITS, whose columns count bytes."""
    lines = text.encode().split(b"\n")
    starts = [sum(len(x) + 1 for x in lines[:i]) for i in range(len(lines))]
    data = text.encode()
    for e in sorted(edits, key=lambda e: -starts[e["range"]["start"]["line"]] - e["range"]["start"]["character"]):
        a, b = (starts[p["line"]] + p["character"] for p in (e["range"]["start"], e["range"]["end"]))
        data = data[:a] + e["newText"].encode() + data[b:]
    return data.decode()


class Life(unittest.TestCase):
    def test_order_of_messages(self):
        status, got = talk(b"".join(map(frame, [
            request(1, "textDocument/rename"), notification("textDocument/didOpen"), initialize(), request(2, "initialize"),
            request("x", "nothing"), notification("nothing"), request(3, "shutdown"), request(4, "textDocument/formatting"),
            notification("exit"), request(5, "initialize")])))
        self.assertEqual(status, 0)
        self.assertEqual([(m["id"], m.get("error", {}).get("code")) for m in got],
                         [(1, -32002), (0, None), (2, -32600), ("x", -32601), (3, None), (4, -32600)])
        self.assertEqual(got[1]["result"]["capabilities"]["positionEncoding"], "utf-16")

    def test_exit_without_shutdown(self):
        self.assertEqual(talk(frame(initialize()) + frame(notification("exit")))[0], 1)
        self.assertEqual(talk(frame(initialize()))[0], 1)
        self.assertEqual(talk(b"")[0], 1)
        self.assertEqual(talk(b"".join(map(frame, [initialize(), END[0]])))[0], 0)

    def test_wrong_messages(self):
        for body, code in ((b"{", -32700), (b"[]", -32600), (b"{}", -32600), (b"\xff", -32700), (b"", -32700),
                           (b'{"id": 1, "method": "initialize", "params": {"textDocument": 5}}', -32602),
                           (b"[" * 100000, -32700)):
            status, got = talk(frame(body) + frame(initialize()))
            self.assertEqual([m.get("error", {}).get("code") for m in got], [code, None], body[:20])
        for head in (b"Content-Length: 67108865\r\n\r\n", b"Content-Length: -1\r\n\r\n", b"Content-Length: 99999999999999999999\r\n\r\n"):
            self.assertEqual(talk(head + frame(initialize()), b"standard input: the length of a message is no number"), (1, []), head)
        self.assertEqual(talk(b"Content-Type: x\r\n\r\n" + frame(initialize()), b"standard input: a message has no header"), (1, []))
        self.assertEqual(talk(b"Content-Length: 5\r\n\r\n{"), (1, []))
        other = b"content-length:  " + str(len(b"{}")).encode() + b"\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n{}"
        self.assertEqual(len(talk(other)[1]), 1)


class Diagnostics(unittest.TestCase):
    def test_place_and_version(self):
        got, = session(opened(URI, "mind-ir", WRONG, 7))
        self.assertEqual(got["params"]["version"], 7)
        d, = got["params"]["diagnostics"]
        self.assertEqual(d["range"], {"start": {"line": 1, "character": 10}, "end": {"line": 1, "character": 12}})
        self.assertEqual((d["severity"], d["source"]), (1, "tenon"))
        self.assertRegex(d["code"], "^E[0-9]{4}$")

    def test_pages(self):
        """Where pages about errors are known, a diagnostic leads to its own, whose name is that of its kind."""
        data = b"".join(frame(m) for m in [initialize("utf-8"), opened(URI, "mind-ir", WRONG), *END])
        done = subprocess.run([TENON, "lsp", "--pages", "https://example.org/errors"], input=data, capture_output=True, timeout=HANG)
        d, = messages(done.stdout)[1]["params"]["diagnostics"]
        found = re.fullmatch("https://example.org/errors/([A-Za-z]+).html", d["codeDescription"]["href"])
        self.assertTrue((ROOT / "docs" / "errors" / f"{found[1]}.md").exists())
        self.assertIn(d["code"], (ROOT / "docs" / "errors" / f"{found[1]}.md").read_text())

    def test_encodings(self):
        text = WRONG.replace("tensor<f32>[2]\n", "tensor<q32>[2]\n")
        columns = []
        for encoding in ("utf-8", "utf-16"):
            status, got = talk(b"".join(map(frame, [initialize(encoding), opened(URI, "mind-ir", text), *END])))
            first = got[1]["params"]["diagnostics"][0]["range"]["start"]
            self.assertEqual(first["line"], 0)
            columns.append(first["character"])
        line = text.split("\n")[0]
        before = line[:line.index("tensor")]
        self.assertIn(columns[0] - len(before.encode()), (0, 7))
        self.assertEqual(columns[0] - columns[1], len(before.encode()) - len(before.encode("utf-16-le")) // 2)

    def test_long_lines(self):
        """Columns of a line of many characters that take one to four bytes, in both encodings."""
        names = [f"n{i}é☃😀"[:i % 6 + 2] for i in range(3000)]
        names = [f"{name}x{i}" for i, name in enumerate(names)]
        f = "tensor<f32, 4>"
        text = f"// é😀\r\nfunc @main({', '.join(f'%{chr(34)}{name}{chr(34)}: {f}' for name in names)}) -> {f} {{\n  return %\"{names[-1]}\"\n}}\n"
        line = text.split("\n")[1]
        for encoding, code, size in (("utf-8", "utf-8", 1), ("utf-16", "utf-16-le", 2)):
            status, got = talk(b"".join(map(frame, [initialize(encoding), opened("file:///x.ptir", "ptir", text),
                                                    request(1, "textDocument/documentSymbol", textDocument={"uri": "file:///x.ptir"}), *END])))
            self.assertEqual(status, 0)
            function, = got[2]["result"]
            self.assertEqual([c["name"] for c in function["children"]], names)
            place, column = 0, 0
            for child, name in zip(function["children"], names):
                at = line.index(name, place)
                column += len(line[place:at].encode(code)) // size
                place = at
                self.assertEqual(child["selectionRange"]["start"], {"line": 1, "character": column}, name)

    def test_closed(self):
        got = session(opened(URI, "mind-ir", WRONG), notification("textDocument/didClose", textDocument={"uri": URI}),
                      request(1, "textDocument/formatting", textDocument={"uri": URI}))
        self.assertEqual([len(m["params"]["diagnostics"]) for m in got[:2]], [1, 0])
        self.assertEqual(got[2]["error"]["code"], -32602)

    def test_every_language(self):
        for language in ("mind-ir", "mindir", "mind", "ptir", "ptir-json", "tiny-json"):
            got, = session(opened("untitled:1", language, "{ % = ("))
            self.assertGreater(len(codes(got)), 0, language)

    def test_advice(self):
        """It names what the user of an editor can do, and nothing of the C interface."""
        f = "func.func @{}(%x: tensor<2xf32>) -> tensor<2xf32> {{\n  return %x : tensor<2xf32>\n}}\n"
        for uri, text, advice in (("untitled:1", "hello", "the language of the file in the editor names it"),
                                  ("file:///x.mlir", f.format("f") + f.format("g"), "with tenon's option --entry")):
            got, = session(opened(uri, "plaintext", text))
            self.assertIn(advice, json.dumps(got))

    def test_formatting(self):
        got = session(opened(URI, "mind-ir", RIGHT), request(1, "textDocument/formatting", textDocument={"uri": URI}))
        edit, = got[1]["result"]
        self.assertEqual(edit["range"]["end"], {"line": 1, "character": 0})
        self.assertEqual(apply(RIGHT, [edit]), RIGHT.replace("Input()", "Input ()"))
        for text in (WRONG, RIGHT + "# a comment\n"):
            got = session(opened(URI, "mind-ir", text), request(1, "textDocument/formatting", textDocument={"uri": URI}))
            self.assertEqual(got[1]["error"]["code"], -32803)
        tiny = '{"uops": [{"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": [2]}}], "outputs": ["x"]}'
        for text, code in ((tiny, None), ("// a comment\n" + tiny, -32803), (tiny + " /* a comment */", -32803)):
            got = session(opened(URI, "tiny-json", text), request(1, "textDocument/formatting", textDocument={"uri": URI}))
            self.assertEqual(got[1].get("error", {}).get("code"), code, text)
        canonical = RIGHT.replace("Input()", "Input ()")
        got = session(opened(URI, "mind-ir", canonical), request(1, "textDocument/formatting", textDocument={"uri": URI}))
        self.assertEqual(got[1]["result"], [])

    def test_actions(self):
        text = RIGHT.replace("Neg", "Nge")
        everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
        got = session(opened(URI, "mind-ir", text),
                      request(1, "textDocument/codeAction", textDocument={"uri": URI}, range=everywhere, context={"diagnostics": []}))
        fix, every = got[1]["result"]
        self.assertEqual((fix["kind"], every["kind"]), ("quickfix", "source.fixAll.tenon"))
        self.assertEqual(fix["diagnostics"], got[0]["params"]["diagnostics"])
        for action in (fix, every):
            self.assertEqual(apply(text, action["edit"]["changes"][URI]), RIGHT)
        everywhere["end"]["line"] = 0
        got = session(opened(URI, "mind-ir", text),
                      request(1, "textDocument/codeAction", textDocument={"uri": URI}, range=everywhere, context={"diagnostics": []}))
        self.assertEqual([a["kind"] for a in got[1]["result"]], ["source.fixAll.tenon"])


class Words(unittest.TestCase):
    def ask(self, uri, language, text, method, column):
        at = {"line": 0, "character": column}
        _, got = session(opened(uri, language, text), request(1, "textDocument/" + method, textDocument={"uri": uri}, position=at))
        return got["result"]

    def test_hover(self):
        line = "%Sum = Sum (%0) {axes=[0]} : tensor<f32>[]"
        got = self.ask(URI, "mind-ir", line, "hover", 8)
        self.assertEqual(got["range"], {"start": {"line": 0, "character": 7}, "end": {"line": 0, "character": 10}})
        self.assertTrue(got["contents"]["value"].startswith("**sum**: "))
        self.assertIn("`keepdims`", got["contents"]["value"])
        self.assertEqual(self.ask(URI, "mind-ir", line, "hover", 2)["contents"]["value"], "```\nSum: tensor<f32>[]\n```")
        self.assertIsNone(self.ask(URI, "mind-ir", line, "hover", 12))
        self.assertIn("**sub**", self.ask(URI, "mind-ir", "%1 = BinOp", "hover", 6)["contents"]["value"])
        self.assertIn("**dot_general**", self.ask("a.ptir", "plaintext", "%1 = dot_general", "hover", 16)["contents"]["value"])

    def test_completion(self):
        for uri, language, some, none in ((URI, "", "ConstF64", "tanh"), ("a", "ptir", "tanh", "BinOp"),
                                          ("a", "mind", "matmul", "a")):
            labels = [x["label"] for x in self.ask(uri, language, "", "completion", 0)]
            self.assertIn(some, labels)
            self.assertNotIn(none, labels)
            self.assertEqual(len(labels), len(set(labels)))
        self.assertEqual(self.ask("a", "", "", "completion", 0), [])


class Edits(unittest.TestCase):
    """After random edits the server's text is the editor's: a copy of it, opened whole, has the same diagnostics."""

    PIECES = ["%1 = ", "Sum", "é", "😀", "\n", "\r\n", "\r", "x", "(%9)", "", "[2]", "outputs: %7\n", WRONG]

    def position(self, text, at, wide):
        line, start = 0, 0
        for i in range(at):
            if text[i] == "\n" or (text[i] == "\r" and text[i + 1:i + 2] != "\n"):
                line, start = line + 1, i + 1
        column = text[start:at].rstrip("\r") if text[at:at + 1] == "\n" else text[start:at]
        return {"line": line, "character": len(column.encode("utf-16-le")) // 2 if wide else len(column.encode())}

    def random_place(self, draw, text):
        at = draw.randrange(len(text) + 1)
        return at - 1 if at and text[at - 1:at + 1] == "\r\n" else at  # within a line's end there is no place

    def test_random(self):
        for wide in (False, True):
            draw = random.Random(wide)
            text, version, sent = WRONG, 1, [initialize("utf-16" if wide else "utf-8"), opened(URI, "mind-ir", WRONG)]
            for k in range(200):
                changes = []
                for _ in range(draw.choice((1, 1, 1, 3))):
                    a, b = sorted(self.random_place(draw, text) for _ in range(2))
                    b = min(b, a + draw.choice((0, 1, 30)))
                    b -= text[b - 1:b + 1] == "\r\n" and b > a
                    new = draw.choice(self.PIECES)
                    changes.append({"range": {"start": self.position(text, a, wide), "end": self.position(text, b, wide)},
                                    "text": new})
                    text = text[:a] + new + text[b:]
                version += 1
                sent.append(notification("textDocument/didChange", textDocument={"uri": URI, "version": version},
                                         contentChanges=changes))
                sent.append(opened(f"{URI}.copy{k}.ir", "mind-ir", text, version))
            status, got = talk(b"".join(map(frame, [*sent, *END])))
            self.assertEqual(status, 0)
            published = [m["params"] for m in got if "params" in m][1:]
            self.assertEqual(len(published), 400)
            shown = 0
            for edited, whole in zip(published[::2], published[1::2]):
                a, b = ([(d["range"], d["code"], d["message"]) for d in m["diagnostics"]] for m in (edited, whole))
                self.assertEqual((edited["version"], a), (whole["version"], b))
                shown += len(a)
            self.assertGreater(shown, 400)


if __name__ == "__main__":
    unittest.main()
