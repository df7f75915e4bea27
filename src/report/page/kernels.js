/* Tables, and that of the kernels. */
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

/* In words: which kernels take most of the run, and what is none. */
function whereTimeGoes() {
  const run = runOf(D), list = kernels.filter(k => k.part !== undefined && !k.control).sort((a, b) => b.part - a.part);
  const all = list.reduce((n, k) => n + k.part, 0);
  if (!run || !list.length) return [];
  const out = el('p', {}, `Of ${time(1000 * run.dur)}, `);
  list.slice(0, 3).forEach((k, i) => out.append(i ? ', ' : '', el('button', {type: 'button', class: 'link', onclick: () => select(k.fn, k.number, null)},
    `kernel ${functions.length > 1 ? `${k.function} ` : ''}${k.number}`), ` (${cut(k.name, 40)}) takes ${percent(k.part)}`));
  out.append(all < 1 ? `; ${percent(1 - all)} is spent outside of kernels.` : '.');
  return [out];
}

function makeKernels(view) {
  view.classList.add('kernels');
  const several = functions.length > 1, timed = kernels.some(k => k.ns !== undefined);
  const bar = (share, kind) => el('span', {class: 'share'}, percent(share),
    el('span', {class: 'track'}, el('span', {class: `bar${kind || ''}`, style: `width:${Math.max(1, Math.round(56 * Math.min(share, 1)))}px`})));
  const columns = [['kernel', k => `${several ? `${k.function} ` : ''}${k.number}`, null], ['kind', k => k.kind, null],
    ['computes', k => k.name, null], ['bytes', k => amount(k.bytes, 'B'), k => k.bytes], ['flops', k => amount(k.flops, 'flop'), k => k.flops],
    ['at least', k => time(k.least_ns), k => k.least_ns]];
  if (timed)
    columns.push(['time', k => time(k.ns), k => k.ns], ['of the run', k => k.part === undefined ? '' : bar(k.part, ' heat'), k => k.part],
      ['of the limit', k => k.share === undefined ? '' : bar(k.share), k => k.share]);
  columns.push(['not fused, and why', k => k.not_fused.map(e => `${e.value}: ${e.why}`).join('; '), null]);
  const made = table(kernels, columns, k => keyOf(k.fn, k.number), k => select(k.fn, k.number, null), 'Kernels in the order in which they run');
  if (timed) view.append(...whereTimeGoes());
  view.append(el('p', {class: 'soft'}, 'The limit is that of memory and arithmetic on one thread, measured on this machine: more threads, and data in caches, can pass it.'), made.root);
  return () => {
    for (const [key, list] of made.rows)
      for (const row of list) row.classList.toggle('on', !!selected && selected.kernel !== null && key === keyOf(selected.fn, selected.kernel));
    const on = view.querySelector('tr.on');
    if (on && !view.hidden) on.scrollIntoView({block: 'nearest'});
  };
}
