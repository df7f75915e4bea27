"""Programs of a megabyte of text that ask for much work: every command ends within 2 s and 1 GiB, or refuses.

    sweep_bombs.py [FAMILY...]         SHOW=1 prints what each command took

Processor time is measured, in units of what a fixed piece of work takes at the same time: processors differ, and others may use
the same core. What takes longer stands in SLOWER, and why.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time

from lib.program import TENON

MOST_SECONDS, MOST_BYTES, MOST_TEXT = 2, 1 << 30, 980_000
USUAL_SECONDS = 0.1  # of the work in slowness
F = "tensor<f32, 4>"
ROW = "tensor<f32, 1>"


def function(parameters, lines, results, types):
    body = "".join(f"  {line}\n" for line in lines)
    several = len(types) > 1
    shown = f"({', '.join(types)})" if several else types[0]
    return f"func @main({parameters}) -> {shown} {{\n{body}  return {', '.join(results)}\n}}\n"


def steps(n, step, type_of=lambda i: F, parameters=f"%x: {F}"):
    """A chain of N values, each of which STEP makes of the one before."""
    lines, last = [], "%x"
    for i in range(n):
        lines.append(f"%v{i} = {step(i, last)} -> {type_of(i)}")
        last = f"%v{i}"
    return function(parameters, lines, [last], [type_of(n - 1)])


def chain(n):
    return steps(n, lambda i, x: f"exp({x})")


def diamonds(n):
    return steps(n, lambda i, x: f"add({x}, {x})")


def products(n):
    return steps(n, lambda i, x: f"dot_general({x}, %x) contract_lhs[1] contract_rhs[0]", lambda i: "tensor<f32, 8x8>", "%x: tensor<f32, 8x8>")


def transposes(n):
    return steps(n, lambda i, x: f"transpose({x}) perm[1, 0]",
                 lambda i: f"tensor<f32, {'4x6' if i % 2 else '6x4'}>", "%x: tensor<f32, 4x6>")


def reshapes(n):
    shapes = ["24", "4x6", "2x3x4", "12x2"]
    return steps(n, lambda i, x: f"reshape({x}) new_shape[{shapes[i % 4].replace('x', ', ')}]",
                 lambda i: f"tensor<f32, {shapes[i % 4]}>", "%x: tensor<f32, 12x2>")


def mixed_movement(n):
    """Index maps with quotients and remainders, which composing makes longer."""
    return steps(n, lambda i, x: f"reshape({x}) new_shape[4, 6]" if i % 2 else f"transpose({x}) perm[1, 0]",
                 lambda i: "tensor<f32, 4x6>" if i % 2 else "tensor<f32, 6x4>", "%x: tensor<f32, 4x6>")


def pads(n):
    return steps(n, lambda i, x: f"pad({x}) low[1] high[0] interior[0] pad_value[0.0]",
                 lambda i: f"tensor<f32, {5 + i}>")


def concats(n):
    return steps(n, lambda i, x: f"concat({x}, %x) axis[0]", lambda i: f"tensor<f32, {8 + 4 * i}>")


def parts(n):
    wide = f"tensor<f32, {4 * n}>"
    return function(f"%x: {F}", [f"%v = concat({', '.join(['%x'] * n)}) axis[0] -> {wide}"], ["%v"], [wide])


def slices(n):
    lines = [f"%s{i} = slice(%x) starts[{i}] sizes[1] -> {ROW}" for i in range(n)]
    lines += [f"%v{i} = add(%{f'v{i - 1}' if i else 's0'}, %s{i}) -> {ROW}" for i in range(n)]
    return function(f"%x: tensor<f32, {n}>", lines, [f"%v{n - 1}"], [ROW])


def reductions(n):
    lines, last = [], "%x"
    for i in range(n):
        lines += [f"%s{i} = reduce_sum({last}) axes[0] -> tensor<f32>",
                  f"%b{i} = broadcast_to(%s{i}) shape[4] -> {F}", f"%v{i} = sub({last}, %b{i}) -> {F}"]
        last = f"%v{i}"
    return function(f"%x: {F}", lines, [last], [F])


def inputs(n):
    lines = [f"%v{i} = add(%{f'v{i - 1}' if i else 'x0'}, %x{i}) -> {F}" for i in range(n)]
    return function(", ".join(f"%x{i}: {F}" for i in range(n)), lines, [f"%v{n - 1}"], [F])


def outputs(n):
    lines = [f"%v{i} = exp(%{f'v{i - 1}' if i else 'x'}) -> {F}" for i in range(n)]
    return function(f"%x: {F}", lines, [f"%v{i}" for i in range(n)], [F] * n)


def symbols(n):
    types = [f"tensor<f32, ?S{i}>" for i in range(n)]
    return function(", ".join(f"%x{i}: {t}" for i, t in enumerate(types)),
                    [f"%v{i} = exp(%x{i}) -> {t}" for i, t in enumerate(types)], [f"%v{i}" for i in range(n)], types)


def long_name(n):
    name = "%" + "x" * (100 * n)
    return function(f"{name}: {F}", [f"%y = neg({name}) -> {F}"], ["%y"], [F])


def constant(n):
    wide = f"tensor<f32, {20 * n}>"
    values = ", ".join(["1.25"] * (20 * n))
    return function(f"%x: {wide}", [f"%c = constant value[{values}] -> {wide}", f"%y = add(%x, %c) -> {wide}"], ["%y"],
                    [wide])


def huge(n):
    del n
    return function("%x: tensor<f32>", ["%v = broadcast_to(%x) shape[1000000000000000] -> tensor<f32, 1000000000000000>",
                                        "%s = reduce_sum(%v) axes[0] -> tensor<f32>"], ["%s"], ["tensor<f32>"])


def wrong(n):
    """An error in every line."""
    return steps(n, lambda i, x: f"nope({x})")


def wrong_line(n):
    return wrong(n).replace("\n", " ")


FAMILIES = [chain, diamonds, products, transposes, reshapes, mixed_movement, pads, concats, parts, slices, reductions,
            inputs, outputs, symbols, long_name, constant, huge, wrong, wrong_line]
COMMANDS = [["check"], ["fmt"], ["info"], ["convert", "--to", "mlir"], ["convert", "--to", "stablehlo"],
            ["convert", "--to", "onnx", "-o", "OUT.onnx"], ["convert", "--to", "tiny"], ["grad", "--seed", "1"],
            ["opt", "-O2"], ["explain"], ["report", "-o", "OUT.html"], ["compile", "-o", "OUT.c"],
            ["run", "--random", "1", "--engine", "ref"], ["run", "--random", "1"]]
COSTLY = {"run", "explain", "report"}  # which want all sizes
# Commands of a family that may take more: seconds, bytes.
SLOWER = {
    # the C is 100 MB long
    ("concats", "compile"): (6, MOST_BYTES),
    # the program is 69 MB long in Tiny IR: 1.8 s
    ("parts", "convert"): (4, MOST_BYTES),
    # a kernel for each of 244 000 parts: 3 kB each, and text about it; builds with assertions plan kernels twice, and take
    # 3.5 to 5.5 s where an older processor is busy
    **{("parts", command): (8, MOST_BYTES) for command in ("info", "compile", "run", "explain", "report")},
    # builds with assertions verify the loops of each of 11 000 kernels: 1.9 s, others 0.6
    **{("products", command): (3, MOST_BYTES) for command in ("explain", "report")},
}


def size_of(family):
    """The N for which the text is just as long as it may be."""
    low, high = 2000, 400_000
    if len(family(low + 1)) == len(family(low)):
        return low
    while high - low > low // 50 + 1:
        middle = (low + high) // 2
        low, high = (middle, high) if len(family(middle)) < MOST_TEXT else (low, middle)
    return low


def measure(arguments, folder, stdin=subprocess.DEVNULL):
    """The status, seconds of processor time, and bytes that the program took."""
    environment = os.environ | {"TENON_CACHE_DIR": str(folder / "cache")}
    process = subprocess.Popen([TENON, *arguments], stdin=stdin, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=environment,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (120, 120)))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def slowness():
    """How many times longer than on a processor of 2021 that has nothing else to do work takes now; at least 1."""
    begin = time.thread_time()
    sum(i * i % 7 for i in range(1_000_000))
    return max(1.0, (time.thread_time() - begin) / USUAL_SECONDS)


def fault(what, run, most=(MOST_SECONDS, MOST_BYTES)):
    """What WHAT took too much, if it did, by the least of three measurements: others use the caches of the processor, too."""
    status, seconds, size = run()
    if seconds > most[0]:
        most = (most[0] * slowness(), most[1])
    for _ in range(2):
        if most[0] < seconds < 3 * most[0]:
            status, seconds, size = min((status, seconds, size), run(), key=lambda took: took[1])
    line = f"{what}: status {status}, {seconds:.2f} s, {size >> 20} MiB"
    if os.environ.get("SHOW"):
        print(line, flush=True)
    return [line] if status < 0 or status > 5 or seconds > most[0] or size > most[1] else []


def check(family, folder):
    """What each command takes too much for."""
    n = size_of(family)
    source = folder / "bomb.ptir"
    source.write_text(family(n))
    for command in COMMANDS:
        sizes = [f"--dim=S{i}=3" for i in range(n)] if family is symbols and command[0] in COSTLY | {"compile"} else []
        arguments = [word.replace("OUT", str(folder / "out")) for word in command[1:]]
        words = [command[0], str(source), *arguments, *sizes]
        if command == ["check"] and family not in (wrong, wrong_line) and measure(words, folder)[0] != 0:
            yield f"{family.__name__} is no program"
        yield from fault(f"{family.__name__}, {' '.join(command)}", lambda words=words: measure(words, folder),
                         SLOWER.get((family.__name__, command[0]), (MOST_SECONDS, MOST_BYTES)))


def main(names):
    families = [f for f in FAMILIES if not names or f.__name__ in names]
    faults, lock = [], threading.Lock()

    def work():
        while True:
            with lock:
                if not families:
                    return
                family = families.pop()
            with tempfile.TemporaryDirectory() as name:
                found = list(check(family, pathlib.Path(name)))
            with lock:
                faults.extend(found)
    threads = [threading.Thread(target=work) for _ in range(os.cpu_count())]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print("\n".join(faults))
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
