"""Work along an axis in order: cumulative sums, sorting, the largest few. Part of corners.py, which
writes the programs out."""
F = 4  # bytes of a float
MILLION = 1 << 20


def one_text(shape, op, dtype="f32"):
    return (f"func @main(%x: tensor<f32, {shape}>) -> tensor<{dtype}, {shape}> {{\n"
            f"  %y = {op} -> tensor<{dtype}, {shape}>\n  return %y\n}}\n")


def top_text(shape, k):
    kept = "x".join(shape.split("x")[:-1] + [str(k)])
    both = f"(tensor<f32, {kept}>, tensor<si64, {kept}>)"
    return (f"func @main(%x: tensor<f32, {shape}>) -> {both} {{\n  %y = top_k(%x) k[{k}] axis[-1] "
            f"largest[true] indices_dtype[si64] -> {both}\n  return %y[0], %y[1]\n}}\n")


# name: shape, axis
CUMULATIVE = {"cumsum-rows": ("1024x1024", 1), "cumsum-columns": ("1024x1024", 0),
              "cumsum-1m": (str(MILLION), 0)}
SORTS = {"1m": (str(MILLION), 0), "rows": ("1024x1024", 1), "short": ("65536x16", 1),
         "hundreds": ("4096x100", 1), "columns": ("1024x1024", 0)}
# name: shape, k
TOP = {**{f"top-{k}": (str(MILLION), k) for k in (50, 64, 256, 1000)},
       "top-50-of-rows": ("256x32768", 50), "top-8-of-rows": ("1024x1024", 8),
       "top-2-of-rows": ("131072x8", 2), "top-10-of-hundreds": ("4096x100", 10), "top-5-of-words": ("8x50257", 5)}

TEXTS = {name: one_text(shape, f"cumulative(%x) kind[sum] axis[{axis}]")
         for name, (shape, axis) in CUMULATIVE.items()}
TEXTS.update({f"sort-{name}": one_text(shape, f"sort(%x) axis[{axis}]")
              for name, (shape, axis) in SORTS.items()})
TEXTS.update({f"argsort-{name}": one_text(shape, f"argsort(%x) axis[{axis}] indices_dtype[si64]", "si64")
              for name, (shape, axis) in SORTS.items()})
TEXTS.update({name: top_text(*what) for name, what in TOP.items()})


def dims(shape):
    return tuple(map(int, shape.split("x")))


def elements(shape):
    count = 1
    for n in dims(shape):
        count *= n
    return count


# The bytes that must be read and written.
MOVED = {name: (F * elements(shape), F * elements(shape)) for name, (shape, _) in CUMULATIVE.items()}
MOVED.update({f"sort-{name}": (F * elements(s), F * elements(s)) for name, (s, _) in SORTS.items()})
MOVED.update({f"argsort-{name}": (F * elements(s), 8 * elements(s)) for name, (s, _) in SORTS.items()})
MOVED.update({name: (F * elements(shape), 12 * elements(shape) // dims(shape)[-1] * k)
              for name, (shape, k) in TOP.items()})


# ---- other libraries ----

def numpy_work(np, new):
    def cumulative(shape, axis):
        x = new(*dims(shape))
        y = np.empty_like(x)
        return lambda: np.cumsum(x, axis, out=y)

    def sort(shape, axis, by):
        x = new(*dims(shape))
        return lambda: by(x, axis)

    work = {name: (lambda w=w: cumulative(*w)) for name, w in CUMULATIVE.items()}
    for name, w in SORTS.items():
        work[f"sort-{name}"] = lambda w=w: sort(*w, np.sort)
        work[f"argsort-{name}"] = lambda w=w: sort(*w, np.argsort)
    return work


def torch_work(torch, new):
    def cumulative(shape, axis):
        x = new(*dims(shape))
        y = torch.empty_like(x)
        return lambda: torch.cumsum(x, axis, out=y)

    def sort(shape, axis, by):
        x = new(*dims(shape))
        return lambda: by(x, axis)

    def top(shape, k):
        x = new(*dims(shape))
        return lambda: torch.topk(x, k)

    work = {name: (lambda w=w: cumulative(*w)) for name, w in CUMULATIVE.items()}
    for name, w in SORTS.items():
        work[f"sort-{name}"] = lambda w=w: sort(*w, torch.sort)
        work[f"argsort-{name}"] = lambda w=w: sort(*w, torch.argsort)
    work.update({name: (lambda w=w: top(*w)) for name, w in TOP.items()})
    return work
