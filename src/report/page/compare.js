/* Two reports side by side. */
function totals(data, list) {
  const run = runOf(data), sum = key => data.explain.together ? data.explain.together[key] : list.reduce((n, k) => n + (k[key] || 0), 0); // older reports have none
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
  if (D.lowered && D.other.lowered)
    view.append(el('h2', {}, 'As compiled'), el('p', {class: 'soft'}, 'Lines that the other program has not are marked; numbers of values do not count.'),
      el('div', {class: 'two texts'}, ...sideBySide(`this: ${D.title}`, D.lowered, `other: ${D.other.title}`, D.other.lowered)));
  return () => {
    for (const [key, list] of made.rows) for (const row of list) row.classList.toggle('on', !!selected && selected.kernel !== null && key === keyOf(selected.fn, selected.kernel));
  };
}
