"""Results that do not depend on what is computed beside them: docs/numerics.md, section 17."""
import unittest

import numpy as np

from lib.onnx_case import Case
from lib.onnx_files import model, node

D, HIDDEN, TOKENS = 64, 192, 40
random = np.random.default_rng(11)


def normal(*shape):
    return (random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)


WEIGHTS = [("wq", normal(D, D)), ("wk", normal(D, D)), ("wv", normal(D, D)), ("w1", normal(D, HIDDEN)), ("w2", normal(HIDDEN, D)),
           ("gamma", 1 + normal(D)), ("beta", normal(D)), ("scale", np.float32(1 / np.sqrt(D)))]


def network(rows):
    """Two layers with a norm and a softmax, for a batch of so many rows."""
    nodes = [node("LayerNormalization", "x gamma beta", "a"), node("MatMul", "a w1", "b"), node("Tanh", "b", "c"),
             node("MatMul", "c w2", "d"), node("Add", "d x", "e"), node("Softmax", "e", "y")]
    return model(nodes, [("x", "f32", [rows, D])], [("y", "f32", [rows, D])], WEIGHTS, opset=18)


def attention(queries, keys):
    """What QUERIES of a text's tokens become, when they look at KEYS of them that the mask lets through."""
    nodes = [node("LayerNormalization", "x gamma beta", "a"), node("LayerNormalization", "all gamma beta", "b"),
             node("MatMul", "a wq", "q"), node("MatMul", "b wk", "k"), node("MatMul", "b wv", "v"),
             node("Transpose", "k", "t", perm=[1, 0]), node("MatMul", "q t", "s"), node("Mul", "s scale", "m"),
             node("Add", "m mask", "n"), node("Softmax", "n", "p"), node("MatMul", "p v", "o"), node("Add", "o x", "y")]
    return model(nodes, [("x", "f32", [queries, D]), ("all", "f32", [keys, D]), ("mask", "f32", [queries, keys])],
                 [("y", "f32", [queries, D])], WEIGHTS, opset=18)


class Batches(Case):
    def same(self, have, want):
        self.assertEqual(have.tobytes(), want.tobytes())

    def test_rows_of_a_batch(self):
        x = normal(64, D) * 8
        whole, = self.run_model(network(64), {"x": x})
        for rows in (1, 5, 16, 17, 33):
            part, = self.run_model(network(rows), {"x": x[64 - rows:]})
            self.same(part, whole[64 - rows:])
        strange = x.copy()
        strange[::2] = np.inf
        beside, = self.run_model(network(64), {"x": strange})
        self.same(beside[1::2], whole[1::2])

    def test_images_of_a_batch(self):
        w = normal(3, 8, 3, 3).transpose(1, 0, 2, 3).copy()
        images = normal(7, 3, 13, 11)

        def run(x):
            nodes = [node("Conv", "x w", "c", pads=[1, 1, 1, 1]), node("Relu", "c", "r"), node("GlobalAveragePool", "r", "y")]
            return self.run_model(model(nodes, [("x", "f32", list(x.shape))], [("y", "f32", None)], [("w", w)]), {"x": x})[0]

        whole = run(images)
        for i in (0, 3, 6):
            self.same(run(images[i:i + 1]), whole[i:i + 1])

    def test_tokens_one_after_the_other(self):
        """A text at once, token by token with a cache of the exact length, and with a longer one whose rest is masked."""
        x = normal(TOKENS, D) * 8
        causal = np.triu(np.full((TOKENS, TOKENS), -np.inf, np.float32), 1)
        whole, = self.run_model(attention(TOKENS, TOKENS), {"x": x, "all": x, "mask": causal})
        for t in (0, 7, 31, TOKENS - 1):
            step, = self.run_model(attention(1, t + 1), {"x": x[t:t + 1], "all": x[:t + 1], "mask": causal[t:t + 1, :t + 1]})
            self.same(step, whole[t:t + 1])
            rest = np.concatenate([x[:t + 1], normal(TOKENS - t - 1, D)]) if t + 1 < TOKENS else x
            padded, = self.run_model(attention(1, TOKENS), {"x": x[t:t + 1], "all": rest, "mask": causal[t:t + 1]})
            self.same(padded, whole[t:t + 1])


if __name__ == "__main__":
    unittest.main()
