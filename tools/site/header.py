"""A public header as HTML: its comments as text, each with what is declared behind it."""
import html
import re

BLOCK = re.compile(r"^/\*(.*?)\*/[ ]*\n", re.M | re.S)
SECTION = re.compile(r"\s*-{2,}\s*(.*?)\s*-{2,}\s*", re.S)
# What a declaration declares: functions and rows of tables, types, enumerators, macros.
NAMES = re.compile(r"^(?:TN_API[^;(]*?|TN_(?:UNARY|BINARY)\()\b(tn_\w+)(?=\s*[(,])"
                   r"|^typedef (?:struct|enum|union) (tn_\w+)(?= *\{| tn_\w+;)"
                   r"|^(?:struct|enum) (tn_\w+) *\{|^ +(TN_\w+)(?= *[,=/]|$)|^#define (TN_\w+)|^} (tn_\w+);", re.M)
GUARD = re.compile(r"^#.*(?:_H$|__cplusplus|_WIN32|__GNUC__)|^#(?:endif|else|elif)\b|^extern \"C\" \{$|^#include .*"
                   r"|^\}$|^#define TN_API.*")
ITEM = re.compile(r"(\w[\w, >*.-]*?)  +(\S.*)")


def names(code):
    found = (next(g for g in m.groups() if g) for m in NAMES.finditer(code))
    return list(dict.fromkeys(found))


def text_of(comment):
    """The comment without its decoration, as lines."""
    return [re.sub(r"^ \* ?", "", line).rstrip() for line in (" * " + comment.lstrip()).splitlines()]


def prose(lines):
    """Paragraphs, lists of `name  what it is`, and indented text as it stands."""
    out, paragraph, items = [], [], []

    def end():
        if paragraph:
            out.append(f"<p>{html.escape(' '.join(paragraph))}</p>")
        if items:
            rows = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(' '.join(text))}</dd>"
                           for name, text in items)
            out.append(f'<dl class="api">{rows}</dl>')
        paragraph.clear()
        items.clear()

    verbatim = []
    for line in [*lines, ""]:
        item = ITEM.fullmatch(line)
        if line.startswith("    ") and not items:
            verbatim.append(line[4:])
            continue
        if verbatim:
            end()
            out.append(f"<pre>{html.escape(chr(10).join(verbatim))}</pre>")
            verbatim = []
        if not line:
            end()
        elif item and not line.startswith(" "):
            if paragraph:
                end()
            items.append((item[1], [item[2]]))
        elif items and line.startswith(" "):
            again = ITEM.fullmatch(line.strip())
            if again and again[1].startswith("TN_"):  # one status more
                items.append(("", [line.strip()]))
            else:
                items[-1][1].append(line.strip())
        else:
            if items:
                end()
            paragraph.append(line.strip())
    return "\n".join(out)


def code_of(text):
    """The declarations in TEXT, without what only compilers need."""
    lines = [line for line in text.splitlines() if not GUARD.match(line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def parts(source):
    """(comment or None, code) in the order of the file."""
    at, comment = 0, None
    for block in BLOCK.finditer(source):
        code = code_of(source[at:block.start()])
        if comment is not None or code:
            yield comment, code
        comment, at = block[1], block.end()
    yield comment, code_of(source[at:])


def page(name, source):
    """The page for the header NAME (`tenon/tenon.h`), and the names that it declares."""
    out, index = [f"<h1><code>{name}</code></h1>"], []
    for comment, code in parts(source):
        section = SECTION.fullmatch(comment or "")
        if section:
            title = section[1].split("\n")[0]
            slug = re.sub(r"[^\w]+", "-", title.lower()).strip("-")
            out.append(f'<h2 id="{slug}">{html.escape(title)}</h2>')
            comment = None
        if len(out) == 1 and comment:  # what the file is, before what stands in it
            out.append(prose(text_of(comment)))
            comment = None
        declared = [n for n in names(code) if n not in index]
        index += declared
        anchors = "".join(f'<a id="{n}"></a>' for n in declared)
        shown = f"<pre><code>{html.escape(code)}</code></pre>" if code else ""
        told = prose(text_of(comment)) if comment else ""
        if shown:
            out.append(f'<div class="api">{anchors}{shown}{told}</div>')
        else:
            out.append(told)
    return "\n".join(out), index
