"""Syntax files for Vim and Neovim, and how they know the files."""

GROUPS = {"op": "Function", "keyword": "Keyword", "attribute": "Identifier", "type": "Type", "constant": "Constant"}


def kind_of(language):
    """The name of the file type, which Vim wants without signs."""
    return language["id"].replace("-", "")


def any_of(words):
    return r"\%(" + r"\|".join(sorted(words)) + r"\)"


def syntax(language):
    kind, words = kind_of(language), language["words"]
    lines = [f'" {language["name"]}. Written by tools/gen_editors.py; a test compares.',
             'if exists("b:current_syntax")', "  finish", "endif", ""]

    def match(group, pattern):
        lines.append(f"syntax match {kind}{group} '{pattern}'")

    for group in ("keyword", "type", "constant"):
        lines.append(f"syntax keyword {kind}{group.capitalize()} " + " ".join(sorted(words[group])))
    match("Number", r"\<\d[0-9A-Za-z_]*\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?")
    if language["value"]:
        match("Value", r'[%@]\%([0-9A-Za-z_.]\+\|"\%([^"\\]\|\\.\)*"\)')
    if words["attribute"]:
        match("Attribute", r"\<" + any_of(words["attribute"]) + r"\>\ze\s*[[=:]")
    if language["operation_after"]:
        match("Op", r"\%(=\s*\)\@<=" + any_of(words["op"]) + r"\>")
    else:
        match("Op", r"\<" + any_of(words["op"]) + r"\>\ze\s*(")
    lines.append(f"syntax region {kind}String start='\"' skip='\\\\.' end='\"' oneline")
    match("Comment", language["comment"] + ".*$")
    if language["block"]:
        lines.append(f"syntax region {kind}Block start='/\\*' end='\\*/' contains={kind}Block")
    lines.append("")
    links = {**{k.capitalize(): v for k, v in GROUPS.items()}, "Number": "Number", "Value": "Special", "String": "String",
             "Comment": "Comment"}
    if language["block"]:
        links["Block"] = "Comment"
    lines += [f"highlight default link {kind}{a} {b}" for a, b in links.items()]
    lines += ["", f'let b:current_syntax = "{kind}"', ""]
    return "\n".join(lines)


def files(languages):
    out = {}
    detect = ['" Written by tools/gen_editors.py; a test compares.']
    for x in languages:
        kind = kind_of(x)
        out[f"vim/syntax/{kind}.vim"] = syntax(x)
        out[f"vim/ftplugin/{kind}.vim"] = f'" Written by tools/gen_editors.py; a test compares.\n' \
            f"setlocal commentstring={x['comment']}\\ %s\n"
        detect += [f"autocmd BufRead,BufNewFile *{e} setfiletype {kind}" for e in x["extensions"]]
    out["vim/ftdetect/tenon.vim"] = "\n".join(detect) + "\n"
    return out
