"""Objects of the cache of kernels that are damaged in every way: a run makes them anew, says nothing, and gives the same results."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from lib.program import HANG, TENON

PROGRAM = """%0 = Input () {name="x"} : tensor<f32>[2, 3]
%1 = Exp (%0) : tensor<f32>[2, 3]
%2 = Sum (%1) {axes=[1], keepdims=false} : tensor<f32>[2]
outputs: %2
"""


def damaged(data):
    """(what was done, bytes): a file starts with a magic, a version, lengths of key and object, and two checksums."""
    for n in (0, 1, 7, 8, 12, 16, 31, 47, 48, 49, 100, len(data) // 2, len(data) - 1):
        yield f"cut at {n}", data[:n]
    for at in (0, 7, 8, 11, 12, 15, 16, 23, 24, 31, 32, 39, 40, 47, 48, 60, len(data) // 2, len(data) - 1):
        yield f"bit of byte {at} flipped", data[:at] + bytes([data[at] ^ 16]) + data[at + 1:]
    for at, what in ((16, "key"), (24, "object")):
        for n in (0, 1, len(data), 1 << 31, 1 << 62, (1 << 64) - 1):
            yield f"length of the {what} is {n}", data[:at] + struct.pack("<Q", n) + data[at + 8:]
    yield "more behind the end", data + b"\0"
    yield "nothing but zeros", b"\0" * len(data)
    yield "text", b"nothing of this kind\n" * 100


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        cache = folder / "cache"
        environment = {**os.environ, "TENON_CACHE_DIR": str(cache)}
        (folder / "p.ir").write_text(PROGRAM, encoding="utf-8")

        def run():
            done = subprocess.run([TENON, "run", folder / "p.ir", "--random", "3", "--print", "--threads", "1"], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=HANG, env=environment, check=False)
            return done.returncode, done.stdout, done.stderr

        want = run()
        if want[0] != 0 or want[2]:
            print(f"the first run ends with {want}")
            return 1
        objects = sorted(cache.glob("*.o"))
        if not objects:
            print("skipped: nothing is kept (a build without LLVM)")
            return 0
        whole, n = objects[0].read_bytes(), 0
        for what, data in damaged(whole):
            objects[0].write_bytes(data)
            got = run()
            n += 1
            if got != want:
                print(f"{what}: {got}, not {want}")
                return 1
            if objects[0].read_bytes() != whole:
                print(f"{what}: the object was not made anew")
                return 1
        for what, change in (("a folder", lambda p: p.mkdir()), ("a link", lambda p: p.symlink_to("elsewhere")), ("a pipe", os.mkfifo)):
            objects[0].unlink()
            change(objects[0])
            got = run()
            n += 1
            if got != want:
                print(f"{what} in its place: {got}, not {want}")
                return 1
            if objects[0].is_dir() and not objects[0].is_symlink():
                objects[0].rmdir()
                objects[0].write_bytes(whole)
    print(f"{n} damaged objects")
    return 0


if __name__ == "__main__":
    sys.exit(main())
