(function () {
  'use strict';
  document.documentElement.classList.add('has-js');
  var night = matchMedia('(prefers-color-scheme: dark)');
  var uses = [], paper = false;

  function bytes(coded) {
    var text = atob(coded), out = new Uint8Array(text.length);
    for (var i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out.buffer;
  }
  function times(d) {
    if (d.t !== undefined) return new Float64Array(bytes(d.t));
    var out = new Float64Array(d.n);
    for (var i = 0; i < d.n; i++) out[i] = d.t0 + i * d.dt;
    return out;
  }
  function values(c) {
    var y = new Float32Array(bytes(c.y)), n = y.length, i;
    if (c.gaps) {
      // uPlot leaves a gap at null.
      var out = new Array(n);
      for (i = 0; i < n; i++) out[i] = isNaN(y[i]) ? null : y[i] + c.shift;
      return out;
    }
    var sum = new Float64Array(n);
    for (i = 0; i < n; i++) sum[i] = y[i] + c.shift;
    return sum;
  }
  function minus(s) { return String(s).replace('-', '\u2212'); }
  function digits(v) { return v == null ? '\u2013' : minus(parseFloat(v.toPrecision(6))); }

  function number(v) {
    var parts = minus(+v.toPrecision(12)).split('.');
    if (parts[0].length > 4) parts[0] = parts[0].replace(/\B(?=(\d{3})+$)/g, '\u2009');
    return parts.join('.');
  }
  function numbers(u, s) { return s.map(number); }
  // From the step on: label, then what is added below where year, month or day change.
  var under = '\n{D} {MMM} {YYYY}', day = 86400;
  var dates = [
    [365 * day, '{YYYY}', null, null, null, null, null, null, 1],
    [28 * day, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
    [day, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
    [60, '{HH}:{mm}', under, null, under, null, null, null, 1],
    [1, '{HH}:{mm}:{ss}', under, null, under, null, null, null, 1],
    [0.001, '{HH}:{mm}:{ss}.{fff}', under, null, under, null, null, null, 1]
  ];

  function build(box, d) {
    var old = box.plots || [], dark = night.matches && !paper ? 1 : 0, range = null;
    if (old.length) range = [old[0].scales.x.min, old[0].scales.x.max];
    old.forEach(function (u) { u.destroy(); });
    var css = getComputedStyle(document.documentElement);
    var fg = paper ? '#1b1f24' : css.getPropertyValue('--fg').trim();
    var line = paper ? '#d8dce2' : css.getPropertyValue('--line').trim();
    var group = uPlot.sync(box.dataset.plot);
    var clock = function (s) { return new Date((s + d.offset) * 1000); };
    var date = function (s) { return uPlot.tzDate(clock(s), 'Etc/UTC'); };
    var font = '13px system-ui,Arial,sans-serif';
    var gutter = 62;
    box.plots = d.panels.map(function (p, k) {
      var last = k + 1 === d.panels.length;
      var axis = { stroke: fg, font: font, labelFont: font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
      var x = Object.assign({ space: 64 }, axis, d.calendar ? { values: dates } : { values: numbers }, last && !d.calendar ? { label: d.time, labelSize: 22 } : {});
      if (!last) x = Object.assign(x, { size: 8, values: function (u, s) { return s.map(function () { return ''; }); } });
      var y = Object.assign({}, axis, { label: p.label, labelSize: 22, size: gutter, values: numbers });
      var series = [{ label: d.calendar ? 'time' : d.time, value: d.calendar ? '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' : function (u, v) { return digits(v); } }];
      p.curves.forEach(function (c) {
        series.push({
          label: c.label, stroke: c.ink[dark], width: c.dots ? 0 : c.width, spanGaps: false,
          paths: c.dots ? function () { return null; } : undefined,
          points: c.dots ? { show: true, size: c.width, fill: c.ink[dark], stroke: c.ink[dark] } : { size: 5 },
          value: function (u, v) { return digits(v); }
        });
      });
      return new uPlot({
        width: paper ? Math.min(box.clientWidth, 680) : box.clientWidth, height: p.height + (last ? 44 : 0), series: series, axes: [x, y],
        scales: { x: { time: d.calendar } }, tzDate: date,
        cursor: { sync: { key: group.key, setSeries: false }, drag: { x: true, y: false } },
        hooks: { ready: [touch], setCursor: [function (u) { box.classList.toggle('pointed', u.cursor.idx != null); }], drawAxes: [function (u) { shade(u, d.bands, dark); }], setScale: [function (u, key) { if (key === 'x') follow(box, u); }] }
      }, d.data(k), box);
    });
    if (range && range[0] != null) box.plots.forEach(function (u) { u.setScale('x', { min: range[0], max: range[1] }); });
  }

  // Two fingers zoom, one moves what was zoomed; a double tap shows all.
  function touch(u) {
    var over = u.over, held = null, all = u.data[0];
    over.style.touchAction = 'pan-y';
    function places(e) {
      var left = over.getBoundingClientRect().left;
      return Array.prototype.map.call(e.touches, function (t) { return t.clientX - left; });
    }
    function hold(e) {
      held = places(e).map(function (p) { return u.posToVal(p, 'x'); });
    }
    over.addEventListener('touchstart', hold, { passive: true });
    over.addEventListener('touchend', function (e) { if (e.touches.length) hold(e); else held = null; });
    over.addEventListener('touchmove', function (e) {
      var p = places(e), s = u.scales.x, width = over.clientWidth;
      if (!held || p.length !== held.length || p.length > 2) return;
      var slope = (s.max - s.min) / width;
      if (p.length === 2) {
        if (Math.abs(p[1] - p[0]) < 8) return;
        slope = (held[1] - held[0]) / (p[1] - p[0]);
        if (!(slope > 0)) return;
      }
      var min = held[0] - slope * p[0], max = min + slope * width;
      var first = all[0], last = all[all.length - 1];
      if (p.length === 1 && (min < first || max > last)) return;
      if (e.cancelable) e.preventDefault();
      u.setScale('x', { min: Math.max(min, first), max: Math.min(max, last) });
    }, { passive: false });
  }

  // All panels show the same stretch of time, however it was chosen.
  function follow(box, from) {
    if (box.busy || !box.plots) return;
    box.busy = true;
    box.plots.forEach(function (u) {
      var s = from.scales.x;
      if (u !== from && (u.scales.x.min !== s.min || u.scales.x.max !== s.max)) u.setScale('x', { min: s.min, max: s.max });
    });
    box.busy = false;
  }

  function shade(u, bands, dark) {
    var c = u.ctx, b = u.bbox, s = u.scales.x, end = -1;
    c.save();
    c.fillStyle = dark ? 'rgba(154,163,176,0.18)' : 'rgba(107,115,128,0.16)';
    for (var i = 0; i < bands.length; i++) {
      if (bands[i][1] < s.min || bands[i][0] > s.max) continue;
      var from = Math.max(u.valToPos(bands[i][0], 'x', true), b.left, end);
      var to = Math.min(u.valToPos(bands[i][1], 'x', true), b.left + b.width);
      if (to > from) { c.fillRect(from, b.top, to - from, b.height); end = to; }
    }
    c.restore();
  }

  document.querySelectorAll('[data-plot]').forEach(function (box) {
    var d = JSON.parse(document.getElementById(box.dataset.plot).textContent);
    var t = times(d);
    var decoded = d.panels.map(function (p) { return [t].concat(p.curves.map(values)); });
    d.panels.forEach(function (p) { p.curves.forEach(function (c) { c.y = null; }); });
    d.data = function (k) { return decoded[k]; };
    build(box, d);
    uses.push([box, d]);
    new ResizeObserver(function () {
      box.plots.forEach(function (u) { if (u.width !== box.clientWidth && box.clientWidth > 0) u.setSize({ width: paper ? Math.min(box.clientWidth, 680) : box.clientWidth, height: u.height }); });
    }).observe(box);
  });
  var rebuild = function () { uses.forEach(function (use) { build(use[0], use[1]); }); };
  night.addEventListener('change', rebuild);
  // Paper is light, and narrow.
  addEventListener('beforeprint', function () { paper = true; rebuild(); });
  addEventListener('afterprint', function () { paper = false; rebuild(); });
})();
