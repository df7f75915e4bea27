"""Neovim and Emacs colour every operation in the programs of all cases with the files in editors/, without a message."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from editors import corpus
from lib.program import ROOT

EDITORS = pathlib.Path(ROOT, "editors")
CHECKED = ("mind", "ptir-text")
VIM = r"""
function! s:look()
  let wrong = []
  for [line, column, word] in json_decode(readfile('places.json')[0])
    let name = synIDattr(synID(line + 1, column + 1, 1), 'name')
    if name !=# &filetype . 'Op'
      call add(wrong, getline(line + 1) . ': ' . name)
    endif
  endfor
  call writefile([&filetype] + wrong, 'out.txt')
endfunction
call s:look()
qall!
"""
EMACS = """
(add-to-list 'load-path %s)
(require 'tenon)
(setq large-file-warning-threshold nil)
(find-file "all%s")
(font-lock-ensure)
(let ((wrong nil))
  (dolist (place (with-temp-buffer (insert-file-contents "places.json")
                                   (json-parse-buffer :array-type 'list)))
    (goto-char (point-min))
    (forward-line (nth 0 place))
    (forward-char (nth 1 place))
    (unless (eq (get-text-property (point) 'face) 'font-lock-function-name-face)
      (push (buffer-substring (line-beginning-position) (line-end-position)) wrong)))
  (let ((mode (symbol-name major-mode)))
    (with-temp-file "out.txt"
      (insert (mapconcat #'identity (cons mode wrong) "\\n") "\\n"))))
"""


class Colours(unittest.TestCase):
    def check(self, dialect, mode, command):
        language, extension = corpus.LANGUAGES[dialect]
        text = corpus.together(dialect)
        # Lines end where the editor's do.
        text = "".join(c if c in "\n\t" or c >= " " else "?" for c in text)
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "all" + extension).write_text(text, encoding="utf-8")
            places = list(corpus.operations(dialect, text))
            if mode == "nvim":  # it counts bytes
                lines = text.split("\n")
                places = [(a, len(lines[a][:b].encode()), c) for a, b, c in places]
            pathlib.Path(folder, "places.json").write_text(json.dumps(places))
            script = pathlib.Path(folder, "script")
            script.write_text(VIM if mode == "nvim" else EMACS % (json.dumps(str(EDITORS / "emacs")), extension))
            done = subprocess.run([*command, *([f"all{extension}", "-S", "script"] if mode == "nvim" else ["-l", "script"])],
                                  cwd=folder, capture_output=True, text=True, timeout=3000)
            self.assertEqual((done.returncode, done.stderr.strip()), (0, ""))
            got = pathlib.Path(folder, "out.txt").read_text().splitlines()
        want = language.replace("-", "") if mode == "nvim" else f"tenon-{language}-mode"
        self.assertEqual(got, [want])
        self.assertGreater(len(places), 800)

    @unittest.skipUnless(shutil.which("nvim"), "there is no Neovim")
    def test_neovim(self):
        for dialect in CHECKED:
            self.check(dialect, "nvim", ["nvim", "--headless", "-i", "NONE", "-u", "NONE", "--cmd",
                                         f"set rtp^={EDITORS / 'vim'}", "--cmd", "filetype plugin on", "--cmd", "syntax on"])

    @unittest.skipUnless(shutil.which("emacs"), "there is no Emacs")
    def test_emacs(self):
        for dialect in CHECKED:
            self.check(dialect, "emacs", ["emacs", "-Q", "--batch"])

    @unittest.skipUnless(shutil.which("emacs"), "there is no Emacs")
    def test_emacs_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(EDITORS / "emacs" / "tenon.el", folder)
            done = subprocess.run(["emacs", "-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)", "-f",
                                   "batch-byte-compile", "tenon.el"], cwd=folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
