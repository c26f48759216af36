// Elements in one line, and small things that every view needs.

/**
 * A text in which nothing turns the order of what is read, and no control character hides: names and cells come from
 * files of others. Such characters are shown as their numbers, as the command line shows them.
 * @param {string} text
 */
export function plain(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
}

/** Properties that show a text. */
const SHOWN = new Set(['textContent', 'title', 'alt', 'placeholder']);

/**
 * An element with properties and children. `class`, `aria-*`, `data-*` and `role` become attributes, functions become
 * listeners, everything else a property.
 * @param {string} name
 * @param {Record<string, any> | null} [properties]
 * @param {...any} children
 * @returns {any}
 */
export function h(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (/^(class|for|role|aria-|data-|style|tabindex|list|colspan)/.test(key)) element.setAttribute(key, value === true ? '' : String(value));
    else /** @type {any} */ (element)[key] = SHOWN.has(key) ? plain(value) : value;
  }
  const all = children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false);
  element.append(...all.map((c) => typeof c === 'string' ? plain(c) : c));
  return element;
}

/**
 * A remark of the library as a sentence of the page: a key under [run] is called as the model file shows it, and what stands between
 * backticks stands between quotation marks.
 * @param {string} text
 */
export function remark(text) {
  const said = text.replace(/`run\.(\w+)`/g, '“$1” under [run]').replace(/`([^`]*)`/g, '“$1”');
  return `${said[0].toUpperCase()}${said.slice(1)}${/[.!?]$/.test(said) ? '' : '.'}`;
}

/**
 * The element with this id.
 * @param {string} id
 * @returns {any}
 */
export function $(id) {
  return document.getElementById(id);
}

/**
 * Runs `work` once, when nothing has asked for it for so long (ms).
 * @template {any[]} A
 * @param {(...a: A) => void} work
 * @param {number} wait
 */
export function later(work, wait) {
  let timer = 0;
  return (/** @type {A} */ ...a) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...a), wait);
  };
}

/**
 * A number for people: four significant digits, a true minus, powers of ten where they are shorter.
 * @param {number} x
 * @param {number} [digits]
 */
export function short(x, digits = 4) {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  let text = size >= 1e5 || size < 1e-3 ? x.toExponential(Math.max(digits - 2, 1)) : x.toPrecision(digits);
  if (text.includes('e')) {
    const [m, e] = text.split('e');
    const mantissa = String(Number(m));
    text = `${mantissa}·10${superscript(Number(e))}`;
  } else if (text.includes('.')) text = text.replace(/\.?0+$/, '');
  return text.replace('-', '−');
}

/** @param {number} n */
function superscript(n) {
  return String(n).replace(/-/, '⁻').replace(/\d/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(d)]);
}

/**
 * Numbers at round distances that cover a range.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
export function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0)) return [low];
  const ten = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= raw * 0.999) ?? raw;
  const all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) all.push(i * step);
  return all;
}

/** Whether the reader wants little motion. */
export const still = matchMedia('(prefers-reduced-motion: reduce)');
/** Whether the reader wants a dark page. */
export const dark = matchMedia('(prefers-color-scheme: dark)');

/** @type {ReturnType<typeof found> | null} */
let known = null;
dark.addEventListener('change', () => { known = null; });

function found() {
  const style = getComputedStyle(document.documentElement);
  const of = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: of('paper'), ink: of('ink'), soft: of('soft'), line: of('line'), grid: of('grid'), accent: of('accent'),
    friction: of('friction'), stick: of('stick'), series: ['accent', 'friction', 'green', 'orange', 'purple', 'sky'].map(of),
  };
}

/** The colours of the page as it is now. */
export function colours() {
  return (known ??= found());
}

/**
 * Hands a file to the reader.
 * @param {string} name
 * @param {BlobPart} content
 * @param {string} type
 */
export function save(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * A figure of the library, which follows light and dark by itself.
 * @param {string} svg
 * @param {string} alt
 */
export function picture(svg, alt) {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  return h('img', { class: 'figure', src: url, alt, load: () => URL.revokeObjectURL(url) });
}

/**
 * A figure of the library as a picture of points, twice as fine as it is shown.
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
export async function raster(svg) {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = h('canvas', { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, failed) => canvas.toBlob((/** @type {Blob | null} */ made) =>
      made ? done(made) : failed(new Error('this browser makes no picture of a figure; save the SVG')), 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Tabs that arrows move through.
 * @param {HTMLElement} list
 */
export function tablist(list) {
  list.addEventListener('keydown', (event) => {
    const tabs = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role=tab]')]).filter((t) => !t.hidden);
    const at = tabs.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const tab = tabs[(to + tabs.length) % tabs.length];
    tab.focus();
    tab.click();
  });
}
