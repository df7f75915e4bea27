"""A training step on several ranks of one machine beside MPI_Allreduce, and what follows for more of them.

    ranks.py --tenon build/release/tenon [--mpi openmpi|mpich] [--ranks 2,4] [--rounds 11] [--lengths 65536,...] [--work 64 [--slow B]]

Measured (ranks.c): a step whose gradients are added by the fixed tree, each rank changing its part of the weights, against one
that each rank computes alone, with MPI_Allreduce over all of its gradient. Both include the update and, the first one, the
checksums of all messages. `over` is the first time over the second; wanted is at most 1.3 on 4 ranks.

With --work, the program multiplies as many rows by square weights, one after the other, and --slow makes each byte that comes
take B seconds more, as in a slow network: then the time of a step shows what it gains when gradients travel while others are computed,
beside `late`, the same step whose messages begin when all gradients are there.

Then a model of a step on 8 to 1024 ranks, from a latency A and a time for a byte B (measured here, or --network A,B): each
rank sends its part of the sums to all others and receives theirs, then the same of the weights,

    2 ((R - 1) A + (R - 1) / R N B)

for N bytes of gradients, where R divides the leaves. A ring of MPI_Allreduce has the same form.
"""
import argparse
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
START = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1",
                     "--mca", "btl_vader_single_copy_mechanism", "none"],
         "mpich": ["mpirun.mpich"]}
WEIGHTS = 16  # of equal size; each is summed and changed by one rank


def program_of(length, work):
    """The mean of x times the sum of all weights; with WORK, of x times all weights, as square matrices."""
    each = length // WEIGHTS
    if work:
        side = math.isqrt(each)
        lines = [f'%h0 = Input () {{name="x"}} : tensor<f32>[n, {side}]']
        lines += [f'%w{i} = Input () {{name="w.{i}"}} : tensor<f32>[{side}, {side}]' for i in range(WEIGHTS)]
        lines += [f"%h{i + 1} = MatMul (%h{i}, %w{i}) : tensor<f32>[n, {side}]" for i in range(WEIGHTS)]
        return "\n".join([*lines, f"%l = Mean (%h{WEIGHTS}) {{axes=[], keepdims=false}} : tensor<f32>[]", "outputs: %l", ""])
    lines = ['%x = Input () {name="x"} : tensor<f32>[n]']
    lines += [f'%w{i} = Input () {{name="w.{i}"}} : tensor<f32>[{each}]' for i in range(WEIGHTS)]
    lines += ["%t0 = Mean (%x) {axes=[], keepdims=false} : tensor<f32>[]"]
    for i in range(WEIGHTS):
        lines += [f"%s{i} = Sum (%w{i}) {{axes=[], keepdims=false}} : tensor<f32>[]",
                  f"%m{i} = BinOp (%t0, %s{i}) {{op=Mul}} : tensor<f32>[]",
                  f"%a{i} = BinOp (%{f'a{i - 1}' if i else 't0'}, %m{i}) {{op=Add}} : tensor<f32>[]"]
    return "\n".join([*lines, f"outputs: %a{WEIGHTS - 1}", ""])


def write_npy(path, *shape):
    """Zeros of f32."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(4 * math.prod(shape)))


def build(tenon, mpi, folder):
    """The program, or None where it cannot be made."""
    library, program = pathlib.Path(tenon).resolve().parent, folder / "ranks"
    done = subprocess.run([f"mpicc.{mpi}", "-O2", "-std=c17", f"-I{HERE.parent}/include", HERE / "ranks.c", "-o", program,
                           f"-L{library}", "-ltenon", f"-Wl,-rpath,{library}"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench/ranks.c does not build:\n{done.stderr}")
    return program


def measure(o, program, folder, ranks, length):
    (folder / "p.ir").write_text(program_of(length, o.work))
    batch = o.work or 1
    write_npy(folder / "x.npy", *((batch * ranks, math.isqrt(length // WEIGHTS)) if o.work else (64,)))
    done = subprocess.run([*START[o.mpi], "-np", str(ranks), program, folder / "p.ir", folder / "x.npy", str(length), str(o.rounds),
                           str(batch), str(o.slow)],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mpirun ended with {done.returncode}:\n{done.stderr}")
    return [float(x) for x in done.stdout.split()[-6:]]


def model(ranks, size, latency, byte):
    return 2 * ((ranks - 1) * latency + (ranks - 1) / ranks * size * byte)


def show_model(latency, byte):
    sizes = [(1e6, "1 MB"), (1e8, "100 MB"), (5e8, "500 MB")]
    print(f"\nmodel: {1e6 * latency:.2f} us a message, {1e-9 / byte:.2f} GB/s; seconds a step for gradients of")
    print(f"{'ranks':>8}" + "".join(f"{name:>10}" for _, name in sizes))
    for ranks in (8, 16, 32, 64, 128, 256, 512, 1024):
        print(f"{ranks:8}" + "".join(f"{model(ranks, size, latency, byte):10.4f}" for size, _ in sizes))


def main():
    parser = argparse.ArgumentParser(description="Training steps on several ranks beside MPI_Allreduce.")
    parser.add_argument("--tenon", default=HERE.parent / "build/release/tenon", help="beside it is the library")
    parser.add_argument("--mpi", default="openmpi", choices=START)
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--lengths", default="65536,1048576,8388608,33554432", help="of the gradient, numbers of f32")
    parser.add_argument("--work", type=int, default=0, help="rows that each rank multiplies by all weights")
    parser.add_argument("--slow", type=float, default=0, help="seconds more for each byte that comes")
    parser.add_argument("--network", help="A,B: seconds of a message and of a byte, for the model")
    o = parser.parse_args()
    if not shutil.which(f"mpicc.{o.mpi}"):
        sys.exit(f"mpicc.{o.mpi} is missing")
    print(f"load {os.getloadavg()[0]:.1f}; milliseconds")
    network = [float(x) for x in o.network.split(",")] if o.network else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = build(o.tenon, o.mpi, folder)
        for ranks in map(int, o.ranks.split(",")):
            for length in map(int, o.lengths.split(",")):
                step, late, usual, add, latency, byte = measure(o, program, folder, ranks, length)
                network = network or [latency, byte]
                print(f"{ranks} ranks, {4e-6 * length:8.2f} MB: a step {1e3 * step:8.2f}, late {1e3 * late:8.2f}, with MPI_Allreduce {1e3 * usual:8.2f} "
                      f"(alone {1e3 * add:8.2f}), over {step / usual:.2f}", flush=True)
    show_model(*network)


if __name__ == "__main__":
    main()
