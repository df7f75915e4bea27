"""What the scripts of a report's page say, in a document that only keeps texts."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from lib.program import ROOT, output

SOURCES = ROOT / "src" / "report" / "page"
DOCUMENT = """
class Element {
  constructor() { this.children = []; this.style = {}; this.dataset = {}; this.classList = {add() {}, toggle() {}}; this.own = {}; }
  append(...more) { for (const x of more) this.children.push(x); }
  replaceChildren(...more) { this.children = more; }
  setAttribute(key, value) { this.own[key] = value; }
  getAttribute(key) { return this.own[key]; }
  removeAttribute() {}
  addEventListener() {}
  querySelector() { return null; }
  get textContent() { return this.children.map(x => x instanceof Element ? x.textContent : String(x)).join(' '); }
}
const parts = new Map();
globalThis.document = {
  getElementById: id => parts.get(id) || parts.set(id, id === 'data' ? {textContent: DATA} : new Element()).get(id),
  createElement: () => new Element(), createElementNS: () => new Element()};
const textOf = make => { const view = new Element(); make(view); return view.textContent; };
"""
TWO = """func @main(%x: tensor<f32, 3>) -> tensor<f32, 3> {
  %y = exp(%x) -> tensor<f32, 3>
  return %y
}
func @other(%x: tensor<f32, 3>) -> tensor<f32, 3> {
  %y = neg(%x) -> tensor<f32, 3>
  return %y
}
"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.plain = cls.report()

    @classmethod
    def report(cls, *arguments):
        path = cls.folder / "two.ptir"
        path.write_text(TWO)
        return json.loads(output("report", path, "--json", *arguments))

    def says(self, data, expression):
        """EXPRESSION with the scripts of the page of DATA."""
        scripts = [(SOURCES / f"{name}.js").read_text() for name in ("data", "kernels", "charts", "timeline", "values")]
        script = self.folder / "page.js"
        script.write_text(f"const DATA = {json.dumps(json.dumps(data))};\n{DOCUMENT}" + "\n".join(scripts) +
                          f"\nconsole.log(JSON.stringify({expression}));\n")
        return json.loads(subprocess.run(["node", script], check=True, capture_output=True, text=True).stdout)

    def test_numbers(self):
        given = [12000, 10000, -99990, 5000, 0, 100, 0.1, 12.5, 123456, 1e20, 1.5e-9, 0.10203]
        said = self.says(self.plain, f"{given}.map(number)")
        self.assertEqual(said, ["12000", "10000", "-99990", "5000", "0", "100", "0.1", "12.5", "1.2346e+5", "1e+20",
                                "1.5e-9", "0.10203"])

    def test_values_are_those_of_the_entry(self):
        """Other functions have values of the same numbers."""
        data = self.report("--entry", "other", "--input", "x=[12000, 0, -3]", "--values")
        names = [f["name"] for f in data["graph"]["functions"]]
        self.assertEqual(self.says(data, "functions[entry].name"), "other")
        details = self.says(data, "functions.map((f, fn) => textOf(view => view.append(nodeDetails(fn, nodeAt[fn].get(1)))))")
        self.assertIn("range -12000 to 3", details[names.index("other")])
        self.assertNotIn("range", details[names.index("main")])

    def test_training(self):
        """Lines of validations are no steps, and null stands for what is not finite."""
        data = dict(self.plain)
        data["training"] = [{"step": 1, "loss": 2.5}, {"step": 2, "loss": 1250000}, {"step": 2, "validation_loss": 3}]
        self.assertIn("2 steps, the last loss is 1.25e+6", self.says(data, "textOf(makeTraining)"))
        data["training"] = [{"step": 1, "loss": None}]
        self.assertIn("1 step, the last loss is not finite", self.says(data, "textOf(makeTraining)"))
        data["training"] = []
        self.assertIn("The log has no steps", self.says(data, "textOf(makeTraining)"))

    def test_many(self):
        """More than a function takes as arguments."""
        n = 200000
        data = dict(self.plain)
        data["memory"] = {"bytes": 4, "scratch": 0, "blocks": []}
        said = self.says(data, f"""(() => {{
          const list = make => Array.from({{length: {n}}}, (_, i) => make(i));
          const event = i => ({{cat: 'kernel', ph: 'X', ts: i, dur: 1, tid: 1, args: {{function: 'main', kernel: 0}}}});
          const share = {{cat: 'thread', ph: 'X', ts: 0, dur: 1, tid: 1, args: {{thread: 1, busy: 1}}}};
          D.training = list(i => ({{step: i, loss: i % 7}}));
          D.memory.blocks.push({{function: 'main', steps: list(() => ['exp', 0]), buffers: list(i => ['temporary', 4 * i, 4, i, i])}});
          return [textOf(makeTraining), textOf(makeMemory), tracksOf({{traceEvents: list(event).concat(share)}}).threads];
        }})()""")
        self.assertIn(f"step 0 to {n - 1}", said[0])
        self.assertIn(f"steps 0 to {n - 1}", said[1])
        self.assertEqual(said[2], 2)


if __name__ == "__main__":
    if not shutil.which("node"):
        print("skipped: there is no node")
        sys.exit()
    unittest.main()
