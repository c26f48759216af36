// Curves against time (uPlot) and planes (a small canvas of our own, for curves that turn back).
import uPlot from '../vendor/uplot/uPlot.esm.js';
import { colours, h, short, ticks } from './dom.js';

/** @typedef {{label: string, colour: string, width?: number, dash?: number[], fill?: string, band?: boolean, quiet?: boolean, span?: boolean}} Line */

const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** @param {(number | null)[]} values */
const written = (values) => values.map((v) => (v === null ? '' : short(v, 4)));

/** Draws what has changed when it comes into sight; nothing is drawn where nobody looks. @type {WeakMap<Element, (seen: boolean) => void>} */
const watched = new WeakMap();
const sight = new IntersectionObserver((all) => {
  for (const e of all) watched.get(e.target)?.(e.isIntersecting);
}, { rootMargin: '80px' });

/** @param {Element} element @param {(seen: boolean) => void} tell */
function watch(element, tell) {
  watched.set(element, tell);
  sight.observe(element);
}

/** Curves against time that share one cursor. */
export class TimePlot {
  /**
   * @param {{title: string, unit: string, lines: Line[], height?: number, sync?: string, last?: boolean,
   *   seek?: (t: number) => void, bands?: [number, number][], log?: boolean, xUnit?: string}} options
   */
  constructor(options) {
    this.options = options;
    /** @type {Float64Array | number[]} */
    this.stick = [];
    this.now = NaN;
    this.box = h('div', { class: 'plot' });
    this.caption = h('div', { class: 'plot-head' },
      h('span', { class: 'plot-title' }, options.title, ' ', h('span', { class: 'unit' }, options.unit)),
      h('span', { class: 'legend' }, ...options.lines.filter((l) => !l.quiet).map((l) => h('span', { class: 'key' }, this.#swatch(l), l.label))));
    this.holder = h('div', { class: 'plot-body', role: 'img', 'aria-label': `${options.title} against time` });
    this.box.append(this.caption, this.holder);
    /** @type {any} */
    this.plot = null;
    this.data = null;
    this.observer = new ResizeObserver(() => requestAnimationFrame(() => this.#resize()));
    this.observer.observe(this.holder);
    this.seen = true;
    this.late = false;
    watch(this.holder, (seen) => {
      this.seen = seen;
      if (seen) this.flush();
    });
  }

  /** Draws what was put off. */
  flush() {
    if (this.late) this.plot?.setData(this.data);
    this.late = false;
  }

  /** @param {Line} line */
  #swatch(line) {
    const dash = line.dash ? ` stroke-dasharray="${line.dash.join(' ')}"` : '';
    const mark = h('span', { class: 'swatch', 'aria-hidden': 'true' });
    const colour = line.fill && !line.width ? line.fill : line.colour;
    mark.innerHTML = line.band
      ? `<svg width="14" height="10"><rect width="14" height="10" rx="2" fill="${line.fill}"/></svg>`
      : `<svg width="18" height="8"><path d="M0 4h18" stroke="${colour}" stroke-width="${line.width ?? 1.5}"${dash}/></svg>`;
    return mark;
  }

  #make(/** @type {number} */ width) {
    const c = colours();
    const { lines, height = 150, sync, last = true } = this.options;
    const axis = { stroke: c.soft, font: FONT, grid: { stroke: c.grid, width: 1 }, ticks: { show: false } };
    this.plot = new uPlot({
      width,
      height: height + (last ? 26 : 8),
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, sync: sync ? { key: sync } : undefined },
      scales: { x: { time: false }, y: { range: (_u, low, high) => this.#range(low, high) } },
      axes: [
        { ...axis, show: last, size: 26, values: (_u, v) => written(v), gap: 4, space: 70 },
        { ...axis, size: 58, values: (_u, v) => written(v), gap: 6, space: 28 },
      ],
      series: [{}, ...lines.map((l) => ({
        stroke: l.colour, width: l.width ?? 1.5, dash: l.dash, points: { show: false }, label: l.label, spanGaps: l.span ?? false,
      }))],
      bands: (this.options.bands ?? []).map((series) => ({ series, fill: lines[series[0] - 1].fill ?? c.stick })),
      hooks: { drawClear: [(u) => this.#shade(u)], draw: [(u) => this.#cursor(u)], ready: [(u) => this.#seekable(u)] },
    }, /** @type {any} */ (this.data), this.holder);
  }

  /** @param {number | null} low @param {number | null} high @returns {[number, number]} */
  #range(low, high) {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
    const pad = (high - low || Math.abs(high) || 1) * 0.06;
    return [low - pad, high + pad];
  }

  /** @param {any} u */
  #shade(u) {
    const { ctx } = u;
    ctx.save();
    ctx.fillStyle = colours().stick;
    const { left, top, width, height } = u.bbox;
    for (let i = 0; i + 1 < this.stick.length; i += 2) {
      const from = Math.max(left, u.valToPos(this.stick[i], 'x', true));
      const to = Math.min(left + width, u.valToPos(this.stick[i + 1], 'x', true));
      if (to > from) ctx.fillRect(from, top, to - from, height);
    }
    ctx.restore();
  }

  /** @param {any} u */
  #cursor(u) {
    if (!Number.isFinite(this.now)) return;
    const x = Math.round(u.valToPos(this.now, 'x', true));
    const { ctx } = u;
    ctx.save();
    ctx.strokeStyle = colours().ink;
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, u.bbox.top);
    ctx.lineTo(x, u.bbox.top + u.bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  /** @param {any} u */
  #seekable(u) {
    const { seek } = this.options;
    if (!seek) return;
    const to = (/** @type {PointerEvent} */ e) => seek(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x'));
    u.over.addEventListener('pointerdown', (/** @type {PointerEvent} */ e) => {
      u.over.setPointerCapture(e.pointerId);
      to(e);
    });
    u.over.addEventListener('pointermove', (/** @type {PointerEvent} */ e) => {
      if (e.buttons & 1) to(e);
    });
  }

  #resize() {
    const width = Math.floor(this.holder.clientWidth);
    if (!this.data || width < 50) return;
    if (!this.plot) this.#make(width);
    else if (this.plot.width !== width) this.plot.setSize({ width, height: this.plot.height });
  }

  /**
   * Draws other data; in hairlines where the next follow at once, which takes a fifth of the time without a graphics card.
   * @param {any[]} data @param {Float64Array | number[]} [stick] @param {boolean} [quick]
   */
  set(data, stick = [], quick = false) {
    this.options.lines.forEach((l, i) => {
      if (this.plot) this.plot.series[i + 1].width = quick ? Math.min(1, l.width ?? 1.5) : (l.width ?? 1.5);
    });
    this.data = data;
    this.stick = stick;
    this.late = Boolean(this.plot) && !this.seen;
    if (!this.plot) this.#resize();
    else if (this.seen) this.plot.setData(data);
  }

  /** @param {number} t */
  seek(t) {
    if (t === this.now) return;
    this.now = t;
    if (this.seen) this.plot?.redraw(false, false);
    else this.late = Boolean(this.plot);
  }

  /** Drawn anew in the colours of the page. */
  recolour() {
    this.plot?.destroy();
    this.plot = null;
    this.#resize();
  }

  destroy() {
    this.observer.disconnect();
    sight.unobserve(this.holder);
    this.plot?.destroy();
  }

  canvas() {
    this.flush();
    return /** @type {HTMLCanvasElement | undefined} */ (this.plot?.ctx.canvas);
  }
}

/** A curve y against x that may turn back: a phase plane, a loop. */
export class Plane {
  /** @param {{title: string, xLabel: string, yLabel: string}} options */
  constructor(options) {
    this.options = options;
    this.canvas = h('canvas', { role: 'img', 'aria-label': options.title });
    // The point that moves has a sheet of its own.
    this.front = h('canvas', { class: 'front', 'aria-hidden': 'true' });
    this.box = h('div', { class: 'plot plane' },
      h('div', { class: 'plot-head' }, h('span', { class: 'plot-title' }, options.title)), h('div', { class: 'sheets' }, this.canvas, this.front));
    this.done = false;
    /** @type {{x: ArrayLike<number>, y: ArrayLike<number>}[]} */
    this.curves = [];
    this.at = NaN;
    /** @type {ArrayLike<number>} */
    this.t = [];
    this.observer = new ResizeObserver(() => requestAnimationFrame(() => this.draw()));
    this.observer.observe(this.box);
    this.seen = true;
    watch(this.box, (seen) => {
      this.seen = seen;
      if (seen) this.draw();
    });
  }

  /**
   * What is drawn at the next `seek`.
   * @param {ArrayLike<number>} t @param {{x: ArrayLike<number>, y: ArrayLike<number>}[]} curves @param {boolean} [quick]
   */
  set(t, curves, quick = false) {
    this.quick = quick;
    this.t = t;
    this.curves = curves;
    this.done = false;
  }

  /** @type {{px: (x: number) => number, py: (y: number) => number} | null} */
  #map = null;

  /** @param {number} t */
  seek(t) {
    this.at = t;
    this.draw();
  }

  recolour() {
    this.done = false;
    this.draw();
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const width = Math.floor(this.canvas.clientWidth * ratio);
    const height = Math.floor(this.canvas.clientHeight * ratio);
    if (!width || !height || !this.curves.length || !this.seen) return;
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.done = false;
      for (const sheet of [this.canvas, this.front]) Object.assign(sheet, { width, height });
    }
    if (!this.done) this.#background(/** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d')), width, height, ratio);
    this.done = true;
    const ctx = /** @type {CanvasRenderingContext2D} */ (this.front.getContext('2d'));
    ctx.clearRect(0, 0, width, height);
    if (!Number.isFinite(this.at) || !this.#map) return;
    const i = below(this.t, this.at);
    const c = colours();
    this.curves.forEach((curve, k) => {
      const map = this.#map;
      if (!map) return;
      ctx.beginPath();
      ctx.arc(map.px(curve.x[i]), map.py(curve.y[i]), 4.5 * ratio, 0, 7);
      ctx.fillStyle = c.series[k % 6];
      ctx.fill();
      ctx.lineWidth = 1.5 * ratio;
      ctx.strokeStyle = c.paper;
      ctx.stroke();
    });
  }

  /** @param {CanvasRenderingContext2D} ctx @param {number} width @param {number} height @param {number} ratio */
  #background(ctx, width, height, ratio) {
    const c = colours();
    const [left, right, top, bottom] = [58, 12, 8, 40].map((p) => p * ratio);
    const [x0, x1] = extent(this.curves.map((k) => k.x));
    const [y0, y1] = extent(this.curves.map((k) => k.y));
    const px = (/** @type {number} */ x) => left + ((x - x0) / (x1 - x0)) * (width - left - right);
    const py = (/** @type {number} */ y) => height - bottom - ((y - y0) / (y1 - y0)) * (height - top - bottom);
    this.#map = { px, py };
    ctx.clearRect(0, 0, width, height);
    ctx.font = FONT.replace('12px', `${12 * ratio}px`);
    ctx.fillStyle = c.soft;
    ctx.strokeStyle = c.grid;
    ctx.lineWidth = ratio;
    ctx.textAlign = 'center';
    for (const x of ticks(x0, x1, width / ratio / 90)) {
      line(ctx, px(x), top, px(x), height - bottom);
      ctx.fillText(short(x), px(x), height - bottom + 15 * ratio);
    }
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    for (const y of ticks(y0, y1, height / ratio / 45)) {
      line(ctx, left, py(y), width - right, py(y));
      ctx.fillText(short(y), left - 6 * ratio, py(y));
    }
    ctx.textAlign = 'center';
    ctx.textBaseline = 'alphabetic';
    ctx.fillText(this.options.xLabel, (left + width - right) / 2, height - 7 * ratio);
    ctx.save();
    ctx.translate(11 * ratio, (top + height - bottom) / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.fillText(this.options.yLabel, 0, 0);
    ctx.restore();
    ctx.lineWidth = this.quick ? 1 : 1.5 * ratio;
    ctx.lineJoin = 'round';
    this.curves.forEach((curve, k) => {
      ctx.strokeStyle = c.series[k % 6];
      ctx.beginPath();
      for (let i = 0; i < curve.x.length; i++) ctx.lineTo(px(curve.x[i]), py(curve.y[i]));
      ctx.stroke();
    });
  }

  destroy() {
    this.observer.disconnect();
    sight.unobserve(this.box);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {number} a @param {number} b @param {number} c @param {number} d */
function line(ctx, a, b, c, d) {
  ctx.beginPath();
  ctx.moveTo(Math.round(a) + 0.5, Math.round(b) + 0.5);
  ctx.lineTo(Math.round(c) + 0.5, Math.round(d) + 0.5);
  ctx.stroke();
}

/** The range of values with a margin. @param {ArrayLike<number>[]} all @returns {[number, number]} */
export function extent(all) {
  let [low, high] = [Infinity, -Infinity];
  for (const values of all) {
    for (let i = 0; i < values.length; i++) {
      const v = values[i];
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  if (!(high >= low)) return [-1, 1];
  const pad = (high - low || Math.abs(high) || 1) * 0.06;
  return [low - pad, high + pad];
}

/** The last index whose time is not after `t`. @param {ArrayLike<number>} times @param {number} t */
export function below(times, t) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
