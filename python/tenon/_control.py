"""Control flow in traced functions: conditions, loops and scans, whose parts are functions."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from . import _library as c
from ._errors import UsageError
from ._trace import Needed, Scope, Trace, Value, constant, current, is_weak, many, operands, values_of
from ._tree import flatten, unflatten


class _Region:
    """A function that becomes a region: of values like PLAIN, of those from outside that it turns out to need, and of
    slices of SLICED."""

    def __init__(self, name: str, body: Callable[[list[Value], list[Value]], list[Value]], plain: Sequence[Value],
                 sliced: Sequence[Value] = ()) -> None:
        self.name, self.body, self.plain, self.sliced = name, body, plain, sliced

    def trace(self, t: Trace, needs: list[Value], keep: Callable[[list[Value], list[Value]], list[Value]],
              is_trial: bool) -> Any:
        """The region; None if it is a trial, or if it needs more than NEEDS, which has that then. KEEP gives the
        results of the region from those of the function and the values that are passed in."""
        outer = t.scope
        raws = [outer.raw(t, v) for v in (*self.plain, *needs)]
        slices = [outer.raw(t, v) for v in self.sliced]
        c.lib.tn_region_begin(t.b, self.name.encode())
        scope = t.scope = Scope(outer)
        ended = False
        try:
            params = [t.value(c.lib.tn_param_like(t.b, r)) for r in raws]
            parts = [t.value(c.lib.tn_param_slice(t.b, s)) for s in slices]
            passed = params[len(self.plain):]
            for v, p in zip(needs, passed):
                scope.known[id(v.scope), v.value.id] = p.value
            try:
                results = keep(self.body(params[:len(self.plain)], parts), passed)
                raw_results = [scope.raw(t, r) for r in results]
            except Needed as more:
                if more.scope is not scope:
                    raise
                needs.append(more.value)
                return None
            needs.extend(scope.fresh)
            if is_trial or scope.fresh:
                return None
            array = c.values(raw_results)
            ended = True
            region = c.lib.tn_region_end(t.b, array)
            t.check()
            return region
        finally:
            if not ended:
                c.lib.tn_region_discard(t.b)
            t.scope = outer

    def settle(self, t: Trace, needs: list[Value]) -> None:
        """Find out what it needs from outside."""
        known = -1
        while known < len(needs):
            known = len(needs)
            self.trace(t, needs, lambda results, passed: results, True)


def _values(tree: Any) -> tuple[list[Value], Any]:
    leaves, form = flatten(tree)
    return [constant(x) for x in leaves], form


def _like(results: Any, form: Any, wanted: Sequence[Value], what: str) -> list[Value]:
    """The values of RESULTS, which must have the form and the types of what they replace; numbers take them."""
    leaves, own = flatten(results)
    if own != form:
        raise UsageError(f"{what} gives {own}, but takes {form}")
    return [operands(x, w)[0] if is_weak(x) else constant(x) for x, w in zip(leaves, wanted)]


def cond(condition: Any, yes: Callable[..., Any], no: Callable[..., Any], *args: Any) -> Any:
    """The results of `yes(*args)` where CONDITION, a scalar, holds, else of `no(*args)`. Only one of them runs. Both give
    values of the same types in the same structure."""
    t = current()
    p = constant(condition)
    p = p if p.dtype == "i1" else p != 0
    leaves, form = _values(args)
    forms: list[Any] = []

    def body(function: Callable[..., Any]) -> Callable[[list[Value], list[Value]], list[Value]]:
        def run(params: list[Value], _: list[Value]) -> list[Value]:
            results, own = _values(function(*unflatten(form, params)))
            forms.append(own)
            if own != forms[0]:
                raise UsageError(f"one branch gives {forms[0]}, the other {own}")
            return results
        return run
    regions = [_Region("yes", body(yes), leaves), _Region("no", body(no), leaves)]
    needs: list[Value] = []
    for r in regions:
        r.settle(t, needs)
    n = [0]

    def keep(results: list[Value], passed: list[Value]) -> list[Value]:
        n[0] = len(results)
        return results
    made = [r.trace(t, needs, keep, False) for r in regions]
    raw = t.scope.raw(t, p)
    operands = values_of([*leaves, *needs])
    out = many(n[0], lambda at: c.lib.tn_cond(t.b, raw, made[0], made[1], operands, at, n[0]))
    return unflatten(forms[0], out)


def while_loop(test: Callable[..., Any], body: Callable[..., Any], init: Any) -> Any:
    """Replace INIT by `body(init)` while `test(init)`, a scalar, holds; the last value. What `body` gives has the
    structure and the types of INIT."""
    t = current()
    start, form = _values(init)

    def run_test(params: list[Value], _: list[Value]) -> list[Value]:
        p = constant(test(unflatten(form, params)))
        return [p if p.dtype == "i1" else p != 0, *params]

    def run_body(params: list[Value], _: list[Value]) -> list[Value]:
        return _like(body(unflatten(form, params)), form, params, "the body of the loop")
    regions = [_Region("test", run_test, start), _Region("body", run_body, start)]
    needs: list[Value] = []
    for r in regions:
        r.settle(t, needs)
    made = [r.trace(t, needs, lambda results, passed: [*results, *passed], False) for r in regions]
    operands = values_of([*start, *needs])
    n = len(start) + len(needs)
    out = many(n, lambda at: c.lib.tn_while(t.b, made[0], made[1], operands, at, n))
    return unflatten(form, out[:len(start)])


def fori_loop(begin: Any, end: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """`body(i, x)` for each i from BEGIN up to, not including, END, beginning with INIT; the last value."""
    if isinstance(begin, Value) or isinstance(end, Value):
        begin, end = operands(begin, end)
    return while_loop(lambda s: s[0] < end, lambda s: (s[0] + 1, body(s[0], s[1])), (begin, init))[1]


def scan(body: Callable[[Any, Any], Any], init: Any, xs: Any = None, length: Optional[int] = None) -> tuple[Any, Any]:
    """`carry, y = body(carry, x)` for each x along the first axis of XS, beginning with INIT: the last carry, and all y
    stacked along a new first axis.

    length  how many times, where XS is None
    """
    from ._create import zeros
    t = current()
    start, form = _values(init)
    if xs is None:
        if length is None:
            raise UsageError("scan needs values to walk along, or a length")
        slices: list[Value] = [zeros((length,), "si32")]
        slice_form: Any = None
    else:
        slices, slice_form = _values(xs)
    stacked: list[Any] = []

    def run(params: list[Value], parts: list[Value]) -> list[Value]:
        given = body(unflatten(form, params), unflatten(slice_form, parts))
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise UsageError("the body of the scan gives a pair: what is carried on, and what is stacked or None")
        carry, y = given
        ys, own = _values(y)
        stacked[:] = [own, len(ys)]
        return [*_like(carry, form, params, "the body of the scan"), *ys]

    def keep(results: list[Value], passed: list[Value]) -> list[Value]:
        n = len(start)
        return [*results[:n], *passed, *results[n:]]
    region = _Region("step", run, start, slices)
    needs: list[Value] = []
    made = None
    while made is None:
        made = region.trace(t, needs, keep, False)
    carry, walked, n_stacked = values_of([*start, *needs]), values_of(slices), stacked[1]
    n = len(start) + len(needs) + n_stacked
    out = many(n, lambda at: c.lib.tn_scan(t.b, made, carry, walked, n_stacked, at, n))
    return unflatten(form, out[:len(start)]), unflatten(stacked[0], out[len(start) + len(needs):])
