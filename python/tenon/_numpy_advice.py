"""What to write instead of names of NumPy that have no counterpart for traced values."""
from __future__ import annotations

_SIZE = "the size of its result depends on the data; np.where and masks as factors keep the size"
_CHANGES = "a traced value does not change; np.where, tenon.scatter and tenon.dynamic_update_slice make another"
_SCATTER = "tenon.scatter(x, indices, updates, combine='add') gives what it would make of x ('max', 'min' and 'replace', too)"
_COUNTS = "tenon.segment_sum(np.ones(n, 'f4'), x, bins) counts how often each number stands in x"
_MATRIX = "of arrays around the function it can be computed outside; of traced values tenon.fori_loop makes it, step by step"
_NUMBERS = "a traced value has no numbers while the program is made; its results have"
_MEMORY = "a traced value has no memory; its attributes are shape, ndim, size and dtype"
_LINES = "write the function for all lines at once, with axis="
_TYPES = "x.dtype is the name of the element type"

_BY_ADVICE = {
    _SIZE: "np.nonzero np.flatnonzero np.argwhere np.unique np.extract np.trim_zeros np.union1d np.intersect1d np.setdiff1d "
           "np.compress nonzero compress",
    _CHANGES: "np.put np.put_along_axis np.place np.putmask np.copyto np.fill_diagonal fill put itemset resize setfield",
    _SCATTER: "np.add.at np.subtract.at np.multiply.at np.maximum.at np.minimum.at",
    _COUNTS: "np.bincount np.histogram np.histogram2d np.histogramdd",
    _MATRIX: "np.linalg.eig np.linalg.eigh np.linalg.eigvals np.linalg.eigvalsh np.linalg.svd np.linalg.qr np.linalg.pinv np.linalg.lstsq "
             "np.linalg.matrix_rank np.linalg.cond np.linalg.slogdet",
    _NUMBERS: "item tolist tobytes tofile dump dumps",
    _MEMORY: "flags strides data base ctypes itemsize nbytes flat __array_interface__ __array_struct__",
    _LINES: "np.apply_along_axis np.apply_over_axes",
    _TYPES: "np.result_type np.can_cast np.min_scalar_type np.common_type",
    "np.sort gives another value": "sort",
    "np.sort and tenon.top_k give more": "partition",
    "np.argsort and tenon.top_k give more": "argpartition",
    "tenon.segment_sum adds by the number of a segment": "np.add.reduceat",
    "bits of another type have no counterpart; x.astype converts numbers": "view byteswap newbyteorder",
    "a product with the matrix np.exp(-2j * np.pi * np.outer(k, k) / n), k = np.arange(n), is a transform of n elements":
        "np.fft.fft np.fft.rfft np.fft.ifft np.fft.irfft np.fft.fft2 np.fft.ifft2 np.fft.rfft2 np.fft.fftn np.fft.ifftn",
    "np.select chooses by conditions": "np.piecewise",
}
ADVICE = {name: advice for advice, names in _BY_ADVICE.items() for name in names.split()}


def without_counterpart(name: str) -> str:
    """What is said of NAME."""
    advice = ADVICE.get(name)
    return f"{name} has no counterpart for traced values" + (f": {advice}" if advice else "")
