"""One package for Emacs with a mode for each language."""

FACES = {"keyword": "font-lock-keyword-face", "type": "font-lock-type-face", "constant": "font-lock-constant-face"}


def listed(words):
    return "(regexp-opt '(" + " ".join(f'"{w}"' for w in sorted(words)) + ")"


def rules(language):
    words, out = language["words"], []
    if language["operation_after"]:
        out.append(f'(,(concat "=[ \\t]*" {listed(words["op"])} t) "\\\\_>") 1 font-lock-function-name-face)')
    else:
        out.append(f'(,(concat "\\\\_<" {listed(words["op"])} t) "[ \\t]*(") 1 font-lock-function-name-face)')
    if words["attribute"]:
        out.append(f'(,(concat "\\\\_<" {listed(words["attribute"])} t) "[ \\t]*[[=:]") 1 font-lock-preprocessor-face)')
    if language["value"]:
        out.append('("[%@][[:alnum:]_.]+" . font-lock-variable-name-face)')
    for kind, face in FACES.items():
        out.append(f"(,{listed(words[kind])} 'symbols) . {face})")
    return "\n    ".join(out)


def syntax(language):
    """Classes of characters: words have `_`, strings quotes, and comments what the language says."""
    out = ['(modify-syntax-entry ?_ "_" table)', '(modify-syntax-entry ?\\" "\\"" table)',
           '(modify-syntax-entry ?% "\'" table)']
    if language["comment"] == "#":
        out.append('(modify-syntax-entry ?# "<" table)')
    else:
        out.append('(modify-syntax-entry ?/ "%s" table)' % (". 124" if language["block"] else ". 12"))
    if language["block"]:
        out.append('(modify-syntax-entry ?* ". 23bn" table)')
    out.append('(modify-syntax-entry ?\\n ">" table)')
    return "\n    ".join(out)


def mode(language):
    name = f"tenon-{language['id']}"
    patterns = "\n".join(f"(add-to-list 'auto-mode-alist '(\"{e.replace('.', chr(92) * 2 + '.')}\\\\'\" . {name}-mode))"
                         for e in language["extensions"])
    return f"""
(defconst {name}-font-lock
  `({rules(language)})
  "What is coloured in {language['name']}.")

(defvar {name}-syntax-table
  (let ((table (make-syntax-table)))
    {syntax(language)}
    table)
  "Classes of characters of {language['name']}.")

;;;###autoload
(define-derived-mode {name}-mode prog-mode "{language['name']}"
  "Major mode for {language['name']}."
  :syntax-table {name}-syntax-table
  (setq-local comment-start "{language['comment']} ")
  (setq-local font-lock-defaults '({name}-font-lock)))

;;;###autoload
{patterns}
"""


def files(languages):
    return {"emacs/tenon.el": """;;; tenon.el --- Modes for programs that Tenon reads -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Written by tools/gen_editors.py; a test compares.

;;; Code:
""" + "".join(mode(x) for x in languages) + """
(provide 'tenon)
;;; tenon.el ends here
"""}
