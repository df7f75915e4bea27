"""Bytes divided by known numbers, which is done two at a time: every byte by every number."""
from lib import npy
from lib.every_way import differences, report

COUNT = 256 + 77  # every byte, and a last vector that is not whole
AT_ONCE = 64


def divisions(kind, numbers):
    """The quotients, each in a sum that no wrong one leaves as it is."""
    t, lines, last = f"tensor<{kind}, {COUNT}>", [], "%x"
    for k, n in enumerate(numbers):
        lines.append(f"  %c{k} = constant fill[{n}] -> {t}\n  %q{k} = div(%x, %c{k}) -> {t}\n"
                     f"  %m{k} = mul({last}, %f) -> {t}\n  %y{k} = add(%m{k}, %q{k}) -> {t}\n")
        last = f"%y{k}"
    return f"func @main(%x: {t}) -> {t} {{\n  %f = constant fill[33] -> {t}\n{''.join(lines)}  return {last}\n}}\n"


def programs():
    for kind, least in (("ui8", 0), ("si8", -128)):
        numbers = [n for n in range(least, least + 256) if n != 0]
        for first in range(0, len(numbers), AT_ONCE):
            yield kind, numbers[first:first + AT_ONCE]


def check(asked, folder, number, kind, numbers):
    source, path = folder / f"{number}.ptir", folder / "x.npy"
    source.write_text(divisions(kind, numbers))
    npy.write_raw(path, npy.file_dtype(kind), (COUNT,), bytes(i % 256 for i in range(COUNT)))
    return differences(asked, source, [f"in=x={path}"])


if __name__ == "__main__":
    report(list(programs()), check)
