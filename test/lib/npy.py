"""Tensor files of the form .npy, as the tests write and read them, and values that count as equal."""
import ast
import math
import struct

from lib.program import Failure

# What .npy files hold: descr, codes of struct for one element (complex numbers have two), bytes.
DTYPES = {"i1": ("|b1", "?", 1), "i8": ("|i1", "b", 1), "ui8": ("|u1", "B", 1),
          "i16": ("<i2", "h", 2), "ui16": ("<u2", "H", 2), "i32": ("<i4", "i", 4),
          "ui32": ("<u4", "I", 4), "i64": ("<i8", "q", 8), "ui64": ("<u8", "Q", 8),
          "f16": ("<f2", "e", 2), "f32": ("<f4", "f", 4), "f64": ("<f8", "d", 8),
          "cf32": ("<c8", "ff", 8), "cf64": ("<c16", "dd", 16)}
BY_DESCR = {descr: name for name, (descr, _, _) in DTYPES.items()}
# NumPy lacks these; files hold their bit patterns or values.
CARRIERS = {"bf16": "ui16", "fp8_e4m3": "ui8", "fp8_e5m2": "ui8", "si4": "i8", "ui4": "ui8"}


def file_dtype(name):
    """The name in DTYPES of what a file holds for the library's or a dialect's NAME."""
    name = name.replace("fp8e", "fp8_e")
    return CARRIERS.get(name, name.replace("si", "i"))


def pack(dtype, values):
    """Numbers as little-endian bytes of DTYPE."""
    code = DTYPES[dtype][1][0]
    if code in "efd":
        out = []
        for v in values:
            try:
                out.append(struct.pack("<" + code, v))
            except OverflowError:
                out.append(struct.pack("<" + code, math.copysign(math.inf, v)))
        return b"".join(out)
    return struct.pack(f"<{len(values)}{code}", *values)


def write_raw(path, dtype, shape, raw):
    """A file of elements that are bytes already."""
    shape_text = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    header = f"{{'descr': '{DTYPES[dtype][0]}', 'fortran_order': False, 'shape': {shape_text}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + raw)


def write_npy(path, dtype, shape, values):
    write_raw(path, dtype, shape, pack(dtype, values))


def read_npy(path):
    """(dtype, shape, raw bytes)"""
    data = path.read_bytes()
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise Failure(f"{path.name} is no .npy file of version 1.0")
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:end].decode())
    if header["fortran_order"]:
        raise Failure(f"{path.name} is in Fortran order")
    dtype = BY_DESCR.get(header["descr"])
    if not dtype:
        raise Failure(f"{path.name} has the unexpected dtype {header['descr']}")
    if len(data) - end != math.prod(header["shape"]) * DTYPES[dtype][2]:
        raise Failure(f"{path.name} has {len(data) - end} bytes of data, shape {header['shape']}")
    return dtype, list(header["shape"]), data[end:]


def unpack(dtype, raw):
    _, code, size = DTYPES[dtype]
    size //= len(code)
    return list(struct.unpack(f"<{len(raw) // size}{code[0]}", raw))


def same_nan(dtype, raw):
    """The bytes with every NaN replaced by one and the same."""
    if dtype not in ("f16", "f32", "f64", "cf32", "cf64"):
        return raw
    values = unpack(dtype, raw)
    if not any(v != v for v in values):
        return raw
    size = DTYPES[dtype][2] // len(DTYPES[dtype][1])
    nan = pack(dtype, [math.nan])
    return b"".join(nan if v != v else raw[i * size:(i + 1) * size] for i, v in enumerate(values))


NARROW_NAN = {"bf16": ("H", 0x7fff, 0x7f80, 0x7fc0), "fp8_e4m3": ("B", 0x7f, 0x7e, 0x7f),
              "fp8_e5m2": ("B", 0x7f, 0x7c, 0x7e)}  # code, all but the sign, largest number, NaN


def same_narrow_nan(dtype, raw):
    """The same for the bit patterns that stand for DTYPE in a file."""
    if dtype not in NARROW_NAN:
        return raw
    code, magnitude, largest, nan = NARROW_NAN[dtype]
    n = len(raw) // struct.calcsize(code)
    values = struct.unpack(f"<{n}{code}", raw)
    return struct.pack(f"<{n}{code}", *(nan if v & magnitude > largest else v for v in values))
