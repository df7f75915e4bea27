"""TextMate grammars, which VS Code, bat and others read, and the list of languages in the extension for VS Code."""
import json

from languages import NUMBER, STRING

SCOPES = {"op": "support.function", "keyword": "keyword.control", "attribute": "entity.other.attribute-name",
          "type": "storage.type", "constant": "constant.language"}


def any_of(words):
    return "(?:" + "|".join(sorted(words)) + ")"


def whole(words, before=r"[\w.%@]"):
    """One of WORDS that is not part of a longer name."""
    return f"(?<!{before})" + any_of(words) + r"(?![\w.])"


def grammar(language):
    def scope(name):
        return f"{name}.{language['id']}"

    words = language["words"]
    comment = scope("comment.line")
    patterns = [{"name": comment, "match": language["comment"] + ".*$"}]
    if language["block"]:
        patterns.append({"include": "#block"})
    patterns.append({"name": scope("string.quoted.double"), "match": STRING})
    if language["operation_after"]:
        patterns.append({"match": r"=\s*(" + any_of(words["op"]) + r")(?![\w.])",
                         "captures": {"1": {"name": scope(SCOPES["op"])}}})
    else:
        patterns.append({"name": scope(SCOPES["op"]), "match": whole(words["op"], r"\w") + r"(?=\s*\()"})
    if words["attribute"]:
        patterns.append({"name": scope(SCOPES["attribute"]), "match": whole(words["attribute"]) + r"(?=\s*[\[=:])"})
    if language["value"]:
        patterns.append({"name": scope("variable.other"), "match": language["value"]})
    patterns.append({"name": scope("constant.numeric"), "match": NUMBER})
    for kind in ("keyword", "type", "constant"):
        patterns.append({"name": scope(SCOPES[kind]), "match": whole(words[kind])})
    out = {"name": language["name"], "scopeName": scope("source"),
           "fileTypes": [e[1:] for e in language["extensions"]], "patterns": patterns}
    if language["block"]:
        out["repository"] = {"block": {"name": scope("comment.block"), "begin": r"/\*", "end": r"\*/",
                                       "patterns": [{"include": "#block"}]}}
    return out


def configuration(language):
    comments = {"lineComment": language["comment"]}
    if language["block"]:
        comments["blockComment"] = ["/*", "*/"]
    return {"comments": comments, "brackets": [["{", "}"], ["[", "]"], ["(", ")"]]}


def package(languages):
    return {"name": "tenon", "displayName": "Tenon", "publisher": "tenon", "version": "0.1.0", "license": "SEE LICENSE",
            "description": "MIND Core IR, MIND and PTIR: colours, and what `tenon lsp` knows of programs", "engines": {"vscode": "^1.67.0"},
            "categories": ["Programming Languages"], "main": "./extension.js",
            "activationEvents": [*(f"onLanguage:{x['id']}" for x in languages), "onLanguage:json"],
            "capabilities": {"untrustedWorkspaces": {"supported": True}},
            "contributes": {
                "commands": [{"command": "tenon.restart", "title": "Tenon: Restart the language server"}],
                "configuration": {"title": "Tenon", "properties": {
                    "tenon.server": {"type": "boolean", "default": True, "scope": "machine",
                                     "description": "Ask `tenon lsp` about programs."},
                    "tenon.path": {"type": "string", "default": "tenon", "scope": "machine",
                                   "description": "The program that is run as `tenon lsp`."}}},
                "languages": [{"id": x["id"], "aliases": [x["name"]], "extensions": x["extensions"],
                               "configuration": f"./languages/{x['id']}.json"} for x in languages],
                "grammars": [{"language": x["id"], "scopeName": f"source.{x['id']}",
                              "path": f"./syntaxes/{x['id']}.tmLanguage.json"} for x in languages]}}


def dump(data):
    return json.dumps(data, indent=2) + "\n"


def files(languages):
    out = {"vscode/package.json": dump(package(languages))}
    for x in languages:
        out[f"vscode/syntaxes/{x['id']}.tmLanguage.json"] = dump(grammar(x))
        out[f"vscode/languages/{x['id']}.json"] = dump(configuration(x))
    return out
