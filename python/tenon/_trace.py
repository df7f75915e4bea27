"""Tracing: a Python function runs once on symbolic tensors, and what it does becomes a program."""
from __future__ import annotations

import operator
import threading
from ctypes import ArgumentError, byref, c_double, c_void_p
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _library as c
from ._arguments import chars
from ._context import Context
from ._dtypes import BY_NAME, DTYPES, DType, DTypeLike, Type, dtype as dtype_of, is_number, numbers_of, refuse_matrix
from ._errors import UsageError
from ._module import Module
from ._owned import NotCopied
from ._tensor import Tensor, storage_of, tensor

_state = threading.local()
Extent = Union[int, "Dim"]
LEAST_NUMBER = -2**62  # the builder takes what is below for sizes that are open


class Needed(BaseException):
    """A region needs VALUE from outside, and can take it only at its beginning: it is traced again."""

    def __init__(self, scope: Scope, value: Value) -> None:
        super().__init__()
        self.scope, self.value = scope, value


class Scope(NotCopied):
    """The program, or a region of it, while it is being traced. A region sees its parameters alone, so values from
    outside become parameters when they are first used."""

    def __init__(self, parent: Optional[Scope]) -> None:
        self.parent = parent
        self.known: dict[tuple[int, int], c.Value] = {}
        self.fresh: list[Value] = []  # that were not expected

    def raw(self, trace: Trace, v: Value) -> c.Value:
        """V as a value of this scope."""
        if v.scope is self:
            return v.value
        key = (id(v.scope), v.value.id)
        found = self.known.get(key)
        if found is not None:
            return found
        if self.parent is None and v._trace is trace:
            raise UsageError("a value that a branch or loop made is used outside of it; what is needed there, it gives as a result")
        if self.parent is None:
            raise UsageError("a value of another trace is used; a traced function gives its values as results")
        if trace.scope is not self:  # a region inside of it asks; this one is closed for parameters now
            raise Needed(self, v)
        outer = self.parent.find(trace, v)
        self.known[key] = trace.value(c.lib.tn_param_like(trace.b, outer)).value
        self.fresh.append(v)
        return self.known[key]

    def find(self, trace: Trace, v: Value) -> c.Value:
        """The same while a region inside is being traced."""
        return self.raw(trace, v)


class Trace(NotCopied):
    """A program that is being made."""

    def __init__(self, name: str) -> None:
        self.context = Context()
        self.b = c.lib.tn_builder_new(self.context.handle)
        if not self.b:
            raise MemoryError("tenon: no memory for a program")
        c.lib.tn_builder_name(self.b, name.encode())
        self.scope = Scope(None)
        self.dims: dict[int, str] = {}  # the texts of symbolic extents
        self._failure: Optional[BaseException] = None  # the first, after which nothing can be made

    def __enter__(self) -> Trace:
        self._outer = getattr(_state, "trace", None)
        _state.trace = self
        return self

    def __exit__(self, *_: Any) -> None:
        _state.trace = self._outer
        if self.b:
            c.lib.tn_builder_free(self.b)
            self.b = None

    def fail(self) -> BaseException:
        error = self.context._hooks.error(c.lib.tn_builder_status(self.b))
        self._failure = self._failure or error
        return self._failure

    def value(self, raw: c.Value) -> Value:
        if raw.scope == 0:
            raise self.fail()
        return Value(self, self.scope, raw)

    def check(self) -> None:
        if c.lib.tn_builder_status(self.b) != c.OK:
            raise self.fail()

    def finish(self, outputs: Sequence[Value]) -> Module:
        raws = (c.Value * max(1, len(outputs)))(*(self.scope.raw(self, v) for v in outputs))
        at = c_void_p()
        b, self.b = self.b, None
        status = c.lib.tn_builder_finish(b, raws, len(outputs), byref(at))
        if status != c.OK:
            raise self._failure or self.context._hooks.error(status)
        assert at.value
        return Module(self.context, at.value)

    # ---- extents ----

    def extent(self, e: Any) -> int:
        """What the builder takes for E: a number, a Dim, or the name of a symbol."""
        if isinstance(e, Dim):
            return e.handle
        if isinstance(e, str):
            handle = int(c.lib.tn_dim(self.b, chars("shape", e)))
            self.dims[handle] = e
            return handle
        n = operator.index(e)
        if not LEAST_NUMBER <= n < 2**63:
            raise UsageError(f"{n} is no extent")
        return n

    def shape(self, shape: Any) -> c.Ints:
        if isinstance(shape, (int, str, Dim, Value, np.integer)):
            shape = (shape,)
        return c.ints(self.extent(e) for e in shape)

    def public_extent(self, handle: int) -> Extent:
        return handle if handle >= 0 else Dim(self, handle)


class _Symbolic(NotCopied):
    """What a trace made, which never changes: its copies are itself."""
    __slots__ = ()
    _instead = "it means something only while its function is traced"

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _memo: Any) -> Any:
        return self


class Dim(_Symbolic, NDArrayOperatorsMixin):
    """An extent that is not known yet. Sums, products, quotients and remainders of extents are extents, too; other
    operators take it as a number, and give a traced value."""
    __slots__ = ("trace", "handle")
    __array_priority__ = 100

    def __init__(self, trace: Trace, handle: int) -> None:
        self.trace, self.handle = trace, handle

    def _combine(self, name: str, sign: str, x: Any, y: Any) -> Any:
        if isinstance(x, Value) or isinstance(y, Value):
            return NotImplemented
        if not all(isinstance(e, Dim) or isinstance(e, int) and e >= 0 for e in (x, y)) or is_same(y, 0) and sign in "//%":
            return _UFUNCS_OF_SIGNS[sign](x, y)
        t = self.trace
        handle = int(getattr(c.lib, name)(t.b, t.extent(x), t.extent(y)))
        t.check()
        t.dims.setdefault(handle, f"({x}{sign}{y})")
        return t.public_extent(handle)

    def __add__(self, other: Any) -> Any:
        return self._combine("tn_dim_add", "+", self, other)

    __radd__ = __iadd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self if isinstance(other, int) and other == 0 else _UFUNCS_OF_SIGNS["-"](self, other)

    __isub__ = __sub__

    def __mul__(self, other: Any) -> Any:
        return self._combine("tn_dim_mul", "*", self, other)

    __rmul__ = __imul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return self._combine("tn_dim_div", "//", self, other)

    __ifloordiv__ = __floordiv__

    def __mod__(self, other: Any) -> Any:
        return self._combine("tn_dim_mod", "%", self, other)

    __imod__ = __mod__

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from ._numpy import call_ufunc
        return call_ufunc(ufunc, method, inputs, options)

    def __eq__(self, other: object) -> bool:
        if is_same(self, other):
            return True
        if isinstance(other, Dim) or isinstance(other, int) and other >= 0:
            raise TypeError(f"whether the extent {self} is {other} is not known while the program is made; np.equal compares when it runs, and "
                            "tenon.arange counts up to an extent")
        return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.handle)

    def __index__(self) -> int:
        raise TypeError(f"the extent {self} has no value while the program is made: tenon.zeros, tenon.full and tenon.arange take it "
                        "as it is, and for a number of Python the types that are declared must say one")

    __int__ = __float__ = __bool__ = __index__

    def __repr__(self) -> str:
        return self.trace.dims.get(self.handle, "?")


def is_same(n: object, m: object) -> bool:
    """Are N and M one extent, as far as that is known?"""
    if isinstance(n, Dim):
        return isinstance(m, Dim) and m.handle == n.handle and m.trace is n.trace
    return not isinstance(m, Dim) and n == m


def are_same(shape: Sequence[Extent], other: Sequence[Extent]) -> bool:
    """The same of all extents of two shapes."""
    return len(shape) == len(other) and all(map(is_same, shape, other))


_UFUNCS_OF_SIGNS: dict[str, Any] = {"+": np.add, "-": np.subtract, "*": np.multiply, "//": np.floor_divide, "%": np.remainder}


class Value(_Symbolic, NDArrayOperatorsMixin):
    """A tensor of a program that is being made. It has the operators and methods of arrays, and NumPy's functions take
    it: what they do is written down instead of done."""
    __slots__ = ("_trace", "scope", "value", "_type")  # `trace` is a method of arrays
    __array_priority__ = 100
    __hash__ = object.__hash__

    def __init__(self, trace: Trace, scope: Scope, value: c.Value) -> None:
        self._trace, self.scope, self.value = trace, scope, value
        self._type: Optional[tuple[DType, tuple[Extent, ...]]] = None

    def _known(self) -> tuple[DType, tuple[Extent, ...]]:
        if self._type is None:
            t = c.Type()
            if not self._trace.b or not c.lib.tn_value_type(self._trace.b, self.value, byref(t)):
                if self._trace.b and self._trace._failure:
                    raise self._trace._failure
                raise UsageError("a value is used after the function that was traced ended")
            shape = tuple(int(n) if n >= 0 else self._trace.public_extent(int(c.lib.tn_extent(
                self._trace.b, self.value, i))) for i, n in enumerate(t.dims[:t.rank]))
            self._type = (DTYPES[t.dtype], shape)
        return self._type

    @property
    def dtype(self) -> str:
        """The element type, such as "f32"."""
        return self._known()[0].name

    @property
    def shape(self) -> tuple[Extent, ...]:
        """The extents: numbers, and `Dim` for those that are not known yet."""
        return self._known()[1]

    @property
    def ndim(self) -> int:
        return len(self._known()[1])

    @property
    def size(self) -> Any:
        n: Any = 1
        for e in self.shape:
            n = n * e
        return n

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a scalar has no length")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        raise TypeError("a traced value has no truth value while the program is made; np.where chooses by elements, "
                        "tenon.cond between functions, tenon.while_loop repeats")

    def __float__(self) -> float:
        raise TypeError("a traced value is no number while the program is made; an argument that is to be one, for a shape "
                        "or a bound, is named in static= of tenon.function")

    __int__ = __index__ = __complex__ = __float__

    def __format__(self, form: str) -> str:
        if form:
            raise TypeError(f"a traced value is no number while the program is made, and has no text of the form '{form}'")
        return str(self)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a traced value cannot become an array while the program is made; this function of NumPy has "
                        "no counterpart here, or takes no list of values: np.stack makes one value of them. np.asarray is not "
                        "needed, and np.take(a, x, axis=0) takes what stands at x in an array")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from ._numpy import call_ufunc
        return call_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from ._numpy import call_function
        return call_function(function, args, kwargs)

    def __setitem__(self, _key: Any, _value: Any) -> None:
        raise TypeError("a traced value does not change; np.where, tenon.scatter and tenon.dynamic_update_slice make another")

    def __getitem__(self, key: Any) -> Value:
        from ._index import get_item
        return get_item(self, key)

    def __getattr__(self, name: str) -> Any:  # sum, reshape, T and others of arrays
        from ._numpy import METHODS, PROPERTIES, call_own
        from ._numpy_advice import ADVICE
        if name in PROPERTIES:
            return PROPERTIES[name](self)
        if name in METHODS:
            function = METHODS[name]
            return lambda *args, **kwargs: call_own(name, function, (self, *args), kwargs)
        advice = ADVICE.get(name)
        raise AttributeError(f"a traced value has no '{name}'" + (f": {advice}" if advice else ""))

    def __repr__(self) -> str:
        if not self._trace.b:
            return "<a value of a trace that ended>"
        return f"<{self.dtype}[{', '.join(map(str, self.shape))}]>"


def current() -> Trace:
    """The program that is being made on this thread."""
    trace = getattr(_state, "trace", None)
    if trace is None:
        raise UsageError("this belongs in a function that is traced: see tenon.function")
    return trace  # type: ignore[no-any-return]


def is_tracing() -> bool:
    return getattr(_state, "trace", None) is not None


def call(name: str, *args: Any) -> Value:
    """Append the operation of the builder's function NAME; values and extents become what it takes."""
    t = current()
    function = getattr(c.lib, "tn_" + name)
    try:
        return t.value(function(t.b, *(t.scope.raw(t, a) if isinstance(a, Value) else a for a in args)))
    except ArgumentError as error:  # of ctypes: "argument 3: TypeError: wrong type"
        k = int(str(error).split()[1].rstrip(":")) - 1
        kind = "a number is" if function.argtypes[k] is c_double else "a whole number is"
        raise TypeError(f"{kind} wanted, not {args[k - 1]!r}, where '{name.replace('nn_', '')}' is appended") from None


def is_weak(x: Any) -> bool:
    """Does X take the type of what it meets?"""
    return isinstance(x, (bool, int, float, complex, Dim)) or is_number(x)


_OF_PYTHON = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def _whole_constant(x: int, d: DType) -> Value:
    """The whole number X as a value of type D."""
    if d.name == "i1" and not isinstance(x, bool):
        raise TypeError(f"{x!r} meets truth values; astype('si32') makes whole numbers of them")
    if -2 ** 63 <= x < 2 ** 63:
        return call("scalar_int", d.code, int(x))
    if d.name != "ui64" or not 0 <= x < 2 ** 64:
        raise UsageError(f"an integer of {x.bit_length()} bits is no value of type {d.name}")
    element = np.array(x, np.uint64)
    return call("constant", d.code, c.ints(()), element.__array_interface__["data"][0])


def constant(x: Any, d: Optional[DType] = None) -> Value:
    """X, numbers or an array, as a value: of type D, or its own."""
    t = current()
    if isinstance(x, Value):
        return x
    if isinstance(x, Dim):
        one = call("splat", BY_NAME["si64"].code, t.shape((x,)), 1.0)
        return cast(call("sum", one, c.ALL_AXES, False), d or BY_NAME["si64"])
    if is_weak(x):
        if isinstance(x, np.generic):
            d = dtype_of(x.dtype) if d is None else d
            x = _OF_PYTHON[x.dtype.kind](x)
        if d is None:
            d = BY_NAME["i1" if isinstance(x, bool) else "si32" if isinstance(x, int) else "f32" if isinstance(x, float) else "cf64"]
        if isinstance(x, complex):
            if not d.is_complex:
                raise TypeError(f"{x!r} meets a value of {d}; astype('{'cf64' if d.name == 'f64' else 'cf32'}') makes that complex")
            x = np.array(x, d.storage)
            return call("constant", d.code, c.ints(()), x.__array_interface__["data"][0])
        if isinstance(x, float) and not (d.is_float or d.is_complex):
            raise TypeError(f"{x!r} meets a value of {d}; astype('f32') makes that a float")
        if d.is_float or d.is_complex:
            return call("scalar", d.code, float(x))
        return _whole_constant(x, d)
    refuse_matrix(x)
    if not isinstance(x, (Tensor, np.ndarray, np.generic)) and hasattr(x, "__dlpack__"):
        x = tensor(x)  # NumPy may lack its type
    if d is None and isinstance(x, Tensor):
        d = x._dtype
    elif d is None:
        a = numbers_of(x)
        is_list = isinstance(x, (list, tuple, range))
        d = BY_NAME["f32"] if is_list and a.dtype.kind == "f" else BY_NAME["si32"] if is_list and a.dtype.kind == "i" else dtype_of(a.dtype)
    array = np.ascontiguousarray(storage_of(x, d, "a constant", d.name))
    array = array.reshape(np.shape(x) if not isinstance(x, Tensor) else x.shape)
    return call("constant", d.code, c.ints(array.shape), array.__array_interface__["data"][0])


def operands(*xs: Any) -> list[Value]:
    """Operands of one element type: numbers take that of the others, which must agree."""
    firm = [x if isinstance(x, Value) else constant(x) if not is_weak(x) and not isinstance(x, (list, tuple, range)) else None
            for x in xs]
    types = {v._known()[0] for v in firm if v is not None}
    if len(types) > 1:
        names = " and ".join(sorted(d.name for d in types))
        raise TypeError(f"operands of {names}: astype makes one type of them")
    d = types.pop() if types else None
    own = [x.dtype for x in xs if is_number(x)]
    if d is None and own:
        d = dtype_of(np.result_type(*own))
    if d is None and any(isinstance(x, (float, complex)) for x in xs):
        d = BY_NAME["cf64" if any(isinstance(x, complex) for x in xs) else "f32"]
    if d is None and any(isinstance(x, Dim) for x in xs):
        d = BY_NAME["si64"]
    return [v if v is not None else constant(x, d) for v, x in zip(firm, xs)]


def cast(x: Any, to: DTypeLike) -> Value:
    """X with another element type; numbers are rounded to it."""
    return call("cast", constant(x), dtype_of(to).code)


def values_of(vs: Sequence[Value]) -> c.Values:
    t = current()
    return c.values([t.scope.raw(t, v) for v in vs])


def many(n: int, append: Callable[[Any], Any]) -> list[Value]:
    """The N results that APPEND writes to the array that it is given."""
    t = current()
    out = (c.Value * max(1, n))()
    append(out)
    t.check()
    return [t.value(c.Value(out[i].scope, out[i].id)) for i in range(n)]


def input_value(name: str, t: Type) -> Value:
    trace = current()
    return call("input", chars("name", name), t.dtype.code, trace.shape(t.shape))
