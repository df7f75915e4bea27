"""RNN, GRU and LSTM of ONNX against a plain reading of their definition."""
import unittest

import numpy as np

from lib.onnx_case import Case, floats


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Layer:
    """One direction, step by step, in f64."""

    def __init__(self, kind, w, r, bias, peepholes=None, **options):
        self.kind, self.options = kind, options
        self.w, self.r = w.astype(np.float64), r.astype(np.float64)
        n = len(w)
        self.wb, self.rb = (bias[:n], bias[n:]) if bias is not None else (np.zeros(n), np.zeros(n))
        self.p = np.zeros(3 * r.shape[1]) if peepholes is None else peepholes

    def step(self, x, h, c):
        if self.kind == "RNN":
            return np.tanh(x @ self.w.T + h @ self.r.T + self.wb + self.rb), c
        split = lambda a, n: np.split(a, n, axis=-1)
        if self.kind == "GRU":
            wz, wr, wh = split(x @ self.w.T + self.wb, 3)
            rz, rr, rh = np.split(self.r, 3)
            bz, br, bh = split(self.rb, 3)
            z, r = sigmoid(wz + h @ rz.T + bz), sigmoid(wr + h @ rr.T + br)
            other = r * (h @ rh.T + bh) if self.options.get("linear_before_reset") else (r * h) @ rh.T + bh
            return (1 - z) * np.tanh(wh + other) + z * h, c
        i, o, f, g = split(x @ self.w.T + h @ self.r.T + self.wb + self.rb, 4)
        pi, po, pf = split(self.p, 3)
        i = sigmoid(i + pi * c)
        f = 1 - i if self.options.get("input_forget") else sigmoid(f + pf * c)
        c = f * c + i * np.tanh(g)
        return sigmoid(o + po * c) * np.tanh(c), c

    def run(self, x, lengths, h, c, reverse):
        steps, batch, _ = x.shape
        y = np.zeros((steps, batch, h.shape[1]))
        h, c = h.astype(np.float64), c.astype(np.float64)
        for b in range(batch):
            n = lengths[b]
            for t in (range(n - 1, -1, -1) if reverse else range(n)):
                h[b], c[b] = self.step(x[t, b], h[b], c[b])
                y[t, b] = h[b]
        return y, h, c


class Recurrent(Case):
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}

    def check(self, kind, steps=4, batch=2, width=3, hidden=5, direction="forward", lengths=None, bias=True,
              states=True, peepholes=False, layout=0, **options):
        both, g = direction == "bidirectional", self.gates[kind]
        d = 2 if both else 1
        x = floats(steps, batch, width)
        w, r = floats(d, g * hidden, width) / 4, floats(d, g * hidden, hidden) / 4
        b = floats(d, 2 * g * hidden) / 4 if bias else None
        h = floats(d, batch, hidden) if states else np.zeros((d, batch, hidden), np.float32)
        c = floats(d, batch, hidden) if states else np.zeros((d, batch, hidden), np.float32)
        p = floats(d, 3 * hidden) / 4 if peepholes else None
        n = np.array(lengths if lengths else [steps] * batch, np.int32)
        runs = [Layer(kind, w[k], r[k], None if b is None else b[k], None if p is None else p[k], **options)
                .run(x, n, h[k], c[k], direction == "reverse" or k == 1) for k in range(d)]
        want = [np.stack([y for y, _, _ in runs], 1), np.stack([h for _, h, _ in runs]),
                np.stack([c for _, _, c in runs])][:3 if kind == "LSTM" else 2]
        turn = (lambda a: a.swapaxes(0, 1)) if layout else (lambda a: a)
        if layout:
            want = [want[0].transpose(2, 0, 1, 3), *map(turn, want[1:])]
        given = [turn(x), w, r, b, n if lengths else None, turn(h) if states else None]
        if kind == "LSTM":
            given += [turn(c) if states else None, p]
        got = self.results(kind, len(want), *given, hidden_size=hidden, direction=direction, layout=layout, **options)
        for a, e in zip(got, want):
            np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5)

    def test_every_kind(self):
        for kind in self.gates:
            for direction in "forward", "reverse", "bidirectional":
                for lengths in None, [2, 4], [0, 3]:  # what has no steps ends as it began
                    with self.subTest(kind=kind, direction=direction, lengths=lengths):
                        self.check(kind, direction=direction, lengths=lengths)

    def test_what_is_left_out(self):
        for kind in self.gates:
            with self.subTest(kind=kind):
                self.check(kind, bias=False, states=False)

    def test_batches_first(self):
        for kind in self.gates:
            with self.subTest(kind=kind):
                self.check(kind, direction="bidirectional", layout=1)

    def test_one_sequence(self):
        for kind in self.gates:
            for steps in 1, 7:
                with self.subTest(kind=kind, steps=steps):
                    self.check(kind, steps=steps, batch=1, direction="bidirectional", **{"linear_before_reset": 1} if kind == "GRU" else {})
        self.check("GRU", batch=1)
        self.check("LSTM", batch=1, peepholes=True, layout=1, lengths=[3])

    def test_options(self):
        self.check("GRU", linear_before_reset=1)
        self.check("GRU", linear_before_reset=1, bias=False)
        self.check("LSTM", peepholes=True)
        self.check("LSTM", peepholes=True, input_forget=1, direction="bidirectional")


if __name__ == "__main__":
    unittest.main()
