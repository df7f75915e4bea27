"""Judges what classify.ir computed: show.py FOLDER, where `tenon run --output FOLDER` wrote."""
import pathlib
import sys

import npy

DATA = pathlib.Path(__file__).resolve().parent / "data"
SHADES = " .:-=+*#%@"


def picture(pixels, most=16.0):
    """Eight lines of text for 64 pixels; each is drawn twice as wide as high."""
    last = len(SHADES) - 1
    shade = [SHADES[min(last, int(p / most * last + 0.5))] * 2 for p in pixels]
    return ["".join(shade[row:row + 8]) for row in range(0, 64, 8)]


def side_by_side(pictures, titles):
    print("  ".join(f"{t:^16}" for t in titles).rstrip())
    for rows in zip(*pictures):
        print("  ".join(rows).rstrip())
    print()


def main():
    folder = pathlib.Path(sys.argv[1])
    (count, _), scores = npy.read(folder / "0.npy")
    _, means = npy.read(folder / "1.npy")
    _, images = npy.read(DATA / "images.npy")
    _, labels = npy.read(DATA / "labels.npy")
    images = [images[i * 64:i * 64 + 64] for i in range(1, len(labels), 2)]
    truth = labels[1::2]
    rows = [scores[i * 10:i * 10 + 10] for i in range(count)]
    answers = [row.index(max(row)) for row in rows]

    print("What it learnt: the mean of each digit\n")
    means = [picture(means[d * 64:d * 64 + 64]) for d in range(10)]
    side_by_side(means[:5], range(5))
    side_by_side(means[5:], range(5, 10))

    print("Four images it had not seen, and one that it got wrong\n")
    wrong = [i for i in range(count) if answers[i] != truth[i]]
    chosen = [next(i for i in range(count) if truth[i] == digit == answers[i])
              for digit in (2, 4, 7, 8)] + wrong[:1]
    side_by_side([picture(images[i]) for i in chosen],
                 [f"{truth[i]}, says {answers[i]}" for i in chosen])

    print("Images of each digit (rows) by answer (columns)\n")
    print("      " + "".join(f"{d:4}" for d in range(10)) + "   right")
    for digit in range(10):
        found = [sum(t == digit and a == answer for t, a in zip(truth, answers))
                 for answer in range(10)]
        line = "".join(f"{n:4}" if n else "   ." for n in found)
        print(f"  {digit} : {line}   {100 * found[digit] / sum(found):4.0f} %")
    right = count - len(wrong)
    print(f"\naccuracy: {right} of {count} = {100 * right / count:.1f} %")


if __name__ == "__main__":
    main()
