"""What neural networks are made of, for traced functions: forms of tenon/forms.h.

Each is numerically stable and recognised by the compiler. Values may have any number of leading axes.
"""
from __future__ import annotations

import ctypes
from typing import Any, Sequence, Union

import numpy as np

from . import _library as c
from ._axes import list_of
from ._errors import UsageError
from ._trace import Value, call, cast, constant, current, is_weak, operands

__all__ = ["attention", "avg_pool", "conv2d", "cross_entropy", "embedding", "gelu", "layer_norm", "linear",
           "log_softmax", "max_pool", "one_hot", "relu", "rms_norm", "sigmoid", "silu", "softmax", "erf", "rsqrt"]

Numbers = Union[int, Sequence[int]]


def relu(x: Any) -> Value:
    """max(x, 0)"""
    return call("relu", constant(x))


def sigmoid(x: Any) -> Value:
    """1 / (1 + exp(-x))"""
    return call("sigmoid", constant(x))


def silu(x: Any) -> Value:
    """x / (1 + exp(-x)), also called swish"""
    return call("nn_silu", constant(x))


def gelu(x: Any, approximate: Union[bool, str] = False) -> Value:
    """x P(N(0, 1) <= x), or its approximation by tanh, which GPT-2 uses. PyTorch's "none" and "tanh" say the same."""
    if approximate not in (False, True, "none", "tanh"):
        raise UsageError(f"'approximate' is {approximate!r}, and must be True, False, 'tanh' or 'none'")
    return call("nn_gelu_tanh" if approximate in (True, "tanh") else "nn_gelu", constant(x))


def erf(x: Any) -> Value:
    """The error function."""
    return call("erf", constant(x))


def rsqrt(x: Any) -> Value:
    """1 / sqrt(x)"""
    return call("rsqrt", constant(x))


def softmax(x: Any, axis: int = -1) -> Value:
    """exp(x - m) / sum(exp(x - m)) along AXIS, where m is the maximum"""
    return call("nn_softmax", constant(x), axis)


def log_softmax(x: Any, axis: int = -1) -> Value:
    """The logarithm of `softmax`."""
    return call("nn_log_softmax", constant(x), axis)


def cross_entropy(logits: Any, targets: Any) -> Value:
    """The mean of -log_softmax(logits)[target], in nats: logits [.., classes], targets [..] integers."""
    return call("nn_cross_entropy", constant(logits), constant(targets))


def one_hot(targets: Any, classes: int, dtype: str = "f32") -> Value:
    """1 at the place of each target along a new last axis, else 0."""
    t = constant(targets)
    if not t._known()[0].is_float and t.dtype not in ("si32", "si64"):
        t = cast(t, "si64")  # a narrow type does not hold the numbers of many classes
    places = call("iota", t._known()[0].code, current().shape((*t.shape, classes)), t.ndim)
    return cast(np.equal(places, t[..., None]), dtype)


def layer_norm(x: Any, gamma: Any = None, beta: Any = None, epsilon: float = 1e-5) -> Value:
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta along the last axis"""
    return call("nn_layer_norm", constant(x), _maybe(gamma), _maybe(beta), epsilon)


def rms_norm(x: Any, gamma: Any = None, epsilon: float = 1e-5) -> Value:
    """x / sqrt(mean(x^2) + epsilon) * gamma along the last axis"""
    return call("nn_rms_norm", constant(x), _maybe(gamma), epsilon)


def linear(x: Any, w: Any, bias: Any = None) -> Value:
    """x[.., in] @ w[in, out] + bias[out]"""
    a, b = operands(x, w)
    y: Value = np.matmul(a, b)
    out: Value = y if bias is None else y + bias
    return out


def embedding(table: Any, ids: Any) -> Value:
    """The rows of table[entries, width] at IDS, integers of any shape."""
    return call("nn_embedding", constant(table), constant(ids))


def attention(q: Any, k: Any, v: Any, *, causal: bool = False, scale: float = 0.0, mask: Any = None,
              first: Any = None) -> Value:
    """softmax(q k' * scale + mask) v for each head: q [B, H, S, D], k [B, G, T, D], v [B, G, T, E], where H is a multiple
    of G.

    causal  query i sees only keys up to its own position
    first   with `causal`: the position of query 0 among the keys; T - S by default
    scale   0: 1 / sqrt(D)
    mask    is added to the scores [B, H, S, T]
    """
    t = current()
    o = c.Attention(size=ctypes.sizeof(c.Attention), scale=scale, causal=causal, first=_raw(first), mask=_raw(mask))
    return t.value(c.lib.tn_nn_attention(t.b, *(t.scope.raw(t, x) for x in operands(q, k, v)), ctypes.byref(o)))


def _maybe(x: Any) -> Any:
    return c.NO_VALUE if x is None else constant(x)


def _raw(x: Any) -> c.Value:
    t = current()
    return c.NO_VALUE if x is None else t.scope.raw(t, constant(x))


def _each(n: Numbers, times: int) -> c.Ints:
    """N, where one number stands for all TIMES of them."""
    return c.ints(list_of(n) * times if is_weak(n) else list_of(n))


def _sliding(strides: Numbers, pads: Numbers, dilation: Numbers) -> Any:
    return ctypes.byref(c.Sliding(size=ctypes.sizeof(c.Sliding), strides=_each(strides, 2), dilation=_each(dilation, 2),
                                  pads=_each(pads, 4)))


def conv2d(x: Any, w: Any, bias: Any = None, strides: Numbers = (), pads: Numbers = (),
           dilation: Numbers = ()) -> Value:
    """x [n, h, w, ci] with w [kh, kw, ci, co], plus bias [co].

    strides, dilation  rows, columns, or one number for both; 1 by default
    pads               top, bottom, left, right, or one number for all; 0 by default
    """
    return call("nn_conv2d", *operands(x, w), _maybe(bias), _sliding(strides, pads, dilation))


def max_pool(x: Any, window: Numbers, strides: Numbers = (), pads: Numbers = ()) -> Value:
    """The largest element of each window (rows, columns, or one number for both) of x [n, h, w, c]. Windows move by 1 where `strides` does not say
    otherwise."""
    return call("nn_max_pool", constant(x), _each(window, 2), _sliding(strides, pads, ()))


def avg_pool(x: Any, window: Numbers, strides: Numbers = (), pads: Numbers = (),
             count_padding: bool = False) -> Value:
    """The mean of each window; padding counts as zeros with `count_padding`, else not at all."""
    return call("nn_avg_pool", constant(x), _each(window, 2), _sliding(strides, pads, ()), count_padding)

