"""kill -9 at any moment of a command that writes files: none under a final name is ever partial, the next run gives the same
results, and what is left over does not pile up. TIMES=N kills N times each (200)."""
import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

from faults.sweep_faults import NET, PROGRAM, is_entry
from lib.program import HANG, TENON

TIMES = int(os.environ.get("TIMES", "200"))
ONE = ("--threads", "1")
TRAIN = ("train", "net.ir", "--wrt", "w", "--data", "seen.npz", "--batch", "4", "--steps", "12", "--checkpoint", "o/ck", "--every", "1", "--keep", "2",
         "--output", "o/w.npz", *ONE)
COMMANDS = {
    "run": ("run", "p.ir", "--random", "1", "--output", "o/r", *ONE),
    "run-npz": ("run", "p.ir", "--random", "1", "--output", "o/r.npz", *ONE),
    "compile-so": ("compile", "p.ir", "-o", "o/p.so"),
    "compile-c": ("compile", "p.ir", "-o", "o/p.c"),
    "train": (*TRAIN, "--resume"),
}


def written(folder):
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


class Check:
    def __init__(self, folder, name):
        self.folder, self.name, self.kills, self.killed = folder, name, 0, 0
        self.random = random.Random(name)
        (folder / "p.ir").write_text(PROGRAM, encoding="utf-8")
        (folder / "net.ir").write_text(NET, encoding="utf-8")
        np.savez(folder / "seen.npz", x=np.arange(24, dtype=np.float32).reshape(8, 3))
        (folder / "cache").mkdir(mode=0o700)

    def start(self):
        return subprocess.Popen([TENON, *COMMANDS[self.name]], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, env={**os.environ, "TENON_CACHE_DIR": str(self.folder / "cache")})

    def clear(self, *tops):
        for top in tops:
            shutil.rmtree(self.folder / top, ignore_errors=True)
            (self.folder / top).mkdir(mode=0o700)

    def whole(self):
        """What a run that is let go on writes."""
        process = self.start()
        _, said = process.communicate(timeout=HANG)
        assert process.returncode == 0, (self.name, process.returncode, said.decode(errors="replace")[-2000:])
        return written(self.folder / "o")

    def once(self, seconds, want):
        """Kill it after so many SECONDS; what is there then must be whole, or not be there."""
        process = self.start()
        time.sleep(seconds)
        process.kill()
        process.communicate()
        self.kills += 1
        self.killed += process.returncode != 0
        for path, digest in written(self.folder / "o").items():
            if ".tenon-" not in path and path in want and digest != want[path]:
                return f"{path} is partial"
        return None

    def run(self):
        self.clear("o", "cache")
        begin = time.monotonic()
        want = self.whole()
        length = time.monotonic() - begin
        if self.name == "train":  # every checkpoint, also those that are removed later
            self.clear("o")
            keep = COMMANDS["train"]
            COMMANDS["train"] = tuple("100" if word == "2" and keep[k - 1] == "--keep" else word for k, word in enumerate(keep))
            every = self.whole()
            COMMANDS["train"] = keep
        else:
            every = want
        self.clear("o", "cache")
        for _ in range(TIMES):
            if self.random.random() < 0.3:
                self.clear("cache")  # so that code is made anew
            fault = self.once(self.random.random() * length, every)
            for path in sorted((self.folder / "cache").rglob("*.o")):
                if not is_entry(path.read_bytes()):  # which may hold other code than that of the first run: see sweep_faults.compared
                    fault = f"{path.name} of the cache is partial"
            if fault:
                return fault
            if self.name == "train" and (self.folder / "o/w.npz").exists():
                self.clear("o")
        last = self.whole()
        left = [path for path in (*last, *written(self.folder / "cache")) if ".tenon-" in path]
        if left:
            return f"{len(left)} temporary files are left: {left}"
        last = {path: digest for path, digest in last.items() if ".tenon-" not in path}
        if last != want:
            return f"a run afterwards writes something else: {sorted(set(last.items()) ^ set(want.items()))}"
        return None


def main():
    kills = killed = 0
    failed = False
    for name in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            check = Check(pathlib.Path(folder), name)
            fault = check.run()
            kills, killed = kills + check.kills, killed + check.killed
            if fault:
                failed = True
                print(f"FAILED {name}: {fault}")
    print(f"{kills} runs, {killed} of them killed before they ended")
    return failed or killed == 0


if __name__ == "__main__":
    sys.exit(main())
