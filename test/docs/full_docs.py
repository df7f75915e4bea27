"""The samples in README.md and the pages below docs/ are what the program does.

A comment of its own line stands before a block, indented or fenced, and says what the block is:

    <!-- file NAME -->          the text of a file that later commands of the page use
    <!-- copy PATH -->          stands for a file of the project, which is put into the folder under that path
    <!-- run ARGUMENTS -->      what `tenon ARGUMENTS` prints, standard error behind standard output;
                                a line `...` stands for any lines. The first may be the command, `$ tenon ARGUMENTS`
    <!-- fails N ARGUMENTS -->  the same with this exit status
    <!-- shell -->              commands that must succeed, one a line
    <!-- python -->             a program that must run with the package in python/
    <!-- c -->                  a program that must compile against the library, run and succeed

Commands run in an empty folder for each page. The library is that beside the program, or else the installed one, with its
headers and its package for Python.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from lib.program import ROOT, TENON

MARK = re.compile(r"<!-- (file|copy|run|fails|shell|python|c)\b ?(.*?) *-->")


BUILT = pathlib.Path(TENON).parent / "libtenon.so"


def installed():
    """Is the library installed, and the program to test not one of a build?"""
    found = shutil.which("pkg-config") and subprocess.run(["pkg-config", "--exists", "tenon"]).returncode == 0
    return found and TENON.startswith("/usr/")


def flags_of_c():
    """What a C program is built with."""
    if BUILT.exists():
        return [f"-I{ROOT / 'include'}", str(BUILT), f"-Wl,-rpath,{BUILT.parent}"]
    done = subprocess.run(["pkg-config", "--cflags", "--libs", "tenon"], capture_output=True, text=True, check=True)
    return shlex.split(done.stdout)


def block_after(lines, at):
    """The block that begins behind line AT, without its indentation or fences."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    if at < len(lines) and lines[at].startswith("```"):
        end = lines.index("```", at + 1)
        return lines[at + 1:end]
    block = []
    while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
        block.append(lines[at][4:])
        at += 1
    while block and not block[-1]:
        block.pop()
    return block


def samples(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines):
        mark = MARK.fullmatch(line.strip())
        if mark:
            yield i + 1, mark[1], mark[2], block_after(lines, i + 1)


def is_like(have, want):
    """Are the lines HAVE those WANT, where `...` stands for any?"""
    pattern = "\n".join(".*" if line.strip() == "..." else re.escape(line.rstrip()) for line in want)
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in have), re.DOTALL) is not None


class Page:
    def __init__(self, test, path, folder):
        self.test, self.path, self.folder = test, path, pathlib.Path(folder)
        # no home and no cache of the user's; `tenon` is the program to test
        self.env = {**os.environ, "PATH": f"{os.path.dirname(TENON)}:{os.environ['PATH']}"}

    def text_before(self, line):
        """The paragraph in front of the mark of a sample."""
        text = "\n".join(self.path.read_text(encoding="utf-8").splitlines()[:line - 1])
        return text.rstrip().rsplit("\n\n", 1)[-1]

    def check_shown(self, line, what, argument, block):
        """Marks are not seen: a reader finds the name of a file in the text, and a command there or in the block."""
        if what == "file":
            self.test.assertIn(argument, self.text_before(line), "no reader sees this name")
        elif what in ("run", "fails"):
            command = "tenon " + (argument if what == "run" else argument.split(" ", 1)[1])
            if not block[0].startswith("$ "):
                self.test.assertIn(f"`{command}`", self.text_before(line), "no reader sees this command")
            else:
                self.test.assertEqual(block[0], "$ " + command)
                return block[1:]
        return block

    def file(self, argument, block):
        (self.folder / argument).write_text("\n".join(block) + "\n", encoding="utf-8")

    def copy(self, argument, block):
        (self.folder / argument).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / argument, self.folder / argument)

    def run(self, argument, block, status=0):
        done = subprocess.run([TENON, *shlex.split(argument)], cwd=self.folder, env=self.env,
                              capture_output=True, text=True, timeout=300)
        out = done.stdout + done.stderr
        self.test.assertEqual(done.returncode, status, out)
        self.test.assertTrue(is_like(out.splitlines(), block), "it prints\n" + out)

    def fails(self, argument, block):
        status, rest = argument.split(" ", 1)
        self.run(rest, block, int(status))

    def shell(self, argument, block):
        for command in block:
            command = command.replace("build/release/tenon", TENON)
            done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.env,
                                  capture_output=True, text=True, timeout=300)
            self.test.assertEqual(done.returncode, 0, command + "\n" + done.stdout + done.stderr)

    def python(self, argument, block):
        env = self.env
        if BUILT.exists():
            env = {**env, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                   "TENON_LIBRARY": str(BUILT)}
        elif not installed():
            self.test.skipTest("no shared library beside the program")
        self.file("sample.py", block)
        done = subprocess.run([sys.executable, "sample.py"], cwd=self.folder, env=env, capture_output=True, text=True,
                              timeout=300)
        self.test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        if argument:
            self.test.assertEqual(done.stdout.strip(), argument)

    def c(self, argument, block):
        if not BUILT.exists() and not installed():
            self.test.skipTest("no shared library beside the program")
        self.file("sample.c", block)
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-D_POSIX_C_SOURCE=200809L",
                        "sample.c", *flags_of_c(), "-o", "sample"], cwd=self.folder, check=True, timeout=300)
        done = subprocess.run(["./sample"], cwd=self.folder, env=self.env, capture_output=True, text=True,
                              timeout=300)
        self.test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        if argument:
            self.test.assertEqual(done.stdout.strip(), argument)


def longer():
    """The pages whose samples train, compile and link."""
    return [ROOT / "docs/tutorial.md", *sorted((ROOT / "docs/howto").glob("*.md"))]


def check_samples(test, pages):
    """Try the samples of PAGES; returns how many there are."""
    n = 0
    for path in pages:
        with tempfile.TemporaryDirectory() as folder:
            page = Page(test, path, folder)
            for line, what, argument, block in samples(path):
                with test.subTest(place=f"{path.name}:{line}"):
                    if path.parent.name != "errors":
                        block = page.check_shown(line, what, argument, block)
                    getattr(page, what)(argument, block)
                    n += 1
    return n


class Documents(unittest.TestCase):
    def test_samples(self):
        """Those of all pages but the tutorial and the how-to pages, which full_howto.py has."""
        pages = [ROOT / "README.md", *(p for p in sorted((ROOT / "docs").rglob("*.md")) if p not in longer())]
        self.assertGreater(check_samples(self, pages), 10)

    def test_options(self):
        """The synopsis of each command in cli.md, and the table of common options, name what --help does."""
        text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
        synopsis = text.split("\n\n")[1]
        common = set(re.findall(r"(?m)^\| `(--[\w-]+)", text)) | {"--version"}
        named_by = {}
        for command in re.split(r"(?m)^    tenon ", synopsis)[1:]:
            named_by[command.split()[0]] = named_by.get(command.split()[0], "") + command
        for name, command in named_by.items():
            shown = subprocess.run([str(TENON), name, "--help"], capture_output=True, text=True, check=True).stdout
            helped = set(re.findall(r"(?m)^  (-O|--?[\w-]+)", shown))
            named = set(re.findall(r"(?<![\w-])(-O|--[\w-]+|-o)", command))
            self.assertEqual(named - helped, set(), f"cli.md: tenon {name}")
            self.assertEqual(helped - named - common, set(), f"tenon {name} --help")
        commands = subprocess.run([str(TENON), "--help"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(set(re.findall(r"(?m)^  (\w+)  ", commands)), set(named_by))

    def test_links(self):
        """Every link to a file of the project leads to one, and to a heading that it has."""
        for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
            for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
                if "://" in target:
                    continue
                file, _, heading = target.partition("#")
                to = path.parent / file if file else path
                self.assertTrue(to.exists(), f"{path.name}: {target}")
                if heading:
                    slugs = [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-")
                             for h in re.findall(r"(?m)^#+ (.*)$", to.read_text(encoding="utf-8"))]
                    self.assertIn(heading, slugs, f"{path.name}: {target}")

    def test_paths(self):
        """Files and folders of the project that a page names in backticks are there."""
        for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
            if path.name == "CHANGELOG.md":
                continue
            for name in re.findall(r"`((?:src|test|tools|docs|examples|include|bench)/[\w./*-]+)`",
                                   path.read_text(encoding="utf-8")):
                found = list(ROOT.glob(name)) if "*" in name else (ROOT / name).exists()
                self.assertTrue(found or "NAME" in name, f"{path.name}: {name}")


if __name__ == "__main__":
    unittest.main()
