"""Differentiates an ONNX model: which pixels speak for a digit, and how few changes make the model see another one.

onnx_gradient.py [MODEL.onnx]

ONNX has no gradients, and a file of it no training code. `Module.grad` makes the program that computes them, which then
is compiled like any other.
"""
import pathlib
import sys

import numpy as np

import tenon

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent


def main() -> None:
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES / "onnx/digits.onnx"
    model = tenon.open(path, dims={"n": 1})
    # One program: what the model computes, and the gradient of its output `confidence` by the image.
    both = model.grad(wrt=["image"], loss="confidence", seed=1).compile()
    image = np.load(EXAMPLES / "digits/data/images.npy")[3].reshape(1, 64).astype(np.float32) / 16

    probabilities, confidence, gradient = both(image)
    first = int(np.asarray(probabilities).argmax())
    print(f"a {first}, with confidence {float(confidence[0]):.3f}; a darker pixel would")
    print("make it more (+) or less (-):")
    for row in np.asarray(gradient).reshape(8, 8):
        print(" ".join("+" if g > 0.005 else "-" if g < -0.005 else "." for g in row))

    for step in range(1, 17):  # against the gradient, by at most one step of grey in every pixel
        image = np.clip(image - np.sign(np.asarray(gradient)) / np.float32(16), 0, 1)
        probabilities, confidence, gradient = both(image)
        seen = int(np.asarray(probabilities).argmax())
        if seen != first:
            print(f"{step} steps of grey make it a {seen}")
            return
    print("it still sees the same")


if __name__ == "__main__":
    main()
