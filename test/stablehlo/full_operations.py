"""Operations of StableHLO against NumPy: functions that check themselves, run by `tenon verify` on both engines."""
import math
import pathlib
import sys
import tempfile

import numpy as np

from lib.hlo_programs import Function, combine, element, region, type_of
from lib.program import start

PROGRAMS = []
FLOATS = [np.float16, np.float32, np.float64]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
RNG = np.random.default_rng(1)


def program(fill):
    """FILL makes a function, or several when it yields them."""
    PROGRAMS.append(fill)
    return fill


def floats(d, n=40, scale=10.0):
    special = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, np.finfo(d).max,
                        np.finfo(d).tiny, np.finfo(d).smallest_subnormal, -np.finfo(d).smallest_subnormal], d)
    return np.concatenate([special, (RNG.standard_normal(n) * scale).astype(d)])


def integers(d, n=24):
    info = np.iinfo(d)
    special = np.array([0, 1, 2, 3, info.max, info.max - 1, info.min, info.min + 1], d)
    return np.concatenate([special, RNG.integers(info.min, info.max, n, d, endpoint=True)])


def pairs(a):
    """Each element of A with each of a few of A."""
    few = a[:min(len(a), 18)]
    return np.repeat(a, len(few)), np.tile(few, len(a))


def same(name, x, want, *more, ulp=0):
    f = Function(name.replace("stablehlo.", "").replace("chlo.", "") + "_" + element(np.asarray(x)).replace("<", "_").replace(">", ""))
    (y,) = f.op(name, [x, *more], "", [type_of(np.asarray(want))])
    f.check(y, want, ulp=ulp if np.asarray(want).dtype.kind in "fc" else None)
    return f


def quiet(function, *arguments):
    with np.errstate(all="ignore"):
        return function(*arguments)


# ---- elementwise ----


@program
def float_unary():
    def afz(x):
        t = np.trunc(x)
        return np.where(np.abs(x - t) >= 0.5, t + np.sign(x), t).astype(x.dtype)
    exact = {"abs": np.abs, "negate": np.negative, "floor": np.floor, "ceil": np.ceil, "sqrt": np.sqrt,
             "round_nearest_even": np.round, "round_nearest_afz": afz, "sign": lambda x: np.where(x == 0, x, np.sign(x)),
             "is_finite": np.isfinite, "real": lambda x: x, "imag": lambda x: np.zeros_like(x)}
    near = {"exponential": np.exp, "log": np.log, "sine": np.sin, "cosine": np.cos, "tanh": np.tanh, "rsqrt": lambda x: 1 / np.sqrt(x),
            "exponential_minus_one": np.expm1, "log_plus_one": np.log1p, "tan": np.tan, "cbrt": np.cbrt,
            "logistic": lambda x: 1 / (1 + np.exp(-x))}
    for d in FLOATS:
        x = floats(d)
        for name, of in exact.items():
            yield same("stablehlo." + name, x, quiet(of, x))
        wide = x.astype(np.longdouble)
        for name, of in near.items():
            yield same("stablehlo." + name, x, quiet(lambda: of(wide).astype(d)), ulp=3)


@program
def special_functions():
    """By the C library, which Python has."""
    for d in FLOATS:
        x = floats(d)
        x = np.concatenate([x, RNG.uniform(-5, 12, 60).astype(d), np.array([-1, -2, -2.5, 1, 2, 170, 1e-3], d)])

        def each(of, values):
            return np.array([np.inf if np.isinf(v) or (v <= 0 and v == np.floor(v)) else v if v != v else of(v) for v in values.astype(float)])

        def digamma(v):
            shift = 0.0
            if v < 0:
                return digamma(1 - v) - math.pi / math.tan(math.pi * v)
            while v < 12:
                shift -= 1 / v
                v += 1
            w = 1 / (v * v)
            return shift + math.log(v) - 0.5 / v - w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w * (1 / 132 - w * 691 / 32760)))))
        middle = x[np.isfinite(x) & (np.abs(x) < 100) & (np.abs(x) > 1e-2) & ((x > 0) | (x != np.floor(x)))]
        tolerance = {2: 2e-2, 4: 1e-4, 8: 1e-9}[x.itemsize]
        f = Function(f"special_{TYPE(d)}")

        def near(name, x, want, tolerance, least=1):
            (y,) = f.text(f"chlo.{name} {{0}} : {type_of(x)} -> {type_of(x)}", [x], [type_of(x)])
            scale = np.where(np.isfinite(want), np.maximum(np.abs(want), least), 1).astype(d)
            (y,) = f.op("stablehlo.divide", [y, scale], "", [type_of(x)])
            f.check(y, quiet(lambda: (want / scale).astype(d)), tolerance=tolerance)
        few = np.concatenate([middle, np.array([np.inf, -np.inf, np.nan, 0, -1, -7], d)])
        near("lgamma", few, each(math.lgamma, few), tolerance * (1e3 if d is np.float64 else 1))
        near("digamma", middle, np.array([digamma(float(v)) for v in middle]), tolerance * (1e3 if d is np.float64 else 1))
        near("erfc", few, np.array([math.erfc(v) for v in few]), tolerance, 1e-30 if d is np.float64 else 1)
        y = RNG.uniform(-0.999, 0.999, 50).astype(d)
        bessel = middle[:40]
        angles = (np.arange(4000) + 0.5) * np.pi / 4000
        near("bessel_i1e", bessel, np.array([(np.exp(abs(v) * (np.cos(angles) - 1)) * np.cos(angles)).mean() * np.sign(v) for v in bessel.astype(float)]),
             tolerance)
        s, q = np.array([1.5, 2, 3, 4.5, 7, 2, 1, 0.5], d), np.array([1, 0.5, 2.25, 7, 1, 3, 2, 2], d)
        k = np.arange(100000.0)
        want = [((k + b) ** -a).sum() + (1e5 + b) ** (1 - a) / (a - 1) + 0.5 * (1e5 + b) ** -a if a > 1 else np.inf if a == 1 else np.nan
                for a, b in zip(s.astype(float), q.astype(float))]
        (z,) = f.text(f"chlo.zeta {{0}}, {{1}} : {type_of(s)}, {type_of(s)} -> {type_of(s)}", [s, q], [type_of(s)])
        f.check(z, np.array(want).astype(d), tolerance=tolerance)
        n, at = np.array([1, 2, 3, 0, -1], d), np.array([1, 1, 2, 1, 1], d)
        known = np.array([math.pi ** 2 / 6, -2 * 1.2020569031595942, math.pi ** 4 / 15 - 6, -0.5772156649015329, np.nan])
        (z,) = f.text(f"chlo.polygamma {{0}}, {{1}} : {type_of(n)}, {type_of(n)} -> {type_of(n)}", [n, at], [type_of(n)])
        f.check(z, known.astype(d), tolerance=tolerance)
        a, b = pairs(floats(d, 6))
        (z,) = f.text(f"chlo.next_after {{0}}, {{1}} : {type_of(a)}, {type_of(a)} -> {type_of(a)}", [a, b], [type_of(a)])
        f.check(z, quiet(np.nextafter, a, b))
        roots = []
        for v in y.astype(float):
            low, high = -10.0, 10.0
            for _ in range(200):
                at = (low + high) / 2
                low, high = (at, high) if math.erf(at) < v else (low, at)
            roots.append(low)
        ends = np.array([1, -1, 0, np.nan, 1.5], d)
        near("erf_inv", np.concatenate([y, ends]), np.array([*roots, np.inf, -np.inf, 0, np.nan, np.nan]), tolerance)
        yield f


@program
def integer_unary():
    for d in INTS:
        x = integers(d)
        bits = np.array([bin(int(v) & (2 ** (8 * x.itemsize) - 1)).count("1") for v in x], d)
        zeros = np.array([8 * x.itemsize - (int(v) & (2 ** (8 * x.itemsize) - 1)).bit_length() for v in x], d)
        yield same("stablehlo.popcnt", x, bits)
        yield same("stablehlo.count_leading_zeros", x, zeros)
        yield same("stablehlo.not", x, ~x)
        yield same("stablehlo.negate", x, quiet(np.negative, x))
        if np.iinfo(d).min < 0:
            yield same("stablehlo.abs", x, quiet(np.abs, x))
            yield same("stablehlo.sign", x, np.sign(x))
    yield same("stablehlo.not", np.array([True, False]), np.array([False, True]))


@program
def float_binary():
    for d in FLOATS:
        x, y = pairs(floats(d))
        wide = x.astype(np.longdouble), y.astype(np.longdouble)
        for name, of in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("divide", np.divide),
                         ("remainder", np.fmod)):
            yield same("stablehlo." + name, x, quiet(of, x, y), y)

        def extreme(of, sign):
            z = of(x, y)  # NaN wins in NumPy, too
            return np.where((x == 0) & (y == 0), np.where(sign(np.signbit(x), np.signbit(y)), d(-0.0), d(0.0)), z).astype(d)
        yield same("stablehlo.maximum", x, quiet(extreme, np.maximum, np.logical_and), y)
        yield same("stablehlo.minimum", x, quiet(extreme, np.minimum, np.logical_or), y)
        yield same("stablehlo.atan2", x, quiet(lambda: np.arctan2(*wide).astype(d)), y, ulp=3)
        yield same("stablehlo.power", x, quiet(lambda: np.power(*wide).astype(d)), y, ulp=3)
    f = Function("remainder_of_far_numbers")
    x = np.array([1e308, -1.7e308, 5e-324, 1e-310, 3.5, 1e300, 1e17], np.float64)
    y = np.array([5e-324, 3e-320, 1e308, 3e-311, 5e-324, 0.1, 3.0], np.float64)
    (r,) = f.op("stablehlo.remainder", [x, y], "", [type_of(x)])
    f.check(r, np.fmod(x, y))
    yield f


@program
def integer_binary():
    def shift(of):
        def shifted(x, y, width):
            big = (y >= width) | (y < 0)
            return of(x, np.where(big, 0, y).astype(x.dtype), big)
        return shifted
    for d in INTS:
        info = np.iinfo(d)
        width, unsigned = info.bits, np.dtype(f"uint{info.bits}")
        x, y = pairs(np.concatenate([integers(d), np.array([info.bits - 1, info.bits, 4], d)]))
        for name, of in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("maximum", np.maximum),
                         ("minimum", np.minimum), ("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)):
            yield same("stablehlo." + name, x, quiet(of, x, y), y)

        def quotient(a, b):
            q = abs(a) // abs(b)
            return q if (a < 0) == (b < 0) else -q

        def wrapped(value):
            value &= 2 ** width - 1
            return value - 2 ** width if info.min < 0 and value >> (width - 1) else value
        both = [(int(a), int(b)) for a, b in zip(x, y)]
        yield same("stablehlo.divide", x, np.array([wrapped(-1 if b == 0 else quotient(a, b)) for a, b in both], d), y)
        yield same("stablehlo.remainder", x, np.array([a if b == 0 else a - b * quotient(a, b) for a, b in both], d), y)
        yield same("stablehlo.power", x, np.array([integer_power(a, b, width, wrapped) for a, b in both], d), y)
        amounts = np.array([0, 1, 2, width - 1, width, width + 1, min(100, info.max), info.min], d)
        x, y = np.repeat(integers(d), len(amounts)), np.tile(amounts, len(integers(d)))
        big = (y < 0) | (y >= width) if info.min < 0 else y >= width
        small = np.where(big, 0, y).astype(d)
        logical = (x.view(unsigned) >> small.view(unsigned)).view(d)
        signed = x.view(f"int{width}") >> small.view(f"int{width}")
        yield same("stablehlo.shift_left", x, np.where(big, 0, x << small).astype(d), y)
        yield same("stablehlo.shift_right_logical", x, np.where(big, 0, logical).astype(d), y)
        yield same("stablehlo.shift_right_arithmetic", x,
                   np.where(big, np.where(x.view(f"int{width}") < 0, -1, 0), signed).astype(f"int{width}").view(d), y)
    t = np.array([[True, True, False, False], [True, False, True, False]])
    for name, want in (("add", t[0] | t[1]), ("multiply", t[0] & t[1]), ("maximum", t[0] | t[1]), ("minimum", t[0] & t[1]),
                       ("and", t[0] & t[1]), ("or", t[0] | t[1]), ("xor", t[0] ^ t[1])):
        yield same("stablehlo." + name, t[0], want, t[1])


def integer_power(base, exponent, width, wrapped):
    if exponent < 0:
        return 1 if base == 1 else (1 if exponent % 2 == 0 else -1) if base == -1 else 0
    return wrapped(pow(base, exponent, 2 ** width))


@program
def complexes():
    for d, part in ((np.complex64, np.float32), (np.complex128, np.float64)):
        z = (RNG.standard_normal(40) + 1j * RNG.standard_normal(40)) * np.exp(RNG.standard_normal(40))
        z = np.concatenate([z, [0, 1, -1, 1j, -1j, 3 + 4j, -3 - 4j, 1e-5 + 1e-6j, 1 + 1e-4j, 5 - 20j, 30 + 0.5j]]).astype(d)
        w = np.roll(z, 7)
        wide = z.astype(np.clongdouble)
        t = f"complex<{'f32' if part is np.float32 else 'f64'}>"

        def near(name, want, *more, tolerance=3e-6 if part is np.float32 else 1e-13, x=z):
            f = Function(f"{name.replace('chlo.', '')}_{t[8:11]}_complex")
            want = np.asarray(want).astype(d if np.iscomplexobj(want) else part)
            (y,) = f.op(name if "." in name else "stablehlo." + name, [x, *more], "", [type_of(want)])
            scale = np.maximum(1, np.abs(want)).astype(part)
            if want.dtype.kind == "c":
                scale = scale.astype(d)
            (ratio,) = f.op("stablehlo.divide", [y, scale], "", [type_of(want)])
            f.check(ratio, (want / scale).astype(want.dtype), tolerance=tolerance)
            return f
        yield near("abs", quiet(np.abs, wide))
        yield near("real", z.real, x=z)
        yield near("imag", z.imag)
        yield near("add", z + w, w)
        yield near("subtract", z - w, w)
        yield near("multiply", z * w, w)
        nonzero = np.where(w == 0, 1, w).astype(d)
        yield near("divide", wide / nonzero, nonzero)
        yield near("negate", -z)
        yield near("exponential", quiet(np.exp, wide))
        yield near("sine", quiet(np.sin, wide))
        yield near("cosine", quiet(np.cos, wide))
        yield near("tanh", quiet(np.tanh, wide))
        yield near("tan", quiet(np.tan, wide))
        yield near("sqrt", quiet(np.sqrt, wide))
        yield near("exponential_minus_one", quiet(np.expm1, wide))
        yield near("logistic", quiet(lambda: 1 / (1 + np.exp(-wide))))
        for name, of in (("sinh", np.sinh), ("cosh", np.cosh), ("asin", np.arcsin), ("acos", np.arccos), ("atan", np.arctan),
                         ("asinh", np.arcsinh), ("acosh", np.arccosh), ("atanh", np.arctanh)):
            cut = {"atan": (1j, -1j), "atanh": (1, -1)}.get(name, ())  # the result is infinite there
            inside = np.array([v for v in z if v not in cut], d)
            yield near("chlo." + name, quiet(of, inside.astype(np.clongdouble)), x=inside)
        turned, straight = w.astype(np.clongdouble), wide + (wide == w * 1j) + (wide == -w * 1j)
        length = np.sqrt(straight * straight + turned * turned)
        yield near("atan2", quiet(lambda: -1j * np.log((straight + 1j * turned) / np.where(length == 0, 1, length)))[length != 0],
                   straight[length != 0].astype(d), x=w[length != 0])

        def before(a, b):
            return (a.real < b.real) | ((a.real == b.real) & (a.imag < b.imag))
        a, b = pairs(np.array([1 + 2j, 1 - 2j, 3, 3 + 1j, -1j, 0, np.inf + 1j], d))
        f = Function(f"order_of_{t[8:11]}_complex")
        for name, want in (("maximum", np.where(before(b, a), a, b)), ("minimum", np.where(before(a, b), a, b)),
                           ("clamp", np.where(before(b, np.where(before(a, 1 - 2j), 1 - 2j, a)), b, np.where(before(a, 1 - 2j), 1 - 2j, a)))):
            operands = [d(1 - 2j), a, b] if name == "clamp" else [a, b]
            (y,) = f.op("stablehlo." + name, operands, "", [type_of(a)])
            f.check(y, want.astype(d))
        for word, want in (("LT", before(a, b)), ("LE", ~before(b, a)), ("GT", before(b, a)), ("GE", ~before(a, b))):
            (y,) = f.op("stablehlo.compare", [a, b], f"comparison_direction = #stablehlo<comparison_direction {word}>", [type_of(want)])
            f.check(y, want)
        (y,) = f.op("stablehlo.reduce", [a, d(0)], "dimensions = array<i64: 0>", [type_of(d(0))], [combine("maximum", f"complex<f{4 * a.itemsize}>")])
        f.check(y, d(np.inf + 1j))
        yield f
        some = np.where(z == 0, 2, z).astype(d)
        yield near("log", np.log(some.astype(np.clongdouble)), x=some)
        yield near("rsqrt", 1 / np.sqrt(some.astype(np.clongdouble)), x=some)
        yield near("sign", some / np.abs(some), x=some)
        yield near("cbrt", np.exp(np.log(some.astype(np.clongdouble)) / 3), x=some)
        more = np.where(z == -1, 2, z).astype(d)
        yield near("log_plus_one", np.log1p(more.astype(np.clongdouble)), x=more)
        few = some[:20]
        yield near("power", few.astype(np.clongdouble) ** w[:20], w[:20], x=few, tolerance=1e-4 if part is np.float32 else 1e-12)
        f = Function(f"compare_{t[8:11]}_complex")
        for word, want in (("EQ", z == np.roll(z[::-1], 3)), ("NE", z != np.roll(z[::-1], 3))):
            (y,) = f.text(f"stablehlo.compare {word}, {{0}}, {{1}} : ({type_of(z)}, {type_of(z)}) -> {type_of(want)}",
                          [z, np.roll(z[::-1], 3)], [type_of(want)])
            f.check(y, want)
        yield f


@program
def comparisons():
    words = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}
    for d in [*FLOATS, *INTS]:
        x, y = pairs(floats(d, 4) if np.dtype(d).kind == "f" else integers(d, 4))
        f = Function(f"compare_{element(x)}")
        for word, of in words.items():
            (z,) = f.text(f"stablehlo.compare {word}, {{0}}, {{1}} : ({type_of(x)}, {type_of(x)}) -> {type_of(x == y)}",
                          [x, y], [type_of(x == y)])
            f.check(z, of(x, y))
        if np.dtype(d).kind == "f":  # -0 < +0, NaN last
            k = x.view(f"int{8 * x.itemsize}")
            l = y.view(k.dtype)
            top = np.iinfo(k.dtype).max
            k, l = np.where(k < 0, k ^ top, k), np.where(l < 0, l ^ top, l)
            for word, of in words.items():
                (z,) = f.text(f"stablehlo.compare {word}, {{0}}, {{1}}, TOTALORDER : ({type_of(x)}, {type_of(x)}) -> {type_of(x == y)}",
                              [x, y], [type_of(x == y)])
                f.check(z, of(k, l))
        yield f


@program
def clamps_and_selections():
    for d in FLOATS:
        x = floats(d)
        f = Function(f"clamp_{element(x)}")
        low, high = np.roll(x, 3), np.roll(x, 11)
        (y,) = f.op("stablehlo.clamp", [low, x, high], "", [type_of(x)])
        want = quiet(lambda: np.minimum(np.maximum(x, low), high))
        mixed = np.isnan(x) | np.isnan(low) | np.isnan(high)
        f.check(y, np.where(mixed, d(np.nan), want), tolerance=0.0)
        (y,) = f.op("stablehlo.clamp", [d(-1), x, d(2)], "", [type_of(x)])
        f.check(y, quiet(np.clip, x, d(-1), d(2)), tolerance=0.0)
        p = RNG.integers(0, 2, x.shape).astype(bool)
        (y,) = f.op("stablehlo.select", [p, x, low], "", [type_of(x)])
        f.check(y, np.where(p, x, low))
        (y,) = f.op("stablehlo.select", [np.bool_(True), x, low], "", [type_of(x)])
        f.check(y, x)
        yield f


@program
def conversions():
    for d in INTS:
        x = integers(d)
        for e in [*INTS, *FLOATS]:
            if d is e:
                continue
            f = Function(f"convert_{element(x)}_{TYPE(e)}")
            want = quiet(lambda: x.astype(e))
            (y,) = f.op("stablehlo.convert", [x], "", [type_of(want)])
            f.check(y, want)
            yield f
    for d in FLOATS:
        x = floats(d)
        for e in INTS:
            info = np.iinfo(e)
            wide = np.trunc(np.nan_to_num(x.astype(np.longdouble), nan=0, posinf=1e300, neginf=-1e300))
            want = np.array([min(max(int(v), info.min), info.max) for v in wide], e)
            f = Function(f"convert_{element(x)}_{TYPE(e)}")
            (y,) = f.op("stablehlo.convert", [x], "", [type_of(want)])
            f.check(y, want)
            yield f
        f = Function(f"convert_{element(x)}_i1")
        (y,) = f.op("stablehlo.convert", [x], "", [type_of(x != 0)])
        f.check(y, x != 0)
        (y,) = f.op("stablehlo.convert", [x], "", [f"tensor<{len(x)}xcomplex<f64>>"])
        f.check(y, x.astype(np.complex128))
        (y,) = f.op("stablehlo.convert", [y], "", [type_of(x)])
        f.check(y, x)
        yield f


def TYPE(d):
    return element(np.zeros((), d))


def bits_of(x):
    return x.view(f"uint{8 * x.itemsize}")


def reduced_precision(x, exponent, mantissa):
    """By the definition, of one float at a time, in exact arithmetic."""
    out = []
    for v in x:
        v = float(v)
        if v != v:
            out.append(v if mantissa else np.inf)
            continue
        if v == 0 or v in (np.inf, -np.inf):
            out.append(v)
            continue
        m, e = np.frexp(abs(v))  # m in [0.5, 1)
        scaled = m * 2.0 ** (mantissa + 1)
        r = float(np.round(scaled)) if mantissa < 52 else scaled
        y, most = r * 2.0 ** (int(e) - mantissa - 1), 2 ** (exponent - 1) - 1
        _, e2 = np.frexp(y)
        top = int(e2) - 1
        y = np.inf if y == np.inf or top > most else 0.0 if top < 1 - most else y
        out.append(np.copysign(y, v))
    return np.array(out)


@program
def precisions():
    for d, own in ((np.float16, (5, 10)), (np.float32, (8, 23)), (np.float64, (11, 52))):
        x = floats(d, scale=1000.0)
        more = np.array([65504, 65519, 65520, 6.1e-5, 6.0e-5, 1.00048828125, 1.0009765625, 3.4e4])
        x = np.concatenate([x, quiet(more.astype, d)])
        x = x[(np.abs(x) >= np.finfo(d).tiny) | (x == 0) | np.isnan(x)]
        for exponent, mantissa in ((5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (11, 52), (3, 0), (2, 1), (8, 3), (6, 9)):
            kept = min(exponent, own[0]), min(mantissa, own[1])
            f = Function(f"reduce_precision_{element(x)}_e{exponent}m{mantissa}")
            (y,) = f.text(f"stablehlo.reduce_precision {{0}}, format = e{exponent}m{mantissa} : {type_of(x)}", [x], [type_of(x)])
            want = x if kept == own else quiet(lambda: reduced_precision(x, *kept).astype(d))
            f.check(y, want, tolerance=0.0)
            yield f


# ---- reductions ----


def reduce_op(f, xs, inits, axes, body, outs):
    return f.op("stablehlo.reduce", [*xs, *inits], f"dimensions = array<i64: {', '.join(map(str, axes))}>" if axes else
                "dimensions = array<i64>", outs, [body])


NUMPY = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum, "and": np.bitwise_and,
         "or": np.bitwise_or, "xor": np.bitwise_xor}


def whole_of(d, shape):
    if np.dtype(d).kind == "b":
        return RNG.integers(0, 2, shape).astype(bool)
    if np.dtype(d).kind == "f":
        return RNG.integers(-8, 8, shape).astype(d) / d(2)
    if np.dtype(d).kind == "c":
        return (RNG.integers(-1, 2, shape) + 1j * RNG.integers(-1, 2, shape)).astype(d)
    return RNG.integers(0, 6, shape).astype(d)


@program
def reductions():
    for d in [np.bool_, np.int8, np.int32, np.uint32, np.uint64, np.int64, np.float16, np.float32, np.float64, np.complex64]:
        kind = np.dtype(d).kind
        names = ["and", "or", "xor"] if kind == "b" else ["add", "multiply"] if kind == "c" else \
            ["add", "multiply", "maximum", "minimum"] + (["and", "or", "xor"] if kind in "iu" else [])
        for name in names:
            x = whole_of(d, (3, 4, 2))
            if kind == "f" and name in ("maximum", "minimum"):
                x[1, 2, 1] = np.nan
            f = Function(f"reduce_{name}_{TYPE(d).replace('<', '_').replace('>', '')}")
            for axes in ((1,), (0, 2), (), (0, 1, 2)):
                for init in (d(0), d(1)):
                    want = x
                    for axis in sorted(axes, reverse=True):
                        want = quiet(lambda: NUMPY[name].reduce(want, axis, dtype=d))
                    want = quiet(lambda: NUMPY[name](init, want)).astype(d)
                    (y,) = reduce_op(f, [x], [init], axes, combine(name, TYPE(d)), [type_of(want)])
                    if kind == "f":
                        f.check(y, want, tolerance=0.0)
                    else:
                        f.check(y, want)
            yield f
    f = Function("reduce_nothing")
    for shape, axis in (((0, 3), 0), ((2, 0), 1)):
        x = np.zeros(shape, np.float32)
        want = np.full(np.delete(shape, axis), 7, np.float32)
        for name in ("add", "maximum", "minimum", "multiply", "subtract"):
            (y,) = reduce_op(f, [x], [np.float32(7)], [axis], combine(name, "f32"), [type_of(want)])
            f.check(y, want)
    yield f


@program
def reductions_by_loops():
    x = RNG.integers(-50, 50, (3, 5, 2)).astype(np.int32)
    f = Function("reduce_subtract")
    for axes in ((0,), (1, 2), (0, 1, 2)):
        want = np.int32(100) - x.sum(axes, dtype=np.int32)
        (y,) = reduce_op(f, [x], [np.int32(100)], axes, combine("subtract", "i32"), [type_of(want)])
        f.check(y, want)
    yield f
    f = Function("reduce_wide_body")
    body = region(["i64", "i64"], ["%r = stablehlo.add %a0, %a1 : tensor<i64>"], [("%r", "i64")])
    small = np.full((2, 5), 100, np.int8)
    (y,) = f.op("stablehlo.reduce", [small, np.int8(0)], "dimensions = array<i64: 1>", ["tensor<2xi64>"], [body])
    f.check(y, np.full(2, 500, np.int64))
    yield f
    f = Function("reduce_captures")
    scale = f.constant(np.int32(3))
    body = region(["i32", "i32"], [f"%s = stablehlo.multiply %a1, {scale} : tensor<i32>", "%r = stablehlo.add %a0, %s : tensor<i32>"],
                  [("%r", "i32")])
    for axes in ((0,), (0, 1, 2)):
        want = np.int32(1) + np.int32(3) * x.sum(axes, dtype=np.int32)
        (y,) = reduce_op(f, [x], [np.int32(1)], axes, body, [type_of(want)])
        f.check(y, want)
    yield f
    # a mean and a variance at once: three accumulators
    f = Function("reduce_three")
    v = RNG.integers(0, 9, (4, 6)).astype(np.float64)
    body = region(["f64"] * 6, ["%n = stablehlo.add %a0, %a3 : tensor<f64>", "%s = stablehlo.add %a1, %a4 : tensor<f64>",
                                "%m = stablehlo.maximum %a4, %a5 : tensor<f64>", "%q = stablehlo.maximum %a2, %m : tensor<f64>"],
                  [("%n", "f64"), ("%s", "f64"), ("%q", "f64")])
    zero = np.float64(0)
    ys = reduce_op(f, [np.ones_like(v), v, v], [zero, zero, zero], [1], body, ["tensor<4xf64>"] * 3)
    for y, want in zip(ys, (np.full(4, 6.0), v.sum(1), v.max(1))):
        f.check(y, want)
    yield f


def arg_body(t, index, word, nan):
    lines = [f"%0 = stablehlo.compare {word}, %a0, %a2 : (tensor<{t}>, tensor<{t}>) -> tensor<i1>"]
    p = "%0"
    if nan:
        lines += [f"%1 = stablehlo.compare NE, %a0, %a0 : (tensor<{t}>, tensor<{t}>) -> tensor<i1>",
                  "%2 = stablehlo.or %0, %1 : tensor<i1>"]
        p = "%2"
    lines += [f"%3 = stablehlo.compare EQ, %a0, %a2 : (tensor<{t}>, tensor<{t}>) -> tensor<i1>",
              f"%4 = stablehlo.compare LT, %a1, %a3 : (tensor<{index}>, tensor<{index}>) -> tensor<i1>",
              "%5 = stablehlo.and %3, %4 : tensor<i1>", f"%6 = stablehlo.or {p}, %5 : tensor<i1>",
              f"%7 = stablehlo.select {p}, %a0, %a2 : tensor<i1>, tensor<{t}>",
              f"%8 = stablehlo.select %6, %a1, %a3 : tensor<i1>, tensor<{index}>"]
    return region([t, index, t, index], lines, [("%7", t), ("%8", index)])


@program
def arg_extremes():
    for d in (np.float32, np.float64, np.int32, np.uint8):
        x = RNG.integers(0, 9, (4, 7)).astype(d)
        if np.dtype(d).kind == "f":
            x[1, 3] = x[1, 5] = np.nan
            x[2, :] = -np.inf
        for word in ("GT", "LT"):
            for init in ("neutral", "other"):
                for iota in ("iota", "data"):
                    f = Function(f"arg_{word}_{TYPE(d)}_{init}_{iota}")
                    info = np.finfo(d) if np.dtype(d).kind == "f" else np.iinfo(d)
                    low, high = (-np.inf, np.inf) if np.dtype(d).kind == "f" else (info.min, info.max)
                    start = d(low if word == "GT" else high) if init == "neutral" else d(5)
                    numbers = np.broadcast_to(np.arange(7, dtype=np.int32), x.shape) if iota == "iota" else \
                        RNG.permutation(28).reshape(4, 7).astype(np.int32)
                    places = f.text("stablehlo.iota dim = 1 : tensor<4x7xi32>", [], ["tensor<4x7xi32>"])[0] if iota == "iota" \
                        else numbers
                    best, at = [], []
                    for row, own in zip(x, numbers):
                        a, i = start, np.int32(-1)
                        for v, k in zip(row, own):
                            p = (a > v if word == "GT" else a < v) or a != a
                            i = i if p or (a == v and i < k) else k
                            a = a if p else v
                        best.append(a)
                        at.append(i)
                    body = arg_body(TYPE(d), "i32", word, np.dtype(d).kind == "f")
                    ys = reduce_op(f, [x, places], [start, np.int32(-1)], [1], body, [f"tensor<4x{TYPE(d)}>", "tensor<4xi32>"])
                    if init == "other" or np.dtype(d).kind != "f":
                        f.check(ys[0], np.array(best, d), **({"tolerance": 0.0} if np.dtype(d).kind == "f" else {}))
                        f.check(ys[1], np.array(at, np.int32))
                    else:
                        f.check(ys[0], np.array(best, d), tolerance=0.0)
                        rows = [0, 1, 3]  # of equal infinities the initial index -1 would stay
                        (kept,) = f.op("stablehlo.gather", [ys[1], np.array(rows)[:, None]],
                                       "dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], "
                                       "index_vector_dim = 1>, slice_sizes = array<i64: 1>", ["tensor<3xi32>"])
                        f.check(kept, np.array(at, np.int32)[rows])
                    yield f


# ---- windows ----


def windows_of(x, init, size, strides, base, dilation, padding, combine_):
    """By the definition: holes and padding hold INIT."""
    wide = [(n - 1) * b + 1 if n else 0 for n, b in zip(x.shape, base)]
    holes = np.full(wide, init, x.dtype)
    holes[tuple(slice(None, None, b) for b in base)] = x
    low = [max(p[0], 0) for p in padding]
    high = [max(p[1], 0) for p in padding]
    full = np.pad(holes, list(zip(low, high)), constant_values=init)
    full = full[tuple(slice(-min(p[0], 0), n + min(p[1], 0)) for p, n in zip(padding, full.shape))]
    shape = [max(0, (n - ((w - 1) * d + 1)) // s + 1) if n >= (w - 1) * d + 1 else 0
             for n, w, s, d in zip(full.shape, size, strides, dilation)]
    out = np.empty(shape, x.dtype)
    for at in np.ndindex(*shape):
        window = full[tuple(slice(i * s, i * s + (w - 1) * d + 1, d) for i, s, w, d in zip(at, strides, size, dilation))]
        value = init
        for v in window.ravel():
            value = combine_(value, v)
        out[at] = value
    return out


def list_of(values):
    return "array<i64: " + ", ".join(map(str, values)) + ">" if values else "array<i64>"


def window_attributes(size, strides, base, dilation, padding):
    rows = ", ".join(f"[{a}, {b}]" for a, b in padding)
    return (f"window_dimensions = {list_of(size)}, window_strides = {list_of(strides)}, base_dilations = {list_of(base)}, "
            f"window_dilations = {list_of(dilation)}, padding = dense<[{rows}]> : tensor<{len(padding)}x2xi64>")


@program
def windows():
    shapes = [((5, 6), (2, 3), (1, 2), (1, 1), (1, 1), ((0, 1), (1, 1))), ((4, 5), (2, 2), (1, 1), (2, 1), (1, 2), ((1, 0), (0, 0))),
              ((6, 6), (3, 1), (2, 2), (1, 1), (1, 1), ((-1, -1), (0, -2))), ((2, 2), (3, 3), (1, 1), (1, 1), (1, 1), ((0, 0), (0, 0)))]
    for d in (np.bool_, np.int32, np.uint8, np.float32, np.float64):
        kind = np.dtype(d).kind
        names = ["and", "or"] if kind == "b" else ["add", "multiply", "maximum", "minimum"] + (["xor"] if kind == "i" else [])
        for name in names:
            f = Function(f"reduce_window_{name}_{TYPE(d)}")
            for shape, *w in shapes:
                x = whole_of(d, shape)
                if kind == "f" and name != "add" and shape[0] > 4:
                    x[3, 2] = np.nan
                for init in (d(0), d(1)):
                    want = quiet(lambda: windows_of(x, init, *w, lambda a, b: NUMPY[name](a, b)))
                    (y,) = f.op("stablehlo.reduce_window", [x, init], window_attributes(*w), [type_of(want)], [combine(name, TYPE(d))])
                    f.check(y, want, **({"tolerance": 0.0} if kind == "f" else {}))
            yield f
    f = Function("reduce_window_subtract")
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    w = ((2, 2), (1, 1), (1, 1), (1, 1), ((0, 0), (1, 0)))
    want = windows_of(x, np.int32(9), *w, lambda a, b: a - b)
    (y,) = f.op("stablehlo.reduce_window", [x, np.int32(9)], window_attributes(*w), [type_of(want)], [combine("subtract", "i32")])
    f.check(y, want)
    yield f
    f = Function("running")
    x = whole_of(np.int32, (3, 4))
    for axis in (0, 1):
        for reverse in (False, True):
            n = x.shape[axis]
            size = [1, 1]
            size[axis] = n
            pads = [[0, 0], [0, 0]]
            pads[axis] = [0, n - 1] if reverse else [n - 1, 0]
            ones = [1, 1]
            for name in ("add", "multiply", "maximum", "minimum", "xor"):
                init = np.int32({"add": 0, "multiply": 1, "maximum": -2**31, "minimum": 2**31 - 1, "xor": 0}[name])
                want = NUMPY[name].accumulate(np.flip(x, axis) if reverse else x, axis, dtype=np.int32)
                want = np.flip(want, axis) if reverse else want
                (y,) = f.op("stablehlo.reduce_window", [x, init], window_attributes(size, ones, ones, ones, pads), [type_of(want)],
                            [combine(name, "i32")])
                f.check(y, want)
    yield f
    f = Function("reduce_window_pair")
    v = RNG.integers(0, 9, (5, 5)).astype(np.float32)
    k = np.arange(25, dtype=np.int32).reshape(5, 5)
    body = region(["f32", "i32", "f32", "i32"],
                  ["%0 = stablehlo.compare GE, %a0, %a2 : (tensor<f32>, tensor<f32>) -> tensor<i1>",
                   "%1 = stablehlo.select %0, %a0, %a2 : tensor<i1>, tensor<f32>", "%2 = stablehlo.select %0, %a1, %a3 : tensor<i1>, tensor<i32>"],
                  [("%1", "f32"), ("%2", "i32")])
    ys = f.op("stablehlo.reduce_window", [v, k, np.float32(-np.inf), np.int32(-1)],
              window_attributes((2, 2), (1, 1), (1, 1), (1, 1), ((0, 0), (0, 0))), ["tensor<4x4xf32>", "tensor<4x4xi32>"], [body])
    parts = np.stack([v[:-1, :-1], v[:-1, 1:], v[1:, :-1], v[1:, 1:]])
    numbers = np.stack([k[:-1, :-1], k[:-1, 1:], k[1:, :-1], k[1:, 1:]])
    f.check(ys[0], parts.max(0))
    f.check(ys[1], np.take_along_axis(numbers, parts.argmax(0)[None], 0)[0])
    yield f


@program
def select_and_scatter():
    def reference(x, source, init, size, strides, padding, keeps, scatter):
        out = np.full(x.shape, init, x.dtype)
        for at in np.ndindex(*source.shape):
            winner = None
            for k in np.ndindex(*size):
                p = tuple(i * s + j - q[0] for i, s, j, q in zip(at, strides, k, padding))
                if any(v < 0 or v >= n for v, n in zip(p, x.shape)):
                    continue
                if winner is None or not keeps(x[winner], x[p]):
                    winner = p
            if winner is not None:
                out[winner] = scatter(out[winner], source[at])
        return out
    for d in (np.float32, np.int64):
        for word, keeps in (("GE", np.greater_equal), ("LE", np.less_equal), ("GT", np.greater)):
            for name in ("add", "multiply", "subtract"):
                f = Function(f"select_and_scatter_{word}_{name}_{TYPE(d)}")
                for shape, size, strides, padding in (((5, 6), (2, 3), (2, 2), ((0, 0), (1, 1))), ((4, 4), (3, 3), (1, 1), ((1, 1), (1, 1)))):
                    x = RNG.integers(0, 5, shape).astype(d)
                    out = [(n + sum(p) - w) // s + 1 for n, p, w, s in zip(shape, padding, size, strides)]
                    source = RNG.integers(1, 4, out).astype(d)
                    init = d(1)
                    scatter = {"add": np.add, "multiply": np.multiply, "subtract": np.subtract}[name]
                    want = reference(x, source, init, size, strides, padding, keeps, scatter)
                    rows = ", ".join(f"[{a}, {b}]" for a, b in padding)
                    select = region([TYPE(d)] * 2, [f"%r = stablehlo.compare {word}, %a0, %a1 : (tensor<{TYPE(d)}>, tensor<{TYPE(d)}>) -> tensor<i1>"],
                                    [("%r", "i1")])
                    (y,) = f.op("stablehlo.select_and_scatter", [x, source, init], f"window_dimensions = {list_of(size)}, window_strides = "
                                f"{list_of(strides)}, padding = dense<[{rows}]> : tensor<2x2xi64>", [type_of(x)], [select, combine(name, TYPE(d))])
                    f.check(y, want)
                yield f


# ---- order ----


def less(t, x, y, name, word="LT", kind=""):
    return f"{name} = stablehlo.compare {word}, {x}, {y}{kind} : (tensor<{t}>, tensor<{t}>) -> tensor<i1>"


@program
def sorts():
    x = RNG.integers(0, 5, (4, 9)).astype(np.int32)
    y = RNG.integers(0, 3, (4, 9)).astype(np.float32)
    number = np.broadcast_to(np.arange(9, dtype=np.int32), x.shape).copy()
    two = region(["i32", "i32", "f32", "f32", "i32", "i32"],
                 [less("i32", "%a0", "%a1", "%0"), less("i32", "%a0", "%a1", "%1", "EQ"), less("f32", "%a2", "%a3", "%2", "GT"),
                  "%3 = stablehlo.and %1, %2 : tensor<i1>", "%4 = stablehlo.or %0, %3 : tensor<i1>"], [("%4", "i1")])
    for axis, flip in ((1, False), (0, True)):
        f = Function(f"sort_two_keys_{axis}")
        ins = [a.T.copy() if flip else a for a in (x, y, number)]
        outs = f.op("stablehlo.sort", ins, f"dimension = {axis} : i64, is_stable = true", [type_of(a) for a in ins], [two])
        order = np.array([sorted(range(9), key=lambda i: (x[r, i], -y[r, i], i)) for r in range(4)])
        for out, a in zip(outs, (x, y, number)):
            want = np.take_along_axis(a, order, 1)
            f.check(out, want.T.copy() if flip else want)
        yield f
    f = Function("sort_by_distance")  # by |a - 3|, with a constant and a captured value
    middle = f.constant(np.int32(3))
    far = region(["i32", "i32"], [f"%0 = stablehlo.subtract %a0, {middle} : tensor<i32>", f"%1 = stablehlo.subtract %a1, {middle} : tensor<i32>",
                                  "%2 = stablehlo.abs %0 : tensor<i32>", "%3 = stablehlo.abs %1 : tensor<i32>", less("i32", "%2", "%3", "%4")],
                 [("%4", "i1")])
    for n in (1, 2, 3, 8, 33, 100):
        v = RNG.integers(-50, 50, n).astype(np.int32)
        (out,) = f.op("stablehlo.sort", [v], "dimension = 0 : i64, is_stable = true", [type_of(v)], [far])
        f.check(out, np.array(sorted(v, key=lambda i: abs(int(i) - 3)), np.int32))
    yield f
    f = Function("sort_complex")
    z = (RNG.integers(0, 3, 12) + 1j * RNG.integers(-3, 3, 12)).astype(np.complex64)
    lines = []
    for i, name in ((0, "x"), (1, "y")):
        lines += [f"%r{name} = stablehlo.real %a{i} : (tensor<complex<f32>>) -> tensor<f32>",
                  f"%i{name} = stablehlo.imag %a{i} : (tensor<complex<f32>>) -> tensor<f32>"]
    lines += [less("f32", "%rx", "%ry", "%0"), less("f32", "%rx", "%ry", "%1", "EQ"), less("f32", "%ix", "%iy", "%2"),
              "%3 = stablehlo.and %1, %2 : tensor<i1>", "%4 = stablehlo.or %0, %3 : tensor<i1>"]
    (out,) = f.op("stablehlo.sort", [z], "dimension = -1 : i64, is_stable = true", [type_of(z)],
                  [region(["complex<f32>", "complex<f32>"], lines, [("%4", "i1")])])
    f.check(out, np.sort(z))
    yield f
    for word in ("LT", "GT"):
        f = Function(f"sort_total_{word}")
        v = floats(np.float32, 12)
        (out,) = f.op("stablehlo.sort", [v], "dimension = 0 : i64, is_stable = true", [type_of(v)],
                      [region(["f32", "f32"], [less("f32", "%a0", "%a1", "%0", word, ", TOTALORDER")], [("%0", "i1")])])
        k = v.view(np.int32)
        order = np.argsort(np.where(k < 0, k ^ 0x7FFFFFFF, k) * np.int64(1 if word == "LT" else -1), kind="stable")
        f.check(out, v[order])
        yield f
    f = Function("sort_nothing")
    (out,) = f.op("stablehlo.sort", [np.zeros((0, 3), np.float32)], "dimension = 0 : i64", ["tensor<0x3xf32>"],
                  [region(["f32", "f32"], [less("f32", "%a0", "%a1", "%0", "GE")], [("%0", "i1")])])
    f.check(out, np.zeros((0, 3), np.float32))
    yield f


@program
def maps():
    f = Function("map")
    x, y = RNG.integers(0, 9, (2, 3)).astype(np.float32), RNG.integers(1, 9, (2, 3)).astype(np.float32)
    body = region(["f32", "f32"], ["%k = stablehlo.constant dense<2.0> : tensor<f32>", "%0 = stablehlo.multiply %a0, %k : tensor<f32>",
                                   "%1 = stablehlo.add %0, %a1 : tensor<f32>"], [("%1", "f32")])
    (z,) = f.op("stablehlo.map", [x, y], "dimensions = array<i64: 0, 1>", [type_of(x)], [body])
    f.check(z, 2 * x + y)
    loop = region(["i32"], ["%c = stablehlo.constant dense<1> : tensor<i32>", "%z = stablehlo.constant dense<100> : tensor<i32>",
                            "%w = stablehlo.while(%v = %a0) : tensor<i32> cond { %p = stablehlo.compare LT, %v, %z : (tensor<i32>, tensor<i32>) -> tensor<i1> "
                            "stablehlo.return %p : tensor<i1> } do { %t = stablehlo.add %v, %v : tensor<i32> %u = stablehlo.add %t, %c : tensor<i32> "
                            "stablehlo.return %u : tensor<i32> }"], [("%w", "i32")])
    v = np.array([[1, 5], [99, 100]], np.int32)
    (z,) = f.op("stablehlo.map", [v], "dimensions = array<i64: 0, 1>", [type_of(v)], [loop])

    def turn(i):
        while i < 100:
            i = 2 * i + 1
        return i
    f.check(z, np.vectorize(turn)(v).astype(np.int32))
    yield f


# ---- scatter ----


@program
def scatters():
    numbers = ("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
               "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false")
    at = np.array([[1], [3], [1], [-1], [4], [0]], np.int32)
    for d in (np.bool_, np.int8, np.int32, np.uint16, np.float16, np.float32, np.float64, np.complex64):
        kind = np.dtype(d).kind
        names = ["and", "or", "xor", "add", "multiply"] if kind == "b" else ["add", "multiply", "subtract"] if kind == "c" else \
            ["add", "multiply", "maximum", "minimum", "subtract"] + (["and", "or", "xor"] if kind in "iu" else [])
        of = {**NUMPY, "subtract": np.subtract}
        if kind == "b":
            of = {**of, "add": np.logical_or, "multiply": np.logical_and}
        for name in names:
            f = Function(f"scatter_{name}_{TYPE(d).replace('<', '_').replace('>', '')}")
            x, u = whole_of(d, (4, 3)), whole_of(d, (6, 3))
            if kind == "f" and name in ("maximum", "minimum"):
                u[2, 1] = x[3, 0] = np.nan
            want = x.copy()
            for i, row in zip(at[:, 0], u):
                if 0 <= i < 4:
                    want[i] = quiet(of[name], want[i], row)
            (y,) = f.op("stablehlo.scatter", [x, at, u], numbers, [type_of(x)], [combine(name, TYPE(d))])
            f.check(y, want, **({"tolerance": 0.0} if kind == "f" else {}))
            yield f
    f = Function("scatter_any_body")  # twice what is there less the update: the order matters
    x, u = np.arange(12, dtype=np.int32).reshape(4, 3), whole_of(np.int32, (6, 3))
    body = region(["i32", "i32"], ["%0 = stablehlo.add %a0, %a0 : tensor<i32>", "%1 = stablehlo.subtract %0, %a1 : tensor<i32>"], [("%1", "i32")])
    want = x.copy()
    for i, row in zip(at[:, 0], u):
        if 0 <= i < 4:
            want[i] = 2 * want[i] - row
    (y,) = f.op("stablehlo.scatter", [x, at, u], numbers, [type_of(x)], [body])
    f.check(y, want)
    yield f
    f = Function("scatter_two")
    pair = region(["i32", "f32", "i32", "f32"],
                  [less("i32", "%a0", "%a2", "%0"), "%1 = stablehlo.select %0, %a2, %a0 : tensor<i1>, tensor<i32>",
                   "%2 = stablehlo.select %0, %a3, %a1 : tensor<i1>, tensor<f32>"], [("%1", "i32"), ("%2", "f32")])
    y0, v = whole_of(np.float32, (4, 3)), whole_of(np.float32, (6, 3))
    a, b = x.copy(), y0.copy()
    for k, i in enumerate(at[:, 0]):
        if 0 <= i < 4:
            better = a[i] < u[k]
            a[i], b[i] = np.where(better, u[k], a[i]), np.where(better, v[k], b[i])
    ys = f.op("stablehlo.scatter", [x, y0, at, u, v], numbers, [type_of(x), type_of(y0)], [pair])
    f.check(ys[0], a)
    f.check(ys[1], b)
    yield f


# ---- random bits ----


@program
def random_bits():
    state = np.array([0x0000000200000001, 3], np.uint64)

    def bits(algorithm, start, d, shape, want, end):
        f = Function(f"{algorithm}_{TYPE(d)}_{'x'.join(map(str, shape))}_{len(start)}")
        t = type_of(np.zeros(shape, d))
        next_, got = f.op("stablehlo.rng_bit_generator", [start], f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>",
                          [type_of(start), t])
        f.check(next_, np.array([start[0], *end], np.uint64))
        f.check(got, np.array(want, d).reshape(shape))
        return f
    words = [0x8E9A2EAB, 0x3468C1ED, 0x11B78BB9, 0x9D4E5EFC]
    yield bits("THREE_FRY", state, np.uint64, (2,), [0x3468C1ED8E9A2EAB, 0x9D4E5EFC11B78BB9], [5])
    yield bits("THREE_FRY", state, np.uint32, (4,), words, [5])
    yield bits("THREE_FRY", state, np.uint32, (2, 3), [words[0], words[2], 0xF9B5E4B0, words[1], words[3], 0xE0CBA2D6], [6])
    yield bits("THREE_FRY", state, np.uint32, (5,), [*words, 0xF9B5E4B0], [6])
    yield bits("THREE_FRY", state, np.uint8, (4,), [w & 255 for w in words], [5])
    yield bits("THREE_FRY", state, np.uint32, (), [words[0]], [4])
    five = [0xBF2D8385, 0x8E9EF71A, 0xF0C5549B, 0x38C96DE9, 0x5FA9F757]
    yield bits("PHILOX", state, np.uint32, (5,), five, [5])
    yield bits("DEFAULT", state, np.uint16, (5,), [w & 0xFFFF for w in five], [5])
    three = np.array([0x0000000200000001, 3, 7], np.uint64)
    yield bits("PHILOX", three, np.uint64, (3,), [0x239E19F49D03341D, 0x0025D266F4A3C6BF, 0xF1C7F76B4500A160], [5, 7])
    last = np.array([1, 2**64 - 1, 7], np.uint64)
    blocks = [philox(1, 2**64 - 1 + (7 << 64)), philox(1, 8 << 64)]
    yield bits("PHILOX", last, np.uint32, (2, 4), blocks, [1, 8])


def philox(key, counter):
    """One block of Philox4x32-10, from its publication."""
    x = [counter >> 32 * i & 0xFFFFFFFF for i in range(4)]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p, q = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [(q >> 32) ^ x[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ x[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x


@program
def random_numbers():
    f = Function("rng")
    for d, low, high in ((np.float32, -2, 3), (np.float64, 5, 6), (np.int32, -3, 4), (np.uint8, 2, 200)):
        (x,) = f.op("stablehlo.rng", [d(low), d(high), np.array([50, 20])], "rng_distribution = #stablehlo<rng_distribution UNIFORM>",
                    [f"tensor<50x20x{TYPE(d)}>"])
        (y,) = f.op("stablehlo.clamp", [d(low), x, d(high) if np.dtype(d).kind == "f" else d(high - 1)], "", [f"tensor<50x20x{TYPE(d)}>"])
        f.lines.append(f"check.expect_eq {x}, {y} : tensor<50x20x{TYPE(d)}>")
        mean = np.float64((low + high - (np.dtype(d).kind != "f")) / 2)
        (wide,) = f.op("stablehlo.convert", [x], "", ["tensor<50x20xf64>"])
        (total,) = reduce_op(f, [wide], [np.float64(0)], [0, 1], combine("add", "f64"), ["tensor<f64>"])
        (got,) = f.op("stablehlo.divide", [total, np.float64(1000)], "", ["tensor<f64>"])
        f.check(got, mean, tolerance=(high - low) / 20)
    (x,) = f.op("stablehlo.rng", [np.float32(3), np.float32(2), np.array([1000])], "rng_distribution = #stablehlo<rng_distribution NORMAL>",
                ["tensor<1000xf32>"])
    (total,) = reduce_op(f, [x], [np.float32(0)], [0], combine("add", "f32"), ["tensor<f32>"])
    f.check(total, np.float32(3000), tolerance=400.0)
    yield f


# ---- algebra ----


@program
def fourier():
    for d, part, tolerance in ((np.complex64, np.float32, 1e-4), (np.complex128, np.float64, 1e-11)):
        for shape, length in (((4,), (4,)), ((3, 8), (8,)), ((2, 3, 5), (3, 5)), ((7,), (7,)), ((96,), (96,)), ((2, 4, 3, 6), (4, 3, 6)),
                              ((1,), (1,)), ((2, 149), (149,)), ((256,), (256,))):
            axes = tuple(range(len(shape) - len(length), len(shape)))
            z = (RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)).astype(d)
            f = Function(f"fft_{'f32' if part is np.float32 else 'f64'}_{'x'.join(map(str, shape))}_{len(length)}")
            real = z.real.copy()
            half = np.fft.rfftn(real.astype(np.float64), axes=axes)
            for kind, x, want in (("FFT", z, np.fft.fftn(z, axes=axes)), ("IFFT", z, np.fft.ifftn(z, axes=axes)), ("RFFT", real, half),
                                  ("IRFFT", half.astype(d), np.fft.irfftn(half.astype(d), length, axes))):
                want = want.astype(part if kind == "IRFFT" else d)
                (y,) = f.op("stablehlo.fft", [x], f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {list_of(length)}", [type_of(want)])
                f.check(y, want, tolerance=tolerance)
            yield f


@program
def solutions():
    for d, tolerance in ((np.float32, 1e-3), (np.float64, 1e-10), (np.complex128, 1e-10)):
        for shape in ((3, 3), (2, 5, 5)):
            n = shape[-1]
            a = RNG.standard_normal(shape) + 4 * np.eye(n)
            a = (a + 1j * RNG.standard_normal(shape) if np.dtype(d).kind == "c" else a).astype(d)
            f = Function(f"triangular_solve_{TYPE(d).replace('<', '_').replace('>', '')}_{len(shape)}")
            for left in (True, False):
                b = RNG.standard_normal((*shape[:-2], n, 2) if left else (*shape[:-2], 2, n)).astype(d)
                for lower in (True, False):
                    for unit in (True, False):
                        for word in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                            t = np.tril(a) if lower else np.triu(a)
                            t = np.where(np.eye(n, dtype=bool), 1, t) if unit else t
                            t = np.swapaxes(t, -1, -2) if word != "NO_TRANSPOSE" else t
                            t = t.conj() if word == "ADJOINT" else t
                            x = np.linalg.solve(t, b) if left else np.swapaxes(np.linalg.solve(np.swapaxes(t, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)
                            scale = np.abs(x).max()
                            spoilt = np.where((np.tril(np.ones((n, n))) if lower else np.triu(np.ones((n, n)))) > 0, a, np.nan).astype(d)
                            (y,) = f.op("stablehlo.triangular_solve", [spoilt, b],
                                        f"left_side = {str(left).lower()}, lower = {str(lower).lower()}, unit_diagonal = {str(unit).lower()}, "
                                        f"transpose_a = #stablehlo<transpose {word}>", [type_of(b)])
                            f.check(y, x.astype(d), tolerance=tolerance * max(1, scale))
            yield f
            f = Function(f"cholesky_{TYPE(d).replace('<', '_').replace('>', '')}_{len(shape)}")
            square = a @ np.swapaxes(a, -1, -2).conj()
            for lower in (True, False):
                want = np.linalg.cholesky(square)
                want = want if lower else np.swapaxes(want, -1, -2).conj()
                (y,) = f.op("stablehlo.cholesky", [square.astype(d)], f"lower = {str(lower).lower()}", [type_of(square.astype(d))])
                f.check(y, want.astype(d), tolerance=tolerance * 10)
            yield f


@program
def old_operations():
    f = Function("einsum")
    x, y = whole_of(np.float32, (3, 4)), whole_of(np.float32, (4, 5))
    a, b = whole_of(np.int32, (2, 3, 4)), whole_of(np.int32, (2, 4, 5))
    for config, ins in (("ab,bc->ac", (x, y)), ("ab,bc->ca", (x, y)), ("bij,bjk->bik", (a, b)), ("bij,bjk->kb", (a, b)), ("ab,cd->acbd", (x, y)),
                        ("ab,bc->", (x, y)), ("ab,ab->b", (x, x))):
        want = np.einsum(config, *ins).astype(ins[0].dtype)
        (z,) = f.op("stablehlo.einsum", ins, f'einsum_config = "{config}"', [type_of(want)])
        f.check(z, want, **({"tolerance": 0.0} if want.dtype.kind == "f" else {}))
    (z,) = f.text(f'stablehlo.einsum {{0}}, {{1}}, config = "ab,bc->ac" : ({type_of(x)}, {type_of(y)}) -> tensor<3x5xf32>', [x, y], ["tensor<3x5xf32>"])
    f.check(z, x @ y)
    for config in ("abc->cab", "abc->b", "abc->"):
        want = np.einsum(config, a).astype(np.int32)
        (z,) = f.op("stablehlo.unary_einsum", [a], f'einsum_config = "{config}"', [type_of(want)])
        f.check(z, want)
    yield f
    f = Function("torch_index_select")
    x = whole_of(np.int32, (2, 3, 4))
    index = np.array([[2, 0, 1, 0], [1, 1, 2, 0]])
    for dim in range(3):
        flat = index[0] % x.shape[dim]
        want = np.take(x, flat, dim)
        (y,) = f.op("stablehlo.torch_index_select", [x, flat], f"dim = {dim} : i64, batch_dims = 0 : i64", [type_of(want)])
        f.check(y, want)
    want = np.stack([x[i][index[i]] for i in range(2)])
    (y,) = f.op("stablehlo.torch_index_select", [x, index], "dim = 1 : i64, batch_dims = 1 : i64", [type_of(want)])
    f.check(y, want)
    yield f


@program
def one_device():
    x = whole_of(np.float32, (2, 3))
    groups = "replica_groups = dense<0> : tensor<1x1xi64>"
    f = Function("collectives")
    t = type_of(x)
    for name, attributes, body in (("all_gather", "all_gather_dim = 0 : i64, " + groups, ()), ("all_reduce", groups, [combine("add", "f32")]),
                                   ("reduce_scatter", "scatter_dimension = 0 : i64, " + groups, [combine("add", "f32")]),
                                   ("all_to_all", "split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, " + groups, ()),
                                   ("collective_broadcast", groups, ()), ("cross-replica-sum", groups, ()),
                                   ("collective_permute", "source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>", ())):
        (y,) = f.op("stablehlo." + name, [x], attributes, [t], body)
        f.check(y, x)
    (y,) = f.op("stablehlo.collective_permute", [x], "source_target_pairs = dense<> : tensor<0x2xi64>", [t])
    f.check(y, np.zeros_like(x))
    for name in ("replica_id", "partition_id"):
        (y,) = f.text(f"stablehlo.{name} : tensor<ui32>", [], ["tensor<ui32>"])
        f.check(y, np.uint32(0))
        (y,) = f.op("stablehlo." + name, [], "", ["tensor<ui32>"])
        f.check(y, np.uint32(0))
    token = f.op("stablehlo.create_token", [], "", ["!stablehlo.token"])
    f.op("stablehlo.after_all", token, "", ["!stablehlo.token"])
    (y,) = f.text(f"stablehlo.optimization_barrier {{0}} : {t}", [x], [t])
    f.check(y, x)
    (pair,) = f.op("stablehlo.tuple", [x, np.int32(4)], "", [f"tuple<{t}, tensor<i32>>"])
    (y,) = f.op("stablehlo.get_tuple_element", [pair], "index = 1 : i32", ["tensor<i32>"])
    f.check(y, np.int32(4))
    yield f


# ---- movement, positions, products, control ----


@program
def movements():
    for d in (np.float32, np.int8, np.bool_, np.complex64):
        x = whole_of(d, (3, 4))
        t = TYPE(d)
        f = Function(f"movement_{t.replace('<', '_').replace('>', '')}")

        def give(name, ins, attributes, want):
            (y,) = f.op("stablehlo." + name, ins, attributes, [type_of(np.array(want))])
            f.check(y, np.array(want))
        give("transpose", [x], "permutation = array<i64: 1, 0>", x.T)
        give("reverse", [x], "dimensions = array<i64: 0, 1>", x[::-1, ::-1])
        give("reshape", [x], "", x.reshape(2, 6))
        give("slice", [x], "start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 4>, strides = array<i64: 1, 3>", x[1:3, 0:4:3])
        give("concatenate", [x, x[:, :1].copy(), x], "dimension = 1 : i64", np.concatenate([x, x[:, :1], x], 1))
        give("broadcast_in_dim", [x], "broadcast_dimensions = array<i64: 2, 0>", np.broadcast_to(x.T[:, None, :], (4, 2, 3)))
        give("broadcast", [x], "broadcast_sizes = array<i64: 2, 1>", np.broadcast_to(x, (2, 1, 3, 4)))
        for low, high, interior in (((1, 0), (0, 2), (0, 1)), ((-1, 1), (2, -3), (1, 2)), ((0, -2), (-1, 0), (2, 0)), ((-4, 0), (0, 0), (1, 0))):
            fill = whole_of(d, ())[()]
            wide = np.full([(n - 1) * (i + 1) + 1 for n, i in zip(x.shape, interior)], fill, d)
            wide[tuple(slice(None, None, i + 1) for i in interior)] = x
            wide = np.pad(wide, [(max(a, 0), max(b, 0)) for a, b in zip(low, high)], constant_values=fill)
            want = wide[tuple(slice(-min(a, 0), n + min(b, 0)) for a, b, n in zip(low, high, wide.shape))]
            give("pad", [x, d(fill)], f"edge_padding_low = {list_of(low)}, edge_padding_high = {list_of(high)}, interior_padding = {list_of(interior)}", want)
        for first in ((0, 0), (2, 3), (-5, 1), (100, 2)):
            at = [min(max(s, 0), n - w) for s, n, w in zip(first, x.shape, (2, 2))]
            window = tuple(slice(s, s + 2) for s in at)
            places = [np.int32(s) for s in first]
            give("dynamic_slice", [x, *places], "slice_sizes = array<i64: 2, 2>", x[window])
            want = x.copy()
            update = whole_of(d, (2, 2))
            want[window] = update
            give("dynamic_update_slice", [x, update, *places], "", want)
        yield f
    f = Function("iota")
    for d in [*INTS, *FLOATS, np.complex64]:
        for axis in (0, 1):
            want = np.broadcast_to(np.expand_dims(np.arange((2, 3)[axis]), 1 - axis), (2, 3)).astype(d)
            (y,) = f.op("stablehlo.iota", [], f"iota_dimension = {axis} : i64", [type_of(want)])
            f.check(y, want)
    yield f


@program
def bitcasts():
    f = Function("bitcast_convert")
    x = RNG.integers(0, 2**32, (3, 4), np.uint32)
    for d in (np.int32, np.float32, np.uint8, np.int16, np.float16, np.uint64, np.float64):
        size = np.dtype(d).itemsize
        want = x.view(d) if size == 4 else x.view(d).reshape((3, 4, 4 // size) if size < 4 else (3, 2))
        (y,) = f.op("stablehlo.bitcast_convert", [x.reshape(3, 2, 2) if size == 8 else x], "", [type_of(want)])
        if want.dtype.kind == "f":
            same_bits = want.view(f"uint{8 * size}")
            (y,) = f.op("stablehlo.bitcast_convert", [y], "", [type_of(same_bits)])
            quiet_ones = np.isnan(want)
            f.lines.append("// the bits of NaN are not kept")
            (y,) = f.op("stablehlo.select", [quiet_ones, np.zeros_like(same_bits), y], "", [type_of(same_bits)])
            f.check(y, np.where(quiet_ones, same_bits.dtype.type(0), same_bits))
        else:
            f.check(y, want)
    yield f


def random_axes(n, count):
    return sorted(RNG.permutation(n)[:count].tolist())


@program
def gathers():
    for trial in range(60):
        rank = int(RNG.integers(1, 5))
        shape = RNG.integers(1, 5, rank)
        n_batch = int(RNG.integers(0, min(rank, 2) + 1)) if trial % 2 else 0
        axes = RNG.permutation(rank).tolist()
        batch, rest = sorted(axes[:n_batch]), axes[n_batch:]
        mapped = rest[:int(RNG.integers(0, len(rest) + 1))]
        sizes = np.array([1 if i in batch else int(RNG.integers(1, n + 1)) for i, n in enumerate(shape)])
        collapsed = sorted(i for i in rest if sizes[i] == 1 and RNG.integers(2))
        more = int(RNG.integers(0, 3))
        index_shape = [*RNG.integers(1, 4, more), *[shape[i] for i in batch]]
        index_batch = list(range(more, more + len(batch)))
        vector = int(RNG.integers(0, len(index_shape) + 1))
        if len(mapped) == 1 and RNG.integers(2):
            vector = len(index_shape)
            full = list(index_shape)
        else:
            full = index_shape[:vector] + [len(mapped)] + index_shape[vector:]
        d = [np.int32, np.int64, np.uint8, np.int8][trial % 4]
        index = RNG.integers(0 if d is np.uint8 else -2, 6, full).astype(d)
        index_axes = [a + (a >= vector and len(full) > len(index_shape)) for a in index_batch]
        window = [i for i in range(rank) if i not in collapsed and i not in batch]
        out_rank = len(index_shape) + len(window)
        offset = random_axes(out_rank, len(window))
        x = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
        out = np.empty([0] * out_rank) if out_rank == 0 else None
        out_shape, sizes_left, batch_left = [], [sizes[i] for i in window], list(index_shape)
        for i in range(out_rank):
            out_shape.append(int(sizes_left.pop(0) if i in offset else batch_left.pop(0)))
        out = np.empty(out_shape, np.int32)
        for at in np.ndindex(*out_shape):
            b = [at[i] for i in range(out_rank) if i not in offset]
            o = [at[i] for i in offset]
            place = [0] * rank
            for k, axis in enumerate(mapped):
                full_at = b if len(full) == len(index_shape) else b[:vector] + [k] + b[vector:]
                place[axis] = min(max(int(index[tuple(full_at)]), 0), shape[axis] - sizes[axis])
            for axis, own in zip(batch, index_batch):
                place[axis] = b[own]
            for axis, k in zip(window, o):
                place[axis] += k
            out[at] = x[tuple(place)]
        f = Function(f"gather_{trial}")
        numbers = (f"#stablehlo.gather<offset_dims = {offset}, collapsed_slice_dims = {collapsed}, operand_batching_dims = {batch}, "
                   f"start_indices_batching_dims = {index_axes}, start_index_map = {mapped}, index_vector_dim = {vector}>")
        (y,) = f.op("stablehlo.gather", [x, index], f"dimension_numbers = {numbers}, slice_sizes = {list_of(sizes.tolist())}", [type_of(out)])
        f.check(y, out)
        # the mirror image: what was gathered is added at the same places, where they are not clamped
        want, updates = x.copy(), RNG.integers(0, 9, out.shape).astype(np.int32)
        for at in np.ndindex(*out_shape):
            b = [at[i] for i in range(out_rank) if i not in offset]
            place = [0] * rank
            for k, axis in enumerate(mapped):
                full_at = b if len(full) == len(index_shape) else b[:vector] + [k] + b[vector:]
                place[axis] = int(index[tuple(full_at)])
            for axis, own in zip(batch, index_batch):
                place[axis] = b[own]
            for axis, k in zip(window, [at[i] for i in offset]):
                place[axis] += k
            if all(0 <= p < n for p, n in zip(place, shape)):
                want[tuple(place)] += updates[at]
        numbers = (f"#stablehlo.scatter<update_window_dims = {offset}, inserted_window_dims = {collapsed}, input_batching_dims = {batch}, "
                   f"scatter_indices_batching_dims = {index_axes}, scatter_dims_to_operand_dims = {mapped}, index_vector_dim = {vector}>")
        (y,) = f.op("stablehlo.scatter", [x, index, updates], f"scatter_dimension_numbers = {numbers}", [type_of(x)], [combine("add", "i32")])
        f.check(y, want)
        yield f


@program
def convolutions():
    for trial in range(40):
        spatial = int(RNG.integers(0, 4))
        groups = int(RNG.integers(1, 3)) if trial % 3 == 0 else 1
        batch_groups = int(RNG.integers(1, 3)) if trial % 3 == 1 else 1
        n, ci, co = 2 * batch_groups, 2 * groups, 2 * groups * batch_groups
        size, kernel = RNG.integers(2, 6, spatial), RNG.integers(1, 4, spatial)
        strides, base, dilation = (RNG.integers(1, 3, spatial) for _ in range(3))
        pads = RNG.integers(-1, 3, (spatial, 2))
        reverse = RNG.integers(0, 2, spatial).astype(bool) if trial % 4 == 0 else np.zeros(spatial, bool)
        x = RNG.integers(-3, 4, (n, ci, *size)).astype(np.float32)
        w = RNG.integers(-3, 4, (co, ci // groups, *kernel)).astype(np.float32)
        full = np.zeros((n, ci, *[(s - 1) * b + 1 for s, b in zip(size, base)]), np.float32)
        full[(slice(None), slice(None), *[slice(None, None, b) for b in base])] = x
        full = np.pad(full, [(0, 0), (0, 0), *[(max(a, 0), max(b, 0)) for a, b in pads]])
        full = full[(slice(None), slice(None), *[slice(-min(a, 0), s + min(b, 0)) for (a, b), s in zip(pads, full.shape[2:])])]
        out = [(s - ((k - 1) * d + 1)) // t + 1 if s >= (k - 1) * d + 1 else 0 for s, k, d, t in zip(full.shape[2:], kernel, dilation, strides)]
        if 0 in out:
            continue
        flipped = w[(slice(None), slice(None), *[slice(None, None, -1 if r else 1) for r in reverse])]
        want = np.zeros((n // batch_groups, co, *out), np.float32)
        for at in np.ndindex(*out):
            window = full[(slice(None), slice(None), *[slice(i * t, i * t + (k - 1) * d + 1, d) for i, t, k, d in zip(at, strides, kernel, dilation)])]
            for o in range(co):
                g, h = o // (co // groups), o // (co // batch_groups)
                part = window[h * (n // batch_groups):(h + 1) * (n // batch_groups), g * (ci // groups):(g + 1) * (ci // groups)]
                want[(slice(None), o, *at)] = (part * flipped[o]).reshape(part.shape[0], -1).sum(1)
        orders = [RNG.permutation(spatial + 2).tolist() for _ in range(3)]  # the axis of the tensor that comes at each place

        def words(order, first, second):
            return "[" + ", ".join((first, second, *map(str, range(spatial)))[a] for a in order) + "]"
        numbers = (words(orders[0], "b", "f") + "x" + words(orders[1], "o", "i") + "->" + words(orders[2], "b", "f"))
        f = Function(f"convolution_{trial}")
        rows = ", ".join(f"[{a}, {b}]" for a, b in pads)
        attributes = (f"dimension_numbers = #stablehlo.conv<{numbers}>, window_strides = {list_of(strides.tolist())}, "
                      f"padding = dense<{'[' + rows + ']' if spatial else ''}> : tensor<{spatial}x2xi64>, lhs_dilation = {list_of(base.tolist())}, "
                      f"rhs_dilation = {list_of(dilation.tolist())}, feature_group_count = {groups} : i64, batch_group_count = {batch_groups} : i64")
        if reverse.any():
            attributes += ", window_reversal = array<i1: " + ", ".join(str(bool(r)).lower() for r in reverse) + ">"
        ins = [np.array(x.transpose(orders[0])), np.array(w.transpose(orders[1]))]
        turned = np.array(want.transpose(orders[2]))
        (y,) = f.op("stablehlo.convolution", ins, attributes, [type_of(turned)])
        f.check(y, turned, tolerance=1e-5)
        yield f


@program
def products():
    for d, e in ((np.float32, np.float32), (np.float16, np.float32), (np.int8, np.int32), (np.int32, np.int32), (np.uint8, np.uint8), (np.complex64, np.complex64),
                 (np.float64, np.float64), (np.int64, np.int64)):
        f = Function(f"dot_general_{TYPE(d)}_{TYPE(e)}".replace("<", "_").replace(">", ""))
        for trial in range(6):
            batch, contract = RNG.integers(1, 4, int(RNG.integers(0, 3))), RNG.integers(1, 4, int(RNG.integers(0, 3)))
            left, right = RNG.integers(1, 4, int(RNG.integers(0, 2))), RNG.integers(1, 4, int(RNG.integers(0, 2)))
            a, b = whole_of(d, (*batch, *contract, *left)), whole_of(d, (*batch, *contract, *right))
            k, c = len(batch), len(contract)
            i, j = list(range(k + c)), list(range(k + c))
            la, lb = [k + c + n for n in range(len(left))], [k + c + len(left) + n for n in range(len(right))]
            want = quiet(lambda: np.einsum(a.astype(e), i + la, b.astype(e), j + lb, list(range(k)) + la + lb)).astype(e)
            pa, pb = RNG.permutation(a.ndim), RNG.permutation(b.ndim)
            ia, ib = np.argsort(pa), np.argsort(pb)  # where each axis went
            (y,) = f.op("stablehlo.dot_general", [np.array(a.transpose(pa)), np.array(b.transpose(pb))],
                        "dot_dimension_numbers = #stablehlo.dot<"
                        f"lhs_batching_dimensions = {ia[:k].tolist()}, rhs_batching_dimensions = {ib[:k].tolist()}, "
                        f"lhs_contracting_dimensions = {ia[k:k + c].tolist()}, rhs_contracting_dimensions = {ib[k:k + c].tolist()}>",
                        [type_of(want)])
            # the free axes keep their order in the operands
            order = list(range(k)) + sorted(range(k, k + len(left)), key=lambda n: ia[c + n]) + \
                sorted(range(k + len(left), k + len(left) + len(right)), key=lambda n: ib[c + n - len(left)])
            f.lines[-1] = f.lines[-1].rsplit("-> (", 1)[0] + f"-> ({type_of(np.array(want.transpose(order)))})"
            f.types[y] = type_of(np.array(want.transpose(order)))
            f.check(y, np.array(want.transpose(order)), **({"tolerance": 1e-5} if np.dtype(e).kind in "fc" else {}))
        yield f


@program
def choices():
    f = Function("case")
    three = [f"{{ %x{k} = stablehlo.constant dense<{10 * k}> : tensor<i32> stablehlo.return %x{k} : tensor<i32> }}" for k in range(3)]
    for index in (-1, 0, 1, 2, 3, 1000):
        (y,) = f.op("stablehlo.case", [np.int32(index)], "", ["tensor<i32>"], three)
        f.check(y, np.int32(10 * index if 0 <= index < 3 else 20))
    yield f
    f = Function("if")
    outer = f.constant(np.float32(5))
    for p in (True, False):
        (y,) = f.op("stablehlo.if", [np.bool_(p)], "", ["tensor<f32>"],
                    [f"{{ %a = stablehlo.add {outer}, {outer} : tensor<f32> stablehlo.return %a : tensor<f32> }}", f"{{ stablehlo.return {outer} : tensor<f32> }}"])
        f.check(y, np.float32(10 if p else 5))
    yield f
    f = Function("while")
    ys = f.op("stablehlo.while", [np.int32(0), np.int32(1)], "", ["tensor<i32>", "tensor<i32>"],
              ["{ ^bb0(%i: tensor<i32>, %p: tensor<i32>): %n = stablehlo.constant dense<10> : tensor<i32> "
               "%c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %c : tensor<i1> }",
               "{ ^bb0(%i: tensor<i32>, %p: tensor<i32>): %one = stablehlo.constant dense<1> : tensor<i32> %j = stablehlo.add %i, %one : tensor<i32> "
               "%q = stablehlo.add %p, %p : tensor<i32> stablehlo.return %j, %q : tensor<i32>, tensor<i32> }"])
    f.check(ys[0], np.int32(10))
    f.check(ys[1], np.int32(1024))
    yield f


# ---- running them ----


def functions():
    for fill in PROGRAMS:
        yield from fill()


def verify(text, engine):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "operations.mlir"
        path.write_text(text, encoding="utf-8")
        return start("verify", path, "--engine", engine)


def main():
    everything = list(functions())
    text = "// -----\n".join(f.whole() for f in everything)
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(text, encoding="utf-8")
    failed = 0
    for engine in ("ref", "jit"):
        done = verify(text, engine)
        lines = done.stdout.splitlines()
        bad = [line for line in lines[:-1] if ": passed" not in line]
        if done.returncode or bad or len(lines) != len(everything) + 1:
            print(f"{engine}:", *bad, done.stderr[-3000:], lines[-1:], sep="\n")
            failed = 1
    print(f"{len(everything)} functions")
    return failed


if __name__ == "__main__":
    sys.exit(main())
