// Bundles the page: node build.mjs OUT BINDINGS TOOLS EXAMPLES, with the library and its bindings in BINDINGS. Called by `cargo xtask web`.
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const [out, wasm, tools, folder] = process.argv.slice(2).map((p) => path.resolve(p));
const { build } = createRequire(path.join(tools, 'package.json'))('esbuild');
const here = import.meta.dirname;
fs.mkdirSync(out, { recursive: true });

/** The order of the examples, their groups, and the view in which they open. */
const ORDER = [
  ['One mass', ['shaw', 'friction', 'belt', 'duffing', 'stops', 'sign']],
  ['Friction laws', ['stribeck', 'table', 'ageing']],
  ['Several contacts', ['cascade', 'spring-blocks']],
  ['Machines', ['pid-hunts', 'backlash', 'brake']],
  ['Impacts', ['bouncing-ball', 'impact-oscillator']],
  ['Noise', ['shaw-noise', 'brownian-inclusion', 'kanai-tajimi']],
  ['More than one solution', ['ill-posed', 'corner', 'schatzman']],
];
const VIEWS = { 'ill-posed': 'solutions', corner: 'solutions', schatzman: 'solutions' };
/** The model files by name: those of the examples, and those that only the lab has. */
const files = new Map(fs.readdirSync(folder).map((n) => [n, path.join(folder, n, 'model.toml')]).filter(([, f]) => fs.existsSync(f)));
const own = path.join(here, 'models');
for (const f of fs.readdirSync(own)) files.set(path.basename(f, '.toml'), path.join(own, f));
const there = [...files.keys()];
const listed = ORDER.flatMap(([, names]) => names);
const groups = [...ORDER, ['Others', there.filter((n) => !listed.includes(n))]];
const examples = groups.flatMap(([group, names]) => names.filter((n) => there.includes(n)).map((name) => {
  const text = fs.readFileSync(/** @type {string} */ (files.get(name)), 'utf8');
  const title = /^title\s*=\s*"(.*)"/m.exec(text)?.[1] ?? name;
  const head = text.slice(0, text.search(/^[^#]/m)).split('\n').map((l) => l.replace(/^#\s?/, ''));
  const about = head.filter((l) => !/^\s*stickslip |^\s*histogram/.test(l)).join(' ').replace(/\s+/g, ' ').trim();
  return { name, title, about, text, group, ...(VIEWS[name] ? { view: VIEWS[name] } : {}) };
}));

/** A library that is larger in gzip, kB, deserves a look at what has made it grow: people wait for it once. */
const LARGE = 3000;

/** Modules that are made here, and the bindings of the library. */
const made = (texts) => ({
  name: 'made',
  setup(b) {
    b.onResolve({ filter: /^#/ }, (a) => (a.path === '#wasm' ? { path: path.join(wasm, 'stickslip.js') } : { path: a.path, namespace: 'made' }));
    b.onLoad({ filter: /.*/, namespace: 'made' }, (a) => ({ contents: texts[a.path], loader: 'js' }));
  },
});
const common = { bundle: true, minify: true, format: 'iife', target: ['es2022'], legalComments: 'none', logLevel: 'warning' };
const worker = await build({ ...common, entryPoints: [path.join(here, 'src/worker.js')], write: false, plugins: [made({})] });
const texts = {
  '#worker': `export default ${JSON.stringify(worker.outputFiles[0].text)}`,
  '#examples': `export const examples = ${JSON.stringify(examples)}`,
};
await build({ ...common, entryPoints: [path.join(here, 'src/main.js')], outfile: path.join(out, 'lab.js'), plugins: [made(texts)] });
const css = ['vendor/uplot/uPlot.min.css', 'style.css'].map((f) => fs.readFileSync(path.join(here, f), 'utf8')).join('\n');
const small = await build({ stdin: { contents: css, loader: 'css' }, minify: true, write: false });
fs.writeFileSync(path.join(out, 'lab.css'), small.outputFiles[0].text);
const bytes = fs.readFileSync(path.join(wasm, 'stickslip_bg.wasm'));
if (!wasm.endsWith('dev')) {
  const weight = zlib.gzipSync(bytes, { level: 9 }).length / 1000;
  console.log(`stickslip.wasm: ${(bytes.length / 1000).toFixed(0)} kB, ${weight.toFixed(0)} kB in gzip`);
  if (weight > LARGE) console.warn(`warning: the aim is ${LARGE} kB in gzip at most`);
}
fs.writeFileSync(path.join(out, 'stickslip.wasm'), bytes);
// For pages that are opened from the file system, where nothing can be fetched.
fs.writeFileSync(path.join(out, 'stickslip.wasm.js'), `window.stickslipModule="${bytes.toString('base64')}"`);
const page = fs.readFileSync(path.join(here, 'index.html'), 'utf8');
fs.writeFileSync(path.join(out, 'index.html'), page.replaceAll('%NONCE%', crypto.randomBytes(18).toString('base64url')));
fs.copyFileSync(path.join(here, 'vendor/uplot/LICENSE'), path.join(out, 'uPlot-LICENSE.txt'));
