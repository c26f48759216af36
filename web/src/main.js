// The page: examples, views, and what happens when a number changes.
import { examples } from '#examples';
import { CalibrateView } from './calibrate.js';
import { $, dark, h, later, tablist } from './dom.js';
import { Engine, Latest, Stopped, Wrong } from './engine.js';
import { History } from './history.js';
import { ModelPanel } from './model.js';
import { MotionView } from './motion.js';
import { address, opened, share } from './share.js';
import { EnsembleView, SchemesView, basinsView, complaint, orbitView, proofView, responseView, solutionsView } from './studies.js';

const live = new Engine();
const latest = new Latest(live, 1500);

/** What the model was before. */
const past = new History();

/** @type {any} */
let about = null;
/** @type {CalibrateView | null} */
let calibrate = null;
let view = 'motion';
let room = 'simulate';
/** How long the last motions took, for those who watch. @type {number[]} */
const took = [];

const panel = new ModelPanel({ changed: (text, dragging) => solve(text, dragging) });
const model = { text: () => panel.text, about: () => about, reach: (/** @type {string} */ column) => motion.reach(column), blame: (/** @type {any} */ f) => panel.blame(f) };

const motion = new MotionView();
motion.put = (path, value, dragging) => {
  if (!panel.numbers.some((n) => n.path === path)) return false;
  panel.put(path, String(value), dragging);
  return true;
};
/** @type {Record<string, {label: string, suits: (a: any) => boolean, make: () => any, made?: any}>} */
const views = {
  motion: { label: 'Motion', suits: (a) => !ill(a), make: () => motion },
  schemes: { label: 'Schemes', suits: (a) => !ill(a) && !a?.noisy, make: () => new SchemesView(model) },
  ensemble: { label: 'Ensemble', suits: (a) => Boolean(a?.noisy), make: () => new EnsembleView(model) },
  orbit: { label: 'Orbit', suits: (a) => !ill(a) && !a?.noisy, make: () => orbitView(model) },
  response: { label: 'Response', suits: (a) => !ill(a) && !a?.noisy, make: () => responseView(model) },
  basins: { label: 'Basins', suits: (a) => a?.kind === 'oscillator' && !a?.noisy && driven(a), make: () => basinsView(model) },
  proof: { label: 'Proof', suits: (a) => !a?.noisy && ((['oscillator', 'impact', 'cascade'].includes(a?.kind ?? '') && a?.scheme === 'exact') || (a?.kind === 'cascade' && a?.scheme === 'quasi-static')), make: () => proofView(model) },
  solutions: { label: 'Solutions', suits: (a) => ill(a) || (a?.kind === 'oscillator' && !a?.noisy), make: () => solutionsView(model) },
};

/** Whether something periodic drives it. @param {any} a */
function driven(a) {
  return a.numbers.some((/** @type {any} */ n) => n.path.endsWith('angular_frequency'));
}

/** Whether a problem has no single motion. @param {any} a */
function ill(a) {
  return a?.kind === 'corner' || a?.kind === 'schatzman';
}

for (const [name, v] of Object.entries(views)) {
  $('views').append(h('button', { type: 'button', role: 'tab', id: `view-${name}`, 'aria-controls': 'view', 'aria-selected': 'false', tabindex: '-1', click: () => show(name) }, v.label));
}
tablist($('views'));

/** @param {string} name */
function show(name) {
  if (!Object.keys(views).includes(name)) name = 'motion';
  if (!views[name].suits(about)) name = Object.keys(views).find((k) => views[k].suits(about)) ?? 'motion';
  view = name;
  for (const k of Object.keys(views)) {
    const tab = $(`view-${k}`);
    tab.hidden = !views[k].suits(about);
    tab.setAttribute('aria-selected', String(k === name));
    tab.tabIndex = k === name ? 0 : -1;
  }
  $('view').setAttribute('aria-labelledby', `view-${name}`);
  const made = (views[name].made ??= views[name].make());
  if (made.box.parentElement !== $('view')) $('view').replaceChildren(made.box);
  made.shown?.();
  remember();
}

/** The model stands in the address, so that a bookmark keeps it. */
const remember = later(() => {
  if (room === 'simulate' && panel.text) history.replaceState(null, '', address(panel.text, view));
}, 400);

/** @param {string} text @param {boolean} dragging */
async function solve(text, dragging) {
  document.body.classList.add('busy');
  if (!dragging) kept(text);
  const clock = performance.now();
  try {
    const solved = await latest.motion({ text, points: dragging ? 600 : 1600 });
    took.push(performance.now() - clock);
    if (took.length > 600) took.shift();
    const before = about;
    about = solved.about;
    panel.blame(null);
    panel.found(about.numbers, text);
    shows(text);
    motion.set(solved, dragging);
    if (!before || before.kind !== about.kind || before.noisy !== about.noisy) show(view);
    else if (!dragging && view !== 'motion') views[view].made?.changed?.();
    if (!before && !performance.getEntriesByName('first picture').length) requestAnimationFrame(() => performance.mark('first picture'));
    document.body.dataset.solved = String(Number(document.body.dataset.solved ?? 0) + 1);
    remember();
  } catch (error) {
    if (!(error instanceof Stopped)) await failed(error, text);
  }
  if (!latest.busy && !latest.next) document.body.classList.remove('busy');
}

/** @param {any} error @param {string} text */
async function failed(error, text) {
  if (!(error instanceof Wrong)) return broken(error);
  const kind = /^\s*\[(corner|schatzman)\]/m.exec(text)?.[1];
  if (kind && error.fault.kind !== 'defect') {
    // A problem without one motion: its solutions are the view.
    try {
      about = { kind, numbers: await live.ask('numbers', { text }), columns: [], contacts: [], events: [] };
      panel.blame(null);
      panel.found(about.numbers, text);
      shows(text);
      if (view === 'solutions') views.solutions.made?.changed?.();
      show('solutions');
      document.body.dataset.solved = String(Number(document.body.dataset.solved ?? 0) + 1);
      return;
    } catch (second) {
      if (second instanceof Wrong) return panel.blame(second.fault);
      throw second;
    }
  }
  panel.blame(error.fault);
  if (about) outdated();
  if (!about) {
    panel.show('text');
    $('view').replaceChildren(complaint(error.fault));
  }
  document.body.dataset.wrong = String(Number(document.body.dataset.wrong ?? 0) + 1);
}

/** The text of the model whose motion the page shows. */
let shown = '';

/** What a model is called: its title, or the example that it is. @param {string} text */
function called(text) {
  const title = /^\s*title\s*=\s*"([^"\n]*)"/m.exec(text)?.[1];
  return title || examples.find((e) => e.text === text)?.name || 'the model before the last change';
}

/** The page shows the motion of this model. @param {string} text */
function shows(text) {
  shown = text;
  $('view').classList.remove('outdated');
  delete $('view').dataset.shows;
}

/** What the page shows is not the motion of the text that stands there, which is wrong: grey, with the name of its own model. */
function outdated() {
  $('view').classList.add('outdated');
  $('view').dataset.shows = `Still showing ${called(shown)}, the last model that could be solved`;
}

/** @param {any} error */
function broken(error) {
  $('broken').hidden = false;
  $('broken').textContent = `The lab could not start: ${error?.message ?? error}. It needs a current Firefox, Chrome, Edge or Safari; if yours is one, please report this.`;
}

/** @param {string} text @param {string} [to] */
function open(text, to = 'motion') {
  about = null;
  view = to;
  put(text);
  motion.at = 0;
  solve(text, false);
}

/** Another text in place of the one that stands there. @param {string} text */
function put(text) {
  panel.open(text);
  const known = examples.find((e) => e.text === text);
  $('example').value = known?.name ?? '';
  $('about').textContent = known?.about ?? '';
}

/** A change has come to rest. @param {string} text */
function kept(text) {
  past.keep(text);
  $('undo').disabled = !past.has(-1);
  $('redo').disabled = !past.has(1);
}

/** So many changes back or forth. @param {number} by */
function travel(by) {
  // What was typed a moment ago is a change too.
  if (panel.text !== past.texts[past.at]) kept(panel.text);
  const text = past.step(by);
  if (text === null) return;
  put(text);
  solve(text, false);
}

/** A file that somebody has dropped or chosen: a model, or a record, which the other part of the lab reads. @param {File | undefined} file */
async function received(file) {
  if (!file) return;
  if (!/\.toml$/i.test(file.name)) {
    enter('calibrate');
    return calibrate?.chosen(file);
  }
  const text = await file.text();
  if (!/^\s*\[data\]/m.test(text)) return open(text);
  enter('calibrate');
  calibrate?.chosen(file);
}

/** @param {string} to */
function enter(to) {
  room = to;
  for (const button of document.querySelectorAll('[data-room]')) {
    if (/** @type {HTMLElement} */ (button).dataset.room === to) button.setAttribute('aria-current', 'page');
    else button.removeAttribute('aria-current');
  }
  $('simulate').hidden = to !== 'simulate';
  $('calibrate').hidden = to !== 'calibrate';
  $('share').hidden = to !== 'simulate';
  document.title = to === 'simulate' ? 'stickslip lab' : 'Calibrate · stickslip lab';
  if (to === 'calibrate') calibrate ??= new CalibrateView($('calibrate'));
  if (to === 'simulate') remember();
  else history.replaceState(null, '', '#calibrate');
}

const groups = new Map();
for (const e of examples) groups.set(e.group, [...(groups.get(e.group) ?? []), e]);
$('example').append(h('option', { value: '' }, 'Your own model'),
  ...[...groups].map(([group, all]) => h('optgroup', { label: group }, ...all.map((/** @type {any} */ e) => h('option', { value: e.name }, e.title)))));
$('example').addEventListener('change', () => {
  const e = examples.find((k) => k.name === $('example').value);
  if (e) open(e.text, e.view ?? 'motion');
});
for (const button of document.querySelectorAll('[data-room]')) button.addEventListener('click', () => enter(/** @type {HTMLElement} */ (button).dataset.room ?? 'simulate'));
$('share').addEventListener('click', () => share({ text: panel.text, view, png: view === 'motion' ? () => motion.png() : null }));
$('brand').addEventListener('click', (/** @type {Event} */ e) => {
  e.preventDefault();
  enter('simulate');
  open(examples[0].text);
});
$('undo').addEventListener('click', () => travel(-1));
$('redo').addEventListener('click', () => travel(1));
$('model').addEventListener('change', () => {
  received($('model').files?.[0]);
  // The same file may be chosen again, after it was changed.
  $('model').value = '';
});
for (const kind of ['dragover', 'dragleave', 'drop']) {
  $('simulate').addEventListener(kind, (/** @type {DragEvent} */ e) => {
    e.preventDefault();
    $('open-file').classList.toggle('over', kind === 'dragover');
    if (kind === 'drop') received(e.dataTransfer?.files?.[0]);
  });
}
addEventListener('hashchange', begin);
addEventListener('error', (e) => {
  // What a browser says of sizes that settle one frame later is no fault.
  if (!e.message?.startsWith('ResizeObserver')) broken(e.error ?? e.message);
});
addEventListener('unhandledrejection', (e) => {
  if (!(e.reason instanceof Stopped)) broken(e.reason);
});
dark.addEventListener('change', () => motion.recolour());
document.body.addEventListener('keydown', (e) => {
  // A field for one number takes its own letters back.
  if (room !== 'simulate' || !(e.ctrlKey || e.metaKey) || /** @type {HTMLElement} */ (e.target).closest('dialog, input:not([type=range])')) return;
  const by = { z: e.shiftKey ? 1 : -1, y: 1 }[e.key.toLowerCase()];
  if (!by) return;
  e.preventDefault();
  travel(by);
});
document.body.addEventListener('keydown', (e) => {
  const on = /** @type {HTMLElement} */ (e.target);
  if (e.key !== ' ' || on.closest('input, textarea, select, button, summary, a')) return;
  e.preventDefault();
  motion.toggle();
});

function begin() {
  if (location.hash === '#calibrate') return enter('calibrate');
  const given = opened();
  if (room !== 'simulate') enter('simulate');
  if (given?.broken) return broken(new Error('the address of this page is damaged'));
  if (given) {
    if (given.text !== panel.text) open(given.text, given.view);
  } else open(examples[0].text);
}

/** What tests ask. @type {any} */ (window).lab = { panel, took, open, show, engine: () => new Engine(), used: {} };
live.ask('version').then((v) => { $('version').textContent = `stickslip ${v}`; }).catch(broken);
begin();
