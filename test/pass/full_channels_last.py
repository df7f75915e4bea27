"""Random networks of images whose channels come first: with them last, which -O2 chooses, the bits are the evaluator's."""
import random

from lib.every_way import differences, report
from lib.program import output

SEEDS, LEAST_TURNED = 36, 20


class Network:
    """PTIR text, made one operation after the other. Images are pairs of a name and a shape [n, c, spatial...]."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.inputs, self.lines = [], []
        self.kind = self.draw.choice(("f32", "f32", "f32", "f64", "f16"))

    def type(self, shape):
        return f"tensor<{self.kind}, {'x'.join(map(str, shape))}>"

    def input(self, shape):
        name = f"%in{len(self.inputs)}"
        self.inputs.append(f"{name}: {self.type(shape)}")
        return name

    def put(self, text, shape):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text} -> {self.type(shape)}")
        return name, tuple(shape)

    def convolution(self, x):
        name, (n, c, *size) = x
        groups = self.draw.choice([g for g in (1, 1, 2, c) if c % g == 0])
        to = groups * self.draw.choice((1, 2)) if groups > 1 else self.draw.choice((8, 8, 12, 16, 20, 5))
        taps = [self.draw.randint(1, min(3, s)) for s in size]
        strides = [self.draw.choice((1, 1, 2)) for _ in size]
        pads = [(self.draw.randint(0, k // 2), self.draw.randint(0, k // 2)) for k in taps]
        ones = [1] * len(size)
        out = [(s + low + high - k) // t + 1 for s, k, t, (low, high) in zip(size, taps, strides, pads)]
        filters = [to, c // groups, *taps]
        if self.draw.random() < 0.5:
            w, _ = self.put(f"constant fill[{self.draw.choice((0.5, -1.25))}]", filters)
        else:
            w = self.input(filters)
        return self.put(f"convolution({name}, {w}) strides{strides} padding{pads} base_dilation{ones} dilation{ones} "
                        f"groups[{groups}]", [n, to, *out])

    def channels(self, x):
        """A number for each channel, everywhere."""
        b = self.input([1, x[1][1]] + [1] * (len(x[1]) - 2))
        return self.put(f"broadcast_to({b}) result_shape{list(x[1])}", x[1])

    def joined(self, x):
        op = self.draw.choice(("add", "mul", "maximum"))
        other = self.draw.choice((self.channels(x), self.put(f"tanh({x[0]})", x[1])))
        pair = [x[0], other[0]]
        self.draw.shuffle(pair)
        return self.put(f"{op}({', '.join(pair)})", x[1])

    def unary(self, x):
        return self.put(f"{self.draw.choice(('tanh', 'neg', 'abs', 'sigmoid'))}({x[0]})", x[1])

    def pool(self, x):
        n, c, *size = x[1]
        taps = [1, 1, *(self.draw.randint(1, min(3, s)) for s in size)]
        strides = [1, 1, *(self.draw.choice((1, 2)) for _ in size)]
        ones, pads = [1] * len(taps), [(0, 0)] * len(taps)
        out = [n, c, *((s - k) // t + 1 for s, k, t in zip(size, taps[2:], strides[2:]))]
        return self.put(f"reduce_window({x[0]}) window_dims{taps} strides{strides} padding{pads} base_dilation{ones} "
                        f"window_dilation{ones} reduce[{self.draw.choice(('max', 'sum', 'min'))}]", out)

    def padded(self, x):
        low, high = ([0, self.draw.randint(0, 1), *(self.draw.randint(0, 2) for _ in x[1][2:])] for _ in range(2))
        return self.put(f"pad({x[0]}) low{low} high{high} interior{[0] * len(low)} pad_value[0.5]",
                        [s + a + b for s, a, b in zip(x[1], low, high)])

    def part(self, x):
        starts = [self.draw.randint(0, s // 4) for s in x[1]]
        sizes = [s - a for s, a in zip(x[1], starts)]
        return self.put(f"slice({x[0]}) starts{starts} sizes{sizes}", sizes)

    def doubled(self, x):
        y = self.unary(x)
        axis = self.draw.choice((1, 1, 2))
        shape = list(x[1])
        shape[axis] *= 2
        return self.put(f"concat({x[0]}, {y[0]}) axis[{axis}]", shape)

    def excited(self, x):
        """x times a number for each channel that is computed from x."""
        spatial = list(range(2, len(x[1])))
        s = self.put(f"reduce_sum({x[0]}) axes{spatial} keepdims[true]", [*x[1][:2], *[1] * len(spatial)])
        s = self.convolution(s)
        s = self.put(f"sigmoid({s[0]})", s[1])
        if s[1] != (*x[1][:2], *[1] * len(spatial)):
            return x
        b = self.put(f"broadcast_to({s[0]}) result_shape{list(x[1])}", x[1])
        return self.put(f"mul({x[0]}, {b[0]})", x[1])

    def patches(self, x):
        """Positions one after the other, and then the channels of each."""
        n, c, *size = x[1]
        count = 1
        for s in size:
            count *= s
        y = self.put(f"reshape({x[0]}) new_shape[{n}, {c}, {count}]", [n, c, count])
        return self.put(f"transpose({y[0]}) perm[0, 2, 1]", [n, count, c])

    def end(self, x):
        spatial = list(range(2, len(x[1])))
        if self.draw.random() < 0.2:
            return self.patches(x)
        if self.draw.random() < 0.9:
            return self.put(f"{self.draw.choice(('reduce_sum', 'reduce_max'))}({x[0]}) axes{spatial}", x[1][:2])
        if self.draw.random() < 0.5:
            return self.put(f"reduce_sum({x[0]}) axes[1]", [x[1][0], *x[1][2:]])
        return x


def program(seed):
    """A random network as PTIR."""
    w = Network(seed)
    size = {1: [24], 2: [11, 9], 3: [5, 6, 4]}[w.draw.choice((1, 2, 2, 2, 3))]
    shape = [w.draw.randint(1, 3), w.draw.choice((3, 8, 8)), *size]
    x = (w.input(shape), tuple(shape))
    x = w.convolution(x)
    for _ in range(w.draw.randint(3, 8)):
        step = w.draw.choice((w.convolution, w.convolution, w.convolution, w.joined, w.unary, w.pool, w.padded, w.part,
                              w.doubled, w.excited))
        x = step(x)
    ends = [w.end(x)] + ([x] if w.draw.random() < 0.1 else [])
    types = ", ".join(w.type(shape) for _, shape in ends)
    return "\n".join([f"func @main({', '.join(w.inputs)}) -> ({types}) {{", *w.lines,
                      f"  return {', '.join(name for name, _ in ends)}", "}", ""])


turned = []


def check(asked, folder, seed, text):
    source = folder / f"{seed}.ptir"
    source.write_text(text)
    turned.append("out_axes[0, " in output("opt", source, "--passes", "channels-last"))
    faults = differences(asked, source, [f"random={seed}"])
    if seed + 1 == SEEDS and sum(turned) < LEAST_TURNED:
        faults.append(f"only {sum(turned)} networks were turned")
    return faults


if __name__ == "__main__":
    report([(program(seed),) for seed in range(SEEDS)], check)
