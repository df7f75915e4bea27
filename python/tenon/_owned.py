"""Objects that cannot be copied by copying their attributes."""
from __future__ import annotations

from typing import Any


class NotCopied:
    """An object with a handle of the library, which it frees: a second object with that handle would be of use after it
    was freed. `copy` and `pickle` refuse it, where its class does not say how a copy is made."""
    __slots__ = ()
    _instead = ""  # of the message: what to do

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError(f"an object of the class {type(self).__name__} cannot be copied or pickled"
                        f"{'; ' if self._instead else ''}{self._instead}")
