"""Vectors that registers have no room for lie at aligned places: else some would be in two lines, or in two pages, as the stack happens to be."""
import pathlib
import re
import sys
import tempfile

from lib.program import tenon

# So many values at a time that vectors of every width are spilled.
NORMAL = """func @main() -> tensor<f32, 4096> {
  %y = rng_normal() -> tensor<f32, 4096>
  return %y
}
"""
STORE = re.compile(r"\tvmov(\w+)\t%[yz]mm\d+, -?\d*\(%r[sb]p\)")


def main():
    faults = []
    with tempfile.TemporaryDirectory() as name:
        source, out = pathlib.Path(name) / "normal.ptir", pathlib.Path(name) / "normal.s"
        source.write_text(NORMAL)
        for cpu in ("x86-64-v3", "x86-64-v4"):
            tenon("compile", source, "-o", out, "--target", "x86_64-linux-gnu", "--cpu", cpu)
            kinds = STORE.findall(out.read_text())
            faults += [] if kinds else [f"{cpu}: no vector is spilled, so nothing is tested"]
            faults += [f"{cpu}: vmov{kind} spills a vector" for kind in kinds if not kind.startswith(("aps", "apd", "dqa"))]
    print("\n".join(faults) or "all is well")
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main())
