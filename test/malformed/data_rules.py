"""Files of tensors, which a run is given: .npy, .npz, .safetensors, .pb, values in place. Their faults end with status 3."""
import io
import json
import struct
import zipfile

import numpy as np

from lib.onnx_files import field, put_tensor
from malformed.files import Wrong

PROGRAM = b'%0 = Input () {name="x"} : tensor<f32>[2, 3]\n%1 = Neg (%0) : tensor<f32>[2, 3]\noutputs: %1\n'
ARRAY = np.arange(6, dtype=np.float32).reshape(2, 3)


def run(rule, name, data, kind, how="--input", **more):
    """A run whose input x is the file."""
    given = "x={file}" if how == "--input" else "{file}"
    return Wrong(rule, name, data, kind, status=more.pop("status", 3), faults=1, more={"p.ir": PROGRAM},
                 command=("run", "{folder}/p.ir", how, given, "--engine", "ref", "--print"), **more)


# ---- .npy ----

def npy(header=None, data=None, version=b"\1\0", magic=b"\x93NUMPY"):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" if header is None else header
    header = header.encode("latin-1") if isinstance(header, str) else header
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    size = struct.pack("<H", len(header)) if version < b"\2" else struct.pack("<I", len(header))
    return magic + version + size + header + (ARRAY.tobytes() if data is None else data)


def npy_files():
    name, good = "x.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
    yield run("the seed", name, npy(), "", status=0)
    whole = npy()
    for n in [0, 1, 5, 6, 7, 8, 9, 10, 20, 60, 100, 127, 128, 129, 140, len(whole) - 1]:
        yield run("cut", name, whole[:n], "FileError")
    yield run("more behind the end", name, whole + b"\0", "FileError")
    for magic in (b"\x93NUMPZ", b"NUMPY\x93", b"PK\3\4\0\0", b"\0" * 6):
        yield run("other magic", name, npy(magic=magic), "FileError")
    for version in (b"\0\0", b"\4\0", b"\1\1", b"\xff\xff"):
        yield run("version that is not known", name, npy(version=version), "FileError")
    yield run("header longer than the file", name, whole[:8] + b"\xff\xff" + whole[10:], "FileError")
    yield run("header of no bytes", name, whole[:8] + b"\0\0" + whole[10:], "FileError")
    yield run("header of 4 GiB", name, npy(version=b"\2\0")[:8] + b"\xff\xff\xff\xff" + b" " * 100, "FileError")
    # The place is the byte of the file at which the header's text goes wrong.
    for rule, old, new, at in [
            ("no brace", "{", "", "'descr'"), ("key without quotes", "'descr'", "descr", "descr"), ("key that stays open", "'shape'", "'shape", None),
            ("no colon", "'descr':", "'descr'", " '<f4'"), ("no comma", "False,", "False", None), ("key that is not known", "'shape'", "'shap'", None),
            ("key left out", "'fortran_order': False, ", "", None), ("key twice", "{", "{'shape': (2, 3), ", None), ("no truth", "False", "Falso", None),
            ("extent below zero", "(2, 3)", "(-2, 3)", None), ("extent too large", "(2, 3)", "(2, 99999999999999999999)", None), ("extent with a zero in front", "(2, 3)", "(02, 3)", None),
            ("shape without parentheses", "(2, 3)", "2, 3", None), ("list as a shape", "(2, 3)", "[2, 3]", None), ("one extent without a comma", "(2, 3)", "(6)", None),
            ("shape that stays open", "(2, 3)", "(2, 3", None), ("fraction as an extent", "(2, 3)", "(2.0, 3)", None), ("text as an extent", "(2, 3)", "('2', 3)", None),
            ("33 axes", "(2, 3)", "(" + "1, " * 33 + ")", None), ("text behind the end", "}", "} x", None),  ("NUL in the header", "'descr'", "'descr\0'", None),
            ("line end in a text", "'<f4'", "'<f\n4'", None), ("escape in a text", "'<f4'", "'<f\\x34'", None), ("structure as an element", "'<f4'", "[('a', '<f4')]", None)]:
        yield run("header with " + rule, name, npy(good.replace(old, new, 1)), "FileError", has="byte ")
    for descr in ("<f3", "<f16", "|O", "<U4", "|S4", "<M8[s]", "|V4", "=f4", "f4", "", "<", "<i9", "<c4", "|f4", "<b1x"):
        yield run("element type that is not read", name, npy(good.replace("<f4", descr)), "FileError|InputMismatch")
    yield run("elements that the shape has not", name, npy(data=ARRAY.tobytes()[:-4]), "FileError")
    yield run("elements too many to count", name, npy(good.replace("(2, 3)", f"({1 << 40}, {1 << 40})")), "FileError")
    yield run("another element type", name, npy(good.replace("<f4", "<i4")), "InputMismatch")
    yield run("another shape", name, npy(good.replace("(2, 3)", "(3, 2)")), "InputMismatch", has="3, 2")
    yield run("another rank", name, npy(good.replace("(2, 3)", "(6,)")), "InputMismatch")


# ---- archives ----

def npz(members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)  # twice the same is what a rule asks for
    return file.getvalue()


def npz_files():
    name = "x.npz"
    whole = npz([("x.npy", npy())])
    yield run("the seed", name, whole, "", "--inputs", status=0)
    for n in [0, 1, 3, 4, 20, 40, 60, 100, 150, len(whole) - 60, len(whole) - 23, len(whole) - 22, len(whole) - 1]:
        yield run("cut", name, whole[:n], "FileError", "--inputs")
    for at in (whole.index(b"x.npy") + 100, whole.index(b"\x93NUMPY") + 2, whole.rindex(ARRAY.tobytes()) + 3):
        yield run("a bit that flipped", name, whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:], "FileError", "--inputs")
    packed = npz([("x.npy", npy())], zipfile.ZIP_DEFLATED)
    at = packed.index(b"x.npy") + 12
    yield run("deflated data that is damaged", name, packed[:at] + b"\xff\xff\xff" + packed[at + 3:], "FileError", "--inputs")
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        yield run("method that is not read", name, npz([("x.npy", npy())], method), "FileError", "--inputs")
    yield run("two members of one name", name, npz([("x.npy", npy()), ("x.npy", npy())]), "FileError", "--inputs", has="'x'")
    yield run("member that is no array", name, npz([("x.npy", b"nothing")]), "FileError", "--inputs", has="x.npy")
    yield run("member that is cut", name, npz([("x.npy", npy()[:-3])]), "FileError", "--inputs", has="x.npy")
    yield run("empty archive", name, b"PK\5\6" + b"\0" * 18, "MissingInput", "--inputs")
    yield run("input that the archive has not", name, npz([("zz.npy", npy())]), "MissingInput|Usage|InputMismatch", "--inputs")
    yield run("array of another shape", name, npz([("x.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"))]), "InputMismatch", "--inputs")
    yield run("single array as an archive", name, npy(), "FileError", "--inputs", has="is a single array")


def safetensors(header, data=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode() if not isinstance(header, str) else header.encode()
    return struct.pack("<Q", len(text)) + text + (ARRAY.tobytes() if data is None else data)


def safetensors_files():
    name = "x.safetensors"
    one = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
    whole = safetensors({"x": one})
    text = json.dumps({"x": one})

    def wrong(rule, data, kind="FileError", **more):
        return run(rule, name, data, kind, "--inputs", **more)

    yield wrong("the seed", whole, "", status=0)
    for n in [0, 1, 7, 8, 9, 20, 60, 70, 80, len(whole) - 1]:
        yield wrong("cut", whole[:n])
    yield wrong("more behind the end", whole + b"\0")
    for n in (0, 1, len(text) - 1, len(text) + 1, len(whole), 1 << 31, 1 << 62, (1 << 64) - 1):
        yield wrong("length of the header that is wrong", struct.pack("<Q", n) + whole[8:])
    for rule, old, new in [
            ("no brace", "{\"x\"", "\"x\""), ("no colon", "\"x\":", "\"x\""), ("key twice", "{\"x\"", "{\"x\": {\"dtype\": \"F32\", \"shape\": [2, 3], \"data_offsets\": [0, 24]}, \"x\""),
            ("key without quotes", "\"dtype\"", "dtype"), ("key that is not known", "\"shape\"", "\"shap\""), ("member left out", "\"dtype\": \"F32\", ", ""),
            ("member twice", "\"dtype\"", "\"dtype\": \"F32\", \"dtype\""), ("element type that is not known", "F32", "F33"), ("number as an element type", "\"F32\"", "32"),
            ("extent below zero", "[2, 3]", "[-2, 3]"), ("extent that is a fraction", "[2, 3]", "[2.5, 3]"), ("extent beyond 64 bits", "[2, 3]", "[2, 99999999999999999999]"),
            ("number as a shape", "[2, 3]", "6"), ("33 axes", "[2, 3]", "[" + "1, " * 32 + "6]"), ("one offset", "[0, 24]", "[0]"), ("three offsets", "[0, 24]", "[0, 24, 48]"),
            ("offset below zero", "[0, 24]", "[-1, 23]"), ("offsets the other way", "[0, 24]", "[24, 0]"), ("offset behind the end", "[0, 24]", "[8, 32]"),
            ("offsets that do not fit the shape", "[0, 24]", "[0, 20]"), ("bytes of no tensor", "[2, 3], \"data_offsets\": [0, 24]", "[3], \"data_offsets\": [0, 12]"),
            ("bad escape", "{\"x\"", "{\"x\\q\""), ("half a surrogate", "{\"x\"", "{\"\\ud800\""), ("control character", "{\"x\"", "{\"x\x01\""), ("text behind the end", "}}", "}} x"),
            ("comma before a bracket", "24]", "24,]"), ("text as a tensor", text[6:-1], "\"F32\""), ("deep nesting", text[6:-1], "[" * 300 + "]" * 300), ("elements too many", "[2, 3]", f"[{1 << 40}, {1 << 40}]")]:
        assert old in text, (rule, old)
        yield wrong("header with " + rule, safetensors(text.replace(old, new, 1)))
    yield wrong("no UTF-8 in the header", safetensors(text.replace("x", "\xff", 1).encode("latin-1")))
    yield wrong("metadata that is no object", safetensors({"__metadata__": 7, "x": one}))
    yield wrong("metadata that is no text", safetensors({"__metadata__": {"a": 7}, "x": one}))
    yield wrong("tensors that overlap", safetensors({"x": one, "y": {"dtype": "F32", "shape": [2], "data_offsets": [16, 24]}}))
    yield wrong("a hole between tensors", safetensors({"x": one, "y": {"dtype": "F32", "shape": [1], "data_offsets": [28, 32]}}, ARRAY.tobytes() + b"\0" * 8))
    yield wrong("input that the file has not", safetensors({"z": one}), "MissingInput|Usage|InputMismatch")
    yield wrong("array of another shape", safetensors({"x": {**one, "shape": [3, 2]}}), "InputMismatch")
    yield wrong("array of another type", safetensors({"x": {**one, "dtype": "I32"}}), "InputMismatch")


# ---- .pb ----

def pb_files():
    name, whole = "x.pb", put_tensor(ARRAY, "x")
    yield run("the seed", name, whole, "", status=0)
    for n in [1, 2, 3, 4, 5, 7, 8, 9, 10, 20, len(whole) - 1]:
        yield run("cut", name, whole[:n], "FileError|SyntaxError|InputMismatch|InvalidConstant")
    dims = field(1, 2) + field(1, 3)
    for rule, data in [("nothing", b""), ("no element type", dims + field(9, ARRAY.tobytes())), ("element type that is not known", dims + field(2, 77) + field(9, ARRAY.tobytes())),
                       ("texts as elements", dims + field(2, 8) + field(6, "a")), ("no data", dims + field(2, 1)), ("too few bytes", dims + field(2, 1) + field(9, b"\0" * 20)),
                       ("too many bytes", dims + field(2, 1) + field(9, b"\0" * 28)), ("extent below zero", field(1, -2) + field(2, 1) + field(9, b"")),
                       ("data in another file", dims + field(2, 1) + field(13, field(1, "location") + field(2, "y.bin")) + field(14, 1)), ("wire type that is not known", whole + b"\x0b"),
                       ("length beyond the end", whole + b"\x4a\x7f"), ("number that does not end", whole + b"\x08" + b"\xff" * 11), ("field number zero", whole + b"\0\0"),
                       ("extents beyond 64 bits", field(1, 1 << 40) * 2 + field(2, 1) + field(9, b""))]:
        yield run(rule, name, data, "FileError|SyntaxError|InputMismatch|InvalidConstant|UnknownDType|ExternalData")
    yield run("another shape", name, put_tensor(ARRAY.T, "x"), "InputMismatch")
    yield run("another element type", name, put_tensor(ARRAY.astype(np.float64), "x"), "InputMismatch")


# ---- values in place ----

def in_place_files():
    """The file is a program whose input is a number list; the fault is in the command line."""
    name = "p.ir"
    program = PROGRAM

    def wrong(rule, value, kind, status, **more):
        return Wrong(rule, name, program, kind, status=status, faults=1, command=("run", "{file}", "--input", "x=" + value, "--engine", "ref", "--print"), **more)

    yield wrong("the seed", "[[1,2,3],[4,5,6]]", "", 0)
    for value in ("[[1,2,3],[4,5,6]", "[[1,2,3],[4,5,6]]]", "[[1,2,3][4,5,6]]", "[[1,2,3],,[4,5,6]]", "[[1,2,3],[4,5,6],]", "[[1 2 3],[4,5,6]]", "[[1,2,x],[4,5,6]]",
                  "[[1,2,0x3],[4,5,6]]", "[[1,2,1e],[4,5,6]]", "[[1,2,--3],[4,5,6]]", "[[1,2,3],[4,5]]", "[[1,2,3],4]", "[1,[2,3]]", "[", "[]]", "[[]", "[,]", "[\"a\"]", "[null]",
                  "[1_000]", "[" * 300 + "1" + "]" * 300, "[" * 40 + "1" + "]" * 40):
        yield wrong("value that cannot be read", value, "Usage", 2)
    for value in ("7", "[1,2,3]", "[[1,2,3]]", "[[1,2],[3,4],[5,6]]", "[[[1,2,3],[4,5,6]]]", "[]", "[[1e39,2,3],[4,5,6]]"):
        yield wrong("value that does not fit", value, "InputMismatch", 3)
    for value, kind in (("", "Usage|FileError"), ("nowhere.npy", "FileError"), ("/", "FileError"), ("{folder}", "FileError"), ("nowhere.pb", "FileError"), ("x.unknown", "Usage|FileError")):
        yield wrong("file that cannot be read", value, kind, 3 if kind == "FileError" else None)
