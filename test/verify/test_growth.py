"""Programs whose parts are shared, so that what they stand for doubles with every level: each command
takes work that grows with the program, or says that a limit is reached. The limits on nodes and
memory below are counted, not measured, and no algorithm that doubles its work with every level
meets them, nor the processor time, whatever the machine.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

from lib.npy import write_npy
from lib.program import TENON

LIMITS = ["--limit", "nodes=100000", "--limit", "memory_bytes=268435456",
          "--limit", "output_bytes=16777216"]
SECONDS = 300  # of processor time, for an answer that comes in a fraction of one
OK, REJECTED = 0, 1
F32 = "tensor<f32>"


def pyramid(levels):
    """Each level puts windows with strides 2 and 3 over one vector behind each other."""
    lines = [f"func @main(%x0: tensor<f32, ?N>) -> tensor<f32, ?Z{levels}> {{"]
    for i in range(levels):
        for name, stride in (("a", 2), ("b", 3)):
            lines.append(f"  %{name}{i} = reduce_window(%x{i}) window_dims[1] strides[{stride}] "
                         "padding[(0, 0)] base_dilation[1] window_dilation[1] reduce[sum] -> "
                         f"tensor<f32, ?{name.upper()}{i}>")
        lines.append(f"  %x{i + 1} = concat(%a{i}, %b{i}) axis[0] -> tensor<f32, ?Z{i + 1}>")
    return "\n".join(lines + [f"  return %x{levels}", "}"]) + "\n"


def chain(levels):
    """Windows over windows: an extent nested as deep as there are levels."""
    lines = [f"func @main(%x0: tensor<f32, ?N>) -> tensor<f32, ?A{levels}> {{"]
    for i in range(levels):
        lines.append(f"  %x{i + 1} = reduce_window(%x{i}) window_dims[2] strides[2] "
                     "padding[(1, 1)] base_dilation[1] window_dilation[1] reduce[sum] -> "
                     f"tensor<f32, ?A{i + 1}>")
    return "\n".join(lines + [f"  return %x{levels}", "}"]) + "\n"


def squares(levels):
    """N, N * N, (N * N) * (N * N): the number of factors doubles."""
    lines = [f"func @main(%x0: tensor<f32, ?N>) -> tensor<f32, ?Z{levels}> {{"]
    for i in range(levels):
        lines += [f"  %b{i} = dot_general(%x{i}, %x{i}) contract_lhs[] contract_rhs[] -> "
                  f"tensor<f32, ?A{i}x?B{i}>",
                  f"  %x{i + 1} = reshape(%b{i}) new_shape[infer] -> tensor<f32, ?Z{i + 1}>"]
    return "\n".join(lines + [f"  return %x{levels}", "}"]) + "\n"


def conds(levels):
    """Both branches are one region, which holds the next cond."""
    def call(i):
        return f"  %t = cond(%c, %c, %x) true_region[{i}] false_region[{i}] -> ({F32})"
    lines = [f"func @main(%c: tensor<i1>, %x: {F32}) -> {F32} {{", call(0), "  return %t[0]", "}"]
    for i in range(levels):
        lines.append(f"region @{i}(%c: tensor<i1>, %x: {F32}) -> ({F32}) {{")
        if i + 1 < levels:
            lines += [call(i + 1), f"  %s = tanh(%t[0]) -> {F32}", "  return %s", "}"]
        else:
            lines += [f"  %s = tanh(%x) -> {F32}", "  return %s", "}"]
    return "\n".join(lines) + "\n"


def scans(levels):
    """The body of each scan holds two with one body, the next."""
    def call(to, x, i):
        return (f"  %{to} = scan(%{x}, %s) body_region[{i}] carry_count[1] scan_output_count[0] "
                f"-> ({F32})")
    lines = [f"func @main(%x: {F32}, %s: tensor<f32, 2>) -> {F32} {{", call("t", "x", 0),
             "  return %t[0]", "}"]
    for i in range(levels):
        lines.append(f"region @{i}(%x: {F32}, %e: {F32}) -> ({F32}) {{")
        if i + 1 < levels:
            lines += ["  %s = broadcast_to(%e) result_shape[2] -> tensor<f32, 2>",
                      call("t", "x", i + 1), call("u", "t[0]", i + 1), "  return %u[0]", "}"]
        else:
            lines += [f"  %m = mul(%x, %e) -> {F32}", "  return %m", "}"]
    return "\n".join(lines) + "\n"


def whiles(levels):
    """The body of each loop holds two with one body, the next; all have one condition."""
    def call(to, x, i):
        return (f"  %{to} = while(%n, %{x}) cond_region[{levels}] body_region[{i}] -> "
                f"({F32}, {F32})")
    lines = [f"func @main(%n: {F32}, %x: {F32}) -> {F32} {{", call("t", "x", 0),
             "  return %t[1]", "}"]
    for i in range(levels):
        lines.append(f"region @{i}(%n: {F32}, %x: {F32}) -> ({F32}, {F32}) {{")
        if i + 1 < levels:
            lines += [call("t", "x", i + 1), call("u", "t[1]", i + 1),
                      f"  %k = add(%n, literal<f32>[1.0]) -> {F32}", "  return %k, %u[1]", "}"]
        else:
            lines += [f"  %m = tanh(%x) -> {F32}", f"  %k = add(%n, literal<f32>[1.0]) -> {F32}",
                      "  return %k, %m", "}"]
    return "\n".join(lines + [
        f"region @{levels}(%n: {F32}, %x: {F32}) -> (tensor<i1>, {F32}, {F32}) {{",
        "  %c = compare(%n, literal<f32>[2.0]) op[less] -> tensor<i1>",
        "  return %c, %n, %x", "}"]) + "\n"


class Mixed:
    """Loops and conditions in each other, with regions that are shared or copied for each use."""

    def __init__(self, levels, is_shared):
        self.levels, self.is_shared = levels, is_shared
        self.regions, self.known = [], {}
        end, body = self.condition(), self.step(0)
        self.text = "\n".join([
            f"func @main(%x: {F32}, %e: {F32}) -> {F32} {{",
            f"  %t = while(%x, %e) cond_region[{end}] body_region[{body}] -> ({F32}, {F32})",
            "  return %t[0]", "}", *self.regions]) + "\n"

    def region(self, key, make):
        """The number of the region for KEY, whose lines behind its number MAKE gives."""
        if not self.is_shared or key not in self.known:
            lines = make()
            self.known[key] = len(self.regions)
            self.regions.append(f"region @{len(self.regions)}" + "\n".join([*lines, "}"]))
        return self.known[key]

    def condition(self):
        return self.region("condition", lambda: [
            f"(%x: {F32}, %e: {F32}) -> (tensor<i1>, {F32}, {F32}) {{",
            "  %c = compare(%x, literal<f32>[0.5]) op[less] -> tensor<i1>",
            "  return %c, %x, %e"])

    def step(self, level):
        """(x, e) to (x + something, e): the body of a while, or a branch."""
        def make():
            lines = [f"(%x: {F32}, %e: {F32}) -> ({F32}, {F32}) {{",
                     f"  %m = mul(%x, %e) -> {F32}", f"  %h = tanh(%m) -> {F32}",
                     f"  %k = abs(%h) -> {F32}", f"  %l = add(%k, literal<f32>[0.25]) -> {F32}",
                     f"  %y = add(%x, %l) -> {F32}"]
            if level == self.levels:
                return lines + ["  return %y, %e"]
            yes, no = self.step(level + 1), self.step(level + 1)
            end, body, turn = self.condition(), self.step(level + 1), self.turn(level + 1)
            return lines + [
                "  %c = compare(%y, literal<f32>[1.0]) op[less] -> tensor<i1>",
                f"  %t = cond(%c, %y, %e) true_region[{yes}] false_region[{no}] -> ({F32}, {F32})",
                "  %s = broadcast_to(%h) result_shape[2] -> tensor<f32, 2>",
                f"  %u = scan(%t[0], %s) body_region[{turn}] carry_count[1] scan_output_count[0] "
                f"-> ({F32})",
                f"  %w = while(%u[0], %e) cond_region[{end}] body_region[{body}] -> ({F32}, {F32})",
                "  return %w[0], %e"]
        return self.region(("step", level), make)

    def turn(self, level):
        """The body of a scan, whose carry grows."""
        def make():
            region = self.step(level)
            return [f"(%x: {F32}, %e: {F32}) -> ({F32}) {{",
                    "  %c = compare(%x, %e) op[less] -> tensor<i1>",
                    f"  %t = cond(%c, %x, %e) true_region[{region}] false_region[{region}] -> "
                    f"({F32}, {F32})", "  return %t[0]"]
        return self.region(("turn", level), make)


def calls(levels):
    """MIND source: each function calls the next twice."""
    lines = [f"fn f{levels}(x: tensor<f32[2]>) -> tensor<f32[2]> {{ tensor.relu(x) }}"]
    for i in reversed(range(levels)):
        lines.append(f"fn f{i}(x: tensor<f32[2]>) -> tensor<f32[2]> {{ f{i + 1}(f{i + 1}(x)) }}")
    return "\n".join(lines + ["fn main(x: tensor<f32[2]>) -> tensor<f32[2]> { f0(x) }"]) + "\n"


def run(program, arguments):
    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    command = [TENON, arguments[0], str(program), *arguments[1:], *LIMITS]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          preexec_fn=bound, check=False)


def outcome(program, arguments):
    """The status, with what was reported when the program was rejected."""
    done = run(program, [*arguments, "--diagnostics", "json"])
    kinds = [json.loads(line)["kind"] for line in done.stderr.splitlines() if line.startswith("{")]
    return done.returncode, kinds, done.stderr[-1000:]


# family, extension, levels, then commands: what must come out is a status, or the kind of error
LIMIT = "LimitExceeded"
EVERYWHERE = [("check", OK), ("fmt", OK), ("opt", OK), ("opt -O2", OK), ("convert --to ptir", OK),
              ("convert --to ptir-bincode", OK), ("convert --to dot", OK),
              ("explain --buffers", OK)]
REGIONS = EVERYWHERE + [("grad", OK), ("explain", OK), ("compile -o {tmp}/o.c", OK),
                        ("convert --to stablehlo", LIMIT)]
FAMILIES = [
    (pyramid, ".ptir", 100, EVERYWHERE + [
        ("convert --to mind --dim N=1000", OK), ("convert --to tiny", "NotExpressible"),
        ("explain", "UnboundSymbol"),
        ("explain --buffers --dim N=1000", OK)]),
    (pyramid, ".ptir", 30, [("equiv {program} --n 2", OK)]),
    (chain, ".ptir", 400, EVERYWHERE + [("explain --buffers --dim N=1000", OK)]),
    (chain, ".ptir", 5000, [("check", LIMIT)]),
    (squares, ".ptir", 7, EVERYWHERE),
    (squares, ".ptir", 60, [("check", LIMIT)]),
    (conds, ".ptir", 100, REGIONS + [("run --random 1 --engine ref", OK)]),
    (conds, ".ptir", 250, [("compile -o {tmp}/o.c --limit nesting=256", OK),
                           ("grad --limit nesting=256", OK)]),
    (scans, ".ptir", 50, REGIONS),
    (whiles, ".ptir", 50, REGIONS),
    (calls, ".mind", 100, [("check", LIMIT)]),
]


def run_gradient(folder, levels, is_shared):
    """The lines of its gradient, and what it computes."""
    path = pathlib.Path(folder) / "mixed.ptir"
    gradient = pathlib.Path(folder) / "gradient.ptir"
    path.write_text(Mixed(levels, is_shared).text)
    done = run(path, ["grad", "-o", str(gradient)])
    if done.returncode:
        return 0, done.stderr
    numbers = []
    files = {name: pathlib.Path(folder) / f"{name}.npy" for name in "xe"}
    write_npy(files["e"], "f32", [], [2.0])
    for x in (-1.0, 0.125, 1.0):
        write_npy(files["x"], "f32", [], [x])
        command = [TENON, "run", gradient, "--engine", "ref", "--timeout", str(SECONDS),
                   *(f"--input={name}={path}" for name, path in files.items())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        numbers.append(done.stdout if done.returncode == 0 else done.stderr)
    return len(gradient.read_text().splitlines()), numbers


def gradients_differ(folder):
    """Shared regions have the derivatives that copies of them have."""
    shared, numbers = run_gradient(folder, 2, True)
    copied, wanted = run_gradient(folder, 2, False)
    if numbers == wanted and "error" not in str(wanted) and 0 < 2 * shared < copied:
        return False
    print(f"gradients with shared regions: {shared} lines, {numbers}\n"
          f"with copied ones: {copied} lines, {wanted}")
    return True


def main():
    failures = 0
    with tempfile.TemporaryDirectory(prefix="tenon-growth-") as folder:
        for family, extension, levels, commands in FAMILIES:
            path = pathlib.Path(folder) / (family.__name__ + extension)
            path.write_text(family(levels))
            for command, wanted in commands:
                status, kinds, said = outcome(path, command.format(tmp=folder, program=path).split())
                fine = status == OK if wanted == OK else status == REJECTED and wanted in kinds
                if not fine:
                    failures += 1
                    print(f"{family.__name__} of {levels} levels, {command}: wanted {wanted}, "
                          f"ended with {status}\n{said}")
        failures += gradients_differ(folder)
    print("failed" if failures else "passed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
