"""Random PTIR programs whose operations may fail: divisions by zero, and positions that are out of bounds.

At every -O level, by both engines, a program stops or gives the same numbers. What fails is often not needed: the other
side of a selection, what a slice cuts off, what a region does not read, the first value of a carry that nobody asks for.

RANDOM_FAILING says how many programs (200), RANDOM_SEED where to start (1).
"""
import concurrent.futures
import os
import pathlib
import random
import sys
import tempfile

from lib.program import start

WAYS = (["-O0", "--engine", "ref"], ["-O0"], ["-O1"], ["-O2", "--engine", "ref"], ["-O2", "--threads", "2"])
INPUTS = {"%a": ("si32", (4,)), "%b": ("si32", (4,)), "%x": ("si32", (3, 4)), "%i": ("si32", (4,)), "%k": ("si32", (1,)),
          "%s": ("si32", ()), "%p": ("i1", ())}
STOPPED = 3


def type_of(dtype, shape):
    return f"tensor<{dtype}, {'x'.join(map(str, shape))}>" if shape else f"tensor<{dtype}>"


def integers(shape):
    return type_of("si32", shape)


def results(types):
    return types[0] if len(types) == 1 else f"({', '.join(types)})"


class Program:
    """Values are pairs of a name and a shape; all but predicates are si32."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines, self.regions, self.count = [], [], 0
        self.values = [(name, shape) for name, (dtype, shape) in INPUTS.items() if dtype == "si32"]
        for _ in range(self.r.randint(5, 14)):
            self.r.choice([self.elementwise, self.take, self.slice, self.concat, self.select, self.reduce, self.update,
                           self.cond, self.scan, self.pad])()
        made = [v for v in self.values if v[0].startswith("%v")] or self.values
        self.outputs = [self.late(made) for _ in range(self.r.randint(1, 3))]

    def late(self, values):
        return values[-1 - min(int(self.r.expovariate(0.6)), len(values) - 1)]

    def pick(self, wanted=lambda shape: True):
        found = [v for v in self.values if wanted(v[1])]
        return self.late(found) if self.r.random() < 0.7 else self.r.choice(found)

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def add(self, text, *shapes):
        name = self.name()
        self.lines.append(f"  {name} = {text} -> {results([integers(s) for s in shapes])}")
        self.values += [(name if len(shapes) == 1 else f"{name}[{k}]", s) for k, s in enumerate(shapes)]

    def same(self, shape):
        return self.pick(lambda s: s == shape)

    def elementwise(self):
        a, shape = self.pick()
        self.add(f"{self.r.choice(['div', 'div', 'add', 'mul'])}({a}, {self.same(shape)[0]})", shape)

    def take(self):
        x, shape = self.pick(lambda s: s and s[0] > 0)
        i, places = self.pick(lambda s: len(s) == 1)
        self.add(f"take({x}, {i})", places + shape[1:])

    def slice(self):
        x, shape = self.pick(len)
        starts = [self.r.randint(0, n) for n in shape]
        sizes = [self.r.randint(0, n - at) for n, at in zip(shape, starts)]
        self.add(f"slice({x}) starts{starts} sizes{sizes}", tuple(sizes))

    def concat(self):
        x, shape = self.pick(lambda s: len(s) == 1 and s[0] < 20)
        y, other = self.pick(lambda s: len(s) == 1 and s[0] < 20)
        self.add(f"concat({x}, {y}) axis[0]", (shape[0] + other[0],))

    def select(self):
        (a, shape), p = self.pick(), self.name()
        b = a if self.r.random() < 0.3 else self.same(shape)[0]
        made = (f"constant fill[{self.r.choice(['true', 'false'])}]" if self.r.random() < 0.5
                else f"compare({self.same(shape)[0]}, {a}) op[less]")
        self.lines.append(f"  {p} = {made} -> {type_of('i1', shape)}")
        self.add(f"select({p}, {a}, {b})", shape)

    def reduce(self):
        x, shape = self.pick(len)
        self.add(f"reduce_sum({x}) axes[0]", shape[1:])

    def pad(self):
        x, shape = self.pick(lambda s: len(s) == 1 and s[0] < 20)
        low, high = self.r.randint(0, 2), self.r.randint(0, 2)
        self.add(f"pad({x}) low[{low}] high[{high}] interior[0] pad_value[1]", (shape[0] + low + high,))

    def update(self):
        x, shape = self.pick(lambda s: len(s) == 1)
        u, window = self.pick(lambda s: len(s) == 1 and s[0] <= shape[0])
        self.add(f"dynamic_update_slice({x}, {u}, {self.same((1,))[0]}) sizes[{window[0]}]", shape)

    def region(self, inputs, outputs, own):
        """A region that makes OUTPUTS; of OWN of them, values of the same number may be passed on."""
        names, lines, made = [f"%r{k}" for k in range(len(inputs))], [], []
        for k, shape in enumerate(outputs):
            known = [n for n, s in zip(names, inputs) if s == shape]
            x, y = self.r.choice(known), self.r.choice(known)
            if self.r.random() < 0.4:
                made.append(names[k] if k < own and self.r.random() < 0.7 else x)
                continue
            lines.append(f"  %w{k} = {self.r.choice(['add', 'mul', 'div'])}({x}, {y}) -> {integers(shape)}")
            made.append(f"%w{k}")
        given = ", ".join(f"{n}: {integers(s)}" for n, s in zip(names, inputs))
        head = f"region @{len(self.regions)}({given}) -> {results([integers(s) for s in outputs])} {{"
        self.regions.append("\n".join([head, *lines, f"  return {', '.join(made)}", "}"]))
        return len(self.regions) - 1

    def cond(self):
        given = [self.pick() for _ in range(self.r.randint(1, 4))]
        shapes = [self.r.choice(given)[1] for _ in range(self.r.randint(1, 2))]
        yes, no = (self.region([s for _, s in given], shapes, 0) for _ in range(2))
        self.add(f"cond(%p, {', '.join(n for n, _ in given)}) true_region[{yes}] false_region[{no}]", *shapes)

    def scan(self):
        given = [self.pick() for _ in range(self.r.randint(1, 4))]
        xs, shape = self.pick(lambda s: s and s[0] < 6)
        carried = [s for _, s in given]
        stacked = [shape[1:]] if self.r.random() < 0.5 else []
        body = self.region([*carried, shape[1:]], carried + stacked, len(carried))
        self.add(f"scan({', '.join(n for n, _ in given)}, {xs}) body_region[{body}] carry_count[{len(carried)}] "
                 f"scan_output_count[{len(stacked)}]", *carried, *[shape[:1] + s for s in stacked])

    def text(self):
        given = ", ".join(f"{n}: {type_of(*t)}" for n, t in INPUTS.items())
        head = f"func @main({given}) -> {results([integers(s) for _, s in self.outputs])} {{"
        body = [head, *self.lines, f"  return {', '.join(n for n, _ in self.outputs)}", "}"]
        return "\n\n".join(["\n".join(body), *self.regions]) + "\n"

    def arguments(self):
        least = self.r.choice([0, 1])  # of divisors
        most = self.r.choice([2, 4])  # of positions
        def draw(low, high, *shape):
            if shape:
                return f"[{','.join(draw(low, high, *shape[1:]) for _ in range(shape[0]))}]"
            return str(self.r.randint(low, high))
        given = {"a": draw(-3, 6, 4), "b": draw(least, 3, 4), "x": draw(-2, 5, 3, 4), "i": draw(0, most, 4),
                 "k": draw(0, 3, 1), "s": draw(0, 4), "p": self.r.choice(["true", "false"])}
        return [word for name, value in given.items() for word in ("--input", f"{name}={value}")]


def check_program(seed):
    program = Program(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.ptir"
        path.write_text(program.text())
        given = program.arguments()
        found = []
        for way in WAYS:
            done = start("run", path, *way, "--print", *given)
            found.append((done.returncode, done.stdout if done.returncode == 0 else ""))
        if found[0][0] in (0, STOPPED) and found == [found[0]] * len(WAYS):
            return found[0][0], None
        said = "\n".join(f"{' '.join(way)}: {status} {text}" for way, (status, text) in zip(WAYS, found))
        return found[0][0], f"FAILED seed {seed}: {' '.join(given)}\n{said}\n{program.text()}"


def main():
    count = int(os.environ.get("RANDOM_FAILING", "200"))
    first = int(os.environ.get("RANDOM_SEED", "1"))
    failed = stopped = 0
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for status, message in pool.map(check_program, range(first, first + count), chunksize=5):
            stopped += status == STOPPED
            if message:
                failed += 1
                print(message, flush=True)
    print(f"{stopped} stopped")
    print(f"{count - failed} passed, {failed} failed")
    return failed != 0 or (count >= 100 and not 0 < stopped < count)


if __name__ == "__main__":
    sys.exit(main())
