// The client of `tenon lsp`: what VS Code asks for, the server is asked for. It needs no other package.
'use strict';
const {spawn} = require('node:child_process');
const vscode = require('vscode');
const {Connection} = require('./connection');

const SELECTOR = [{language: 'mind-ir'}, {language: 'mind'}, {language: 'ptir'},
  {language: 'json', pattern: '**/*.ptir.json'}, {language: 'json', pattern: '**/*.tiny.json'}];

let server = null; // {connection, process, ready}: the one that runs
let problems = null; // the collection of diagnostics

/* ---- from the protocol to VS Code, whose positions count UTF-16 units, too ---- */

const range = r => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const position = p => ({line: p.line, character: p.character});
const plainRange = r => ({start: position(r.start), end: position(r.end)});
const location = l => new vscode.Location(vscode.Uri.parse(l.uri), range(l.range));
const SEVERITIES = [undefined, 'Error', 'Warning', 'Information', 'Hint'];

function diagnostic(d) {
  const out = new vscode.Diagnostic(range(d.range), d.message, vscode.DiagnosticSeverity[SEVERITIES[d.severity] || 'Error']);
  out.source = d.source;
  out.code = d.codeDescription ? {value: d.code, target: vscode.Uri.parse(d.codeDescription.href)} : d.code;
  out.relatedInformation = (d.relatedInformation || []).map(i => new vscode.DiagnosticRelatedInformation(location(i.location), i.message));
  return out;
}

function workspaceEdit(edit) {
  const out = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(edit.changes))
    out.set(vscode.Uri.parse(uri), edits.map(textEdit));
  return out;
}
const textEdit = e => new vscode.TextEdit(range(e.range), e.newText);

function codeAction(a) {
  const out = new vscode.CodeAction(a.title, a.kind === 'quickfix' ? vscode.CodeActionKind.QuickFix : vscode.CodeActionKind.SourceFixAll.append('tenon'));
  out.edit = workspaceEdit(a.edit);
  out.isPreferred = a.isPreferred;
  out.diagnostics = (a.diagnostics || []).map(diagnostic);
  return out;
}

function symbol(s) {
  const out = new vscode.DocumentSymbol(s.name, s.detail || '', s.kind - 1, range(s.range), range(s.selectionRange)); // theirs begin at 0
  out.children = (s.children || []).map(symbol);
  return out;
}

function completion(c) {
  const out = new vscode.CompletionItem(c.label, c.kind === undefined ? undefined : c.kind - 1);
  out.detail = c.detail;
  if (c.documentation) out.documentation = new vscode.MarkdownString(c.documentation.value || c.documentation);
  if (c.insertText !== undefined) out.insertText = c.insertText;
  if (c.sortText !== undefined) out.sortText = c.sortText;
  if (c.filterText !== undefined) out.filterText = c.filterText;
  if (c.textEdit) {
    out.range = range(c.textEdit.range);
    out.insertText = c.textEdit.newText;
  }
  return out;
}

/* ---- the server ---- */

const isOurs = document => vscode.languages.match(SELECTOR, document) > 0;
const named = document => ({uri: document.uri.toString()});

function opened(document) {
  if (server && isOurs(document))
    server.connection.notify('textDocument/didOpen', {textDocument: {...named(document), languageId: document.languageId,
      version: document.version, text: document.getText()}});
}

function changed(event) {
  if (server && isOurs(event.document) && event.contentChanges.length)
    server.connection.notify('textDocument/didChange', {textDocument: {...named(event.document), version: event.document.version},
      contentChanges: event.contentChanges.map(c => ({range: plainRange(c.range), text: c.text}))});
}

function closed(document) {
  if (server && isOurs(document)) server.connection.notify('textDocument/didClose', {textDocument: named(document)});
}

function told(method, params) {
  if (method === 'textDocument/publishDiagnostics') problems.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnostic));
}

function start() {
  const settings = vscode.workspace.getConfiguration('tenon');
  if (!settings.get('server', true)) return Promise.resolve();
  const path = settings.get('path', 'tenon'), child = spawn(path, ['lsp'], {stdio: ['pipe', 'pipe', 'ignore']});
  const mine = {process: child, connection: new Connection(child.stdin, child.stdout, told)};
  const over = why => {
    mine.connection.end();
    if (server !== mine) return; // it was told to
    server = null;
    problems.clear();
    vscode.window.showErrorMessage(`'${path} lsp' ${why}. "Tenon: Restart the language server" starts it again.`);
  };
  child.on('error', e => over(`cannot be started: ${e.message}`));
  child.on('exit', () => over('has ended'));
  server = mine;
  mine.ready = mine.connection.request('initialize', {processId: process.pid, rootUri: null, capabilities: {}}).then(() => {
    mine.connection.notify('initialized', {});
    vscode.workspace.textDocuments.forEach(opened);
  });
  return mine.ready;
}

async function stop() {
  const mine = server;
  server = null;
  if (!mine) return;
  problems.clear();
  await mine.connection.request('shutdown', null).catch(() => null);
  mine.connection.notify('exit', null);
}

/* What the server says to METHOD about DOCUMENT; null where there is none, or it refuses. With OR_THROW a refusal is thrown, so that
   it is shown. */
async function ask(method, document, params, orThrow) {
  if (!server) return null;
  const answer = server.connection.request(`textDocument/${method}`, {textDocument: named(document), ...params});
  return orThrow ? answer : answer.catch(() => null);
}

/* ---- what VS Code asks for ---- */

const list = (answer, make) => (answer || []).map(make);

function providers() {
  const on = vscode.languages;
  return [
    on.registerHoverProvider(SELECTOR, {provideHover: async (document, at) => {
      const h = await ask('hover', document, {position: position(at)});
      return h && new vscode.Hover(new vscode.MarkdownString(h.contents.value), range(h.range));
    }}),
    on.registerDefinitionProvider(SELECTOR, {provideDefinition: async (document, at) => {
      const l = await ask('definition', document, {position: position(at)});
      return l && location(l);
    }}),
    on.registerReferenceProvider(SELECTOR, {provideReferences: async (document, at, context) =>
      list(await ask('references', document, {position: position(at), context}), location)}),
    on.registerDocumentHighlightProvider(SELECTOR, {provideDocumentHighlights: async (document, at) =>
      list(await ask('documentHighlight', document, {position: position(at)}), h => new vscode.DocumentHighlight(range(h.range), h.kind - 1))}),
    on.registerRenameProvider(SELECTOR, {
      provideRenameEdits: async (document, at, newName) => {
        const edit = await ask('rename', document, {position: position(at), newName}, true);
        return edit && workspaceEdit(edit);
      },
      prepareRename: async (document, at) => {
        const found = await ask('prepareRename', document, {position: position(at)});
        if (!found) throw new Error('there is no name here');
        return {range: range(found.range), placeholder: found.placeholder};
      }}),
    on.registerDocumentSymbolProvider(SELECTOR, {provideDocumentSymbols: async document => list(await ask('documentSymbol', document), symbol)}),
    on.registerCompletionItemProvider(SELECTOR, {provideCompletionItems: async (document, at) =>
      list(await ask('completion', document, {position: position(at)}), completion)}, '%'),
    on.registerDocumentFormattingEditProvider(SELECTOR, {provideDocumentFormattingEdits: async document =>
      list(await ask('formatting', document, {}, true), textEdit)}),
    on.registerFoldingRangeProvider(SELECTOR, {provideFoldingRanges: async document =>
      list(await ask('foldingRange', document), f => new vscode.FoldingRange(f.startLine, f.endLine,
        f.kind === 'comment' ? vscode.FoldingRangeKind.Comment : undefined))}),
    on.registerInlayHintsProvider(SELECTOR, {provideInlayHints: async (document, r) =>
      list(await ask('inlayHint', document, {range: plainRange(r)}), h => new vscode.InlayHint(new vscode.Position(h.position.line, h.position.character),
        h.label, vscode.InlayHintKind.Type))}),
    on.registerCodeActionsProvider(SELECTOR, {provideCodeActions: async (document, r) =>
      list(await ask('codeAction', document, {range: plainRange(r), context: {diagnostics: []}}), codeAction)},
    {providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.SourceFixAll]})];
}

async function restart() {
  await stop();
  await start();
}

function activate(context) {
  problems = vscode.languages.createDiagnosticCollection('tenon');
  context.subscriptions.push(problems, ...providers(),
    vscode.workspace.onDidOpenTextDocument(opened), vscode.workspace.onDidChangeTextDocument(changed),
    vscode.workspace.onDidCloseTextDocument(closed), vscode.commands.registerCommand('tenon.restart', restart),
    vscode.workspace.onDidChangeConfiguration(e => e.affectsConfiguration('tenon') ? restart() : null));
  return start();
}

module.exports = {activate, deactivate: stop};
