"""The installed library: a prefix that was moved builds the program of README.md in every way that users have."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from lib.program import ROOT, TENON

BUILD = pathlib.Path(TENON).parent
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
CMAKE = """cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES {language})
find_package(Tenon 0.1 REQUIRED)
add_executable(program {source})
target_link_libraries(program PRIVATE {target})
add_custom_target(version ALL COMMAND Tenon::cli --version)
"""


def sample():
    """The C program of README.md, what it prints, and the file norm.ir that it reads."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- c (.*?) -->\n\n```c\n(.*?)```", text, re.S)
    norm = re.search(r"<!-- file norm.ir -->\n\n((?:    .*\n)+)", text)
    return found[2], found[1], re.sub(r"(?m)^    ", "", norm[1])


class Installed:
    def __init__(self, work):
        self.work = pathlib.Path(work)
        self.prefix = self.work / "moved here"
        self.failed = 0
        staged = self.work / "first"
        self.run("cmake", "--install", BUILD, "--prefix", staged)
        staged.rename(self.prefix)
        found = list(self.prefix.rglob("tenon.pc"))
        self.lib = found[0].parent.parent
        self.env = {**os.environ, "PKG_CONFIG_PATH": str(found[0].parent), "LD_LIBRARY_PATH": str(self.lib)}
        self.env.pop("TENON_LLVM_PLUGIN", None)
        text, self.want, norm = sample()
        (self.work / "norm.ir").write_text(norm, encoding="utf-8")
        for name in ("net.c", "net.cc"):
            (self.work / name).write_text(text, encoding="utf-8")

    def run(self, *command, env=None):
        done = subprocess.run([str(c) for c in command], cwd=self.work, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}")
        return done.stdout

    def flags(self, *options):
        # Arguments of pkg-config are for a shell: the prefix has a space in its name.
        return shlex.split(self.run("pkg-config", *options, "tenon", env=self.env))

    def check(self, name, build, static=False):
        env = dict(self.env)
        if static:  # such a program knows only where the library was installed first
            path = self.run("pkg-config", "--variable=pluginpath", "tenon", env=self.env).strip()
            env["TENON_LLVM_PLUGIN"] = path.replace("\\", "") + "/libtenon-llvm.so"
        try:
            got = self.run(build(), env=env).strip()
            why = "" if got == self.want else f": it prints {got}"
        except RuntimeError as error:
            why = f": {error}"
        print(f"{'FAILED' if why else 'ok    '}  {name}{why}")
        self.failed += bool(why)

    def with_pkg_config(self, compiler, source, *options, static=False):
        out = self.work / "a.out"
        link = ["--static"] if static else []
        libs = self.flags("--libs", *link)
        if static:  # the archive, where the linker would take the shared library
            libs = ["-l:libtenon.a" if flag == "-ltenon" else flag for flag in libs]
        self.run(compiler, *options, *WARNINGS, *self.flags("--cflags"), source, *libs, "-Wl,-z,defs",
                 "-o", out)
        needs = self.run("objdump", "-p", out)
        if ("libtenon" in needs) == static or (not static and "libtenon.so.0.1" not in needs):
            raise RuntimeError(needs)
        return out

    def with_cmake(self, language, compiler, source, target):
        project = self.work / f"cmake-{language}-{target}".replace(":", "")
        project.mkdir()
        (project / "CMakeLists.txt").write_text(CMAKE.format(
            language=language, source=f"../{source}", target=target), encoding="utf-8")
        self.run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja",
                 f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_{language}_COMPILER={compiler}")
        self.run("cmake", "--build", project / "build")
        return project / "build/program"


def files_are_there(at):
    """The private module is where the library looks for it, and only versioned names are exported."""
    faults = []
    if (BUILD / "libtenon-llvm.so").exists():
        if not (at.lib / "tenon/libtenon-llvm.so").exists():
            faults.append("no lib/tenon/libtenon-llvm.so")
        (at.work / "p.ir").write_text('%0 = Input () {name="x"} : tensor<f32>[4]\n%1 = Exp (%0) : tensor<f32>[4]\n'
                                      "outputs: %1\n", encoding="utf-8")
        said = at.run(at.prefix / "bin/tenon", "run", "p.ir", "--random", "1", "--print",
                      env={**at.env, "TENON_CACHE_DIR": str(at.work / "cache")})
        if "BackendUnavailable" in said:
            faults.append(said)
    for line in at.run("objdump", "-T", at.lib / "libtenon.so").splitlines():
        fields = line.split()
        if ".text" in fields and "TENON_0.1" not in fields:
            faults.append(f"exported without its version: {line}")
    return faults


def main():
    if not (BUILD / "libtenon.so").exists() or not shutil.which("cmake") or not shutil.which("pkg-config"):
        print("skipped: there is no shared library, no cmake or no pkg-config")
        return 0
    with tempfile.TemporaryDirectory() as work:
        at = Installed(work)
        for fault in files_are_there(at):
            print("FAILED ", fault)
            at.failed += 1
        for c, cxx in (("gcc", "g++"), ("clang", "clang++")):
            if not shutil.which(c) or not shutil.which(cxx):
                continue
            at.check(f"pkg-config, {c}", lambda: at.with_pkg_config(c, "net.c", "-std=c11"))
            at.check(f"pkg-config --static, {c}", lambda: at.with_pkg_config(c, "net.c", "-std=c17", static=True),
                     static=True)
            at.check(f"pkg-config, {cxx}", lambda: at.with_pkg_config(cxx, "net.cc", "-std=c++17"))
        for target in ("Tenon::tenon", "Tenon::tenon_static"):
            static = target.endswith("static")
            at.check(f"CMake, {target}", lambda: at.with_cmake("C", "gcc", "net.c", target), static)
            at.check(f"CMake, C++, {target}", lambda: at.with_cmake("CXX", "clang++", "net.cc", target), static)
        return 1 if at.failed else 0


if __name__ == "__main__":
    sys.exit(main())
