"""Random programs by number, for scripts with the arguments [COUNT [SEED]]."""
import sys

from lib.compilers import machine_cpus


def judge(check, count):
    """Whether CHECK(number, cpus), a list of what is wrong, finds anything in COUNT programs from number SEED (1) on."""
    count, seed = (int(a) for a in (sys.argv[1:] + [count, 1][len(sys.argv) - 1:])[:2])
    cpus = machine_cpus()
    faults = [f for number in range(seed, seed + count) for f in check(number, cpus)]
    print("\n".join(faults) or f"{count} programs")
    return len(faults) > 0
