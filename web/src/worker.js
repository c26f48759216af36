// The worker: one instance of the library, asked by messages.
import * as library from '#wasm';

/** @type {Map<string, Blob>} */
const files = new Map();
/** @type {import('#wasm').Results | null} */
let results = null;
/** @type {string | null} */
let defect = null;
let asked = 0;
let told = 0;

const here = /** @type {any} */ (self);
const reader = typeof FileReaderSync === 'undefined' ? null : new FileReaderSync();
here.stickslipLength = (/** @type {string} */ name) => files.get(name)?.size ?? -1;
here.stickslipRead = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ length) => {
  const file = files.get(name);
  return file && reader ? new Uint8Array(reader.readAsArrayBuffer(file.slice(from, from + length))) : new Uint8Array();
};
here.stickslipProgress = (/** @type {number} */ done, /** @type {number} */ total) => {
  const now = performance.now();
  if (now - told < 50 && done < total) return;
  told = now;
  here.postMessage({ id: asked, progress: [done, total] });
};
here.stickslipDefect = (/** @type {string} */ message) => {
  defect = message;
};

/**
 * What a study leaves, as far as it is wanted.
 * @param {any} pull
 */
function pulled(pull = {}) {
  if (!results) throw JSON.stringify({ kind: 'input', message: 'there are no results yet', help: null });
  const kept = results;
  /** @type {any} */
  const out = { about: JSON.parse(kept.about()) };
  if (pull.text) out.text = kept.text();
  for (const [table, column] of pull.numbers ?? []) (out.numbers ??= {})[`${table}.${column}`] = kept.numbers(table, column);
  for (const [table, most] of pull.rows ?? []) (out.rows ??= {})[table] = JSON.parse(kept.rows(table, most) ?? '[]');
  const named = (/** @type {string} */ what, /** @type {(name: string) => any} */ get) => {
    const all = pull[what] === 'all' ? out.about[what] : (pull[what] ?? []);
    for (const name of all) (out[what] ??= {})[name] = get(name);
  };
  named('figures', (n) => kept.figure(n));
  named('pages', (n) => kept.page(n));
  named('documents', (n) => kept.document(n));
  for (const name of pull.csv ?? []) (out.csv ??= {})[name] = kept.csv(name);
  return out;
}

/** @type {Record<string, (a: any) => any>} */
const doors = {
  version: () => library.version(),
  templates: () => JSON.parse(library.model_templates()),
  numbers: (a) => JSON.parse(library.numbers(a.text)),
  file: (a) => void files.set(a.name, a.blob),
  motion(a) {
    const motion = library.Motion.new(a.text, a.scheme, a.step);
    try {
      const times = a.times ?? motion.times(a.points ?? 1200);
      return { about: JSON.parse(motion.about()), times, table: a.times ? motion.at(a.times) : motion.table() };
    } finally {
      motion.free();
    }
  },
  study(a) {
    results?.free();
    results = null;
    results = a.merge ? library.merge(JSON.stringify(a.merge)) : library.study(a.command, a.text, JSON.stringify(a.options ?? {}));
    return pulled(a.pull);
  },
  pull: (a) => pulled(a.pull),
  sketch: (a) => JSON.parse(library.sketch(a.name, a.head)),
  fit_file: (a) => library.fit_file(JSON.stringify(a.draft)),
};

/** @param {any} error */
function fault(error) {
  if (typeof error === 'string') return JSON.parse(error);
  const message = defect ?? String(error?.message ?? error);
  // The library tells every defect of its own. Where its memory ends it stops without a word, and where that of the page ends
  // an array has no such length. A stack that overflows cannot be told from either, so the sentence names both and shows what the
  // browser says.
  const memory = defect === null && (error instanceof WebAssembly.RuntimeError || error instanceof RangeError);
  return {
    kind: 'defect',
    message: memory ? `this needs more memory, or a deeper stack, than a page may have (${message})` : `the library has failed inside: ${message}`,
    help: memory ? 'ask for fewer rows, paths or steps' : 'this is a defect of the library: please report it with the model file',
  };
}

/** @param {any} value @returns {Transferable[]} */
function moved(value) {
  if (value instanceof Float64Array || value instanceof Uint8Array) return [value.buffer];
  if (value && typeof value === 'object' && !Array.isArray(value)) return Object.values(value).flatMap(moved);
  return [];
}

here.onmessage = async (/** @type {MessageEvent} */ { data }) => {
  asked = data.id;
  try {
    if (data.door === 'begin') {
      await library.default({ module_or_path: data.module });
      return here.postMessage({ id: data.id, value: null });
    }
    const value = doors[data.door](data);
    here.postMessage({ id: data.id, value }, moved(value));
  } catch (error) {
    here.postMessage({ id: data.id, fault: fault(error) });
  }
};
