"""ONNX Runtime: the package onnxruntime-node of npm, installed where there is a network. ONNXRUNTIME names a folder with
the package in node_modules."""
import os
import pathlib
import shutil
import subprocess

from lib.program import ROOT

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
