"""Programs written in Python: functions that are traced, their gradients, and what is made of them."""
from __future__ import annotations

import collections
import functools
import inspect
from types import MethodType
from typing import Any, Callable, Generic, Iterable, Optional, Sequence, TypeVar, Union, cast as typed, overload

import numpy as np

from . import _library as c
from ._arguments import PathLike
from ._dtypes import BY_NAME, DTYPES, Type, dtype as dtype_of, numbers_of, parse_type, refuse_matrix
from ._errors import InputError, UsageError
from ._module import Module
from ._program import Program
from ._tensor import Tensor
from ._trace import Trace, call, constant, current, input_value, is_tracing
from ._tree import flatten, flatten_as, names, unflatten

_R = TypeVar("_R")
TypeLike = Any  # "f32[8, 3]", a Type, an array whose type counts, or a structure of these


def _type_of(x: Any) -> Type:
    """The type of what is given for an argument."""
    if isinstance(x, Type):
        return x
    if isinstance(x, str):
        return parse_type(x)
    if isinstance(x, Tensor):
        return x.type
    refuse_matrix(x)
    if isinstance(x, np.ndarray):
        return Type(dtype_of(x.dtype), x.shape)
    if isinstance(x, (bool, int, float)) and not isinstance(x, np.generic):
        return Type(BY_NAME["i1" if isinstance(x, bool) else "si32" if isinstance(x, int) else "f32"], ())
    if hasattr(x, "__dlpack__") and not isinstance(x, np.generic):
        from ._tensor import tensor
        return tensor(x).type
    try:
        a = numbers_of(x)
    except TypeError as error:
        raise TypeError(f"{error}; tensors are taken from tuples, lists and dictionaries, and static= names arguments that are none") from None
    return Type(dtype_of(a.dtype), a.shape)


def _spelt(x: Any) -> Any:
    """A type that is given as text, as one: other texts are arguments that are no tensors."""
    try:
        return parse_type(x) if isinstance(x, str) else x
    except (TypeError, ValueError):
        return x


def _static_key(x: Any) -> Any:
    """What tells an argument that is no tensor from others: numbers of two types may be equal, as are both zeros, and make
    other programs."""
    if isinstance(x, tuple):
        return type(x), tuple(map(_static_key, x))
    return type(x), repr(x) if isinstance(x, (float, complex)) else x


def _static_keys(static: Sequence[tuple[str, Any]]) -> Any:
    for name, x in static:
        try:
            hash(x)
        except TypeError:
            raise TypeError(f"'{name}' is named in static=, and a {type(x).__name__} has no hash that tells it from others: "
                            "numbers, texts and tuples have") from None
    return tuple((name, _static_key(x)) for name, x in static)


class Traced:
    """What one tracing made: the module, and how arguments and results fit it."""

    def __init__(self, module: Module, form: Any, out: Any) -> None:
        self.module, self.form, self.out = module, form, out
        self._program: Optional[Program] = None

    @property
    def program(self) -> Program:
        if self._program is None:
            self._program = self.module.compile()
        return self._program

    def __call__(self, leaves: Sequence[Any]) -> Any:
        result = self.program(*leaves)
        return unflatten(self.out, (result,) if self.program._results is None else result)


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a function; some that are written in C do not tell, but all of NumPy's ufuncs have the same."""
    if isinstance(function, np.ufunc):
        names = [f"x{i + 1}" for i in range(function.nin)] if function.nin > 1 else ["x"]
        return inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names])
    try:
        return inspect.signature(function)
    except ValueError as e:
        name = getattr(function, "__name__", repr(function))
        raise UsageError(f"{name} does not say which parameters it has, so that it cannot be traced by itself: "
                         f"write a function that calls it, such as lambda x: {name}(x)") from e


class Function(Generic[_R]):
    """A function of tensors that is traced when it is first called with arguments of some types, and runs as a compiled
    program from then on (`function`)."""

    def __init__(self, function: Callable[..., _R], types: Optional[Sequence[TypeLike]] = None,
                 static: Sequence[str] = ()) -> None:
        self._function = function
        self._types = None if types is None else tuple(types)
        self._static = frozenset((static,) if isinstance(static, str) else static)
        self._traced: dict[Any, Traced] = {}
        self._last: Optional[Traced] = None
        self._last_declared: Optional[Traced] = None  # the same for the declared types
        self._use(_signature(function))
        takes_any = any(p.kind is p.VAR_KEYWORD for p in self._signature.parameters.values())
        for name in sorted(self._static):
            if name not in self._names and not takes_any:
                raise UsageError(f"'static' names '{name}', but the function has no such argument; it has "
                                 f"{', '.join(self._names) or 'none'}")
        functools.update_wrapper(self, function, updated=())

    def _use(self, signature: inspect.Signature) -> None:
        self._signature = signature
        parameters = signature.parameters.values()
        self._names = list(signature.parameters)
        self._is_plain = not self._static and all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
        self._n_needed = sum(p.default is p.empty for p in parameters)

    # ---- arguments ----

    def _bind(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[list[tuple[str, Any]], tuple[Any, ...]]:
        """Arguments that are tensors, by name, and those that are not."""
        if not named and self._is_plain and len(args) <= len(self._names):
            given = list(zip(self._names, args))
            if not any(isinstance(x, (bool, str)) for x in args) and len(args) >= self._n_needed:
                return given, ()
        bound = self._signature.bind(*args, **named)
        tensors, static = [], []
        for name, x in bound.arguments.items():
            if name in self._static or isinstance(x, (bool, str)):
                static.append((name, x))
            else:
                tensors.append((name, x))
        return tensors, tuple(static)

    def _call_declared(self, args: tuple[Any, ...], named: dict[str, Any]) -> _R:
        """A call with declared types: all arguments are tensors but those that `static` names."""
        static: tuple[tuple[str, Any], ...] = ()
        if named or not self._is_plain or len(args) != len(self._names):
            bound = self._signature.bind(*args, **named)
            bound.apply_defaults()
            given = bound.arguments.items()
            args = tuple(x for n, x in given if n not in self._static)
            static = tuple((n, x) for n, x in given if n in self._static)
        traced = self._declared(static)
        try:
            leaves = flatten_as(traced.form, args)
        except ValueError as error:
            raise InputError(str(error)) from None
        return typed(_R, traced(leaves))

    def __call__(self, /, *args: Any, **named: Any) -> _R:
        if is_tracing():
            return self._function(*args, **named)
        if self._types is not None:
            return self._call_declared(args, named)
        tensors, static = self._bind(args, named)
        leaves, form = flatten(tuple(x for _, x in tensors))
        key = (form, _static_keys(static), tuple(n for n, _ in tensors), tuple(_key(x) for x in leaves))
        found = self._traced.get(key)
        if found is None:
            found = self._traced[key] = self._trace(tensors, static)
        self._last = found
        return typed(_R, found(leaves))

    def _declared(self, static: tuple[tuple[str, Any], ...]) -> Traced:
        assert self._types is not None
        key = _static_keys(static)
        found = self._traced.get(key)
        if found is None:
            tensors = [n for n in self._names if n not in self._static]
            if len(tensors) != len(self._types):
                raise UsageError(f"{len(self._types)} types are declared for {len(tensors)} arguments: {', '.join(tensors)}. Each has one, also with a "
                                 "default, or is named in static=")
            found = self._traced[key] = self._trace(list(zip(tensors, self._types)), static)
        self._last = self._last_declared = found
        return found

    def _trace(self, tensors: Sequence[tuple[str, Any]], static: Sequence[tuple[str, Any]]) -> Traced:
        name = getattr(self._function, "__name__", "main")
        with Trace(name if name.isidentifier() else "main") as t:
            arguments: dict[str, Any] = dict(static)
            forms = []
            for name, x in tensors:
                leaves, form = flatten(x)
                forms.append(form)
                arguments[name] = unflatten(form, [input_value(n, _type_of(leaf))
                                                   for n, leaf in zip(names(x, name), leaves)])
            ordered = inspect.BoundArguments(self._signature, collections.OrderedDict(
                (n, arguments[n]) for n in self._names if n in arguments))
            results = self._function(*ordered.args, **ordered.kwargs)
            leaves, out = flatten(results)
            module = t.finish([constant(x) for x in leaves])
        return Traced(module.passes("canonicalize"), ("tuple", tuple(forms)), out)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As a function's: of an object of the class that it stands in, it is a method."""
        return self if instance is None else MethodType(self, instance)

    # ---- what is made of it ----

    def trace(self, /, *types: TypeLike, **named: Any) -> Module:
        """The module for arguments of these types: "f32[8, 3]", "f32[batch, 3]", arrays, or structures of these.
        Without any: for the declared types, or those of the last call."""
        if not types and not named:
            return self._any().module
        tensors, static = self._bind(tuple(map(_spelt, types)), {k: _spelt(x) for k, x in named.items()})
        self._last = self._trace(tensors, static)
        return self._last.module

    def _any(self) -> Traced:
        if self._types is not None:
            return self._last_declared or self._declared(())
        if self._last is None and self._n_needed == 0:
            self._last = self._trace((), ())
        if self._last is None:
            raise UsageError("the types of the arguments are not known: call the function, trace it, or declare them")
        return self._last

    @property
    def module(self) -> Module:
        """The module for the declared types, or for those of the last call or `trace`."""
        return self._any().module

    def compile(self, **options: Any) -> Program:
        """The program of `module`; options as those of `Module.compile`."""
        return self.module.compile(**options)

    def text(self, dialect: str = "ptir-text", style: Optional[str] = None) -> str:
        """`module` in a dialect."""
        return self.module.text(dialect, style)

    def save(self, path: PathLike, **options: Any) -> None:
        """Write it to a file: code for .c, .h, .o, .s, .ll, .a, .so (options as those of `Program.emit`), else the program
        in the dialect that the name tells."""
        self.module.save(path, **options)

    def __reduce__(self) -> str:  # as Python's own functions: a copy is itself, and pickle stores the name
        return str(getattr(self._function, "__qualname__", repr(self._function)))

    def __repr__(self) -> str:
        return f"<tenon.function {getattr(self._function, '__name__', '?')}{self._signature}>"

    def _repr_html_(self) -> str:
        return self.module._repr_html_()


_CODES = {d.storage: d.code for d in DTYPES if d.exact}


def _key(x: Any) -> Any:
    if type(x) is Tensor:
        return x._dtype.code, x._array.shape
    if type(x) is np.ndarray:
        return _CODES.get(x.dtype, x.dtype), x.shape
    if isinstance(x, str):
        raise TypeError(f"the text {x!r} stands in a structure of tensors: arguments that are texts stand alone")
    t = _type_of(x)
    return t.dtype.code, t.shape


@overload
def function(f: Callable[..., _R], /) -> Function[_R]: ...
@overload
def function(*types: TypeLike, static: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Function[Any]]: ...


def function(*types: Any, static: Sequence[str] = ()) -> Any:
    """Make a program of a Python function of tensors.

    The function runs once on symbolic tensors for each choice of types and shapes; what it does with operators, with
    functions of NumPy and with those of this package becomes a program. Arrays and numbers that it takes from around
    it are constants there, as they were at that time; what is to change is an argument. Arguments and results may be tuples, lists
    and dictionaries of tensors. With types as arguments, which may have symbolic extents, it is one program for all
    calls.

    static  names of arguments that are no tensors: each value makes a program of its own. Strings and truth values never
            are, nor are defaults that a call leaves as they are

    >>> import numpy as np
    >>> @function
    ... def norm(x):
    ...     return np.sqrt((x * x).sum())
    >>> float(norm(np.array([3, 4], np.float32)))
    5.0
    >>> @function("f32[n, 2]")
    ... def rows(x):
    ...     return x.sum(axis=1)
    >>> rows([[1, 2], [3, 4], [5, 6]]).tolist()
    [3.0, 7.0, 11.0]
    >>> rows.module.outputs[0].shape
    ('n',)
    """
    if len(types) == 1 and callable(types[0]) and not isinstance(types[0], (Type, Tensor)):
        return Function(types[0], None, static)
    return lambda f: Function(f, types or None, static)


# ---- gradients ----

class _Gradient:
    def __init__(self, f: Callable[..., Any], argnums: Union[int, Sequence[int]], has_aux: bool,
                 with_value: bool) -> None:
        functools.update_wrapper(self, f, updated=())
        self._f = f._function if isinstance(f, Function) else f
        of = f._whole if isinstance(f, _Gradient) else f
        static = tuple(of._static) if isinstance(of, Function) else ()
        self._is_one = isinstance(argnums, str) or not isinstance(argnums, Iterable)
        self._numbers: list[Any] = [argnums] if self._is_one else list(argnums)  # type: ignore[arg-type]
        if not all(isinstance(n, (int, np.integer)) for n in self._numbers):
            raise TypeError(f"argnums is {argnums!r}, and must be the position of an argument, or several")
        self._has_aux, self._with_value = has_aux, with_value
        self.__signature__ = _signature(self._f)
        self._whole: Function[Any] = Function(self._inside, None, static)
        self._whole._use(self.__signature__)

    def _inside(self, /, *args: Any, **named: Any) -> Any:
        t = current()
        arguments = list(args)
        places, forms = [], []
        for n in self._numbers:
            if not -len(arguments) <= n < len(arguments):
                raise UsageError(f"argnums names the argument {n}, but {len(arguments)} are given by position")
            leaves, form = flatten(arguments[n])
            # Each becomes a value of its own: what was computed from it outside counts as constant.
            own = [call("reshape", v, t.shape(v.shape)) for v in map(constant, leaves)]
            arguments[n] = unflatten(form, own)
            places.append(own)
            forms.append(form)
        result = self._f(*arguments, **named)
        if self._has_aux and not (isinstance(result, (tuple, list)) and len(result) == 2):
            raise UsageError("with has_aux a function gives a pair: what is differentiated, and what is handed on")
        loss, aux = result if self._has_aux else (result, None)
        if loss is None or isinstance(loss, (tuple, list, dict)):
            kind = "None" if loss is None else f"a {type(loss).__name__}"
            raise TypeError(f"what is differentiated is one number, not {kind}"
                            f"{'' if self._has_aux else '; with has_aux a function gives a pair of it and what else there is'}")
        loss = constant(loss)
        wrt = [v for own in places for v in own]
        out = (c.Value * max(1, len(wrt)))()
        c.lib.tn_gradient(t.b, t.scope.raw(t, loss), c.NO_VALUE, c.values([t.scope.raw(t, v) for v in wrt]), out)
        t.check()
        gradients = iter([t.value(c.Value(out[i].scope, out[i].id)) for i in range(len(wrt))])
        trees = [unflatten(form, gradients) for form in forms]
        g = trees[0] if self._is_one else tuple(trees)
        if self._with_value:
            return (result, g)
        return (g, aux) if self._has_aux else g

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        return self._inside(*args, **named) if is_tracing() else self._whole(*args, **named)


def grad(f: Callable[..., Any], argnums: Union[int, Sequence[int]] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives the gradient of F, whose result is a scalar, by its argument `argnums`, or by several; it
    takes the same arguments, and its result has their structure. Inside of a traced function it becomes part of the
    program; and it can be differentiated again.

    has_aux  F gives a pair, of which the first is differentiated and the second handed on: `gradient, aux`

    >>> import numpy as np
    >>> grad(lambda x: (x * x * x).sum())(np.array([1, 2], np.float32)).tolist()
    [3.0, 12.0]
    >>> float(grad(grad(lambda x: x * x * x))(np.float32(3)))
    18.0
    """
    return _Gradient(f, argnums, has_aux, False)


def value_and_grad(f: Callable[..., Any], argnums: Union[int, Sequence[int]] = 0,
                   has_aux: bool = False) -> Callable[..., Any]:
    """The same with the result of F before it: `value, gradient`, or `(value, aux), gradient`."""
    return _Gradient(f, argnums, has_aux, True)


