/* The steps of a run over time, and what each thread did of them. */
const TRACK_ROW = 26, TRACK_TOP = 24;

/* The events of the trace with the rows that they are drawn in: steps nest, threads have a row each. ROWS says what each row shows. */
function tracksOf(trace) {
  const fnOf = new Map(functions.map((f, i) => [f.name, i])), rows = [], open = [];
  const all = trace.traceEvents.filter(e => e.ph === 'X').map(e => ({...e, row: 0, of: e.cat === 'thread' ? e.args.thread : null,
    fn: e.args && fnOf.get(e.args.function), kernel: e.args && e.args.kernel}));
  const steps = all.filter(e => e.of === null).sort((a, b) => a.tid - b.tid || a.ts - b.ts || b.dur - a.dur);
  let last = null, base = 0;
  for (const e of steps) {
    if (e.tid !== last) { open.length = 0; base = rows.length; last = e.tid; }
    while (open.length && open[open.length - 1].ts + open[open.length - 1].dur < e.ts + e.dur - 1e-6) open.pop();
    e.row = base + open.length;
    rows[e.row] = e.args && e.args.folded ? 'many turns' : open.length ? 'steps' : 'run';
    open.push(e);
  }
  /* A step that one thread did alone was done by the first. */
  const holds = steps.some(e => e.cat === 'control');
  const alone = steps.filter(e => ['kernel', 'reference', 'copy'].includes(e.cat) && !(e.args && e.args.folded) && !(e.args && e.args.threads > 1) &&
    !(holds && e.kernel !== undefined && steps.some(c => c.cat === 'control' && c.fn === e.fn && c.kernel === e.kernel)))
    .map(e => ({...e, of: 0, args: {...e.args, busy: e.dur}}));
  const by = all.filter(e => e.of !== null), shares = by.length ? by.concat(alone) : by;
  const first = rows.length;
  for (const e of shares) {
    e.row = first + e.of;
    rows[e.row] = `thread ${e.of}`;
  }
  return {events: steps.concat(shares), rows: Array.from(rows, r => r || ''), threads: Math.max(1, greatest(shares.map(e => e.of + 1)))};
}

/* How much of the run each thread was busy, in words; '' where one thread did all. */
function busyText(tracks, run) {
  if (tracks.threads < 2 || !run) return '';
  const busy = new Array(tracks.threads).fill(0);
  for (const e of tracks.events)
    if (e.of !== null && e.ts >= run.ts) busy[e.of] += e.args.busy;
  return `; busy: ${busy.slice(0, 16).map((b, i) => `thread ${i} ${Math.round(100 * b / run.dur)} %`).join(', ')}${busy.length > 16 ? ' …' : ''}`;
}

function makeTimeline(view) {
  const tracks = tracksOf(D.trace), {events, rows} = tracks, run = events.filter(e => e.cat === 'run').pop();
  const start = least(events.map(e => e.ts)), end = greatest(events.map(e => e.ts + e.dur));
  const topOf = e => TRACK_TOP + e.row * TRACK_ROW, LABELS = 76;
  const stage = el('div', {class: 'stage', tabindex: 0, role: 'application',
    'aria-label': 'Timeline of the run. The table of kernels has the same times. Plus and minus zoom, arrows move, f shows all of it.'},
  el('canvas', {'aria-hidden': true}));
  let top = 0;
  const redraw = c => {
    const [g, width, height] = canvasOf(stage), style = {text: css('--text'), soft: css('--soft'), line: css('--line'), mark: css('--mark'), edge: css('--edge'), back: css('--panel')};
    const colours = Array.from({length: COLOURS}, (_, i) => css(`--k${i}`)), step = 10 ** Math.ceil(Math.log10(90 / c.k));
    top = Math.max(0, Math.min(top, TRACK_TOP + rows.length * TRACK_ROW + 8 - height));
    g.font = '11px system-ui, sans-serif';
    for (let t = Math.max(0, Math.floor(-c.x / c.k / step) * step); t * c.k + c.x < width; t += step) {
      g.fillStyle = style.line;
      g.fillRect(t * c.k + c.x, 0, 1, height);
    }
    const isOnHere = e => selected && selected.kernel !== null && e.fn === selected.fn && e.kernel === selected.kernel;
    const drawEvent = e => {
      const x = (e.ts - start) * c.k + c.x, w = Math.max(1, e.dur * c.k), y = topOf(e) - top, h = 20;
      if (x > width || x + w < LABELS || y > height || y < 0) return;
      const on = isOnHere(e);
      g.fillStyle = e.kernel === undefined ? colours[7] : colours[e.kernel % COLOURS];
      g.fillRect(x, y, w, h);
      g.strokeStyle = on ? style.mark : style.edge;
      g.lineWidth = on ? 3 : 0.5;
      g.strokeRect(x, y, w, h);
      const from = Math.max(x, LABELS), room = Math.min(x + w, width) - from - 8;
      if (room > 24) {
        g.fillStyle = style.text;
        g.fillText(e.name.length * 6 > room ? `${e.name.slice(0, Math.max(1, Math.floor(room / 6) - 1))}…` : e.name, from + 4, y + 14);
      }
    };
    for (const e of events) if (!isOnHere(e)) drawEvent(e);
    for (const e of events) if (isOnHere(e)) drawEvent(e);
    /* what the rows are, and the scale, above all that moves */
    g.fillStyle = style.back;
    g.fillRect(0, 0, LABELS, height);
    g.fillRect(0, 0, width, TRACK_TOP - 4);
    g.fillStyle = style.soft;
    rows.forEach((name, i) => { if (i === 0 || name !== rows[i - 1]) g.fillText(name, 8, TRACK_TOP + i * TRACK_ROW + 14 - top); });
    g.fillStyle = style.back;
    g.fillRect(0, 0, LABELS, TRACK_TOP - 4);
    g.fillStyle = style.soft;
    for (let t = Math.max(0, Math.floor(-c.x / c.k / step) * step); t * c.k + c.x < width; t += step)
      if (t * c.k + c.x >= LABELS - 4 && t * c.k + c.x < width - 50) g.fillText(time(1000 * t) || '0', t * c.k + c.x + 4, 13);
    g.fillStyle = style.line;
    g.fillRect(LABELS - 1, 0, 1, height);
  };
  const hitAt = (x, y) => {
    const t = x + start;
    return events.filter(e => t >= e.ts && t <= e.ts + Math.max(e.dur, 3 / camera.k) && y + top >= topOf(e) && y + top <= topOf(e) + TRACK_ROW).pop();
  };
  const camera = new Camera(stage, redraw, {onlyX: true, most: 1e5, least: 1e-9, pick: (x, y) => {
    const hit = hitAt(x, y);
    if (hit && hit.kernel !== undefined && hit.fn !== undefined) select(hit.fn, hit.kernel, null);
  }, scroll: dy => { top += dy; camera.ask(); }});
  /* What lies under the pointer, in words. */
  stage.addEventListener('pointermove', e => {
    const box = stage.getBoundingClientRect(), hit = hitAt((e.clientX - box.left - camera.x) / camera.k, e.clientY - box.top);
    stage.title = hit ? `${hit.name}: ${time(1000 * hit.dur)}${hit.of !== null ? ` on thread ${hit.of}, busy for ${time(1000 * hit.args.busy)}` :
      hit.args && hit.args.threads > 1 ? ` on ${hit.args.threads} threads` : ''}` : '';
  });
  const fit = () => {
    const width = stage.getBoundingClientRect().width;
    camera.k = Math.max(1, width - LABELS - 24) / Math.max(end - start, 1e-3);
    camera.x = LABELS + 8;
    camera.ask();
  };
  stage.addEventListener('keydown', e => {
    const width = stage.getBoundingClientRect().width;
    if (e.key === '+' || e.key === '-') camera.zoom(e.key === '+' ? 1.5 : 1 / 1.5, width / 2, 0);
    else if (e.key === 'f') fit();
    else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') { camera.x += e.key === 'ArrowLeft' ? 60 : -60; camera.ask(); }
    else if (e.key === 'ArrowUp' || e.key === 'ArrowDown') { top += e.key === 'ArrowUp' ? -TRACK_ROW : TRACK_ROW; camera.ask(); }
    else return;
    e.preventDefault();
  });
  const n = events.filter(e => e.of === null && e.cat !== 'run').length;
  view.append(el('div', {class: 'tools'}, el('button', {class: 'tool', type: 'button', onclick: fit}, 'fit'),
    el('span', {class: 'soft'}, `${n} step${n === 1 ? '' : 's'} in ${time(1000 * (end - start))}${busyText(tracks, run)}. Gaps are time between steps.`)), stage);
  fit();
  return () => camera.ask();
}
