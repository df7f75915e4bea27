"""PTIR's binary form, written field by field, so that a rule knows what stands at each byte."""
import struct

from malformed.files import Wrong

NAME = "m.bincode"


class Writer:
    """A program, and (offset, kind, what) of each field in it."""

    def __init__(self):
        self.data, self.fields = b"", []

    def put(self, kind, value, what):
        self.fields.append((len(self.data), kind, what))
        self.data += struct.pack({"length": "<Q", "index": "<Q", "variant": "<I", "id": "<I", "flag": "<B"}[kind], value)

    def text(self, value):
        self.put("length", len(value), "text")
        self.fields.append((len(self.data), "text", len(value)))
        self.data += value.encode()

    def list(self, items, each):
        self.put("length", len(items), "list")
        for item in items:
            each(item)

    def type(self, dims):
        self.put("variant", 0, "ValueType")
        self.put("variant", 15, "DType")
        self.list(dims, self.extent)

    def extent(self, n):
        self.put("variant", 0, "Dimension")
        self.put("index", n, "extent")

    def id(self, n):
        self.put("id", n, "id")

    def operand(self, n):
        self.put("variant", 0, "Operand")
        self.id(n)


def program():
    w = Writer()
    w.text("ptir.v0.4")
    w.text("main")
    w.put("length", 1, "list")
    w.text("main")
    w.list([(2, 3)], w.type)
    w.list([0], w.id)
    w.list([(2,)], w.type)
    w.put("length", 2, "list")
    for op in (0, 1):
        w.id(op + 1)
        if op == 0:
            w.put("variant", 1, "Op")
            w.put("variant", 0, "unary")
        else:
            w.put("variant", 4, "Op")
            w.put("variant", 0, "reduction")
            w.list([1], lambda n: w.put("index", n, "axis"))
            w.put("flag", 0, "keepdims")
            w.put("flag", 0, "option")
            w.put("flag", 0, "option")
        w.list([op], w.operand)
        w.type((2, 3) if op == 0 else (2,))
    w.put("length", 0, "hints")
    w.list([2], w.id)
    w.put("length", 0, "regions")
    return w


def files():
    w = program()
    data = w.data

    def wrong(rule, changed, kind, byte=None, **more):
        return Wrong(rule, NAME, changed, kind, byte=byte, command=("check", "--from", "ptir-bincode", "{file}"), faults=1, **more)

    yield Wrong("the seed", NAME, data, "", status=0)
    sizes = {"length": 8, "index": 8, "variant": 4, "id": 4, "flag": 1}
    for at, kind, what in w.fields:
        if kind == "text":
            yield wrong("no UTF-8 in a text", data[:at] + b"\xff" + data[at + 1:], "InvalidUtf8", at)
            yield wrong("NUL in a text", data[:at] + b"\0" + data[at + 1:], "InvalidCharacter|UnsupportedVersion", at if at > 20 else None)
            yield wrong("cut in a text", data[:at + what // 2], "SyntaxError")
            continue
        size = sizes[kind]
        behind = at + size
        yield wrong("cut before a field", data[:at], "SyntaxError")
        if size > 1:
            yield wrong("cut within a field", data[:at + size // 2], "SyntaxError")
        if kind == "length":
            for n in (len(data), 1 << 32, (1 << 64) - 1):
                yield wrong("list longer than the data", data[:at] + struct.pack("<Q", n) + data[behind:], "SyntaxError", behind)
        elif kind == "variant":
            for n in (77, 0xffffffff):
                yield wrong("variant that is not known", data[:at] + struct.pack("<I", n) + data[behind:], "SyntaxError|UnknownOp|UnknownDType", behind)
        elif kind == "flag":
            for n in (2, 255):
                yield wrong("neither false nor true", data[:at] + bytes([n]) + data[behind:], "SyntaxError", behind)
        elif kind == "index":
            for n in (1 << 63, (1 << 64) - 1):
                yield wrong("number beyond 63 bits", data[:at] + struct.pack("<Q", n) + data[behind:],
                            "InvalidNumber|InvalidAxis" if what == "axis" else "InvalidNumber", behind if what != "axis" else None)
    yield wrong("more behind the end", data + b"\0", "SyntaxError", len(data))
    yield wrong("the data twice", data + data, "SyntaxError", len(data))
    yield wrong("version that is not known", data.replace(b"ptir.v0.4", b"ptir.v9.9"), "UnsupportedVersion")
