"""Calls to the system that a command makes for its files fail, one in each run: the command ends with a diagnostic, or does its work
all the same; no file under a final name is ever partial, and nothing temporary is left. And the process is killed at each of them:
again nothing is partial, and the next run gives what it gives without.

usage: sweep_faults.py [--all]

Without --all, one of STEP calls of each command is looked at, another one for each, and all that read folders of work. COMMAND names a command to look at alone.
"""
import collections
import concurrent.futures
import errno
import hashlib
import io
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import numpy as np

from lib.program import HANG, TENON

LIBRARY = pathlib.Path(TENON).parent / "test/libfaults.so"
PROGRAM = """%0 = Input () {name="x"} : tensor<f32>[40, 30]
%1 = Exp (%0) : tensor<f32>[40, 30]
%2 = Sum (%1) {axes=[1], keepdims=false} : tensor<f32>[40]
%3 = Sum (%2) {axes=[0], keepdims=false} : tensor<f32>[]
outputs: %3, %1
"""
NET = """%x = Input () {name="x"} : tensor<f32>[n, 3]
%w = Input () {name="w"} : tensor<f32>[3]
%p = BinOp (%x, %w) {op=Mul} : tensor<f32>[n, 3]
%q = BinOp (%p, %p) {op=Mul} : tensor<f32>[n, 3]
%loss = Mean (%q) {axes=[], keepdims=false} : tensor<f32>[]
outputs: %loss
"""
ONE = ("--threads", "1")
COMMANDS = {
    "check": ("check", "p.ir"),
    "fmt": ("fmt", "p.ir", "-o", "o/p.ir"),
    "fix": ("fix", "p.ir", "-o", "o/p.ir"),
    "convert": ("convert", "p.ir", "-o", "o/p.onnx"),
    "convert-folder": ("convert", "p.ir", "--to", "ptir", "-o", "o/f/"),
    "external": ("convert", "net.onnx", "--to", "onnx", "--external-data", "w.bin", "-o", "o/q.onnx"),
    "opt": ("opt", "p.ir", "-o", "o/p.ir"),
    "grad": ("grad", "p.ir", "--loss", "0", "-o", "o/p.ir"),
    "info": ("info", "p.ir"),
    "explain": ("explain", "p.ir", "-o", "o/p.txt"),
    "report": ("report", "p.ir", "--random", "1", "-o", "o/p.html", *ONE),
    "equiv": ("equiv", "p.ir", "p.ir", "--n", "2"),
    "run-npy": ("run", "p.ir", "--input", "x=x.npy", "--output", "o/r", *ONE),
    "run-npz": ("run", "p.ir", "--inputs", "x.npz", "--output", "o/r.npz", *ONE),
    "run-safetensors": ("run", "p.ir", "--inputs", "x.safetensors", "--output", "o/r.safetensors", *ONE),
    "run-ref": ("run", "p.ir", "--random", "1", "--print", "--engine", "ref"),
    "run-batch": ("run", "p.ir", "--batch-of", "in", "--output", "o/b", *ONE),
    "verify": ("verify", "net.onnx"),
    "conformance": ("conformance", "suite"),
    "compile-c": ("compile", "p.ir", "-o", "o/p.c"),
    "compile-o": ("compile", "p.ir", "-o", "o/p.o"),
    "compile-so": ("compile", "p.ir", "-o", "o/p.so"),
    "compile-a": ("compile", "p.ir", "-o", "o/p.a"),
    "compile-weights": ("compile", "net.onnx", "--weights", "o/w.bin", "-o", "o/p.c"),
    "train": ("train", "net.ir", "--wrt", "w", "--data", "seen.npz", "--batch", "4", "--steps", "2", "--checkpoint", "o/ck", "--resume",
              "--output", "o/w.npz", *ONE),
    "resume": ("train", "net.ir", "--wrt", "w", "--data", "seen.npz", "--batch", "4", "--steps", "3", "--checkpoint", "o/ck", "--keep", "1", "--resume", *ONE),
}
STEP = 11
OF_FOLDERS = ("run-batch", "verify", "conformance")  # whose work is what a folder holds
ENTRY = struct.Struct("=8sIIQQQQ")  # how a file of the cache starts
TRANSFERS = ("read", "pread", "write")
PARTIAL = hashlib.sha256(b"partial").hexdigest()
refused = collections.Counter()  # how many of the runs of a command ended with a failure


def prepare(folder):
    """The files that the commands read."""
    folder.mkdir()
    (folder / "p.ir").write_text(PROGRAM, encoding="utf-8")
    (folder / "net.ir").write_text(NET, encoding="utf-8")
    x = np.linspace(-1, 1, 1200, dtype=np.float32).reshape(40, 30)
    np.save(folder / "x.npy", x)
    np.savez(folder / "x.npz", x=x)
    np.savez(folder / "seen.npz", x=np.arange(24, dtype=np.float32).reshape(8, 3))
    data = io.BytesIO()
    header = b'{"x":{"dtype":"F32","shape":[40,30],"data_offsets":[0,4800]}}'
    data.write(len(header).to_bytes(8, "little") + header + x.tobytes())
    (folder / "x.safetensors").write_bytes(data.getvalue())
    from lib.onnx_files import model, node
    (folder / "net.onnx").write_bytes(model([node("MatMul", "x w", "y")], [("x", "f32", [2, 64])], [("y", "f32", None)],
                                            [("w", np.ones((64, 64), dtype=np.float32))]))
    for number in 0, 1:
        (folder / "in").mkdir(exist_ok=True)
        np.save(folder / f"in/{number}.npy", x)
        case = folder / f"test_data_set_{number}"
        case.mkdir()
        np.save(case / "input_0.npy", np.ones((2, 64), np.float32))
        np.save(case / "output_0.npy", np.full((2, 64), 64, np.float32))
    shutil.copytree(pathlib.Path(__file__).parents[1] / "conformance/lexical", folder / "suite")


class Place:
    """A folder of one run: what it writes goes to `o`, its cache is `cache`."""

    def __init__(self, base, name):
        self.folder = base / name
        shutil.copytree(base / "files", self.folder)
        (self.folder / "o").mkdir()
        (self.folder / "cache").mkdir(mode=0o700)
        if name.startswith("resume"):
            shutil.copytree(base / "trained", self.folder / "o/ck")

    def run(self, command, **more):
        environment = {**os.environ, "TENON_CACHE_DIR": str(self.folder / "cache"), "LD_PRELOAD": str(LIBRARY), **more}
        done = subprocess.run([TENON, *command], cwd=self.folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=HANG, check=False)
        done.stdout = done.stdout.replace(os.fsencode(self.folder), b"")  # where the cache is
        return done

    def written(self):
        """Each file below o and in the cache, and a digest of what it holds."""
        found = {}
        for top in ("o", "cache"):
            for path in sorted((self.folder / top).rglob("*")):
                if not path.is_file():
                    continue
                data = path.read_bytes()
                if top == "cache" and path.suffix == ".o" and not is_entry(data):
                    data = b"partial"
                if path.suffix == ".html":  # has times in it, as what `explain` says
                    data = b"" if data.endswith(b"</html>\n") else b"partial"
                elif path.suffix == ".txt":
                    data = b"" if data.endswith(b"\n") and data.splitlines()[-1].startswith(b"together:") else b"partial"
                found[str(path.relative_to(self.folder))] = hashlib.sha256(data).hexdigest()
        return found

    def remove(self):
        shutil.rmtree(self.folder)


def calls_of(base, name):
    """What a run that succeeds writes and says, and its calls."""
    place = Place(base, name)
    before = place.written()
    done = place.run(COMMANDS[name], TENON_FAULT_LOG=str(base / (name + ".log")))
    assert done.returncode == 0, (name, done)
    want = (before, place.written(), done.stdout)
    place.remove()
    lines = (base / (name + ".log")).read_text(encoding="utf-8").splitlines()
    return want, [line.split() for line in lines]


def mixed(h, word):
    """hash_mix of base/memory/hash.h."""
    product = (h ^ word ^ 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93
    return (product ^ product >> 64) & 0xffffffffffffffff


def digest_of(h, data):
    """hash_bytes there."""
    h = mixed(h, len(data))
    for (word,) in struct.iter_unpack("=Q", data + bytes(8 - len(data) % 8)):
        h = mixed(h, word)
    return h


def is_entry(data):
    """Is this a whole entry of the cache (runtime/cache.c): are its lengths and its digest those of what it holds?"""
    if len(data) < ENTRY.size:
        return False
    magic, version, _, key, code, *digest = ENTRY.unpack_from(data)
    body = data[ENTRY.size:]
    return (magic, version, key + code) == (b"TENONKC\n", 1, len(body)) and digest == [digest_of(seed, body) for seed in (0x74656e6f6e, 0x6b65726e656c)]


def compared(written):
    """What must be the same of what two runs have WRITTEN. Kernels that are compiled together have code in common, and the next run has fewer to
    compile, so that an entry of the cache may hold other code; it is judged by itself."""
    return {p: d if not p.startswith("cache/") else None for p, d in written.items() if ".tenon-" not in p}


def check(base, name, want, number, call, fd, how):
    """What is wrong after the call NUMBER failed, or None."""
    before, after, said = want
    place = Place(base, f"{name}-{number}-{how}")
    try:
        done = place.run(COMMANDS[name], TENON_FAULT_AT=str(number), TENON_FAULT_AS=str(how))
        have = place.written()
        if how == "kill":
            again = place.run(COMMANDS[name])
            then = place.written()
            broken = [path for path, digest in then.items() if path.startswith("cache/") and digest == PARTIAL]
    finally:
        place.remove()
    if how == "kill":
        done.returncode = 0 if done.returncode == -signal.SIGKILL else 70  # and what follows does not ask more of it
    if done.returncode not in (0, 1, 3):
        return f"ends with {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}"
    refused[name] += done.returncode != 0
    if how == "kill" and (again.returncode, again.stdout) != (0, said):
        return f"the next run ends with {again.returncode}, or says something else: {again.stderr.decode(errors='replace')[-300:]}"
    if how == "kill" and broken:
        return f"the next run leaves broken entries: {broken}"
    if how == "kill" and any(".tenon-" in path for path in then):
        return f"the next run leaves {[path for path in then if '.tenon-' in path]}"
    # Only the next checkpoint removes an old one.
    if how == "kill" and compared({p: d for p, d in then.items() if p in after or p not in before}) != compared(after):
        return "the next run writes something else"
    if done.returncode != 0 and not done.stderr and fd != "2" and said.startswith(done.stdout):  # nor what `conformance` says of a test
        return f"ends with {done.returncode} and says nothing"
    final = {path: digest for path, digest in have.items() if path.startswith("o/") and ".tenon-" not in path}
    for path, digest in final.items():
        if digest not in (after.get(path), before.get(path)):
            return f"{path} is partial, or another (status {done.returncode})"
    missing = [path for path in after if path.startswith("o/") and path not in final]
    if how != "kill" and done.returncode == 0 and (missing or done.stdout != said):
        return f"ends with 0, but {missing or 'its output'} is not as it should be"
    for path, digest in have.items():
        if path.startswith("cache/") and path.endswith(".o") and digest != after.get(path):
            return f"{path} is partial"
    left = [path for path in have if ".tenon-" in path]
    if left and how != "kill" and not call.startswith("unlink"):
        return f"leaves {left}"
    return None


def main():
    if not LIBRARY.exists():
        print("skipped: there is no library that lets calls fail")
        return 0
    only = os.environ.get("COMMAND")
    step = 1 if "--all" in sys.argv[1:] else STEP
    counts, failures, kills = collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        base = pathlib.Path(folder)
        prepare(base / "files")
        trained = Place(base, "first")
        assert trained.run(COMMANDS["train"]).returncode == 0
        shutil.copytree(trained.folder / "o/ck", base / "trained")
        jobs = []
        for name in COMMANDS:
            if only and name != only:
                continue
            want, calls = calls_of(base, name)
            for number, (call, fd) in enumerate(calls, 1):
                if number % step != (len(name) + 1) % step and (call != "readdir" or name not in OF_FOLDERS):
                    continue
                hows = [errno.EIO, errno.ENOSPC if call in ("write", "fsync", "openat", "linkat", "renameat", "close") else errno.EMFILE]
                if call in TRANSFERS:
                    hows = [errno.EIO, errno.EINTR, "short"]
                for how in (*hows, "kill"):
                    counts[name] += 1
                    kills += how == "kill"
                    jobs.append((name, number, call, fd, how, pool.submit(check, base, name, want, number, call, fd, how)))
        for name, number, call, fd, how, job in jobs:
            if job.result():
                failures.append(f"{name}: call {number}, {call} of {fd}, {how}: {job.result()}")
    for text in failures:
        print("FAILED", text)
    print(", ".join(f"{name} {refused[name]} of {n}" for name, n in counts.items()))
    print(f"{sum(counts.values())} runs, of which {kills} were killed and {sum(refused.values())} ended with a diagnostic; {len(failures)} faults")
    # Of all calls of a command some must have been seen to fail; a few may all be such as it does without.
    unseen = any(refused[name] == 0 for name in counts) if step == 1 else not sum(refused.values())
    return bool(failures) or not counts or unseen


if __name__ == "__main__":
    sys.exit(main())
