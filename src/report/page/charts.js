/* The roofline, and memory over steps. */
/* ---- roofline ---- */

function makeRoofline(view) {
  const W = 860, H = 470, L = 70, B = 46, T = 20, R = 20, limits = D.explain.limits;
  const timed = kernels.some(k => k.ns !== undefined);
  const dots = kernels.filter(k => k.bytes > 0 && k.flops > 0 && (!timed || k.ns)).map(k => ({k, x: k.intensity,
    y: timed ? k.flops / (k.ns * 1e-9) : Math.min(limits.flops_per_second, k.intensity * limits.bytes_per_second)}));
  const xs = dots.map(d => d.x).concat(limits.flops_per_second / limits.bytes_per_second), ys = dots.map(d => d.y).concat(limits.flops_per_second);
  const x0 = Math.floor(Math.log10(least(xs)) - 0.3), x1 = Math.ceil(Math.log10(greatest(xs)) + 0.3);
  const y0 = Math.floor(Math.log10(least(ys)) - 0.1), y1 = Math.ceil(Math.log10(greatest(ys)) + 0.1);
  const px = x => L + (Math.log10(x) - x0) / (x1 - x0) * (W - L - R), py = y => H - B - (Math.log10(y) - y0) / (y1 - y0) * (H - B - T);
  const root = svg('svg', {viewBox: `0 0 ${W} ${H}`, role: 'group', 'aria-label': 'Roofline', class: 'chart'});
  for (let x = x0; x <= x1; x++)
    root.append(svg('line', {class: 'axis', x1: px(10 ** x), x2: px(10 ** x), y1: T, y2: H - B}),
      svg('text', {class: 'soft', x: px(10 ** x), y: H - B + 18, 'text-anchor': 'middle'}, String(+(10 ** x).toPrecision(1))));
  for (let y = y0; y <= y1; y++)
    root.append(svg('line', {class: 'axis', x1: L, x2: W - R, y1: py(10 ** y), y2: py(10 ** y)}),
      svg('text', {class: 'soft', x: L - 8, y: py(10 ** y) + 4, 'text-anchor': 'end'}, amount(10 ** y, '').trim()));
  const knee = limits.flops_per_second / limits.bytes_per_second, low = Math.max(10 ** x0, 10 ** y0 / limits.bytes_per_second);
  root.append(svg('polyline', {class: 'roof', points: [[low, low * limits.bytes_per_second], [knee, limits.flops_per_second], [10 ** x1, limits.flops_per_second]]
    .map(([x, y]) => `${px(x)},${py(y)}`).join(' ')}),
  svg('text', {x: W - R, y: py(limits.flops_per_second) - 8, 'text-anchor': 'end'}, amount(limits.flops_per_second, 'flop/s')),
  svg('text', {x: L + 8, y: T + 14}, `${amount(limits.bytes_per_second, 'B/s')} of memory, on one thread`),
  svg('text', {class: 'soft', x: (L + W) / 2, y: H - 8, 'text-anchor': 'middle'}, 'operations for each byte'),
  svg('text', {class: 'soft', x: 14, y: (T + H - B) / 2, 'text-anchor': 'middle', transform: `rotate(-90 14 ${(T + H - B) / 2})`}, 'operations a second'));
  const marks = dots.map(d => {
    const mark = svg('circle', {class: 'dot', cx: px(d.x), cy: py(d.y), r: 7, tabindex: 0, role: 'button',
      'aria-label': `kernel ${d.k.number} ${d.k.name}: ${amount(d.y, 'flop/s')}`,
      onclick: () => select(d.k.fn, d.k.number, null),
      onkeydown: e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); select(d.k.fn, d.k.number, null); } }},
    svg('title', {}, `kernel ${d.k.number} ${d.k.name}`));
    root.append(mark);
    if (dots.length <= 60) root.append(svg('text', {class: 'tag', x: px(d.x) + 9, y: py(d.y) + 4}, String(d.k.number)));
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
    const temps = block.buffers.filter(b => b[0] === 'temporary' && b[2] > 0), top = Math.max(1, greatest(temps.map(b => b[1] + b[2])));
    const live = new Array(n + 1).fill(0);
    for (const b of temps) { live[b[3]] += b[2]; live[b[4] + 1] -= b[2]; }
    for (let i = 1; i <= n; i++) live[i] += live[i - 1];
    const peak = live.indexOf(greatest(live.slice(0, n)));
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
      const room = (px(b[4] + 1) - px(b[3]) - 8) / 7;
      if (room >= 4 && py(b[1]) - py(b[1] + b[2]) >= 15)
        root.append(svg('text', {class: 'tag', x: px(b[3]) + 4, y: (py(b[1]) + py(b[1] + b[2])) / 2 + 4}, nameOf(b).length > room ? `${nameOf(b).slice(0, Math.floor(room) - 1)}…` : nameOf(b)));
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
  view.append(el('p', {class: 'soft'}, `Temporaries take ${amount(D.memory.bytes, 'B')} in one piece, and each thread ${amount(D.memory.scratch, 'B')} of scratch memory. Each rectangle is one of them: when it lives, and where it lies, in the colour of the kernel that writes it. The dotted line is the peak.`),
    blocks.length > 1 ? pickBlock : '', room);
  if (blocks.length) show(blocks[0]);
  return mark;
}
