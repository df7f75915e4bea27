"""Checkpoints of trainings: a description in JSON, and a file of tensors; both are made by the program."""
import dataclasses
import io
import json
import pathlib
import struct
import tempfile

import numpy as np

from lib.program import tenon
from malformed import json_rules
from malformed.files import Wrong, spliced, text_file

NET = """%x = Input () {name="x"} : tensor<f32>[n, 3]
%w = Input () {name="w"} : tensor<f32>[3]
%p = BinOp (%x, %w) {op=Mul} : tensor<f32>[n, 3]
%q = BinOp (%p, %p) {op=Mul} : tensor<f32>[n, 3]
%loss = Mean (%q) {axes=[], keepdims=false} : tensor<f32>[]
outputs: %loss
"""
OPTIONS = ("--wrt", "w", "--batch", "4", "--engine", "ref", "--threads", "1")
TEXT, DATA = "ck/step-00000002.json", "ck/step-00000002.safetensors"


def samples():
    file = io.BytesIO()
    np.savez(file, x=np.arange(24, dtype=np.float32).reshape(8, 3))
    return file.getvalue()


def train(folder, *more):
    return ("train", f"{folder}/net.ir", "--data", f"{folder}/seen.npz", *OPTIONS, "--checkpoint", f"{folder}/ck", *more)


def checkpoint():
    """The bytes of both files."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "net.ir").write_text(NET, encoding="utf-8")
        (place / "seen.npz").write_bytes(samples())
        tenon(*train(folder, "--steps", "2"))
        return (place / TEXT).read_text(encoding="utf-8"), (place / DATA).read_bytes()


def files():
    text, data = checkpoint()
    fields, others = json.loads(text), {"net.ir": NET.encode(), "seen.npz": samples()}
    resume = train("{folder}", "--steps", "4", "--resume")

    def described(wrong):
        return dataclasses.replace(wrong, status=3, command=resume, more={**others, DATA: data})

    def wrong_text(rule, changed, kind, **more):
        return Wrong(rule, TEXT, changed.encode(), kind, status=more.pop("status", 3), command=resume, more={**others, DATA: data}, faults=1, **more)

    def wrong_data(rule, changed, kind="FileError", **more):
        return Wrong(rule, DATA, changed, kind, status=3, command=resume, more={**others, TEXT: text.encode()}, faults=1, **more)

    yield wrong_text("the seed", text, "", status=0)
    for wrong in json_rules.faults(TEXT, text):
        yield described(wrong)
    found = json_rules.tokens_of(text)
    for k, t in enumerate(found):
        if not t.is_key:
            continue
        key = t.text[1:-1]
        changed, _ = json_rules.without(text, found, k)
        if key not in ("format", "tensors", "weights"):
            if key not in ("data", "inputs"):  # which older checkpoints do not have
                yield wrong_text("member left out", changed, "FileError", has="describe")
                yield wrong_text("member misspelt", spliced(text, t.start, t.end, f'"{key}q"'), "FileError", has="describe")
            for start, end, new in json_rules.of_other_kinds(text, found, k + 2):
                hashed = key in ("program", "update", "hash")
                if new == '"odd"' and hashed or new == "7" and not hashed:
                    continue
                yield described(text_file("value of another kind", TEXT, spliced(text, start, end, new), start,
                                          "InvalidNumber|SyntaxError", faults=1))
    for key in ("batch", "leaves", "seed", "samples", "step"):
        yield wrong_text("another " + key, text.replace(f'"{key}":{fields[key]}', f'"{key}":{fields[key] + 1}'),
                         "FileError" if key == "step" else "InputMismatch", has=key)
    for key in ("program", "update"):
        yield wrong_text("another " + key, text.replace(fields[key], "0" * 16), "InputMismatch", has=key)
    for new in ("0" * 15, "0" * 17, "g" * 16, "", "0x" + "0" * 14, "-" + "0" * 15):
        yield described(text_file("hash that is none", TEXT, text.replace(fields["program"], new), text.index(fields["program"]) - 1, "InvalidNumber", faults=1))
    yield wrong_text("another hash of the tensors", text.replace(fields["hash"], "0" * 16), "FileError", has="damaged")
    for new in ("tenon-train-2", "", "other"):
        yield described(text_file("format that is not known", TEXT, text.replace("tenon-train-1", new), text.index('"tenon-train-1"'), "UnsupportedVersion", faults=1))
    for n in (0, 4, 8, 20, len(data) // 2, len(data) - 1):
        yield wrong_data("tensors that are cut", data[:n])
    for at in range(len(data) - 16, len(data), 5):
        yield wrong_data("a bit of the tensors that flipped", data[:at] + bytes([data[at] ^ 1]) + data[at + 1:], has="checksum")
    yield wrong_data("tensors with more behind", data + b"\0")
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    for rule, change, kind in [("a tensor left out", lambda h: h.pop("w:m" if "w:m" in h else next(k for k in h if k.startswith("w:"))), "FileError"),
                               ("a tensor of another name", lambda h: h.update(v=h.pop("w")), "FileError"),
                               ("a tensor of another type", lambda h: h["w"].update(dtype="I32"), "InputMismatch"),
                               ("a tensor of another rank", lambda h: h["w"].update(shape=[1, 3]), "InputMismatch")]:
        changed = json.loads(json.dumps(header))
        change(changed)
        packed = json.dumps(changed).encode()
        yield wrong_data(rule, struct.pack("<Q", len(packed)) + packed + data[8 + size:], "FileError" if "left out" in rule else kind)
