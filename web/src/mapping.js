// The columns of a record, put into the fit file of its kind: every key of its `[data]` that names a column or a unit is a field.
import { h } from './dom.js';

/** @typedef {{line: number, key: string, value: string, label: string, units: string[] | null}} Slot */

/** Keys that say where a table lies or which of its signals is meant. */
const FIXED = new Set(['file', 'files', 'into', 'what', 'time_format', 'time_zone', 'decimal']);
const TIMES = ['s', 'ms', 'min', 'h', 'd'];

/**
 * The keys of `[data]` that name columns and units.
 * @param {string} text @returns {Slot[]}
 */
export function slots(text) {
  /** @type {Slot[]} */
  const found = [];
  let inside = false;
  let about = '';
  text.split('\n').forEach((row, line) => {
    const table = /^\[+([\w.]+)\]+/.exec(row);
    if (table) {
      inside = table[1] === 'data' || table[1].startsWith('data.');
      about = '';
    }
    const pair = inside && /^(\w+)\s*=\s*"([^"]*)"\s*(?:#\s*(.*))?$/.exec(row);
    if (!pair) return;
    const [, key, value, comment] = pair;
    if (key === 'into' || key === 'what') about = value;
    if (FIXED.has(key)) return;
    const unit = key === 'unit' || key.endsWith('_unit');
    const name = key === 'column' ? (about.includes('.') ? `${about.split('.').pop()}, drives the model` : `${about}, measured`) : key.replace(/_/g, ' ');
    found.push({ line, key, value, label: unit ? 'unit' : name, units: unit ? (key === 'time_unit' ? TIMES : offered(comment ?? '', value)) : null });
  });
  return found;
}

/** The units that a comment lists: `m | cm | mm, of position`. @param {string} comment @param {string} value */
function offered(comment, value) {
  const listed = comment.replace(/["…]/g, '').split(/[,;]/)[0].split('|').map((u) => u.trim().split(' ')[0]).filter((u) => /^[\w°µ/]{1,5}$/.test(u));
  return [...new Set([value, ...listed])];
}

/**
 * The text with other values at some of its slots.
 * @param {string} text @param {Map<number, string>} values by lines; an empty value leaves the key out
 */
export function filled(text, values) {
  return text.split('\n').map((row, line) => {
    const value = values.get(line);
    if (value === undefined) return row;
    return value === '' ? `# ${row}` : row.replace(/"[^"]*"/, () => JSON.stringify(value));
  }).join('\n');
}

/**
 * The column that a slot means, as far as names tell: the same name, a part of it, or the next one that nobody has taken.
 * @param {Slot[]} all @param {string[]} columns
 */
export function guessed(all, columns) {
  const left = [...columns];
  const take = (/** @type {string | undefined} */ name) => (name === undefined ? '' : left.splice(left.indexOf(name), 1)[0]);
  const low = (/** @type {string} */ s) => s.toLowerCase();
  /** @type {Map<Slot, string>} */
  const out = new Map();
  const wanted = all.filter((s) => !s.units);
  const rules = [
    (/** @type {Slot} */ s, /** @type {string} */ c) => low(c) === low(s.value) || low(c) === low(s.key),
    (/** @type {Slot} */ s, /** @type {string} */ c) => low(c).includes(low(s.key)) || (s.key === 'time' && /^t([_ (\[]|$)|date|stamp|zeit|datum/i.test(c)),
    (/** @type {Slot} */ s) => s.key !== 'reference' && s.key !== 'setpoint',
  ];
  for (const fits of rules) for (const s of wanted) if (!out.has(s) && left.length) {
    const found = left.find((c) => fits(s, c));
    if (found !== undefined) out.set(s, take(found));
  }
  return out;
}

/**
 * Fields for the slots of a text; `changed` hears of the text that they make.
 * @param {string} text @param {{columns: string[], draft: any}} seen @param {(text: string) => void} changed
 */
export function mappingFields(text, { columns, draft }, changed) {
  const all = slots(text);
  const guess = guessed(all, columns);
  const first = (/** @type {Slot} */ s) => (s.key === 'time_unit' ? draft.time_unit : s.units ? s.value : (guess.get(s) ?? ''));
  const values = new Map(all.map((s) => [s.line, first(s)]));
  const tell = () => changed(filled(text, values));
  const fields = all.map((s) => {
    const options = s.key === 'time_unit' ? ['', ...TIMES] : (s.units ?? ['', ...columns]);
    const now = values.get(s.line) ?? '';
    const none = s.key === 'time_unit' ? 'dates' : '–';
    const input = h('select', {}, ...options.map((o) => h('option', { value: o, selected: o === now }, o || none)));
    input.addEventListener('change', () => {
      values.set(s.line, input.value);
      tell();
    });
    return { label: s.label, input };
  });
  tell();
  return fields;
}
