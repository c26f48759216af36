// How fast the lab is, beside the program: node measure.mjs PAGE PROGRAM TOOLS CHROMIUM. Called by `cargo xtask web --measure`.
// Nothing else should run on the machine. Numbers are the best of three, but for the frames, of which the slowest second is said too.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { address, examples, link, open, pageFolder, program, ready, runAll, scratch, solved, test } from './harness.mjs';

const text = (/** @type {string} */ name) => fs.readFileSync(path.join(examples, name, 'model.toml'), 'utf8');
const best = async (work) => {
  const all = [];
  for (let i = 0; i < 3; i++) all.push(await work());
  return Math.min(...all);
};
const native = (given, threads) => {
  const clock = performance.now();
  execFileSync(program, [...given, '-q'], { env: { ...process.env, ...(threads ? { RAYON_NUM_THREADS: String(threads) } : {}) } });
  return (performance.now() - clock) / 1000;
};

test('sizes', async () => {
  for (const name of fs.readdirSync(pageFolder).filter((n) => /\.(wasm|js|css|html)$/.test(n) && !n.endsWith('.wasm.js'))) {
    const bytes = fs.readFileSync(path.join(pageFolder, name));
    console.log(`      ${name}: ${(bytes.length / 1000).toFixed(0)} kB, ${(zlib.gzipSync(bytes, { level: 9 }).length / 1000).toFixed(0)} kB in gzip`);
  }
});

test('first picture', async () => {
  const seconds = await best(async () => {
    const tab = await open();
    await ready(tab);
    await tab.waitForFunction(() => performance.getEntriesByName('first picture').length > 0);
    const at = await tab.evaluate(() => performance.getEntriesByName('first picture')[0].startTime);
    await tab.context().close();
    return at / 1000;
  });
  console.log(`      the first picture after ${seconds.toFixed(2)} s (at most 1 s)`);
});

test('dragging', async () => {
  const tab = await open(link(text('shaw').replace('end = 40.0', 'end = 420.0')));
  await ready(tab);
  const got = await tab.evaluate(async () => {
    const slider = /** @type {any} */ (document.querySelector('[data-path$="harmonic.amplitude"]'));
    const drawn = [];
    let [last, n, frames] = [Number(document.body.dataset.solved), 0, 0];
    for (let second = 0; second < 6; second++) {
      const clock = performance.now();
      frames = 0;
      while (performance.now() - clock < 1000) {
        frames++;
        slider.value = String(6 + 0.5 * Math.sin(n++ / 20));
        slider.dispatchEvent(new Event('input'));
        await new Promise((done) => requestAnimationFrame(done));
      }
      const now = Number(document.body.dataset.solved);
      drawn.push(((now - last) * 1000) / (performance.now() - clock));
      last = now;
    }
    return { drawn: drawn.slice(1), frames, events: document.querySelector('.event-box h2')?.textContent };
  });
  console.log(`      ${got.events}: ${got.drawn.map((d) => d.toFixed(0)).join(', ')} solutions drawn in each second (at least 50), of ${got.frames} frames`);
  await tab.context().close();
});

/**
 * A bearing under 300 days of weather, every 10 minutes: it sticks in a play of ±2.2 mm and slips 125 times, about as often as that
 * of Bensoussan et al. 2021 in a year; with noise of 5 µm. A narrower play slips thousands of times, which is another measurement.
 */
function record() {
  const rows = ['time,temperature,displacement'];
  let [seed, x] = [1, 10];
  const noise = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  for (let i = 0; i < 43_200; i++) {
    const day = i / 144;
    const warm = 10 + 8 * Math.sin((2 * Math.PI * day) / 365) + 5 * Math.sin(2 * Math.PI * day) + 3 * Math.sin((2 * Math.PI * day) / 7.3);
    const free = 10 + 0.3 * (warm - 10);
    if (Math.abs(free - x) > 2.2) x = free - 1.7 * Math.sign(free - x);
    rows.push(`${i * 600},${warm.toFixed(2)},${(x + 0.01 * noise()).toFixed(4)}`);
  }
  return rows.join('\n');
}

/** The lab beside the program, of one record. @param {string} what @param {string} file */
async function calibration(what, file) {
  const fit = path.join(scratch, 'fit.toml');
  const tab = await open(`${address}#calibrate`);
  await tab.setInputFiles('#record', file);
  await tab.waitForSelector('.guesses select');
  await tab.waitForFunction(() => /** @type {any} */ (document.querySelector('.fitfile')).value.includes('[model]'));
  const beside = path.join(scratch, path.basename(file));
  if (file !== beside) fs.copyFileSync(file, beside);
  fs.writeFileSync(fit, await tab.inputValue('.fitfile'));
  const lab = await best(async () => {
    await tab.evaluate(() => document.querySelector('#report')?.replaceChildren());
    const clock = performance.now();
    await tab.click('.calibrate .go.primary');
    await tab.waitForSelector('#report iframe', { timeout: 600_000 });
    return (performance.now() - clock) / 1000;
  });
  const out = ['--out', path.join(scratch, 'fit')];
  const one = await best(async () => native(['calibrate', fit, ...out], 1));
  const all = await best(async () => native(['calibrate', fit, ...out], 0));
  console.log(`      ${what}: ${lab.toFixed(2)} s in the lab, ${one.toFixed(2)} s by the program on one core, ${all.toFixed(2)} s on all: ${(lab / one).toFixed(2)} and ${(lab / all).toFixed(2)} times (at most 3)`);
  await tab.context().close();
}

test('calibration', async () => {
  const file = path.join(scratch, 'year.csv');
  fs.writeFileSync(file, record());
  await calibration('43,200 samples, 125 slips', file);
  await calibration('the example of a year, hourly', path.join(examples, 'bearing-year', 'bearing.csv'));
});

test('ensemble', async () => {
  const model = text('shaw-noise').replace('end = 40.0', 'end = 10.0');
  const tab = await open(link(model));
  await ready(tab);
  await tab.click('#view-ensemble');
  const done = () => tab.waitForFunction(() => document.querySelector('#view .go')?.textContent === 'Run the paths', null, { timeout: 900_000 });
  await done();
  await tab.fill('#view input >> nth=0', '100000');
  await tab.fill('#view input >> nth=1', '2');
  const clock = performance.now();
  await tab.click('#view .go');
  await tab.waitForFunction(() => document.querySelector('#view .said')?.textContent?.includes('100000 paths'), null, { timeout: 900_000 });
  await done();
  const lab = (performance.now() - clock) / 1000;
  const file = path.join(scratch, 'noise.toml');
  fs.writeFileSync(file, model);
  const program = native(['ensemble', file, '--paths', '100000', '--out', path.join(scratch, 'ensemble')], 2);
  console.log(`      100,000 paths of 1000 steps: ${lab.toFixed(1)} s in the lab with two workers, ${program.toFixed(1)} s by the program on two threads`);
  await tab.context().close();
});

await runAll();
