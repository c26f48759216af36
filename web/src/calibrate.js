// Calibrate: a record is dropped, its columns are guessed and shown, and the library's report appears.
import { h, save, short } from './dom.js';
import { Engine, Stopped, Wrong } from './engine.js';
import { complaint, field } from './studies.js';

const LENGTHS = ['m', 'cm', 'mm', 'um', 'in', 'ft', 'mil'];
const DEGREES = ['°C', 'K', '°F'];
const TIMES = ['s', 'min', 'h', 'd', 'ms'];
const HEAD = 1 << 16;

export class CalibrateView {
  /** @param {HTMLElement} room */
  constructor(room) {
    this.engine = new Engine('records');
    this.draft = /** @type {any} */ (null);
    this.columns = /** @type {string[]} */ ([]);
    this.file = h('input', { type: 'file', id: 'record', class: 'hidden', accept: '.csv,.txt,.tsv,.dat,.gz,.parquet,text/csv', change: () => this.#chosen(this.file.files?.[0]) });
    this.drop = h('label', { class: 'drop', for: 'record' }, this.file,
      h('strong', {}, 'Drop a record here'), h('span', {}, 'a CSV file with times, temperatures and the displacement of a bearing, or choose one. It stays on this machine.'));
    this.example = h('button', { type: 'button', class: 'quiet', click: () => this.#example() }, 'Try it with a synthetic record of 120 days');
    this.form = h('form', { class: 'form guesses', hidden: true, submit: (/** @type {Event} */ e) => { e.preventDefault(); this.fit(); } });
    this.peek = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'First rows of the record', hidden: true });
    this.text = h('textarea', { class: 'fitfile', spellcheck: false, rows: 18, 'aria-label': 'Fit file, TOML', input: () => { this.own = true; } });
    this.textBox = h('details', { class: 'fit-box', hidden: true }, h('summary', {}, 'Fit file'), this.text, h('p', { class: 'fine' }, 'What you write here is used as it is.'));
    this.own = false;
    this.go = h('button', { type: 'button', class: 'go primary', hidden: true, click: () => (this.running ? this.engine.stop() : this.fit()) }, 'Calibrate');
    this.bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Progress of the calibration' });
    this.note = h('span', { class: 'fine', role: 'status' });
    this.out = h('section', { class: 'report', id: 'report', 'aria-label': 'Report' });
    this.running = false;
    /** @type {any} */
    this.frame = null;
    const side = h('section', { class: 'side', 'aria-label': 'The record' },
      h('h1', {}, 'Calibrate a record'),
      h('p', { class: 'about' }, 'How much friction is there, is it growing, and can the number be trusted? For a bridge bearing, from temperature and displacement alone.'),
      this.drop, this.example, this.form, this.peek, h('div', { class: 'job' }, this.go, this.bar, this.note), this.textBox);
    room.append(side, h('section', { class: 'work' }, this.out));
    this.out.append(h('p', { class: 'empty' }, 'The report appears here.'));
    addEventListener('message', ({ data, source }) => {
      if (this.frame && source === this.frame.contentWindow && data?.reportHeight > 0) this.frame.style.height = `${Math.min(data.reportHeight + 8, 60_000)}px`;
    });
    for (const kind of ['dragover', 'dragleave', 'drop']) {
      room.addEventListener(kind, (e) => {
        e.preventDefault();
        this.drop.classList.toggle('over', kind === 'dragover');
        const dropped = /** @type {DragEvent} */ (e).dataTransfer?.files?.[0];
        if (kind === 'drop' && dropped) this.#chosen(dropped);
      });
    }
  }

  async #example() {
    const templates = await this.engine.ask('templates');
    this.text.value = templates.find((/** @type {any} */ t) => t.name === 'calibrate').text;
    this.own = true;
    this.name = 'bearing';
    this.form.hidden = true;
    this.peek.hidden = true;
    this.#ready();
    this.fit();
  }

  /** @param {File | undefined} file */
  async #chosen(file) {
    if (!file) return;
    this.engine.stop();
    this.name = file.name.replace(/\.\w+$/, '');
    this.engine.offer(file.name, file);
    this.own = false;
    this.out.replaceChildren();
    try {
      const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
      const sketch = await this.engine.ask('sketch', { name: file.name, head });
      this.draft = sketch.draft;
      this.columns = sketch.columns;
      this.#guesses(sketch, file);
      await this.#write();
      this.#ready();
    } catch (error) {
      this.#wrong(error);
    }
  }

  #ready() {
    this.go.hidden = false;
    this.textBox.hidden = false;
    this.note.textContent = '';
  }

  /** @param {any} sketch @param {File} file */
  #guesses(sketch, file) {
    const change = (/** @type {string} */ key, /** @type {any} */ input) => () => {
      this.draft[key] = key === 'bearing_stiffness' ? (input.value.trim() ? Number(input.value) : null) : input.value;
      this.own = false;
      this.#write();
    };
    const choose = (/** @type {string} */ label, /** @type {string} */ key, /** @type {string[]} */ all, /** @type {Record<string, string>} */ words = {}) => {
      const known = all.includes(this.draft[key]) ? all : [this.draft[key], ...all];
      const input = h('select', {}, ...known.map((v) => h('option', { value: v, selected: v === this.draft[key] }, words[v] ?? (v || '–'))));
      input.addEventListener('change', change(key, input));
      return field(label, input).box;
    };
    const stiffness = h('input', { type: 'text', inputMode: 'decimal', placeholder: 'not known', value: '' });
    stiffness.addEventListener('change', change('bearing_stiffness', stiffness));
    const kind = h('select', {}, h('option', { value: '' }, 'a bearing moved by temperature'), h('option', { value: 'pulled-slider' }, 'a slider pulled at constant speed'), h('option', { value: 'rigid-drive' }, 'a positioning axis'));
    kind.addEventListener('change', () => this.#other(kind.value, file.name));
    this.form.hidden = false;
    this.form.replaceChildren(
      h('p', { class: 'fine' }, `${file.name}, ${short(file.size / 1e6, 3)} MB. What the columns seem to hold; please correct what is wrong.`),
      h('div', { class: 'whole' }, field('it shows', kind).box),
      choose('times', 'time', this.columns),
      choose('written as', this.draft.time_unit ? 'time_unit' : 'time_format', this.draft.time_unit ? TIMES : ['', 'day-first', 'month-first', 'year-first'], { '': 'found by itself' }),
      choose('temperature', 'drive', this.columns), choose('unit', 'drive_unit', DEGREES),
      choose('displacement', 'response', this.columns), choose('unit', 'response_unit', LENGTHS, { um: 'µm' }),
      choose('decimal sign', 'decimal', ['.', ','], { '.': 'point  1.5', ',': 'comma  1,5' }),
      field('bearing stiffness', stiffness, 'N/m').box);
    this.peek.hidden = false;
    this.peek.replaceChildren(h('table', { class: 'data' }, h('thead', {}, h('tr', {}, ...sketch.columns.map((/** @type {string} */ c) => h('th', { scope: 'col' }, c)))),
      h('tbody', {}, ...sketch.rows.map((/** @type {string[]} */ r) => h('tr', {}, ...r.map((v) => h('td', {}, v)))))));
  }

  /** Another kind of experiment: its template, for people to put their columns in. @param {string} kind @param {string} file */
  async #other(kind, file) {
    this.own = kind !== '';
    for (const label of this.form.querySelectorAll(':scope > .field')) label.hidden = this.own;
    if (!this.own) return this.#write();
    const templates = await this.engine.ask('templates');
    const text = templates.find((/** @type {any} */ t) => t.name === kind).text;
    this.text.value = text.replace(/^(file = )"[^"]*"/m, `$1${JSON.stringify(file)}`);
    this.textBox.open = true;
    this.note.textContent = 'Put the names of the columns into the fit file below.';
  }

  async #write() {
    if (!this.own) this.text.value = await this.engine.ask('fit_file', { draft: this.draft });
  }

  /** @param {any} error */
  #wrong(error) {
    if (error instanceof Stopped) this.note.textContent = 'stopped';
    else this.out.replaceChildren(complaint(error instanceof Wrong ? error.fault : { message: String(error?.message ?? error) }));
  }

  async fit() {
    if (this.running) return;
    this.running = true;
    this.go.textContent = 'Stop';
    this.bar.hidden = false;
    this.bar.removeAttribute('value');
    this.note.textContent = 'reading the record';
    const clock = performance.now();
    try {
      const text = this.text.value;
      const got = await this.engine.ask('study', { command: 'calibrate', text, pull: { text: true, pages: 'all' } }, (done, total) => {
        this.bar.value = done / total;
        this.note.textContent = 'fitting';
      });
      this.note.textContent = `${short((performance.now() - clock) / 1000, 3)} s`;
      this.#report(got, text);
    } catch (error) {
      this.note.textContent = '';
      this.#wrong(error);
    }
    this.running = false;
    this.go.textContent = 'Calibrate';
    this.bar.hidden = true;
  }

  /** @param {any} got @param {string} text */
  #report(got, text) {
    const [name, page] = Object.entries(got.pages ?? {})[0] ?? ['report', ''];
    // The report may do what it likes inside its frame and nothing outside; only its height is told.
    const tell = '<script>new ResizeObserver(()=>parent.postMessage({reportHeight:document.documentElement.scrollHeight},"*")).observe(document.body)</script>';
    const frame = h('iframe', { title: 'Report of the calibration', sandbox: 'allow-scripts allow-downloads', srcdoc: page + tell });
    this.frame = frame;
    const file = `${this.name ?? 'record'}`;
    const csv = (/** @type {string} */ t) => async () => {
      const pulled = await this.engine.ask('pull', { pull: { csv: [t] } });
      save(`${t}.csv`, pulled.csv[t], 'text/csv');
    };
    this.out.replaceChildren(
      h('p', { class: 'saves' },
        h('button', { type: 'button', class: 'go', click: () => save(`${file}-${name}.html`, page, 'text/html') }, 'Save the report'),
        h('button', { type: 'button', class: 'quiet', click: () => save(`${file}.fit.toml`, text, 'text/plain') }, 'Save the fit file'),
        h('button', { type: 'button', class: 'quiet', click: () => save('summary.json', JSON.stringify(got.about.summary, null, 2), 'application/json') }, 'summary.json'),
        ...got.about.tables.map((/** @type {any} */ t) => h('button', { type: 'button', class: 'quiet', click: csv(t.name) }, `${t.name}.csv`))),
      frame);
    this.out.scrollIntoView({ block: 'start' });
  }
}
