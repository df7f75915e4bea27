"""A script that tests nothing says so in the line that `tools/test.py` shows, `skipped: ...`, and not in words of its own."""
import ast
import pathlib
import re
import unittest

TEST = pathlib.Path(__file__).resolve().parent.parent
GOOD_END = re.compile(r"return (0|False)$|exit\(0?\)$", re.M)  # what is worth taking apart


def is_good_end(statement):
    """`return 0`, `return False` or `sys.exit(0)`."""
    if isinstance(statement, ast.Return):
        return isinstance(statement.value, ast.Constant) and statement.value.value == 0
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call) in ("sys.exit()", "sys.exit(0)", "exit(0)")


def said(statements):
    """How the lines begin that these print."""
    for statement in statements:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != "print" or not call.args:
            continue
        text = call.args[0].values[0] if isinstance(call.args[0], ast.JoinedStr) else call.args[0]
        if isinstance(text, ast.Constant):
            yield str(text.value)


def silent_ends(tree):
    """The lines where a script ends well on a condition, has something to say, and does not call it skipped."""
    for node in ast.walk(tree):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)) if isinstance(node, (ast.If, ast.ExceptHandler)) else ():
            if block and is_good_end(block[-1]):
                texts = list(said(block))
                if texts and not any(text.startswith("skipped: ") for text in texts):
                    yield block[-1].lineno


class Skips(unittest.TestCase):
    def test_scripts(self):
        scripts = sorted(TEST.rglob("*.py"))
        self.assertGreater(len(scripts), 50)
        texts = [(path.relative_to(TEST), path.read_text(encoding="utf-8")) for path in scripts]
        found = [f"{path}:{line}" for path, text in texts if GOOD_END.search(text) for line in silent_ends(ast.parse(text))]
        self.assertEqual(found, [])

    def test_rule(self):
        for block, lines in (("print('there is no x')\n    sys.exit(0)", [3]), ("print('skipped: there is no x')\n    sys.exit(0)", []),
                             ("print('skipped: no x')\n    print('0 passed, 0 failed')\n    sys.exit(0)", []), ("sys.exit(0)", []),
                             ("print('wrong')\n    sys.exit(1)", [])):
            self.assertEqual(list(silent_ends(ast.parse(f"if x:\n    {block}\n"))), lines, block)


if __name__ == "__main__":
    unittest.main()
