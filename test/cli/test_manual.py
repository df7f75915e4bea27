"""Manual pages and completions say what --help says, and shells and mandoc take them."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from lib.program import TENON, output, start

NET = '%0 = Input () {name="image"} : tensor<f32>[batch,3]\n%1 = Relu (%0) : tensor<f32>[batch,3]\noutputs: %1\n'


def commands():
    return re.findall(r"(?m)^  ([a-z]+) ", output("--help"))


def options(command):
    return re.findall(r"(?m)^  (-O|--?[\w-]+)", output(command, "--help"))


def plain(page):
    return page.replace("\\&", "").replace("\\-", "-").replace("\\e", "\\")


class Shell:
    """An empty folder with a program, in which shells complete."""
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "net.ir").write_text(NET, encoding="utf-8")
        self.env = {**os.environ, "PATH": f"{os.path.dirname(TENON)}:{os.environ['PATH']}", "HOME": folder}

    def run(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=300)
        if done.returncode:
            raise AssertionError(f"{command}: {done.stdout}")
        return done.stdout

    def bash(self, *words):
        """What bash offers for the last of WORDS."""
        script = ('source <(tenon completions bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenon; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return self.run("bash", "-c", script, "bash", "tenon", *words).split()


class Manual(unittest.TestCase):
    def test_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            for command in [None, *commands()]:
                text = output("manual", *([command] if command else []))
                page = pathlib.Path(folder) / f"tenon{'-' + command if command else ''}.1"
                page.write_text(text, encoding="utf-8")
                if command:
                    for option in options(command):
                        self.assertIn(f'.It Fl "{option[1:]}"', plain(text), command)
                if shutil.which("mandoc"):
                    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], stdout=subprocess.PIPE,
                                          text=True)
                    self.assertEqual(lint.stdout, "")

    def test_one_command(self):
        for words in ["help", "run", "grad"], ["manual", "run", "grad"]:
            done = start(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("'grad' is a second", done.stderr)

    def test_bash(self):
        if not shutil.which("bash"):
            self.skipTest("there is no bash")
        with tempfile.TemporaryDirectory() as folder:
            shell = Shell(folder)
            self.assertEqual(shell.bash("conv"), ["convert"])
            self.assertEqual({*shell.bash("")}, {*commands(), "help", "--version"})
            for command in commands():
                self.assertEqual({*shell.bash(command, "-")}, {*options(command)}, command)
            self.assertEqual(shell.bash("run", "--engine", "j"), ["jit"])
            self.assertIn("tiny", shell.bash("convert", "net.ir", "--to", "t"))
            self.assertIn("canonicalize", shell.bash("opt", "--passes", "canon"))
            self.assertEqual(shell.bash("run", "net.ir", "--input", ""), ["image="])
            self.assertEqual(shell.bash("run", "net.ir", "--dim", "b"), ["batch="])
            self.assertEqual(shell.bash("grad", "net.ir", "--wrt", ""), ["image"])
            self.assertEqual(shell.bash("run", "net.ir", "--limit", "ne"), ["nesting="])
            self.assertNotIn("image=", shell.bash("run", "net.ir", "--limit", ""))
            self.assertEqual(shell.bash("ops", "layer_n"), ["layer_norm"])
            self.assertEqual(shell.bash("check", "net"), ["net.ir"])
            if shutil.which("shellcheck"):
                (shell.folder / "tenon.bash").write_text(output("completions", "bash"), encoding="utf-8")
                shell.run("shellcheck", "tenon.bash")

    def test_names_that_shells_would_carry_out(self):
        """The file may be a stranger's: what it calls its inputs is offered only where it is a word."""
        if not shutil.which("bash"):
            self.skipTest("there is no bash")
        with tempfile.TemporaryDirectory() as folder:
            shell = Shell(folder)
            for k, name in enumerate(("$(touch done)", "`touch done`", "${HOME}", "*", "a b", "a;b", "~", "a'b", "a\\\\b", "")):
                (shell.folder / f"evil{k}.ptir").write_text(
                    f'func @main(%"{name}": tensor<f32, 2>, %ok.1: tensor<f32, 2>) -> tensor<f32, 2> {{\n  return %ok.1\n}}\n')
                self.assertEqual(shell.bash("run", f"evil{k}.ptir", "--input", ""), ["ok.1="], name)
                self.assertEqual(shell.bash("grad", f"evil{k}.ptir", "--wrt", ""), ["ok.1"], name)
            self.assertFalse((shell.folder / "done").exists())

    def test_zsh(self):
        if not shutil.which("zsh"):
            self.skipTest("there is no zsh")
        with tempfile.TemporaryDirectory() as folder:
            shell = Shell(folder)
            (shell.folder / "_tenon").write_text(output("completions", "zsh"), encoding="utf-8")
            shell.run("zsh", "-n", "_tenon")
            text = (shell.folder / "_tenon").read_text()
            for command in commands():
                self.assertIn(f"    {command})\n", text)

    def test_fish(self):
        if not shutil.which("fish"):
            self.skipTest("there is no fish")
        with tempfile.TemporaryDirectory() as folder:
            shell = Shell(folder)

            def offers(line):
                text = shell.run("fish", "-c", f"tenon completions fish | source; complete -C '{line}'")
                return [offer.split("\t")[0] for offer in text.splitlines()]
            self.assertEqual(offers("tenon conv"), ["convert"])
            self.assertEqual({*offers("tenon run --")}, {o for o in options("run") if o.startswith("--")})
            self.assertEqual(offers("tenon run --engine j"), ["jit"])
            self.assertEqual(offers("tenon run net.ir --dim b"), ["batch="])
            self.assertEqual(offers("tenon grad net.ir --wrt "), ["image"])


if __name__ == "__main__":
    unittest.main()
