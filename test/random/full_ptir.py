"""Random well-typed PTIR programs, and damaged ones.

Each program is checked, printed, carried from JSON to text to binary and back, and run at every -O
level, by both engines and for every processor that this one can stand for, with the same bits; where
numpy knows the exact result, that is compared too. The binary form is also made here, independently. Damaged copies, in all three forms, must be
accepted or rejected, never crash.

RANDOM_PTIR says how many programs (100), RANDOM_SEED where to start (1). A
failing program is printed whole.
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is missing")
    print("0 passed, 0 failed")
    sys.exit(0)

from lib import equality, npy, random_ptir
from lib.program import Failure, start
from lib.program import tenon as run

tenon = functools.partial(run, text=False)


def results(folder, program, arguments, *options):
    out = folder / "".join(["out", *options])
    tenon("run", program, *arguments, *options, "--output", out)
    found = []
    for entry in json.loads((out / "outputs.json").read_text()):
        dtype, shape, raw = npy.read_npy(out / entry["file"])
        raw = npy.same_narrow_nan(entry["dtype"], npy.same_nan(dtype, raw))
        found.append((entry["dtype"], shape, raw))
    return found


def check_forms(folder, source):
    """JSON, text and binary say the same program, and each is printed as it is read."""
    forms = {"ptir": folder / "a.ptir.json", "ptir-text": folder / "a.ptir",
             "ptir-bincode": folder / "a.bin"}
    forms["ptir"].write_bytes(tenon("fmt", "--from", "ptir", source).stdout)
    canonical = forms["ptir"].read_bytes()
    if tenon("fmt", "--from", "ptir", forms["ptir"]).stdout != canonical:
        raise Failure("JSON printed twice differs")
    path, dialect = forms["ptir"], "ptir"
    for to in ("ptir-text", "ptir-bincode", "ptir-text", "ptir"):
        text = tenon("convert", "--from", dialect, path, "--to", to).stdout
        path, dialect = folder / ("b-" + forms[to].name), to
        if path.exists() and path.read_bytes() != text:
            raise Failure(f"{to} differs the second time")
        path.write_bytes(text)
        forms[to].write_bytes(text)
        if tenon("fmt", "--from", to, path).stdout != text:
            raise Failure(f"{to} printed again differs")
    if path.read_bytes() != canonical:
        raise Failure("JSON after text and binary differs")
    if forms["ptir-bincode"].read_bytes() != random_ptir.encode_program(json.loads(canonical)):
        raise Failure("the binary form has another layout")
    return forms


def damage(r, raw):
    raw = bytearray(raw)
    for _ in range(r.randint(1, 3)):
        at = r.randrange(len(raw)) if raw else 0
        kind = r.randrange(6)
        if kind == 0:
            raw[at:at + r.choice([1, 1, 4, 30])] = b""
        elif kind == 1:
            raw[at:at] = bytes(r.choices(b"0123456789-{}[]\",:%.x\x00\xff", k=r.randint(1, 3)))
        elif kind == 2 and raw:
            raw[at] = r.randrange(256)
        elif kind == 3:
            to = r.randrange(len(raw) + 1)
            raw[to:to] = raw[at:at + r.randint(1, 40)]
        elif kind == 4:
            digits = [k for k, c in enumerate(raw) if 48 <= c < 58]
            if digits:
                raw[r.choice(digits)] = r.choice(b"0123456789")
        else:
            words = [b"F32", b"Si64", b"I1", b"Cf32", b"true", b"Fp8E4M3", b"f32", b"si8", b"null"]
            old = r.choice(words)
            k = bytes(raw).find(old, at)
            if k >= 0:
                raw[k:k + len(old)] = r.choice(words)
    return bytes(raw)


def check_damaged(folder, r, forms):
    for dialect, path in forms.items():
        raw = path.read_bytes()
        for _ in range(3):
            bad = folder / ("bad-" + path.name)
            bad.write_bytes(damage(r, raw))
            command = r.choice([["check"], ["fmt"], ["opt"], ["run", "--random", "1"]])
            limits = ["--limit", "run_bytes=100000000"] if command[0] == "run" else []
            try:
                done = tenon(*command, "--from", dialect, *limits, bad, allowed=(0, 1, 2, 3))
            except (Failure, subprocess.TimeoutExpired) as fault:
                keep = pathlib.Path(tempfile.gettempdir()) / f"ptir-damaged-{os.getpid()}"
                keep.write_bytes(bad.read_bytes())
                raise Failure(f"damaged {dialect}, kept in {keep}: {fault}") from None
            if done.returncode == 0 and done.stderr and command[0] == "check" and \
                    b"error" in done.stderr:
                raise Failure(f"accepted, with errors: {done.stderr.decode()}")


def check_program(seed):
    program = random_ptir.Program(seed)
    with tempfile.TemporaryDirectory(prefix="tenon-ptir-") as name:
        folder = pathlib.Path(name)
        source = folder / "m.ptir.json"
        source.write_text(json.dumps(program.json))
        try:
            tenon("check", source)
            forms = check_forms(folder, source)
            arguments = []
            for k, (dtype, _, data) in enumerate(program.inputs):
                random_ptir.write_input(folder / f"{k}.npy", dtype, data)
                arguments += ["--input", f"{k}={folder / f'{k}.npy'}"]
            plain = results(folder, source, arguments, "-O0", "--engine=ref")
            for other, *how in ((source, "-O1", "--engine=ref"), (source, "-O2", "--engine=ref"),
                                (forms["ptir-text"], "-O2", "--engine=ref")):
                if results(folder, other, arguments, *how) != plain:
                    raise Failure(f"{other.name} {how} gives other bits than -O0")
            answer = equality.ask([f"file={source}", "dialect=ptir", "levels=02",
                                   *(f"in={word}" for word in arguments[1::2])])
            if not answer.startswith("ok "):
                raise Failure(answer)
            for k, (v, (dtype, shape, raw)) in enumerate(zip(program.outputs, plain)):
                if tuple(shape) != v.shape:
                    raise Failure(f"output {k} has shape {shape}, not {v.shape}")
                if v.data is None:
                    continue
                want = np.ascontiguousarray(v.data).tobytes()
                file_dtype = npy.file_dtype(dtype)
                if npy.same_nan(file_dtype, want) != raw:
                    raise Failure(f"output {k}: expected\n{v.data}\nbut got\n"
                                            f"{np.frombuffer(raw, v.data.dtype)}")
            check_damaged(folder, program.r, forms)
        except (Failure, subprocess.TimeoutExpired, OSError, ValueError) as fault:
            text = json.dumps(program.json)
            printed = start("convert", source, "--to", "ptir-text")
            return f"FAILED seed {seed}: {fault}\n{printed.stdout or text}"
    return None


def main():
    count = int(os.environ.get("RANDOM_PTIR", "100"))
    first = int(os.environ.get("RANDOM_SEED", "1"))
    np.seterr(all="ignore")
    failed = 0
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for message in pool.map(check_program, range(first, first + count), chunksize=5):
            if message:
                failed += 1
                print(message, flush=True)
    print(f"{count - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
