// A small harness: a server of our own, a browser, and tests one after the other.
import { createRequire } from 'node:module';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export const [page, program, tools, chromium] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(tools), 'package.json'));
const { chromium: browserType } = require('playwright-core');

export const axeSource = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
export const root = path.resolve(import.meta.dirname, '../..');
export const examples = path.join(root, 'examples');
export const pageFolder = path.resolve(page);
export const shots = path.join(path.dirname(pageFolder), 'web-shots');
export const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'stickslip-lab-'));
fs.mkdirSync(shots, { recursive: true });

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

/** Serves the page as any static host does, without special headers. */
async function serve() {
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://lab').pathname).replace(/\/$/, '/index.html');
    fs.readFile(path.join(pageFolder, name), (error, bytes) => {
      response.writeHead(error ? 404 : 200, { 'content-type': TYPES[path.extname(name)] ?? 'application/octet-stream' });
      response.end(bytes);
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { server, address: `http://127.0.0.1:${server.address().port}/` };
}

const { server, address } = await serve();
export { address };
/** The path of a program, which may be named alone. */
function located(name) {
  if (path.isAbsolute(name)) return name;
  const places = (process.env.PATH ?? '').split(path.delimiter).flatMap((f) => [path.join(f, name), path.join(f, `${name}.exe`)]);
  return places.find((p) => fs.existsSync(p)) ?? path.resolve(name);
}

const browser = await browserType.launch({ executablePath: located(chromium), args: ['--no-sandbox', '--disable-dev-shm-usage'] });
export const version = browser.version();
/** Every address that any page has asked for. */
export const asked = new Set();

/** A page of its own that fails the test where a script fails. */
export async function open(where = address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 900 }, reducedMotion: 'reduce', acceptDownloads: true, ...options });
  const tab = await context.newPage();
  tab.setDefaultTimeout(60_000);
  tab.faults = [];
  tab.on('pageerror', (e) => { if (!e.message.startsWith('ResizeObserver')) tab.faults.push(e.message); });
  tab.on('console', (m) => { if (m.type() === 'error') tab.faults.push(m.text()); });
  context.on('request', (r) => asked.add(r.url()));
  await tab.goto(where);
  return tab;
}

/** Waits until the model of the page has been solved once more than before. */
export async function solved(tab, work) {
  const before = await tab.evaluate(() => Number(document.body.dataset.solved ?? 0));
  await work();
  await tab.waitForFunction((n) => Number(document.body.dataset.solved ?? 0) > n && !document.body.classList.contains('busy'), before);
}

/** Waits for the first motion of a page. */
export const ready = (tab) => tab.waitForFunction(() => Number(document.body.dataset.solved ?? 0) > 0 && !document.body.classList.contains('busy'));

/** Runs the program, as users do. */
export async function stickslip(...given) {
  return (await promisify(execFile)(program, given, { cwd: root, maxBuffer: 1 << 28 })).stdout;
}

/** The address of a model. */
export const link = (text) => `${address}#model=${encodeURIComponent(text)}`;

/** @param {boolean} truth @param {string} what */
export function check(truth, what) {
  if (!truth) throw new Error(what);
}

/** @param {string} a @param {string} b @param {string} what */
export function same(a, b, what) {
  if (a === b) return;
  const [left, right] = [a.split('\n'), b.split('\n')];
  const at = left.findIndex((l, i) => l !== right[i]);
  throw new Error(`${what} differs in line ${at + 1}:\n  ${left[at]?.slice(0, 200)}\n  ${right[at]?.slice(0, 200)}`);
}

/**
 * Tables whose words are equal and whose numbers differ by rounding at most: sines and exponentials of the browser's module and of
 * the system's library may differ in their last bit. Returns the largest deviation, as a share of the largest number of its column.
 */
export function close(a, b, what, tolerance = 1e-10) {
  if (a === b) return 0;
  const [left, right] = [a, b].map((t) => t.trim().split('\n').map((l) => l.split(',')));
  check(left.length === right.length, `${what}: ${left.length} rows, the program has ${right.length}`);
  const size = left[0].map((_, c) => right.slice(1).reduce((m, r) => Math.max(m, Math.abs(Number(r[c])) || 0), 0));
  let worst = 0;
  left.forEach((row, i) => row.forEach((cell, c) => {
    if (cell === right[i][c]) return;
    const off = Math.abs(Number(cell) - Number(right[i][c])) / Math.max(size[c], 1e-3);
    check(off < tolerance, `${what}, row ${i}, ${left[0][c]}: ${cell}, the program has ${right[i][c]}`);
    worst = Math.max(worst, off);
  }));
  return worst;
}

const all = [];
/** @param {string} name @param {() => Promise<void>} work */
export const test = (name, work) => all.push({ name, work });

export async function runAll() {
  let failed = 0;
  const only = process.env.LAB_TEST;
  for (const { name, work } of all) {
    if (only && !name.includes(only)) continue;
    const clock = performance.now();
    try {
      await work();
      console.log(`ok    ${name} (${((performance.now() - clock) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`FAILED ${name}: ${error.stack ?? error}`);
    }
  }
  await browser.close();
  server.close();
  fs.rmSync(scratch, { recursive: true, force: true });
  console.log(failed ? `${failed} tests of the lab failed` : `all tests of the lab passed in Chromium ${version}`);
  process.exitCode = failed ? 1 : 0;
}
