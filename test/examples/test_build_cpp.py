"""Compiles a program that uses tenon/build.h, as C11 and as C++17, and runs it where the shared
library was built."""
import pathlib
import shutil
import subprocess
import tempfile

from lib.program import ROOT, TENON

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Werror"]

# Valid in both languages.
PROGRAM = r"""
#include <stdio.h>
#include "tenon/files.h"
#include "tenon/forms.h"

int main(void)
{
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_builder *b = tn_builder_new(cx);
    int64_t rows = tn_dim(b, "rows");
    tn_value x = tn_input(b, "x", TN_F32, TN_INTS(rows, 4));
    tn_value two = tn_concat(b, TN_VALUES(x, tn_neg(b, x)), 1);
    tn_value y = tn_reshape(b, tn_sum(b, two, tn_all_axes(), false), TN_INTS());
    tn_ints none = TN_INTS();
    tn_module *m;
    tn_status s = tn_builder_finish(b, &y, 1, &m);
    printf("%d %d %d\n", (int)s, (int)none.n, m ? (int)tn_module_input_count(m) : -1);
    tn_module_free(m);
    tn_context_free(cx);
    return 0;
}
"""


def main():
    results = []
    library = pathlib.Path(TENON).parent / "libtenon.so"
    with tempfile.TemporaryDirectory() as folder:
        for language, standard, compilers in [("c", "c11", ["cc", "gcc", "clang"]),
                                              ("c++", "c++17", ["c++", "g++", "clang++"])]:
            compiler = next((c for c in compilers if shutil.which(c)), None)
            if not compiler:
                continue
            program = pathlib.Path(folder) / f"program-{standard}"
            run_too = library and library.exists()
            command = [compiler, "-x", language, f"-std={standard}", *WARNINGS,
                       f"-I{ROOT / 'include'}", "-"]
            command += ["-o", str(program), str(library),
                        f"-Wl,-rpath,{library.parent}"] if run_too else ["-fsyntax-only"]
            if run_too:  # the library is no source text
                command[command.index("-") + 3:command.index("-") + 3] = ["-x", "none"]
            done = subprocess.run(command, input=PROGRAM, text=True)
            results.append(done.returncode == 0)
            if results[-1] and run_too:
                said = subprocess.run([str(program)], capture_output=True, text=True).stdout
                results.append(said == "0 0 1\n")
                if not results[-1]:
                    print(f"{standard}: the program says {said!r}")
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
