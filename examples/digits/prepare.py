"""Makes the program's inputs from the data: prepare.py FOLDER

Writes FOLDER/images.npy, all images as f32, and FOLDER/one_hot.npy, one row for each even-numbered
image with a 1 in the column of its digit; and FOLDER/digits.npz with `images` and the `one_hot`
rows of all images, for training.
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
    with zipfile.ZipFile(folder / "digits.npz", "w") as archive:
        archive.write(folder / "images.npy", "images.npy")
        archive.write(folder / "one_hot_all.npy", "one_hot.npy")
    print(f"{len(labels)} images of 8x8 pixels: {len(learnt)} to learn from, "
          f"{len(labels) - len(learnt)} to judge")


if __name__ == "__main__":
    main()
