// Tests of Calibrate in a browser: records that are dropped, and every kind of fit.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { address, check, examples, open, same, scratch, shots, stickslip, test } from './harness.mjs';

/** Fills the page with a record. @param {any} page @param {string} file */
async function dropped(page, file) {
  await page.setInputFiles('#record', file);
  await page.waitForSelector('.guesses select');
  await page.waitForFunction(() => document.querySelector('.fitfile')?.value.includes('[model]') && !document.querySelector('.calibrate .go.primary')?.hidden);
}

/** Calibrates and takes the summary. @param {any} page */
async function calibrated(page) {
  await page.click('.calibrate .go.primary');
  return summary(page);
}

/** @param {any} page */
async function summary(page) {
  await page.waitForSelector('#report iframe, #report .message');
  check(await page.isVisible('#report iframe'), (await page.textContent('#report')) ?? '');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=summary.json')]);
  return JSON.parse(fs.readFileSync(await download.path(), 'utf8'));
}

/** Stops the calibration that is under way. @param {any} page */
async function stop(page) {
  await page.click('.calibrate .go.primary');
  await page.waitForFunction(() => document.querySelector('.calibrate .job [role=status]')?.textContent === 'stopped');
}

/** Closes a page that must have had no fault. @param {any} page */
async function close(page) {
  check(page.faults.length === 0, page.faults.join('\n'));
  await page.context().close();
}

/** The program's results of the fit file in the page. @param {any} page @param {string} name */
async function program(page, name) {
  const fit = path.join(scratch, `${name}.toml`);
  fs.writeFileSync(fit, await page.inputValue('.fitfile'));
  const out = path.join(scratch, name);
  await stickslip('calibrate', fit, '--out', out, '-q');
  return JSON.parse(fs.readFileSync(path.join(out, 'summary.json'), 'utf8'));
}

/** What a fit has found: numbers alone. @param {any} s */
const numbers = (s) => JSON.stringify(s.fit ?? s, (key, value) => (/seconds|version|file|created|digest|inputs/.test(key) ? undefined : value));

test('a dropped record gives the report of the program', async () => {
  const other = await open(`${address}#calibrate`);
  const record = path.join(examples, 'bearing-year', 'bearing.csv');
  await dropped(other, record);
  const guessed = await other.locator('.guesses select').evaluateAll((all) => all.map((s) => s.value));
  check(guessed.join('|') === 'time||temperature|°C|displacement|mm|.', guessed.join('|'));
  const fit = path.join(scratch, 'fit.toml');
  fs.copyFileSync(record, path.join(scratch, 'bearing.csv'));
  fs.writeFileSync(fit, await other.inputValue('.fitfile'));
  await other.click('.calibrate .go.primary');
  await other.waitForSelector('#report iframe');
  const [download] = await Promise.all([other.waitForEvent('download'), other.click('text=summary.json')]);
  const summary = JSON.parse(fs.readFileSync(await download.path(), 'utf8'));
  const out = path.join(scratch, 'fit');
  await stickslip('calibrate', fit, '--out', out, '-q');
  const native = JSON.parse(fs.readFileSync(path.join(out, 'fit.json'), 'utf8'));
  same(JSON.stringify(summary.fit.parameters), JSON.stringify(native.parameters), 'the parameters');
  const [saved] = await Promise.all([other.waitForEvent('download'), other.click('text=Save the report')]);
  // The report may tell how long it took.
  const plain = (html) => html.replace(/\d+(\.\d+)? (ms|s)\b/g, 'TIME').replace(/fit\.toml|model\.toml/g, 'FILE');
  const [ours, theirs] = [fs.readFileSync(await saved.path(), 'utf8'), fs.readFileSync(path.join(out, 'report.html'), 'utf8')].map(plain);
  same(ours, theirs, 'the report');
  check((await other.frameLocator('#report iframe').locator('h1').count()) === 1, 'the report is not shown');
  await other.screenshot({ path: path.join(shots, 'calibrate-desktop.png') });
  await close(other);
});

test('a record with decimal commas that gzip has compressed gives the numbers of the program', async () => {
  const other = await open(`${address}#calibrate`);
  const rows = fs.readFileSync(path.join(examples, 'bearing-year', 'bearing.csv'), 'utf8').split('\n').slice(0, 1501);
  const record = path.join(scratch, 'german.csv.gz');
  fs.writeFileSync(record, zlib.gzipSync(rows.map((r) => r.replaceAll(',', ';').replaceAll('.', ',')).join('\r\n')));
  await dropped(other, record);
  const guessed = await other.locator('.guesses select').evaluateAll((all) => all.map((s) => s.value));
  check(guessed.join('|') === 'time||temperature|°C|displacement|mm|,', guessed.join('|'));
  const ours = await calibrated(other);
  const theirs = await program(other, 'german');
  same(JSON.stringify(ours.fit.parameters), JSON.stringify(theirs.fit.parameters), 'the parameters');
  fs.writeFileSync(path.join(scratch, 'point.csv'), rows.join('\n'));
  await other.evaluate(() => { document.querySelector('.fitfile').value = document.querySelector('.fitfile').value.replace('german.csv.gz', 'point.csv').replace('decimal = ","', 'decimal = "."'); });
  const pointed = await program(other, 'point');
  same(JSON.stringify(ours.fit.parameters), JSON.stringify(pointed.fit.parameters), 'the parameters with decimal points');
  await close(other);
});

test('a wrong record and a large one leave the page alive', async () => {
  const other = await open(`${address}#calibrate`);
  const wrong = path.join(scratch, 'wrong.csv');
  fs.writeFileSync(wrong, 'just a line without anything\n');
  await other.setInputFiles('#record', wrong);
  await other.waitForSelector('#report .message');
  // Its head is read, and then the file as a stream in the worker: the page keeps drawing, and stops the work when it is asked to.
  const size = await other.evaluate(() => {
    const parts = ['time,temperature,displacement\n'];
    let part = '';
    for (let i = 0; i < 9_600_000; i++) {
      part += `${60 * i},${(i % 97) / 10},${(i % 89) / 10}00\n`;
      if (part.length > 1e6) {
        parts.push(part);
        part = '';
      }
    }
    const file = new File(parts, 'large.csv');
    const list = new DataTransfer();
    list.items.add(file);
    Object.assign(document.querySelector('#record'), { files: list.files }).dispatchEvent(new Event('change'));
    return file.size;
  });
  check(size > 180e6, `${size} bytes`);
  await other.waitForSelector('.calibrate .go.primary:not([hidden])');
  const gap = await other.evaluate(async () => {
    /** @type {any} */ (document.querySelector('.calibrate .go.primary')).click();
    let [worst, last] = [0, performance.now()];
    const clock = last;
    while (performance.now() - clock < 3000) {
      await new Promise((done) => requestAnimationFrame(done));
      worst = Math.max(worst, performance.now() - last);
      last = performance.now();
    }
    return worst;
  });
  console.log(`      the longest pause between two frames while ${(size / 1e6).toFixed(0)} MB are read: ${gap.toFixed(0)} ms`);
  check(gap < 1500, `the page has not been drawn for ${gap} ms`);
  await stop(other);
  await close(other);
});

test('every kind of fit has its example, with the numbers of the program', async () => {
  const other = await open(`${address}#calibrate`);
  const kinds = await other.locator('#kind option').evaluateAll((all) => all.map((o) => o.value));
  check(kinds.length === 7, kinds.join(' '));
  // Models and servos are sought for a minute: that they are found is tested where the program is.
  const slow = ['base-driven', 'servo'];
  for (const kind of kinds.filter((k) => !slow.includes(k))) {
    await other.selectOption('#kind', kind);
    await other.evaluate(() => document.querySelector('#report')?.replaceChildren());
    await other.click('#try');
    const ours = await summary(other);
    same(numbers(ours), numbers(await program(other, `try-${kind}`)), kind);
  }
  for (const kind of slow) {
    await other.selectOption('#kind', kind);
    await other.click('#try');
    await other.waitForFunction(() => Number(document.querySelector('.calibrate progress')?.value) > 0);
    await stop(other);
  }
  await close(other);
});

test('the columns of a record of any kind are guessed and put into its fit file', async () => {
  const other = await open(`${address}#calibrate`);
  const rows = fs.readFileSync(path.join(examples, 'rigid-drive', 'drive.csv'), 'utf8').split('\n');
  const record = path.join(scratch, 'axis.csv');
  fs.writeFileSync(record, [rows[0].replace('position', 'position_of_table'), ...rows.slice(1)].join('\n'));
  await other.selectOption('#kind', 'rigid-drive');
  await dropped(other, record);
  const fit = await other.inputValue('.fitfile');
  for (const line of ['file = "axis.csv"', 'position = "position_of_table"', 'force = "force"', 'time = "time"']) check(fit.includes(line), `${line} is not in\n${fit}`);
  await other.context().close();
});

// As pyarrow writes it (Snappy), and Polars (zstd).
for (const file of ['bearing.parquet', 'bearing-zstd.parquet']) test(`the table ${file} gives the numbers of the same table in CSV`, async () => {
  const other = await open(`${address}#calibrate`);
  await dropped(other, path.join(import.meta.dirname, 'data', file));
  const ours = await calibrated(other);
  const rows = fs.readFileSync(path.join(examples, 'bearing-year', 'bearing.csv'), 'utf8').split('\n').slice(0, 1501);
  fs.writeFileSync(path.join(scratch, 'first.csv'), rows.join('\n'));
  await other.evaluate((name) => { document.querySelector('.fitfile').value = document.querySelector('.fitfile').value.replace(name, 'first.csv'); }, file);
  const theirs = await program(other, file.replace('.parquet', ''));
  same(JSON.stringify(ours.fit.parameters), JSON.stringify(theirs.fit.parameters), 'the parameters');
  await other.context().close();
});

test('a fit file may name a time zone', async () => {
  const other = await open(`${address}#calibrate`);
  // Two clocks are changed in these days: without its zone the times of this record go back in autumn.
  const from = Date.UTC(2013, 9, 1);
  const rows = fs.readFileSync(path.join(examples, 'bearing-year', 'bearing.csv'), 'utf8').split('\n').slice(1, 1201);
  const berlin = (at) => new Date(at).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' });
  const record = path.join(scratch, 'local.csv');
  fs.writeFileSync(record, ['time,temperature,displacement', ...rows.map((r, i) => [berlin(from + i * 3.6e6), ...r.split(',').slice(1)].join(','))].join('\n'));
  await dropped(other, record);
  await other.click('.fit-box summary');
  const fit = await other.inputValue('.fitfile');
  await other.fill('.fitfile', fit.replace('\n[model]', 'time_zone = "Europe/Berlin"\n\n[model]'));
  const ours = await calibrated(other);
  const theirs = await program(other, 'local');
  same(JSON.stringify(ours.fit.parameters), JSON.stringify(theirs.fit.parameters), 'the parameters');
  await other.context().close();
});

