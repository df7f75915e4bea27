"""Compilers of C: warnings, levels, and the processors whose code runs here."""
import hashlib
import pathlib
import platform
import re
import subprocess
import threading

WARNINGS = ("-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wstrict-prototypes "
            "-Wmissing-prototypes -Werror").split()
# A tensor, as the header of compiled code describes it.
PORT = re.compile(r" \*   (inputs|outputs)\[\d+\]  (\w+)\[([-\d,]*)\]  (\d+) bytes(?:  (.*))?$", re.M)
LEVELS = ["-O0", "-O1", "-O2", "-O3"]


class Port:
    def __init__(self, found):
        self.dtype = found[1]
        self.bytes = int(found[3])
        self.name = found[4] or ""


def machine_flags():
    """Options for processors whose code runs here; machines without these names get none."""
    try:
        flags = set(re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(),
                              re.M)[1].split())
    except (OSError, TypeError):
        return [[]]
    out = [[], ["-march=native"], ["-DMOST_LEVEL=0"]]
    levels = {"x86-64": (0, {"sse2"}), "x86-64-v2": (0, {"sse4_2", "popcnt"}),
              "x86-64-v3": (3, {"avx2", "fma", "bmi2"}),
              "x86-64-v4": (4, {"avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512cd"})}
    return out + [["-march=" + name, f"-DMOST_LEVEL={level}"]
                  for name, (level, needs) in levels.items() if needs <= flags]


def machine_cpus():
    """The processors of machine_flags by their names."""
    return [flags[0].split("=")[1] for flags in machine_flags()
            if flags and flags[0].startswith("-march")]


def with_headers(compiler, options, folder):
    """Options that bring the headers of generated C, made ready once for these OPTIONS: those with the intrinsics of x86
    take longer to read than most programs to compile. FOLDER keeps them."""
    if platform.machine() != "x86_64" or "-DMOST_LEVEL=0" in options:
        return []
    own = folder / ("headers-" + hashlib.sha1(" ".join([compiler, *options]).encode()).hexdigest()[:16])
    header, made = own / "headers.h", own / ("headers.h.gch" if compiler == "gcc" else "headers.pch")
    own.mkdir(exist_ok=True)
    if not made.exists():
        header.write_text("#include <stdint.h>\n#include <immintrin.h>\n")
        part = own / f"part{threading.get_ident()}"
        if shell([compiler, *options, "-x", "c-header", header, "-o", part], "headers"):
            return []
        part.replace(made)
    return ["-include", header] if compiler == "gcc" else ["-include-pch", made]


def shell(command, what):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    return [] if done.returncode == 0 else [f"{what}: {done.stdout.decode()[:4000]}"]
