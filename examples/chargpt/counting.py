"""The text of this example: numbers in words and those that follow them, a pair a line."""
from typing import Any

import numpy as np

ALPHABET = "\n -abcdefghijklmnopqrstuvwxyz"
LENGTH = 64  # characters that the network sees: any line fits
SMALL = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
         "eighteen nineteen").split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()


def word(n: int) -> str:
    """A number below 1000."""
    if n >= 100:
        return SMALL[n // 100] + " hundred" + (" " + word(n % 100) if n % 100 else "")
    if n >= 20:
        return TENS[n // 10] + ("-" + SMALL[n % 10] if n % 10 else "")
    return SMALL[n]


def lines(judged: bool) -> list[str]:
    """All pairs below 1000; one in eleven is kept to judge by."""
    return [f"{word(n)} then {word(n + 1)}\n" for n in range(999) if (n % 11 == 4) == judged]


def numbers(text: str) -> Any:
    """Its characters as positions in the alphabet."""
    return np.array([ALPHABET.index(ch) for ch in text], np.uint8)
