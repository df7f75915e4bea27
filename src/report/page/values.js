/* Ranges of values, gradients, and the log of a training. */
function makeValues(view) {
  const bad = v => v.nan || v.infinite;
  const made = table(D.values.of, [['value', v => `%${v.value} ${v.op}`, null], ['type', v => v.type, null],
    ['least', v => number(v.least), v => v.least], ['most', v => number(v.most), v => v.most], ['mean', v => number(v.mean), v => v.mean],
    ['NaN', v => v.nan ? el('span', {class: 'bad'}, String(v.nan)) : '0', v => v.nan],
    ['infinite', v => v.infinite ? el('span', {class: 'bad'}, String(v.infinite)) : '0', v => v.infinite],
    ['denormal', v => String(v.denormal), v => v.denormal], ['zero', v => String(v.zero), v => v.zero]],
  v => v.value, v => select(entry, null, v.value), 'Values of the run, as the reference evaluator computes them');
  const first = D.values.of.find(bad);
  view.append(el('p', {class: first ? 'bad' : 'soft'}, first ? `The first value that is not finite is %${first.value}, of ${first.op}.` : 'All of these values are finite.'),
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
  const min = least(ys), max = greatest(ys), from = least(xs), to = greatest(xs);
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
  const lines = D.training.filter(s => s && typeof s.step === 'number'), steps = lines.filter(s => s.loss !== undefined); // others are of validations
  for (const [key, title, log] of [['loss', 'Loss', false], ['validation_loss', 'Loss of the validation', false], ['accuracy', 'Part of the validation that is right', false],
    ['norm', 'Norm of the gradient', true], ['rate', 'Learning rate', false]])
    view.append(curve(title, lines.filter(s => typeof s[key] === 'number').map(s => [s.step, s[key]]), log));
  const last = steps[steps.length - 1];
  view.append(el('p', {}, last ? `${steps.length} step${steps.length === 1 ? '' : 's'}, the last loss is ${last.loss === null ? 'not finite' : number(last.loss)}` : 'The log has no steps.'));
  return null;
}
