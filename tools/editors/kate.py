"""Syntax definitions for Kate and other editors of KDE."""
from xml.sax.saxutils import escape, quoteattr

from languages import NUMBER, STRING

STYLES = {"keyword": "dsControlFlow", "op": "dsFunction", "attribute": "dsAttribute", "type": "dsDataType",
          "constant": "dsConstant"}


def rule(style, pattern):
    return f'        <RegExpr attribute="{style}" context="#stay" String={quoteattr(pattern)}/>'


def any_of(words):
    return "(?:" + "|".join(sorted(words)) + ")"


def definition(language):
    words = language["words"]
    rules = [rule("comment", language["comment"] + ".*$")]
    if language["block"]:
        rules.append('        <Detect2Chars attribute="comment" context="block" char="/" char1="*"/>')
    rules.append(rule("string", STRING))
    after = r"(?<![\w.%@])"
    behind = r"(?=\s*\()" if not language["operation_after"] else r"(?![\w.])(?!\s*[\[:])"
    rules.append(rule("op", (after if language["operation_after"] else r"(?<!\w)") + any_of(words["op"]) + behind))
    if words["attribute"]:
        rules.append(rule("attribute", after + any_of(words["attribute"]) + r"(?=\s*[\[=:])"))
    if language["value"]:
        rules.append(rule("value", language["value"]))
    rules.append(rule("number", NUMBER))
    lists = []
    for kind in ("keyword", "type", "constant"):
        items = "".join(f"<item>{escape(w)}</item>" for w in sorted(words[kind]))
        lists.append(f'    <list name="{kind}">{items}</list>')
        rules.append(f'        <keyword attribute="{kind}" context="#stay" String="{kind}"/>')
    contexts = ['      <context name="program" attribute="normal" lineEndContext="#stay">', *rules, "      </context>"]
    if language["block"]:
        contexts += ['      <context name="block" attribute="comment" lineEndContext="#stay">',
                     '        <Detect2Chars attribute="comment" context="block" char="/" char1="*"/>',
                     '        <Detect2Chars attribute="comment" context="#pop" char="*" char1="/"/>', "      </context>"]
    styles = {"normal": "dsNormal", "comment": "dsComment", "string": "dsString", "value": "dsVariable",
              "number": "dsDecVal", **STYLES}
    extensions = ";".join("*" + e for e in language["extensions"])
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>', "<!DOCTYPE language>",
        "<!-- Written by tools/gen_editors.py; a test compares. -->",
        f'<language name="{language["name"]}" section="Sources" extensions="{extensions}" version="1" kateversion="5.0">',
        "  <highlighting>", *lists, "    <contexts>", *contexts, "    </contexts>", "    <itemDatas>",
        *(f'      <itemData name="{k}" defStyleNum="{v}"/>' for k, v in styles.items()), "    </itemDatas>",
        "  </highlighting>", "  <general>", "    <comments>",
        f'      <comment name="singleLine" start="{language["comment"]}"/>', "    </comments>",
        '    <keywords casesensitive="1"/>', "  </general>", "</language>", ""])


def files(languages):
    return {f"kate/{x['id']}.xml": definition(x) for x in languages}
