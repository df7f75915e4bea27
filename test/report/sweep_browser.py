"""Pages of `tenon report` in Chromium: they load nothing, complain of nothing, are accessible, and select as one.

Needs Debian's chromium and nodejs (`tools/setup.sh chromium nodejs npm`), and two packages of npm, pinned by version and digest, which
are fetched once into build/browser: playwright-core 1.55.0 (Apache-2.0) drives the browser, axe-core 4.10.3 (MPL-2.0) judges accessibility.
SHOTS=FOLDER keeps pictures of every view, to be looked at.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

from lib.program import ROOT, output

PACKAGES = {
    "playwright-core": ("1.55.0", "6b63fdf41725afb924880728d39cf560d770f785a861d18c15611e99dd3172bd"),
    "axe-core": ("4.10.3", "0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292"),
}
LOOP = """func @main(%n: tensor<si32>, %x: tensor<f32, 64x64>) -> (tensor<si32>, tensor<f32, 64x64>) {
  %last = while(%n, %x) cond_region[0] body_region[1] -> (tensor<si32>, tensor<f32, 64x64>)
  return %last[0], %last[1]
}
region @0(%n: tensor<si32>, %x: tensor<f32, 64x64>) -> (tensor<i1>, tensor<si32>, tensor<f32, 64x64>) {
  %more = compare(%n, literal<si32>[9]) op[less] -> tensor<i1>
  return %more, %n, %x
}
region @1(%n: tensor<si32>, %x: tensor<f32, 64x64>) -> (tensor<si32>, tensor<f32, 64x64>) {
  %next = add(%n, literal<si32>[1]) -> tensor<si32>
  %z = dot_general(%x, %x) contract_lhs[1] contract_rhs[0] -> tensor<f32, 64x64>
  %y = tanh(%z) -> tensor<f32, 64x64>
  return %next, %y
}
"""


def unpack(folder):
    """Put the packages into FOLDER, fetched if they are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (version, digest) in PACKAGES.items():
        archive = folder / f"{name}-{version}.tgz"
        if not archive.exists():
            subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
            sys.exit(f"{archive}: another digest than {digest}")
        if not (folder / name / version).exists():
            shutil.rmtree(folder / name, ignore_errors=True)
            with tarfile.open(archive) as tar:
                tar.extractall(folder / name, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder / name)
            (folder / name / version).mkdir()


def pages(folder):
    """Reports of every kind: name, and what the browser is to find."""
    digits = ROOT / "examples" / "digits" / "classify.ir"
    hostile = folder / "<b>&.ir"
    hostile.write_text('%0 = Input () {name="\u202e</script><img src=x onerror=alert(1)>' + 300 * "w" + '"} : tensor<f32>[2]\n'
                       "%1 = Log (%0) : tensor<f32>[2]\n%2 = Exp (%1) : tensor<f32>[2]\noutputs: %2\n", encoding="utf-8")
    loop = folder / "loop.ptir"
    loop.write_text(LOOP, encoding="utf-8")
    wide = folder / "wide.ir"
    lines = ['%0 = Input () {name="x"} : tensor<f32>[8,8]']
    lines += [f"%{i} = MatMul (%{max(0, i - 1 - i * 7 % 5)}, %{max(0, i - 1 - i * 11 % 9)}) : tensor<f32>[8,8]" for i in range(1, 900)]
    wide.write_text("\n".join(lines) + "\noutputs: " + ", ".join(f"%{i}" for i in range(880, 900)) + "\n", encoding="utf-8")
    other, log = folder / "other.json", folder / "log.jsonl"
    other.write_text(output("report", digits, "--random", 2, "-O0", "--json"), encoding="utf-8")
    log.write_text("".join(json.dumps({"step": i, "loss": 1 / i, "norm": 2.0 ** -i, "rate": 0.1}) + "\n" for i in range(1, 50)),
                   encoding="utf-8")
    plain = ["Program", "Graph", "Kernels", "Roofline", "Memory", "Passes"]
    ran = [*plain[:3], "Timeline", *plain[3:]]
    yield "digits", ["report", digits, "--random", 1, "--values", "--compare", other, "--training", log], \
        [*ran, "Values", "Training", "Compare"], 1
    yield "hostile", ["report", hostile, "--input", "0=[-1, 2]", "--values"], [*ran, "Values"], 0
    yield "loop", ["report", loop, "--input", "n=2", "--random", 1, "--values"], [*ran, "Values"], None
    loss = folder / "loss.ir"
    loss.write_text('%0 = Input () {name="x"} : tensor<f32>[64,32]\n%1 = Input () {name="w"} : tensor<f32>[32,8]\n'
                    "%2 = MatMul (%0, %1) : tensor<f32>[64,8]\n%3 = Relu (%2) : tensor<f32>[64,8]\n"
                    "%4 = Sum (%3) {axes=[], keepdims=false} : tensor<f32>[]\noutputs: %4\n", encoding="utf-8")
    yield "gradient", ["report", loss, "--gradient", "--random", 3, "--values"], [*ran, "Values", "Gradients"], None
    yield "wide", ["report", wide], plain, 3


def main():
    if not shutil.which("chromium") or not shutil.which("node"):
        print("skipped: chromium and nodejs are needed: tools/setup.sh chromium nodejs npm")
        return 0
    packages = ROOT / "build" / "browser"
    try:
        unpack(packages)
    except (OSError, subprocess.CalledProcessError) as fault:
        print(f"skipped: the packages of npm cannot be fetched: {fault}")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder, jobs = pathlib.Path(name), []
        for page, arguments, tabs, kernel in pages(folder):
            path = folder / f"{page}.html"
            path.write_text(output(*arguments), encoding="utf-8")
            jobs.append({"name": page, "path": str(path), "tabs": tabs, "kernel": kernel})
        (folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
        shots = os.environ.get("SHOTS", "")
        done = subprocess.run(["node", pathlib.Path(__file__).with_name("browser.mjs"), packages, folder / "jobs.json", shots])
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
