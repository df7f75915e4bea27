"""Work that users meet early and that is easily slow: products of all shapes and transpositions,
rows by number, elementary functions, loops, and what orders.py, convolutions.py, contractions.py, everyday.py and
moves.py have. Programs are written out by `write`, into files that are named after the work; what NumPy and PyTorch do
for it is in peer.py.
"""
import re

import contractions
import convolutions
import everyday
import moves
import orders

F = 4  # bytes of a float
MILLION = 1 << 20

# Products are named M x K x N, then the operands that lie transposed.
PRODUCTS = ["mm-8x4096x4096", "mm-16x4096x4096", "mm-32x4096x4096", "mm-64x4096x4096",
            "mm-512x8192x512-a", "mm-64x65536x64-a", "mm-2048x2048x2048-a",
            "mm-2048x2048x2048-b", "mm-2048x2048x2048-ab", "mm-997x1009x1013", "mm-1000x1000x1", "mm-4096x4096x1"]


def product_of(name):
    """M, K, N and which operands are transposed."""
    m, k, n, which = re.fullmatch(r"mm-(\d+)x(\d+)x(\d+)(?:-(a?b?))?", name).groups()
    return int(m), int(k), int(n), which or ""


def product_text(name):
    m, k, n, which = product_of(name)
    a = f"tensor<f32, {k}x{m}>" if "a" in which else f"tensor<f32, {m}x{k}>"
    b = f"tensor<f32, {n}x{k}>" if "b" in which else f"tensor<f32, {k}x{n}>"
    return (f"func @main(%a: {a}, %b: {b}) -> tensor<f32, {m}x{n}> {{\n"
            f"  %c = dot_general(%a, %b) contract_lhs[{int('a' not in which)}] "
            f"contract_rhs[{int('b' in which)}] -> tensor<f32, {m}x{n}>\n  return %c\n}}\n")


def unary_text(op):
    t = f"tensor<f32, {4 * MILLION}>"
    return f"func @main(%x: {t}) -> {t} {{\n  %y = {op}(%x) -> {t}\n  return %y\n}}\n"


# 64 k edges of a graph with 2048 vertices, or rows of a table of embeddings
EDGES, VERTICES, TABLE, WIDTH = 65536, 2048, 100_000, 128
X, ALL = f"tensor<f32, {VERTICES}x{WIDTH}>", f"tensor<f32, {EDGES}x{WIDTH}>"
IDS, LARGE = f"tensor<si32, {EDGES}>", f"tensor<f32, {TABLE}x{WIDTH}>"
SUM = (f"kind[sum] num_segments[{VERTICES}] indices_are_sorted[false] unique[false] -> {X}\n"
       "  return %y\n}\n")
LONG = f"tensor<si64, {2 * MILLION}>"

TEXTS = {
    "take": f"func @main(%x: {X}, %i: {IDS}) -> {ALL} {{\n  %y = take(%x, %i) -> {ALL}\n"
            "  return %y\n}\n",
    "segment-sum": f"func @main(%x: {ALL}, %j: {IDS}) -> {X} {{\n"
                   f"  %y = segment_reduce(%x, %j) {SUM}",
    "take-segment-sum": f"func @main(%x: {X}, %i: {IDS}, %j: {IDS}) -> {X} {{\n"
                        f"  %e = take(%x, %i) -> {ALL}\n  %y = segment_reduce(%e, %j) {SUM}",
    "scatter-add": f"func @main(%x: {LARGE}, %i: {IDS}, %u: {ALL}) -> {LARGE} {{\n"
                   "  %y = scatter_add(%x, %i, %u) update_window_dims[1] inserted_window_dims[0] "
                   f"scatter_dims_to_operand_dims[0] -> {LARGE}\n  return %y\n}}\n",
    "rsqrt": unary_text("rsqrt"),
    "sin": '{"uops": [{"id": "x", "uop": "INPUT", "arg": {"tensor_id": "x", "dtype": "fp32", '
           f'"shape": [{4 * MILLION}]}}}}, {{"id": "y", "uop": "SIN", "src": ["x"]}}]}}\n',
    "rng-normal": f"func @main() -> tensor<f32, {4 * MILLION}> {{\n  %y = rng_normal() -> "
                  f"tensor<f32, {4 * MILLION}>\n  return %y\n}}\n",
    "divide-si64": f"func @main(%x: {LONG}, %y: {LONG}) -> {LONG} {{\n"
                   f"  %o = constant fill[1] -> {LONG}\n  %d = maximum(%y, %o) -> {LONG}\n"
                   f"  %z = div(%x, %d) -> {LONG}\n  return %z\n}}\n",
    "scan-scalars": f"func @main(%c: tensor<f32>, %x: tensor<f32, {MILLION}>) -> "
                    f"tensor<f32, {MILLION}> {{\n  %s = scan(%c, %x) body_region[0] "
                    f"carry_count[1] scan_output_count[1] -> (tensor<f32>, tensor<f32, {MILLION}>)"
                    "\n  return %s[1]\n}\nregion @0(%c: tensor<f32>, %x: tensor<f32>) -> "
                    "(tensor<f32>, tensor<f32>) {\n  %s = add(%c, %x) -> tensor<f32>\n"
                    "  return %s, %s\n}\n",
}
TEXTS.update({name: product_text(name) for name in PRODUCTS})

# Integers of 8 bits, summed in 32
TEXTS["mm-si8-1024"] = (
    "func @main(%a: tensor<si8, 1024x1024>, %b: tensor<si8, 1024x1024>) -> tensor<si32, 1024x1024> {\n"
    "  %c = dot_general(%a, %b) contract_lhs[1] contract_rhs[0] accum_dtype[si32] out_dtype[si32] -> "
    "tensor<si32, 1024x1024>\n  return %c\n}\n")

# Sums of products of rows with rows: how many, and how long.
DOTS = {"dot-1m": (1, MILLION), "dot-16m": (1, 16 * MILLION), "dots-512x512": (512, 512), "dots-4096x64": (4096, 64)}
TEXTS.update({name: f"func @main(%a: tensor<f32, {m}x{k}>, %b: tensor<f32, {m}x{k}>) -> tensor<f32, {m}> {{\n"
                    "  %c = dot_general(%a, %b) batch_lhs[0] batch_rhs[0] contract_lhs[1] contract_rhs[1] -> "
                    f"tensor<f32, {m}>\n  return %c\n}}\n" for name, (m, k) in DOTS.items()})
TEXTS.update(orders.TEXTS)
TEXTS.update(convolutions.TEXTS)
TEXTS.update(contractions.TEXTS)
TEXTS.update(everyday.TEXTS)
TEXTS.update(moves.TEXTS)

# The bytes that must be read and written.
MOVED = {
    "take": (F * (VERTICES * WIDTH + EDGES), F * EDGES * WIDTH),
    "segment-sum": (F * (EDGES * WIDTH + EDGES), F * VERTICES * WIDTH),
    "take-segment-sum": (F * (VERTICES * WIDTH + 2 * EDGES), F * VERTICES * WIDTH),
    "scatter-add": (F * (TABLE * WIDTH + EDGES * WIDTH + EDGES), F * TABLE * WIDTH),
    "rsqrt": (4 * MILLION * F, 4 * MILLION * F),
    "sin": (4 * MILLION * F, 4 * MILLION * F),
    "rng-normal": (0, 4 * MILLION * F),
    "divide-si64": (2 * 2 * MILLION * 8, 2 * MILLION * 8),
    "scan-scalars": (MILLION * F, MILLION * F),
    "mm-si8-1024": (2 * MILLION, MILLION * F),
    **{name: (2 * F * m * k, F * m) for name, (m, k) in DOTS.items()},
    **orders.MOVED,
    **everyday.MOVED,
    **moves.MOVED,
}


def file_of(name):
    return name + (".tiny.json" if TEXTS[name][0] == "{" else ".ptir")


def write(folder):
    for name, text in TEXTS.items():
        (folder / file_of(name)).write_text(text)


# ---- other libraries ----

def numpy_work(np, new):
    def product(name):
        m, k, n, which = product_of(name)
        a = new(k, m).T if "a" in which else new(m, k)
        b = new(n, k).T if "b" in which else new(k, n)
        c = np.empty((m, n), np.float32)
        return lambda: np.matmul(a, b, out=c)

    def divide():
        rng = np.random.default_rng(1)
        x, y = rng.integers(-10**9, 10**9, (2, 2 * MILLION))
        y[y == 0] = 1
        z = np.empty_like(x)
        return lambda: np.floor_divide(x, y, out=z)

    def sine():
        x = new(4 * MILLION)
        y = np.empty_like(x)
        return lambda: np.sin(x, out=y)

    def rsqrt():
        x = abs(new(4 * MILLION))
        y = np.empty_like(x)
        return lambda: np.divide(np.float32(1), np.sqrt(x, out=y), out=y)

    def take():
        x, y = new(VERTICES, WIDTH), np.empty((EDGES, WIDTH), np.float32)
        ids = np.random.default_rng(1).integers(0, VERTICES, EDGES)
        return lambda: np.take(x, ids, axis=0, out=y, mode="clip")

    def running():
        x = new(MILLION)
        y = np.empty_like(x)
        return lambda: np.cumsum(x, out=y)

    def normal():
        rng, y = np.random.Generator(np.random.SFC64(1)), np.empty(4 * MILLION, np.float32)
        return lambda: rng.standard_normal(out=y, dtype=np.float32)

    def dots(m, k):
        a, b = new(m, k), new(m, k)
        return (lambda: np.dot(a[0], b[0])) if m == 1 else lambda: np.einsum("ij,ij->i", a, b)

    return {**{name: (lambda name=name: product(name)) for name in PRODUCTS},
            **{name: (lambda shape=shape: dots(*shape)) for name, shape in DOTS.items()},
            "divide-si64": divide, "sin": sine, "rsqrt": rsqrt, "take": take,
            "scan-scalars": running, "rng-normal": normal, **orders.numpy_work(np, new),
            **contractions.numpy_work(np, new), **everyday.numpy_work(np, new),
            **moves.numpy_work(np, new)}


def torch_work(torch, new, empty):
    def product(name):
        m, k, n, which = product_of(name)
        a = new(k, m).t() if "a" in which else new(m, k)
        b = new(n, k).t() if "b" in which else new(k, n)
        c = empty(m, n)
        return lambda: torch.mm(a, b, out=c)

    def ids(most):
        return torch.randint(most, (EDGES,))

    def take():
        x, i, y = new(VERTICES, WIDTH), ids(VERTICES), empty(EDGES, WIDTH)
        return lambda: torch.index_select(x, 0, i, out=y)

    def segments():
        x, j, y = new(EDGES, WIDTH), ids(VERTICES), empty(VERTICES, WIDTH)
        return lambda: y.zero_().index_add_(0, j, x)

    def take_segments():
        x, i, j = new(VERTICES, WIDTH), ids(VERTICES), ids(VERTICES)
        e, y = empty(EDGES, WIDTH), empty(VERTICES, WIDTH)

        def run():
            torch.index_select(x, 0, i, out=e)
            y.zero_().index_add_(0, j, e)
        return run

    def scatter():
        x, i, u = new(TABLE, WIDTH), ids(TABLE), new(EDGES, WIDTH)
        y = empty(TABLE, WIDTH)
        return lambda: y.copy_(x).index_add_(0, i, u)

    def unary(function):
        x, y = new(4 * MILLION).abs_(), empty(4 * MILLION)
        return lambda: function(x, out=y)

    def normal():
        y = empty(4 * MILLION)
        return lambda: y.normal_()

    def divide():
        x, y = torch.randint(-10**9, 10**9, (2, 2 * MILLION))
        y[y == 0] = 1
        z = torch.empty_like(x)
        return lambda: torch.div(x, y, rounding_mode="trunc", out=z)

    def running():
        x, y = new(MILLION), empty(MILLION)
        return lambda: torch.cumsum(x, 0, out=y)

    def dots(m, k):
        a, b, c, d = new(m, k), new(m, k), empty(m, k), empty(m)
        return (lambda: torch.dot(a[0], b[0])) if m == 1 else lambda: torch.sum(torch.mul(a, b, out=c), 1, out=d)

    return {**{name: (lambda name=name: product(name)) for name in PRODUCTS},
            **{name: (lambda shape=shape: dots(*shape)) for name, shape in DOTS.items()},
            "take": take, "segment-sum": segments, "take-segment-sum": take_segments,
            "scatter-add": scatter, "rsqrt": lambda: unary(torch.rsqrt),
            "sin": lambda: unary(torch.sin), "rng-normal": normal, "divide-si64": divide,
            "scan-scalars": running, **orders.torch_work(torch, new),
            **convolutions.torch_work(torch, new), **contractions.torch_work(torch, new, empty),
            **everyday.torch_work(torch, new),
            **moves.torch_work(torch, new)}
