// Tests of the lab in a browser: node run.mjs PAGE PROGRAM TOOLS CHROMIUM. Called by `cargo xtask web --test`; those of Calibrate stand
// in `records.mjs`.
import fs from 'node:fs';
import path from 'node:path';
import { address, asked, axeSource, check, examples, link, open, pageFolder, ready, runAll, same, scratch, shots, solved, stickslip, test } from './harness.mjs';
import './changes.mjs';
import './records.mjs';

const own = path.join(import.meta.dirname, '..', 'models');
const files = new Map([
  ...fs.readdirSync(examples).map((n) => [n, path.join(examples, n, 'model.toml')]).filter(([, f]) => fs.existsSync(f)),
  ...fs.readdirSync(own).map((f) => [path.basename(f, '.toml'), path.join(own, f)]),
]);
const names = [...files.keys()];
const text = (name) => fs.readFileSync(files.get(name), 'utf8');
const SHAW = text('shaw');
const tab = await open();
await ready(tab);

/** Asks the library in the page, as its views do. */
const study = (command, given, options, pull) =>
  tab.evaluate(async ([c, t, o, p]) => {
    const got = await (window.lab.used[c] ??= window.lab.engine()).ask('study', { command: c, text: t, options: o, pull: p });
    for (const [name, bytes] of Object.entries(got.csv ?? {})) got.csv[name] = new TextDecoder().decode(bytes);
    return got;
  }, [command, given, options, pull]);

test('every example renders', async () => {
  for (const name of names) {
    await solved(tab, () => tab.selectOption('#example', name));
    check(await tab.isHidden('#message'), `${name}: ${await tab.textContent('#message')}`);
    const look = () => tab.evaluate(() => [...document.querySelectorAll('#view canvas')].filter((c) => {
      const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
      return !data.some((v) => v !== 0);
    }).length);
    // Pictures are drawn in the frame after the solution: on a busy machine that one may be late.
    let blank = await look();
    for (let tries = 0; blank > 0 && tries < 50; tries += 1) {
      await new Promise((done) => setTimeout(done, 100));
      blank = await look();
    }
    check(blank === 0, `${name}: ${blank} pictures are blank`);
    const pictures = await tab.locator('#view canvas, #view .figure').count();
    if (pictures === 0) await tab.waitForSelector('#view .figure');
    check(await tab.locator('#panel-numbers input[type=range]').count() > 0, `${name}: no slider`);
  }
  check(tab.faults.length === 0, tab.faults.join('\n'));
});

test('nothing is fetched from elsewhere, and no script that is put into the page runs', async () => {
  const other = await open();
  await ready(other);
  const found = await other.evaluate(async () => {
    const refused = [];
    document.addEventListener('securitypolicyviolation', (e) => refused.push(e.effectiveDirective));
    const sent = await fetch('http://192.0.2.1/x').then(() => 'sent', () => 'refused');
    const put = document.createElement('div');
    put.innerHTML = '<img src="http://192.0.2.1/x.png"><img src="data:," onerror="window.ran = true">';
    document.body.append(put);
    const inline = document.createElement('script');
    inline.textContent = 'window.ran = true';
    document.body.append(inline);
    await new Promise((done) => setTimeout(done, 200));
    put.remove();
    return { sent, refused, ran: /** @type {any} */ (window).ran === true };
  });
  check(found.sent === 'refused' && !found.ran, JSON.stringify(found));
  for (const kind of ['connect-src', 'img-src', 'script-src-elem']) check(found.refused.includes(kind), `${kind} is not refused: ${found.refused}`);
  // What was refused may be listed as asked for.
  for (const a of [...asked]) if (a.startsWith('http://192.0.2.1/')) asked.delete(a);
  await other.context().close();
});

test('numbers are those of the program to the bit', async () => {
  for (const name of names.filter((n) => !['corner', 'schatzman'].includes(n))) {
    const out = path.join(scratch, name);
    await stickslip('simulate', files.get(name), '--out', out, '-q');
    const got = await study('simulate', text(name), {}, { csv: ['trajectory', 'events'] });
    for (const table of ['trajectory', 'events']) same(got.csv[table], fs.readFileSync(path.join(out, `${table}.csv`), 'utf8'), `${name}: ${table}.csv`);
  }
});

test('solutions, orbits, responses, basins and certificates are those of the program to the bit', async () => {
  const cases = [
    ['solutions', 'schatzman', [], {}, ['bounces']], ['solutions', 'corner', [], {}, ['corner']], ['solutions', 'ill-posed', [], {}, ['solutions']],
    ['orbit', 'shaw', [], {}, ['orbit']],
    ['response', 'shaw', ['--vary', 'oscillator.drive.0.harmonic.angular_frequency=0.4:0.7:12'],
      { key: 'oscillator.drive.0.harmonic.angular_frequency', range: [0.4, 0.7], count: 12 }, ['response']],
    ['basins', 'shaw', ['--x=-3:3:9', '--v=-2:2:7'], { x: [-3, 3, 9], v: [-2, 2, 7] }, ['basins']],
  ];
  for (const [command, name, given, options, tables] of cases) {
    const out = path.join(scratch, `${command}-${name}`);
    await stickslip(command, path.join(examples, name, 'model.toml'), ...given, '--out', out, '-q');
    const got = await study(command, text(name), options, { csv: tables });
    for (const table of tables) same(got.csv[table], fs.readFileSync(path.join(out, `${table}.csv`), 'utf8'), `${command} ${name}: ${table}.csv`);
  }
  const out = path.join(scratch, 'certify-shaw');
  await stickslip('certify', path.join(examples, 'shaw', 'model.toml'), '--out', out, '-q');
  const got = await study('certify', SHAW, {}, { documents: 'all' });
  for (const [name, document] of Object.entries(got.documents)) {
    same(JSON.stringify(JSON.parse(document)), JSON.stringify(JSON.parse(fs.readFileSync(path.join(out, `${name}.json`), 'utf8'))), `${name}.json`);
  }
  check(Object.keys(got.documents).length > 0, 'there is no certificate');
});

test('the library is loaded once for all views', async () => {
  const other = await open();
  const parts = () => other.evaluate(() => performance.getEntriesByType('resource').map((r) => /(\w+)\.wasm$/.exec(r.name)?.[1]).filter(Boolean).join(' '));
  await ready(other);
  for (const view of ['orbit', 'proof']) {
    await other.click(`#view-${view}`);
    if (view === 'proof') await other.click('#view .go');
    await other.waitForSelector('#view .said');
    check((await parts()) === 'stickslip', `${view} has loaded ${await parts()}`);
  }
  await other.context().close();
});

test('an ensemble on several workers is that of the program to the bit', async () => {
  const out = path.join(scratch, 'ensemble');
  const model = SHAW_NOISE();
  const file = path.join(scratch, 'noise.toml');
  fs.writeFileSync(file, model);
  await stickslip('ensemble', file, '--paths', '100', '--out', out, '-q');
  await solved(tab, () => tab.evaluate((t) => window.lab.open(t), model));
  await tab.click('#view-ensemble');
  await tab.fill('#view input >> nth=0', '100');
  await tab.fill('#view input >> nth=1', '3');
  await tab.waitForFunction(() => document.querySelector('#view .go')?.textContent === 'Run the paths');
  await tab.click('#view .go');
  await tab.waitForFunction(() => document.querySelector('#view .go')?.textContent === 'Run the paths' && document.querySelector('#view .said')?.textContent?.includes('100 paths'));
  const [download] = await Promise.all([tab.waitForEvent('download'), tab.click('text=ensemble.csv')]);
  same(fs.readFileSync(await download.path(), 'utf8'), fs.readFileSync(path.join(out, 'ensemble.csv'), 'utf8'), 'ensemble.csv');
});

test('an address opens its model and shows its events with twelve decimals', async () => {
  const other = await open(link(SHAW.replace('amplitude = 6.0', 'amplitude = 5.5')));
  await ready(other);
  const out = path.join(scratch, 'linked');
  await stickslip('simulate', path.join(examples, 'shaw', 'model.toml'), '--set', 'oscillator.drive.0.harmonic.amplitude=5.5', '--out', out, '-q');
  const rows = fs.readFileSync(path.join(out, 'events.csv'), 'utf8').trim().split('\n').slice(1);
  const seen = await other.textContent('#events');
  for (const row of rows) check(seen.includes(Number(row.split(',')[1]).toFixed(12)), `${row} is not among ${seen}`);
  check((await other.locator('#events tbody tr').count()) === rows.length, 'another number of events');
  await other.context().close();
});

test('the page works from the file system', async () => {
  const other = await open(`file://${pageFolder}/index.html#model=${encodeURIComponent(SHAW)}`);
  await ready(other);
  check((await other.locator('#events tbody tr').count()) === 10, 'the ten events of Shaw’s oscillator');
  await other.context().close();
});

test('the page of a response shows each orbit by pointing and by keys', async () => {
  const out = path.join(scratch, 'response-page');
  await stickslip('response', path.join(examples, 'shaw', 'model.toml'), '--vary', 'oscillator.drive.0.harmonic.angular_frequency=0.4:1.4:60', '--out', out, '-q');
  const rows = fs.readFileSync(path.join(out, 'response.csv'), 'utf8').trim().split('\n').slice(1).map((r) => r.split(','));
  const said = (/** @type {string} */ x) => String(Number(Number(x).toPrecision(10))).replaceAll('-', '\u2212');
  for (const colorScheme of ['light', 'dark']) {
    const other = await open(`file://${out}/response.html`, { colorScheme });
    const shown = () => other.innerText('.orbit');
    const has = async (/** @type {string[]} */ row) => {
      const text = await shown();
      for (const i of [0, 1, 2, 3, 5, 6, 9, 10]) check(text.includes(said(row[i])), `${row[i]} is not in ${text}`);
      check(text.includes(row[11] === 'true' ? 'yes' : 'no') && (row[13] === '' || text.startsWith(row[13])), text);
    };
    await has(rows[0]);
    await other.locator('.curve div svg').focus();
    await other.keyboard.press('ArrowRight');
    await has(rows[1]);
    const bifurcation = rows.find((r) => r[13] !== '');
    await other.keyboard.press('PageDown');
    if (bifurcation) await has(bifurcation);
    check((await other.locator('.marks button').count()) === rows.filter((r) => r[13] !== '').length, 'a button for each bifurcation');
    await other.selectOption('.pick select', { label: 'transmissibility' });
    const box = await other.locator('.here').boundingBox();
    if (!box) throw new Error('no orbit is marked');
    await other.locator('.curve div svg').focus();
    await other.keyboard.press('End');
    const before = await shown();
    await other.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    check((await shown()) !== before, 'pointing at the curve shows nothing');
    await other.evaluate(axeSource);
    const found = await other.evaluate(() => window.axe.run(document));
    check(found.violations.length === 0, JSON.stringify(found.violations.map((/** @type {any} */ v) => v.id)));
    check(other.faults.length === 0, other.faults.join('\n'));
    await other.screenshot({ path: path.join(shots, `response-page-${colorScheme}.png`) });
    await other.context().close();
  }
});

test('a wrong model shows its message with its place', async () => {
  const other = await open(link(SHAW.replace('mass = 1.0', 'mas = 1.0')));
  await other.waitForSelector('#message:not([hidden])');
  const said = await other.textContent('#message');
  check(said.includes('did you mean `mass`?') && said.includes('line 9, column 1'), said);
  await other.click('#tab-text');
  const body = await other.inputValue('#text');
  await solved(other, () => other.fill('#text', body.replace('mas = 1.0', 'mass = 1.0')));
  check(await other.isHidden('#message'), 'the message is still there');
  await other.fill('#text', 'this is no model');
  await other.waitForSelector('#message:not([hidden])');
  await other.fill('#text', body.replace('mas = 1.0', 'mass = -1.0'));
  await other.waitForFunction(() => document.querySelector('#message')?.textContent?.includes('> 0, in kg'));
  check(other.faults.length === 0, other.faults.join('\n'));
  await other.context().close();
});

test('what is shown of a file turns no order of reading', async () => {
  const odd = 'a\u202egnp.exe\u2066b\u0007c';
  const other = await open(link(SHAW.replace('mass = 1.0', `mass = 1.0\n${JSON.stringify(odd).replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)} = 1`)));
  await other.waitForSelector('#message:not([hidden])');
  const said = await other.textContent('#message');
  check(said.includes('a\\u{202e}gnp.exe\\u{2066}b\\u{7}c'), said);
  check(!/[\u202e\u2066\u0007]/.test(said), said);
  check(other.faults.length === 0, other.faults.join('\n'));
  await other.context().close();
});

test('dragging draws half of all frames that the browser has, or more', async () => {
  // An exact oscillator of a hundred events. How many frames a second that makes depends on the machine: `cargo xtask web --measure`.
  await solved(tab, () => tab.evaluate((t) => window.lab.open(t), SHAW.replace('end = 40.0', 'end = 420.0')));
  const got = await tab.evaluate(async () => {
    const slider = /** @type {any} */ (document.querySelector('[data-path$="harmonic.amplitude"]'));
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    let [drawn, frames] = [0, 0];
    // Frames in which the page only waits, and frames in which a number moves, take turns: the machine may have other work.
    for (let turn = 0; turn < 4; turn++) {
      let clock = performance.now();
      for (; performance.now() - clock < 500; frames++) await frame();
      const before = Number(document.body.dataset.solved);
      clock = performance.now();
      for (let n = 0; performance.now() - clock < 500; n++) {
        slider.value = String(6 + 0.5 * Math.sin(n / 20));
        slider.dispatchEvent(new Event('input'));
        await frame();
      }
      drawn += Number(document.body.dataset.solved) - before;
      slider.dispatchEvent(new Event('change'));
    }
    return { drawn: drawn / 2, frames: frames / 2, events: document.querySelector('.event-box h2')?.textContent };
  });
  console.log(`      ${got.events}: ${got.drawn.toFixed(0)} solutions a second while dragging, ${got.frames.toFixed(0)} frames when the page waits`);
  check(got.drawn >= 0.5 * got.frames, `${got.drawn} solutions a second, of ${got.frames} frames`);
  await tab.waitForFunction(() => !document.body.classList.contains('busy'));
});

test('keys move tabs and sliders, and the numbers of the text follow', async () => {
  await solved(tab, () => tab.evaluate((t) => window.lab.open(t), SHAW));
  const before = await tab.inputValue('[id="n-oscillator.mass"]');
  await tab.focus('[data-path="oscillator.mass"]');
  await solved(tab, () => tab.keyboard.press('ArrowRight'));
  const after = await tab.inputValue('[id="n-oscillator.mass"]');
  check(before === '1' && Number(after) > 1, `${before} became ${after}`);
  check((await tab.inputValue('#text')).includes(`mass = ${after}\n`), 'the text holds another number');
  await tab.focus('#tab-numbers');
  await tab.keyboard.press('ArrowRight');
  check(await tab.isVisible('#text'), 'the arrow does not lead to the text');
  await tab.click('#tab-numbers');
});

test('the address, the files and the lines of a model', async () => {
  await solved(tab, () => tab.evaluate((t) => window.lab.open(t), SHAW));
  await tab.click('#share');
  const given = await tab.inputValue('#dialog .link input');
  check(decodeURIComponent(given.split('#model=')[1]) === SHAW, 'the address holds another model');
  for (const name of ['model.toml', 'events.csv', 'trajectory.csv', 'Curves, PNG', 'Figures, PNG']) {
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.click(`#dialog >> text=${name}`)]);
    check(fs.statSync(await download.path()).size > 100, `${name} is empty`);
  }
  check((await tab.textContent('#dialog')).includes('ss.solve(model)'), 'the lines of Python');
  await tab.keyboard.press('Escape');
});

test('nothing serious stands in the way of anybody', async () => {
  const serious = async (page, where) => {
    await page.evaluate(axeSource);
    const found = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ['violations'] })).violations
      .filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`));
    check(found.length === 0, `${where}:\n${found.join('\n')}`);
  };
  for (const colorScheme of ['light', 'dark']) {
    const other = await open(address, { colorScheme });
    await ready(other);
    await serious(other, `motion, ${colorScheme}`);
    for (const view of ['schemes', 'orbit', 'response', 'basins', 'proof', 'solutions']) {
      await other.click(`#view-${view}`);
      await other.waitForTimeout(700);
      await serious(other, `${view}, ${colorScheme}`);
    }
    await other.click('#tab-text');
    await serious(other, `text, ${colorScheme}`);
    await other.click('#share');
    await serious(other, `share, ${colorScheme}`);
    await other.keyboard.press('Escape');
    await other.click('[data-room=calibrate]');
    await serious(other, `calibrate, ${colorScheme}`);
    await other.context().close();
  }
});

test('remarks are sentences of the page and name no key of a file', async () => {
  await solved(tab, () => tab.selectOption('#example', 'shaw'));
  await tab.click('#view-solutions');
  await tab.waitForSelector('#view .warning');
  const said = await tab.locator('#view .warning').allTextContents();
  check(said.some((r) => r.endsWith('take a larger “step” under [run] to list all of them.')), said.join('\n'));
  check(said.every((r) => !/`|run\.step/.test(r)), said.join('\n'));
  await tab.click('#view-motion');
});

test('on a phone nothing is drawn under the line of time and state', async () => {
  const phone = await open(address, { viewport: { width: 390, height: 844 } });
  await ready(phone);
  const faults = [];
  let looked = 0;
  for (const name of names) {
    await solved(phone, () => phone.selectOption('#example', name));
    const drawn = await phone.evaluate(() => {
      const [canvas, state] = [document.querySelector('canvas.stage'), document.querySelector('.state')];
      // Some examples open with their solutions.
      if (!canvas || !state) return null;
      const [c, s] = [canvas, state].map((e) => e.getBoundingClientRect());
      const scale = canvas.width / c.width;
      const { data } = canvas.getContext('2d').getImageData((s.left - c.left) * scale, (s.top - c.top) * scale, s.width * scale, s.height * scale);
      return { marks: data.filter((v, i) => i % 4 === 3 && v > 0).length, right: s.right - c.right };
    });
    looked += drawn ? 1 : 0;
    if (drawn && (drawn.marks > 0 || drawn.right > 0)) faults.push(`${name}: ${drawn.marks} pixels; ${drawn.right} px beyond the edge`);
  }
  check(looked > 10 && faults.length === 0, `${looked} examples\n${faults.join('\n')}`);
  await phone.context().close();
});

test('phone and desktop, for people to look at', async () => {
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };
  for (const [device, options] of Object.entries({ desktop: {}, phone, dark: { colorScheme: 'dark' } })) {
    const other = await open(address, options);
    await ready(other);
    await other.waitForTimeout(300);
    const wide = await other.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `${device}: the page is ${wide} px too wide`);
    await other.screenshot({ path: path.join(shots, `motion-${device}.png`), fullPage: device === 'phone' });
    for (const view of ['schemes', 'orbit', 'solutions']) {
      await other.click(`#view-${view}`);
      await other.waitForSelector('#view .figure, #view .uplot');
      await other.waitForTimeout(300);
      await other.screenshot({ path: path.join(shots, `${view}-${device}.png`) });
    }
    await other.context().close();
  }
});

test('nothing is fetched from elsewhere', async () => {
  const foreign = [...asked].filter((u) => !u.startsWith(address) && !/^(blob|data|file):/.test(u));
  check(foreign.length === 0, foreign.join('\n'));
});

/** A short noisy model. */
function SHAW_NOISE() {
  return text('shaw-noise').replace('end = 40.0', 'end = 4.0');
}

await runAll();
