"""StableHLO programs that check themselves: functions whose results are compared with what NumPy computes."""
import re

import numpy as np

TYPES = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16",
         "uint32": "ui32", "uint64": "ui64", "float16": "f16", "float32": "f32", "float64": "f64",
         "complex64": "complex<f32>", "complex128": "complex<f64>"}


def element(array):
    return TYPES[array.dtype.name]


def type_of(array):
    return "tensor<" + "".join(f"{n}x" for n in array.shape) + element(array) + ">"


def number(x):
    """X as it stands in `dense`: bits of floats, so that nothing is rounded."""
    kind = x.dtype.kind
    if kind == "b":
        return "true" if x else "false"
    if kind == "c":
        return f"({number(x.real)}, {number(x.imag)})"
    if kind == "f":
        bits = x.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize])
        return f"0x{int(bits):0{2 * x.dtype.itemsize}X}"
    return str(int(x))


def nested(array):
    return number(array[()]) if array.ndim == 0 else "[" + ", ".join(nested(a) for a in array) + "]"


def dense(array):
    array = np.asarray(array)
    return f"dense<{nested(array) if array.size else ''}> : {type_of(array)}"


def name_of_shape(name, lines):
    """Does an operation need the numbers of the constant NAME while it is read?"""
    return any("stablehlo.rng\"" in line and name + ")" in line for line in lines)


class Function:
    """Lines of one function. Values are names; `types` has their types."""

    def __init__(self, name):
        self.name, self.lines, self.types = name, [], {}
        self.data, self.checked = {}, []  # arrays of constants; values that are checked

    def fresh(self, type_):
        name = f"%v{len(self.types)}"
        self.types[name] = type_
        return name

    def constant(self, array):
        name = self.fresh(type_of(np.asarray(array)))
        self.data[name] = np.asarray(array)
        self.lines.append(f"{name} = stablehlo.constant {dense(array)}")
        return name

    def values(self, arrays):
        return [a if isinstance(a, str) else self.constant(a) for a in arrays]

    def op(self, name, inputs, attributes, outputs, regions=()):
        """The generic form of an operation with results of the types OUTPUTS."""
        inputs = self.values(inputs)
        names = [self.fresh(t) for t in outputs]
        types = ", ".join(self.types[i] for i in inputs)
        body = f" ({', '.join(regions)})" if regions else ""
        self.lines.append(f"{', '.join(names)}{' = ' if names else ''}\"{name}\"({', '.join(inputs)}) <{{{attributes}}}>{body}"
                          f" : ({types}) -> ({', '.join(outputs)})")
        return names

    def text(self, format_, inputs, outputs):
        """A line of its own: FORMAT has {0}, {1}.. for operands."""
        inputs = self.values(inputs)
        names = [self.fresh(t) for t in outputs]
        self.lines.append(f"{', '.join(names)} = " + format_.format(*inputs))
        return names

    def check(self, value, want, tolerance=None, ulp=None):
        """Exactly, in every bit but those of NaN, unless a TOLERANCE or a distance is given."""
        want = np.asarray(want)
        self.checked.append(value)
        if ulp is not None or (tolerance is None and want.dtype.kind in "fc"):
            other, t = self.constant(want), self.types[value]
            self.lines.append(f"check.expect_close {value}, {other}, max_ulp_difference = {ulp or 0} : {t}, {t}")
        elif tolerance is not None:
            self.lines.append(f"check.expect_almost_eq_const {value}, {dense(want)}, tolerance = {tolerance:e}")
        else:
            self.lines.append(f"check.expect_eq_const {value}, {dense(want)}")

    def with_inputs(self):
        """The same without checks: @main gives what is checked. Large constants are inputs, whose arrays are returned, too."""
        inputs = {name: array for name, array in self.data.items() if array.ndim and array.size and not name_of_shape(name, self.lines)}
        lines = [line for line in self.lines if not line.startswith("check.")
                 and not any(line.startswith(f"{name} = stablehlo.constant") for name in inputs)]
        used = {name: array for name, array in inputs.items() if any(re.search(re.escape(name) + r"\b", line) for line in lines)}
        args = ", ".join(f"{name}: {self.types[name]}" for name in used)
        types = ", ".join(self.types[name] for name in self.checked)
        text = "\n  ".join([f"func.func @main({args}) -> ({types}) {{", *lines, f"return {', '.join(self.checked)} : {types}"]) + "\n}\n"
        return text, {name[1:]: array for name, array in used.items()}

    def whole(self):
        return "\n  ".join([f"func.func @{self.name}() {{", *self.lines, "return"]) + "\n}\n"


def region(types, lines, results):
    """A region with arguments %a0, %a1.. of the element types TYPES; RESULTS are (name, element type)."""
    args = ", ".join(f"%a{i}: tensor<{t}>" for i, t in enumerate(types))
    names, kinds = ", ".join(n for n, _ in results), ", ".join(f"tensor<{t}>" for _, t in results)
    return "{ ^bb0(" + args + "): " + " ".join(lines) + f" stablehlo.return {names} : {kinds} }}"


def combine(op, t):
    """The region of a reduction by one operation of StableHLO."""
    return region([t, t], [f"%r = stablehlo.{op} %a0, %a1 : tensor<{t}>"], [("%r", t)])
