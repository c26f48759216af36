// Views of a model beside its one motion: schemes side by side, ensembles, orbits, responses, solutions.
import { colours, h, picture, remark, save, short } from './dom.js';
import { Engine, Stopped, Wrong } from './engine.js';
import { named } from './model.js';
import { columns, escaped } from './motion.js';
import { TimePlot } from './plots.js';

/** @typedef {{text: () => string, about: () => any, reach: (column: string) => number, blame: (fault: any) => void}} Model */

/** Runs long work with a bar and a button to stop it. */
class Job {
  constructor(/** @type {string} */ label) {
    this.bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Progress' });
    this.note = h('span', { class: 'fine', role: 'status' });
    this.go = h('button', { type: 'button', class: 'go', click: () => this.press() }, label);
    this.box = h('div', { class: 'job' }, this.go, this.bar, this.note);
    this.label = label;
    this.running = false;
    this.work = async () => {};
    this.halt = () => {};
  }

  async press() {
    if (this.running) return this.halt();
    this.running = true;
    this.go.textContent = 'Stop';
    this.bar.hidden = false;
    this.bar.removeAttribute('value');
    this.note.textContent = '';
    const clock = performance.now();
    try {
      await this.work();
      this.note.textContent = `${short((performance.now() - clock) / 1000, 2)} s`;
    } catch (error) {
      this.note.textContent = error instanceof Stopped ? 'stopped' : '';
      if (!(error instanceof Stopped)) this.failed(error);
    }
    this.running = false;
    this.go.textContent = this.label;
    this.bar.hidden = true;
  }

  /** @param {number} done @param {number} total */
  progress(done, total) {
    if (total > 0) this.bar.value = done / total;
  }

  /** @param {any} error */
  failed(error) {
    this.said(error instanceof Wrong ? error.fault : { message: String(error?.message ?? error) });
  }

  said = (/** @type {any} */ _fault) => {};
}

/** What a study says when it cannot do what was asked. @param {any} fault */
export function complaint(fault) {
  return h('div', { class: 'message', role: 'alert' }, h('p', {}, fault.message), fault.help ? h('p', { class: 'help' }, fault.help) : '');
}

/** What the program prints. @param {string} text */
function said(text) {
  return h('details', { open: text.length < 1200 }, h('summary', {}, 'In numbers'), h('pre', { class: 'said', tabindex: '0' }, text.trim()));
}

/** A table of a product's rows. @param {any} about @param {string} name @param {any[][]} rows @param {string} caption */
export function table(about, name, rows, caption) {
  const columns = about.tables.find((/** @type {any} */ t) => t.name === name)?.columns ?? [];
  const cell = (/** @type {any} */ v) => (v === null ? '' : typeof v === 'number' ? short(v, 6) : v);
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h('table', { class: 'data' }, h('thead', {}, h('tr', {}, ...columns.map((/** @type {any} */ c) => h('th', { scope: 'col' }, c.name, c.unit ? h('span', { class: 'unit' }, `, ${c.unit}`) : '')))),
      h('tbody', {}, ...rows.map((r) => h('tr', {}, ...r.map((v) => h('td', {}, cell(v))))))));
}

/** A study whose figures the library draws: an orbit, a response, solutions. */
export class FigureView {
  /**
   * @param {Model} model
   * @param {{command: string, label: string, intro: string, fields?: (model: Model) => any[], options?: (fields: any[]) => any, figures: Record<string, string>, tables?: Record<string, string>, auto?: boolean, documents?: boolean}} how
   */
  constructor(model, how) {
    this.model = model;
    this.how = how;
    this.engine = new Engine();
    this.job = new Job(how.label);
    this.form = h('form', { class: 'form', submit: (/** @type {Event} */ e) => { e.preventDefault(); this.job.press(); } });
    this.out = h('div', { class: 'results' });
    this.box = h('div', { class: 'study' }, h('p', { class: 'intro' }, how.intro), this.form, this.out);
    this.job.work = () => this.#work();
    this.job.halt = () => this.engine.stop();
    this.job.said = (fault) => this.out.replaceChildren(complaint(fault));
    this.fields = [];
    this.solvedText = '';
  }

  shown() {
    if (!this.fields.length || this.fieldsFor !== this.model.text()) {
      this.fieldsFor = this.model.text();
      this.fields = this.how.fields?.(this.model) ?? [];
      this.form.replaceChildren(...this.fields.map((f) => f.box ?? f), this.job.box);
    }
    if (this.how.auto !== false && this.solvedText !== this.model.text() && !this.job.running) this.job.press();
  }

  changed() {
    this.shown();
  }

  async #work() {
    const text = this.model.text();
    this.solvedText = text;
    const options = this.how.options?.(this.fields) ?? {};
    const tables = Object.keys(this.how.tables ?? {});
    const got = await this.engine.ask('study', { command: this.how.command, text, options, pull: { text: true, figures: 'all', documents: this.how.documents ? 'all' : [], rows: tables.map((t) => [t, 200]) } }, (d, t) => this.job.progress(d, t));
    const order = Object.keys(this.how.figures);
    const drawn = Object.keys(got.figures ?? {}).sort((a, b) => (order.indexOf(a) + 99) % 99 - (order.indexOf(b) + 99) % 99);
    this.out.replaceChildren(
      ...got.about.remarks.map((/** @type {string} */ r) => h('p', { class: 'warning' }, remark(r))),
      h('div', { class: 'figures' }, ...drawn.map((name) => h('figure', {}, picture(got.figures[name], this.how.figures[name] ?? name)))),
      said(got.text),
      ...tables.filter((t) => got.rows?.[t]?.length).map((t) => h('section', {}, h('h2', {}, this.how.tables?.[t] ?? t), table(got.about, t, got.rows[t], t))),
      h('p', { class: 'saves' }, ...got.about.tables.map((/** @type {any} */ t) => h('button', { type: 'button', class: 'quiet', click: () => this.#csv(t.name) }, `${t.name}.csv`)),
        ...drawn.map((name) => h('button', { type: 'button', class: 'quiet', click: () => save(`${name}.svg`, got.figures[name], 'image/svg+xml') }, `${name}.svg`)),
        ...Object.entries(got.documents ?? {}).map(([name, text]) => h('button', { type: 'button', class: 'quiet', click: () => save(`${name}.json`, text, 'application/json') }, `${name}.json`))));
  }

  /** @param {string} name */
  async #csv(name) {
    const got = await this.engine.ask('pull', { pull: { csv: [name] } });
    save(`${name}.csv`, got.csv[name], 'text/csv');
  }
}

/** A labelled field. @param {string} label @param {any} input @param {string} [unit] */
export function field(label, input, unit) {
  const box = h('label', { class: 'field' }, h('span', {}, label), input, unit ? h('span', { class: 'unit' }, unit) : '');
  return { box, input };
}

const SCHEMES = /** @type {Record<string, string>} */ ({
  exact: 'from event to event in closed form', adaptive: 'adaptive steps between events', euler: 'semi-implicit steps', 'implicit-euler': 'implicit steps with the inclusion',
  'quasi-static': 'without inertia', 'sign-euler': 'explicit steps with sign(0) = 0, for comparison', 'sign-implicit': 'implicit steps with sign(0) = 0, for comparison', hysteresis: 'the hysteresis operator', theta: 'forces between the ends of the step', moreau: 'velocity and impulse steps',
  spring: 'a stiff spring for the wall', yosida: 'a regularised wall',
});

/** Schemes side by side with the exact one. */
export class SchemesView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.engine = new Engine();
    this.boxes = h('fieldset', { class: 'choices' });
    this.step = h('input', { type: 'text', inputMode: 'decimal', value: '', change: () => this.run() });
    this.what = h('select', { change: () => this.run() }, h('option', { value: 'v' }, 'velocity'), h('option', { value: 'x' }, 'displacement'));
    this.out = h('div', { class: 'results' });
    this.box = h('div', { class: 'study' },
      h('p', { class: 'intro' }, 'The same model solved by other schemes. The exact motion is drawn in black. The schemes differ most where the mass sticks.'),
      h('form', { class: 'form', submit: (/** @type {Event} */ e) => e.preventDefault() }, this.boxes, field('step', this.step, 's').box, field('show', this.what).box), this.out);
    /** @type {TimePlot | null} */
    this.plot = null;
    this.kind = '';
    this.turn = 0;
  }

  shown() {
    const about = this.model.about();
    if (!about) return;
    if (this.kind !== about.kind) {
      this.kind = about.kind;
      const usual = { oscillator: ['euler', 'sign-euler'], cascade: ['implicit-euler'], network: ['implicit-euler', 'sign-euler'], impact: ['moreau'] }[this.kind] ?? [];
      const best = this.kind === 'oscillator' && about.scheme !== 'exact' ? 'adaptive' : 'exact';
      this.boxes.replaceChildren(h('legend', {}, 'schemes'), ...about.schemes.filter((/** @type {string} */ s) => s !== best).map((/** @type {string} */ s) =>
        h('label', { class: 'choice', title: SCHEMES[s] ?? '' }, h('input', { type: 'checkbox', value: s, checked: usual.includes(s), change: () => this.run() }), s)));
      this.best = best;
      this.step.value = String(Number((about.span[1] / 400).toPrecision(1)));
    }
    this.run();
  }

  changed() {
    this.shown();
  }

  async run() {
    const turn = ++this.turn;
    const text = this.model.text();
    const step = Number(this.step.value.replace(',', '.'));
    const c = colours();
    const rows = [];
    const lines = [];
    const data = [];
    const what = this.what.value;
    const column = (/** @type {any} */ m) => {
      const get = columns(m);
      const name = m.about.columns.map((/** @type {any} */ k) => k.name).find((/** @type {string} */ k) => k === what || (k.startsWith(`${what}_`) && get(k)?.some((v) => v !== 0)));
      return /** @type {Float64Array} */ (get(name));
    };
    /** @type {Float64Array | undefined} */
    let times;
    /** @type {Float64Array | undefined} */
    let truth;
    const chosen = [...this.boxes.querySelectorAll('input:checked')].map((b) => b.value);
    for (const scheme of [this.best ?? 'exact', ...chosen]) {
      if (turn !== this.turn) return;
      try {
        const m = await this.engine.ask('motion', { text, scheme, step: scheme === 'exact' || scheme === 'adaptive' ? undefined : step, points: 2400, times });
        times ??= m.times;
        const values = column(m);
        const off = truth ? Math.max(...values.map((v, i) => Math.abs(v - /** @type {Float64Array} */ (truth)[i]))) : null;
        truth ??= values;
        lines.push({ label: scheme, colour: off === null ? c.ink : c.series[(lines.length - 1) % 6], width: off === null ? 2.5 : 1.25 });
        data.push(values);
        rows.push([scheme, SCHEMES[scheme] ?? '', m.about.counts.steps || '–', m.about.event_count, off === null ? '–' : short(off, 3)]);
      } catch (error) {
        if (error instanceof Stopped) return;
        rows.push([scheme, error instanceof Wrong ? error.fault.message : String(error), '', '', '']);
      }
    }
    if (turn !== this.turn) return;
    this.plot?.destroy();
    this.plot = null;
    const parts = [];
    if (data.length) {
      this.plot = new TimePlot({ title: what === 'v' ? 'Velocity' : 'Displacement', unit: what === 'v' ? 'm/s' : 'm', lines, height: 340 });
      this.plot.set([times, ...data], this.model.about()?.contacts?.[0]?.stick ?? []);
      parts.push(this.plot.box, h('p', { class: 'axis-name' }, 'time, s'));
    }
    const unit = what === 'v' ? 'm/s' : 'm';
    this.out.replaceChildren(...parts, h('table', { class: 'data' },
      h('thead', {}, h('tr', {}, ...['scheme', 'how', 'steps', 'events', `largest deviation, ${unit}`].map((t) => h('th', { scope: 'col' }, t)))),
      h('tbody', {}, ...rows.map((r) => h('tr', {}, ...r.map((v, i) => h('td', { class: i === 1 ? 'text' : null }, String(v))))))));
  }
}

/** Many paths of a model with noise, on all cores. */
export class EnsembleView {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.merger = new Engine();
    /** @type {Engine[]} */
    this.pool = [];
    this.paths = h('input', { type: 'text', inputMode: 'numeric', value: '2000' });
    this.workers = h('input', { type: 'number', min: '1', max: '16', value: String(Math.min(8, navigator.hardwareConcurrency || 2)) });
    this.job = new Job('Run the paths');
    this.out = h('div', { class: 'results' });
    this.box = h('div', { class: 'study' },
      h('p', { class: 'intro' }, 'Many paths under the same kind of noise, shared among several workers. The result does not depend on the number of workers, to the last bit.'),
      h('form', { class: 'form', submit: (/** @type {Event} */ e) => { e.preventDefault(); this.job.press(); } }, field('paths', this.paths).box, field('workers', this.workers).box, this.job.box), this.out);
    this.job.work = () => this.#work();
    this.job.halt = () => this.pool.forEach((e) => e.stop());
    this.job.said = (fault) => this.out.replaceChildren(complaint(fault));
    /** @type {TimePlot[]} */
    this.plots = [];
    this.solvedText = '';
  }

  shown() {
    if (this.solvedText !== this.model.text() && !this.job.running) this.job.press();
  }

  changed() {
    this.out.classList.toggle('stale', this.solvedText !== this.model.text());
  }

  async #work() {
    const text = this.model.text();
    const paths = Math.max(1, Math.round(Number(this.paths.value)));
    const count = Math.max(1, Math.min(16, Number(this.workers.value) || 1, paths));
    while (this.pool.length < count) this.pool.push(new Engine());
    const done = new Array(count).fill(0);
    const parts = await Promise.all(Array.from({ length: count }, async (_, k) => {
      const [from, to] = [Math.floor((paths * k) / count), Math.floor((paths * (k + 1)) / count)];
      const got = await this.pool[k].ask('study', { command: 'ensemble', text, options: { paths: [from, to], threads: 1 }, pull: { documents: ['partial'] } }, (d) => {
        done[k] = d;
        this.job.progress(done.reduce((a, b) => a + b, 0), paths);
      });
      return got.documents.partial;
    }));
    const names = parts.map((part, k) => {
      this.merger.offer(`part-${k}.json`, new Blob([part]));
      return `part-${k}.json`;
    });
    const columns = ['t', ...this.#names(this.model.about())];
    const got = await this.merger.ask('study', { merge: names, pull: { text: true, figures: 'all', numbers: columns.map((c) => ['ensemble', c]) } });
    this.solvedText = text;
    this.#draw(got);
  }

  /** @param {any} about */
  #names(about) {
    const point = about?.kind === 'network' ? about.columns.find((/** @type {any} */ c) => c.name.startsWith('x_'))?.name.slice(1) : '';
    this.suffix = point ?? '';
    const p = about?.kind === 'network' ? `x${this.suffix}` : 'x';
    return [`p05_${p}`, `p95_${p}`, `p50_${p}`, `mean_${p}`, 'stick_fraction'];
  }

  /** @param {any} got */
  #draw(got) {
    for (const p of this.plots) p.destroy();
    const c = colours();
    const of = (/** @type {string} */ name) => got.numbers?.[`ensemble.${name}`];
    const [low, high, middle, mean, stick] = this.#names(this.model.about()).map(of);
    const t = of('t');
    this.plots = [];
    if (t && low) {
      const band = new TimePlot({
        title: 'Displacement', unit: 'm', height: 260, bands: [[2, 1]],
        lines: [{ label: '', colour: 'transparent', quiet: true, fill: c.stick }, { label: '5 to 95 %', colour: 'transparent', fill: c.stick, band: true },
          { label: 'median', colour: c.accent, width: 2 }, { label: 'mean', colour: c.friction, width: 1.25 }],
      });
      band.set([t, low, high, middle, mean]);
      this.plots.push(band);
    }
    if (t && stick) {
      const share = new TimePlot({ title: 'Fraction of the paths that stick', unit: '', height: 120, lines: [{ label: 'stick', colour: c.accent, width: 1.5 }] });
      share.set([t, stick]);
      this.plots.push(share);
    }
    const figures = Object.keys(got.figures ?? {}).filter((n) => n !== 'ensemble');
    this.out.replaceChildren(...this.plots.map((p) => p.box), h('p', { class: 'axis-name' }, 'time, s'),
      ...got.about.remarks.map((/** @type {string} */ r) => h('p', { class: 'warning' }, remark(r))),
      h('div', { class: 'figures' }, ...figures.map((n) => h('figure', {}, picture(got.figures[n], n)))),
      said(got.text),
      h('p', { class: 'saves' }, h('button', { type: 'button', class: 'quiet', click: () => this.#csv() }, 'ensemble.csv')));
    this.out.classList.remove('stale');
  }

  async #csv() {
    const got = await this.merger.ask('pull', { pull: { csv: ['ensemble'] } });
    save('ensemble.csv', got.csv.ensemble, 'text/csv');
  }
}

/** @param {Model} model */
export function orbitView(model) {
  return new FigureView(model, {
    command: 'orbit', label: 'Find the orbit',
    intro: 'The periodic motion, whether it is stable, and the energy it dissipates in a period.',
    fields: () => [field('periods of the load', h('input', { type: 'number', min: '1', max: '12', value: '1' }))],
    options: ([periods]) => ({ periods: Number(periods.input.value) }),
    figures: { orbit: 'The orbit in the phase plane and over a period' },
  });
}

/** A key in words, such as "angular frequency of drive 1 harmonic". @param {string} path */
const inWords = (path) => [...named(path)].reverse().join(' of ');

/** @param {Model} model */
export function responseView(model) {
  return new FigureView(model, {
    command: 'response', label: 'Follow the orbits', auto: false,
    intro: 'The branches of periodic orbits over one parameter of the model, with their bifurcations.',
    fields: (m) => {
      const all = (m.about()?.numbers ?? []).filter((/** @type {any} */ n) => !n.path.startsWith('run.') && !n.path.includes('initial'));
      const usual = all.find((/** @type {any} */ n) => n.path.endsWith('angular_frequency')) ?? all[0];
      const low = h('input', { type: 'text', inputMode: 'decimal' });
      const high = h('input', { type: 'text', inputMode: 'decimal' });
      const fill = () => {
        const n = all.find((/** @type {any} */ k) => k.path === key.value);
        low.value = n ? String(Number((n.value * 0.5).toPrecision(3))) : '';
        high.value = n ? String(Number((n.value * 1.6).toPrecision(3))) : '';
      };
      const key = h('select', { change: fill }, ...all.map((/** @type {any} */ n) => h('option', { value: n.path, selected: n === usual }, inWords(n.path))));
      fill();
      return [field('over', key), field('from', low), field('to', high), field('points', h('input', { type: 'number', min: '10', max: '2000', value: '60' }))];
    },
    options: ([key, low, high, count]) => ({ key: key.input.value, range: [Number(low.input.value), Number(high.input.value)], count: Number(count.input.value) }),
    figures: { response: 'Amplitude over the parameter, with bifurcations' },
  });
}

/** @param {Model} model */
export function basinsView(model) {
  const grid = () => h('input', { type: 'number', min: '5', max: '401', value: '61' });
  return new FigureView(model, {
    command: 'basins', label: 'Find the basins', auto: false,
    intro: 'The orbit to which a driven oscillator tends, for each initial displacement and velocity.',
    fields: (m) => {
      // Somewhat more than what the motion itself covers.
      const size = (/** @type {string} */ name) => Number((1.5 * m.reach(name) || 1).toPrecision(2));
      const number = (/** @type {number} */ v) => h('input', { type: 'text', inputMode: 'decimal', value: String(v) });
      const [x, v] = [size('x'), size('v')];
      return [field('displacement from', number(-x), 'm'), field('to', number(x), 'm'), field('velocity from', number(-v), 'm/s'), field('to', number(v), 'm/s'), field('starts along each', grid())];
    },
    options: (f) => {
      const [x0, x1, v0, v1, n] = f.map((k) => Number(k.input.value.replace(',', '.')));
      return { x: [x0, x1, n], v: [v0, v1, n] };
    },
    figures: { basins: 'The orbit to which each start leads' },
  });
}

/** @param {Model} model */
export function proofView(model) {
  return new FigureView(model, {
    command: 'certify', label: 'Prove the motion', auto: false,
    intro: 'A proof of the exact motion: every event is enclosed in an interval. The certificate can be checked without this library.',
    figures: {},
    documents: true,
  });
}

/** @param {Model} model */
export function solutionsView(model) {
  return new FigureView(model, {
    command: 'solutions', label: 'List the solutions',
    intro: 'All solutions of a problem that may have several, and where they separate.',
    figures: { solutions: 'All solutions', paths: 'Motions in the wedge', schatzman: 'Rest and bounces under one force', corner: 'Directions after the corner', jump: 'Velocity at the end over a perturbation of the force' },
    tables: { bounces: 'Bounces', corner: 'The corner' },
  });
}

export { escaped };
