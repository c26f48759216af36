// The address of the lab, without a browser: any text comes back as it was, and any hash is read or is none. Every branch of
// what reads it must be reached on the way.
//   node web/test/hash.mjs [COUNT]
import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const { read, written } = await import('../src/hash.js');

const count = Number(process.argv[2] ?? 20000);
let seed = 1;
const below = (n) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * n);
};
const words = ['model=', 'view=', '#', '&', '=', '%', '%41', '%ZZ', '%F0%9F', '%E0%A4%A', '+', '\n', '\0', '<script>', '__proto__', 'constructor',
  'mass = 1.0', '[oscillator]', 'ω', '🙂', 'studies', 'motion', ' ', '"', '\u2028'];
const any = (n) => Array.from({ length: below(n) }, () => (below(3) ? words[below(words.length)] : String.fromCharCode(below(0xd800)))).join('');

for (let i = 0; i < count; i++) {
  const [text, view] = [any(12), ['motion', 'studies', ''][below(3)]];
  const back = read(written(text, view));
  assert.deepEqual(back, { text, view: view || 'motion' });
  const hash = `#${any(12)}`;
  const found = read(hash);
  assert.ok(found === null || (typeof found.text === 'string' && typeof found.view === 'string' && found.view !== ''), hash);
  if (found && !found.broken) assert.equal(read(written(found.text, found.view))?.text, found.text, hash);
  // A hash that was cut off on its way is read, is damaged or is none.
  const link = written(text, view);
  const cut = read(link.slice(0, below(link.length + 1)));
  assert.ok(cut === null || cut.broken || text.startsWith(cut.text) || cut.text.length <= text.length);
}
assert.equal(read(''), null);
assert.equal(read('#calibrate'), null);
assert.deepEqual(read('#model='), { text: '', view: 'motion' });
assert.deepEqual(read('#model=%'), { text: '', view: 'motion', broken: true });

const { result } = await session.post('Profiler.takePreciseCoverage');
const { functions } = result.find((script) => script.url.endsWith('/src/hash.js'));
const missed = functions.flatMap((f) => f.ranges.filter((r) => r.count === 0).map((r) => `${f.functionName} from ${r.startOffset} to ${r.endOffset}`));
assert.deepEqual([functions.length > 2, missed], [true, []]);
console.log(`${count} addresses`);
