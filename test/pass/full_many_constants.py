"""fold-pure looks at every node a few times, however many there are: constants that are transposed, and others that are widened for
products, of which each is asked who else takes it."""
import pathlib
import sys
import tempfile

from lib.program import tenon

COUNT = 120000
LIMIT = 200  # seconds; it needs three, and would need more if it looked at every node for each


def program(made, to):
    """COUNT constants of three numbers, each of which becomes another by MADE, of type TO."""
    lines = [f"  %c{i} = constant value[1, 2, {i % 99}] -> tensor<si8, 1x3>\n  %t{i} = {made}(%c{i}) -> {to}"
             for i in range(COUNT)]
    names = ", ".join(f"%t{i}" for i in range(COUNT))
    result = to.replace("3x1", f"{3 * COUNT}x1").replace("1x3", f"{COUNT}x3")
    body = "\n".join(lines)
    return f"func @main() -> {result} {{\n{body}\n  %all = concat({names}) axis[0] -> {result}\n  return %all\n}}\n"


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "p.ptir")
        for made, to in (("transpose", "tensor<si8, 3x1>"), ("cast", "tensor<si16, 1x3>")):
            text = program(made, to)
            path.write_text(text.replace(f") -> {to}", f") perm[1, 0] -> {to}") if made == "transpose" else text)
            folded = tenon("opt", path, "--passes", "fold-pure,dce", timeout=LIMIT).stdout
            assert made not in folded, folded[:1000]
    return 0


if __name__ == "__main__":
    sys.exit(main())
