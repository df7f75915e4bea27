"""Training: what `tenon train` does, step by step from Python (docs/howto/train.md).

    t = tenon.train.Trainer("net.ir", {"x": x, "y": y}, wrt=["w", "b"], batch=32, epochs=20)
    for step in t:
        print(step.loss)
    w = t.weights["w"]

The weights have the same bits for every number of threads and ranks, and any sequence of restarts.
"""
from __future__ import annotations

import ctypes
import os
import sys
from ctypes import byref, c_bool, c_char_p, c_void_p
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _library as c
from ._arguments import MOST_32, PathLike, chars, chars_or_none, file_name, number, whole
from ._context import Context, default_context
from ._dtypes import DTypeLike, Type, dtype as dtype_of, plain_array, public_type
from ._errors import InputError, UsageError
from ._function import Function
from ._module import Module, bindings, level_of, names_of
from ._owned import NotCopied
from ._ranks import RankGroup, Ranks, mpi
from ._read import open as open_module, read_again
from ._samples import Data, Dataset, Files
from ._tensor import Tensor

__all__ = ["Dataset", "RankGroup", "Ranks", "Step", "Trainer", "Validation", "Weights", "leaf_seed", "mpi", "optimizer",
           "reduce_tree", "sample_order", "schedule_rate"]

_SCHEDULES = {"constant": 0, "cosine": 1, "step": 2}


def _schedule(name: str) -> int:
    if name not in _SCHEDULES:
        raise UsageError(f"the schedules are {', '.join(_SCHEDULES)}, not '{name}'")
    return _SCHEDULES[name]


# ---- the parts ----

def sample_order(seed: int, epoch: int, n: int) -> np.ndarray[Any, Any]:
    """The order in which an epoch takes N samples.

    >>> sorted(sample_order(seed=1, epoch=0, n=5).tolist())
    [0, 1, 2, 3, 4]
    """
    known = whole("seed", seed), whole("epoch", epoch), whole("n", n)
    return np.array([c.lib.tn_sample_order(*known, i) for i in range(known[2])], np.uint64)


def leaf_seed(seed: int, step: int, leaf: int) -> int:
    """The seed of the random generators in a leaf of a step."""
    return int(c.lib.tn_leaf_seed(whole("seed", seed), whole("step", step), whole("leaf", leaf)))


def schedule_rate(schedule: str, rate: float, step: int, steps: int, warmup: int = 0) -> float:
    """The learning rate of a step, from 0.

    >>> schedule_rate("cosine", 1.0, 5, 10)
    0.5
    """
    return float(c.lib.tn_schedule_rate(_schedule(schedule), number("rate", rate), whole("step", step),
                                        whole("steps", steps), whole("warmup", warmup)))


def reduce_tree(leaves: Sequence[Any]) -> Tensor:
    """The sum of tensors of one type and shape by the tree that adds the gradients of leaves.

    >>> reduce_tree([np.float32([1, 2]), np.float32([3, 4]), np.float32([5, 6])]).tolist()
    [9.0, 12.0]
    """
    arrays = [x._array if isinstance(x, Tensor) else plain_array(x) for x in leaves]
    arrays = [np.require(a, requirements=["C", "A"]) for a in arrays]
    if not arrays:
        raise UsageError("there is nothing to add")
    d = leaves[0]._dtype if isinstance(leaves[0], Tensor) else dtype_of(arrays[0].dtype)
    for x, a in zip(leaves, arrays):
        own = x._dtype if isinstance(x, Tensor) else dtype_of(a.dtype)
        if own is not d or a.shape != arrays[0].shape:
            raise InputError("the tensors to add are of different types or shapes")
    out = np.empty(arrays[0].shape, d.storage)
    addresses = (c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    if c.lib.tn_reduce_tree(d.code, addresses, len(arrays), out.size, out.ctypes.data) != c.OK:
        raise UsageError(f"tensors of {d} are not added")
    return Tensor(out, d)


def _setting(name: str, value: Optional[float]) -> float:
    """As the library takes it, to which 0 without a sign is the usual value: None here."""
    return 0.0 if value is None else number(name, value) or -0.0


def _optimizer(name: str, weight_decay: float, momentum: Optional[float], betas: Optional[Sequence[float]],
               epsilon: Optional[float]) -> c.Optimizer:
    if betas is not None and (not isinstance(betas, Sequence) or len(betas) != 2):
        raise TypeError(f"'betas' is {betas!r}, and must be two numbers")
    return c.Optimizer(ctypes.sizeof(c.Optimizer), chars("optimizer", name), number("weight_decay", weight_decay),
                       _setting("momentum", momentum), *(_setting("betas", b) for b in betas or (None, None)),
                       _setting("epsilon", epsilon))


def optimizer(name: str = "adam", *, dtype: DTypeLike = "f32", weight_decay: float = 0.0, momentum: Optional[float] = None,
              betas: Optional[tuple[float, float]] = None, epsilon: Optional[float] = None,
              context: Optional[Context] = None) -> Module:
    """The program of one step of an optimizer: sgd, momentum, adam or adamw. It can be changed and given to a trainer
    as `update`. None stands for the usual value of a setting: 0.9, (0.9, 0.999), 1e-8.

    >>> [p.name for p in optimizer("momentum").inputs]
    ['weight', 'gradient', 'rate', 'velocity']
    """
    o = _optimizer(name, weight_decay, momentum, betas, epsilon)
    at = c_void_p()
    context = context or default_context()
    with context as cx:
        cx.check(c.lib.tn_optimizer_program(cx.handle, byref(o), dtype_of(dtype).code, byref(at)))
        assert at.value
        return Module(context, at.value)


# ---- training ----

def _module_of(program: Union[Module, Function[Any], PathLike], what: str, context: Optional[Context] = None) -> Module:
    """The module that is WHAT, in CONTEXT if one is given: a traced function has a context of its own."""
    if isinstance(program, Function):
        program = program.module
    elif not isinstance(program, Module):
        if callable(program):
            kind = type(program).__name__
            raise TypeError(f"a module, a traced function or the name of a file is {what}, not an object of type {kind}"
                            f"{'; tenon.function traces it' if kind == 'function' else ''}")
        program = open_module(program, context=context)
    return program if context in (None, program._context) else read_again(*program._file(), context)


class Weights(Dict[str, Tensor]):
    """Copies of the weights of a trainer, by name: a change of them would change nothing there."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("these are copies of the weights: a trainer begins with other ones by `init`; dict() makes a "
                        "dictionary that can be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    update = pop = popitem = clear = setdefault = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> Any:  # a copy is a dictionary
        return dict, (dict(self),)


class Step(NamedTuple):
    """What one step did."""
    step: int    # from 0
    epoch: int   # from 0
    loss: float  # the mean of the leaves'
    norm: float  # of the gradient, before it was clipped
    rate: float
    skipped: bool  # it was not finite, and nothing was changed


class Validation(NamedTuple):
    """What a program makes of data."""
    samples: int
    right: int   # whose first largest score is at their label
    loss: float  # the mean

    @property
    def accuracy(self) -> float:
        return self.right / self.samples if self.samples else 0.0


class Trainer(NotCopied):
    """The training of a program on data.

    program    a module, a traced function (`Function.module`), or the name of a file
    data       a `Dataset`, or what makes one. Inputs that are not in `wrt` get what it has by their name, with the
               samples along the first axis
    wrt        the inputs that are trained, by name; "w" also stands for the inputs "w.a" and "w.b" of a function
    loss       the output to make small, by name or position: the mean over the samples of a run; else the first
    batch      samples of a step; 0: as many as the program takes
    leaves     parts of a batch, each of which is one run; a power of two, 0: at most 16
    seed       of the first weights, the order of samples, and random generators
    steps, epochs  how long the whole training is: one of them; else one epoch
    rate, schedule, warmup   the learning rate, how it goes on ("constant", "cosine", "step"), and in how many steps
                             it grows to its full height
    optimizer, weight_decay, momentum, betas, epsilon   how weights change, as in `optimizer`
    update     a program to change weights by instead: as `program`, of any context
    clip_norm  longer gradients are scaled to this norm; 0: none is
    skip       a step whose loss or gradient is not finite changes nothing; else it raises RunError
    init       a file, or arrays by name: first values of weights, and of inputs that are neither trained nor data
    ranks      what `mpi()` or `RankGroup.rank` gave, where several share the training. All do the same calls then,
               but for those that only look
    dims, level, engine, cpu, threads, memory_bytes   as in `Module.compile`

    >>> @function("f32[3, 1]", "f32[n, 3]", "f32[n, 1]")
    ... def loss(w, x, y):
    ...     return ((x @ w - y) ** 2).mean()
    >>> x = np.eye(3, dtype=np.float32)
    >>> t = Trainer(loss, {"x": x, "y": x[:, :1]}, wrt=["w"], batch=3, leaves=1, steps=50, rate=0.1)
    >>> losses = [step.loss for step in t]
    >>> losses[-1] < 0.1 * losses[0], t.weights["w"].shape
    (True, (3, 1))
    """

    _instead = "`save` and `resume` make another one that goes on from here"

    def __init__(self, program: Union[Module, Function[Any], PathLike], data: Union[Dataset, Data], *,
                 wrt: Union[str, Sequence[str]], loss: Union[str, int, None] = None, batch: int = 0, leaves: int = 0,
                 seed: int = 0, steps: int = 0, epochs: int = 0, rate: float = 0.001, schedule: str = "constant",
                 warmup: int = 0, optimizer: str = "adam", weight_decay: float = 0.0, momentum: Optional[float] = None,
                 betas: Optional[tuple[float, float]] = None, epsilon: Optional[float] = None,
                 update: Union[Module, Function[Any], PathLike, None] = None, clip_norm: float = 0.0, skip: bool = False,
                 init: Union[PathLike, Mapping[str, Any], None] = None, ranks: Optional[Ranks] = None,
                 dims: Mapping[str, int] = {}, level: Optional[int] = None, engine: Optional[str] = None,
                 cpu: Optional[str] = None, threads: int = 0, memory_bytes: int = 0) -> None:
        if steps and epochs:
            raise UsageError("steps and epochs exclude each other")
        if number("rate", rate) == 0:  # which the library takes for the usual one
            raise UsageError("nothing is learnt at the rate 0")
        program = _module_of(program, "trained")
        self._context = program._context
        if ranks is not None:
            ranks._enter(self._context)
        self._wanted = {p.name: Type(dtype_of(p.dtype), p.shape) for p in program.inputs}
        self._data = self._dataset(data)
        names = [wrt] if isinstance(wrt, str) else wrt
        how = _optimizer(optimizer, weight_decay, momentum, betas, epsilon)
        if update is not None and (weight_decay or any(o is not None for o in (momentum, betas, epsilon))):
            raise UsageError("weight_decay, momentum, betas and epsilon are of an optimizer, and the update takes its place")
        if update is not None:
            update = _module_of(update, "taken as an update", self._context)
        compile_options = c.CompileOptions(
            size=ctypes.sizeof(c.CompileOptions), level=level_of(level), engine=chars_or_none("engine", engine),
            bindings=bindings(dims), n_bindings=len(dims), cpu=chars_or_none("cpu", cpu),
            threads=whole("threads", threads, 0, MOST_32), memory_bytes=whole("memory_bytes", memory_bytes))
        files = Files()
        first = files.values(init, self._wanted) if isinstance(init, Mapping) else init
        o = c.TrainOptions(
            size=ctypes.sizeof(c.TrainOptions), loss=chars("loss", str(loss)) if loss is not None else None,
            wrt=names_of(names), n_wrt=len(names), batch=whole("batch", batch), leaves=whole("leaves", leaves),
            seed=whole("seed", seed), steps=whole("steps", steps), epochs=whole("epochs", epochs),
            schedule=_schedule(schedule), warmup=whole("warmup", warmup), rate=number("rate", rate), optimizer=ctypes.pointer(how),
            update=update._handle if update is not None else None, clip_norm=number("clip_norm", clip_norm), skip=skip,
            init=file_name(first) if first is not None else None, compile=ctypes.pointer(compile_options),
            transport=ctypes.pointer(ranks._transport) if ranks is not None and ranks._transport is not None else None)
        at = c_void_p()
        with self._context as cx:
            cx.check(c.lib.tn_trainer_new(cx.handle, program._handle, self._data._handle, byref(o), byref(at)))
            assert at.value
            self._handle = at.value
            cx.adopt(at.value, (program, self._data, update, o, compile_options, files, ranks), c.lib.tn_trainer_free)

    def __del__(self) -> None:
        if not sys.is_finalizing() and getattr(self, "_handle", None):
            self._context.free(self._handle)
            self._handle = 0

    def _dataset(self, data: Union[Dataset, Data]) -> Dataset:
        return data if isinstance(data, Dataset) else Dataset(data, context=self._context, _wanted=self._wanted)

    # ---- looking ----

    def _info(self) -> c.TrainerInfo:
        info = c.TrainerInfo(size=ctypes.sizeof(c.TrainerInfo))
        with self._context as cx:
            cx.check(c.lib.tn_trainer_get_info(self._handle, byref(info)))
        return info

    @property
    def batch(self) -> int:
        """Samples of a step."""
        return self._info().batch

    @property
    def leaves(self) -> int:
        """Parts of a batch."""
        return self._info().leaves

    @property
    def steps(self) -> int:
        """Steps of the whole training."""
        return self._info().steps

    @property
    def steps_of_epoch(self) -> int:
        """Steps in which each sample is seen at most once."""
        return self._info().epoch

    @property
    def done(self) -> int:
        """Steps done so far."""
        return self._info().step

    @property
    def weights(self) -> Weights:
        """Copies of the weights as they are, by name: a dictionary that cannot be changed."""
        out: dict[str, Tensor] = {}
        name, b = c_char_p(), c.Buffer()
        with self._context:
            while c.lib.tn_trainer_weight(self._handle, len(out), byref(name), byref(b)):
                t = public_type(b.type)
                a = np.empty(b.type.dims[:b.type.rank], t.dtype.storage)
                ctypes.memmove(a.ctypes.data, b.data or 0, b.bytes)
                out[(name.value or b"").decode()] = Tensor(a, t.dtype)
        return Weights(out)

    @property
    def digest(self) -> str:
        """The SHA-256 of the weights as a .safetensors file, which `write` makes."""
        digest = ctypes.create_string_buffer(65)
        with self._context as cx:
            cx.check(c.lib.tn_trainer_digest(self._handle, digest))
        return digest.value.decode()

    def write(self, path: PathLike) -> None:
        """Write the weights to a .safetensors, .npz or .npy file, which appears whole."""
        name = file_name(path)
        if not name.endswith((b".safetensors", b".npz", b".npy")):
            raise UsageError(f"'{os.fsdecode(name)}' ends as no file of tensors; there are .safetensors, .npz and .npy")
        with self._context as cx:
            cx.check(c.lib.tn_trainer_write(self._handle, name))

    # ---- steps ----

    def step(self) -> Step:
        """Do one step."""
        s = c.TrainStep(size=ctypes.sizeof(c.TrainStep))
        with self._context as cx:
            cx.check(c.lib.tn_trainer_step(self._handle, byref(s)))
        return Step(s.step, s.epoch, s.loss, s.norm, s.rate, s.skipped)

    def __iter__(self) -> Iterator[Step]:
        """The steps that are left, each done when it is asked for."""
        steps = self.steps
        while self.done < steps:
            yield self.step()

    def validate(self, data: Union[Dataset, Data], *, scores: Union[str, int, None] = None,
                 labels: Optional[str] = None) -> Validation:
        """Run the program on all of DATA with the weights as they are.

        scores  the output [samples, classes] of which the largest is to be at the label; else nothing is counted
        labels  the input with the classes, as integers or as rows with their largest element there
        """
        data = self._dataset(data)
        v = c.Validation(size=ctypes.sizeof(c.Validation),
                         scores=chars("scores", str(scores)) if scores is not None else None,
                         labels=chars_or_none("labels", labels))
        with self._context as cx:
            cx.check(c.lib.tn_trainer_validate(self._handle, data._handle, byref(v)))
        return Validation(v.samples, v.right, v.loss)

    # ---- checkpoints ----

    def save(self, folder: PathLike, keep: int = 3) -> None:
        """Write a checkpoint to FOLDER, where the newest KEEP stay (0: all). A folder with checkpoints of another
        training is refused: with those that this trainer neither saved nor resumed from."""
        with self._context as cx:
            cx.check(c.lib.tn_trainer_save(self._handle, file_name(folder), whole("keep", keep)))

    def resume(self, folder: PathLike) -> bool:
        """Go on from the newest checkpoint in FOLDER, with the bits of a training that was never stopped. False when
        there is none. After an error the trainer is of no use any more."""
        found = c_bool()
        with self._context as cx:
            cx.check(c.lib.tn_trainer_resume(self._handle, file_name(folder), byref(found)))
        return found.value

    def __repr__(self) -> str:
        i = self._info()
        return f"<Trainer, step {i.step} of {i.steps}, batch {i.batch}>"
