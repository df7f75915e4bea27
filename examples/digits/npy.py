"""Just enough of the .npy format for this example, with the standard library alone."""
import ast
import math
import struct

CODES = {"|u1": "B", "<f4": "f"}


def read(path):
    """The shape and a flat list of the numbers in PATH."""
    with open(path, "rb") as file:
        data = file.read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:end].decode())
    shape = header["shape"]
    values = struct.unpack(f"<{math.prod(shape)}{CODES[header['descr']]}", data[end:])
    return shape, list(values)


def write_f32(path, shape, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}f", *values))
