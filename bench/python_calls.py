"""What a call from Python costs beside the work: two inputs of 16 floats, one output.

    PYTHONPATH=python TENON_LIBRARY=build/release/libtenon.so python3 bench/python_calls.py

Prints microseconds, the least of many rounds, and ends with 1 above the limits.
"""
import sys
import timeit

import numpy as np

import tenon

LIMITS = {"call": 6.0, "bound": 1.5}
ADD = """%0 = Input () {name="x"} : tensor<f32>[4,4]
%1 = Input () {name="y"} : tensor<f32>[4,4]
%2 = BinOp (%0, %1) {op=Add} : tensor<f32>[4,4]
outputs: %2"""


def best(call):
    return min(timeit.repeat(call, number=2000, repeat=60)) / 2000 * 1e6


def main():
    net = tenon.load(ADD, eager=True)
    x = np.ones((4, 4), np.float32)
    bound = net.bind(x, x)
    found = {"call": best(lambda: net(x, x)), "bound": best(bound)}
    for name, us in found.items():
        print(f"{name}: {us:.2f} us, at most {LIMITS[name]}")
    return int(any(us > LIMITS[name] for name, us in found.items()))


if __name__ == "__main__":
    sys.exit(main())
