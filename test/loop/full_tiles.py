"""Products of few rows and very many products each, whose results are as wide as the vectors of one block: there is
nothing to share out of them."""
from lib.every_way import differences_of_text, report


def program(m, k, n):
    x, y, z = (f"tensor<f32, {a}x{b}>" for a, b in ((m, k), (k, n), (m, n)))
    return f"func @main(%x: {x}, %y: {y}) -> {z} {{\n  %z = dot_general(%x, %y) batch_lhs[] batch_rhs[] contract_lhs[1] contract_rhs[0] -> {z}\n  return %z\n}}\n"


PROGRAMS = [program(m, k, n) for m, k, n in ((5, 16389, 64), (6, 16384, 64), (7, 12000, 70), (12, 9000, 64), (64, 3000, 64))]


if __name__ == "__main__":
    report([(text,) for text in PROGRAMS], differences_of_text)
