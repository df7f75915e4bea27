"""mpirun tenon run of programs for several devices: each process gets what interpreter.run_parallel gives it in one, bit for bit, for grids
of replicas and partitions, kinds of groups, both MPIs and both engines. Where the number of processes does not fit, all end."""
import pathlib
import random
import subprocess
import tempfile
import unittest

import numpy as np

from lib.program import HANG, TENON
from train.sweep_mpi import MPIS, available

SIZE = 12  # of the vectors, which 2, 3, 4 and 6 divide
T = f"tensor<{SIZE}xf32>"
GRIDS = [(2, 1), (1, 2), (2, 2), (3, 1), (2, 3), (4, 1)]
ADD = """ ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })"""


def table(rows):
    return f"dense<{rows}> : tensor<{len(rows)}x{len(rows[0])}xi64>"


def split(draw, n, parts):
    """The numbers below N in groups of N / PARTS, in any order."""
    numbers = draw.sample(range(n), n)
    size = n // parts
    return [numbers[i * size:(i + 1) * size] for i in range(parts)]


class Program:
    """A function with one operation of each kind, for REPLICAS times PARTITIONS processes."""

    def __init__(self, draw, replicas, partitions):
        self.draw, self.grid, self.lines, self.results = draw, (replicas, partitions), [], []
        self.unrolled = {}  # lines in place of a loop, by their number: no program of several meets others in one
        for _ in range(2):
            self.all_reduce()
            self.pairwise()
        self.others()
        self.loop()
        self.add("stablehlo.replica_id : tensor<ui32>", "tensor<ui32>", "")
        self.add("stablehlo.partition_id : tensor<ui32>", "tensor<ui32>", "")

    def add(self, text, kind, signature):
        self.lines.append(f"    %{len(self.results)} = {text}{signature}")
        self.results.append(kind)

    def groups(self, modes):
        """Attributes of groups, and how many are in each."""
        replicas, partitions = self.grid
        mode = self.draw.choice(modes)
        n = {"replicas": replicas, "both": replicas, "partitions": partitions, "all": replicas * partitions}[mode]
        parts = self.draw.choice([k for k in range(1, n + 1) if n % k == 0])
        rows = split(self.draw, n, parts)
        channel = "" if mode == "replicas" else f", channel_handle = #stablehlo.channel_handle<handle = {1 + len(self.results)}, type = 1>"
        ids = ", use_global_device_ids" if mode == "all" else ""
        size = len(rows[0]) * (partitions if mode == "both" else 1)
        return f"replica_groups = {table(rows)}{channel}{ids}", size

    def all_reduce(self):
        groups, _ = self.groups(["replicas", "both", "all"])
        self.add(f'"stablehlo.all_reduce"(%x) <{{{groups}}}>{ADD}', T, f" : ({T}) -> {T}")
        groups, size = self.groups(["replicas", "both", "all"])
        wide = f"tensor<{SIZE * size}xf32>"
        self.add(f'"stablehlo.all_gather"(%x) <{{all_gather_dim = 0 : i64, {groups}}}>', wide, f" : ({T}) -> {wide}")
        groups, size = self.groups(["replicas", "both", "all"])
        part = f"tensor<{SIZE // size}xf32>"
        self.add(f'"stablehlo.reduce_scatter"(%x) <{{scatter_dimension = 0 : i64, {groups}}}>{ADD}', part, f" : ({T}) -> {part}")

    def pairwise(self):
        groups, size = self.groups(["replicas", "partitions"])
        self.add(f'"stablehlo.all_to_all"(%x) <{{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = {size} : i64, '
                 f'{groups}}}>', T, f" : ({T}) -> {T}")
        groups, _ = self.groups(["replicas", "partitions"])
        self.add(f'"stablehlo.collective_broadcast"(%x) <{{{groups}}}>', T, f" : ({T}) -> {T}")

    def others(self):
        replicas, partitions = self.grid
        for n, channel in ((replicas, ""), (partitions, ", channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>")):
            pairs = list(zip(self.draw.sample(range(n), n), self.draw.sample(range(n), n)))[:max(1, n - 1)]
            self.add(f'"stablehlo.collective_permute"(%x) <{{source_target_pairs = {table([list(p) for p in pairs])}{channel}}}>', T,
                     f" : ({T}) -> {T}")

    def loop(self):
        groups, _ = self.groups(["replicas", "both"])
        reduce = f'"stablehlo.all_reduce"(%y{{}}) <{{{{{groups}}}}}>{ADD.replace("{", "{{").replace("}", "}}")} : ({T}) -> {T}'
        self.unrolled = {len(self.lines): "\n".join([f"    %y0 = stablehlo.convert %x : {T}",
                                                     *[f"    %y{i + 1} = {reduce.format(i)}" for i in range(3)],
                                                     f"    %{len(self.results)} = stablehlo.negate %y3 : {T}"])}
        self.lines.append(f"""    %zero = stablehlo.constant dense<0> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %loop:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, {T}
      cond {{
        %p = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }} do {{
        %z = "stablehlo.all_reduce"(%y) <{{{groups}}}>{ADD} : ({T}) -> {T}
        %n = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %n, %z : tensor<i32>, {T}
      }}""")
        self.lines[-1] += f"\n    %{len(self.results)} = stablehlo.negate %loop#1 : {T}"
        self.results.append(T)

    def function(self, name, unrolled=None):
        kinds = ", ".join(self.results)
        values = ", ".join(f"%{i}" for i in range(len(self.results)))
        return f"  func.func @{name}(%x: {T}) -> ({kinds}) {{\n" + "\n".join((unrolled or {}).get(i, line) for i, line in enumerate(self.lines)) + f"\n    return {values} : {kinds}\n  }}\n"

    def for_ranks(self):
        replicas, partitions = self.grid
        return (f"module @m attributes {{mhlo.num_replicas = {replicas} : i32, mhlo.num_partitions = {partitions} : i32}} {{\n"
                f"{self.function('main')}}}\n")

    def side_by_side(self):
        replicas, partitions = self.grid
        n = replicas * partitions
        rows = ", ".join("[" + ", ".join(["@f"] * partitions) + "]" for _ in range(replicas))
        kinds = ", ".join(self.results * n)
        args, types = ", ".join(f"%x{i}" for i in range(n)), ", ".join([T] * n)
        return ("module @m {\n" + self.function("f", self.unrolled) +
                f"  func.func public @main({', '.join(f'%x{i}: {T}' for i in range(n))}) -> ({kinds}) {{\n"
                f'    %r:{n * len(self.results)} = "interpreter.run_parallel"({args}) {{programs = [{rows}]}} : ({types}) -> ({kinds})\n'
                f"    return {', '.join(f'%r#{i}' for i in range(n * len(self.results)))} : {kinds}\n  }}\n}}\n")


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def tenon(self, *arguments, mpi=None, ranks=1):
        before = [*MPIS[mpi], "-np", str(ranks)] if mpi else []
        return subprocess.run([*before, TENON, *arguments], cwd=self.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=HANG)

    def values_of(self, path):
        with np.load(self.dir / path) as archive:
            return [archive[name] for name in archive.files]

    def test_bits(self):
        for k, grid in enumerate(GRIDS):
            n = grid[0] * grid[1]
            program = Program(random.Random(k), *grid)
            (self.dir / "ranks.mlir").write_text(program.for_ranks(), encoding="ascii")
            (self.dir / "one.mlir").write_text(program.side_by_side(), encoding="ascii")
            draw = np.random.default_rng(k)
            for i in range(n):
                np.save(self.dir / f"x{i}.npy", draw.normal(size=SIZE).astype(np.float32))
            done = self.tenon("run", "one.mlir", *[a for i in range(n) for a in ("--input", f"x{i}=x{i}.npy")], "--output", "one.npz")
            self.assertEqual(done.returncode, 0, done.stderr)
            want = self.values_of("one.npz")
            for mpi in available():
                for engine in ("jit", "ref"):
                    done = self.tenon("run", "ranks.mlir", "--engine", engine, "--input", "x=x{rank}.npy", "--output", "out{rank}.npz", mpi=mpi,
                                      ranks=n)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    got = [v for i in range(n) for v in self.values_of(f"out{i}.npz")]
                    self.assertEqual(len(got), len(want))
                    for i, (a, b) in enumerate(zip(got, want)):
                        self.assertTrue(np.array_equal(a, b), (grid, mpi, engine, i, a, b))

    def test_refused(self):
        program = Program(random.Random(1), 2, 2)
        (self.dir / "ranks.mlir").write_text(program.for_ranks(), encoding="ascii")
        done = self.tenon("run", "ranks.mlir", "--random", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its program is for 4 devices", done.stderr)
        for mpi in available():
            done = self.tenon("run", "ranks.mlir", "--random", "1", mpi=mpi, ranks=3)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("2 replicas of 2 partitions, and 3 processes", done.stderr)


if __name__ == "__main__":
    unittest.main()
