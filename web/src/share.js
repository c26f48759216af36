// Share and export: the address of the model, its files, and the lines that do the same elsewhere.
import { $, h, picture, plain, raster, save } from './dom.js';
import { Engine } from './engine.js';
import { read, written } from './hash.js';

/** The address that opens this model. @param {string} text @param {string} view */
export const address = (text, view) => location.href.split('#')[0] + written(text, view);

/** The model and the view in the address of the page. */
export const opened = () => read(location.hash);

/** @param {string} text */
const python = (text) => `import stickslip as ss

model = ss.load("""
${text.trim()}
""")
path = ss.solve(model)
print(path.events)`;

/** @param {string} text */
const rust = (text) => `use stickslip_file::{Document, Memory, ModelFile, Reading};

let text = r#"
${text.trim()}
"#;
let document = Document::parse("model.toml", text)?;
let file = ModelFile::read(&document, &Reading::new(Memory::default()))?;
let solution = stickslip::solve(&file.problem, &file.run.scheme)?;
println!("{:?}", solution.events);`;

const engine = new Engine();

/** Opens the dialogue. @param {{text: string, view: string, png: (() => void) | null}} now */
export function share({ text, view, png }) {
  const dialog = /** @type {HTMLDialogElement} */ ($('dialog'));
  const link = address(text, view);
  const copy = (/** @type {string} */ what) => async (/** @type {Event} */ e) => {
    const button = /** @type {HTMLElement} */ (e.currentTarget);
    try {
      await navigator.clipboard.writeText(what);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select and copy';
    }
  };
  const lines = (/** @type {string} */ name, /** @type {string} */ code) => h('details', {}, h('summary', {}, name),
    h('pre', { tabindex: '0' }, code), h('button', { type: 'button', class: 'quiet', click: copy(code) }, 'Copy'));
  const product = async (/** @type {any} */ pull) => engine.ask('study', { command: 'simulate', text, pull });
  const note = h('span', { class: 'fine', role: 'status' });
  const kept = (/** @type {() => Promise<void>} */ work) => async () => {
    note.textContent = 'working';
    try {
      await work();
      note.textContent = '';
    } catch (error) {
      note.textContent = plain(/** @type {any} */ (error).message);
    }
  };
  const csv = (/** @type {string} */ name) => kept(async () => save(`${name}.csv`, (await product({ csv: [name] })).csv[name], 'text/csv'));
  const figures = async () => /** @type {[string, string][]} */ (Object.entries((await product({ figures: 'all' })).figures));
  const svg = kept(async () => {
    for (const [name, figure] of await figures()) save(`${name}.svg`, figure, 'image/svg+xml');
  });
  const points = kept(async () => {
    for (const [name, figure] of await figures()) save(`${name}.png`, await raster(figure), 'image/png');
  });
  const input = h('input', { type: 'text', readOnly: true, value: link, 'aria-label': 'Address of this model', click: (/** @type {any} */ e) => e.currentTarget.select() });
  dialog.replaceChildren(
    h('form', { method: 'dialog', class: 'dialog-head' }, h('h2', { id: 'dialog-title' }, 'Share and export'), h('button', { class: 'quiet', 'aria-label': 'Close' }, '✕')),
    h('p', {}, 'This address contains the whole model. Anyone who opens it sees the same motion.'),
    h('div', { class: 'link' }, input, h('button', { type: 'button', class: 'go', click: copy(link) }, 'Copy')),
    h('h3', {}, 'Files'),
    h('p', { class: 'saves' },
      h('button', { type: 'button', class: 'quiet', click: () => save('model.toml', text, 'text/plain') }, 'model.toml'),
      h('button', { type: 'button', class: 'quiet', click: csv('trajectory') }, 'trajectory.csv'),
      h('button', { type: 'button', class: 'quiet', click: csv('events') }, 'events.csv'),
      h('button', { type: 'button', class: 'quiet', click: svg }, 'Figures, SVG'),
      h('button', { type: 'button', class: 'quiet', click: points }, 'Figures, PNG'),
      png ? h('button', { type: 'button', class: 'quiet', click: png }, 'Curves, PNG') : null, note),
    h('h3', {}, 'The same elsewhere'),
    lines('Python', python(text)), lines('Rust', rust(text)), lines('Command line', 'stickslip simulate model.toml --out results'));
  dialog.showModal();
}

export { picture };
