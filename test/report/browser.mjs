// Opens reports in Chromium, for sweep_browser.py: node browser.mjs PACKAGES JOBS.json [FOLDER FOR PICTURES]
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const [, , packages, jobsFile, shots] = process.argv;
const {chromium} = createRequire(import.meta.url)(`${packages}/playwright-core/package`);
const axe = readFileSync(`${packages}/axe-core/package/axe.min.js`, 'utf8');
const jobs = JSON.parse(readFileSync(jobsFile, 'utf8'));
const SIZES = [[1280, 800, 'light'], [1280, 800, 'dark'], [360, 740, 'light'], [360, 740, 'dark']];
const JUDGED = new Set(['1280 light', '360 dark']); // by axe, which takes longest

let checks = 0, failures = 0, where = '';
function check(ok, what) {
  checks++;
  if (ok) return;
  failures++;
  console.log(`${where}: ${what}`);
}

const browser = await chromium.launch({executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update']});

async function open(job, width, height, colorScheme, options) {
  const context = await browser.newContext({viewport: {width, height}, colorScheme, ...options});
  const page = await context.newPage(), url = pathToFileURL(job.path).href;
  await page.addInitScript(() => addEventListener('securitypolicyviolation', e => console.log(`policy: ${e.violatedDirective}`)));
  page.on('console', m => check(false, `console: ${m.text()}`));
  page.on('pageerror', e => check(false, `error: ${e.stack}`));
  page.on('dialog', d => { check(false, `dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', r => check(r.url() === url, `request: ${r.url()}`));
  await page.goto(url);
  return page;
}

const tab = (page, name) => page.getByRole('tab', {name, exact: true});

/* Every view at one size: it is shown, fits the screen, and axe finds nothing serious. */
async function views(job, page, width, label) {
  const names = await page.getByRole('tab').allTextContents();
  check(JSON.stringify(names) === JSON.stringify(job.tabs), `tabs are ${names}`);
  check(await page.locator('img, iframe, link').count() === 0, 'markup came out of a name');
  for (const name of names) {
    await tab(page, name).click();
    check(await page.locator(`#view-${name.toLowerCase()}`).isVisible(), `${name} is not shown`);
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= width, `${name} is ${wide} wide on a screen of ${width}`);
    if (shots) await page.screenshot({path: `${shots}/${job.name}-${label.replace(' ', '-')}-${name}.png`});
    if (!JUDGED.has(label)) continue;
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
    for (const v of found.violations.filter(f => f.impact === 'serious' || f.impact === 'critical'))
      check(false, `${name}: ${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 120)}: ${v.nodes[0].failureSummary}`);
    checks++;
  }
}

/* A kernel that is selected in its table is selected everywhere. */
async function selection(job, page) {
  const number = job.kernel, title = `kernel ${number}:`, details = page.locator('#selected');
  await tab(page, 'Kernels').click();
  await page.locator('#view-kernels tr.pick button').nth(number).click();
  check((await details.textContent()).startsWith(title), `the panel says ${(await details.textContent()).slice(0, 40)}`);
  check(await page.locator('#view-kernels tr.on').count() === 1, 'one row is marked');
  if (job.name === 'digits') { // two parts of the run, and a row for each thread where several took part
    check(await page.locator('#view-kernels .bar.heat').count() > 0, 'no share of the run is shown');
    check(/takes \d+ %/.test(await page.locator('#view-kernels').textContent()), 'it is not said where the time goes');
  }
  await tab(page, 'Graph').click();
  if (await page.locator('#view-graph svg').count()) {
    check(await page.locator('#view-graph g.node.on').count() > 0, 'no box is marked');
    await page.locator('#view-graph select').nth(1).selectOption('1');
    check(await page.locator('#view-graph g.node.on .title').textContent().then(t => t.startsWith(title)), 'another kernel is marked');
    if (job.tabs.includes('Timeline')) {
      await page.locator('#view-graph select').nth(2).selectOption('time');
      check(await page.locator('#view-graph rect[class*="h"]').count() > 0, 'no box is coloured by its time');
      await page.locator('#view-graph select').nth(2).selectOption('');
    }
  } else
    check(await page.locator('#view-graph canvas').count() === 1, 'there is neither SVG nor canvas');
  await tab(page, 'Program').click();
  check(await page.locator('#view-program .code > .on').count() > 0, 'no line is marked');
  await page.getByRole('button', {name: 'as compiled'}).click();
  check(await page.locator('#view-program .code > .on').count() > 0, 'no line of the compiled program is marked');
  await tab(page, 'Roofline').click();
  check(await page.locator('#view-roofline .dot.on').count() === 1, 'one dot is marked');
  const slope = await page.evaluate(() => { // of the roof of memory, in decades by decades
    const lines = [...document.querySelectorAll('#view-roofline line')].map(l => ['x1', 'x2', 'y1', 'y2'].map(k => +l.getAttribute(k)));
    const [xa, xb] = lines.filter(l => l[0] === l[1]).map(l => l[0]), [ya, yb] = lines.filter(l => l[2] === l[3]).map(l => l[2]);
    const [from, to] = document.querySelector('#view-roofline .roof').getAttribute('points').split(' ').map(p => p.split(',').map(Number));
    return (to[1] - from[1]) / (yb - ya) / ((to[0] - from[0]) / (xb - xa));
  });
  check(Math.abs(slope - 1) < 1e-6, `twice the operations a byte are ${slope} times the speed on the roofline`);
  if (job.tabs.includes('Compare')) {
    await tab(page, 'Compare').click();
    check(await page.locator('#view-compare tr.on').count() === 1, 'one row of the comparison is marked');
  }
}

/* What the keyboard alone can do. */
async function keyboard(page) {
  const details = page.locator('#selected');
  await tab(page, 'Program').focus();
  await page.keyboard.press('ArrowRight');
  check(await tab(page, 'Graph').getAttribute('aria-selected') === 'true', 'arrows do not change the tab');
  await page.keyboard.press('/');
  check(await page.evaluate(() => document.activeElement.id) === 'search', '/ does not search');
  await page.keyboard.type('matmul');
  await page.keyboard.press('Enter');
  const first = await details.textContent();
  check(first.includes('matmul'), `the search found ${first.slice(0, 40)}`);
  await page.locator('#view-graph .stage').focus();
  await page.keyboard.press('ArrowDown');
  const second = await details.textContent();
  check(second !== first, 'ArrowDown does not walk');
  await page.keyboard.press('ArrowUp');
  check(await details.textContent() !== second, 'ArrowUp does not walk');
  await page.keyboard.press('f');
  await page.locator('#search').fill('there is nothing like this');
  await page.locator('#search').press('Enter');
  check((await details.textContent()).startsWith('Nothing'), 'a search without result says so');
  await page.locator('#view-graph .stage').focus();
  await page.keyboard.press('Escape');
  check(await details.textContent() === 'Nothing is selected.' && await page.locator('.on').count() === 0, 'Escape leaves something selected');
}

/* A drag moves the picture, and a click on a box selects it. */
async function pointer(page) {
  await tab(page, 'Graph').click();
  const stage = await page.locator('#view-graph .stage').boundingBox();
  const place = () => page.locator('#view-graph svg > g').getAttribute('transform');
  await page.getByRole('button', {name: 'fit'}).first().click();
  await page.waitForFunction(() => document.querySelector('#view-graph svg > g').getAttribute('transform'));
  const before = await place();
  await page.mouse.move(stage.x + 20, stage.y + 20);
  await page.mouse.down();
  await page.mouse.move(stage.x + 60, stage.y + 50, {steps: 4});
  await page.mouse.up();
  await page.waitForFunction(t => document.querySelector('#view-graph svg > g').getAttribute('transform') !== t, before);
  await page.locator('#view-graph g.node text.title').first().click();
  check((await page.locator('#selected').textContent()).startsWith('%0 '), 'a click does not select');
}

async function withoutScripts(job) {
  const page = await open(job, 1280, 800, 'light', {javaScriptEnabled: false});
  check(await page.locator('noscript table').count() === 1 || (await page.content()).includes('<table>'), 'no table without scripts');
  check(await page.locator('#page').isHidden(), 'views are shown without scripts');
  check((await page.locator('body').innerText()).includes('not fused'), 'the table cannot be read');
  await page.context().close();
}

for (const job of jobs) {
  for (const [width, height, scheme] of SIZES) {
    where = `${job.name} ${width} ${scheme}`;
    const page = await open(job, width, height, scheme);
    await views(job, page, width, `${width} ${scheme}`);
    if (job.kernel !== null) await selection(job, page);
    await page.context().close();
  }
  where = job.name;
  await withoutScripts(job);
  if (job.name === 'digits') {
    const page = await open(job, 1280, 800, 'light');
    await keyboard(page);
    await pointer(page);
    await page.emulateMedia({media: 'print'});
    await page.pdf();
    await page.context().close();
  }
}
await browser.close();
console.log(`${checks} checks, ${failures} failed`);
process.exit(failures || !checks ? 1 : 0);
