// The model: its text, a slider for every number of it, and what is wrong with it.
import { $, h, later, short, tablist } from './dom.js';

/** @typedef {{path: string, value: number, unit: string, range: string, whole: boolean, from: number, to: number}} Num */

/** What names of keys are called on a slider. @type {Record<string, string>} */
const WORDS = {
  angular_frequency: 'angular frequency', bearing_stiffness: 'bearing stiffness', quadratic_damping: 'quadratic damping',
  normal_slope: 'slope of the normal force',
  static: 'static friction', dynamic: 'kinetic friction', rtol: 'relative tolerance', atol: 'absolute tolerance', damping_ratio: 'damping ratio',
};

/** The text and the sliders, kept in step with each other. */
export class ModelPanel {
  /** @param {{changed: (text: string, dragging: boolean) => void}} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    this.text = '';
    /** @type {Num[]} */
    this.numbers = [];
    /** @type {Map<string, {slider: any, field: any}>} */
    this.rows = new Map();
    this.dragging = '';
    this.shape = '';
    /** @type {import('./engine.js').Fault | null} */
    this.fault = null;
    this.area = $('text');
    this.area.addEventListener('input', () => this.#typed());
    this.area.addEventListener('scroll', () => this.#scrolled());
    this.area.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => this.#key(e));
    const tabs = /** @type {HTMLElement[]} */ ([$('tab-numbers'), $('tab-text')]);
    tablist(/** @type {any} */ (tabs[0].parentElement));
    for (const tab of tabs) tab.addEventListener('click', () => this.show(tab.id.slice(4)));
    this.solveLater = later(() => this.hooks.changed(this.text, false), 250);
  }

  /** @param {string} which numbers or text */
  show(which) {
    for (const name of ['numbers', 'text']) {
      const on = name === which;
      $(`tab-${name}`).setAttribute('aria-selected', String(on));
      $(`tab-${name}`).tabIndex = on ? 0 : -1;
      $(`panel-${name}`).hidden = !on;
    }
    if (which === 'text') this.#ink();
  }

  /** Another text altogether. @param {string} text */
  open(text) {
    this.text = text;
    this.area.value = text;
    this.shape = '';
    this.#ink();
  }

  #typed() {
    this.text = this.area.value;
    this.#ink();
    this.solveLater();
  }

  /** @param {KeyboardEvent} e */
  #key(e) {
    if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey)) return;
    e.preventDefault();
    this.hooks.changed(this.text, false);
  }

  #scrolled() {
    $('ink').style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    $('gutter').style.transform = `translateY(${-this.area.scrollTop}px)`;
  }

  /** Colours the text, numbers its lines and marks what is wrong. */
  #ink() {
    if ($('panel-text').hidden) return;
    const { fault, text } = this;
    const lines = text.split('\n').length;
    this.area.style.height = `${Math.max(14, lines + 1) * 1.45 + 1.4}em`;
    $('gutter').replaceChildren(...Array.from({ length: lines }, (_, i) => h('span', { class: fault?.line === i + 1 ? 'bad' : '' }, String(i + 1))));
    const marked = fault && fault.from !== undefined && fault.to !== undefined && fault.name === 'model.toml';
    const parts = marked ? [text.slice(0, fault.from), text.slice(fault.from, Math.max(/** @type {number} */ (fault.to), /** @type {number} */ (fault.from) + 1)), text.slice(Math.max(/** @type {number} */ (fault.to), /** @type {number} */ (fault.from) + 1))] : [text];
    const [first, wrong, rest] = parts;
    $('ink').replaceChildren(...coloured(first), ...(wrong === undefined ? [] : [h('mark', {}, wrong)]), ...(rest === undefined ? [] : coloured(rest)), '\n');
    this.#scrolled();
  }

  /** Says what is wrong; null where nothing is. @param {import('./engine.js').Fault | null} fault */
  blame(fault) {
    if (!fault && !this.fault) return;
    this.fault = fault;
    const box = $('message');
    box.hidden = !fault;
    this.area.setAttribute('aria-invalid', String(Boolean(fault)));
    if (fault) {
      const where = fault.line && fault.name === 'model.toml'
        ? h('button', { type: 'button', class: 'where', click: () => this.#goto() }, `line ${fault.line}, column ${fault.column}`) : null;
      const title = /^\s*title\s*=\s*"([^"\n]*)"/m.exec(this.text)?.[1];
      const model = title ? `${title}: ` : '';
      box.replaceChildren(h('p', {}, where, where ? ': ' : '', model, fault.message), fault.help ? h('p', { class: 'help' }, fault.help) : '');
    } else box.replaceChildren();
    this.#ink();
  }

  #goto() {
    if (!this.fault || this.fault.from === undefined) return;
    this.show('text');
    this.area.focus();
    this.area.setSelectionRange(this.fault.from, this.fault.to ?? this.fault.from);
    this.area.closest('.editor')?.scrollIntoView({ block: 'nearest' });
  }

  /** The numbers that the library has found in a text. @param {Num[]} numbers @param {string} text */
  found(numbers, text) {
    // Somebody has gone on changing meanwhile: what was found is out of date.
    if (text !== this.text) return;
    this.numbers = numbers.map((n) => ({ ...n }));
    const shape = numbers.map((n) => n.path).join('\n');
    if (shape !== this.shape) {
      this.shape = shape;
      this.#build();
    }
    for (const n of this.numbers) this.#sync(n);
  }

  #build() {
    this.rows.clear();
    /** @type {Map<string, any[]>} */
    const groups = new Map();
    for (const n of this.numbers) {
      const [group, label] = named(n.path);
      groups.set(group, [...(groups.get(group) ?? []), this.#row(n, label)]);
    }
    const run = groups.get('run');
    groups.delete('run');
    const body = [...groups].map(([group, rows]) => h('fieldset', {}, h('legend', {}, group), ...rows));
    if (run) body.push(h('details', {}, h('summary', {}, 'Run: end, step, seed'), h('fieldset', {}, h('legend', { class: 'hidden' }, 'run'), ...run)));
    $('panel-numbers').replaceChildren(...body);
  }

  /** @param {Num} n @param {string} label */
  #row(n, label) {
    const id = `n-${n.path}`;
    const [min, max] = range(n);
    const field = h('input', { id, type: 'text', inputMode: 'decimal', autocomplete: 'off', change: () => this.#entered(n.path, field) });
    const slider = n.whole ? null : h('input', {
      type: 'range', min: String(min), max: String(max), step: 'any', 'aria-label': `${label}, ${n.unit || 'no unit'}`, 'data-path': n.path,
      input: () => this.#slid(n.path, slider),
      change: () => this.#released(n.path, slider),
    });
    const unit = n.unit ? h('span', { class: 'unit' }, n.unit) : h('span', { class: 'unit' });
    this.rows.set(n.path, { slider, field });
    return h('div', { class: 'number' }, h('label', { for: id, title: n.path }, label), field, unit, slider);
  }

  /** @param {Num} n */
  #sync(n) {
    const row = this.rows.get(n.path);
    if (!row) return;
    if (document.activeElement !== row.field) row.field.value = written(n);
    if (!row.slider || this.dragging === n.path) return;
    if (n.value < Number(row.slider.min) || n.value > Number(row.slider.max)) {
      const [min, max] = range(n);
      row.slider.min = String(min);
      row.slider.max = String(max);
    }
    row.slider.value = String(n.value);
    filled(row.slider);
  }

  /** @param {string} path @param {any} field */
  #entered(path, field) {
    const value = Number(field.value.replace('−', '-').replace(',', '.'));
    if (field.value.trim() === '' || !Number.isFinite(value)) {
      const n = this.numbers.find((k) => k.path === path);
      if (n) field.value = written(n);
      return;
    }
    this.put(path, this.numbers.find((k) => k.path === path)?.whole ? String(Math.round(value)) : plain(value), false);
  }

  /** @param {string} path @param {any} slider */
  #slid(path, slider) {
    this.dragging = path;
    const [min, max] = [Number(slider.min), Number(slider.max)];
    const step = 10 ** Math.floor(Math.log10((max - min) / 300));
    const value = Math.round(Number(slider.value) / step) * step;
    const decimals = Math.max(0, -Math.floor(Math.log10(step)));
    const n = this.numbers.find((k) => k.path === path);
    const allowed = n?.range === 'positive' ? Math.max(value, step) : value;
    filled(slider);
    this.put(path, decimals > 12 ? plain(allowed) : plain(Number(allowed.toFixed(decimals))), true);
    const row = this.rows.get(path);
    if (row && n) row.field.value = written(n);
  }

  /** @param {string} path @param {any} slider */
  #released(path, slider) {
    this.dragging = '';
    const n = this.numbers.find((k) => k.path === path);
    if (!n) return;
    // At its end the slider reaches further next time.
    const [min, max] = [Number(slider.min), Number(slider.max)];
    if (n.value >= max - (max - min) * 0.005 || (n.value <= min + (max - min) * 0.005 && n.range === 'any')) {
      const [low, high] = range(n);
      slider.min = String(low);
      slider.max = String(high);
      slider.value = String(n.value);
      filled(slider);
    }
    this.hooks.changed(this.text, false);
  }

  /** Puts another number into the text. @param {string} path @param {string} written @param {boolean} dragging */
  put(path, written, dragging) {
    const n = this.numbers.find((k) => k.path === path);
    if (!n) return;
    this.text = this.text.slice(0, n.from) + written + this.text.slice(n.to);
    const grown = written.length - (n.to - n.from);
    for (const k of this.numbers) {
      if (k.from > n.from) {
        k.from += grown;
        k.to += grown;
      }
    }
    n.to += grown;
    n.value = Number(written);
    this.area.value = this.text;
    if (!$('panel-text').hidden) this.#ink();
    this.hooks.changed(this.text, dragging);
  }
}

/** A number as a file holds it. @param {number} x */
export function plain(x) {
  return Math.abs(x) >= 1e6 ? x.toExponential().replace('+', '') : String(x);
}

/** @param {Num} n */
const written = (n) => (n.whole ? String(n.value) : plain(n.value));

/** @param {any} slider */
function filled(slider) {
  const share = (Number(slider.value) - Number(slider.min)) / (Number(slider.max) - Number(slider.min));
  slider.style.setProperty('--share', `${100 * share}%`);
}

/** Where a slider begins and ends. @param {Num} n @returns {[number, number]} */
function range(n) {
  const size = nice(2 * Math.abs(n.value));
  if (n.path.endsWith('.phase')) return [-3.2, 3.2];
  if (n.path.endsWith('restitution') || n.path.endsWith('exponent')) return [0, Math.max(1, size)];
  if (n.path.endsWith('.angle')) return [0.47, 3.14];
  if (n.range === 'any') return n.value === 0 ? [-2, 2] : [-size, size];
  return n.value === 0 ? [0, 1] : [0, size];
}

/** The next round number. @param {number} x */
function nice(x) {
  if (!(x > 0)) return 1;
  const ten = 10 ** Math.floor(Math.log10(x));
  return Number(([1, 2, 3, 4, 5, 6, 8, 10].find((m) => m * ten >= x * 0.999) ?? 10) * ten);
}

/** A group and a label for a key. @param {string} path @returns {[string, string]} */
function named(path) {
  const parts = path.split('.');
  const top = parts.shift() ?? '';
  const last = parts.pop() ?? top;
  if (top === 'run') return ['run', WORDS[last] ?? last];
  const word = (/** @type {string} */ p) => WORDS[p] ?? p.replace(/[-_]/g, ' ');
  const counted = (/** @type {string[]} */ all) => all.map((p) => (/^\d+$/.test(p) ? String(Number(p) + 1) : word(p))).join(' ');
  if (/^\d+$/.test(last)) return [counted(parts.slice(0, -1)) || top, `${counted(parts)} ${Number(last) + (parts.at(-1) === 'stiffness' && top === 'cascade' ? 0 : 1)}`];
  if (parts.length === 0) return [top, word(last)];
  const group = counted(parts);
  return [group, word(last)];
}

/** A text in colours: comments, tables, strings and numbers. @param {string} text */
function coloured(text) {
  const out = [];
  const pattern = /(#[^\n]*)|(^[ \t]*\[\[?[^\]\n]*\]\]?)|("[^"\n]*")|((?<![\w."-])[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)/gm;
  let at = 0;
  for (const m of text.matchAll(pattern)) {
    if (m.index > at) out.push(text.slice(at, m.index));
    const kind = m[1] ? 'c' : m[2] ? 't' : m[3] ? 's' : 'n';
    out.push(h('span', { class: `i-${kind}` }, m[0]));
    at = m.index + m[0].length;
  }
  out.push(text.slice(at));
  return out;
}

export { named, short };
