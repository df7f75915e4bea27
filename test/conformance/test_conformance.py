"""Runs the conformance suite beside it with `tenon conformance`, in all its forms of report."""
import json
import pathlib
import sys
import tempfile
import xml.etree.ElementTree as xml

from lib.program import start

HERE = pathlib.Path(__file__).resolve().parent


def run(*arguments):
    done = start("conformance", *arguments)
    return done.returncode, done.stdout, done.stderr


def require(ok, what):
    if not ok:
        sys.exit(what)


TEST = """---
description: "negate"
category: runtime
profile: cpu
input:
  ir_module: |
    %0 = Input () {name="x"} : tensor<i64>[2]
    %1 = Neg (%0) : tensor<i64>[2]
    outputs: %1
  values:
    x: [9007199254740993, -2]
expected:
  status: success
  output:
    result:
      dtype: i64
      shape: [2]
      values: [-9007199254740993, 2]
...
"""
INFINITE = TEST.replace("i64", "f64").replace("[9007199254740993, -2]", "[-inf, 2]").replace("[-9007199254740993, 2]", "[inf, -2]")
ERROR = """description: "error"
category: shapes
profile: cpu
input:
  source: |
    fn main(a: Tensor<f32, [2]>, b: Tensor<f32, [3]>) {
        a + b
    }
expected:
  status: error
  error:
    code: E3001
    message_contains: "broadcasting failed"
    location:
      line: 2
      column: 7
"""


def damaged(path):
    """Tests that do not say what they should, or not what is so, fail and say why."""
    for text, old, new, said in [
            (TEST, "", "", ""), (ERROR, "", "", ""),
            (TEST, "-9007199254740993, 2]", "-9007199254740992, 2]", "expected -9007199254740992, "),
            (TEST, "x: [", "y: [", "no input 'y'"),
            (TEST, "values:\n    x: [9007199254740993, -2]", 'values: {"x" : [9007199254740993, -2]}', ""),
            (TEST, "values:\n    x: [9007199254740993, -2]", "values: {x: [1, 2], 'x': [1, 2]}", "stands here already"),
            (TEST, "i64>[2]", "i64>[n]", "the input 'x' has a size that is not known"),
            (INFINITE, "", "", ""),
            (INFINITE, "values: [inf", "tolerance: 0.5\n      values: [-inf", "expected -inf, "),
            (TEST, "values: [-", "tolerance: some\n      values: [-", "tolerance is no number"),
            (TEST, "values: [-9007199254740993, 2]", "values_pattern: all_twos", "all_ones"),
            (TEST, "profile: cpu", "profile: tpu", "neither cpu nor gpu"),
            (TEST, "category", "profile: gpu\ncategory", "stands here already"),
            (TEST, "  values", "\tvalues", "not tabs"),
            (TEST, "  ir_module", "  source: 1\n  ir_module", "both"),
            (TEST, "      shape: [2]\n", "      output: 10\n", "no output 10"),
            (ERROR, "line: 2", "line: 1", "expected the error E3001 at 1:7 with 'broadcasting"),
            (ERROR, "a + b", "a + a", "got none"),
            (ERROR, "broadcasting", "narrowing", "with 'narrowing")]:
        require(old in text, f"{old} is not there to be replaced")
        path.write_text(text.replace(old, new) if old else text)
        status, out, err = run(path)
        require(status == (1 if said else 0) and said in out,
                f"{new!r} for {old!r}: status {status}\n{out}{err}")


def main():
    n = len(list(HERE.rglob("*.yaml")))
    with tempfile.TemporaryDirectory() as folder:
        junit = pathlib.Path(folder) / "junit.xml"
        status, out, err = run(HERE, "--junit", junit)
        require(status == 0, f"the suite fails:\n{out}{err}")
        suite = xml.parse(junit).getroot()
        require(int(suite.get("tests")) == n == len(suite), "the JUnit report is incomplete")
        require(int(suite.get("failures")) == 0, "the JUnit report has failures")
        require(run(HERE)[1] == out, "two runs differ")

        status, out, _ = run(HERE, "--json")
        report = json.loads(out)
        require(status == 0 and len(report["tests"]) == n, "the JSON report is incomplete")
        require(report["pass"] + report["skip"] == n and report["fail"] == 0, "wrong counts")
        skipped = [t for t in report["tests"] if t["verdict"] == "skip"]
        require(all(t["detail"] for t in skipped), "a skipped test does not say why")

        # every gradient in Core v1 instructions too
        core = pathlib.Path(folder) / "core-v1"
        core.mkdir()
        for path in (HERE / "autodiff").glob("*.yaml"):
            text = path.read_text()
            if "language:" not in text and "conv2d(" not in text and "gradient_module" not in text:
                (core / path.name).write_text(text.replace("input:\n", "input:\n  language: core-v1\n"))
        status, out, _ = run(core)
        require(status == 0 and len(list(core.iterdir())) > 30, f"gradients in Core v1 fail:\n{out}")

        # without a GPU the tests of that profile fail, and say so
        status, out, _ = run(HERE / "backend" / "gpu-add.yaml", "--profile", "gpu")
        require(status in (0, 1) and (status == 0 or "E6002" in out), f"gpu profile: {out}")

        bad = pathlib.Path(folder) / "bad.yaml"
        bad.write_text((HERE / "runtime" / "add.yaml").read_text().replace("-1, 4", "-1, 5"))
        status, out, _ = run(bad)
        require(status == 1 and "expected 5.0, got 4.0" in out, f"a wrong result passes: {out}")
        bad.write_text("description: x\n  status: [\n")
        status, out, _ = run(bad)
        require(status == 1 and "cannot be read" in out, f"a malformed test passes: {out}")
        damaged(bad)
    status, _, _ = run(HERE, "--profile", "tpu")
    require(status == 2, "an unknown profile is taken")
    status, _, _ = run(HERE / "missing")
    require(status == 3, "a missing folder is taken")


main()
