// The view of one motion: the animation, curves against time, a plane, energies and events.
import { colours, h, later, plain, remark, save, short, still } from './dom.js';
import { Plane, TimePlot, below, extent } from './plots.js';
import { Stage } from './stage.js';

/** What a motion holds, by name. @param {{about: any, times: Float64Array, table: Float64Array}} solved */
export function columns(solved) {
  const names = solved.about.columns.map((/** @type {any} */ c) => c.name);
  const count = solved.times.length;
  return (/** @type {string} */ name) => {
    const at = names.indexOf(name);
    return at < 0 ? undefined : solved.table.subarray(at * count, (at + 1) * count);
  };
}

/** Whether a column moves at all. @param {Float64Array | undefined} c */
const lives = (c) => Boolean(c && c.some((v) => Number.isFinite(v) && v !== 0));

export class MotionView {
  constructor() {
    this.stage = new Stage();
    this.play = h('button', { type: 'button', class: 'play', 'aria-label': 'Play', click: () => this.toggle() });
    this.time = h('input', { type: 'range', min: '0', max: '1', step: 'any', value: '0', 'aria-label': 'Time', class: 'time', input: () => this.seek(Number(this.time.value), true) });
    this.speed = h('select', { 'aria-label': 'Speed of the animation', class: 'speed' }, ...['¼', '½', '1', '2', '4'].map((s, i) => h('option', { value: String(2 ** (i - 2)), selected: i === 2 }, `${s} ×`)));
    this.plots = h('div', { class: 'plots' });
    this.planes = h('div', { class: 'planes' });
    this.energy = h('section', { class: 'energy', 'aria-label': 'Energy' });
    this.warnings = h('div', { class: 'warnings', role: 'status' });
    this.eventHead = h('h2', {}, 'Events');
    this.events = h('div', { id: 'events', class: 'events', tabindex: '0', role: 'region', 'aria-label': 'Events' });
    this.box = h('div', { class: 'motion' },
      h('section', { class: 'theatre', 'aria-label': 'Animation' }, this.stage.box, h('div', { class: 'controls' }, this.play, this.time, this.speed)),
      this.warnings, this.plots,
      h('div', { class: 'below' }, this.planes, this.energy),
      h('section', { class: 'event-box' }, this.eventHead, this.events));
    /** @type {TimePlot[]} */
    this.charts = [];
    /** @type {Plane[]} */
    this.drawn = [];
    this.shape = '';
    /** @type {((name: string) => Float64Array | undefined) | null} */
    this.column = null;
    this.at = 0;
    /** @type {[number, number]} */
    this.span = [0, 1];
    this.playing = false;
    this.before = 0;
    /** @type {any} */
    this.solved = null;
    this.listLater = later(() => this.#list(), 120);
    /** The range of the animation while somebody holds the mass. @type {{scale: [number, number], pull?: number, need?: number} | null} */
    this.held = null;
    /** Puts another number into the model, if it has that number. */
    this.put = (/** @type {string} */ _path, /** @type {number} */ _value, /** @type {boolean} */ _dragging) => false;
    this.#holdable();
    this.#button();
  }

  /** @param {any} solved @param {boolean} dragging */
  set(solved, dragging) {
    const first = !this.solved;
    this.solved = solved;
    const { about, times } = solved;
    const column = columns(solved);
    this.column = column;
    this.span = about.span;
    this.time.max = String(about.span[1]);
    if (this.at > about.span[1]) this.at = 0;
    const charts = layout(about, column);
    const shape = JSON.stringify(charts.map((c) => [c.title, c.lines.map((l) => l.label)]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.#rebuild(charts, about, column);
    }
    const stick = about.contacts.length === 1 || about.kind === 'oscillator' ? (about.contacts[0]?.stick ?? []) : [];
    charts.forEach((c, i) => this.charts[i].set([times, ...c.data], stick, dragging));
    planes(about, column).forEach((p, i) => this.drawn[i]?.set(times, p.curves, dragging));
    this.#stage(about, column, times);
    if (dragging) this.listLater();
    else this.#list();
    this.seek(this.at, true);
    if (first && !still.matches) this.toggle(true);
  }

  /** The greatest size of a column of the motion. @param {string} name */
  reach(name) {
    const c = this.solved && this.column?.(name);
    return c ? extreme(c) : 0;
  }

  /** The mass can be taken and put elsewhere: that is where it starts. */
  #holdable() {
    const { canvas } = this.stage;
    /** @type {((pixels: number) => number) | null} */
    let back = null;
    let shift = 0;
    const start = (/** @type {PointerEvent} */ e, /** @type {boolean} */ dragging) => {
      const { left } = canvas.getBoundingClientRect();
      const x = back?.(e.clientX - left - shift) ?? 0;
      const [low, high] = this.stage.motion?.scale ?? [0, 1];
      const step = 10 ** Math.floor(Math.log10((high - low) / 300));
      this.put(`${this.solved.about.kind}.initial.displacement`, Number((Math.round(x / step) * step).toPrecision(6)), dragging);
    };
    canvas.addEventListener('pointerdown', (/** @type {PointerEvent} */ e) => {
      const m = this.stage.motion;
      const path = m && `${m.kind}.initial.displacement`;
      if (!m?.back || !m.about.numbers.some((/** @type {any} */ n) => n.path === path)) return;
      this.toggle(false);
      this.seek(0);
      back = m.back;
      shift = 0;
      this.held = { scale: m.scale, pull: m.about.pull, need: m.about.need };
      canvas.setPointerCapture(e.pointerId);
      canvas.classList.add('held');
      start(e, true);
    });
    canvas.addEventListener('pointermove', (/** @type {PointerEvent} */ e) => back && start(e, true));
    for (const end of ['pointerup', 'pointercancel']) {
      canvas.addEventListener(end, (/** @type {PointerEvent} */ e) => {
        if (!back) return;
        this.held = null;
        start(e, false);
        back = null;
        canvas.classList.remove('held');
      });
    }
  }

  /** @param {Chart[]} charts @param {any} about @param {(n: string) => Float64Array | undefined} column */
  #rebuild(charts, about, column) {
    for (const c of [...this.charts, ...this.drawn]) c.destroy();
    const seek = (/** @type {number} */ t) => {
      this.toggle(false);
      this.seek(t, true);
    };
    this.charts = charts.map((c, i) => new TimePlot({ ...c, sync: 'motion', last: i === charts.length - 1, seek }));
    this.plots.replaceChildren(...this.charts.map((c) => c.box), h('p', { class: 'axis-name' }, 'time, s'));
    this.drawn = planes(about, column).map((p) => new Plane(p));
    this.planes.replaceChildren(...this.drawn.map((p) => p.box));
  }

  /** @param {any} about @param {(n: string) => Float64Array | undefined} column @param {Float64Array} times */
  #stage(about, column, times) {
    const x = column('x');
    const scene = { ...about };
    /** @type {[number, number]} */
    let scale = x ? extent([x]) : [-1, 1];
    if (about.kind === 'impact') scale = extent([x, column('lower'), column('upper')].filter((c) => c !== undefined).map((c) => /** @type {Float64Array} */ (c)));
    if (about.kind === 'oscillator') {
      const drive = column('drive');
      const stiff = about.model.oscillator?.stiffness;
      if (x && drive && (Array.isArray(stiff) || stiff > 0)) {
        scale = extent([x, drive]);
        scene.pull = drive[drive.length - 1] >= drive[0] - 1e-12 || drive[0] > 0 ? 1 : -1;
        let most = 0;
        for (let i = 0; i < x.length; i++) most = Math.max(most, scene.pull * (x[i] - drive[i]));
        scene.need = most / (scale[1] - scale[0]);
      }
      const support = column('support');
      if (support && lives(support)) scene.belt = travelled(times, support);
    }
    if (about.kind === 'network') {
      const all = about.columns.filter((/** @type {any} */ c) => c.name.startsWith('x_')).map((/** @type {any} */ c) => column(c.name));
      const mean = times.map((_, i) => all.reduce((/** @type {number} */ s, /** @type {Float64Array} */ c) => s + c[i], 0) / all.length);
      const drifts = Math.abs(mean[mean.length - 1] - mean[0]) > 3 * spread(all, mean);
      if (drifts) scene.drift = (/** @type {any} */ s) => mean[s.i];
      const wide = drifts ? spread(all, mean) * 3 : Math.max(...all.map((/** @type {Float64Array} */ c) => range(c)));
      scale = [0, wide || 1];
    }
    if (this.held) {
      scale = this.held.scale;
      Object.assign(scene, { pull: this.held.pull, need: this.held.need });
    }
    const free = about.kind !== 'network' && about.numbers.some((/** @type {any} */ n) => n.path === `${about.kind}.initial.displacement`);
    this.stage.canvas.classList.toggle('free', free);
    this.stage.canvas.title = free ? 'Drag the mass to the position where it starts' : '';
    const forces = [column('load'), column('holds')].filter((c) => c !== undefined);
    scene.most = Math.max(1e-300, ...forces.map((c) => extreme(/** @type {Float64Array} */ (c))));
    this.stage.set({ kind: about.kind, about: scene, t: times, column, stick: about.contacts.map((/** @type {any} */ c) => c.stick), scale });
  }

  /** @param {any} e */
  #energy(e) {
    const rows = [
      ['work of the load', e.work, 'accent'], ['lost to friction', e.friction, 'friction'], ['lost to damping', e.viscous, 'soft'],
      ['lost in impacts', e.impacts, 'soft'], ['kinetic, gained', e.kinetic, 'ink'], ['elastic, gained', e.elastic, 'ink'],
    ].filter(([, v], i) => i < 2 || v !== 0);
    const most = Math.max(...rows.map(([, v]) => Math.abs(/** @type {number} */ (v))), 1e-300);
    const bar = (/** @type {any[]} */ [label, v, colour]) => h('tr', {}, h('th', { scope: 'row' }, label),
      h('td', { class: 'bar' }, h('span', { class: v < 0 ? 'less' : '', style: `width:${(50 * Math.abs(v)) / most}%;background:var(--${colour})` })),
      h('td', { class: 'value' }, `${short(v)} J`));
    this.energy.replaceChildren(h('h2', {}, 'Energy'), h('table', {}, h('tbody', {}, ...rows.map(bar))),
      h('p', { class: 'fine' }, `Energy error: ${short(e.relative_defect, 2)} of the work.`));
  }

  /** @param {string[]} warnings */
  #warn(warnings) {
    this.warnings.replaceChildren(...warnings.map((w) => h('p', {}, remark(w))));
  }

  #list() {
    this.#energy(this.solved.about.energy);
    this.#warn(this.solved.about.warnings);
    const { events, event_count: all } = this.solved.about;
    const impulse = ['impact'].includes(this.solved.about.kind) || events.some((/** @type {any} */ e) => e[6] !== 0);
    const where = events.some((/** @type {any} */ e) => e[2]);
    const shown = events.slice(0, 2000);
    const rows = shown.map((/** @type {any} */ e) =>
      `<tr><td>${e[0]}</td><td>${e[1].toFixed(12)}</td>${where ? `<td>${escaped(e[2])}</td>` : ''}<td>${e[3].toFixed(12)}</td><td>${e[4].toFixed(12)}</td>${impulse ? `<td>${e[6].toFixed(12)}</td>` : ''}</tr>`).join('');
    const place = where ? '<th scope="col">where</th>' : '';
    const kick = impulse ? '<th scope="col">impulse, N·s</th>' : '';
    this.eventHead.textContent = all === 1 ? '1 event' : `${all} events`;
    const more = all > shown.length ? `<p class="fine">The first ${shown.length} are listed; the CSV file holds all of them.</p>` : '';
    this.events.innerHTML = all ? `<table><thead><tr><th scope="col">event</th><th scope="col">t, s</th>${place}<th scope="col">x, m</th><th scope="col">v, m/s</th>${kick}</tr></thead><tbody>${rows}</tbody></table>${more}` : '<p class="fine">Nothing happens: no stick, no slip, no impact.</p>';
  }

  /** @param {number} t @param {boolean} [all] */
  seek(t, all = true) {
    this.at = Math.min(Math.max(t, this.span[0]), this.span[1]);
    this.time.value = String(this.at);
    this.time.style.setProperty('--share', `${(100 * (this.at - this.span[0])) / (this.span[1] - this.span[0] || 1)}%`);
    this.stage.seek(this.at);
    if (!all) return;
    for (const c of this.charts) c.seek(this.at);
    for (const p of this.drawn) p.seek(this.at);
  }

  #button() {
    this.play.innerHTML = this.playing
      ? '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M4 3h3v10H4zM9 3h3v10H9z" fill="currentColor"/></svg>'
      : '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M4 2.5v11l9-5.5z" fill="currentColor"/></svg>';
    this.play.setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
  }

  /** @param {boolean} [on] */
  toggle(on = !this.playing) {
    if (on === this.playing) return;
    this.playing = on;
    this.before = performance.now();
    if (on && this.at >= this.span[1]) this.at = this.span[0];
    this.#button();
    if (on) requestAnimationFrame((now) => this.#tick(now));
  }

  /** @param {number} now */
  #tick(now) {
    if (!this.playing || !this.box.isConnected) {
      this.playing = false;
      return this.#button();
    }
    // A whole run in about 16 s, in real time where it is between 6 and 20 s long.
    const length = this.span[1] - this.span[0];
    const rate = (length >= 6 && length <= 20 ? 1 : length / 16) * Number(this.speed.value);
    const t = this.at + (Math.min(now - this.before, 100) / 1000) * rate;
    this.before = now;
    this.seek(t >= this.span[1] ? this.span[0] : t, true);
    requestAnimationFrame((next) => this.#tick(next));
  }

  recolour() {
    for (const c of [...this.charts, ...this.drawn]) c.recolour();
    this.shape = '';
    if (this.solved) this.set(this.solved, false);
    this.stage.draw();
  }

  /** The curves as one picture. */
  png() {
    const parts = this.charts.map((c) => ({ canvas: c.canvas(), title: `${c.options.title}, ${c.options.unit}` })).filter((p) => p.canvas);
    const ratio = devicePixelRatio || 1;
    const head = 22 * ratio;
    const width = Math.max(...parts.map((p) => p.canvas?.width ?? 0));
    const height = parts.reduce((s, p) => s + (p.canvas?.height ?? 0) + head, 0);
    const canvas = h('canvas', { width, height });
    const ctx = canvas.getContext('2d');
    const c = colours();
    ctx.fillStyle = c.paper;
    ctx.fillRect(0, 0, width, height);
    let y = 0;
    for (const p of parts) {
      ctx.fillStyle = c.ink;
      ctx.font = `600 ${13 * ratio}px system-ui, sans-serif`;
      ctx.fillText(p.title, 10 * ratio, y + 16 * ratio);
      ctx.drawImage(/** @type {any} */ (p.canvas), 0, y + head);
      y += (p.canvas?.height ?? 0) + head;
    }
    canvas.toBlob((/** @type {Blob} */ blob) => save('stickslip.png', blob, 'image/png'));
  }
}

/** A column that is drawn by its ends where it does not change: long dashed lines cost much. @param {Float64Array} c */
function straight(c) {
  if (c.some((v) => v !== c[0])) return c;
  const out = new Array(c.length).fill(null);
  out[0] = out[out.length - 1] = c[0];
  return out;
}

/** @typedef {{title: string, unit: string, lines: import('./plots.js').Line[], data: ArrayLike<number | null>[], height?: number}} Chart */

/** @param {Float64Array} c */
const negated = (c) => c.map((v) => -v);

/**
 * The curves against time of a kind of model.
 * @param {any} about @param {(n: string) => Float64Array | undefined} column @returns {Chart[]}
 */
function layout(about, column) {
  const c = colours();
  const main = { colour: c.accent, width: 2 };
  // Lines differ in their dashes as well as in colour.
  const other = { colour: c.soft, width: 1.25, dash: [8, 3] };
  const dashes = [undefined, [8, 3], [2, 3], [8, 3, 2, 3]];
  /** @param {string} title @param {string} unit @param {[string, any, any][]} all @param {number} [height] @returns {Chart} */
  const chart = (title, unit, all, height) => {
    const kept = all.filter(([, data]) => data);
    return { title, unit, height, lines: kept.map(([label, , look]) => ({ label, ...look })), data: kept.map(([, data]) => data) };
  };
  const many = (/** @type {string} */ prefix) => about.columns.filter((/** @type {any} */ k) => k.name.startsWith(prefix))
    .map((/** @type {any} */ k, /** @type {number} */ i) => [k.name.slice(prefix.length), column(k.name), { colour: c.series[i % 6], width: 1.5, dash: dashes[i % 4] }]);
  if (about.kind === 'network') {
    const unit = (/** @type {string} */ prefix) => about.columns.find((/** @type {any} */ k) => k.name.startsWith(prefix))?.unit ?? '';
    const of = (/** @type {string} */ title, /** @type {string} */ prefix) => chart(title, unit(prefix), many(prefix));
    return [of('Displacement', 'x_'), of('Velocity', 'v_'), of('Friction', 'friction_'), of('Stops and gears', 'force_'), of('Controllers', 'u_')].filter((k) => k.lines.length);
  }
  if (about.kind === 'cascade') {
    const w = about.columns.filter((/** @type {any} */ k) => /^w\d+$/.test(k.name)).map((/** @type {any} */ k, /** @type {number} */ i) => [k.name, column(k.name), { colour: c.series[i % 6], dash: dashes[i % 4] }]);
    return [chart('Displacement', 'm', [['mass x', column('x'), main]]), chart('Force', 'N', [['applied', column('load'), other], ['in the cascade', column('force'), { colour: c.friction, width: 2 }]]),
      chart('Elements, stretch', 'm', w), chart('Velocity', 'm/s', [['v', column('v'), main]])];
  }
  if (about.kind === 'impact') {
    return [chart('Displacement', 'm', [['x', column('x'), main], ['walls', lives(column('lower')) || column('lower')?.some(Number.isFinite) ? column('lower') : null, other], ['upper wall', column('upper')?.some(Number.isFinite) ? column('upper') : null, { ...other, quiet: true }]], 190),
      chart('Velocity', 'm/s', [['v', column('v'), main]]), chart('Force', 'N', [['on the mass', lives(column('load')) ? column('load') : null, other]])].filter((k) => k.lines.length);
  }
  const stiff = about.model.oscillator?.stiffness;
  const sprung = Array.isArray(stiff) || stiff > 0;
  const holds = column('holds');
  const limit = { colour: c.soft, width: 1, dash: [2, 3], span: true };
  const friction = column('friction');
  return [
    chart('Displacement', 'm', [['mass x', column('x'), main], ['drive d', sprung && lives(column('drive')) ? column('drive') : null, other], ['bearing z', column('z'), { colour: c.friction }]]),
    chart('Velocity', 'm/s', [['v', column('v'), main], ['surface', lives(column('support')) ? column('support') : null, other]]),
    chart('Force', 'N', [['load', column('load'), other], ['friction (sign reversed)', friction && negated(friction), { colour: c.friction, width: 2 }], ['friction limit', holds && straight(holds), limit], ['', holds && straight(negated(holds)), { ...limit, quiet: true }]], 170),
  ];
}

/** The planes of a kind of model. @param {any} about @param {(n: string) => Float64Array | undefined} column */
function planes(about, column) {
  if (about.kind === 'cascade') return [{ title: 'Hysteresis', xLabel: 'x, m', yLabel: 'force, N', curves: [{ x: column('x') ?? [], y: column('force') ?? [] }] }];
  if (about.kind === 'network') {
    const free = about.columns.filter((/** @type {any} */ k) => k.name.startsWith('v_')).map((/** @type {any} */ k) => k.name.slice(2)).filter((/** @type {string} */ n) => lives(column(`v_${n}`))).slice(0, 6);
    const unit = (/** @type {string} */ prefix) => about.columns.find((/** @type {any} */ k) => k.name.startsWith(prefix))?.unit ?? '';
    return [{ title: 'Phase plane', xLabel: `x, ${unit('x_')}`, yLabel: `v, ${unit('v_')}`, curves: free.map((/** @type {string} */ n) => ({ x: column(`x_${n}`) ?? [], y: column(`v_${n}`) ?? [] })) }];
  }
  return [{ title: 'Phase plane', xLabel: 'x, m', yLabel: 'v, m/s', curves: [{ x: column('x') ?? [], y: column('v') ?? [] }] }];
}

/** How far a surface has moved. @param {Float64Array} t @param {Float64Array} v */
function travelled(t, v) {
  const s = new Float64Array(t.length);
  for (let i = 1; i < t.length; i++) s[i] = s[i - 1] + ((v[i] + v[i - 1]) / 2) * (t[i] - t[i - 1]);
  return s;
}

/** @param {Float64Array} c */
const range = (c) => {
  const [low, high] = extent([c]);
  return high - low;
};

/** @param {Float64Array} c */
function extreme(c) {
  let most = 0;
  for (const v of c) if (Math.abs(v) > most) most = Math.abs(v);
  return most;
}

/** @param {Float64Array[]} all @param {Float64Array} mean */
function spread(all, mean) {
  let most = 0;
  for (const c of all) for (let i = 0; i < c.length; i += 7) most = Math.max(most, Math.abs(c[i] - mean[i]));
  return most;
}

/** @param {string} text */
export const escaped = (text) => plain(text).replace(/[&<>"]/g, (k) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[k] ?? k);

export { below };
