// Looks at every figure and page of `cargo xtask figures` in a browser: node figures.mjs FOLDER TOOLS CHROMIUM. Names that touch, names
// outside their figure, axes without a unit, keys of files on axes and pages wider than a phone are faults; the contact sheet is
// photographed in light, in dark, as wide as a phone and in print, for people to look at.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, tools, chromium] = process.argv.slice(2);
const { chromium: browserType } = createRequire(path.join(path.resolve(tools), 'package.json'))('playwright-core');
const places = path.isAbsolute(chromium) ? [chromium] : (process.env.PATH ?? '').split(path.delimiter).map((f) => path.join(f, chromium));
const browser = await browserType.launch({ executablePath: places.find((p) => fs.existsSync(p)), args: ['--no-sandbox', '--disable-dev-shm-usage'] });
const files = fs.readdirSync(folder, { recursive: true }).map(String).sort();
const faults = [];

/** Names of axes that have no unit: counts, ratios and names of what stands along them. The figures of papers have symbols of their own too. */
const PURE = new RegExp([
  '^(date|slips|impacts?|steps|samples|lag \\(samples\\)|bearings|run|record|element|slider|isolator|error|distance|autocorrelation|correlation|multiplier|deviance D)$',
  '^(coefficient of friction|μs|μd|μ|F/\\(m g\\)|fall of F/\\(m g\\)|slope in stick / kV|K/KBP|1 − fd/fs|share .*|.* gain of .*|.* for each .*)$',
  '^(log10 of ρ = fs/\\(Kβ\\) in °C|output|process_variable|N|P\\(N\\)|max .*|min .*|friction f/P|amplitude A k/P|ωdrive/ω|frequency over that of a blade)$',
  '^(parameter over truth .*|x, each bounce magnified|density|step|digits|correct digits|.*, s|.*, m/s .*)$',
].join('|'));

/** What is wrong with the figure that a tab shows: in the browser. */
function looked(/** @type {string} */ pure) {
  const figure = /** @type {SVGElement} */ (document.querySelector('svg'));
  const whole = figure.getBoundingClientRect();
  const names = [...figure.querySelectorAll('text')].map((t) => ({ name: (t.textContent ?? '').replaceAll('\u00a0', ' '), box: t.getBoundingClientRect(), turned: t.hasAttribute('transform') }));
  const out = [];
  for (const { name, box } of names) {
    if (box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1 || box.bottom > whole.bottom + 1) out.push(`“${name}” leaves the figure`);
  }
  names.forEach((a, i) => names.slice(i + 1).forEach((b) => {
    const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    // A box holds the line below its letters too: those of two lines overlap by a little. Names that run upwards do not.
    const least = a.turned && b.turned ? [6, 1] : [1, 6];
    if (across > least[0] && down > least[1]) out.push(`“${a.name}” and “${b.name}” overlap by ${across.toFixed(1)} × ${down.toFixed(1)} px`);
  }));
  // A name of two lines that runs upwards is two texts next to each other.
  const axes = [];
  for (const [i, t] of [...figure.querySelectorAll('text')].entries()) {
    const size = Number(t.getAttribute('font-size'));
    const { name, box, turned } = names[i];
    const last = axes.at(-1);
    if (turned && last?.turned && Math.abs(box.left - last.box.left) < 22 && Math.min(box.bottom, last.box.bottom) > Math.max(box.top, last.box.top)) last.name += ` ${name}`;
    else if (turned || (Math.abs(size - 15.5) < 0.01 && t.getAttribute('text-anchor') === 'middle' && !t.classList.contains('fy'))) axes.push({ name, box, turned });
  }
  for (const { name } of axes) {
    if (!new RegExp(pure).test(name) && !/\(.+\)$/.test(name)) out.push(`“${name}” has no unit`);
    if (/[a-z]\.(\d|[a-z]+_|[a-z]+\.)/.test(name)) out.push(`“${name}” is the key of a file`);
  }
  // Samples of a legend stand left of their names.
  for (const mark of figure.querySelectorAll('path, rect')) {
    const m = mark.getBoundingClientRect();
    if (m.width < 4 || m.width > 24 || m.height > 16) continue;
    const hit = names.find(({ box }) => m.top > box.top && m.bottom < box.bottom && Math.min(box.right, m.right) - Math.max(box.left, m.left) > 1);
    if (hit) out.push(`“${hit.name}” reaches into the sample of another name`);
  }
  return out;
}

const tab = await browser.newPage({ viewport: { width: 1000, height: 800 } });
// Those that matplotlib draws have no letters but shapes.
const figures = files.filter((f) => f.endsWith('.svg') && fs.readFileSync(path.join(folder, f), 'utf8').includes('class="ss"'));
for (const file of figures) {
  await tab.setContent(`<body style="margin:0">${fs.readFileSync(path.join(folder, file), 'utf8')}</body>`);
  for (const fault of await tab.evaluate(looked, PURE.source)) faults.push(`${file}: ${fault}`);
}
await tab.close();
const phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
const pages = files.filter((f) => f.endsWith('.html') && f !== 'index.html');
for (const file of pages) {
  await phone.goto(pathToFileURL(path.resolve(folder, file)).href);
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) faults.push(`${file}: ${wide} px wider than a phone`);
  const cut = await phone.evaluate(() => [...document.querySelectorAll('body *')].filter((e) => e instanceof HTMLElement && e.textContent?.trim() && getComputedStyle(e).overflowY === 'hidden' && e.scrollHeight > e.clientHeight + 3)
    .map((e) => /** @type {HTMLElement} */ (e).innerText.slice(0, 60)));
  for (const text of cut) faults.push(`${file}: “${text}” is cut on a phone`);
  await phone.screenshot({ path: path.join(folder, file.replace(/[/\\]/g, '-').replace(/\.html$/, '-phone.png')), fullPage: true });
}
await phone.close();
for (const fault of faults) console.log(fault);
const sheet = pathToFileURL(path.resolve(folder, 'index.html')).href;
/** No picture may be higher than a browser can draw. */
const HIGHEST = 6000;
for (const [name, colorScheme, width] of [['light', 'light', 1500], ['dark', 'dark', 1500], ['phone', 'light', 390]]) {
  const page = await browser.newPage({ viewport: { width, height: HIGHEST }, colorScheme });
  await page.goto(sheet);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0, n = 1; y < height; y += HIGHEST, n += 1) {
    await page.evaluate((y) => scrollTo(0, y), y);
    await page.screenshot({ path: path.join(folder, `sheet-${name}-${n}.png`) });
  }
  await page.close();
}
const printed = await browser.newPage();
await printed.goto(sheet);
await printed.pdf({ path: path.join(folder, 'sheet.pdf'), format: 'A4' });
await browser.close();
console.log(`${figures.length} figures and ${pages.length} pages looked at; ${faults.length} faults`);
process.exitCode = faults.length ? 1 : 0;
