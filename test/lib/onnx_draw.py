"""Random numbers, shapes and choices for models."""
import numpy as np


class Draw:
    def __init__(self, *seed):
        self.r = np.random.default_rng(seed)

    def of(self, *choices):
        return choices[self.r.integers(len(choices))]

    def chance(self, p=0.5):
        return self.r.random() < p

    def upto(self, low, high):
        """An integer, at most HIGH."""
        return int(self.r.integers(low, high + 1))

    def several(self, n, low, high):
        return [self.upto(low, high) for _ in range(n)]

    def shape(self, low, high, most=5):
        """Of a rank from LOW to HIGH, extents up to MOST."""
        return self.several(self.upto(low, high), 1, most)

    def axes(self, rank, low=0):
        """At least LOW of the axes of RANK, ascending."""
        return sorted(self.r.choice(rank, self.upto(low, rank), replace=False).tolist()) if rank else []

    def axis(self, rank):
        return self.upto(-rank, rank - 1)

    def floats(self, *shape):
        return self.r.standard_normal(shape).astype(np.float32)

    def positive(self, *shape, most=1.0):
        return (self.r.random(shape) * most + 0.01).astype(np.float32)

    def integers(self, dtype, *shape, low=None, high=None):
        """All that DTYPE has, or from LOW to HIGH."""
        about = np.iinfo(dtype)
        return self.r.integers(about.min if low is None else low, (about.max if high is None else high) + 1, shape, dtype=dtype)
