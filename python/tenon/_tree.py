"""Structures of values: tuples, lists and dictionaries, taken apart and put together."""
from __future__ import annotations

from typing import Any, Callable, Iterator

from ._dtypes import Type


class Leaf:
    """The place of a value in a structure."""

    def __repr__(self) -> str:
        return "*"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Leaf)

    def __hash__(self) -> int:
        return 1


LEAF = Leaf()


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """The values of TREE in order, and its form: hashable, and the same for structures that are built alike.

    >>> flatten({"w": [1, 2], "b": 3})
    ([1, 2, 3], ('dict', ('w', ('list', (*, *))), ('b', *)))
    """
    leaves: list[Any] = []
    return leaves, _form(tree, leaves)


def _is_named(tree: Any) -> bool:
    """Whether TREE is a named tuple of values; a type is one value."""
    return isinstance(tree, tuple) and hasattr(tree, "_fields") and not isinstance(tree, Type)


def _is_list(tree: Any) -> bool:
    return isinstance(tree, (tuple, list)) and not isinstance(tree, Type)


def _form(tree: Any, leaves: list[Any]) -> Any:
    if isinstance(tree, dict):
        return ("dict", *((k, _form(v, leaves)) for k, v in tree.items()))
    if _is_named(tree):
        return ("named", type(tree), tuple(_form(v, leaves) for v in tree))
    if _is_list(tree):
        return ("tuple" if isinstance(tree, tuple) else "list", tuple(_form(v, leaves) for v in tree))
    if tree is None:
        return None
    leaves.append(tree)
    return LEAF


def flatten_as(form: Any, tree: Any) -> list[Any]:
    """The values of TREE at the places that FORM has; lists may stand for tensors there."""
    if isinstance(form, Leaf):
        return [tree]
    if form is None:
        return []
    kind, parts = form[0], form[-1]
    if kind == "dict":
        if not isinstance(tree, dict) or set(tree) != {k for k, _ in form[1:]}:
            raise ValueError(f"a dictionary of {', '.join(str(k) for k, _ in form[1:])} is wanted")
        return [x for k, part in form[1:] for x in flatten_as(part, tree[k])]
    if not isinstance(tree, (tuple, list)) or len(tree) != len(parts):
        raise ValueError(f"a {'list' if kind == 'list' else 'tuple'} of {len(parts)} is wanted")
    return [x for part, t in zip(parts, tree) for x in flatten_as(part, t)]


def unflatten(form: Any, leaves: Any) -> Any:
    """The structure of FORM with the values LEAVES."""
    return _build(form, iter(leaves))


def _build(form: Any, leaves: Iterator[Any]) -> Any:
    if form is None:
        return None
    if isinstance(form, Leaf):
        return next(leaves)
    kind = form[0]
    if kind == "dict":
        return {k: _build(v, leaves) for k, v in form[1:]}
    if kind == "named":
        return form[1](*(_build(v, leaves) for v in form[2]))
    parts = [_build(v, leaves) for v in form[1]]
    return tuple(parts) if kind == "tuple" else parts


def names(tree: Any, name: str) -> list[str]:
    """A name for each value: `params.w`, `params.0`."""
    if isinstance(tree, dict):
        return [n for k, v in tree.items() for n in names(v, f"{name}.{k}")]
    if _is_named(tree):
        return [n for k, v in zip(tree._fields, tree) for n in names(v, f"{name}.{k}")]
    if _is_list(tree):
        return [n for k, v in enumerate(tree) for n in names(v, f"{name}.{k}")]
    return [] if tree is None else [name]


def tree_map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """FUNCTION of each value of TREE, and of the values at the same places of OTHERS, in the same structure.

    >>> tree_map(lambda w, g: w - g, {"a": 5, "b": (1, 2)}, {"a": 1, "b": (1, 1)})
    {'a': 4, 'b': (0, 1)}
    """
    leaves, form = flatten(tree)
    lists = [leaves]
    for other in others:
        values, same = flatten(other)
        if same != form:
            raise ValueError(f"the structures differ: {form} and {same}")
        lists.append(values)
    return unflatten(form, [function(*at) for at in zip(*lists)])
