/* The text of the program, and what each line became. */
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
