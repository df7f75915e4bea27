"""ONNX files as tests read and write them: the wire format of protobuf, tensors, small models."""
import struct

import numpy as np

# By the number of the element type: how NumPy holds it, the name in the library, and the field of its list.
TYPES = {1: ("<f4", "f32", 4), 2: ("u1", "ui8", 5), 3: ("i1", "si8", 5), 4: ("<u2", "ui16", 5), 5: ("<i2", "si16", 5),
         6: ("<i4", "si32", 5), 7: ("<i8", "si64", 7), 9: ("?", "i1", 5), 10: ("<f2", "f16", 5), 11: ("<f8", "f64", 10),
         12: ("<u4", "ui32", 11), 13: ("<u8", "ui64", 11), 14: ("<c8", "cf32", 4), 15: ("<c16", "cf64", 10),
         16: ("<u2", "bf16", 5)}
NUMBERS = {np.dtype(form): number for number, (form, name, _) in TYPES.items() if name != "bf16"}


class NotRead(Exception):
    """A value that is not a tensor of a type above."""


# ---- the wire ----

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of each field of a message: an int, or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
        else:
            n = {1: 8, 5: 4}[kind]
            value, at = data[at:at + n], at + n
        yield tag >> 3, value


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def packed(value):
    """The numbers of one field of a list of varints."""
    if isinstance(value, int):
        return [signed(value)]
    at, out = 0, []
    while at < len(value):
        one, at = varint(value, at)
        out.append(signed(one))
    return out


def put_varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while True:
        out.append(value & 127 | (128 if value > 127 else 0))
        value >>= 7
        if not value:
            return bytes(out)


def field(number, value):
    """One field: an int as a varint, a float in four bytes, text and bytes with their length."""
    if isinstance(value, float):
        return put_varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return put_varint(number << 3) + put_varint(value)
    if isinstance(value, str):
        value = value.encode()
    return put_varint(number << 3 | 2) + put_varint(len(value)) + value


# ---- tensors ----

def tensor(data):
    """(name, array, name of the element type) of a TensorProto."""
    dims, number, name, raw, lists = [], 0, "", None, {}
    for at, value in fields(data):
        if at == 1:
            dims += packed(value)
        elif at == 2:
            number = value
        elif at == 8:
            name = value.decode()
        elif at == 9:
            raw = value
        elif at in (4, 5, 7, 10, 11):
            lists.setdefault(at, []).append(value)
    if number not in TYPES:
        raise NotRead(f"element type {number}")
    form, dtype, where = TYPES[number]
    if raw is None:
        parts = lists.get(where, [])
        if where in (4, 10):
            raw = b"".join(parts)
        else:
            numbers = [n for part in parts for n in packed(part)]
            wide = np.array(numbers, dtype=np.int64)
            if number == 10:
                wide = wide.astype(np.uint16)
                raw = wide.tobytes()
            else:
                raw = wide.astype(np.dtype(form)).tobytes()
    return name, np.frombuffer(raw, dtype=np.dtype(form)).reshape(dims), dtype


def tensors(data, optional=False):
    """The bytes of the tensors of a SequenceProto, or of an OptionalProto."""
    out = []
    for at, value in fields(data):
        if at == 3 and isinstance(value, bytes):
            out.append(value)
        elif at == 5 and optional:
            out += tensors(value)
    return out


def put_tensor(array, name=""):
    """The bytes of a TensorProto."""
    array = np.asarray(array)
    out = b"".join(field(1, int(n)) for n in array.shape) + field(2, NUMBERS[array.dtype])
    return out + (field(8, name) if name else b"") + field(9, np.ascontiguousarray(array).tobytes())


def put_sparse(name, values, indices, dims):
    out = field(1, values if isinstance(values, bytes) else put_tensor(values, name)) + field(2, put_tensor(indices))
    return Sparse(out + b"".join(field(3, int(n)) for n in dims))


def put_external(dims, dtype, name, **entries):
    """The bytes of a TensorProto whose data lies elsewhere, as ENTRIES say: location, offset, length."""
    number = next(n for n, (_, own, _) in TYPES.items() if own == dtype)
    out = b"".join(field(1, int(n)) for n in dims) + field(2, number) + field(8, name)
    for key, value in entries.items():
        value = value if isinstance(value, bytes) else str(value)
        out += field(13, field(1, key) + field(2, value))
    return out + field(14, 1)


# ---- models ----

class Ref(str):
    """In the body of a function: the attribute of the call that has this name."""


class Sparse(bytes):
    """The bytes of a SparseTensorProto, as an attribute."""


def put_attribute(name, value):
    out = field(1, name)
    if isinstance(value, Ref):
        return out + field(21, str(value)) + field(20, 1)
    if isinstance(value, bool) or isinstance(value, int):
        return out + field(3, int(value)) + field(20, 2)
    if isinstance(value, float):
        return out + field(2, value) + field(20, 1)
    if isinstance(value, str):
        return out + field(4, value) + field(20, 3)
    if isinstance(value, np.ndarray):
        return out + field(5, put_tensor(value)) + field(20, 4)
    if isinstance(value, Sparse):
        return out + field(22, value) + field(20, 11)
    if isinstance(value, bytes):  # a graph
        return out + field(6, value) + field(20, 5)
    if value and isinstance(value[0], str):
        return out + b"".join(field(9, v) for v in value) + field(20, 8)
    if value and isinstance(value[0], float):
        return out + b"".join(field(7, v) for v in value) + field(20, 6)
    return out + b"".join(field(8, int(v)) for v in value) + field(20, 7)


def node(op, inputs, outputs, name="", domain="", **attributes):
    """The bytes of a NodeProto; INPUTS and OUTPUTS are words in one text, `-` for one that is left out."""
    def names(words):
        return ["" if word == "-" else word for word in words.split()]
    out = b"".join(field(1, n) for n in names(inputs)) + b"".join(field(2, n) for n in names(outputs))
    out += field(3, name) if name else b""
    out += field(4, op) + b"".join(field(5, put_attribute(*item)) for item in attributes.items())
    return out + (field(7, domain) if domain else b"")


def value_info(name, dtype, shape):
    """SHAPE: numbers, texts for symbols, None for an extent that is not known; None: the rank is not known. DTYPE None: there is
    the name alone."""
    if dtype is None:
        return field(1, name)
    number = next(n for n, (_, own, _) in TYPES.items() if own == dtype)
    out = field(1, number)
    if shape is not None:
        dims = b""
        for n in shape:
            one = b"" if n is None else field(1, n) if isinstance(n, int) else field(2, n)
            dims += field(1, one)
        out += field(2, dims)
    return field(1, name) + field(2, field(1, out))


def function(name, inputs, outputs, nodes, domain="own", opset=13, attributes=(), **defaults):
    """The bytes of a FunctionProto; INPUTS, OUTPUTS and ATTRIBUTES are names."""
    out = field(1, name) + b"".join(field(4, n) for n in inputs.split())
    out += b"".join(field(5, n) for n in outputs.split()) + b"".join(field(6, a) for a in attributes)
    out += b"".join(field(7, n) for n in nodes)
    for d, version in ("", opset), ("own", 1):
        out += field(9, (field(1, d) if d else b"") + field(2, version))
    return out + field(10, domain) + b"".join(field(11, put_attribute(*d)) for d in defaults.items())


def graph(nodes, inputs, outputs, initializers=(), name="g"):
    """The bytes of a GraphProto. INPUTS and OUTPUTS: (name, dtype, shape); INITIALIZERS: (name, array), or the bytes
    of a TensorProto, or a Sparse."""
    out = b"".join(field(1, n) for n in nodes) + field(2, name)
    for i in initializers:
        out += field(15 if isinstance(i, Sparse) else 5, i if isinstance(i, bytes) else put_tensor(i[1], i[0]))
    out += b"".join(field(11, value_info(*i)) for i in inputs)
    return out + b"".join(field(12, value_info(*o)) for o in outputs)


def model(nodes, inputs, outputs, initializers=(), opset=13, ir=8, domains=(), functions=()):
    """The bytes of a ModelProto."""
    out = field(1, ir) + field(7, graph(nodes, inputs, outputs, initializers))
    for domain, version in [("", opset), *domains]:
        out += field(8, (field(1, domain) if domain else b"") + field(2, version))
    return out + b"".join(field(25, f) for f in functions)


def ports(data):
    """Names of the inputs that must be given, and of the outputs, of the model DATA, those with how they are packed:
    "tensor", "sequence" or "optional"."""
    inputs, outputs, initializers = [], [], set()
    for at, value in fields(data):
        if at != 7:
            continue
        for number, part in fields(value):
            if number in (5, 11, 12):
                found = dict(fields(part))
                name = found.get(8 if number == 5 else 1, b"").decode()
                kind = dict(fields(found.get(2, b""))) if number == 12 else {}
                if number == 5:
                    initializers.add(name)
                elif number == 11:
                    inputs.append(name)
                else:
                    outputs.append((name, "sequence" if 4 in kind else "optional" if 9 in kind else "tensor"))
    return [name for name in inputs if name not in initializers], outputs
