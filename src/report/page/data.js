/* Shows the data of a report. Names in it come from anywhere: they are set as text, never as markup. */
'use strict';
/* Characters that change the direction of what stands around them could make a name read as another: they are shown as such. */
const D = JSON.parse(document.getElementById('data').textContent.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd'));
const byId = id => document.getElementById(id);
const COLOURS = 8, MOST_SVG = 300, MOST_LINES = 20000, MOST_ROWS = 1000;

/* ---- elements ---- */

function fill(node, properties, children) {
  for (const [key, value] of Object.entries(properties || {}))
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value === true ? '' : value);
  for (const child of children)
    if (child !== null && child !== undefined) node.append(child);
  return node;
}
const el = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
const svg = (tag, properties, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children);
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* ---- numbers ---- */

/* Three digits, without an exponent. */
const short = x => Math.abs(x) >= 99.95 ? x.toFixed(0) : Math.abs(x) >= 9.995 ? x.toFixed(1) : x.toFixed(2);
function amount(x, unit) {
  if (x === undefined || x === null) return '';
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let p = 0;
  for (; Math.abs(x) >= 999.5 && p + 1 < prefixes.length; p++) x /= 1000;
  return `${p ? short(x) : +x.toFixed(1)} ${prefixes[p]}${unit}`;
}
function time(ns) {
  if (ns === undefined || ns === null) return '';
  return ns < 999.5 ? `${Math.round(ns)} ns` : ns < 999.5e3 ? `${short(ns / 1e3)} µs` : ns < 999.5e6 ? `${short(ns / 1e6)} ms` : `${short(ns / 1e9)} s`;
}
const percent = x => x > 0 && x < 0.01 ? '< 1 %' : `${Math.round(100 * x)} %`;
/* Five digits, without zeros behind the point. */
const number = x => x === undefined ? '' : Number(x).toPrecision(5).replace(/(\.\d*?)0+(?=$|e)/, '$1').replace(/\.(?=$|e)/, '');
/* The least and the greatest of any number of them: more arguments than the stack takes would be an error. */
const least = list => list.reduce((a, b) => Math.min(a, b), Infinity);
const greatest = list => list.reduce((a, b) => Math.max(a, b), -Infinity);

/* ---- the program: functions, kernels, values ---- */

const keyOf = (name, kernel) => `${kernel}/${name}`;

function timesOf(trace) {
  const times = new Map();
  for (const e of trace && trace.traceEvents || [])
    if (e.cat !== 'thread' && e.args && e.args.function !== undefined) { // what threads did is in the step
      const key = keyOf(e.args.function, e.args.kernel);
      const t = times.get(key) || {ns: 0, n: 0, control: e.cat === 'control'};
      t.ns += 1000 * (e.args.busy !== undefined ? e.args.busy : e.dur);
      t.n += e.args.folded || 1;
      times.set(key, t);
    }
  return times;
}

/* The event of the run as a whole, which is shown. */
const runOf = data => (data.trace && data.trace.traceEvents || []).filter(e => e.cat === 'run').pop();

/* How many steps a kernel has: some make panels of an operand first. */
function stepsOf(data) {
  const counts = new Map();
  for (const block of data.memory && data.memory.blocks || [])
    for (const [, kernel] of block.steps)
      if (kernel !== null) counts.set(keyOf(block.function, kernel), (counts.get(keyOf(block.function, kernel)) || 0) + 1);
  return counts;
}

function kernelsOf(data) {
  const times = timesOf(data.trace), run = runOf(data), steps = stepsOf(data), all = [];
  data.explain.functions.forEach((f, fn) => f.kernels.forEach((k, number) => {
    const t = times.get(keyOf(f.name, number));
    const bound = k.least_ns;
    if (t) t.n = Math.max(1, t.n / (steps.get(keyOf(f.name, number)) || 1));
    all.push({...k, fn, number, function: f.name, intensity: k.bytes ? k.flops / k.bytes : undefined,
      control: !!t && t.control, ns: t && t.ns / t.n, turns: t ? t.n : 0,
      part: t && run ? t.ns / (1000 * run.dur) : undefined, share: t && bound > 0 && t.ns ? Math.min(bound * t.n / t.ns, 9.99) : undefined});
  }));
  return all;
}

const kernels = kernelsOf(D);
const kernelAt = new Map(kernels.map(k => [keyOf(k.fn, k.number), k]));
const functions = D.graph.functions;
const nodeAt = functions.map(f => new Map(f.nodes.map(n => [n[0], {value: n[0], op: n[1], kernel: n[2] ? n[2] - 1 : null, first: n[3], last: n[4]}])));
const rangeAt = new Map((D.values ? D.values.of : []).map(v => [v.value, v]));
const entry = D.graph.entry;

/* ---- one selection for all views ---- */

let selected = null;
const views = [];

/* FN: the number of a function; KERNEL and VALUE: null where there is none. */
function select(fn, kernel, value) {
  if (kernel === null && value !== null && nodeAt[fn].has(value)) kernel = nodeAt[fn].get(value).kernel;
  selected = {fn, kernel, value};
  showDetails();
  for (const v of views) if (v.made && v.mark) v.mark();
}
function unselect() {
  selected = null;
  byId('selected').textContent = 'Nothing is selected.';
  for (const v of views) if (v.made && v.mark) v.mark();
}
const isOn = (fn, kernel, value) => selected && selected.fn === fn &&
  (selected.value !== null && value !== null ? selected.value === value : kernel !== null && selected.kernel === kernel);

function rows(list) {
  const dl = el('dl');
  for (const [name, value] of list)
    if (value !== undefined && value !== null && value !== '')
      dl.append(el('dt', {}, name), el('dd', {}, value));
  return dl;
}
const cut = (text, most) => text.length > most ? `${text.slice(0, most)}…` : text;
const valueText = v => `${v.value}${v.name !== undefined ? ` '${cut(v.name, 60)}'` : ''} ${v.type}`;

function kernelDetails(k) {
  return rows([
    ['computes', k.name], ['how', k.steps.map(s => s.how).join('; ')],
    ['reads', k.reads.map(valueText).join(', ')], ['writes', k.writes.map(valueText).join(', ')],
    ['moves', k.bytes === undefined ? '' : `${amount(k.bytes, 'B')}, computes ${amount(k.flops, 'flop')}`],
    ['limit', k.least_ns === undefined ? '' : `${k.limit === 'model' ? 'about' : 'at least'} ${time(k.least_ns)} on one thread (${k.limit})`],
    ['time', k.ns === undefined ? '' : `${time(k.ns)}${k.turns > 1 ? `, ${k.turns} times` : ''}${k.part === undefined ? '' : `: ${percent(k.part)} of the run`}`],
    ['schedule', (k.schedules || []).join('; ')],
    ['not fused', k.not_fused.map(e => `${e.value}: ${e.why}`).join('; ')]]);
}
function nodeDetails(fn, n) {
  const r = fn === entry ? rangeAt.get(n.value) : undefined; // values of other functions have the same numbers
  return rows([
    ['line', n.first ? (n.last > n.first ? `${n.first} to ${n.last}` : `${n.first}`) : ''],
    ['range', r && r.least !== undefined ? `${number(r.least)} to ${number(r.most)}` : ''],
    ['NaN', r && r.nan ? String(r.nan) : ''], ['infinite', r && r.infinite ? String(r.infinite) : '']]);
}
function showDetails() {
  const out = byId('selected'), n = selected.value === null ? null : nodeAt[selected.fn].get(selected.value);
  const k = selected.kernel === null ? null : kernelAt.get(keyOf(selected.fn, selected.kernel));
  const where = functions.length > 1 ? ` of ${functions[selected.fn].name}` : '';
  const title = [n && `%${n.value} ${n.op}`, k ? `kernel ${k.number}: ${k.kind}` : n && 'in no kernel'].filter(Boolean).join(', ');
  out.replaceChildren(el('strong', {}, title + where), el('button', {type: 'button', class: 'tool clear', onclick: unselect}, 'clear'));
  if (n) out.append(nodeDetails(selected.fn, n));
  if (k) out.append(kernelDetails(k));
}
