// Pictures of the lab for the guide: node pictures.mjs PAGE PROGRAM TOOLS CHROMIUM FOLDER.
import path from 'node:path';
import { address, examples, open, ready, solved } from './harness.mjs';

const folder = process.argv[6];
const desktop = { viewport: { width: 1200, height: 820 } };
const shot = (/** @type {any} */ tab, /** @type {string} */ name) => tab.waitForTimeout(700).then(() => tab.screenshot({ path: path.join(folder, `lab-${name}.png`) }));
const quiet = (/** @type {any} */ tab) => tab.waitForFunction(() => document.querySelector('#view .go')?.textContent !== 'Stop', null, { timeout: 300_000 });

const tab = await open(address, { viewport: { width: 1200, height: 1000 } });
await ready(tab);
await shot(tab, 'motion');
await tab.setViewportSize(desktop.viewport);
await tab.click('#view-schemes');
await shot(tab, 'schemes');
for (const view of ['orbit', 'response', 'basins', 'proof']) {
  await tab.click(`#view-${view}`);
  if (view !== 'orbit') await tab.click('#view .go');
  await tab.waitForSelector('#view .said', { state: 'attached' });
  await quiet(tab);
  await shot(tab, view);
}
await solved(tab, () => tab.selectOption('#example', 'shaw-noise'));
await tab.click('#view-ensemble');
await tab.waitForSelector('#view .said', { state: 'attached' });
await quiet(tab);
await shot(tab, 'ensemble');
for (const [name, view] of [['ill-posed', 'solutions'], ['spring-blocks', 'network'], ['cascade', 'cascade'], ['impact-oscillator', 'impact']]) {
  await solved(tab, () => tab.selectOption('#example', name));
  await shot(tab, view);
}
await tab.setViewportSize({ width: 1200, height: 1000 });
await tab.click('[data-room=calibrate]');
await tab.setInputFiles('#record', path.join(examples, 'bearing-year', 'bearing.csv'));
await tab.waitForSelector('.guesses select');
await tab.click('.calibrate .go.primary');
await tab.waitForSelector('#report iframe', { timeout: 300_000 });
await tab.evaluate(() => scrollTo(0, 0));
await shot(tab, 'calibrate');
const phone = await open(address, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 });
await ready(phone);
await phone.locator('.theatre').scrollIntoViewIfNeeded();
await shot(phone, 'phone');
process.exit(0);
