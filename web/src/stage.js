// The animation: what moves, what it rubs on, and the forces that decide between stick and slip.
import { colours, h, plain, short } from './dom.js';
import { below } from './plots.js';

/** @typedef {{kind: string, about: any, t: Float64Array, column: (name: string) => Float64Array | undefined, stick: number[][], scale: [number, number], back?: (pixels: number) => number}} Motion */

/** A picture of the model at one instant. */
export class Stage {
  constructor() {
    this.canvas = h('canvas', { class: 'stage', role: 'img', 'aria-label': 'The model in motion' });
    this.state = h('output', { class: 'state', 'aria-live': 'off' });
    this.box = h('div', { class: 'stage-box' }, this.canvas, this.state);
    /** @type {Motion | null} */
    this.motion = null;
    this.at = 0;
    this.surface = 0;
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** What is drawn at the next `seek`. @param {Motion} motion */
  set(motion) {
    this.motion = motion;
  }

  /** @param {number} t */
  seek(t) {
    this.at = t;
    this.draw();
  }

  draw() {
    const m = this.motion;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!m || !width || !height) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const ctx = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const pen = new Pen(ctx, width, height);
    const i = between(m.t, this.at);
    if (m.kind === 'network') network(pen, m, i);
    else if (m.kind === 'impact') impact(pen, m, i);
    else if (m.kind === 'cascade') cascade(pen, m, i);
    else oscillator(pen, m, i);
    this.state.textContent = words(m, i);
  }
}

/** A place between two samples: index and share. @param {Float64Array} t @param {number} at */
function between(t, at) {
  const i = below(t, at);
  const next = Math.min(i + 1, t.length - 1);
  const share = next > i && t[next] > t[i] ? Math.min(1, Math.max(0, (at - t[i]) / (t[next] - t[i]))) : 0;
  return { i, next, share, at };
}

/** @typedef {ReturnType<typeof between>} Spot */

/** @param {Float64Array | undefined} column @param {Spot} s @param {number} [otherwise] */
function value(column, s, otherwise = 0) {
  if (!column) return otherwise;
  const [a, b] = [column[s.i], column[s.next]];
  const v = a + (b - a) * s.share;
  return Number.isFinite(v) ? v : otherwise;
}

/** @param {number[]} stick @param {number} t */
export function sticks(stick, t) {
  for (let i = 0; i + 1 < stick.length; i += 2) if (t >= stick[i] && t < stick[i + 1]) return true;
  return stick.length > 1 && t >= stick[stick.length - 1] && stick[stick.length - 1] === t;
}

/** What happens at an instant. @param {Motion} m @param {Spot} s */
function words(m, s) {
  const parts = [`t = ${s.at.toFixed(2)} s`];
  const x = m.column('x');
  if (x) parts.push(`x = ${short(value(x, s), 3)} m`);
  if (m.kind === 'oscillator') parts.push(sticks(m.stick[0] ?? [], s.at) ? 'sticks' : 'slips');
  if (m.kind === 'cascade' || m.kind === 'network') {
    const held = m.stick.filter((k) => sticks(k, s.at)).length;
    if (m.stick.length) parts.push(`${held} of ${m.stick.length} contacts stick`);
  }
  return parts.join('   ');
}

/** Draws the things that models are made of. */
class Pen {
  /** @param {CanvasRenderingContext2D} ctx @param {number} width @param {number} height */
  constructor(ctx, width, height) {
    this.ctx = ctx;
    this.width = width;
    this.height = height;
    this.c = colours();
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour @param {number} [wide] */
  line(x0, y0, x1, y1, colour, wide = 1.5) {
    const { ctx } = this;
    ctx.strokeStyle = colour;
    ctx.lineWidth = wide;
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.lineTo(x1, y1);
    ctx.stroke();
  }

  /** @param {number} x0 @param {number} x1 @param {number} y @param {number} [size] @param {string} [colour] */
  spring(x0, x1, y, size = 7, colour = this.c.soft) {
    const { ctx } = this;
    const turns = 9;
    const lead = Math.min(10, Math.abs(x1 - x0) / 6) * Math.sign(x1 - x0 || 1);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5;
    ctx.lineJoin = 'round';
    ctx.beginPath();
    ctx.moveTo(x0, y);
    ctx.lineTo(x0 + lead, y);
    for (let k = 0; k < turns; k++) {
      const at = x0 + lead + ((x1 - x0 - 2 * lead) * (k + 0.5)) / turns;
      ctx.lineTo(at, y + (k % 2 ? size : -size));
    }
    ctx.lineTo(x1 - lead, y);
    ctx.lineTo(x1, y);
    ctx.stroke();
  }

  /** A surface whose marks have moved by `shift` (px). @param {number} y @param {number} shift @param {number} [x0] @param {number} [x1] */
  ground(y, shift, x0 = 0, x1 = this.width) {
    const { ctx } = this;
    this.line(x0, y, x1, y, this.c.ink, 1.5);
    ctx.save();
    ctx.beginPath();
    ctx.rect(x0, y, x1 - x0, 10);
    ctx.clip();
    const gap = 12;
    const first = (((shift % gap) + gap) % gap) - gap;
    for (let x = x0 + first; x < x1 + gap; x += gap) this.line(x + 8, y, x, y + 9, this.c.soft, 1);
    ctx.restore();
  }

  /** @param {number} x @param {number} y @param {number} w @param {number} tall @param {boolean} stuck @param {string} [label] */
  block(x, y, w, tall, stuck, label) {
    const { ctx } = this;
    ctx.fillStyle = stuck ? this.c.stick : this.c.paper;
    ctx.strokeStyle = this.c.accent;
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.roundRect(x - w / 2, y - tall, w, tall, 4);
    ctx.fill();
    ctx.stroke();
    if (label) this.text(label, x, y - tall / 2 + 4, this.c.ink, 'center', '600 12px');
  }

  /** @param {string} text @param {number} x @param {number} y @param {string} colour @param {CanvasTextAlign} [align] @param {string} [font] */
  text(text, x, y, colour, align = 'center', font = '12px') {
    const { ctx } = this;
    ctx.font = `${font} system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif`;
    ctx.textAlign = align;
    ctx.fillStyle = colour;
    ctx.fillText(plain(text), x, y);
  }

  /** @param {number} x @param {number} y @param {number} length @param {string} colour */
  arrow(x, y, length, colour) {
    if (Math.abs(length) < 2) return;
    const { ctx } = this;
    const s = Math.sign(length);
    const head = Math.min(8, Math.abs(length));
    this.line(x, y, x + length - s * head * 0.6, y, colour, 3);
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.moveTo(x + length, y);
    ctx.lineTo(x + length - s * head, y - 5);
    ctx.lineTo(x + length - s * head, y + 5);
    ctx.fill();
  }
}

/** From metres to pixels. @param {Motion} m @param {Pen} pen @param {number} left @param {number} right */
function ruler(m, pen, left, right) {
  const [low, high] = m.scale;
  m.back = (pixels) => low + ((pixels - left) / (pen.width - left - right)) * (high - low);
  return (/** @type {number} */ x) => left + ((x - low) / (high - low)) * (pen.width - left - right);
}

/** @param {Pen} pen @param {Motion} m @param {Spot} s */
function oscillator(pen, m, s) {
  const { c, height, width } = pen;
  const floor = height - 62;
  // Room for the spring at its longest and at its shortest.
  const edge = width < 500 ? 36 : 50;
  const share = m.about.need ?? 0;
  const reach = Math.min(0.62 * width, (1.1 * share * (width - 2 * edge) + 84) / (1 + 1.1 * share));
  const side = m.about.pull ?? 1;
  const sprung = m.about.need !== undefined;
  const px = ruler(m, pen, edge + (sprung && side < 0 ? reach : 0), edge + (sprung && side > 0 ? reach : 0));
  const stuck = sticks(m.stick[0] ?? [], s.at);
  const x = value(m.column('x'), s);
  const model = m.about.model.oscillator ?? {};
  const pixels = px(1) - px(0);
  const moved = m.about.belt ? value(m.about.belt, s) * pixels : 0;
  pen.ground(floor, moved);
  const [w, tall] = [54, 44];
  if (sprung) {
    const end = px(value(m.column('drive'), s)) + side * reach;
    const y = floor - tall / 2;
    pen.spring(px(x) + side * (w / 2), end, y);
    pen.line(end, y - 26, end, y + 22, c.ink, 3);
    pen.text('d', end, y - 31, c.soft);
  }
  for (const [name, wall] of Object.entries({ lower: model.stops?.lower, upper: model.stops?.upper })) {
    if (wall === undefined || wall === null) continue;
    const at = px(wall) + (name === 'lower' ? -w / 2 : w / 2);
    pen.line(at, floor, at, floor - 60, c.ink, 3);
  }
  pen.block(px(x), floor, w, tall, stuck, 'm');
  gauge(pen, m, s, stuck);
}

/** The load against what friction holds: the heart of the matter. @param {Pen} pen @param {Motion} m @param {Spot} s @param {boolean} stuck */
function gauge(pen, m, s, stuck) {
  const { c, width, height } = pen;
  const [load, holds, resists] = ['load', 'holds', 'resists'].map((n) => value(m.column(n), s));
  const friction = -value(m.column('friction'), s);
  const most = m.about.most || 1;
  const middle = width / 2;
  const reach = Math.min(width / 2 - 70, 300);
  const at = (/** @type {number} */ f) => middle + Math.max(-1.04, Math.min(1.04, f / most)) * reach;
  const y = height - 26;
  pen.line(at(-most), y, at(most), y, c.line, 1);
  pen.ctx.fillStyle = c.stick;
  pen.ctx.fillRect(at(-holds), y - 7, at(holds) - at(-holds), 14);
  for (const [f, tall] of /** @type {[number, number][]} */ ([[holds, 10], [-holds, 10], [resists, 5], [-resists, 5]])) pen.line(at(f), y - tall, at(f), y + tall, c.soft, 1.5);
  pen.ctx.fillStyle = c.friction;
  const zero = at(0);
  pen.ctx.fillRect(Math.min(zero, at(friction)), y - 3.5, Math.abs(at(friction) - zero), 7);
  pen.ctx.fillStyle = c.ink;
  pen.ctx.beginPath();
  pen.ctx.moveTo(at(load), y - 6);
  pen.ctx.lineTo(at(load) - 5, y - 14);
  pen.ctx.lineTo(at(load) + 5, y - 14);
  pen.ctx.fill();
  if (width > 560) {
    pen.text('load ▾', at(-most) - 8, y - 3, c.ink, 'right', '11px');
    pen.text('friction', at(-most) - 8, y + 11, c.friction, 'right', '11px');
    pen.text(`±${short(holds, 3)} N`, at(most) + 8, y + 4, c.soft, 'left', '11px');
  } else pen.text(`load ▾ against friction, ±${short(holds, 3)} N`, middle, y + 22, c.soft, 'center', '11px');
  void stuck;
}

/** @param {Pen} pen @param {Motion} m @param {Spot} s */
function impact(pen, m, s) {
  const load = m.column('load');
  // A weight falls downwards.
  if (load && load[0] < 0 && load.every((f) => f === load[0])) return fall(pen, m, s);
  const { c, height, width } = pen;
  const floor = height - 28;
  const px = ruler(m, pen, 60, 60);
  const [w, tall] = [40, 40];
  pen.line(0, floor, width, floor, c.line, 1);
  for (const [name, side] of /** @type {[string, number][]} */ ([['lower', -1], ['upper', 1]])) {
    const wall = m.column(name);
    const at = value(wall, s, NaN);
    if (!Number.isFinite(at)) continue;
    const edge = px(at) + side * (w / 2);
    pen.ctx.save();
    pen.ctx.fillStyle = c.stick;
    pen.ctx.fillRect(side < 0 ? edge - 14 : edge, 44, 14, floor - 44);
    pen.ctx.restore();
    pen.line(edge, 44, edge, floor, c.ink, 3);
  }
  const x = px(value(m.column('x'), s));
  pen.block(x, floor, w, tall, false, 'm');
  const force = value(m.column('load'), s);
  if (m.about.most) pen.arrow(x, floor - tall - 14, (force / m.about.most) * 60, c.soft);
}

/** @param {Pen} pen @param {Motion} m @param {Spot} s */
function fall(pen, m, s) {
  const { c, height, width } = pen;
  const [low, high] = m.scale;
  const [floor, top, size] = [height - 20, 40, 26];
  const y = (/** @type {number} */ x) => floor - ((x - low) / (high - low)) * (floor - top);
  m.back = undefined;
  for (const [name, side] of /** @type {[string, number][]} */ ([['lower', 1], ['upper', -1]])) {
    const wall = value(m.column(name), s, NaN);
    if (!Number.isFinite(wall)) continue;
    if (side > 0) pen.ground(y(wall), 0);
    else pen.line(0, y(wall) - size, width, y(wall) - size, c.ink, 3);
  }
  const at = y(value(m.column('x'), s));
  pen.ctx.fillStyle = c.paper;
  pen.ctx.strokeStyle = c.accent;
  pen.ctx.lineWidth = 2;
  pen.ctx.beginPath();
  pen.ctx.arc(width / 2, at - size / 2, size / 2, 0, 7);
  pen.ctx.fill();
  pen.ctx.stroke();
}

/** @param {Pen} pen @param {Motion} m @param {Spot} s */
function cascade(pen, m, s) {
  const { c, height, width } = pen;
  const floor = height - 30;
  const elements = m.stick.length;
  const [wall, w, tall] = [24, 46, 44];
  const px = ruler(m, pen, width * 0.62, 60);
  pen.line(wall, 44, wall, floor, c.ink, 3);
  pen.ground(floor, 0, wall, width);
  const x = px(value(m.column('x'), s));
  const y = floor - tall / 2;
  // The row of elements between the wall and k₀: each a slider beside a spring; they stretch by w.
  const end = x - w / 2;
  const names = Array.from({ length: elements }, (_, k) => `w${k + 1}`);
  const stretch = names.map((n) => value(m.column(n), s));
  const gap = (width * 0.62 - 50 - wall) / (elements + 1);
  const pixels = px(1) - px(0);
  let at = wall;
  for (let k = elements - 1; k >= 0; k--) {
    const to = at + gap + Math.max(-0.5 * gap, Math.min(0.5 * gap, (stretch[k] * pixels) / 3));
    pen.spring(at, to, y - 9, 5);
    const stuck = sticks(m.stick[k], s.at);
    pen.line(at, y + 11, to, y + 11, c.line, 1.5);
    pen.ctx.fillStyle = stuck ? c.soft : c.friction;
    pen.ctx.fillRect((at + to) / 2 - 7, y + 5, 14, 12);
    pen.line(to, y - 14, to, y + 18, c.ink, 1.5);
    pen.text(String(k + 1), (at + to) / 2, y + 33, c.soft, 'center', '11px');
    at = to;
  }
  pen.spring(at, end, y);
  pen.block(x, floor, w, tall, false, 'm');
  const force = value(m.column('load'), s);
  if (m.about.most) pen.arrow(x, floor - tall - 14, (force / m.about.most) * 60, c.soft);
}

/** @param {Pen} pen @param {Motion} m @param {Spot} s */
function network(pen, m, s) {
  const { c, height, width } = pen;
  const { node = [], spring = [], slider = [], dashpot = [] } = m.about.model.network ?? {};
  const floor = height - 30;
  const moves = (/** @type {any} */ n) => (n.mass ?? n.inertia) > 0;
  // Names of what is held stand below the line of time and state.
  const top = 54;
  const free = node.filter(moves);
  const others = node.filter((/** @type {any} */ n) => !moves(n));
  const gap = width / (free.length + 1);
  const span = m.scale[1] - m.scale[0] || 1;
  const rubbing = new Map(slider.flatMap((/** @type {any} */ k, /** @type {number} */ i) => k.between.map((/** @type {string} */ b) => [b, i])));
  /** @type {Map<string, [number, number]>} */
  const place = new Map();
  const middle = (/** @type {string} */ name) => (m.column(`x_${name}`)?.[0] ?? 0);
  free.forEach((/** @type {any} */ n, /** @type {number} */ k) => {
    const x = value(m.column(`x_${n.name}`), s);
    const shift = m.about.drift ? x - m.about.drift(s) : x - middle(n.name);
    place.set(n.name, [gap * (k + 1) + Math.max(-0.42, Math.min(0.42, shift / span)) * gap, floor]);
  });
  others.forEach((/** @type {any} */ n, /** @type {number} */ k) => place.set(n.name, [(width / (others.length + 1)) * (k + 1), top]));
  pen.ground(floor, 0);
  const point = (/** @type {string} */ name) => place.get(name);
  for (const link of [...spring, ...dashpot]) {
    const [a, b] = link.between.map(point);
    if (!a || !b) continue;
    if (a[1] === b[1] && a[1] === floor) pen.spring(Math.min(a[0], b[0]) + 20, Math.max(a[0], b[0]) - 20, floor - 18, 5);
    else pen.line(a[0], a[1] === floor ? floor - 36 : a[1], b[0], b[1] === floor ? floor - 36 : b[1], c.line, 1.5);
  }
  for (const n of others) {
    const p = point(n.name);
    if (p) pen.text(n.name, p[0], p[1] - 8, c.soft);
  }
  if (others.length) pen.line(gap * 0.4, top, width - gap * 0.4, top, c.ink, 3);
  for (const n of free) {
    const p = point(n.name);
    const contact = rubbing.get(n.name);
    const stuck = contact !== undefined && sticks(m.stick[contact] ?? [], s.at);
    if (p) pen.block(p[0], p[1], Math.min(44, gap * 0.5), 36, stuck, n.name.length < 5 ? n.name : '');
  }
}

export { value };
