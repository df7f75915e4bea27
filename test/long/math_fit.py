#!/usr/bin/env python3
"""Fits the polynomials of src/scalar/math_*.c: a Remez exchange in many digits, then rounding of one
coefficient at a time with a new fit of the rest. Needs mpmath. Prints C initialisers and the error.

    python3 test/long/math_fit.py [NAME...]
"""
import struct
import sys

from mpmath import mp, mpf, lu_solve, matrix
import mpmath as m

mp.prec = 200


def round_to(x, bits):
    """x rounded to a float of that many significand bits, as mpf."""
    if x == 0:
        return mpf(0)
    if bits == 24:
        return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])
    man, exp = m.frexp(x)
    return m.ldexp(m.nint(m.ldexp(man, bits)), exp - bits)


def remez(target, weight, powers, lo, hi, grid):
    """Coefficients c of sum c[k] x^powers[k] least in max |weight (target - p)| over [lo, hi]."""
    n = len(powers)
    if n == 0:
        return [], max(abs(weight(x) * target(x)) for x in grid)
    tgt = [target(x) for x in grid]
    wgt = [weight(x) for x in grid]
    pick = sorted({round((len(grid) - 1) * (1 - float(m.cos(m.pi * k / n))) / 2) for k in range(n + 1)})
    assert len(pick) == n + 1
    best = None
    for _ in range(40):
        a, b = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for row, g in enumerate(pick):
            for col, p in enumerate(powers):
                a[row, col] = grid[g] ** p
            a[row, n] = (-1) ** row / wgt[g]
            b[row] = tgt[g]
        sol = lu_solve(a, b)
        c = [sol[k] for k in range(n)]
        err = [w * (t - sum(ck * x ** p for ck, p in zip(c, powers)))
               for x, t, w in zip(grid, tgt, wgt)]
        peak = max(abs(e) for e in err)
        if best is None or peak < best[1]:
            best = (c, peak)
        if peak <= abs(sol[n]) * mpf("1.001"):
            break
        # the largest error of each run of one sign, then the best n + 1 neighbours of these
        runs = [0]
        for g in range(1, len(grid)):
            if (err[g] > 0) == (err[runs[-1]] > 0):
                if abs(err[g]) > abs(err[runs[-1]]):
                    runs[-1] = g
            else:
                runs.append(g)
        while len(runs) > n + 1:
            if len(runs) == n + 2 or abs(err[runs[0]]) < abs(err[runs[-1]]):
                runs.pop(0 if abs(err[runs[0]]) < abs(err[runs[-1]]) else -1)
            else:
                runs.pop()
        if len(runs) < n + 1:
            break
        pick = runs
    return best


def fit(name, target, weight, powers, lo, hi, bits, points=600):
    """bits: one number, or one for each power."""
    bits = [bits] * len(powers) if isinstance(bits, int) else bits
    half, mid = (mpf(hi) - lo) / 2, (mpf(hi) + lo) / 2
    grid = [mid - half * m.cos(m.pi * k / points) for k in range(points + 1)]
    if lo < 0:  # around 0 the weights vanish
        grid = [x for x in grid if abs(x) > half / 100]
    else:
        grid = [max(x, lo + half / 10 ** 6) for x in grid]
    done = []
    _, ideal = remez(target, weight, powers, lo, hi, grid)
    for k in range(len(powers)):
        rest = lambda x: target(x) - sum(c * x ** p for c, p in zip(done, powers))
        c, _ = remez(rest, weight, powers[k:], lo, hi, grid)
        done.append(round_to(c[0], bits[k]))
    peak = max(abs(weight(x) * (target(x) - sum(c * x ** p for c, p in zip(done, powers))))
               for x in grid)
    text = lambda v: float(v).hex().replace("0000000p", "p") + ("f" if bits[0] == 24 else "")
    print(f"/* {name}: error 2^{float(m.log(peak, 2)):.2f} (2^{float(m.log(ideal, 2)):.2f} unrounded) */")
    print("    " + ", ".join(text(c) for c in done))
    return done


def exp_tail(x):
    """(e^x - 1 - x) / x^2"""
    if abs(x) < mpf(2) ** -10:
        return sum(x ** k / m.factorial(k + 2) for k in range(12))
    return (m.exp(x) - 1 - x) / x ** 2


def log_tail(x):
    """(log(1 + x) - x + x^2/2) / x^3"""
    if abs(x) < mpf(2) ** -10:
        return sum((-1) ** k * x ** k / (k + 3) for k in range(16))
    return (m.log(1 + x) - x + x ** 2 / 2) / x ** 3


def atanh_tail(z):
    """(log((1 + s) / (1 - s)) - 2 s) / s at z = s^2, over z: 2/3 + 2/5 z + ..."""
    if z < mpf(2) ** -12:
        return sum(2 * z ** k / (2 * k + 3) for k in range(14))
    s = m.sqrt(z)
    return (m.log((1 + s) / (1 - s)) - 2 * s) / (s * z)


def tanh_tail(z):
    """(tanh(x) - x) / (x z) at z = x^2"""
    x = m.sqrt(z)
    return (m.tanh(x) - x) / (x * z)


def erf_tail(z):
    """erf(x) / x - 1 at z = x^2"""
    x = m.sqrt(z)
    return m.erf(x) / x - 1


LN2 = m.log(2)
FITS = {}


def entry(f):
    FITS[f.__name__] = f
    return f


@entry
def exp_f32():
    w = lambda x: x ** 2 / m.exp(x)
    fit("exp f32, q of 1 + r + r^2 q(r)", exp_tail, w, range(5), -0.3475, 0.3475, 24)


@entry
def exp_f64():
    w = lambda x: x ** 2 / m.exp(x)
    fit("exp f64, q of 1 + r + r^2 q(r)", exp_tail, w, range(11), -0.3467, 0.3467, 53)


@entry
def exp2_f32():
    w = lambda x: x / m.exp(x * LN2)
    f = lambda x: m.expm1(x * LN2) / x
    fit("exp2 f32, q of 1 + x q(x)", f, w, range(6), -0.5, 0.5, 24)


@entry
def exp2_f64():
    w = lambda x: x / m.exp(x * LN2)
    f = lambda x: m.expm1(x * LN2) / x
    fit("exp2 f64, q of 1 + x q(x)", f, w, range(12), -0.5, 0.5, 53)


@entry
def log_f32():
    w = lambda x: x ** 3 / m.log1p(x)
    lo, hi = m.sqrt(0.5) - 1, m.sqrt(2) - 1
    fit("log f32, r of f - f^2/2 + f^3 r(f)", log_tail, w, range(8), lo, hi, 24)


@entry
def log_f64():
    z1 = ((m.sqrt(2) - 1) / (m.sqrt(2) + 1)) ** 2
    w = lambda z: z  # relative to 2 s
    fit("log f64, r of 2 s + s z r(z)", atanh_tail, w, range(7), 0, z1, 53)


@entry
def log2_f32():
    """log2(1 + f) = c f + f^2 p(f)"""
    def tail(x):
        if abs(x) < mpf(2) ** -10:
            return sum((-1) ** (k + 1) * x ** k / (k + 2) for k in range(16)) / LN2
        return (m.log1p(x) - x) / x ** 2 / LN2
    w = lambda x: x ** 2 / m.log1p(x)
    lo, hi = m.sqrt(0.5) - 1, m.sqrt(2) - 1
    fit("log2 f32", tail, w, range(9), lo, hi, 24)


@entry
def tanh_f32():
    """tanh(x) = x + x z p(z), z = x^2"""
    w = lambda z: m.sqrt(z) * z / m.tanh(m.sqrt(z))
    fit("tanh f32, |x| < 1", tanh_tail, w, range(8), 0, 1, 24)


@entry
def tanh_f64():
    w = lambda z: m.sqrt(z) * z / m.tanh(m.sqrt(z))
    fit("tanh f64, |x| < 5/8", tanh_tail, w, range(12), 0, mpf("0.625") ** 2, 53)


@entry
def erf_f32():
    """erf(x) = x + x p(z), z = x^2"""
    w = lambda z: m.sqrt(z) / m.erf(m.sqrt(z))
    fit("erf f32, |x| < 1", erf_tail, w, range(7), 0, 1, 24)


@entry
def erf_f64():
    w = lambda z: m.sqrt(z) / m.erf(m.sqrt(z))
    fit("erf f64, |x| < 1", erf_tail, w, range(13), 0, 1, 53)


@entry
def erfc_f32():
    """log2(erfc(1 + v)) = p(v), the error relative to erf(1 + v)"""
    tail = lambda v: m.log(m.erfc(1 + v), 2)
    w = lambda v: m.erfc(1 + v) * LN2 / m.erf(1 + v)
    fit("erfc f32, 0 <= v < 2.93", tail, w, range(7), 0, mpf("2.93"), 24)


@entry
def erfc_f64():
    tail = lambda v: m.log(m.erfc(1 + v), 2)
    w = lambda v: m.erfc(1 + v) * LN2 / m.erf(1 + v)
    fit("erfc f64, 0 <= v < 4.93", tail, w, range(18), 0, mpf("4.93"), 53)


@entry
def sin_f32():
    """sin(pi/2 u) = u p(z) and cos(pi/2 u) = p(z), z = u^2, evaluated in f64 for an f32 result"""
    top = mpf("0.26")
    fit("sin f32", lambda z: m.sin(m.pi / 2 * m.sqrt(z)) / m.sqrt(z),
        lambda z: m.sqrt(z) / m.sin(m.pi / 2 * m.sqrt(z)), range(5), 0, top, 53)
    fit("cos f32", lambda z: m.cos(m.pi / 2 * m.sqrt(z)),
        lambda z: 1 / m.cos(m.pi / 2 * m.sqrt(z)), range(5), 0, top, 53)


@entry
def near_f32():
    """sin(r) = r + r z p(z) and cos(r) = 1 - z/2 + z^2 p(z), z = r^2, for |r| <= pi/4 and a little more"""
    top = mpf("0.835") ** 2
    sine = lambda z: odd_tail(m.sin, z, lambda k: (-1) ** (k + 1) / m.factorial(2 * k + 3))
    fit("sin f32", sine, lambda z: odd_weight(m.sin, z), range(3), 0, top, 24)
    def cosine(z):
        if z < mpf(2) ** -12:
            return sum((-1) ** k * z ** k / m.factorial(2 * k + 4) for k in range(10))
        return (m.cos(m.sqrt(z)) - 1 + z / 2) / z ** 2
    fit("cos f32", cosine, lambda z: z ** 2 / m.cos(m.sqrt(z)), range(3), 0, top, 24)


@entry
def sin_f64():
    """sin(pi/2 u) = pi/2 u + u z p(z), cos(pi/2 u) = 1 + z p(z)"""
    top = mpf("0.2501")
    fit("sin f64", lambda z: (m.sin(m.pi / 2 * m.sqrt(z)) / m.sqrt(z) - m.pi / 2) / z,
        lambda z: z * m.sqrt(z) / m.sin(m.pi / 2 * m.sqrt(z)), range(7), 0, top, 53)
    fit("cos f64", lambda z: (m.cos(m.pi / 2 * m.sqrt(z)) - 1) / z,
        lambda z: z / m.cos(m.pi / 2 * m.sqrt(z)), range(8), 0, top, 53)


Z_TOP = ((m.sqrt(2) - 1) / (m.sqrt(2) + 1)) ** 2


@entry
def pow_f32():
    """log2((1 + s) / (1 - s)) = s p(z), z = s^2; 2^f = 1 + f q(f); both in f64 for an f32 result"""
    def tail(z):
        s = m.sqrt(z)
        return m.log((1 + s) / (1 - s), 2) / s
    fit("pow f32, log2", tail, lambda z: 1 / tail(z), range(6), 0, Z_TOP, 53)
    fit("pow f32, exp2", lambda x: m.expm1(x * LN2) / x, lambda x: x / m.exp(x * LN2), range(7),
        -0.5, 0.5, 53)


@entry
def pow_f64():
    """atanh(s) = s + s z / 3 + s z^2 q(z), z = s^2"""
    def tail(z):
        if z < mpf(2) ** -20:
            return sum(z ** k / (2 * k + 5) for k in range(14))
        return (m.atanh(m.sqrt(z)) / m.sqrt(z) - 1 - z / 3) / z ** 2
    fit("pow f64", tail, lambda z: z ** 2, range(8), 0, Z_TOP, 53)


@entry
def atan_f64():
    """atan(t) = t + t z p(z), z = t^2, for |t| <= 7/16"""
    def tail(z):
        if z < mpf(2) ** -12:
            return sum((-1) ** (k + 1) * z ** k / (2 * k + 3) for k in range(14))
        t = m.sqrt(z)
        return (m.atan(t) / t - 1) / z
    w = lambda z: z * m.sqrt(z) / m.atan(m.sqrt(z))
    fit("atan f64", tail, w, range(11), 0, mpf("0.4375") ** 2, 53)


@entry
def asin_f64():
    """asin(s) = s + s z p(z), z = s^2, for |s| <= 1/2"""
    def tail(z):
        if z < mpf(2) ** -12:
            terms = [mpf(1)]
            for k in range(1, 16):
                terms.append(terms[-1] * (2 * k - 1) / (2 * k))
            return sum(terms[k + 1] * z ** k / (2 * k + 3) for k in range(14))
        s = m.sqrt(z)
        return (m.asin(s) / s - 1) / z
    w = lambda z: z * m.sqrt(z) / m.asin(m.sqrt(z))
    fit("asin f64", tail, w, range(12), 0, mpf("0.25"), 53)


@entry
def cbrt_start():
    """A first guess of the cube root of what is between 2^-1.5 and 2^1.5"""
    f = lambda x: m.cbrt(x)
    fit("cbrt", f, lambda x: 1 / m.cbrt(x), range(4), mpf(2) ** -1.5, mpf(2) ** 1.5, 24)


@entry
def expm1_f32():
    """e^r - 1 = r + r^2 q(r)"""
    w = lambda x: abs(x ** 2 / m.expm1(x))
    fit("expm1 f32, for sigmoid", exp_tail, w, range(5), -0.3475, 0.3475, 24)
    fit("expm1 f32, in f64", exp_tail, w, range(10), -0.3467, 0.3467, 53)



@entry
def sinh_f32():
    """sinh(r) = r + r z p(z) and cosh(r) = 1 + z p(z), z = r^2, for |r| <= log(2)/2"""
    top = mpf("0.3475") ** 2
    sine = lambda z: odd_tail(m.sinh, z, lambda k: 1 / m.factorial(2 * k + 3))
    fit("sinh f32", sine, lambda z: odd_weight(m.sinh, z), range(3), 0, top, 24)
    cosine = lambda z: (m.cosh(m.sqrt(z)) - 1) / z
    fit("cosh f32", cosine, lambda z: z / m.cosh(m.sqrt(z)), range(3), 0, top, 24)


@entry
def log1p_f32():
    """log(1 + f) = f - f^2/2 + f^3 r(f)"""
    w = lambda x: x ** 3 / m.log1p(x)
    fit("log1p f32", log_tail, w, range(8), -0.25, 0.5, 24)


def odd_tail(function, z, term):
    """(function(x) - x) / (x z) at z = x^2, whose series is the sum of term(k) z^k"""
    if z < mpf(2) ** -12:
        return sum(term(k) * z ** k for k in range(14))
    x = m.sqrt(z)
    return (function(x) / x - 1) / z


def odd_weight(function, z):
    """What an error of odd_tail is in parts of the result"""
    return z * m.sqrt(z) / function(m.sqrt(z))


def arcsine_terms():
    """The series of asin, without the first term"""
    terms = [mpf(1)]
    for k in range(1, 16):
        terms.append(terms[-1] * (2 * k - 1) / (2 * k))
    return [terms[k + 1] / (2 * k + 3) for k in range(14)]


@entry
def atan_f32():
    """atan(t) = t + t z p(z), z = t^2, for |t| <= 1"""
    tail = lambda z: odd_tail(m.atan, z, lambda k: mpf(-1) ** (k + 1) / (2 * k + 3))
    fit("atan f32", tail, lambda z: odd_weight(m.atan, z), range(9), 0, 1, 24)


@entry
def asin_f32():
    """asin(s) = s + s z p(z), z = s^2, for |s| <= 1/2"""
    terms = arcsine_terms()
    tail = lambda z: odd_tail(m.asin, z, lambda k: terms[k])
    fit("asin f32", tail, lambda z: odd_weight(m.asin, z), range(5), 0, mpf("0.25"), 24)


@entry
def atanh_f32():
    """atanh(s) = s + s z p(z), z = s^2, for |s| <= 1/3"""
    tail = lambda z: odd_tail(m.atanh, z, lambda k: mpf(1) / (2 * k + 3))
    fit("atanh f32", tail, lambda z: odd_weight(m.atanh, z), range(4), 0, mpf(1) / 9, 24)


@entry
def asinh_f32():
    """asinh(x) = x + x z p(z), z = x^2, for |x| <= 1/2"""
    terms = arcsine_terms()
    tail = lambda z: odd_tail(m.asinh, z, lambda k: (-1) ** (k + 1) * terms[k])
    fit("asinh f32", tail, lambda z: odd_weight(m.asinh, z), range(5), 0, mpf("0.25"), 24)


@entry
def tan_f32():
    """tan(r) = r + r z p(z), z = r^2, for |r| <= pi/4 and a little more"""
    tail = lambda z: odd_tail(m.tan, z, lambda k: [mpf(1) / 3, mpf(2) / 15, mpf(17) / 315][min(k, 2)] * (k < 3))
    fit("tan f32", tail, lambda z: odd_weight(m.tan, z), range(7), 0, mpf("0.835") ** 2, 24)


@entry
def parts():
    """1 / (2 pi): in pieces for f32, and in chunks of 53 bits from the binary point for f64"""
    mp.prec = 1400
    c = 1 / (2 * m.pi)
    pieces, done = [], mpf(0)
    for last in (28, 54, 80, 106, 132, 158):
        piece = m.floor((c - done) * mpf(2) ** last) / mpf(2) ** last
        pieces.append(piece)
        done += piece
    pieces.append(round_to(c - done, 53))
    print("f32:", ", ".join(float(p).hex() for p in pieces))
    chunks = []
    for k in range(24):
        c *= mpf(2) ** 53
        whole = m.floor(c)
        chunks.append(int(whole))
        c -= whole
    print("f64:", ", ".join(f"0x{w:014x}p-53" for w in chunks))
    mp.prec = 200


if __name__ == "__main__":
    for which in sys.argv[1:] or FITS:
        FITS[which]()
