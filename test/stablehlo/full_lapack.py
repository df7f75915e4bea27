"""Factors by LAPACK's calls, as JAX writes them for processors, against NumPy: P A = L U with the rows that are exchanged and the first
zero pivot, Q R with the reflections themselves, eigenvalues and singular values. Both engines give the same bits."""
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

from lib.program import TENON

TYPES = {"s": ("f32", np.float32, 2e-6), "d": ("f64", np.float64, 1e-14), "c": ("complex<f32>", np.complex64, 2e-6),
         "z": ("complex<f64>", np.complex128, 1e-14)}
SHAPES = [("s", (4, 4)), ("d", (3, 5, 4)), ("d", (2, 3, 4, 6)), ("z", (2, 5, 4)), ("s", (1, 1)), ("c", (4, 3)), ("d", (6, 3))]


def tensor(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def swapped(x, pivots):
    """X with the rows exchanged that PIVOTS, from 1 on, say."""
    y = x.copy()
    for i, j in enumerate(pivots - 1):
        y[[i, j]] = y[[j, i]]
    return y


class Factors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.draw = np.random.default_rng(1)

    def matrices(self, letter, shape):
        _, dtype, _ = TYPES[letter]
        x = self.draw.normal(size=shape) + 1j * self.draw.normal(size=shape)
        return (x if letter in "cz" else x.real).astype(dtype)

    def results(self, text, x):
        """What both engines give."""
        (self.dir / "m.mlir").write_text(text, encoding="ascii")
        np.save(self.dir / "x.npy", x)
        out = []
        for engine in ("jit", "ref"):
            done = subprocess.run([TENON, "run", "m.mlir", "--engine", engine, "--input", "x=x.npy", "--output", "out.npz"], cwd=self.dir,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with np.load(self.dir / "out.npz") as archive:
                out.append([archive[name] for name in archive.files])
        for a, b in zip(*out):
            self.assertTrue(np.array_equal(a, b, equal_nan=True))
        return out[0]

    def lu(self, letter, x):
        a, p, i = tensor(x.shape, TYPES[letter][0]), tensor((*x.shape[:-2], min(x.shape[-2:])), "i32"), tensor(x.shape[:-2], "i32")
        return self.results(f"""func.func @main(%x: {a}) -> ({a}, {p}, {i}) {{
  %0:3 = stablehlo.custom_call @lapack_{letter}getrf_ffi(%x) {{mhlo.backend_config = {{}}}} : ({a}) -> ({a}, {p}, {i})
  return %0#0, %0#1, %0#2 : {a}, {p}, {i}
}}
""", x)

    def test_lu(self):
        for letter, shape in SHAPES:
            x = self.matrices(letter, shape)
            lu, pivots, info = self.lu(letter, x)
            n, k = shape[-2], min(shape[-2:])
            self.assertTrue(np.all(info == 0))
            for at in np.ndindex(*shape[:-2]):
                lower, upper = np.tril(lu[at], -1)[:, :k] + np.eye(n, k), np.triu(lu[at])[:k]
                np.testing.assert_allclose(lower @ upper, swapped(x[at], pivots[at]), rtol=0, atol=8 * TYPES[letter][2])
                self.assertLessEqual(np.abs(lower).max(), 1.5 if letter in "cz" else 1)

    def test_zero_pivot(self):
        x = self.matrices("d", (2, 5, 5))
        x[0, :, 2] = 0
        self.assertEqual(self.lu("d", x)[2].tolist(), [3, 0])

    def test_qr(self):
        for letter, shape in SHAPES:
            element, _, tolerance = TYPES[letter]
            x = self.matrices(letter, shape)
            if shape == (6, 3):
                x[1:, 0] = 0  # nothing to reflect
            n, k = shape[-2], min(shape[-2:])
            a, t, q = tensor(shape, element), tensor((*shape[:-2], k), element), tensor((*shape[:-2], n, k), element)
            part = ", ".join(f"0:{end}" for end in (*shape[:-2], n, k))
            name = letter + ("ungqr" if letter in "cz" else "orgqr")
            packed, taus, own = self.results(f"""func.func @main(%x: {a}) -> ({a}, {t}, {q}) {{
  %0:2 = stablehlo.custom_call @lapack_{letter}geqrf_ffi(%x) {{mhlo.backend_config = {{}}}} : ({a}) -> ({a}, {t})
  %1 = stablehlo.slice %0#0 [{part}] : ({a}) -> {q}
  %2 = stablehlo.custom_call @lapack_{name}_ffi(%1, %0#1) {{mhlo.backend_config = {{}}}} : ({q}, {t}) -> {q}
  return %0#0, %0#1, %2 : {a}, {t}, {q}
}}
""", x)
            for at in np.ndindex(*shape[:-2]):
                reflections, want_taus = np.linalg.qr(x[at], mode="raw")
                want = np.linalg.qr(x[at])[0]
                for got, expected in ((packed[at], reflections.T), (taus[at], want_taus), (own[at], want)):
                    np.testing.assert_allclose(got, expected, rtol=0, atol=16 * tolerance)

    def eigen(self, letter, x, uplo="L"):
        a, w, i = tensor(x.shape, TYPES[letter][0]), tensor(x.shape[:-1], TYPES[{"c": "s", "z": "d"}.get(letter, letter)][0]), tensor(x.shape[:-2], "i32")
        name = letter + ("heevd" if letter in "cz" else "syevd")
        return self.results(f"""func.func @main(%x: {a}) -> ({a}, {w}, {i}) {{
  %0:3 = stablehlo.custom_call @lapack_{name}_ffi(%x) {{mhlo.backend_config = {{mode = 86 : ui8, uplo = {ord(uplo)} : ui8}}}} : ({a}) -> ({a}, {w}, {i})
  return %0#0, %0#1, %0#2 : {a}, {w}, {i}
}}
""", x)

    def test_eigenvalues(self):
        for letter, shape in [("s", (5, 5)), ("d", (3, 8, 8)), ("d", (1, 1)), ("z", (2, 5, 5)), ("c", (4, 4)), ("d", (33, 33)), ("s", (2, 2, 2, 2))]:
            tolerance, x = TYPES[letter][2], self.matrices(letter, shape)
            for uplo in "LU" if shape == (5, 5) else "L":
                v, w, info = self.eigen(letter, x, uplo)
                self.assertTrue(np.all(info == 0))
                for at in np.ndindex(*shape[:-2]):
                    n = shape[-1]
                    part = np.tril(x[at], -1) if uplo == "L" else np.triu(x[at], 1)
                    full = part + part.conj().T + np.diag(np.diag(x[at]).real)
                    np.testing.assert_allclose(w[at], np.linalg.eigvalsh(full), rtol=0, atol=8 * n * tolerance)
                    np.testing.assert_allclose(full @ v[at], v[at] * w[at], rtol=0, atol=8 * n * tolerance)
                    np.testing.assert_allclose(v[at].conj().T @ v[at], np.eye(n), rtol=0, atol=8 * n * tolerance)
        v, w, info = self.eigen("d", np.diag([3.0, 1.0, 2.0]))
        self.assertEqual((w.tolist(), info.tolist()), ([1, 2, 3], 0))
        self.assertEqual(self.eigen("d", np.array([[np.nan, 1], [1, 2]]))[2].tolist(), 1)

    def test_singular_values(self):
        for letter, shape in [("s", (5, 3)), ("d", (3, 4, 7)), ("d", (1, 1)), ("z", (2, 5, 5)), ("c", (3, 4)), ("d", (20, 30)), ("d", (6, 1))]:
            for mode in "AS" if shape in ((5, 3), (3, 4, 7)) else "N" if shape == (6, 1) else "A":
                element, _, tolerance = TYPES[letter]
                x = self.matrices(letter, shape)
                if shape == (3, 4, 7):
                    x[0, 1] = x[0, 2]  # of lower rank
                    x[1] = 0
                n, m, k = *shape[-2:], min(shape[-2:])
                own = {"c": "f32", "z": "f64"}.get(letter, element)
                a, s, i = tensor(shape, element), tensor((*shape[:-2], k), own), tensor(shape[:-2], "i32")
                u = tensor((*shape[:-2], n, n if mode == "A" else k), element)
                v = tensor((*shape[:-2], m if mode == "A" else k, m), element)
                s, left, right, info = self.results(f"""func.func @main(%x: {a}) -> ({s}, {u}, {v}, {i}) {{
  %0:5 = stablehlo.custom_call @lapack_{letter}gesdd_ffi(%x) {{mhlo.backend_config = {{mode = {ord(mode)} : ui8}}}} : ({a}) -> ({a}, {s}, {u}, {v}, {i})
  return %0#1, %0#2, %0#3, %0#4 : {s}, {u}, {v}, {i}
}}
""", x)
                self.assertTrue(np.all(info == 0))
                for at in np.ndindex(*shape[:-2]):
                    limit = {"rtol": 0, "atol": 8 * max(n, m) * tolerance}
                    np.testing.assert_allclose(s[at], np.linalg.svd(x[at], compute_uv=False), **limit)
                    np.testing.assert_allclose(left[at][:, :k] * s[at] @ right[at][:k], x[at], **limit)
                    for q in left[at], right[at].conj().T:
                        np.testing.assert_allclose(q.conj().T @ q, np.eye(q.shape[1]), **limit)


if __name__ == "__main__":
    unittest.main()
