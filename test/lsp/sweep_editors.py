"""The language server in Neovim and in Emacs: a wrong program is opened, its edit is carried out, and no fault is left."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from lib.program import ROOT, TENON
from lsp.test_lsp import RIGHT

NEOVIM = """
local id = vim.lsp.start_client({ name = "tenon", cmd = { os.getenv("TENON"), "lsp" } })
vim.cmd("edit x.ir")
vim.lsp.buf_attach_client(0, id)
local function wait(n)
  return vim.wait(600000, function() return #vim.diagnostic.get(0) == n end, 10)
end
local found = wait(1)
local first = found and vim.diagnostic.get(0)[1] or {}
vim.ui.select = function(items, _, choose) choose(items[1], 1) end
vim.api.nvim_win_set_cursor(0, { 2, 6 })
vim.lsp.buf.code_action()
local mended = wait(0)
vim.lsp.buf.formatting_sync(nil, 600000)
-- a name, there and back
local function line(text)
  return vim.wait(600000, function() return vim.api.nvim_buf_get_lines(0, 1, 2, true)[1]:find(text, 1, true) ~= nil end, 10)
end
vim.api.nvim_win_set_cursor(0, { 2, 10 })
vim.lsp.buf.rename("zebra")
local renamed = line("(%zebra)")
vim.lsp.buf.rename("0")
local back = line("(%0)")
local function asked(method)
  local parameters = vim.lsp.util.make_position_params(0, "utf-16")
  parameters.context = { includeDeclaration = true }
  local answers = vim.lsp.buf_request_sync(0, "textDocument/" .. method, parameters, 600000)
  return vim.tbl_count(answers[id].result)
end
local counts = {}
for _, method in ipairs({ "references", "documentHighlight", "documentSymbol", "hover", "definition" }) do
  table.insert(counts, tostring(asked(method)))
end
vim.cmd("write!")
vim.fn.writefile({ tostring(found), tostring(first.lnum), tostring(mended), tostring(renamed and back), table.concat(counts, ",") }, "out.txt")
vim.cmd("qall!")
"""
EMACS = """
(require 'tenon)
(require 'eglot)
(setq eglot-sync-connect t make-backup-files nil eglot-confirm-server-initiated-edits nil)
(add-to-list 'eglot-server-programs (list 'tenon-mind-ir-mode (getenv "TENON") "lsp"))
(find-file "x.ir")
(apply #'eglot (eglot--guess-contact))
(defun wait (n)
  (let ((tries 12000))
    (while (and (> tries 0) (progn (accept-process-output nil 0.05) (/= n (length (flymake-diagnostics)))))
      (when (= 0 (% tries 10)) (flymake-start))
      (setq tries (1- tries)))
    (> tries 0)))
(let* ((found (wait 1))
       (actions (jsonrpc-request (eglot--current-server-or-lose) :textDocument/codeAction
                                 (list :textDocument (eglot--TextDocumentIdentifier)
                                       :range (list :start (eglot--pos-to-lsp-position (point-min))
                                                    :end (eglot--pos-to-lsp-position (point-max)))
                                       :context (list :diagnostics [])))))
  (eglot--apply-workspace-edit (plist-get (aref actions 0) :edit))
  (eglot--signal-textDocument/didChange) ; it waits for an idle editor
  (let ((mended (wait 0)))
    (eglot-format-buffer)
    (save-buffer)
    (with-temp-file "out.txt" (insert (format "%s\\n%s\\n" found mended)))))
(eglot-shutdown (eglot--current-server-or-lose))
"""


class Editors(unittest.TestCase):
    def check(self, script, command, want):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.ir")
            path.write_text(RIGHT.replace("Neg", "Nge"))
            pathlib.Path(folder, script[0]).write_text(script[1])
            subprocess.run(["git", "init", "-q", folder], check=True)  # eglot wants a project
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=3000,
                                  env={**os.environ, "TENON": TENON, "HOME": folder})
            out = pathlib.Path(folder, "out.txt")
            self.assertTrue(out.exists(), done.stderr + done.stdout)
            self.assertEqual(out.read_text().split(), want, done.stderr)
            self.assertEqual(path.read_text(), RIGHT.replace("Input()", "Input ()"))

    @unittest.skipUnless(shutil.which("nvim"), "there is no Neovim")
    def test_neovim(self):
        self.check(("s.lua", NEOVIM), ["nvim", "--headless", "-i", "NONE", "-u", "NONE", "-c", "luafile s.lua"],
                   ["true", "1", "true", "true", "2,2,2,2,2"])

    @unittest.skipUnless(shutil.which("emacs"), "there is no Emacs")
    def test_emacs(self):
        self.check(("s.el", EMACS), ["emacs", "-q", "--batch", "-L", str(pathlib.Path(ROOT, "editors", "emacs")), "--eval",
                                     "(package-initialize)", "-l", "s.el"], ["t", "t"])


if __name__ == "__main__":
    unittest.main()
