// Tests of what happens when somebody changes the model, makes a mistake, takes it back, or brings a file.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { address, check, examples, link, open, ready, same, scratch, shots, solved, stickslip, test } from './harness.mjs';

const SHAW = fs.readFileSync(path.join(examples, 'shaw', 'model.toml'), 'utf8');

/** A driven mass that comes to rest from some starts and slips for ever from others. */
const TWO = `[oscillator]
mass = 1.0
stiffness = 1.0
damping = 0.2
friction.static-dynamic = { static = 1.1, dynamic = 0.6 }
[[oscillator.drive]]
harmonic = { amplitude = 1.0, angular_frequency = 1.0 }
[run]
end = 60.0
`;

/** Lets go of a file above an element, as a hand does. @param {any} page @param {string} selector @param {string} name @param {string} text */
async function dropped(page, selector, name, text) {
  const data = await page.evaluateHandle(([n, t]) => {
    const list = new DataTransfer();
    list.items.add(new File([t], n));
    return list;
  }, [name, text]);
  await page.dispatchEvent(selector, 'dragover', { dataTransfer: data });
  await page.dispatchEvent(selector, 'drop', { dataTransfer: data });
}

test('an error greys the old picture, which names its own model, and the message names the new one', async () => {
  const other = await open(link(`title = "The good one"\n${SHAW.replace(/^title = .*\n/m, '')}`));
  await ready(other);
  const look = () => other.evaluate(() => {
    const view = /** @type {HTMLElement} */ (document.querySelector('#view'));
    const inner = getComputedStyle(/** @type {HTMLElement} */ (view.firstElementChild));
    return { said: getComputedStyle(view, '::before').content, opacity: Number(inner.opacity), filter: inner.filter, message: document.querySelector('#message')?.textContent ?? '' };
  });
  const clear = await look();
  check(clear.opacity === 1 && clear.filter === 'none' && clear.message === '', JSON.stringify(clear));
  await other.click('#tab-text');
  const text = await other.inputValue('#text');
  await other.fill('#text', text.replace('The good one', 'The bad one').replace('mass = 1.0', 'mass = -1.0'));
  await other.waitForSelector('#message:not([hidden])');
  const wrong = await look();
  check(wrong.opacity < 0.6 && wrong.filter.includes('grayscale(1)'), JSON.stringify(wrong));
  check(wrong.said.includes('Still showing The good one'), wrong.said);
  check(wrong.message.includes('The bad one') && !wrong.message.includes('The good one'), wrong.message);
  check((await other.locator('#events tbody tr').count()) === 10, 'the old motion is gone');
  await other.screenshot({ path: path.join(shots, 'error.png') });
  await solved(other, () => other.fill('#text', text));
  const again = await look();
  check(again.opacity === 1 && again.filter === 'none' && again.said === 'none' && again.message === '', JSON.stringify(again));
  await other.context().close();
});

test('changes are taken back one after the other, and done again', async () => {
  const other = await open(link(SHAW));
  await ready(other);
  const mass = () => other.inputValue('[id="n-oscillator.mass"]');
  const press = (/** @type {string} */ keys) => solved(other, () => other.keyboard.press(keys));
  check(await other.isDisabled('#undo') && await other.isDisabled('#redo'), 'there is nothing to take back yet');
  await other.fill('[id="n-oscillator.mass"]', '2');
  await solved(other, () => other.press('[id="n-oscillator.mass"]', 'Enter'));
  // One pull at a slider is one change, however many numbers it passes.
  await solved(other, () => other.evaluate(() => {
    const slider = /** @type {any} */ (document.querySelector('[data-path="oscillator.mass"]'));
    for (const value of [1.9, 1.8, 1.5]) {
      slider.value = String(value);
      slider.dispatchEvent(new Event('input'));
    }
    slider.dispatchEvent(new Event('change'));
  }));
  check(await mass() === '1.5', await mass());
  await other.click('#tab-text');
  const typed = (await other.inputValue('#text')).replace('stiffness = 1.0', 'stiffness = 4.0');
  await solved(other, () => other.fill('#text', typed));
  await other.focus('#text');
  await press('Control+z');
  check((await other.inputValue('#text')).includes('stiffness = 1.0'), 'what was typed is not taken back');
  await solved(other, () => other.click('#undo'));
  check(await mass() === '2', `${await mass()} after the slider was taken back`);
  await press('Control+z');
  check(await mass() === '1', `${await mass()} after the number was taken back`);
  same(await other.inputValue('#text'), SHAW, 'the model at the beginning');
  check(await other.isDisabled('#undo'), 'there is something before the beginning');
  await press('Control+Shift+z');
  await solved(other, () => other.click('#redo'));
  check(await mass() === '1.5', `${await mass()} after both were done again`);
  await press('Control+y');
  same(await other.inputValue('#text'), typed, 'what was typed');
  // An example that is chosen by mistake does not cost what stood there, nor does a model that is wrong.
  await solved(other, () => other.selectOption('#example', 'belt'));
  await solved(other, () => other.click('#undo'));
  same(await other.inputValue('#text'), typed, 'after an example');
  await other.fill('#text', 'this is no model');
  await other.waitForSelector('#message:not([hidden])');
  await solved(other, () => other.click('#undo'));
  same(await other.inputValue('#text'), typed, 'after a mistake');
  check(await other.isHidden('#message') && await other.isEnabled('#redo'), 'the mistake is still there');
  // A new change gives up what was taken back.
  await other.click('#tab-numbers');
  await other.fill('[id="n-oscillator.mass"]', '7');
  await solved(other, () => other.press('[id="n-oscillator.mass"]', 'Enter'));
  check(await other.isDisabled('#redo'), 'there is something to do again');
  check(other.faults.length === 0, other.faults.join('\n'));
  await other.context().close();
});

test('a model file is opened where it is dropped or chosen', async () => {
  const other = await open();
  await ready(other);
  const before = await other.inputValue('#text');
  const mine = `title = "Mine"\n${SHAW.replace(/^title = .*\n/m, '').replace('amplitude = 6.0', 'amplitude = 5.5')}`;
  await solved(other, () => dropped(other, '#view', 'mine.toml', mine));
  same(await other.inputValue('#text'), mine, 'the text');
  check(await other.inputValue('#example') === '', 'it is called an example');
  await solved(other, () => other.click('#undo'));
  same(await other.inputValue('#text'), before, 'what stood there before');
  const file = path.join(scratch, 'mine.toml');
  fs.writeFileSync(file, mine);
  await solved(other, () => other.setInputFiles('#model', file));
  same(await other.inputValue('#text'), mine, 'the text of the file that was chosen');
  // A mistake in it is shown with its place, as one that was typed.
  await dropped(other, '.side', 'wrong.toml', mine.replace('mass = 1.0', 'mas = 1.0'));
  await other.waitForSelector('#message:not([hidden])');
  check(((await other.textContent('#message')) ?? '').includes('did you mean `mass`?'), (await other.textContent('#message')) ?? '');
  // What is no model goes where it is read: records and fit files into Calibrate.
  await dropped(other, '#simulate', 'bearing.csv', fs.readFileSync(path.join(examples, 'bearing-year', 'bearing.csv'), 'utf8'));
  await other.waitForSelector('.guesses select');
  check(await other.isVisible('#calibrate') && ((await other.inputValue('.fitfile')).includes('file = "bearing.csv"')), 'the record');
  const fit = (await other.inputValue('.fitfile')).replace('seed = 1', 'seed = 2');
  await other.click('[data-room=simulate]');
  await dropped(other, '#simulate', 'bearing.fit.toml', fit);
  await other.waitForFunction(() => document.querySelector('.fitfile')?.value.includes('seed = 2'));
  check(await other.isVisible('#calibrate') && await other.isVisible('.fitfile') && await other.isVisible('.calibrate .go.primary'), 'the fit file');
  check(other.faults.length === 0, other.faults.join('\n'));
  await other.context().close();
});

for (const [kind, separator, comma] of [['points', ',', false], ['decimal commas', ';', true]]) test(`a record without a row of names can be read, with ${kind}`, async () => {
  const other = await open(`${address}#calibrate`);
  const rows = fs.readFileSync(path.join(examples, 'bearing-year', 'bearing.csv'), 'utf8').split('\n').slice(1, 1501);
  const written = rows.map((r) => (comma ? r.replaceAll(',', ';').replaceAll('.', ',') : r)).join('\n') + '\n';
  const record = path.join(scratch, comma ? 'bare.csv.gz' : 'bare.csv');
  fs.writeFileSync(record, comma ? zlib.gzipSync(written) : written);
  await other.setInputFiles('#record', record);
  await other.waitForSelector('#no-header');
  check(await other.isHidden('.calibrate .go.primary') && ((await other.textContent('.guesses')) ?? '').includes('begins with 3 values'), (await other.textContent('.guesses')) ?? '');
  await other.click('#no-header');
  await other.waitForFunction(() => document.querySelector('.fitfile')?.value.includes('[model]') && !document.querySelector('.calibrate .go.primary')?.hidden);
  const guessed = await other.locator('.guesses select').evaluateAll((all) => all.map((s) => s.value));
  check(guessed.join('|') === `column 1||column 2|°C|column 3|mm|${comma ? ',' : '.'}`, guessed.join('|'));
  await other.click('.calibrate .go.primary');
  await other.waitForSelector('#report iframe, #report .message');
  check(await other.isVisible('#report iframe'), (await other.textContent('#report')) ?? '');
  const [download] = await Promise.all([other.waitForEvent('download'), other.click('text=summary.json')]);
  const ours = JSON.parse(fs.readFileSync(await download.path(), 'utf8'));
  // The record with its names is what the fit file needs elsewhere: the program makes the same of it.
  const [saved] = await Promise.all([other.waitForEvent('download'), other.click('#save-named')]);
  check(saved.suggestedFilename() === 'bare.csv', saved.suggestedFilename());
  const text = fs.readFileSync(await saved.path(), 'utf8');
  same(text, `${['column 1', 'column 2', 'column 3'].join(separator)}\n${written}`, 'the record with its names');
  fs.writeFileSync(path.join(scratch, 'bare.csv'), text);
  const fit = path.join(scratch, 'bare.toml');
  fs.writeFileSync(fit, await other.inputValue('.fitfile'));
  const out = path.join(scratch, 'bare');
  await stickslip('calibrate', fit, '--out', out, '-q');
  const theirs = JSON.parse(fs.readFileSync(path.join(out, 'summary.json'), 'utf8'));
  same(JSON.stringify(ours.fit.parameters), JSON.stringify(theirs.fit.parameters), 'the parameters');
  check(other.faults.length === 0, other.faults.join('\n'));
  await other.context().close();
});

test('basins are classes: each has its own colour and stands in the legend', async () => {
  const other = await open(link(TWO));
  await ready(other);
  await other.click('#view-basins');
  for (const [i, value] of ['-4', '4', '-4', '4', '15'].entries()) await other.fill(`#view input >> nth=${i}`, value);
  await other.click('#view .go');
  await other.waitForSelector('#view img.figure');
  const [download] = await Promise.all([other.waitForEvent('download'), other.click('#view >> text=basins.csv')]);
  const rows = fs.readFileSync(await download.path(), 'utf8').trim().split('\n').slice(1);
  const classes = new Set(rows.map((r) => Number(r.split(',')[2])));
  check(classes.size >= 2, `only the classes ${[...classes]}`);
  const svg = await other.evaluate(async ([text]) => {
    const got = await window.lab.engine().ask('study', { command: 'basins', text, options: { x: [-4, 4, 15], v: [-4, 4, 15] }, pull: { figures: ['basins'] } });
    return got.figures.basins;
  }, [TWO]);
  const names = await other.evaluate((given) => [...new DOMParser().parseFromString(given, 'image/svg+xml').querySelectorAll('text')].map((t) => t.textContent ?? ''), svg);
  for (const number of classes) {
    const share = 100 * rows.filter((r) => Number(r.split(',')[2]) === number).length / rows.length;
    const name = names.find((t) => t.startsWith(number === 0 ? 'to none: ' : `to orbit ${number}: `));
    check(name !== undefined && Math.abs(parseFloat(name.split(': ')[1]) - share) < 0.06, `class ${number}, ${share} %: ${names}`);
  }
  // The picture itself: as many colours as classes, whatever the size of its cells, and no bar of colours beside them.
  const colours = await other.evaluate(async (given) => {
    const image = new Image();
    image.src = /** @type {string} */ (/href="(data:image\/png[^"]*)"/.exec(given)?.[1]);
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    pen.drawImage(image, 0, 0);
    const all = pen.getImageData(0, 0, image.width, image.height).data;
    return new Set(Array.from({ length: all.length / 4 }, (_, i) => all.slice(4 * i, 4 * i + 4).join())).size;
  }, svg);
  check(colours === classes.size, `${colours} colours for ${classes.size} classes`);
  check(other.faults.length === 0, other.faults.join('\n'));
  await other.context().close();
});
