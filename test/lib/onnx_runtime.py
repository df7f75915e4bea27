"""ONNX Runtime: the package onnxruntime-node of npm, installed where there is a network. ONNXRUNTIME names a folder with
the package in node_modules."""
import json
import os
import pathlib
import shutil
import subprocess

from lib.program import ROOT, TEST

PACKAGE, VERSION = "onnxruntime-node", "1.30.0"


def installed():
    """The folder of the package, or None and why."""
    given = os.environ.get("ONNXRUNTIME")
    folder = pathlib.Path(given) if given else ROOT / "build/onnxruntime"
    package = folder / "node_modules" / PACKAGE
    if not shutil.which("node"):
        return None, "there is no node"
    if not package.exists() and not given and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}")
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", f"{PACKAGE}@{VERSION}",
                        "--onnxruntime-node-install-cuda=skip"], cwd=folder, capture_output=True, check=False, timeout=600)
    return (package, "") if package.exists() else (None, f"{PACKAGE} is not installed and cannot be")


def run(package, jobs, scratch):
    """What the runtime says of each of JOBS, as test/onnx/runtime.js describes them; a model that ends the process is the
    fault of its own."""
    done = []
    listed = pathlib.Path(scratch) / "jobs.json"
    while len(done) < len(jobs):
        listed.write_text(json.dumps(jobs[len(done):]))
        made = pathlib.Path(f"{listed}.done")
        made.unlink(missing_ok=True)
        subprocess.run(["node", TEST / "onnx/runtime.js", package, listed], capture_output=True, check=False, timeout=1800)
        part = json.loads(made.read_text()) if made.exists() else []
        done += part
        if len(done) < len(jobs):
            done.append({"fault": "the process ended"})
    return done
