"""Arguments as the library takes them. Each function names the argument that is wrong."""
from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from ._errors import UsageError

PathLike = Union[str, "os.PathLike[str]"]
MOST_32, MOST_64 = 2 ** 32 - 1, 2 ** 64 - 1  # ctypes would cut off what is above
MOST_SIGNED = 2 ** 63 - 1


def whole(name: str, value: Any, least: int = 0, most: int = MOST_64) -> int:
    """VALUE as a whole number from LEAST to MOST."""
    try:
        n = operator.index(value)
    except TypeError:
        raise TypeError(f"'{name}' is {value!r}, and must be a whole number") from None
    if not least <= n <= most:
        raise UsageError(f"'{name}' is {n}, and must be {least} or more" if n < least else
                         f"'{name}' is {n}, and must be at most {most}")
    return n


def number(name: str, value: Any) -> float:
    """VALUE as a number."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"'{name}' is {value!r}, and must be a number") from None


def nanoseconds(timeout: Optional[float]) -> int:
    """The limit for a run that is given in seconds; 0: none."""
    if timeout is None:
        return 0
    seconds = number("timeout", timeout)
    if not 0 < seconds <= 1e9:
        raise UsageError(f"'timeout' is {timeout}, and must be above 0 and at most 1000000000 seconds")
    return max(1, int(seconds * 1e9))


def chars(name: str, text: Any) -> bytes:
    """TEXT for C, which ends at the first NUL."""
    if not isinstance(text, str):
        raise TypeError(f"'{name}' is {text!r}, and must be a text")
    if "\0" in text:
        raise UsageError(f"'{name}' is {text!r}, and must have no NUL character")
    return text.encode()


def chars_or_none(name: str, text: Optional[str]) -> Optional[bytes]:
    """The same; NULL where nothing is given."""
    return None if text is None or text == "" else chars(name, text)


def by_name(what: str, given: Any) -> None:
    """Refuse what gives nothing by name."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} by name are wanted, not an object of type {type(given).__name__}")


def file_name(path: Any) -> bytes:
    """The name of a file or folder for C."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"the name of a file is wanted, not an object of type {type(path).__name__}")
    name: Union[str, bytes] = os.fspath(path)
    data = os.fsencode(name)
    if b"\0" in data:
        raise UsageError(f"the name of a file has no NUL character: {name!r}")
    return data
