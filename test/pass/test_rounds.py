"""The passes of a level end when a round changes nothing, also where a pass tried something in vain."""
import json
import pathlib
import sys
import tempfile

from lib.program import tenon

# Each has something to simplify: a node that nothing needs. A sum of squares is no use as a dot_general, a product of
# matrices is.
PROGRAMS = {"squares": """func @main(%a: tensor<f32, 40x64>) -> tensor<f32, 40> {
  %d = neg(%a) -> tensor<f32, 40x64>
  %p = mul(%a, %a) -> tensor<f32, 40x64>
  %s = reduce_sum(%p) axes[1] -> tensor<f32, 40>
  return %s
}
""", "matrices": """func @main(%a: tensor<f32, 64x64>, %b: tensor<f32, 64x64>) -> tensor<f32, 64x64> {
  %d = neg(%a) -> tensor<f32, 64x64>
  %c = reshape(%a) new_shape[64, 1, 64] -> tensor<f32, 64x1x64>
  %v = broadcast_to(%c) result_shape[64, 64, 64] -> tensor<f32, 64x64x64>
  %w = broadcast_to(%b) result_shape[64, 64, 64] -> tensor<f32, 64x64x64>
  %p = mul(%v, %w) -> tensor<f32, 64x64x64>
  %s = reduce_sum(%p) axes[2] -> tensor<f32, 64x64>
  return %s
}
"""}
MOST = 3  # rounds: one that simplifies, one that simplifies what the first made, one that finds nothing


def rounds(folder, text):
    program, report = folder / "program.ptir", folder / "report.json"
    program.write_text(text)
    tenon("report", program, "--random", "1", "--json", "-o", report)
    passes = json.loads(report.read_text())["passes"]
    return sum(p["pass"] == "canonicalize" for p in passes)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in PROGRAMS.items():
            n = rounds(pathlib.Path(folder), text)
            if n > MOST:
                print(f"{name}: {n} rounds")
                failed += 1
    print(f"{len(PROGRAMS) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
