"""Lines of elements side by side with gaps between them, which vectors go across: reductions over axes on both sides of
others, and cut lines that are read as one, of each length around that of a vector."""
import json

from lib.every_way import differences_of_text, report


def tensor(kind, shape):
    return f"tensor<{kind}, {'x'.join(map(str, shape))}>"


def program(kind, shape, *steps):
    lines, last = [], "%x"
    for number, (text, out) in enumerate(steps):
        lines.append(f"  %v{number} = {text.format(last)} -> {tensor(kind, out)}")
        last = f"%v{number}"
    body = "\n".join(lines)
    return f"func @main(%x: {tensor(kind, shape)}) -> {tensor(kind, out)} {{\n{body}\n  return {last}\n}}\n"


def outside(kind, a, b, c, how="sum"):
    """Reduced over all axes but the middle one."""
    return program(kind, (a, b, c), (f"reduce_{how}({{}}) axes[0, 2]", (b,)))


def cut(kind, a, b, low, high):
    """The columns LOW .. HIGH - 1 of a matrix as one line, and that plus itself."""
    n = high - low
    return program(kind, (a, b), (f"slice({{}}) starts[0, {low}] sizes[{a}, {n}]", (a, n)),
                   (f"reshape({{}}) new_shape[{a * n}]", (a * n,)), ("add({0}, {0})", (a * n,)))


def wrapped(kind, n, times):
    """A line repeated, as two, whose sums go back to its start again and again."""
    half = times * n // 2
    return program(kind, (1, n), (f"broadcast_to({{}}) result_shape[{times}, {n}]", (times, n)), (f"reshape({{}}) new_shape[2, {half}]", (2, half)),
                   ("reduce_sum({}) axes[1]", (2,)))


def there_and_back(n, length):
    """LENGTH elements of a line of N, repeated, whose places are told by quotients and remainders of both signs."""
    return json.dumps({"uops": [
        {"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", "shape": [n]}},
        {"id": "v", "uop": "VIEW", "src": ["x"], "arg": {"result_shape": [length], "index_map": [f"2*(i0 % {n}) + {n}*(i0 // {n}) - i0"]}},
        {"id": "y", "uop": "REDUCE", "src": ["v"], "arg": {"op": "SUM", "dtype": "fp32", "axes": [0]}}], "outputs": ["y"]})


PROGRAMS = [there_and_back(40, 210), there_and_back(33, 1000), wrapped("f32", 45, 30), wrapped("si8", 77, 10), wrapped("f64", 33, 20), outside("f32", 9, 3, 100), outside("f32", 40, 2, 32), outside("f32", 30, 3, 33), outside("f64", 12, 2, 47), outside("f16", 11, 3, 65),
            outside("si8", 23, 2, 70), outside("f32", 50, 2, 31), outside("cf32", 8, 2, 75), outside("f32", 20, 3, 90, "max"),
            outside("f64", 20, 2, 49, "min"), outside("i1", 20, 2, 90, "max"),
            cut("f32", 21, 60, 1, 51), cut("si16", 30, 100, 3, 36), cut("f64", 25, 41, 0, 40), cut("si8", 9, 200, 50, 171), cut("f32", 40, 33, 0, 32)]


if __name__ == "__main__":
    report([(text,) for text in PROGRAMS], differences_of_text)
