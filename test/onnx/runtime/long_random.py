"""Random models of one operator, and small quantised networks, give what ONNX Runtime gives, up to rounding, and the evaluator
the bits of machine code. Skipped where ONNX Runtime cannot be had (lib/onnx_runtime.py).

usage: long_random.py [--count N] [--seed FIRST] [WORD...]

N models of each group, numbered from FIRST; the words select groups by parts of their names. A model that is wrong is named
by its group and number, which draw it again: `--count 1 --seed NUMBER GROUP`.
"""
import argparse
import sys

import random_operators
import random_quantised
from lib import onnx_runtime
from lib.onnx_compare import compare
from lib.onnx_draw import Draw

GROUPS = {f"{prefix}{g.__name__}": g for prefix, module in (("", random_operators), ("quantised_", random_quantised)) for g in module.GROUPS}
# Of the models of a group: how many ONNX Runtime may refuse before the group tests too little.
MOST_REFUSED = 0.2


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    package, reason = onnx_runtime.installed()
    if not package:
        print(f"skipped: {reason}")
        return 0
    total = wrong = 0
    for name, draw in GROUPS.items():
        if args.words and not any(w in name for w in args.words):
            continue
        numbers = range(args.seed, args.seed + args.count)
        cases = [draw(Draw(number)) for number in numbers]
        ran, faults = compare(package, cases)
        for case, fault, _ in faults:
            if fault:
                print(f"{name} {numbers[[c is case for c in cases].index(True)]}: {case.name}: {fault}", flush=True)
                wrong += 1
        refused = [theirs for _, fault, theirs in faults if not fault]
        if len(refused) > max(1, MOST_REFUSED * len(cases)):
            print(f"{name}: ONNX Runtime refuses {len(refused)} of {len(cases)}: {refused[0]}", flush=True)
            wrong += 1
        total += ran
    print(f"{total} models, {wrong} faults")
    return wrong > 0 or total == 0


if __name__ == "__main__":
    sys.exit(main())
