/* Shows the data of a report. Names in it come from anywhere: they are set as text, never as markup. */
'use strict';
(() => {
const D = JSON.parse(document.getElementById('data').textContent);
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

function amount(x, unit) {
  if (x === undefined || x === null) return '';
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let p = 0;
  for (; Math.abs(x) >= 1000 && p + 1 < prefixes.length; p++) x /= 1000;
  return `${p ? x.toPrecision(3) : +x.toFixed(1)} ${prefixes[p]}${unit}`;
}
function time(ns) {
  if (ns === undefined || ns === null) return '';
  return ns < 1000 ? `${Math.round(ns)} ns` : ns < 1e6 ? `${(ns / 1e3).toPrecision(3)} µs` :
    ns < 1e9 ? `${(ns / 1e6).toPrecision(3)} ms` : `${(ns / 1e9).toPrecision(3)} s`;
}
const number = x => x === undefined ? '' : Number(x).toPrecision(5).replace(/\.?0+($|e)/, '$1');

/* ---- the program: functions, kernels, values ---- */

const keyOf = (name, kernel) => `${kernel}/${name}`;

function timesOf(trace) {
  const times = new Map();
  for (const e of trace && trace.traceEvents || [])
    if (e.args && e.args.function !== undefined) {
      const key = keyOf(e.args.function, e.args.kernel);
      const t = times.get(key) || {ns: 0, n: 0};
      t.ns += 1000 * (e.args.busy !== undefined ? e.args.busy : e.dur);
      t.n += e.args.folded || 1;
      times.set(key, t);
    }
  return times;
}

function kernelsOf(data) {
  const times = timesOf(data.trace), all = [];
  data.explain.functions.forEach((f, fn) => f.kernels.forEach((k, number) => {
    const t = times.get(keyOf(f.name, number));
    const least = k.least_ns;
    all.push({...k, fn, number, function: f.name, intensity: k.bytes ? k.flops / k.bytes : undefined,
      ns: t && t.ns / t.n, turns: t ? t.n : 0,
      share: t && least !== undefined && t.ns ? Math.min(least * t.n / t.ns, 9.99) : undefined});
  }));
  return all;
}

const kernels = kernelsOf(D);
const kernelAt = new Map(kernels.map(k => [keyOf(k.fn, k.number), k]));
const functions = D.graph.functions;
const nodeAt = functions.map(f => new Map(f.nodes.map(n => [n[0], {value: n[0], op: n[1], kernel: n[2] ? n[2] - 1 : null, first: n[3], last: n[4]}])));
const rangeAt = new Map((D.values ? D.values.of : []).map(v => [v.value, v]));
const entry = Math.max(0, functions.findIndex(f => !f.region));

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
const isOn = (fn, kernel, value) => selected && selected.fn === fn &&
  (selected.value !== null && value !== null ? selected.value === value : kernel !== null && selected.kernel === kernel);

function rows(list) {
  const dl = el('dl');
  for (const [name, value] of list)
    if (value !== undefined && value !== null && value !== '')
      dl.append(el('dt', {}, name), el('dd', {}, value));
  return dl;
}
const valueText = v => `${v.value}${v.name !== undefined ? ` '${v.name}'` : ''} ${v.type}`;

function kernelDetails(k) {
  return rows([
    ['computes', k.name], ['how', k.steps.map(s => s.how).join('; ')],
    ['reads', k.reads.map(valueText).join(', ')], ['writes', k.writes.map(valueText).join(', ')],
    ['moves', k.bytes === undefined ? '' : `${amount(k.bytes, 'B')}, computes ${amount(k.flops, 'flop')}`],
    ['limit', k.least_ns === undefined ? '' : `at least ${time(k.least_ns)} on one thread (${k.limit})`],
    ['time', k.ns === undefined ? '' : `${time(k.ns)}${k.turns > 1 ? `, ${k.turns} times` : ''}`],
    ['schedule', (k.schedules || []).join('; ')],
    ['not fused', k.not_fused.map(e => `${e.value}: ${e.why}`).join('; ')]]);
}
function nodeDetails(n) {
  const r = rangeAt.get(n.value);
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
  out.replaceChildren(el('strong', {}, title + where));
  if (n) out.append(nodeDetails(n));
  if (k) out.append(kernelDetails(k));
}

/* ---- moving and zooming ---- */

/* What a stage shows: place P of the drawing is at P * k + (x, y). */
class Camera {
  constructor(stage, redraw, options) {
    Object.assign(this, {stage, redraw, k: 1, kx: 1, x: 0, y: 0, onlyX: false, pick: null}, options);
    this.pending = false;
    this.pointers = new Map();
    stage.addEventListener('wheel', e => {
      e.preventDefault();
      const box = stage.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY * 0.0016), e.clientX - box.left, e.clientY - box.top);
    }, {passive: false});
    stage.addEventListener('pointerdown', e => {
      this.pointers.set(e.pointerId, e);
      this.moved = 0;
    });
    stage.addEventListener('pointermove', e => this.move(e));
    stage.addEventListener('pointerup', e => {
      const box = stage.getBoundingClientRect(), was = this.pointers.delete(e.pointerId);
      if (was && this.moved < 5 && this.pick)
        this.pick((e.clientX - box.left - this.x) / this.k, this.onlyX ? e.clientY - box.top : (e.clientY - box.top - this.y) / this.k);
    });
    for (const end of ['pointercancel', 'pointerleave'])
      stage.addEventListener(end, e => this.pointers.delete(e.pointerId));
    new ResizeObserver(() => this.ask()).observe(stage);
  }
  move(e) {
    const before = this.pointers.get(e.pointerId);
    if (!before) return;
    const dx = e.clientX - before.clientX, dy = e.clientY - before.clientY;
    this.moved += Math.abs(dx) + Math.abs(dy);
    if (this.pointers.size === 2) {
      const other = [...this.pointers.values()].find(p => p.pointerId !== e.pointerId);
      const far = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
      const box = this.stage.getBoundingClientRect();
      this.zoom(far(e, other) / far(before, other), other.clientX - box.left, other.clientY - box.top);
    } else {
      this.x += dx;
      this.y += this.onlyX ? 0 : dy;
      this.ask();
    }
    this.pointers.set(e.pointerId, e);
  }
  zoom(by, x, y) {
    const k = Math.min(this.most || 6, Math.max(this.least || 0.005, this.k * by));
    this.x = x - (x - this.x) * k / this.k;
    this.y = y - (y - this.y) * k / this.k;
    this.k = k;
    this.ask();
  }
  fit(width, height) {
    const box = this.stage.getBoundingClientRect();
    if (!box.width || !box.height) return;
    this.k = Math.min(1, (box.width - 32) / (width || 1), (box.height - 32) / (height || 1));
    this.x = (box.width - width * this.k) / 2;
    this.y = Math.max(16, (box.height - height * this.k) / 2);
    this.ask();
  }
  center(x, y) {
    const box = this.stage.getBoundingClientRect();
    this.x = box.width / 2 - x * this.k;
    this.y = box.height / 2 - y * this.k;
    this.ask();
  }
  ask() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.redraw(this); });
  }
}
function canvasOf(stage) {
  const canvas = stage.querySelector('canvas'), box = stage.getBoundingClientRect(), dots = devicePixelRatio || 1;
  const width = Math.round(box.width * dots), height = Math.round(box.height * dots);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
  const g = canvas.getContext('2d');
  g.setTransform(dots, 0, 0, dots, 0, 0);
  g.clearRect(0, 0, box.width, box.height);
  return [g, box.width, box.height];
}

/* ---- program ---- */

function codeOf(text, hit) {
  const code = el('code', {class: 'code mono'}), lines = text.split('\n');
  if (lines.length && lines[lines.length - 1] === '') lines.pop();
  lines.slice(0, MOST_LINES).forEach((line, i) =>
    code.append(el('span', {'data-line': i + 1, class: hit && hit.has(i + 1) ? 'has' : null}, line)));
  if (lines.length > MOST_LINES) code.append(el('span', {class: 'soft'}, `… ${lines.length - MOST_LINES} more lines`));
  return code;
}
function linesOfSource() {
  const at = new Map();
  functions.forEach((f, fn) => nodeAt[fn].forEach(n => {
    for (let line = n.first; line && line <= Math.min(n.last, n.first + 50); line++)
      (at.get(line) || at.set(line, []).get(line)).push({fn, node: n});
  }));
  return at;
}
function linesOfLowered(text) {
  const at = new Map();
  let fn = -1;
  text.split('\n').forEach((line, i) => {
    if (/^(function|region) /.test(line)) fn++;
    const found = fn >= 0 && /^ *%(\d+)/.exec(line), node = found && nodeAt[fn] && nodeAt[fn].get(+found[1]);
    if (node) at.set(i + 1, [{fn, node}]);
  });
  return at;
}
function makeProgram(view) {
  const texts = [];
  if (D.source !== null) texts.push(['as read', D.source, linesOfSource()]);
  if (D.lowered !== null) texts.push(['as compiled', D.lowered, linesOfLowered(D.lowered)]);
  const tools = el('div', {class: 'tools', style: 'padding-left:0'}), room = el('div');
  view.append(tools, room);
  if (!texts.length) room.append(el('p', {}, 'The program is too long to be shown.'));
  let at = null;
  const show = i => {
    at = texts[i][2];
    [...tools.children].forEach((button, k) => button.setAttribute('aria-pressed', String(k === i)));
    const code = codeOf(texts[i][1], at);
    code.addEventListener('click', e => {
      const line = e.target.closest('[data-line]'), here = line && at.get(+line.dataset.line);
      if (!here) return;
      const now = selected ? here.findIndex(h => isOn(h.fn, null, h.node.value)) : -1, next = here[(now + 1) % here.length];
      select(next.fn, null, next.node.value);
    });
    room.replaceChildren(el('pre', {tabindex: 0, 'aria-label': `program, ${texts[i][0]}`, style: 'margin:0;overflow-x:auto'}, code));
    mark();
  };
  const mark = () => {
    let first = null;
    for (const line of room.querySelectorAll('.code > .has')) {
      const on = selected && at.get(+line.dataset.line).some(h => isOn(h.fn, selected.value === null ? h.node.kernel : null, h.node.value) ||
        (selected.value === null && selected.fn === h.fn && selected.kernel !== null && selected.kernel === h.node.kernel));
      line.classList.toggle('on', !!on);
      first = first || (on ? line : null);
    }
    if (first && !view.hidden) first.scrollIntoView({block: 'nearest'});
  };
  texts.forEach(([name], i) => tools.append(el('button', {class: 'tool', type: 'button', 'aria-pressed': 'false', onclick: () => show(i)}, name)));
  if (texts.length) show(0);
  return mark;
}

/* ---- graph ---- */

function pathOf(boxes, edge) {
  const far = edge[edge.length - 1] === null, from = boxes[edge[0]].at, to = boxes[edge[1]].at;
  const points = [];
  for (let i = 2; i + 1 < edge.length; i += 2) points.push([edge[i], edge[i + 1]]);
  points.push([to[0] + to[2] / 2, to[1]]);
  return {far, start: [from[0] + from[2] / 2, from[1] + from[3]], points, from: edge[0], to: edge[1]};
}
/* Calls on G, a canvas path or what collects text, for one line; from afar only its ends count. */
function trace(g, path, afar) {
  let [x, y] = path.start;
  g.moveTo(x, y);
  for (const [nextX, nextY] of afar ? path.points.slice(-1) : path.points) {
    const middle = (y + nextY) / 2;
    if (afar || x === nextX) g.lineTo(nextX, nextY);
    else g.bezierCurveTo(x, middle, nextX, middle, nextX, nextY);
    [x, y] = [nextX, nextY];
  }
}
class PathText {
  constructor() { this.text = ''; }
  moveTo(x, y) { this.text += `M${x} ${y}`; }
  lineTo(x, y) { this.text += `L${x} ${y}`; }
  bezierCurveTo(...p) { this.text += `C${p.join(' ')}`; }
}
const colourOf = box => box.kernel === undefined || box.kind === 'input' || box.kind === 'output' ? null : box.kernel % COLOURS;

/* Boxes that can be selected and scrolled to, as SVG. */
function svgGraph(picture, stage, fn) {
  const room = svg('g'), root = svg('svg', {'aria-hidden': true}, room), groups = [];
  for (const edge of picture.edges) {
    const path = pathOf(picture.boxes, edge), text = new PathText();
    trace(text, path);
    room.append(svg('path', {class: path.far ? 'edge far' : 'edge', d: text.text}));
  }
  for (const box of picture.boxes) {
    const [x, y, width, height] = box.at, colour = colourOf(box), end = box.kind === 'input' || box.kind === 'output';
    const group = svg('g', {class: 'node'},
      svg('rect', {class: `box${end ? ' end' : ''}${colour === null ? '' : ` k${colour}`}`, x, y, width, height, rx: end ? 14 : 4}),
      svg('text', {class: 'title', x: x + 10, y: y + 21}, box.title),
      box.text ? svg('text', {x: x + 10, y: y + 37}, box.text) : null,
      box.note ? svg('text', {class: 'soft', x: x + 10, y: y + 53}, box.note) : null);
    groups.push(group);
    room.append(group);
  }
  stage.replaceChildren(root);
  return {
    redraw: c => room.setAttribute('transform', `translate(${c.x} ${c.y}) scale(${c.k})`),
    mark: () => picture.boxes.forEach((box, i) => groups[i].classList.toggle('on', isBoxOn(fn, box)))
  };
}

function canvasGraph(picture, stage, fn) {
  const paths = picture.edges.map(edge => pathOf(picture.boxes, edge));
  for (const p of paths) {
    const xs = [p.start[0], ...p.points.map(q => q[0])];
    Object.assign(p, {left: Math.min(...xs), right: Math.max(...xs), top: p.start[1], bottom: p.points[p.points.length - 1][1]});
  }
  stage.replaceChildren(el('canvas', {'aria-hidden': true}));
  const redraw = c => {
    const [g, width, height] = canvasOf(stage);
    const left = -c.x / c.k, top = -c.y / c.k, right = left + width / c.k, bottom = top + height / c.k;
    const small = c.k < 0.35, style = {text: css('--text'), soft: css('--soft'), edge: css('--edge'), back: css('--back'), mark: css('--mark')};
    const colours = Array.from({length: COLOURS}, (_, i) => css(`--k${i}`));
    g.translate(c.x, c.y);
    g.scale(c.k, c.k);
    for (const far of [false, true]) {
      g.beginPath();
      for (const p of paths)
        if (p.far === far && p.right >= left && p.left <= right && p.bottom >= top && p.top <= bottom && (p.bottom - p.top) * c.k > 0.7)
          trace(g, p, small);
      g.strokeStyle = style.edge;
      g.lineWidth = Math.max(1.2, 0.5 / c.k);
      g.setLineDash(far && !small ? [3, 4] : []);
      g.stroke();
    }
    g.setLineDash([]);
    g.textBaseline = 'alphabetic';
    for (const box of picture.boxes) {
      const [x, y, w, h] = box.at;
      if (x > right || x + w < left || y > bottom || y + h < top) continue;
      const colour = colourOf(box), on = isBoxOn(fn, box);
      g.fillStyle = colour === null ? style.back : colours[colour];
      g.fillRect(x, y, w, h);
      if (!small || on) {
        g.strokeStyle = on ? style.mark : style.edge;
        g.lineWidth = on ? Math.max(3, 2 / c.k) : 1;
        g.strokeRect(x, y, w, h);
      }
      if (small) continue;
      g.fillStyle = style.text;
      g.font = '700 12px ui-monospace, Menlo, Consolas, monospace';
      g.fillText(box.title, x + 10, y + 21);
      g.font = '12px ui-monospace, Menlo, Consolas, monospace';
      if (box.text) g.fillText(box.text, x + 10, y + 37);
      g.fillStyle = style.soft;
      if (box.note) g.fillText(box.note, x + 10, y + 53);
    }
  };
  return {redraw, mark: null};
}

const isBoxOn = (fn, box) => isOn(fn, box.kernel === undefined ? null : box.kernel, box.value === undefined ? null : box.value) ||
  !!(selected && selected.fn === fn && box.value !== undefined && selected.value === box.value);

function boxOfSelection(picture, fn) {
  if (!selected || selected.fn !== fn) return -1;
  const exact = picture.boxes.findIndex(b => b.value !== undefined && b.value === selected.value);
  return exact >= 0 ? exact : picture.boxes.findIndex(b => isBoxOn(fn, b));
}

function walk(picture, at, key) {
  const [x, y] = picture.boxes[at].at;
  if (key === 'ArrowDown') return (picture.edges.find(e => e[0] === at) || [0, -1])[1];
  if (key === 'ArrowUp') return (picture.edges.find(e => e[1] === at) || [-1])[0];
  let best = -1;
  picture.boxes.forEach((b, i) => {
    const right = b.at[0] > x, near = Math.abs(b.at[1] + b.at[3] / 2 - y - picture.boxes[at].at[3] / 2) < 2;
    if (i !== at && near && right === (key === 'ArrowRight') &&
        (best < 0 || Math.abs(b.at[0] - x) < Math.abs(picture.boxes[best].at[0] - x))) best = i;
  });
  return best;
}

function makeGraph(view) {
  const stage = el('div', {class: 'stage', tabindex: 0, role: 'application',
    'aria-label': 'Graph. Arrows walk along its lines, plus and minus zoom, f shows all of it.'});
  const whichFunction = el('select', {'aria-label': 'function'}), whichPicture = el('select', {'aria-label': 'boxes'});
  const note = el('span', {class: 'soft'}, 'drag to move, wheel to zoom, arrows to walk, / to search');
  functions.forEach((f, i) => whichFunction.append(el('option', {value: i}, `${f.region ? 'region' : 'function'} ${f.name}`)));
  let picture = null, fn = entry, drawn = null;
  const camera = new Camera(stage, c => drawn && drawn.redraw(c), {pick: (x, y) => {
    const i = picture ? picture.boxes.findIndex(b => x >= b.at[0] && x <= b.at[0] + b.at[2] && y >= b.at[1] && y <= b.at[1] + b.at[3]) : -1;
    if (i >= 0) choose(i);
  }});
  const choose = i => {
    const b = picture.boxes[i];
    select(fn, b.kernel === undefined ? null : b.kernel, b.value === undefined ? null : b.value);
  };
  const fit = () => picture && camera.fit(picture.width, picture.height);
  /* All of it, or the top where that would be too small to read. */
  const begin = () => {
    fit();
    if (camera.k > 0.55 || !picture.boxes.length) return;
    const [x, y, w] = picture.boxes[0].at;
    camera.k = 0.8;
    camera.center(x + w / 2, y);
    camera.y = 24 - y * camera.k;
  };
  const show = i => {
    picture = functions[fn].pictures[i] || null;
    drawn = null;
    if (!picture) {
      stage.replaceChildren(el('p', {style: 'padding:16px'}, 'This function is too large for a picture.'));
      return;
    }
    drawn = (picture.boxes.length <= MOST_SVG ? svgGraph : canvasGraph)(picture, stage, fn);
    begin();
    if (drawn.mark) drawn.mark();
  };
  const open = () => {
    whichFunction.value = fn;
    whichPicture.replaceChildren(...functions[fn].pictures.map((p, i) => el('option', {value: i}, `boxes: ${p.of}`)));
    show(0);
  };
  const mark = () => {
    if (selected && selected.fn !== fn) { fn = selected.fn; open(); }
    const i = picture ? boxOfSelection(picture, fn) : -1;
    if (drawn && drawn.mark) drawn.mark();
    if (i >= 0) {
      const [x, y, w, h] = picture.boxes[i].at, box = stage.getBoundingClientRect();
      const left = x * camera.k + camera.x, top = y * camera.k + camera.y;
      if (left < 0 || top < 0 || left + w * camera.k > box.width || top + h * camera.k > box.height) camera.center(x + w / 2, y + h / 2);
    }
    camera.ask();
  };
  whichFunction.addEventListener('change', () => { fn = +whichFunction.value; open(); });
  whichPicture.addEventListener('change', () => show(+whichPicture.value));
  stage.addEventListener('keydown', e => {
    const box = stage.getBoundingClientRect();
    if (e.key === '+' || e.key === '-') camera.zoom(e.key === '+' ? 1.25 : 0.8, box.width / 2, box.height / 2);
    else if (e.key === 'f') fit();
    else if (e.key.startsWith('Arrow') && picture) {
      const at = boxOfSelection(picture, fn), next = at < 0 ? 0 : walk(picture, at, e.key);
      if (next >= 0 && picture.boxes.length) choose(next);
    } else return;
    e.preventDefault();
  });
  view.append(el('div', {class: 'tools'}, whichFunction, whichPicture,
    el('button', {class: 'tool', type: 'button', onclick: fit}, 'fit'), note), stage);
  open();
  return mark;
}

/* ---- tables ---- */

/* COLUMNS: [title, text of an item, number to sort by or null]. */
function table(items, columns, key, pick, caption) {
  const body = el('tbody'), head = el('tr'), at = new Map();
  let order = items.slice(), shown = MOST_ROWS;
  const more = el('button', {class: 'tool', type: 'button', hidden: true, onclick: () => { shown += MOST_ROWS; draw(); }}, 'more rows');
  const draw = () => {
    at.clear();
    body.replaceChildren(...order.slice(0, shown).map(item => {
      const row = el('tr', pick ? {class: 'pick', onclick: () => pick(item)} : {});
      columns.forEach(([, text, value], i) => {
        const shownText = text(item);
        row.append(el('td', {class: value ? 'number' : null},
          i === 0 && pick ? el('button', {class: 'link', type: 'button'}, shownText) : shownText));
      });
      if (key) (at.get(key(item)) || at.set(key(item), []).get(key(item))).push(row);
      return row;
    }));
    more.hidden = order.length <= shown;
  };
  columns.forEach(([title, , value]) => {
    const th = el('th', {scope: 'col', class: value ? 'number' : null});
    if (value) th.append(el('button', {type: 'button', onclick: () => {
      const down = th.getAttribute('aria-sort') !== 'descending';
      for (const other of head.children) other.removeAttribute('aria-sort');
      th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const rank = item => { const x = value(item); return x === undefined || x === null ? -Infinity : x; };
      order.sort((a, b) => (down ? 1 : -1) * (rank(b) - rank(a)));
      draw();
    }}, title));
    else th.append(title);
    head.append(th);
  });
  draw();
  return {root: el('div', {class: 'listing'}, el('p', {class: 'soft'}, caption),
    el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': caption}, el('table', {}, el('thead', {}, head), body)), more),
  rows: at};
}

function makeKernels(view) {
  const several = functions.length > 1, timed = kernels.some(k => k.ns !== undefined);
  const bar = share => el('span', {}, `${Math.round(100 * share)} % `,
    el('span', {class: 'bar', style: `width:${Math.round(60 * Math.min(share, 1))}px`}));
  const columns = [['kernel', k => `${several ? `${k.function} ` : ''}${k.number}`, null], ['kind', k => k.kind, null],
    ['computes', k => k.name, null], ['bytes', k => amount(k.bytes, 'B'), k => k.bytes], ['flops', k => amount(k.flops, 'flop'), k => k.flops],
    ['at least', k => time(k.least_ns), k => k.least_ns]];
  if (timed)
    columns.push(['time', k => time(k.ns), k => k.ns], ['of the limit', k => k.share === undefined ? '' : bar(k.share), k => k.share]);
  columns.push(['not fused, and why', k => k.not_fused.map(e => `${e.value}: ${e.why}`).join('; '), null]);
  const made = table(kernels, columns, k => keyOf(k.fn, k.number), k => select(k.fn, k.number, null),
    'Kernels in the order in which they run. The limit is that of memory and arithmetic on one thread: more threads, and data in caches, can pass it.');
  view.append(made.root);
  return () => {
    for (const [key, list] of made.rows)
      for (const row of list) row.classList.toggle('on', !!selected && selected.kernel !== null && key === keyOf(selected.fn, selected.kernel));
    const on = view.querySelector('tr.on');
    if (on && !view.hidden) on.scrollIntoView({block: 'nearest'});
  };
}

/* ---- timeline ---- */

function makeTimeline(view) {
  const fnOf = new Map(functions.map((f, i) => [f.name, i]));
  const events = D.trace.traceEvents.filter(e => e.ph === 'X').map(e => ({...e, depth: 0,
    threads: e.args && e.args.threads || 1, fn: e.args && fnOf.get(e.args.function), kernel: e.args && e.args.kernel}));
  events.sort((a, b) => a.tid - b.tid || a.ts - b.ts || b.dur - a.dur);
  const start = Math.min(...events.map(e => e.ts)), end = Math.max(...events.map(e => e.ts + e.dur));
  const open = [];
  let lastTrack = -1, base = 0, deepest = 0;
  for (const e of events) {
    if (e.tid !== lastTrack) { open.length = 0; base = lastTrack < 0 ? 0 : deepest + 1; lastTrack = e.tid; }
    while (open.length && open[open.length - 1].ts + open[open.length - 1].dur < e.ts + e.dur - 1e-6) open.pop();
    e.depth = base + open.length;
    deepest = Math.max(deepest, e.depth);
    open.push(e);
  }
  const most = Math.max(...events.map(e => e.threads)), ROW = 26, TOP = 24;
  const heightOf = e => 8 + 14 * e.threads / most, topOf = e => TOP + e.depth * ROW;
  const stage = el('div', {class: 'stage', tabindex: 0, role: 'application',
    'aria-label': 'Timeline of the run. The table of kernels has the same times. Plus and minus zoom, arrows move.'},
  el('canvas', {'aria-hidden': true}));
  const redraw = c => {
    const [g, width] = canvasOf(stage), style = {text: css('--text'), soft: css('--soft'), line: css('--line'), mark: css('--mark'), edge: css('--edge')};
    const step = 10 ** Math.ceil(Math.log10(90 / c.k));
    g.font = '11px system-ui, sans-serif';
    for (let t = Math.max(0, Math.floor(-c.x / c.k / step) * step); t * c.k + c.x < width; t += step) {
      g.fillStyle = style.line;
      g.fillRect(t * c.k + c.x, 0, 1, 10000);
      g.fillStyle = style.soft;
      g.fillText(time(1000 * t) || '0', t * c.k + c.x + 4, 13);
    }
    for (const e of events) {
      const x = (e.ts - start) * c.k + c.x, w = Math.max(1, e.dur * c.k), y = topOf(e), h = heightOf(e);
      if (x > width || x + w < 0) continue;
      const on = selected && selected.kernel !== null && e.fn === selected.fn && e.kernel === selected.kernel;
      g.fillStyle = e.kernel === undefined ? css('--k7') : css(`--k${e.kernel % COLOURS}`);
      g.fillRect(x, y, w, h);
      g.strokeStyle = on ? style.mark : style.edge;
      g.lineWidth = on ? 3 : 0.5;
      g.strokeRect(x, y, w, h);
      const room = Math.min(x + w, width) - Math.max(x, 0) - 8;
      if (room > 24) {
        g.fillStyle = style.text;
        const text = e.name.length * 6 > room ? `${e.name.slice(0, Math.max(1, Math.floor(room / 6) - 1))}…` : e.name;
        g.fillText(text, Math.max(x, 0) + 4, y + 12);
      }
    }
  };
  const camera = new Camera(stage, redraw, {onlyX: true, most: 1e5, least: 1e-9, pick: (x, y) => {
    const t = x + start, hit = events.filter(e => t >= e.ts && t <= e.ts + Math.max(e.dur, 3 / camera.k) && y >= topOf(e) && y <= topOf(e) + ROW).pop();
    if (hit && hit.kernel !== undefined && hit.fn !== undefined) select(hit.fn, hit.kernel, null);
  }});
  const fit = () => {
    const width = stage.getBoundingClientRect().width;
    camera.k = Math.max(1, width - 32) / Math.max(end - start, 1e-3);
    camera.x = 16;
    camera.ask();
  };
  stage.addEventListener('keydown', e => {
    const width = stage.getBoundingClientRect().width;
    if (e.key === '+' || e.key === '-') camera.zoom(e.key === '+' ? 1.5 : 1 / 1.5, width / 2, 0);
    else if (e.key === 'f') fit();
    else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') { camera.x += e.key === 'ArrowLeft' ? 60 : -60; camera.ask(); }
    else return;
    e.preventDefault();
  });
  view.append(el('div', {class: 'tools'}, el('button', {class: 'tool', type: 'button', onclick: fit}, 'fit'),
    el('span', {class: 'soft'}, `${events.length} steps in ${time(1000 * (end - start))}; the height is the number of threads, ${most} at most`)), stage);
  fit();
  return () => camera.ask();
}

/* ---- roofline ---- */

function makeRoofline(view) {
  const W = 860, H = 470, L = 70, B = 46, T = 20, R = 20, limits = D.explain.limits;
  const timed = kernels.some(k => k.ns !== undefined);
  const dots = kernels.filter(k => k.bytes > 0 && k.flops > 0 && (!timed || k.ns)).map(k => ({k, x: k.intensity,
    y: timed ? k.flops / (k.ns * 1e-9) : Math.min(limits.flops_per_second, k.intensity * limits.bytes_per_second)}));
  const xs = dots.map(d => d.x).concat(limits.flops_per_second / limits.bytes_per_second), ys = dots.map(d => d.y).concat(limits.flops_per_second);
  const x0 = Math.floor(Math.log10(Math.min(...xs)) - 0.3), x1 = Math.ceil(Math.log10(Math.max(...xs)) + 0.3);
  const y0 = Math.floor(Math.log10(Math.min(...ys)) - 0.1), y1 = Math.ceil(Math.log10(Math.max(...ys)) + 0.1);
  const px = x => L + (Math.log10(x) - x0) / (x1 - x0) * (W - L - R), py = y => H - B - (Math.log10(y) - y0) / (y1 - y0) * (H - B - T);
  const root = svg('svg', {viewBox: `0 0 ${W} ${H}`, role: 'group', 'aria-label': 'Roofline', class: 'chart'});
  for (let x = x0; x <= x1; x++)
    root.append(svg('line', {class: 'axis', x1: px(10 ** x), x2: px(10 ** x), y1: T, y2: H - B}),
      svg('text', {class: 'soft', x: px(10 ** x), y: H - B + 18, 'text-anchor': 'middle'}, String(+(10 ** x).toPrecision(1))));
  for (let y = y0; y <= y1; y++)
    root.append(svg('line', {class: 'axis', x1: L, x2: W - R, y1: py(10 ** y), y2: py(10 ** y)}),
      svg('text', {class: 'soft', x: L - 8, y: py(10 ** y) + 4, 'text-anchor': 'end'}, amount(10 ** y, '')));
  const knee = limits.flops_per_second / limits.bytes_per_second, low = Math.max(10 ** x0, 10 ** y0 / limits.bytes_per_second);
  root.append(svg('polyline', {class: 'roof', points: [[low, low * limits.bytes_per_second], [knee, limits.flops_per_second], [10 ** x1, limits.flops_per_second]]
    .map(([x, y]) => `${px(x)},${py(y)}`).join(' ')}),
  svg('text', {x: W - R, y: py(limits.flops_per_second) - 8, 'text-anchor': 'end'}, amount(limits.flops_per_second, 'flop/s')),
  svg('text', {x: L + 8, y: T + 14}, `${amount(limits.bytes_per_second, 'B/s')} of memory, on one thread`),
  svg('text', {class: 'soft', x: (L + W) / 2, y: H - 8, 'text-anchor': 'middle'}, 'operations for each byte'));
  const marks = dots.map(d => {
    const mark = svg('circle', {class: 'dot', cx: px(d.x), cy: py(d.y), r: 7, tabindex: 0, role: 'button',
      'aria-label': `kernel ${d.k.number} ${d.k.name}: ${amount(d.y, 'flop/s')}`,
      onclick: () => select(d.k.fn, d.k.number, null),
      onkeydown: e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); select(d.k.fn, d.k.number, null); } }},
    svg('title', {}, `kernel ${d.k.number} ${d.k.name}`));
    root.append(mark);
    return [d.k, mark];
  });
  view.append(el('p', {class: 'soft'}, timed ? 'Each kernel as it ran, beside the limits of one thread, which were measured on this machine.' :
    'Each kernel where its limit is: the program did not run. Limits were measured on this machine.'), root);
  return () => { for (const [k, mark] of marks) mark.classList.toggle('on', isOn(k.fn, k.number, null)); };
}

/* ---- memory ---- */

function makeMemory(view) {
  const fnOf = new Map(functions.map((f, i) => [f.name, i])), room = el('div');
  const blocks = D.memory.blocks.filter(b => b.steps.length);
  const pickBlock = el('select', {'aria-label': 'function'}, ...blocks.map((b, i) => el('option', {value: i}, b.function || `block ${i}`)));
  let marks = [];
  const show = block => {
    const W = 860, H = 360, L = 76, B = 34, T = 10, n = block.steps.length, fn = fnOf.get(block.function);
    const temps = block.buffers.filter(b => b[0] === 'temporary' && b[2] > 0), top = Math.max(1, ...temps.map(b => b[1] + b[2]));
    const live = new Array(n + 1).fill(0);
    for (const b of temps) { live[b[3]] += b[2]; live[b[4] + 1] -= b[2]; }
    for (let i = 1; i <= n; i++) live[i] += live[i - 1];
    const peak = live.indexOf(Math.max(...live.slice(0, n)));
    const root = svg('svg', {viewBox: `0 0 ${W} ${H}`, role: 'group', 'aria-label': 'Memory over steps', class: 'chart'});
    const px = step => L + step / n * (W - L - 10), py = byte => H - B - byte / top * (H - B - T);
    for (let i = 0; i <= 4; i++)
      root.append(svg('line', {class: 'axis', x1: L, x2: W - 10, y1: py(top * i / 4), y2: py(top * i / 4)}),
        svg('text', {class: 'soft', x: L - 6, y: py(top * i / 4) + 4, 'text-anchor': 'end'}, amount(top * i / 4, 'B')));
    root.append(svg('text', {class: 'soft', x: (L + W) / 2, y: H - 6, 'text-anchor': 'middle'}, `steps 0 to ${n - 1}`));
    marks = [];
    const nameOf = b => block.steps[b[3]] ? block.steps[b[3]][0] : '';
    for (const b of temps.slice(0, 20000)) {
      const kernel = block.steps[b[3]] ? block.steps[b[3]][1] : null;
      const rect = svg('rect', {class: `box${kernel === null ? '' : ` k${kernel % COLOURS}`}`, x: px(b[3]), width: Math.max(1, px(b[4] + 1) - px(b[3])),
        y: py(b[1] + b[2]), height: Math.max(1, py(b[1]) - py(b[1] + b[2])),
        onclick: () => { if (kernel !== null && fn !== undefined) select(fn, kernel, null); }},
      svg('title', {}, `${amount(b[2], 'B')} written by ${nameOf(b)}, steps ${b[3]} to ${b[4]}`));
      root.append(rect);
      marks.push([fn, kernel, rect]);
    }
    const peakX = (px(peak) + px(peak + 1)) / 2;
    root.append(svg('line', {class: 'roof', x1: peakX, x2: peakX, y1: T, y2: H - B, 'stroke-dasharray': '2 3'}));
    const held = temps.filter(b => b[3] <= peak && b[4] >= peak).sort((a, b) => b[2] - a[2]).slice(0, 100);
    const list = table(held, [['written by', b => `step ${b[3]}: ${nameOf(b)}`, null], ['bytes', b => amount(b[2], 'B'), b => b[2]],
      ['first step', b => String(b[3]), b => b[3]], ['last step', b => String(b[4]), b => b[4]]], null,
    b => { const kernel = block.steps[b[3]][1]; if (kernel !== null && fn !== undefined) select(fn, kernel, null); },
    `What is held at the peak, ${amount(live[peak], 'B')} at step ${peak}`);
    room.replaceChildren(temps.length ? el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'memory map'}, root) :
      el('p', {}, 'It needs no memory besides inputs, outputs and constants.'), temps.length ? list.root : '');
    mark();
  };
  const mark = () => { for (const [fn, kernel, rect] of marks) rect.classList.toggle('on', !!selected && kernel !== null && selected.fn === fn && selected.kernel === kernel); };
  pickBlock.addEventListener('change', () => show(blocks[+pickBlock.value]));
  view.append(el('p', {class: 'soft'}, `Temporaries take ${amount(D.memory.bytes, 'B')} in one piece, and each thread ${amount(D.memory.scratch, 'B')} of scratch memory. Each rectangle is one of them: when it lives, and where it lies.`),
    blocks.length > 1 ? pickBlock : '', room);
  if (blocks.length) show(blocks[0]);
  return mark;
}

/* ---- passes ---- */

function makePasses(view) {
  const list = D.passes, texts = list.map(p => p.text), two = el('div', {class: 'two'});
  view.classList.add('passes');
  const before = i => { for (let k = i - 1; k >= 0; k--) if (texts[k] !== undefined) return k; return 0; };
  const show = i => {
    const a = texts[before(i)] || '', b = texts[i] === undefined ? a : texts[i];
    const inA = new Set(a.split('\n')), inB = new Set(b.split('\n'));
    const side = (title, text, other, word) => {
      const code = codeOf(text);
      for (const line of code.children) if (line.dataset.line && line.textContent.trim() && !other.has(line.textContent)) line.classList.add(word);
      return el('div', {tabindex: 0, role: 'region', 'aria-label': title}, el('h2', {}, title), el('pre', {style: 'margin:0'}, code));
    };
    two.replaceChildren(side(`before ${list[i].pass}`, a, inB, 'less'), side(`after ${list[i].pass}`, b, inA, 'more'));
    made.rows.forEach((rowsOf, key) => rowsOf.forEach(r => r.classList.toggle('on', key === i)));
  };
  const numbered = list.map((p, i) => ({...p, i}));
  const made = table(numbered, [['pass', p => p.pass, null], ['changes', p => String(p.changed), p => p.changed],
    ['nodes after', p => String(p.nodes), p => p.nodes], ['', p => p.text === undefined && p.changed ? 'too long to be shown' : '', null]],
  p => p.i, p => show(p.i), 'Passes in the order in which they ran');
  view.append(made.root, two);
  const first = numbered.find(p => p.changed > 0 && p.text !== undefined);
  if (first) show(first.i);
  return null;
}

/* ---- values, training, comparison ---- */

function makeValues(view) {
  const bad = v => v.nan || v.infinite;
  const made = table(D.values.of, [['value', v => `%${v.value} ${v.op}`, null], ['type', v => v.type, null],
    ['least', v => number(v.least), v => v.least], ['most', v => number(v.most), v => v.most], ['mean', v => number(v.mean), v => v.mean],
    ['NaN', v => v.nan ? el('span', {class: 'bad'}, String(v.nan)) : '0', v => v.nan],
    ['infinite', v => v.infinite ? el('span', {class: 'bad'}, String(v.infinite)) : '0', v => v.infinite],
    ['denormal', v => String(v.denormal), v => v.denormal], ['zero', v => String(v.zero), v => v.zero]],
  v => v.value, v => select(entry, null, v.value), 'Values of the run, as the reference evaluator computes them');
  const first = D.values.of.find(bad);
  view.append(el('p', {class: first ? 'bad' : 'soft'}, first ? `The first value that is not finite is %${first.value}, of ${first.op}.` : 'Every value is finite.'),
    D.values.left_out ? el('p', {class: 'soft'}, `${D.values.left_out} values are too large and left out.`) : '', made.root);
  return () => {
    for (const [key, list] of made.rows) for (const row of list) row.classList.toggle('on', !!selected && selected.fn === entry && selected.value === key);
  };
}

/* Each input of a gradient program, and how large its gradient is. */
function makeGradients(view) {
  const names = new Map();
  for (const picture of functions[entry].pictures)
    for (const b of picture.boxes) if (b.kind === 'input') names.set(b.value, b);
  const items = D.gradients.map(([input, gradient]) => ({input, gradient, name: names.get(input), node: nodeAt[entry].get(gradient), range: rangeAt.get(gradient)}));
  const size = i => i.range && i.range.most !== undefined ? Math.max(Math.abs(i.range.least), Math.abs(i.range.most)) : undefined;
  const columns = [['input', i => i.name ? i.name.title : `%${i.input}`, null], ['type', i => i.name ? i.name.text : '', null],
    ['gradient', i => `%${i.gradient}${i.node ? ` ${i.node.op}` : ''}`, null],
    ['kernel', i => i.node && i.node.kernel !== null ? String(i.node.kernel) : '', i => i.node && i.node.kernel]];
  if (D.values)
    columns.push(['largest magnitude', i => number(size(i)), size], ['mean', i => number(i.range && i.range.mean), i => i.range && i.range.mean],
      ['not finite', i => i.range && (i.range.nan || i.range.infinite) ? el('span', {class: 'bad'}, String(i.range.nan + i.range.infinite)) : '0', i => i.range && i.range.nan + i.range.infinite]);
  const made = table(items, columns, i => i.gradient, i => select(entry, null, i.gradient), 'Inputs of the program and their gradients');
  view.append(made.root);
  return () => {
    for (const [key, list] of made.rows) for (const row of list) row.classList.toggle('on', !!selected && selected.fn === entry && selected.value === key);
  };
}

function curve(title, points, log) {
  const W = 860, H = 280, L = 80, B = 34, T = 12, ok = points.filter(p => Number.isFinite(p[1]) && (!log || p[1] > 0));
  if (ok.length < 2) return '';
  const f = log ? Math.log10 : x => x, ys = ok.map(p => f(p[1])), xs = ok.map(p => p[0]);
  const min = Math.min(...ys), max = Math.max(...ys), from = Math.min(...xs), to = Math.max(...xs);
  const px = x => L + (x - from) / (to - from || 1) * (W - L - 10), py = y => H - B - (f(y) - min) / (max - min || 1) * (H - B - T);
  const root = svg('svg', {viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': title, class: 'chart'});
  for (let i = 0; i <= 4; i++) {
    const y = min + (max - min) * i / 4, value = log ? 10 ** y : y;
    root.append(svg('line', {class: 'axis', x1: L, x2: W - 10, y1: py(value), y2: py(value)}),
      svg('text', {class: 'soft', x: L - 6, y: py(value) + 4, 'text-anchor': 'end'}, number(value)));
  }
  root.append(svg('polyline', {class: 'curve', points: ok.map(p => `${px(p[0]).toFixed(1)},${py(p[1]).toFixed(1)}`).join(' ')}),
    svg('text', {class: 'soft', x: (L + W) / 2, y: H - 6, 'text-anchor': 'middle'}, `step ${from} to ${to}`));
  return el('div', {}, el('h2', {}, title), root);
}
function makeTraining(view) {
  const steps = D.training.filter(s => s && typeof s.step === 'number');
  for (const [key, title, log] of [['loss', 'Loss', false], ['norm', 'Norm of the gradient', true], ['rate', 'Learning rate', false]])
    view.append(curve(title, steps.filter(s => typeof s[key] === 'number').map(s => [s.step, s[key]]), log));
  const last = steps[steps.length - 1];
  view.append(el('p', {}, last ? `${steps.length} steps, the last loss is ${number(last.loss)}` : 'The log has no steps.'));
  return null;
}

function totals(data, list) {
  const sum = key => list.reduce((n, k) => n + (k[key] || 0), 0);
  const run = (data.trace && data.trace.traceEvents || []).filter(e => e.cat === 'run').pop();
  return {kernels: list.length, bytes: sum('bytes'), flops: sum('flops'), least: sum('least_ns'),
    memory: data.explain.memory_bytes, ns: run && 1000 * run.dur};
}
function makeCompare(view) {
  const other = kernelsOf(D.other), a = totals(D, kernels), b = totals(D.other, other), used = new Set();
  const ratio = (x, y) => x && y ? `${(x / y).toFixed(2)} ×` : '';
  const line = (name, key, unit) => [name, unit(a[key]), unit(b[key]), ratio(b[key], a[key])];
  const head = ['', `this: ${D.title}`, `other: ${D.other.title}`, 'other / this'];
  const grid = (titles, lines) => el('table', {}, el('thead', {}, el('tr', {}, ...titles.map(t => el(t ? 'th' : 'td', t ? {scope: 'col'} : {}, t)))),
    el('tbody', {}, ...lines.map(l => el('tr', {}, el('th', {scope: 'row', style: 'position:static'}, l[0]), ...l.slice(1).map(c => el('td', {}, c))))));
  view.append(el('h2', {}, 'Together'), grid(head, [line('time of the run', 'ns', time), line('kernels', 'kernels', x => String(x)), line('bytes moved', 'bytes', x => amount(x, 'B')),
    line('operations', 'flops', x => amount(x, 'flop')), line('at least, on one thread', 'least', time), line('memory', 'memory', x => amount(x, 'B'))]));
  const pairs = kernels.map(k => {
    const found = other.find(o => !used.has(o) && o.function === k.function && o.name === k.name && o.kind === k.kind);
    if (found) used.add(found);
    return {k, o: found};
  }).concat(other.filter(o => !used.has(o)).map(o => ({k: null, o})));
  const of = p => p.k || p.o;
  const made = table(pairs, [['kernel', p => `${of(p).kind}: ${of(p).name}`, null],
    ['here', p => p.k ? time(p.k.ns) || 'yes' : 'no', p => p.k && p.k.ns], ['there', p => p.o ? time(p.o.ns) || 'yes' : 'no', p => p.o && p.o.ns],
    ['there / here', p => p.k && p.o ? ratio(p.o.ns, p.k.ns) : '', p => p.k && p.o && p.k.ns ? p.o.ns / p.k.ns : undefined],
    ['bytes here', p => p.k ? amount(p.k.bytes, 'B') : '', p => p.k && p.k.bytes], ['bytes there', p => p.o ? amount(p.o.bytes, 'B') : '', p => p.o && p.o.bytes]],
  p => p.k ? keyOf(p.k.fn, p.k.number) : null, p => { if (p.k) select(p.k.fn, p.k.number, null); }, `Kernels of this program and of ${D.other.title}`);
  view.append(made.root);
  return () => {
    for (const [key, list] of made.rows) for (const row of list) row.classList.toggle('on', !!selected && selected.kernel !== null && key === keyOf(selected.fn, selected.kernel));
  };
}

/* ---- the page ---- */

function addView(title, make, drawn) {
  const id = title.toLowerCase();
  const tab = el('button', {type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `view-${id}`, 'aria-selected': 'false', tabindex: -1}, title);
  const room = el('section', {class: drawn ? 'view drawn' : 'view', id: `view-${id}`, role: 'tabpanel', 'aria-labelledby': `tab-${id}`, 'data-title': title, tabindex: drawn ? null : 0, hidden: true});
  const view = {title, tab, room, made: false, mark: null, show() {
    for (const v of views) {
      v.room.hidden = v !== view;
      v.tab.setAttribute('aria-selected', String(v === view));
      v.tab.tabIndex = v === view ? 0 : -1;
    }
    if (!view.made) { view.mark = make(room); view.made = true; }
    if (view.mark && selected) view.mark();
  }};
  tab.addEventListener('click', () => view.show());
  views.push(view);
  byId('tabs').append(tab);
  byId('views').append(room);
}

byId('tabs').addEventListener('keydown', e => {
  const now = views.findIndex(v => v.tab === document.activeElement);
  const next = e.key === 'ArrowRight' ? now + 1 : e.key === 'ArrowLeft' ? now - 1 : e.key === 'Home' ? 0 : e.key === 'End' ? views.length - 1 : -2;
  if (now < 0 || next === -2) return;
  const view = views[(next + views.length) % views.length];
  view.show();
  view.tab.focus();
  e.preventDefault();
});

/* Where the search looks: values by number, operation and name, kernels by what they compute. */
const places = [];
functions.forEach((f, fn) => {
  nodeAt[fn].forEach(n => places.push({text: `%${n.value} ${n.op}`.toLowerCase(), go: () => select(fn, null, n.value)}));
  for (const b of (f.pictures[0] || {boxes: []}).boxes)
    if (b.kind === 'input' || b.kind === 'output') places.push({text: b.title.toLowerCase(), go: () => select(fn, null, b.value)});
});
for (const k of kernels) places.push({text: `kernel ${k.number} ${k.name}`.toLowerCase(), go: () => select(k.fn, k.number, null)});
let lastPlace = -1;
byId('search').addEventListener('keydown', e => {
  const text = e.target.value.trim().toLowerCase();
  if (e.key !== 'Enter' || !text) return;
  for (let i = 1; i <= places.length; i++) {
    const at = (lastPlace + i) % places.length;
    if (places[at].text.includes(text)) { lastPlace = at; places[at].go(); return; }
  }
  byId('selected').textContent = 'Nothing like that was found.';
});
document.addEventListener('keydown', e => {
  if (e.key !== '/' || /^(INPUT|SELECT)$/.test(document.activeElement.tagName)) return;
  byId('search').focus();
  e.preventDefault();
});

addView('Program', makeProgram);
addView('Graph', makeGraph, true);
addView('Kernels', makeKernels);
if (D.trace && D.trace.traceEvents.length) addView('Timeline', makeTimeline, true);
if (D.explain.limits && kernels.some(k => k.bytes > 0 && k.flops > 0)) addView('Roofline', makeRoofline);
if (D.memory) addView('Memory', makeMemory);
if (D.passes) addView('Passes', makePasses);
if (D.values) addView('Values', makeValues);
if (D.gradients) addView('Gradients', makeGradients);
if (D.training) addView('Training', makeTraining);
if (D.other) addView('Compare', makeCompare);

const all = totals(D, kernels);
byId('summary').textContent = [`${kernels.length} kernel${kernels.length === 1 ? '' : 's'}`, `moves ${amount(all.bytes, 'B')}`, `computes ${amount(all.flops, 'flop')}`,
  all.least ? `at least ${time(all.least)} on one thread` : '', all.ns ? `ran in ${time(all.ns)}` : '', `tenon ${D.version}`].filter(Boolean).join(' · ');
byId('page').hidden = false;
views[1].show();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { for (const v of views) if (v.made && v.mark) v.mark(); });
addEventListener('beforeprint', () => {
  const now = views.find(v => !v.room.hidden);
  for (const v of views) if (!v.made) v.show();
  now.show();
});
})();
