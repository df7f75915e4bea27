"""The ahead-of-time example: what is built of its network gives the bits of `tenon run`."""
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from lib.program import ROOT, TENON

EXAMPLE = ROOT / "examples/aot"
sys.path.insert(0, str(ROOT / "examples/digits"))
import npy  # noqa: E402


def main():
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    if not shutil.which("make") or not compilers:
        print("skipped: there is no make or no C compiler")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        rng = random.Random(3)
        x = [struct.unpack("f", struct.pack("f", rng.uniform(-3, 3)))[0] for _ in range(32)]
        npy.write_f32(pathlib.Path(work) / "x.npy", [8, 4], x)
        subprocess.run([TENON, "run", EXAMPLE / "net.ir", "--engine", "ref", "--input",
                        f"x={work}/x.npy", "--output", work], check=True)
        _, p = npy.read(pathlib.Path(work) / "0.npy")
        words = [f"{struct.unpack('I', struct.pack('f', v))[0]:08x}" for v in p]
        want = "".join(" ".join(words[i:i + 3]) + "\n" for i in range(0, len(words), 3))
        probe = subprocess.run([TENON, "compile", EXAMPLE / "net.ir", "-o", f"{work}/probe.o"],
                               stderr=subprocess.PIPE, text=True)
        programs = ["from-c", "from-o", "from-a", "from-so"]
        if "LLVM cannot be loaded" in probe.stderr:
            programs = programs[:1]
        for compiler in compilers:
            built = pathlib.Path(work) / compiler
            done = subprocess.run(["make", "-C", EXAMPLE, f"TENON={TENON}", f"CC={compiler}",
                                   f"WORK={built}", *[f"{built}/{p}" for p in programs]],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for program in programs:
                run = done if done.returncode else subprocess.run(
                    [built / program], input=struct.pack("32f", *x), stdout=subprocess.PIPE)
                got = run.stdout if done.returncode else run.stdout.decode()
                good = run.returncode == 0 and got == want
                print(f"{'ok    ' if good else 'FAILED'}  {compiler} {program}" +
                      ("" if good else f": {got}"))
                failed += not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
