// Runs the extension for VS Code, unpacked in FOLDER, on what it sees of VS Code: node vscode.mjs FOLDER TENON
// Prints what the providers answer as one JSON object.
import {createRequire} from 'node:module';
import {join} from 'node:path';

const [, , folder, tenon] = process.argv;
const require = createRequire(import.meta.url), Module = require('node:module');

/* ---- what the extension uses of VS Code ---- */

class Position { constructor(line, character) { Object.assign(this, {line, character}); } }
class Range { constructor(a, b, c, d) { Object.assign(this, {start: new Position(a, b), end: new Position(c, d)}); } }
class Uri {
  static parse(text) { return Object.assign(new Uri(), {text}); }
  toString() { return this.text; }
  toJSON() { return this.text; }
}
class Plain { constructor(...given) { this.given = given; } }
const kinds = names => Object.fromEntries(names.map((name, i) => [name, i]));
class WorkspaceEdit { constructor() { this.all = []; } set(uri, edits) { this.all.push([uri, edits]); } }
class Kind {
  constructor(value) { this.value = value; }
  append(more) { return new Kind(`${this.value}.${more}`); }
}

const listeners = {}, provided = {}, shown = new Map(), errors = [], settings = {path: tenon, server: true}, commands = {};
const on = name => listener => { listeners[name] = listener; return {dispose() {}}; };
const register = name => (selector, provider, ...rest) => { provided[name] = {selector, provider, rest}; return {dispose() {}}; };
const documents = [];
let waiting = [];
const vscode = {
  Position, Range, Uri, WorkspaceEdit,
  Location: class { constructor(uri, range) { Object.assign(this, {uri, range}); } },
  Diagnostic: class { constructor(range, message, severity) { Object.assign(this, {range, message, severity}); } },
  TextEdit: class { constructor(range, newText) { Object.assign(this, {range, newText}); } },
  CodeAction: class { constructor(title, kind) { Object.assign(this, {title, kind}); } },
  DocumentSymbol: class { constructor(name, detail, kind, range, selectionRange) { Object.assign(this, {name, detail, kind, range, selectionRange}); } },
  CompletionItem: class { constructor(label, kind) { Object.assign(this, {label, kind}); } },
  MarkdownString: class { constructor(value) { this.value = value; } },
  Hover: class { constructor(contents, range) { Object.assign(this, {contents, range}); } },
  DiagnosticRelatedInformation: Plain, DocumentHighlight: Plain, FoldingRange: Plain, InlayHint: Plain,
  DiagnosticSeverity: kinds(['Error', 'Warning', 'Information', 'Hint']), FoldingRangeKind: {Comment: 1}, InlayHintKind: {Type: 1},
  CodeActionKind: {QuickFix: new Kind('quickfix'), SourceFixAll: new Kind('source.fixAll')},
  commands: {registerCommand: (name, run) => { commands[name] = run; return {dispose() {}}; }},
  window: {showErrorMessage: text => errors.push(text)},
  workspace: {textDocuments: documents, getConfiguration: () => ({get: name => settings[name]}),
    onDidOpenTextDocument: on('open'), onDidChangeTextDocument: on('change'), onDidCloseTextDocument: on('close'),
    onDidChangeConfiguration: on('configuration')},
  languages: {
    match: (selector, document) => selector.some(s => s.language === document.languageId &&
      (!s.pattern || document.uri.toString().endsWith(s.pattern.replace('**/*', '')))) ? 10 : 0,
    createDiagnosticCollection: () => ({
      set(uri, list) {
        shown.set(uri.toString(), list);
        for (const w of waiting.splice(0)) w();
      },
      clear() { shown.clear(); }, dispose() {}}),
    ...Object.fromEntries(['Hover', 'Definition', 'Reference', 'DocumentHighlight', 'Rename', 'DocumentSymbol', 'CompletionItem',
      'DocumentFormattingEdit', 'FoldingRange', 'InlayHints', 'CodeActions'].map(n => [`register${n}Provider`, register(n)]))}};
const load = Module._load;
Module._load = (name, ...rest) => name === 'vscode' ? vscode : load(name, ...rest);
const extension = require(join(folder, 'extension.js'));

/* ---- an editor ---- */

function open(uri, languageId, text) {
  const document = {uri: Uri.parse(uri), languageId, version: 1, text, getText() { return this.text; }};
  documents.push(document);
  return document;
}
const told = () => new Promise(done => waiting.push(done));
const all = new Range(0, 0, 100, 0);

const main = open('file:///x/a.ir', 'mind-ir', '%0 = Input() {name="é😀"} : tensor<f32>[2]\n%1 = Nge (%0) : tensor<f32>[2]\noutputs: %1\n');
const tiny = open('file:///x/b.tiny.json', 'json', '{"uops": [{"id": "a", "uop": "INPUT", "src": [], "arg": {"tensor_id": "t", "dtype": "fp32", "shape": [2]}},\n' +
  '{"id": "b", "uop": "NEG", "src": ["a"]}\n], "outputs": ["b"]}\n');
open('file:///x/other.json', 'json', '{"a": 1}');
const out = {}, first = told();
await extension.activate({subscriptions: []});
await first;
while (shown.size < 2) await told();
out.documents = [...shown.keys()].sort();
out.wrong = shown.get(main.uri.toString());
out.actions = await provided.CodeActions.provider.provideCodeActions(main, all, {});
/* the fix, as the editor carries it out */
const fix = out.actions[0].edit.all[0][1][0], lines = main.text.split('\n');
lines[fix.range.start.line] = lines[fix.range.start.line].slice(0, fix.range.start.character) + fix.newText + lines[fix.range.start.line].slice(fix.range.end.character);
main.text = lines.join('\n');
main.version++;
const second = told();
listeners.change({document: main, contentChanges: [{range: fix.range, text: fix.newText}]});
await second;
out.mended = shown.get(main.uri.toString());
out.text = main.text;
const p = provided, at = new Position(1, 8), name = new Position(0, 1);
out.hover = await p.Hover.provider.provideHover(main, at);
out.definition = await p.Definition.provider.provideDefinition(main, new Position(1, 11));
out.references = await p.Reference.provider.provideReferences(main, name, {includeDeclaration: true});
out.highlights = await p.DocumentHighlight.provider.provideDocumentHighlights(main, name);
out.prepared = await p.Rename.provider.prepareRename(main, name);
out.renamed = await p.Rename.provider.provideRenameEdits(main, name, 'zebra');
out.refused = await p.Rename.provider.provideRenameEdits(main, name, '1').catch(e => e.message);
out.symbols = await p.DocumentSymbol.provider.provideDocumentSymbols(main);
out.completion = (await p.CompletionItem.provider.provideCompletionItems(main, at)).map(c => c.label);
out.formatted = await p.DocumentFormattingEdit.provider.provideDocumentFormattingEdits(main);
out.folds = await p.FoldingRange.provider.provideFoldingRanges(tiny);
out.hints = await p.InlayHints.provider.provideInlayHints(tiny, all);
const third = told();
await commands['tenon.restart']();
await third;
out.again = [...shown.keys()].length > 0;
listeners.close(main);
await extension.deactivate();
out.errors = errors.slice();
settings.path = '/nowhere/tenon';
await extension.activate({subscriptions: []});
out.missing = errors.slice(out.errors.length);
out.none = await p.Hover.provider.provideHover(main, at);
settings.server = false;
await commands['tenon.restart']();
console.log(JSON.stringify(out));
