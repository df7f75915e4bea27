"""Makes the program's inputs from the data: prepare.py FOLDER

Writes FOLDER/images.npy, all images as f32, and FOLDER/one_hot.npy, one row for each even-numbered
image with a 1 in the column of its digit; FOLDER/one_hot_all.npy, those of all images; and
FOLDER/seen.npz and FOLDER/unseen.npz with `images` and `one_hot` of the even-numbered images, to
learn from, and of the others.
"""
import pathlib
import sys
import zipfile

import npy

DATA = pathlib.Path(__file__).resolve().parent / "data"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    shape, images = npy.read(DATA / "images.npy")
    npy.write_f32(folder / "images.npy", shape, images)

    _, labels = npy.read(DATA / "labels.npy")
    learnt = labels[0::2]
    one_hot = [float(digit == label) for label in learnt for digit in range(10)]
    npy.write_f32(folder / "one_hot.npy", (len(learnt), 10), one_hot)

    every = [float(digit == label) for label in labels for digit in range(10)]
    npy.write_f32(folder / "one_hot_all.npy", (len(labels), 10), every)
    for name, first in (("seen", 0), ("unseen", 1)):
        kept = range(first, len(labels), 2)
        parts = {"images": (8, 8), "one_hot": (10,)}
        values = {"images": [images[64 * i:64 * i + 64] for i in kept], "one_hot": [every[10 * i:10 * i + 10] for i in kept]}
        with zipfile.ZipFile(folder / f"{name}.npz", "w") as archive:
            for part, row in parts.items():
                path = folder / f"{name}_{part}.npy"
                npy.write_f32(path, (len(kept), *row), [x for one in values[part] for x in one])
                archive.write(path, f"{part}.npy")
                path.unlink()
    print(f"{len(labels)} images of 8x8 pixels: {len(learnt)} to learn from, "
          f"{len(labels) - len(learnt)} to judge")


if __name__ == "__main__":
    main()
