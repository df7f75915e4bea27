"""Ops with kernels of their own and ops that are lowered, at sizes that fill vectors, blocks and
tiles: both engines give the same bits, on one thread and on several.

LOOPS says how many programs (6), RANDOM_SEED where to start (1). All data is
drawn in the programs themselves. A failing program is printed.
"""
import os
import pathlib
import random
import sys
import tempfile

from lib import npy
from lib.program import start

DTYPES = ("f32", "f32", "f64", "bf16", "f16", "fp8_e4m3", "si32", "si8", "ui8", "si64", "ui16", "i1",
          "si4")
EXTENTS = (1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 40, 65)


def text(dtype, shape):
    return f"tensor<{dtype}, {'x'.join(map(str, shape))}>" if shape else f"tensor<{dtype}>"


class Program:
    def __init__(self, rng):
        self.rng, self.lines, self.outputs, self.n = rng, [], [], 0

    def add(self, body, dtype, shape):
        self.n += 1
        self.lines.append(f"  %v{self.n} = {body} -> {text(dtype, shape)}")
        return f"%v{self.n}"

    def output(self, body, dtype, shape):
        self.outputs.append((self.add(body, dtype, shape), text(dtype, shape)))

    def data(self, dtype, shape, scale=4):
        """Random numbers; with few distinct values in most dtypes."""
        x = self.add("rng_normal", "f32", shape)
        s = self.add(f"constant fill[{scale}.0]", "f32", shape)
        x = self.add(f"mul({x}, {s})", "f32", shape)
        return x if dtype == "f32" else self.add(f"cast({x})", dtype, shape)

    def positions(self, shape, extent, dtype=None):
        dtype = dtype or self.rng.choice(("si32", "si64"))
        x = self.add("rng_uniform", "f32", shape)
        s = self.add(f"constant fill[{extent}.0]", "f32", shape)
        return self.add(f"cast({self.add(f'mul({x}, {s})', 'f32', shape)})", dtype, shape)

    def shape(self, low, high):
        return [self.rng.choice(EXTENTS) for _ in range(self.rng.randint(low, high))]

    # ---- the ops ----

    def draws(self):
        shape = self.shape(1, 3)
        self.output(self.rng.choice(("rng_uniform", "rng_normal")),
                    self.rng.choice(("f32", "f64", "bf16", "f16", "fp8_e5m2")), shape)

    def take(self):
        d, shape, places = self.rng.choice(DTYPES), self.shape(1, 3), self.shape(0, 2)
        x, i = self.data(d, shape), self.positions(places, shape[0])
        made = places + shape[1:]
        y = self.add(f"take({x}, {i})", d, made)
        if d in ("f32", "bf16", "si32"):
            self.output(f"add({y}, {self.data(d, made)})", d, made)
        else:
            self.outputs.append((y, text(d, made)))

    def gather(self):
        d, shape = self.rng.choice(DTYPES), self.shape(1, 3)
        axis = self.rng.randrange(len(shape))
        made = list(shape)
        made[axis] = self.rng.choice(EXTENTS)
        i = self.positions(made, shape[axis])
        self.output(f"gather({self.data(d, shape)}, {i}) axis[{axis}]", d, made)

    def windows(self):
        d, shape = self.rng.choice(DTYPES), self.shape(1, 4)
        sizes = [self.rng.randint(1, n) for n in shape]
        start = self.positions([len(shape)], 70)
        x = self.data(d, shape)
        listed = ", ".join(map(str, sizes))
        self.output(f"dynamic_slice({x}, {start}) sizes[{listed}]", d, sizes)
        u = self.data(d, sizes)
        y = self.add(f"dynamic_update_slice({x}, {u}, {start}) sizes[{listed}]", d, shape)
        self.outputs.append((y, text(d, shape)))
        if self.rng.random() < 0.5:
            again = self.positions([len(shape)], 40)
            self.output(f"dynamic_update_slice({y}, {u}, {again}) sizes[{listed}]", d, shape)

    def arg_max(self):
        d, shape = self.rng.choice([d for d in DTYPES]), self.shape(1, 3)
        axis = self.rng.randrange(len(shape))
        made = shape[:axis] + shape[axis + 1:]
        o = self.rng.choice(("si32", "si64"))
        self.output(f"arg_max({self.data(d, shape)}) axis[{axis}] output_dtype[{o}]", o, made)

    def top_k(self):
        d, shape = self.rng.choice(DTYPES), self.shape(1, 3)
        axis = self.rng.randrange(len(shape))
        k = self.rng.randint(1, shape[axis])
        made = list(shape)
        made[axis] = k
        o, largest = self.rng.choice(("si32", "si64")), self.rng.choice(("true", "false"))
        self.n += 1
        self.lines.append(f"  %v{self.n} = top_k({self.data(d, shape)}) k[{k}] axis[{axis}] "
                          f"largest[{largest}] indices_dtype[{o}] -> ({text(d, made)}, "
                          f"{text(o, made)})")
        name = self.lines[-1].split()[0]
        self.outputs += [(name + "[0]", text(d, made)), (name + "[1]", text(o, made))]

    def sort(self):
        d, shape = self.rng.choice(DTYPES), self.shape(1, 3)
        axis, descending = self.rng.randrange(len(shape)), self.rng.choice(("true", "false"))
        o, e = self.rng.choice(("si32", "si64")), self.rng.choice(DTYPES)
        x, y = self.data(d, shape), self.data(e, shape)
        self.output(f"argsort({x}) axis[{axis}] descending[{descending}] indices_dtype[{o}]", o, shape)
        self.n += 1
        self.lines.append(f"  %v{self.n} = sort({x}, {y}) axis[{axis}] descending[{descending}] -> "
                          f"({text(d, shape)}, {text(e, shape)})")
        name = self.lines[-1].split()[0]
        self.outputs += [(name + "[0]", text(d, shape)), (name + "[1]", text(e, shape))]

    def cumulative(self):
        kind = self.rng.choice(("sum", "prod", "max", "min"))
        d, shape = self.rng.choice(DTYPES[:-2]), self.shape(1, 3)
        flags = [self.rng.choice(("true", "false")) for _ in range(2)]
        self.output(f"cumulative({self.data(d, shape)}) kind[{kind}] axis[{self.rng.randrange(len(shape))}] "
                    f"exclusive[{flags[0]}] reverse[{flags[1]}]", d, shape)

    def segments(self):
        d, shape, n = self.rng.choice(DTYPES[:-2]), self.shape(1, 3), self.rng.choice(EXTENTS)
        kind = self.rng.choice(("sum", "max"))
        i = self.positions(shape[:1], n)
        self.output(f"segment_reduce({self.data(d, shape)}, {i}) kind[{kind}] num_segments[{n}]", d,
                    [n] + shape[1:])

    def scatter_reduce(self):
        d, shape = self.rng.choice(DTYPES[:-2]), self.shape(1, 3)
        axis = self.rng.randrange(len(shape))
        made = list(shape)
        made[axis] = self.rng.choice(EXTENTS)
        kind = self.rng.choice(("add", "max", "min", "replace"))
        i, u = self.positions(made, shape[axis]), self.data(d, made)
        self.output(f"scatter_reduce({self.data(d, shape)}, {i}, {u}) axis[{axis}] reduce[{kind}]",
                    d, shape)

    def scatter_add(self):
        d, shape = self.rng.choice(DTYPES[:-2]), self.shape(1, 2)
        n = self.rng.choice(EXTENTS)
        row = shape[1:] if self.rng.random() < 0.6 else [self.rng.randint(1, s) for s in shape[1:]]
        first = self.rng.random() < 0.3  # window axes before the others
        made = row + [n] if first else [n] + row
        window = ", ".join(str(i + (not first)) for i in range(len(row)))
        i, u = self.positions([n], shape[0]), self.data(d, made)
        self.output(f"scatter_add({self.data(d, shape)}, {i}, {u}) update_window_dims[{window}] "
                    "inserted_window_dims[0] scatter_dims_to_operand_dims[0]", d, shape)

    def layer_norm(self):
        d, shape = self.rng.choice(("f32", "f64", "bf16", "f16")), self.shape(1, 3)
        shape[-1] = self.rng.choice((1, 33, 768, 1025, 2100))
        axis = self.rng.randrange(len(shape))
        n = shape[axis]
        x, g, b = self.data(d, shape), self.data(d, [n]), self.data(d, [n])
        self.output(f"layer_norm({x}, {g}, {b}) epsilon[1e-5] feature_axis[{axis}]", d, shape)

    def columns(self):
        """Reductions along an axis that is not the last, of enough columns to take many at once."""
        d = self.rng.choice(("f32", "f32", "f64", "bf16", "si32", "si8"))
        rows = self.rng.choice((3, 31, 257, 300, 1025, 2100))
        columns = self.rng.choice((64, 129, 257, 520))
        shape = self.rng.choice(([rows, columns], [2, rows, columns]))
        made, axis = shape[:-2] + [columns], len(shape) - 2
        x = self.data(d, shape)
        square = self.add(f"mul({x}, {x})", d, shape)
        self.output(f"reduce_sum({x}) axes[{axis}]", d, made)
        self.output(f"reduce_sum({square}) axes[{axis}]", d, made)
        self.output(f"reduce_max({square}) axes[{axis}]", d, made)

    def reduce_window(self):
        d, shape = self.rng.choice(DTYPES[:-2]), self.shape(1, 3)
        window, strides, pads, base, dilation, made = [], [], [], [], [], []
        for n in shape:
            w, s, b, e = (self.rng.randint(1, 4) for _ in range(4))
            low, high = self.rng.randint(0, 3), self.rng.randint(0, 3)
            have, covered = (n - 1) * b + 1 + low + high, (w - 1) * e + 1
            if covered > have:
                w = covered = 1
            for values, v in ((window, w), (strides, s), (pads, (low, high)), (base, b),
                              (dilation, e), (made, (have - covered) // s + 1)):
                values.append(v)
        kind = self.rng.choice(("sum", "max", "min"))
        self.output(f"reduce_window({self.data(d, shape)}) window_dims{window} strides{strides} "
                    f"padding{pads} base_dilation{base} window_dilation{dilation} reduce[{kind}]",
                    d, made)

    def patches(self):
        d, shape = self.rng.choice(DTYPES), [self.rng.randint(1, 3)] + self.shape(1, 2) + [3]
        window, strides, pads, dilation, made, depth = [], [], [], [], shape[:1], 3
        for n in shape[1:-1]:
            w, s, e = (self.rng.randint(1, 3) for _ in range(3))
            low, high = self.rng.randint(0, 2), self.rng.randint(0, 2)
            covered = (w - 1) * e + 1
            if covered > n + low + high:
                w = covered = 1
            for values, v in ((window, w), (strides, s), (pads, (low, high)), (dilation, e)):
                values.append(v)
            made.append((n + low + high - covered) // s + 1)
            depth *= w
        number = "false" if d == "i1" else "1.0" if d[0] in "fb" else "1"
        self.output(f"extract_patches({self.data(d, shape)}) window{window} strides{strides} "
                    f"dilation{dilation} padding{pads} pad_value[{number}]", d, made + [depth])

    def quantized(self):
        shape, q = self.shape(1, 3), self.rng.choice(("si8", "ui8", "si4", "si16"))
        x = self.data("f32", shape, 60)
        axis = self.rng.randrange(len(shape)) if self.rng.random() < 0.6 else None
        one = [] if axis is None else [shape[axis]]
        along = "" if axis is None else f"axis[{axis}] "
        s, t = self.data("f32", one), self.data("f32", one)
        z, y = self.data(q, one, 1), self.data("si8", one, 1)
        a = self.add(f"quantize({x}, {s}, {z}) {along}output_dtype[{q}]", q, shape)
        self.outputs.append((a, text(q, shape)))
        self.output(f"dequantize({a}, {s}, {z}) {along}output_dtype[f32]", "f32", shape)
        self.output(f"requantize({a}, {s}, {z}, {t}, {y}) {along}output_dtype[si8]", "si8", shape)
        self.output(f"quantize({x}, {s}) {along}output_dtype[{q}]", q, shape)

    def holes(self):
        d, shape = self.rng.choice(DTYPES), self.shape(1, 3)
        low, high, holes = ([self.rng.randint(0, 3) for _ in shape] for _ in range(3))
        made = [l + n + (n - 1) * i + h for l, h, i, n in zip(low, high, holes, shape)]
        number = "false" if d == "i1" else "1.0" if d[0] in "fb" else "1"
        self.output(f"pad({self.data(d, shape)}) low{low} high{high} interior{holes} "
                    f"pad_value[{number}]", d, made)

    def source(self):
        types = ", ".join(t for _, t in self.outputs)
        names = ", ".join(n for n, _ in self.outputs)
        return (f"func @main() -> ({types}) {{\n" + "\n".join(self.lines) +
                f"\n  return {names}\n}}\n")


OPS = (Program.draws, Program.take, Program.gather, Program.windows, Program.arg_max,
       Program.top_k, Program.sort, Program.cumulative, Program.segments, Program.scatter_reduce, Program.scatter_add,
       Program.layer_norm, Program.columns, Program.reduce_window, Program.patches, Program.quantized,
       Program.holes)


def grad_input(rng):
    """A program of the other dialect: the derivative of a convolution by its input."""
    n, h, w, ci, co = rng.randint(1, 2), rng.randint(1, 9), rng.randint(1, 9), 0, 0
    ci, co = rng.choice((1, 3, 16, 19)), rng.choice((1, 5, 64, 300))
    kh, kw, sh, sw = (rng.randint(1, 4) for _ in range(4))
    pads = [[rng.randint(0, kh - 1), rng.randint(0, kh - 1)],
            [rng.randint(0, kw - 1), rng.randint(0, kw - 1)]]
    h, w = h + kh, w + kw
    ho, wo = (h + sum(pads[0]) - kh) // sh + 1, (w + sum(pads[1]) - kw) // sw + 1
    d = rng.choice(("f32", "f64", "i32", "i64"))
    return (f'%0 = Input () {{name="dy"}} : tensor<{d}>[{n}, {ho}, {wo}, {co}]\n'
            f'%1 = Input () {{name="w"}} : tensor<{d}>[{kh}, {kw}, {ci}, {co}]\n'
            f'%2 = Conv2dGradInput (%0, %1) {{input_shape=[{n}, {h}, {w}, {ci}], '
            f'padding=Custom({pads}), strides=[{sh}, {sw}]}} : tensor<{d}>[{n}, {h}, {w}, {ci}]\n'
            'outputs: %2\n')


def results(path, folder, *options):
    done = start("run", path, "--random", "7", "--output", folder, *options)
    if done.returncode:
        return done.stderr
    return [npy.read_npy(p) for p in
            sorted(pathlib.Path(folder).glob("*.npy"), key=lambda p: int(p.stem))]


def same(a, b, types):
    """The numbers of the outputs that differ; NaN equals NaN."""
    bad = []
    for k, (x, y) in enumerate(zip(a, b)):
        dtype = types[k] if types else x[0]
        raws = [npy.same_narrow_nan(dtype, npy.same_nan(v[0], v[2])) for v in (x, y)]
        if raws[0] != raws[1]:
            bad.append(k)
    return bad


def check(name, source, types, folder):
    path = pathlib.Path(folder) / name
    path.write_text(source)
    outs = []
    for k, options in enumerate((("--engine", "ref"), ("--engine", "jit", "--threads", "1"),
                                 ("--engine", "jit", "--threads", "3", "--check"))):
        out = pathlib.Path(folder) / f"{path.stem}-{k}"
        out.mkdir()
        outs.append(results(path, out, *options))
        if isinstance(outs[-1], str):
            return f"{options}: {outs[-1]}"
    for o in outs[1:]:
        if bad := same(outs[0], o, types):
            return f"outputs {bad} differ between the engines"
    return None


def main():
    failed, n = 0, int(os.environ.get("LOOPS", "6"))
    seed = int(os.environ.get("RANDOM_SEED", "1"))
    with tempfile.TemporaryDirectory() as folder:
        for k in range(n):
            rng = random.Random(seed + k)
            p = Program(rng)
            for op in OPS:
                op(p)
            types = [t[7:-1].split(",")[0] for _, t in p.outputs]
            todo = [(f"p{k}.ptir", p.source(), types), (f"g{k}.ir", grad_input(rng), None)]
            for name, source, dtypes in todo:
                if fault := check(name, source, dtypes, folder):
                    failed += 1
                    print(f"seed {seed + k}: {fault}\n{source}")
    print(f"{2 * n - failed} passed, {failed} failed")
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
