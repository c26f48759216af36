// Calibrate: a record is dropped, its columns are guessed and shown, and the library's report appears.
import { h, save, short } from './dom.js';
import { Engine, Stopped, Wrong } from './engine.js';
import { mappingFields } from './mapping.js';
import { complaint, field } from './studies.js';
import { named, unnamed } from './unnamed.js';

const LENGTHS = ['m', 'cm', 'mm', 'um', 'in', 'ft', 'mil'];
const DEGREES = ['°C', 'K', '°F'];
const TIMES = ['s', 'min', 'h', 'd', 'ms'];
const HEAD = 1 << 16;
/** What a record can show, by the template that fits it: in a list, and what the page says of it. @type {Record<string, [string, string]>} */
const KINDS = {
  calibrate: ['a bearing moved by temperature', 'How much friction is there, is it growing, and can the number be trusted? For a bridge bearing, from temperature and displacement alone.'],
  'pulled-slider': ['a slider pulled at constant speed', 'Every slip of a slider that is pulled through a spring: when it breaks away, at what force, and how this force grows with the waiting time.'],
  'rigid-drive': ['a positioning axis', 'Mass, viscous friction and dry friction of an axis, from its position and the force of its motor.'],
  servo: ['a servo: motor, gear and load', 'Friction of a motor with its gear, from logs of its shaft angle.'],
  hysteresis: ['a damper or an isolator', 'Stiffness and friction of the device, from the loops of its force over its displacement.'],
  valve: ['the valve of a control loop', 'Does the valve stick, and by how much? From the controller’s output and the process variable.'],
  'base-driven': ['a shaken rig, or any other model', 'Any model of the Simulate page can be fitted to any record: say which columns drive it, which were measured, and which parameters are to be found.'],
};

export class CalibrateView {
  /** @param {HTMLElement} room */
  constructor(room) {
    this.engine = new Engine();
    /** @type {File | null} */
    this.record = null;
    /** @type {any} */
    this.sketch = null;
    this.draft = /** @type {any} */ (null);
    this.given = false;
    this.kind = h('select', { id: 'kind', change: () => this.#kindChanged() }, ...Object.entries(KINDS).map(([k, [name]]) => h('option', { value: k }, name)));
    this.about = h('p', { class: 'about' });
    this.file = h('input', { type: 'file', id: 'record', class: 'hidden', accept: '.csv,.txt,.tsv,.dat,.gz,.parquet,.toml,text/csv', change: () => this.chosen(this.file.files?.[0]) });
    this.drop = h('label', { class: 'drop', for: 'record' }, this.file,
      h('strong', {}, 'Drop a record here'), h('span', {}, 'a CSV or Parquet file with one column of times, or choose one. A fit file (TOML) goes into its box below. Everything stays on this machine.'));
    this.example = h('button', { type: 'button', class: 'quiet', id: 'try', click: () => this.#example() }, 'Try it with a synthetic record');
    this.form = h('form', { class: 'form guesses', hidden: true, submit: (/** @type {Event} */ e) => { e.preventDefault(); this.fit(); } });
    this.peek = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'First rows of the record', hidden: true });
    this.text = h('textarea', { class: 'fitfile', spellcheck: false, rows: 18, 'aria-label': 'Fit file, TOML', input: () => { this.own = true; } });
    this.textBox = h('details', { class: 'fit-box', hidden: true }, h('summary', {}, 'Fit file'), this.text, h('p', { class: 'fine' }, 'This text is used as you write it.'));
    this.own = false;
    this.go = h('button', { type: 'button', class: 'go primary', hidden: true, click: () => (this.running ? this.engine.stop() : this.fit()) }, 'Calibrate');
    this.bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Progress of the calibration' });
    this.note = h('span', { class: 'fine', role: 'status' });
    this.out = h('section', { class: 'report', id: 'report', 'aria-label': 'Report' });
    this.running = false;
    /** @type {any} */
    this.frame = null;
    const side = h('section', { class: 'side', 'aria-label': 'The record' },
      h('h1', {}, 'Calibrate a record'), field('the record shows', this.kind).box, this.about,
      this.drop, this.example, this.form, this.peek, h('div', { class: 'job' }, this.go, this.bar, this.note), this.textBox);
    room.append(side, h('section', { class: 'work' }, this.out));
    this.#kindChanged();
    this.out.append(h('p', { class: 'empty' }, 'The report appears here.'));
    addEventListener('message', ({ data, source }) => {
      if (this.frame && source === this.frame.contentWindow && data?.reportHeight > 0) this.frame.style.height = `${Math.min(data.reportHeight + 8, 60_000)}px`;
    });
    for (const kind of ['dragover', 'dragleave', 'drop']) {
      room.addEventListener(kind, (e) => {
        e.preventDefault();
        this.drop.classList.toggle('over', kind === 'dragover');
        const dropped = /** @type {DragEvent} */ (e).dataTransfer?.files?.[0];
        if (kind === 'drop' && dropped) this.chosen(dropped);
      });
    }
  }

  async #template() {
    const templates = await this.engine.ask('templates');
    return templates.find((/** @type {any} */ t) => t.name === this.kind.value).text;
  }

  #kindChanged() {
    this.about.textContent = KINDS[this.kind.value][1];
    if (this.record && this.sketch) this.#described();
    else this.textBox.hidden = this.go.hidden = true;
  }

  async #example() {
    this.record = null;
    this.sketch = null;
    this.text.value = await this.#template();
    this.own = true;
    this.name = this.kind.value === 'calibrate' ? 'bearing' : this.kind.value;
    this.form.hidden = true;
    this.peek.hidden = true;
    this.#ready();
    this.fit();
  }

  /** @param {File | undefined} file */
  async chosen(file) {
    if (!file) return;
    if (/\.toml$/i.test(file.name)) return this.#fitFile(file);
    this.engine.stop();
    this.out.replaceChildren(h('p', { class: 'empty' }, 'The report appears here.'));
    this.note.textContent = '';
    this.record = this.sketch = null;
    this.form.hidden = this.peek.hidden = this.go.hidden = this.textBox.hidden = true;
    try {
      const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
      const found = await unnamed(file, head);
      if (found) this.#offersNames(file, head, found);
      else await this.#read(file, false);
    } catch (error) {
      this.#wrong(error);
    }
  }

  /** @param {File} file @param {boolean} given whether the lab has named its columns */
  async #read(file, given) {
    this.name = file.name.replace(/\.\w+$/, '');
    this.engine.offer(file.name, file);
    const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
    this.sketch = await this.engine.ask('sketch', { name: file.name, head });
    this.record = file;
    this.given = given;
    this.draft = this.sketch.draft;
    await this.#described();
  }

  /** Somebody's own fit file, for the record that was dropped or for one of the built-in records. @param {File} file */
  async #fitFile(file) {
    this.text.value = await file.text();
    this.own = true;
    this.name = file.name.replace(/(\.fit)?\.toml$/i, '');
    this.form.hidden = true;
    this.#ready();
    this.textBox.open = true;
    this.note.textContent = `${file.name} is in the box below`;
  }

  /**
   * A record that begins with numbers: it is read when its columns have names.
   * @param {File} file @param {Uint8Array} head @param {{names: string[], separator: string}} found
   */
  #offersNames(file, head, found) {
    const use = async () => {
      try {
        await this.#read(await named(file, head, found), true);
      } catch (error) {
        this.#wrong(error);
      }
    };
    this.form.hidden = false;
    this.form.replaceChildren(
      h('p', { class: 'whole', role: 'status' }, `${file.name} begins with ${found.names.length} values: it has no row with the names of its columns.`),
      h('button', { type: 'button', class: 'go whole', id: 'no-header', click: use }, `No header: name them “column 1” to “column ${found.names.length}”`));
  }

  /** The fields of the record that was dropped, and the fit file that follows from them. */
  async #described() {
    const file = /** @type {File} */ (this.record);
    this.own = false;
    this.form.hidden = false;
    const said = h('p', { class: 'fine' }, `${file.name}, ${short(file.size / 1e6, 3)} MB. What the columns seem to hold; please correct what is wrong.`);
    this.#rows();
    if (this.kind.value === 'calibrate') {
      this.#guesses(said);
      await this.#write();
    } else await this.#mapped(said);
    if (this.given) {
      this.form.append(h('p', { class: 'fine whole' }, 'The fit file uses the column names that were given here. To use it elsewhere, you need the record with these names: ',
        h('button', { type: 'button', class: 'quiet', id: 'save-named', click: () => save(file.name, file, 'text/csv') }, 'Save the record with its names')));
    }
    this.#ready();
  }

  #rows() {
    this.peek.hidden = false;
    this.peek.replaceChildren(h('table', { class: 'data' }, h('thead', {}, h('tr', {}, ...this.sketch.columns.map((/** @type {string} */ c) => h('th', { scope: 'col' }, c)))),
      h('tbody', {}, ...this.sketch.rows.map((/** @type {string[]} */ r) => h('tr', {}, ...r.map((v) => h('td', {}, v)))))));
  }

  /** The fields of any other kind than a bearing: those of its template. @param {HTMLElement} said */
  async #mapped(said) {
    const comma = this.draft.decimal === ',' ? '\ndecimal = ","' : '';
    const name = JSON.stringify(/** @type {File} */ (this.record).name) + comma;
    const template = (await this.#template()).replace(/^# `example:[^]*?its place\.\n#?\n?/m, '').replace(/^(file = )"[^"]*"/m, (/** @type {string} */ _, /** @type {string} */ key) => key + name);
    const fields = mappingFields(template, this.sketch, (text) => { this.text.value = text; });
    this.form.replaceChildren(said, ...fields.map((f) => field(f.label, f.input).box));
    const numbers = template.slice(template.indexOf('[model]')).match(/^\w+ = [\d-]/gm);
    if (numbers) this.form.append(h('p', { class: 'fine' }, 'The masses, stiffnesses and ranges of your own rig go into the fit file below.'));
    this.textBox.open = Boolean(numbers);
  }

  #ready() {
    this.go.hidden = false;
    this.textBox.hidden = false;
    this.note.textContent = '';
  }

  /** @param {HTMLElement} said */
  #guesses(said) {
    const change = (/** @type {string} */ key, /** @type {any} */ input) => () => {
      this.draft[key] = key === 'bearing_stiffness' ? (input.value.trim() ? Number(input.value.replace(',', '.')) : null) : input.value;
      this.own = false;
      this.#write();
    };
    const columns = this.sketch.columns;
    const choose = (/** @type {string} */ label, /** @type {string} */ key, /** @type {string[]} */ all, /** @type {Record<string, string>} */ words = {}) => {
      const known = all.includes(this.draft[key]) ? all : [this.draft[key], ...all];
      const input = h('select', {}, ...known.map((v) => h('option', { value: v, selected: v === this.draft[key] }, words[v] ?? (v || '–'))));
      input.addEventListener('change', change(key, input));
      return field(label, input).box;
    };
    const stiffness = h('input', { type: 'text', inputMode: 'decimal', placeholder: 'not known', value: this.draft.bearing_stiffness ?? '' });
    stiffness.addEventListener('change', change('bearing_stiffness', stiffness));
    this.form.replaceChildren(said,
      choose('times', 'time', columns),
      choose('written as', this.draft.time_unit ? 'time_unit' : 'time_format', this.draft.time_unit ? TIMES : ['', 'day-first', 'month-first', 'year-first'], { '': 'detected' }),
      choose('temperature', 'drive', columns), choose('unit', 'drive_unit', DEGREES),
      choose('displacement', 'response', columns), choose('unit', 'response_unit', LENGTHS, { um: 'µm' }),
      choose('decimal sign', 'decimal', ['.', ','], { '.': 'point  1.5', ',': 'comma  1,5' }),
      field('bearing stiffness', stiffness, 'N/m').box);
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
    // The policy of this page holds there too: its own scripts need the word of this build.
    const nonce = /** @type {HTMLScriptElement | null} */ (document.querySelector('script[nonce]'))?.nonce ?? '';
    const srcdoc = (page + tell).replaceAll('<script>', `<script nonce="${nonce}">`);
    const frame = h('iframe', { title: 'Report of the calibration', sandbox: 'allow-scripts allow-downloads', srcdoc });
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
