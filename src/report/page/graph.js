/* The graph: boxes of operations or of kernels, and lines. */
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
/* What colours mean: the kernel that a box is part of, or how much of the run that takes. */
let byTime = false;
const HEAT = [0.01, 0.05, 0.1, 0.25]; // parts of the run from which a box is darker
const heatOf = part => HEAT.filter(least => part >= least).length;
function toneOf(fn, box) {
  if (box.kernel === undefined || box.kind === 'input' || box.kind === 'output') return null;
  const k = kernelAt.get(keyOf(fn, box.kernel));
  return !byTime ? `k${box.kernel % COLOURS}` : k && k.part !== undefined ? `h${heatOf(k.part)}` : null;
}
/* The last line in a box: for a kernel that is coloured by its time, that. */
function noteOf(fn, box) {
  const k = byTime && box.kind === 'kernel' && kernelAt.get(keyOf(fn, box.kernel));
  return k && k.part !== undefined ? `${percent(k.part)}, ${time(k.ns)}${k.turns > 1 ? ` × ${k.turns}` : ''}` : box.note;
}

/* Boxes that can be selected and scrolled to, as SVG. */
function svgGraph(picture, stage, fn) {
  const room = svg('g'), root = svg('svg', {'aria-hidden': true}, room), groups = [];
  for (const edge of picture.edges) {
    const path = pathOf(picture.boxes, edge), text = new PathText();
    trace(text, path);
    room.append(svg('path', {class: path.far ? 'edge far' : 'edge', d: text.text}));
  }
  for (const box of picture.boxes) {
    const [x, y, width, height] = box.at, tone = toneOf(fn, box), note = noteOf(fn, box), end = box.kind === 'input' || box.kind === 'output';
    const group = svg('g', {class: 'node'},
      svg('rect', {class: `box${end ? ' end' : ''}${tone === null ? '' : ` ${tone}`}`, x, y, width, height, rx: end ? 14 : 4}),
      svg('text', {class: 'title', x: x + 10, y: y + 21}, box.title),
      box.text ? svg('text', {x: x + 10, y: y + 37}, box.text) : null,
      note ? svg('text', {class: byTime ? null : 'soft', x: x + 10, y: y + 53}, note) : null);
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
    const colours = new Map();
    for (const tone of [...Array(COLOURS).keys()].map(i => `k${i}`).concat(HEAT.map((_, i) => `h${i}`), `h${HEAT.length}`)) colours.set(tone, css(`--${tone}`));
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
      const tone = toneOf(fn, box), note = noteOf(fn, box), on = isBoxOn(fn, box);
      g.fillStyle = tone === null ? style.back : colours.get(tone);
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
      g.fillStyle = byTime ? style.text : style.soft;
      if (note) g.fillText(note, x + 10, y + 53);
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
  const whichColours = el('select', {'aria-label': 'colours'}, el('option', {value: ''}, 'colours: kernels'), el('option', {value: 'time'}, 'colours: time'));
  const legend = el('span', {class: 'legend', hidden: true}, 'of the run: ', ...[...HEAT, 1].map((most, i) =>
    el('span', {}, el('span', {class: `chip h${i}`}), i < HEAT.length ? `below ${100 * most} %` : `${100 * HEAT[i - 1]} % or more`)));
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
  const draw = () => {
    drawn = (picture.boxes.length <= MOST_SVG ? svgGraph : canvasGraph)(picture, stage, fn);
    if (drawn.mark) drawn.mark();
  };
  const show = i => {
    picture = functions[fn].pictures[i] || null;
    drawn = null;
    if (!picture) {
      stage.replaceChildren(el('p', {style: 'padding:16px'}, 'This function is too large for a picture.'));
      return;
    }
    draw();
    begin();
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
  whichColours.addEventListener('change', () => {
    byTime = whichColours.value === 'time';
    legend.hidden = !byTime;
    note.hidden = byTime;
    if (picture) draw();
    camera.ask();
  });
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
  view.append(el('div', {class: 'tools'}, whichFunction, whichPicture, kernels.some(k => k.part !== undefined) ? whichColours : '',
    el('button', {class: 'tool', type: 'button', onclick: fit}, 'fit'), note, legend), stage);
  open();
  return mark;
}
