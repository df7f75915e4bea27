"""The checks in tools/ find what they are there to find, and leave the rest alone."""
import pathlib
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
failures = 0


def expect(name, ok, output):
    global failures
    if not ok:
        failures += 1
        print(f"failed: {name}\n{output}")


def check(tool, *args):
    done = subprocess.run([sys.executable, TOOLS / tool, *map(str, args)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def layers(root):
    accepted = {
        "graph/a.h": '#include "base/text/b.h"\n#include "tenon/types.h"\n#include <stdio.h>\n',
        "graph/table.h": '#include "table.def"\n',
        "graph/table.def": "ROW(a)\n",
        "dialect/mind/read.c": '#include "dialect/common.h"\n#include "dialect/mind/read.h"\n',
        "io/npy.c": '#include "scalar/dtype.h"\n',
        "target/llvm/emit.c": "#include <llvm-c/Core.h>\n",
        "loop/nest/a.c": '#include "loop/ir/loop.h"\n',
        "api/api.h": '#include "base/text/b.h"\n#include "tenon/types.h"\n',
        "cli/main.c": '#include <stdio.h>\n#include "cli/session/cli.h"\n#include "tenon/tenon.h"\n',
    }
    refused = {
        "base/memory/side.h": ('#include "base/text/b.h"\n', ":1:"),
        "base/text/up.h": ('#include "graph/a.h"\n', ":1:"),
        "io/side.c": ('\n#include "graph/a.h"\n', ":2:"),
        "runtime/side.c": ('# include "ops/a.h"\n', ":1:"),
        "dialect/mind/other.c": ('#include "dialect/tiny/read.h"\n', ":1:"),
        "loop/ir/llvm.c": ("#include <llvm-c/Core.h>\n", ":1:"),
        "graph/unrooted.c": ('#include "memory.h"\n', ":1:"),
        "loop/ir/up.c": ('#include "loop/nest/nest.h"\n', ":1:"),
        "cli/session/side.c": ('#include "cli/commands/a.h"\n', ":1:"),
        "cli/deep.c": ('#include "tenon/tenon.h"\n#include "api/api.h"\n', ":2:"),
        "cli/handy.c": ('#include "base/text/text.h"\n', ":1:"),
        "helpers/b.c": ("", "in no room"),
        "pass/main.c": ("", "the same name"),
    }

    def write(name, text):
        path = root / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    for name, text in accepted.items():
        write(name, text)
    status, output = check("check_layers.py", root)
    expect("layers accepts", status == 0, output)
    for name, (text, place) in refused.items():
        path = write(name, text)
        status, output = check("check_layers.py", root)
        expect(f"layers refuses {name}", status == 1 and f"{path}:" in output and
               place in output and " 1 faults" in output, output)
        path.unlink()

    (root / "objects/src/base/text").mkdir(parents=True)
    (root / "objects/src/graph").mkdir(parents=True)
    graph = compile_object(root / "objects/src/graph", "int graph_f(int i) { return i; }", "a.c.o")
    base = "int graph_f(int); int base_f(int i) { return graph_f(i); }"
    objects = [graph, compile_object(root / "objects/src/base/text", base, "b.c.o")]
    status, output = check("check_layers.py", root, "--objects", *objects)
    expect("layers refuses a symbol from below", status == 1 and "takes graph_f" in output, output)

    (root / "objects/src/api").mkdir()
    (root / "objects/src/cli").mkdir()
    api = compile_object(root / "objects/src/api", "int tn_f(int i) { return i; } int api_f(int i) { return i; }",
                         "f.c.o")
    public = compile_object(root / "objects/src/cli", "int tn_f(int); int run(int i) { return tn_f(i); }", "main.c.o")
    status, output = check("check_layers.py", root, "--objects", api, public)
    expect("layers accepts a public function in the command line", status == 0, output)
    inner = compile_object(root / "objects/src/cli", "int api_f(int); int run(int i) { return api_f(i); }", "inner.c.o")
    status, output = check("check_layers.py", root, "--objects", api, inner)
    expect("layers refuses another one", status == 1 and "takes api_f" in output and "not public" in output, output)


def compile_object(folder, text, name="object.o"):
    path = folder / name
    subprocess.run(["cc", "-fPIC", "-O1", "-w", "-c", "-x", "c", "-", "-o", path], input=text,
                   text=True, check=True)
    return path


def global_symbols(folder):
    accepted = """#include <stdio.h>
        const char *const names[] = {"a", "b"};
        static const int numbers[] = {1, 2};
        int tn_f(FILE *to, int i) { return fprintf(to, "%s %d", names[i], numbers[i]); }"""
    status, output = check("check_globals.py", "--objects", compile_object(folder, accepted))
    expect("globals accepts", status == 0, output)
    refused = {
        "counter": "int counter;",
        "start": "int start = 4;",
        "once": "int tn_f(void) { static int once; return once++; }",
        "per_thread": "_Thread_local int per_thread;",
        "names": 'const char *names[] = {"a"};',
        "exit": "void exit(int); void tn_f(void) { exit(1); }",
        "abort": "void abort(void); void tn_f(void) { abort(); }",
        "printf": '#include <stdio.h>\nvoid tn_f(int i) { printf("%d", i); }',
        "strtod": "#include <stdlib.h>\ndouble tn_f(char *s) { return strtod(s, 0); }",
    }
    for name, text in refused.items():
        status, output = check("check_globals.py", "--objects", compile_object(folder, text))
        expect(f"globals refuses {name}", status == 1 and name in output, output)
    shared = folder / "lib.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", shared], text=True, check=True,
                   input="int tn_good(void) { return 1; } int other(void) { return 1; }")
    status, output = check("check_globals.py", "--exports", shared, "--objects",
                           compile_object(folder, accepted))
    expect("globals refuses exports", status == 1 and "'other'" in output and
           "tn_good" not in output, output)


def order(root):
    """Names of static functions are those of their file, and tables declare functions, too."""
    (root / "src/pass").mkdir(parents=True)
    (root / "include").mkdir()
    (root / "include/rows.def").write_text("TN_UNARY(tn_neg, NEG)\n")
    (root / "src/pass/plain.c").write_text("static int put(int x)\n{\n    return x;\n}\n")
    path = root / "src/pass/use.c"
    own = "static int put(maker *m, int x)\n{\n    return x;\n}\n"
    for name, text, want in (
            ("own", own + "int f(maker *m)\n{\n    return two(put(m, 1), put(m, 2));\n}\n", 1),
            ("another file's", "int f(maker *m)\n{\n    return two(put(1), put(2));\n}\n", 0),
            ("own, in two lines", own.replace("int put", "int\nput") + "int f(maker *m)\n{\n    return two(put(m, 1), put(m, 2));\n}\n", 1),
            ("a product", "int f(int n, int m)\n{\n    return\n        put(n * m) + two(put(n * m), put(n * m));\n}\n", 0),
            ("own, const", own.replace("maker", "const maker") + "int f(maker *m)\n{\n    return two(put(m, 1), put(m, 2));\n}\n", 0),
            ("a table's", "int f(tn_builder *b)\n{\n    return two(tn_neg(b, 1), tn_neg(b, 2));\n}\n", 1)):
        path.write_text(text)
        status, output = check("check_order.py", root)
        expect(f"order, {name}", status == want and ("use.c:" in output) == (want == 1), output)


def headers(root):
    texts = {
        "good.h": ("#ifndef TN_GOOD_H\n#define TN_GOOD_H\n#include <stddef.h>\n"
                   "typedef struct tn_a { size_t n; } tn_a;\n#endif\n", 0),
        "unguarded.h": ("typedef struct tn_b { int n; } tn_b;\n", 1),
        "needs.h": ("size_t tn_count(void);\n", 1),
        "c_only.h": ("void tn_f(int class);\n", 1),
        "macro.h": ("#define LENGTH 4\n", 1),
    }
    for name, (text, want) in texts.items():
        (root / name).write_text(text)
        status, output = check("check_headers.py", root)
        expect(f"headers {name}", status == want, output)
        (root / name).unlink()


for run in (layers, global_symbols, order, headers):
    with tempfile.TemporaryDirectory() as folder:
        run(pathlib.Path(folder))
sys.exit(failures != 0)
