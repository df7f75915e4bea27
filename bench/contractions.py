"""Contractions beside the large products of f32: small ones and batches of them, of f64, attention with a mask, with
queries that share keys, and of one token over a cache. Part of corners.py, which writes the programs out."""
import math

F = 4  # bytes of a float

# name: batches, M, K, N, dtype, operands that lie transposed
PRODUCTS = {**{f"bmm-{b}x{s}x{s}x{s}": (b, s, s, s, "f32", "") for b in (1, 64) for s in (16, 32, 48, 64)},
            **{f"mm-f64-{s}{'-' + w if w else ''}": (1, s, s, s, "f64", w)
               for s, w in ((256, ""), (1024, ""), (1024, "a"), (1024, "b"), (1009, "ab"))},
            **{f"mm-{s}-{w}": (1, s, s, s, "f32", w) for s in (512, 1009) for w in ("a", "b", "ab")}}


class Attention:
    """HEADS of keys, each for SHARING heads of queries, of WIDTH; QUERIES positions over KEYS; a causal mask perhaps."""

    def __init__(self, heads, sharing, queries, keys, width, is_causal=False):
        self.heads, self.sharing, self.queries, self.keys, self.width = heads, sharing, queries, keys, width
        self.is_causal = is_causal

    def shapes(self):
        return ((self.heads, self.sharing, self.queries, self.width), (self.heads, self.keys, self.width),
                (self.heads, self.sharing, self.queries, self.keys))

    def text(self):
        q, k, s = (of(shape) for shape in self.shapes())
        one = of(self.shapes()[2][:3] + (1,))
        masked = of((self.queries, self.keys))
        wide = f"result_shape{list(self.shapes()[2])} -> {s}"
        lines = [f"%s = dot_general(%q, %k) batch_lhs[0] batch_rhs[0] contract_lhs[3] contract_rhs[2] -> {s}",
                 f"%c = constant fill[{1 / math.sqrt(self.width)}] -> {s}", f"%t = mul(%s, %c) -> {s}"]
        u = "%t"
        if self.is_causal:
            lines += [f"%n = broadcast_to(%m) {wide}", f"%u = add(%t, %n) -> {s}"]
            u = "%u"
        lines += [f"%h = reduce_max({u}) axes[3] keepdims[true] -> {one}", f"%i = broadcast_to(%h) {wide}",
                  f"%d = sub({u}, %i) -> {s}", f"%e = exp(%d) -> {s}",
                  f"%z = reduce_sum(%e) axes[3] keepdims[true] -> {one}", f"%j = broadcast_to(%z) {wide}",
                  f"%p = div(%e, %j) -> {s}",
                  f"%y = dot_general(%p, %v) batch_lhs[0] batch_rhs[0] contract_lhs[3] contract_rhs[1] -> {q}"]
        return (f"func @main(%q: {q}, %k: {k}, %v: {k}{f', %m: {masked}' if self.is_causal else ''}) -> {q} {{\n  "
                + "\n  ".join(lines) + "\n  return %y\n}\n")

    def work(self):
        """Operations, bytes read, bytes written."""
        q, k, s = (math.prod(shape) for shape in self.shapes())
        return 4 * s * self.width, F * (q + 2 * k + self.is_causal * self.queries * self.keys), F * q


ATTENTION = {**{f"attention-masked-{s}": Attention(12, 1, s, s, 64, True) for s in (128, 512, 1024)},
             "attention-grouped-512": Attention(8, 4, 512, 512, 64),
             **{f"attention-decode-{s}": Attention(12, 1, 1, s, 64) for s in (1024, 8192)},
             **{f"attention-decode-grouped-{s}": Attention(8, 4, 1, s, 64) for s in (1024, 8192)}}

COUNT, PLACES = 1 << 20, 1 << 16  # numbers that are added to places


def of(shape, dtype="f32"):
    return f"tensor<{dtype}, {'x'.join(map(str, shape))}>"


def product_text(b, m, k, n, dtype, which):
    a, w, c = (of(((b,) if b > 1 else ()) + shape, dtype)
               for shape in ((k, m) if "a" in which else (m, k), (n, k) if "b" in which else (k, n), (m, n)))
    first = int(b > 1)
    axes = f"contract_lhs[{first + ('a' not in which)}] contract_rhs[{first + ('b' in which)}]"
    if b > 1:
        axes = "batch_lhs[0] batch_rhs[0] " + axes
    return f"func @main(%a: {a}, %b: {w}) -> {c} {{\n  %c = dot_general(%a, %b) {axes} -> {c}\n  return %c\n}}\n"


TEXTS = {**{name: product_text(*what) for name, what in PRODUCTS.items()},
         **{name: what.text() for name, what in ATTENTION.items()},
         "scatter-add-scalars": f"func @main(%x: {of((PLACES,))}, %i: {of((COUNT,), 'si32')}, %u: {of((COUNT,))}) -> "
                                f"{of((PLACES,))} {{\n  %y = scatter_add(%x, %i, %u) update_window_dims[] inserted_window_dims[0] "
                                f"scatter_dims_to_operand_dims[0] -> {of((PLACES,))}\n  return %y\n}}\n"}


def work_of(name):
    """Operations, bytes read, bytes written, and the bytes of a number."""
    if name in ATTENTION:
        return (*ATTENTION[name].work(), F)
    if name not in PRODUCTS:
        return 0, F * (2 * COUNT + PLACES), F * PLACES, F
    b, m, k, n, dtype, _ = PRODUCTS[name]
    size = 8 if dtype == "f64" else F
    return 2 * b * m * k * n, size * b * (m * k + k * n), size * b * m * n, size


# ---- other libraries ----

def products(new, empty, multiply):
    def make(b, m, k, n, dtype, which):
        lead = (b,) if b > 1 else ()
        x = new(*lead, k, m, dtype=dtype).swapaxes(-1, -2) if "a" in which else new(*lead, m, k, dtype=dtype)
        y = new(*lead, n, k, dtype=dtype).swapaxes(-1, -2) if "b" in which else new(*lead, k, n, dtype=dtype)
        z = empty(*lead, m, n, dtype=dtype)
        return lambda: multiply(x, y, out=z)

    return {name: (lambda what=what: make(*what)) for name, what in PRODUCTS.items()}


def numpy_work(np, new):
    def scalars():
        i, u = np.random.default_rng(1).integers(0, PLACES, COUNT), new(COUNT)
        return lambda: np.bincount(i, u, PLACES)

    return {**products(lambda *s, dtype: new(*s).astype(dtype.replace("f", "float")),
                       lambda *s, dtype: np.empty(s, dtype.replace("f", "float")), np.matmul),
            "scatter-add-scalars": scalars}


def torch_work(torch, new, empty):
    kinds = {"f32": torch.float32, "f64": torch.float64}

    def attention(what):
        shape, keys, _ = what.shapes()
        q, k, v = new(*shape), new(*keys), new(*keys)
        mask = torch.full((what.queries, what.keys), -math.inf).triu(1)
        scale = 1 / math.sqrt(what.width)
        q = q.reshape(what.heads, what.sharing * what.queries, what.width)

        def run():
            scores = torch.bmm(q, k.transpose(1, 2)).mul_(scale)
            if what.is_causal:
                scores.add_(mask)
            return torch.bmm(torch.softmax(scores, -1), v)
        return run

    def scalars():
        x, i, u = new(PLACES), torch.randint(PLACES, (COUNT,)), new(COUNT)
        return lambda: x.index_add_(0, i, u)

    return {**products(lambda *s, dtype: new(*s).to(kinds[dtype]), lambda *s, dtype: empty(*s).to(kinds[dtype]),
                       lambda x, y, out: torch.matmul(x, y, out=out)),
            **{name: (lambda what=what: attention(what)) for name, what in ATTENTION.items()},
            "scatter-add-scalars": scalars}
