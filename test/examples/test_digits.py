"""The digits example: its answers, its accuracy, and what its demonstration prints."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from lib.program import ROOT, TENON

sys.path.insert(0, str(ROOT / "examples/digits"))
import npy  # noqa: E402

RIGHT, JUDGED = 807, 898  # nearest mean in exact arithmetic gives the same


def nearest_mean():
    """The answers in plain Python, from the integers of the data."""
    _, images = npy.read(ROOT / "examples/digits/data/images.npy")
    _, labels = npy.read(ROOT / "examples/digits/data/labels.npy")
    rows = [images[i:i + 64] for i in range(0, len(images), 64)]
    means = []
    for digit in range(10):
        mine = [rows[i] for i in range(0, len(rows), 2) if labels[i] == digit]
        means.append([sum(column) / len(mine) for column in zip(*mine)])
    answers = []
    for row in rows[1::2]:
        distances = [sum((p - q) ** 2 for p, q in zip(row, mean)) for mean in means]
        answers.append(distances.index(min(distances)))
    return answers, labels[1::2]


def check(name, good, detail=""):
    print(("ok      " if good else "FAILED  ") + name + (f": {detail}" if not good else ""))
    return bool(good)


def main():
    results = []
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([str(ROOT / "examples/digits/demo.sh")], text=True,
                              env=dict(os.environ, TENON=TENON, WORK=work),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        results.append(check("the demonstration runs", done.returncode == 0, done.stdout))
        results.append(check("it states the accuracy",
                             f"accuracy: {RIGHT} of {JUDGED} = 89.9 %" in done.stdout, done.stdout))
        results.append(check("it shows the rejected program",
                             "broken.ir:4:10: error: " in done.stdout and "[E3003]" in done.stdout,
                             done.stdout))
        unseen = (re.findall(r"after step .* on 898 samples, ([0-9.]+) % right", done.stdout)[-1:] +
                  re.findall(r"never seen: \d+ of 898 right, ([0-9.]+) %", done.stdout))
        results.append(check("both trainings get 96 % of the unseen images right",
                             len(unseen) == 2 and all(float(u) >= 96 for u in unseen), unseen))
        results.append(check("where there is no terminal there are ten lines and no bars",
                             "\r" not in done.stdout and
                             len(re.findall(r"(?m)^step +\d+ of \d+, loss", done.stdout)) == 10, done.stdout))
        scores = pathlib.Path(work) / "0.npy"
        if results[0]:
            (count, _), flat = npy.read(scores)
            rows = [flat[i * 10:i * 10 + 10] for i in range(count)]
            got = [row.index(max(row)) for row in rows]
            want, truth = nearest_mean()
            results.append(check("every answer is that of plain Python", got == want,
                                 [i for i in range(count) if got[i] != want[i]]))
            right = sum(g == t for g, t in zip(got, truth))
            results.append(check("the accuracy is what it was", (right, count) == (RIGHT, JUDGED),
                                 (right, count)))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
