/* The page: its views, the search, and the keys. */
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
document.addEventListener('keydown', e => { if (e.key === 'Escape' && selected && document.activeElement.id !== 'search') unselect(); });
addEventListener('beforeprint', () => {
  const now = views.find(v => !v.room.hidden);
  for (const v of views) if (!v.made) v.show();
  now.show();
});
