"""Kernels over rows in several passes, one row behind the other where that pays: the bits of the evaluator for
rows of all lengths, few and many, on one thread and on several, and for each processor.
"""
import json

from lib.every_way import differences, report
from lib.program import output

PIPELINE = "pipelined rows"


class Program:
    """Tensors of rows x length, and what is computed of each row."""

    def __init__(self, rows, length, kind):
        self.kind, self.rows, self.length = kind, rows, length
        self.full, self.one = f"tensor<{kind}, {rows}x{length}>", f"tensor<{kind}, {rows}x1>"
        self.lines, self.n = [], 0

    def line(self, text, kept=False):
        self.n += 1
        self.lines.append(f"  %v{self.n} = {text} -> {self.one if kept else self.full}")
        return f"%v{self.n}"

    def reduced(self, how, x):
        return self.line(f"reduce_{how}({x}) axes[1] keepdims[true]", True)

    def spread(self, x):
        return self.line(f"broadcast_to({x}) result_shape[{self.rows}, {self.length}]")

    def text(self, *results):
        types = ", ".join(self.one if self.lines[int(r[2:]) - 1].endswith(self.one) else self.full
                          for r in results)
        body = "\n".join(self.lines)
        return (f"func @main(%x: {self.full}) -> ({types}) {{\n{body}\n"
                f"  return {', '.join(results)}\n}}\n")


def softmax(p, x="%x"):
    """The results: of each element, the sum and the maximum of each row."""
    largest = p.reduced("max", x)
    e = p.line(f"exp({p.line(f'sub({x}, {p.spread(largest)})')})")
    total = p.reduced("sum", e)
    return p.line(f"div({e}, {p.spread(total)})"), total, largest


def plain(p):
    return softmax(p)[:1]


def of_zeros(p):
    """Rows whose largest element is a zero, of either sign."""
    x = p.line("neg(" + p.line("abs(%x)") + ")")
    return softmax(p, p.line(f"mul({x}, {p.line(f'sub({x}, {x})')})"))[:1]


def with_row_results(p):
    y, total, largest = softmax(p)
    return y, p.line(f"add({p.line(f'log({total})', True)}, {largest})", True)


def normalised(p):
    """Three passes, of which the second keeps something for the third alone."""
    high = p.reduced("max", "%x")
    t = p.line(f"tanh({p.line(f'sub(%x, {p.spread(high)})')})")
    low = p.reduced("min", t)
    e = p.line(f"exp({p.line(f'sub({p.spread(low)}, {t})')})")
    total = p.reduced("sum", e)
    return (p.line(f"div({e}, {p.spread(total)})"),)


def kept_for_all(p):
    """What the first pass keeps is wanted by all: such rows go one after the other."""
    e = p.line("exp(%x)")
    d = p.line(f"sub({e}, {p.spread(p.reduced('max', e))})")
    square = p.reduced("sum", p.line(f"mul({d}, {d})"))
    return (p.line(f"div({d}, {p.spread(square)})"),)


def two_at_once(p):
    """Two reductions in a pass, and one that waits for both."""
    e = p.line("exp(%x)")
    both = p.line(f"add({p.reduced('sum', e)}, {p.reduced('sum', '%x')})", True)
    return (p.line(f"mul({e}, {p.spread(both)})"), both)


SIZES = [(16, 64), (17, 65), (40, 100), (33, 1000), (64, 1024), (21, 1025), (19, 3333), (300, 128)]
PROGRAMS = [(make, rows, length, "f32", make not in (kept_for_all, two_at_once, normalised))
            for make in (plain, of_zeros, with_row_results, normalised, kept_for_all, two_at_once)
            for rows, length in (SIZES if make in (plain, of_zeros) else SIZES[::2])]
PROGRAMS += [(plain, 50, 200, kind, True) for kind in ("f64", "f16", "bf16")]
PROGRAMS += [(plain, 15, 1024, "f32", False), (plain, 100, 63, "f32", False)]


def check(asked, folder, number, make, rows, length, kind, is_pipeline):
    source = folder / "a.ptir"
    p = Program(rows, length, kind)
    source.write_text(p.text(*make(p)))
    faults = []
    if is_pipeline:
        kernels = json.loads(output("explain", "--json", source))["functions"][0]["kernels"]
        how = [k["steps"] for k in kernels]
        if PIPELINE not in str(how):
            faults.append(f"is done otherwise: {how}")
    return faults + differences(asked, source, [f"random={number}"])


if __name__ == "__main__":
    report(PROGRAMS, check)
