"""No argument list holds two calls whose order matters: C leaves it to the compiler which runs first.

    check_order.py ROOT

A call changes things when the function's first parameter points to a type that is not const; a static function counts
in its own file, before one of that name elsewhere. Two arguments of one call may not both hold such calls on the same
type: what builds instructions or nodes would number them differently with gcc and clang. Every such place in ROOT/src is
printed, but for the folders FREE: they build loop programs, whose instructions get their order in src/loop/ir/order.c.
"""
import pathlib
import re
import sys

FREE = ("src/loop", "src/scalar")
WORDS = {"if", "for", "while", "switch", "return", "sizeof", "defined", "else", "do", "case"}
TOKEN = re.compile(r"""\s+|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|
                       \d[\w.]*|->|[^\w\s]""", re.S | re.X)
# A declaration or definition, which is never indented; the name may stand on the line behind its type.
FUNCTION = re.compile(r"^(?![#\s]|typedef\b)([\w *\n]*?)\b([a-z]\w*)\s*\(\s*((?:const\s+)?)(?:struct\s+)?"
                      r"([a-z]\w*)\s*\*\s*(?!const)\w*\s*[,)]", re.M)
# Functions that tables declare: what build.h makes of each row.
ROW = re.compile(r"^TN_(?:UNARY|BINARY)\((\w+),", re.M)
# What may change in any order: memory is taken, texts are copied.
PLAIN = {"arena", "char", "void", "bool", "double", "float", "int", "FILE", "size_t", "uint8_t", "uint32_t",
         "int64_t", "uint64_t", "int32_t", "uint16_t"}


def tokens(text):
    """(line, token) without blanks, comments and preprocessor lines."""
    text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: "\n" * m[0].count("\n"), text, flags=re.M)
    line, out = 1, []
    for found in TOKEN.finditer(text):
        word = found[0]
        if not word.isspace() and not word.startswith(("//", "/*")):
            out.append((line, word))
        line += word.count("\n")
    return out


def changing(text):
    """The functions of a file, those that all see and its own: by name the type of what the first parameter
    lets a function change, or None."""
    shared, own = {}, {}
    for before, name, const, of in FUNCTION.findall(text):
        if name not in WORDS and "return" not in before.split():
            changes = None if const or of in PLAIN else of
            (own if "static" in before.split() else shared)[name] = changes
    return shared, own


def faults(text, functions):
    """(line, function called, type) of each argument list with two such calls."""
    out, stack = [], []  # of open brackets: (called or None, line, [types by argument])
    before = (0, "")
    for line, word in tokens(text):
        if word == "(":
            name = before[1] if re.fullmatch(r"[A-Za-z_]\w*", before[1]) else None
            stack.append((None if name in WORDS else name, line, [set()]))
        elif word in "[{":
            stack.append((None, line, [set()]))
        elif word in ")]}" and stack:
            called, at, arguments = stack.pop()
            if called:
                seen = set()
                for types in arguments:
                    for t in sorted(types & seen):
                        out.append((at, called, t))
                    seen |= types
            inside = set().union(*arguments)
            if functions.get(called):
                inside.add(functions[called])
            if stack and word == ")":
                stack[-1][2][-1].update(inside)
        elif word == "," and stack:
            stack[-1][2].append(set())
        elif word == ";" and stack and stack[-1][0] is None:
            stack[-1][2][:] = [set()]
        before = (line, word)
    return out


def main():
    root = pathlib.Path(sys.argv[1])
    paths = sorted((root / "src").rglob("*.[ch]"))
    sources = {p: p.read_text(encoding="utf-8") for p in paths}
    public = [p.read_text(encoding="utf-8") for p in (root / "include").rglob("*.h")]
    shared = {}
    for text in [*sources.values(), *public]:
        shared |= changing(text)[0]
    for path in (root / "include").rglob("*.def"):
        shared |= dict.fromkeys(ROW.findall(path.read_text(encoding="utf-8")), "tn_builder")
    for path, text in sources.items():
        shared |= changing(text)[1] if path.suffix == ".h" else {}
    n = 0
    for path, text in sources.items():
        functions = shared | (changing(text)[1] if path.suffix == ".c" else {})
        if path.relative_to(root).as_posix().startswith(FREE):
            continue
        for line, called, of in sorted(set(faults(text, functions))):
            print(f"{path.relative_to(root)}:{line}: arguments of '{called}' change '{of}' in no "
                  "certain order")
            n += 1
    print(f"{len(paths)} files, {n} argument lists whose order is not certain")
    return n > 0


if __name__ == "__main__":
    sys.exit(main())
