"""`tenon report`: one page that needs nothing else, in which names are only data, the same for the same timings."""
import html.parser
import json
import pathlib
import re
import tempfile
import unittest

from lib.program import ROOT, output, start

SOURCES = ROOT / "src" / "report" / "page"
NET = ROOT / "examples" / "aot" / "net.ir"
HOSTILE = '</script><img src=x onerror=alert(1)><!--\u2028'
VOID = {"meta", "input", "img", "br", "link"}


class Page(html.parser.HTMLParser):
    """The elements of a page, which must be closed as they were opened."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            key = (self.open[-1], self.elements[-1][1].get("id"))
            self.texts[key] = self.texts.get(key, "") + data


def data_of(page):
    return json.loads(Page(page).texts["script", "data"])


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def hostile(self):
        name = HOSTILE.replace('"', '\\"')
        return self.write("<b>&.ir", f'%0 = Input () {{name="{name}"}} : tensor<f32>[2]\n'
                          "%1 = Relu (%0) : tensor<f32>[2]\noutputs: %1\n")

    def test_plan_alone(self):
        """Without inputs nothing runs, so that the processor may be one that this machine is not, and LLVM may be missing, as it says."""
        cpus = {cpu: json.loads(output("report", "--json", NET, "--cpu", cpu)) for cpu in ("native", "x86-64", "x86-64-v4", "znver5")}
        for data in cpus.values():
            self.assertEqual(data["explain"]["not_covered"], 0)
        self.assertGreater(len(cpus["native"]["memory"]["blocks"][0]["steps"]), 0)
        done = start("explain", NET, "--dump", "program", env={"TENON_LLVM_PLUGIN": "/nowhere", "TENON_CACHE_DIR": ""})
        self.assertEqual(done.returncode, 0)
        self.assertIn("LLVM is not installed", done.stderr)
        self.assertNotIn("kernel", done.stdout)

    def test_page_is_closed_and_loads_nothing(self):
        page = output("report", NET, "--random", 1, "--values")
        elements = Page(page).elements
        policy = [a["content"] for tag, a in elements if a.get("http-equiv") == "Content-Security-Policy"]
        self.assertEqual(len(policy), 1)
        self.assertTrue(policy[0].startswith("default-src 'none';"))
        for tag, attributes in elements:
            self.assertNotIn(tag, {"link", "img", "iframe", "object", "base", "form"})
            self.assertFalse({"src", "href", "action"} & attributes.keys(), tag)
        self.assertEqual(set(re.findall(r"https?://[^'\"\s<)]*", page)), {"http://www.w3.org/2000/svg"})
        self.assertIsNone(re.search(r"url\(|@import|innerHTML|outerHTML|insertAdjacent|document\.write|localStorage|fetch\(|eval\(",
                                    page))

    def test_size(self):
        frame = sum(part.stat().st_size for part in SOURCES.iterdir())
        self.assertLess(frame, 150 << 10)
        page, data = output("report", NET, "--random", 1), output("report", NET, "--random", 1, "--json")
        self.assertLess(len(page.encode()), (150 << 10) + len(data.encode()))

    def test_names_are_data_only(self):
        path = self.hostile()
        page = output("report", path, "--random", 1, "--values")
        self.assertNotIn("<img", page)
        self.assertNotIn("<b>", page)
        self.assertNotIn("\u2028", page)
        self.assertEqual(sum(tag == "script" for tag, _ in Page(page).elements), 2)
        data = data_of(page)
        self.assertEqual(data["title"], "<b>&.ir")
        self.assertIn(HOSTILE, data["source"])
        self.assertIn(HOSTILE, [r["name"] for f in data["explain"]["functions"] for k in f["kernels"] for r in k["reads"]])

    def test_without_scripts_there_is_a_table(self):
        page = output("report", NET)
        inner = re.search(r"<noscript>(.*?)</noscript>", page, re.S)[1]
        self.assertIn("matmul add relu matmul add exp sum div", inner)
        self.assertEqual(inner.count("<tr>"), 2)

    def test_same_timings_give_the_same_bytes(self):
        first = self.write("first.json", output("report", NET, "--random", 1, "--json"))
        pages = {output("report", NET, "--timings", first, *more) for more in ((), (), ("--random", 1))}
        self.assertEqual(len(pages), 1)
        self.assertEqual(output("report", NET, "--timings", first, "--json"), first.read_text(encoding="utf-8"))
        self.assertEqual(data_of(pages.pop()), json.loads(first.read_text(encoding="utf-8")))

    def test_parts_name_the_same_kernels(self):
        data = json.loads(output("report", ROOT / "examples" / "digits" / "classify.ir", "--random", 1, "--json"))
        kernels = data["explain"]["functions"][0]["kernels"]
        ran = {e["args"]["kernel"]: e["name"] for e in data["trace"]["traceEvents"] if "kernel" in e["args"] and e["cat"] != "thread"}
        self.assertEqual(ran, {i: k["name"] for i, k in enumerate(kernels)})
        steps = data["memory"]["blocks"][0]["steps"]
        self.assertEqual([s for s in steps if s[1] is not None], [[k["name"], i] for i, k in enumerate(kernels)])
        graph = data["graph"]["functions"][0]
        for value, op, number, *_ in graph["nodes"]:
            if number:
                self.assertIn(f"%{value} {op}", kernels[number - 1]["nodes"])
        self.assertEqual([p["of"] for p in graph["pictures"]], ["operations", "kernels"])
        self.assertEqual([b["kernel"] for b in graph["pictures"][1]["boxes"] if b["kind"] == "kernel"], list(range(len(kernels))))
        self.assertEqual(data["passes"][0]["pass"], "as read")

    def test_places_lead_to_lines(self):
        data = json.loads(output("report", NET, "--json"))
        lines = data["source"].split("\n")
        spelled = {"matmul": "MatMul", "relu": "Relu", "exp": "Exp", "sum": "Sum", "input": "Input"}
        seen = set()
        for _, op, _, *place in data["graph"]["functions"][0]["nodes"]:
            if op in spelled:
                self.assertIn(spelled[op], lines[place[0] - 1])
                self.assertGreaterEqual(place[1], place[0])
                seen.add(op)
        self.assertEqual(seen, set(spelled))

    def test_values(self):
        path = self.write("log.ir", '%0 = Input () {name="x"} : tensor<f32>[5]\n'
                          "%1 = Log (%0) : tensor<f32>[5]\n%2 = Exp (%1) : tensor<f32>[5]\noutputs: %2\n")
        data = json.loads(output("report", path, "--input", "x=[1, 0, -1, 1e-40, 4]", "--values", "--json"))
        log, exp = data["values"]["of"]
        self.assertEqual((log["op"], log["nan"], log["infinite"], log["zero"], log["denormal"]), ("log", 1, 1, 1, 0))
        self.assertEqual((exp["op"], exp["nan"], exp["infinite"], exp["zero"], exp["denormal"]), ("exp", 1, 0, 1, 1))
        self.assertEqual(exp["least"], 0)
        self.assertAlmostEqual(exp["most"], 4, places=5)
        self.assertAlmostEqual(log["most"], 1.3862943611, places=6)

    def test_values_that_no_output_needs(self):
        """A run does not compute them, so they cannot stop one."""
        path = self.write("dead.ptir", """func main(x: tensor<si32, 3>) -> tensor<si32, 3> {
  %m = sub(%x, %x) -> tensor<si32, 3>
  %d = div(%x, %m) -> tensor<si32, 3>
  %y = add(%x, %x) -> tensor<si32, 3>
  return %y
}
""")
        for level in ("-O0", "-O2"):
            data = json.loads(output("report", path, "--input", "x=[1, 2, 3]", "--values", level, "--json"))
            self.assertEqual([(v["op"], v["most"]) for v in data["values"]["of"]], [("add", 6)], level)

    def test_gradients(self):
        path = self.write("square.ir", '%0 = Input () {name="x"} : tensor<f32>[3]\n%1 = Input () {name="w"} : tensor<f32>[3]\n'
                          "%2 = BinOp (%0, %1) {op=Mul} : tensor<f32>[3]\n%3 = BinOp (%2, %0) {op=Mul} : tensor<f32>[3]\n"
                          "%4 = Sum (%3) {axes=[], keepdims=false} : tensor<f32>[]\noutputs: %4\n")
        data = json.loads(output("report", path, "--gradient", "--input", "x=[1, 2, -5]", "--input", "w=[0, 0, 3]", "--values", "--json"))
        self.assertEqual([pair[0] for pair in data["gradients"]], [0, 1])
        ranges = {v["value"]: (v["least"], v["most"]) for v in data["values"]["of"]}
        self.assertEqual([ranges[pair[1]] for pair in data["gradients"]], [(-30, 0), (1, 25)])
        self.assertNotIn("gradients", json.loads(output("report", path, "--json")))

    def test_comparison_and_training(self):
        other = self.write("other.json", output("report", self.hostile(), "--json"))
        log = self.write("log.jsonl", '{"step":1,"loss":2.5}\n\n{"step":2,"loss":null}\n')
        data = data_of(output("report", NET, "--compare", other, "--training", log))
        self.assertEqual(data["other"]["title"], "<b>&.ir")
        self.assertEqual(data["training"], [{"step": 1, "loss": 2.5}, {"step": 2, "loss": None}])

    def test_comparison_with_a_program(self):
        """It is made and run as this one is."""
        other = self.write("other.ir", '%0 = Input () {name="x"} : tensor<f32>[64]\n%1 = Exp (%0) : tensor<f32>[64]\noutputs: %1\n')
        data = data_of(output("report", NET, "--random", 1, "-O0", "--compare", other))["other"]
        self.assertEqual([k["name"] for k in data["explain"]["functions"][0]["kernels"]], ["exp"])
        self.assertTrue(any(e["cat"] == "run" for e in data["trace"]["traceEvents"]))
        self.assertEqual(data_of(output("report", NET, "--compare", other))["other"]["trace"], None)
        first = self.write("first.json", output("report", NET, "--json"))
        self.assertEqual(start("report", NET, "--compare", other, "--timings", first).returncode, 2)
        self.assertEqual(start("report", NET, "--compare", self.write("bad.ir", "%0 = Nothing ()")).returncode, 1)

    def test_threads(self):
        """What each thread did of a step lies within it, and there is as much as the step says."""
        path = self.write("wide.ir", '%0 = Input () {name="x"} : tensor<f32>[4000000]\n%1 = Exp (%0) : tensor<f32>[4000000]\noutputs: %1\n')
        shares = 0
        for _ in range(20):  # a busy machine may leave all to one thread
            events = json.loads(output("report", path, "--random", 1, "--threads", 2, "--json"))["trace"]["traceEvents"]
            for step in [e for e in events if e["cat"] == "kernel"]:
                mine = [e for e in events if e["cat"] == "thread" and e["args"]["kernel"] == step["args"]["kernel"]]
                self.assertEqual(len(mine), step["args"]["threads"] if step["args"]["threads"] > 1 else 0)
                self.assertEqual(len({e["tid"] for e in mine}), len(mine))
                for e in mine:
                    self.assertLessEqual(step["ts"], e["ts"])
                    self.assertLessEqual(e["ts"] + e["dur"], step["ts"] + step["dur"] + 0.002)
                    self.assertLessEqual(e["args"]["busy"], e["dur"])
                shares += len(mine)
            if shares:
                return
        self.fail("no step was shared by two threads")

    def test_large_programs_are_drawn_as_kernels(self):
        lines = ['%0 = Input () {name="x"} : tensor<f32>[8,8]']
        lines += [f"%{i} = MatMul (%{i - 1}, %0) : tensor<f32>[8,8]" for i in range(1, 450)]
        path = self.write("long.ir", "\n".join(lines) + "\noutputs: %449\n")
        data = json.loads(output("report", path, "--json"))
        self.assertEqual([p["of"] for p in data["graph"]["functions"][0]["pictures"]], ["kernels"])

    def test_what_is_no_report_is_refused(self):
        for option in ("--compare", "--timings"):
            for text in ("", "[]", "{}", '{"tenon_report":1', '{"tenon_report":1}x', '{"explain":1,"tenon_report":1}\0'):
                done = start("report", NET, option, self.write("bad.json", text))
                if option == "--compare" and text.startswith('{"explain"'):
                    continue
                wants_program = option == "--compare" and "tenon_report" not in text
                self.assertIn(done.returncode, (1, 2) if wants_program else (3,), (option, text, done.stderr))
                self.assertEqual(done.stdout, "")
        done = start("report", NET, "--training", self.write("numbers.jsonl", '{"step":1}\n[1, 2]\n'))
        self.assertEqual(done.returncode, 3)
        self.assertIn("an object is expected here", done.stderr)
        done = start("report", NET, "--training", self.write("bad.jsonl", '{"step":1}\n</script>\n'))
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_usage(self):
        self.assertEqual(start("report", NET, "--values").returncode, 2)

    def test_open_sizes(self):
        """They come from the inputs, or from --dim."""
        path = self.write("open.ptir", "func main(x: tensor<f32, ?n x ?m>) -> tensor<f32, ?n x ?m> {\n"
                          "  %a = tanh(%x) -> tensor<f32, ?n x ?m>\n  return %a\n}\n")
        for more in (("--input", "x=[[1, 2, 3], [4, 5, 6]]"), ("--random", 1, "--dim", "n=2", "--dim", "m=3"),
                     ("--input", "x=[[1, 2, 3], [4, 5, 6]]", "--dim", "m=3")):
            kernel, = json.loads(output("report", path, *more, "--json"))["explain"]["functions"][0]["kernels"]
            self.assertEqual(kernel["reads"][0]["type"], "f32[2, 3]", more)
        for more in ((), ("--random", 1), ("--dim", "n=2")):
            done = start("report", path, *more)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("size", done.stderr)


if __name__ == "__main__":
    unittest.main()
