/* Two texts side by side, where numbers of values do not count as differences. */

/* Pairs of equal lines of A and B, as positions: the longest that can be had with few lines that differ (Myers), or from both ends. */
function equalLines(a, b) {
  const MOST = 500, pairs = [];
  let from = 0, endA = a.length, endB = b.length;
  while (from < endA && from < endB && a[from] === b[from]) pairs.push([from, from++]);
  const tail = [];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) tail.push([--endA, --endB]);
  const n = endA - from, m = endB - from, far = [];
  const furthest = new Map([[1, 0]]);
  let found = n === 0 || m === 0 ? -1 : null;
  for (let d = 0; found === null && d <= Math.min(n + m, MOST); d++) {
    far.push(new Map(furthest));
    for (let k = -d; k <= d && found === null; k += 2) {
      const down = k === -d || (k !== d && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1));
      let x = down ? furthest.get(k + 1) : furthest.get(k - 1) + 1, y = x - k;
      while (x < n && y < m && a[from + x] === b[from + y]) { x++; y++; }
      furthest.set(k, x);
      if (x >= n && y >= m) found = d;
    }
  }
  const middle = [];
  for (let d = found === null ? -1 : found, x = n, y = m; d >= 0; d--) {
    const was = far[d], k = x - y;
    const down = k === -d || (k !== d && (was.get(k - 1) ?? -1) < (was.get(k + 1) ?? -1)), before = down ? k + 1 : k - 1;
    const beginX = d ? was.get(before) : 0, beginY = d ? beginX - before : 0;
    while (x > beginX && y > beginY && (d || x > 0)) middle.push([from + --x, from + --y]);
    [x, y] = [beginX, beginY];
  }
  return pairs.concat(middle.reverse(), tail.reverse());
}

const withoutNumbers = line => line.replace(/%\d+/g, '%');

/* Which lines of A are not in B, and of B not in A: a value of another number is the same where all its uses agree. */
function differences(a, b) {
  const pairs = equalLines(a.map(withoutNumbers), b.map(withoutNumbers)), less = new Set(a.keys()), more = new Set(b.keys()), same = new Map();
  for (const [i, k] of pairs) {
    const x = a[i].match(/%\d+/g) || [], y = b[k].match(/%\d+/g) || [];
    /* the first is defined here; regions begin again */
    if (/^ *%\d+/.test(a[i])) same.set(x[0], y[0]);
    if (x.every((name, at) => !same.has(name) || same.get(name) === y[at])) { less.delete(i); more.delete(k); }
  }
  return {less, more};
}

/* Elements that show A and B beside each other. */
function sideBySide(titleA, textA, titleB, textB) {
  const linesOf = text => text.split('\n').slice(0, MOST_LINES), d = differences(linesOf(textA), linesOf(textB));
  const side = (title, text, lines, word) => {
    const code = codeOf(text);
    for (const line of code.children) if (line.dataset.line && lines.has(line.dataset.line - 1) && line.textContent.trim()) line.classList.add(word);
    return el('div', {tabindex: 0, role: 'region', 'aria-label': title}, el('h2', {}, title), el('pre', {style: 'margin:0'}, code));
  };
  return [side(titleA, textA, d.less, 'less'), side(titleB, textB, d.more, 'more')];
}
