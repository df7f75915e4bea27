/* What each pass changed. */
function makePasses(view) {
  const list = D.passes.map((p, i) => ({...p, i})), two = el('div', {class: 'two'}), room = el('div', {class: 'listing'});
  view.classList.add('passes');
  const before = i => { for (let k = i - 1; k >= 0; k--) if (list[k].text !== undefined) return k; return 0; };
  let made = null, now = -1;
  const mark = () => made.rows.forEach((rowsOf, key) => rowsOf.forEach(r => r.classList.toggle('on', key === now)));
  const show = i => {
    const a = list[before(i)].text || '', b = list[i].text === undefined ? a : list[i].text;
    now = i;
    two.replaceChildren(...sideBySide(`before ${list[i].pass}`, a, `after ${list[i].pass}`, b));
    mark();
  };
  const changing = list.filter(p => p.changed > 0), quiet = list.length - 1 - changing.length;
  const all = el('input', {type: 'checkbox', onchange: () => draw()});
  const draw = () => {
    made = table(all.checked ? list : [list[0], ...changing], [['pass', p => p.pass, null], ['changes', p => p.i ? String(p.changed) : '', p => p.changed],
      ['nodes after', p => String(p.nodes), p => p.nodes], ['', p => p.text === undefined && p.changed ? 'too long to be shown' : '', null]],
    p => p.i, p => show(p.i), 'Passes in the order in which they ran');
    room.replaceChildren(quiet ? el('label', {class: 'soft'}, all, ` also the ${quiet} runs of passes that changed nothing`) : '', made.root);
    mark();
  };
  draw();
  view.append(room, two);
  const first = changing.find(p => p.text !== undefined);
  show(first ? first.i : 0);
  if (!first) two.replaceChildren(el('p', {}, changing.length ? 'The program is too long to be shown.' : 'No pass changed this program.'));
  return null;
}
