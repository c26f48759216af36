(function () {
  'use strict';
  document.documentElement.classList.add('has-js');
  var NS = 'http://www.w3.org/2000/svg', W, H, L = 74, R = 14, T = 12, B = 50;

  function add(into, tag, attributes, text) {
    var e = document.createElementNS(into.namespaceURI === NS || tag === 'svg' ? NS : into.namespaceURI, tag);
    for (var k in attributes) e.setAttribute(k, attributes[k]);
    if (text !== undefined) e.textContent = text;
    into.appendChild(e);
    return e;
  }
  function said(v, digits) {
    return v === null ? '\u2013' : String(+v.toPrecision(digits || 10)).replace(/-/g, '\u2212');
  }
  function ticks(a, b) {
    var raw = (b - a) / 6, p = Math.pow(10, Math.floor(Math.log10(raw))), m = raw / p;
    var step = (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * p, out = [];
    for (var k = Math.ceil(a / step - 1e-9); k * step <= b + 1e-9 * step; k++) out.push(k * step);
    return out;
  }
  // Marks of bifurcations, around 0.
  var shapes = ['M0-6L6 5H-6Z', 'M-5-5H5V5H-5Z', 'M0-6L6 0L0 6L-6 0Z', 'M-6-2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z', 'M0 6L6-5H-6Z', 'M-5 0A5 5 0 1 0 5 0A5 5 0 1 0-5 0Z'];

  function explore(box) {
    var d = JSON.parse(document.getElementById(box.dataset.branches).textContent);
    var n = d.columns.length, all = [], special = [], kinds = [];
    // A row: the columns, whether it is stable, the bifurcation, the multipliers.
    d.branches.forEach(function (rows, b) {
      rows.forEach(function (r, i) {
        var p = { b: b, i: i, r: r, kind: r[n + 1] };
        all.push(p);
        if (!p.kind) return;
        special.push(p);
        if (kinds.indexOf(p.kind) < 0) kinds.push(p.kind);
      });
    });
    var shown = 1, at = all[0], view, whole, marker;
    function name(k) { return d.columns[k][0] + (d.columns[k][1] ? ' (' + d.columns[k][1] + ')' : ''); }

    var top = add(box, 'p', { 'class': 'pick' });
    var label = add(top, 'label', {}, 'Show ');
    var pick = add(label, 'select', {});
    d.columns.forEach(function (c, k) {
      if (k > 0 && all.some(function (p) { return p.r[k] !== null; })) add(pick, 'option', { value: k }, name(k));
    });
    var both = add(box, 'div', { 'class': 'both' });
    var left = add(both, 'div', { 'class': 'curve' });
    var plot = add(left, 'div', {});
    var side = add(both, 'div', { 'class': 'orbit' });
    var live = add(box, 'p', { 'class': 'unseen', 'aria-live': 'polite' });

    function extent() {
      var a = [Infinity, Infinity], b = [-Infinity, -Infinity];
      all.forEach(function (p) {
        [p.r[0], p.r[shown]].forEach(function (v, k) {
          if (v !== null) { a[k] = Math.min(a[k], v); b[k] = Math.max(b[k], v); }
        });
      });
      var room = 0.05 * (b[1] - a[1]) || 0.05 * Math.abs(b[1]) || 1;
      if (!(b[0] > a[0])) { a[0] -= 1; b[0] += 1; }
      return [a[0], b[0], a[1] - room, b[1] + room];
    }
    function px(v) { return L + (W - L - R) * (v - view[0]) / (view[1] - view[0]); }
    function py(v) { return H - B - (H - B - T) * (v - view[2]) / (view[3] - view[2]); }
    function ink(k) { return 'var(--k' + k % 6 + ')'; }
    function inside(p) {
      var v = p.r[0], y = p.r[shown];
      return y !== null && v >= view[0] && v <= view[1] && y >= view[2] && y <= view[3];
    }

    function draw() {
      plot.textContent = '';
      W = Math.max(320, plot.clientWidth);
      H = Math.max(280, 0.62 * W);
      var svg = add(plot, 'svg', { viewBox: '0 0 ' + W + ' ' + H, tabindex: 0, role: 'application',
        'aria-label': name(shown) + ' of the orbits over ' + name(0) + '. Arrow keys move along a branch and between branches, Page Up and Page Down between bifurcations, plus and minus zoom, Escape shows all.' });
      var clip = 'c' + box.dataset.branches;
      add(add(add(svg, 'defs', {}), 'clipPath', { id: clip }), 'rect', { x: L, y: T, width: W - L - R, height: H - B - T });
      ticks(view[0], view[1]).forEach(function (v) {
        add(svg, 'path', { 'class': 'grid', d: 'M' + px(v) + ' ' + T + 'V' + (H - B) });
        add(svg, 'text', { x: px(v), y: H - B + 18, 'text-anchor': 'middle' }, said(v));
      });
      ticks(view[2], view[3]).forEach(function (v) {
        add(svg, 'path', { 'class': 'grid', d: 'M' + L + ' ' + py(v) + 'H' + (W - R) });
        add(svg, 'text', { x: L - 7, y: py(v) + 4, 'text-anchor': 'end' }, said(v));
      });
      add(svg, 'text', { x: (L + W - R) / 2, y: H - 8, 'text-anchor': 'middle' }, name(0));
      add(svg, 'text', { transform: 'translate(14 ' + (H - B + T) / 2 + ')rotate(-90)', 'text-anchor': 'middle' }, name(shown));
      var g = add(svg, 'g', { 'clip-path': 'url(#' + clip + ')' });
      d.branches.forEach(function (rows, b) {
        var paths = ['', ''], last = -1;
        for (var i = 1; i < rows.length; i++) {
          var p = rows[i - 1], q = rows[i];
          if (p[shown] === null || q[shown] === null) { last = -1; continue; }
          // Dashes go on over the points.
          var k = p[n] ? 0 : 1;
          paths[k] += (k === last ? '' : 'M' + px(p[0]) + ' ' + py(p[shown])) + 'L' + px(q[0]) + ' ' + py(q[shown]);
          last = k;
        }
        paths.forEach(function (path, unstable) {
          if (path) add(g, 'path', { d: path, style: 'stroke:' + ink(b), 'class': unstable ? 'line loose' : 'line' });
        });
      });
      special.forEach(function (p) {
        if (p.r[shown] !== null) mark(g, p.kind, px(p.r[0]), py(p.r[shown]));
      });
      // Not clipped: at the edge of the range it is whole.
      marker = add(svg, 'circle', { r: 7, 'class': 'here' });
      listen(svg);
      place();
    }
    function mark(into, kind, x, y) {
      var k = kinds.indexOf(kind);
      add(into, 'path', { d: shapes[k % 6], transform: 'translate(' + x + ' ' + y + ')', style: 'fill:' + ink(k + 1), 'class': 'mark' });
    }
    function place() {
      var y = at.r[shown];
      var cx = px(at.r[0]), cy = py(y);
      var inside = y !== null && cx >= L - 1 && cx <= W - R + 1 && cy >= T - 1 && cy <= H - B + 1;
      marker.setAttribute('cx', cx);
      marker.setAttribute('cy', inside ? cy : -99);
    }

    function tell(quiet) {
      side.textContent = '';
      add(side, 'h2', {}, at.kind || (at.r[n] ? 'stable orbit' : 'unstable orbit'));
      var list = add(side, 'dl', {});
      function line(what, value) { add(list, 'dt', {}, what.replace(/\./g, '.\u200b')); add(list, 'dd', {}, value); }
      d.columns.forEach(function (c, k) { line(name(k), said(at.r[k])); });
      line('stable', at.r[n] ? 'yes' : 'no');
      line('branch', at.b + 1 + ', orbit ' + (at.i + 1) + ' of ' + d.branches[at.b].length);
      var mu = at.r[n + 2];
      mu.forEach(function (m, k) {
        var im = m[1] ? (m[1] < 0 ? ' \u2212 ' : ' + ') + said(Math.abs(m[1]), 7) + ' i' : '';
        if (!k) add(list, 'dt', {}, mu.length > 1 ? 'multipliers' : 'multiplier');
        add(list, 'dd', { 'class': 'both-columns' }, said(m[0], 7) + im);
      });
      circle(mu);
      if (!quiet) live.textContent = (at.kind ? at.kind + ', ' : '') + name(0) + ' ' + said(at.r[0], 6) + ', ' + name(shown) + ' ' + said(at.r[shown], 6) + (at.r[n] ? ', stable' : ', unstable');
    }
    function circle(mu) {
      if (!mu.length) return;
      var most = mu.reduce(function (a, m) { return Math.max(a, Math.hypot(m[0], m[1])); }, 1.1), s = 62 / most;
      var svg = add(side, 'svg', { viewBox: '-70 -70 140 140', 'class': 'unit', role: 'img', 'aria-label': 'The multipliers and the unit circle' });
      add(svg, 'path', { 'class': 'grid', d: 'M-68 0H68M0-68V68' });
      add(svg, 'circle', { r: s, 'class': 'rim' });
      mu.forEach(function (m) { add(svg, 'circle', { cx: s * m[0], cy: -s * m[1], r: 4, style: 'fill:' + ink(Math.hypot(m[0], m[1]) > 1 ? 1 : 0) }); });
    }
    function choose(p, quiet) {
      if (!p || p === at && side.firstChild) return;
      at = p;
      if (!inside(at)) { view = whole.slice(); draw(); }
      place();
      tell(quiet);
    }

    // The orbit of a branch whose value is nearest to the present one.
    function beside(b) {
      var best = null;
      all.forEach(function (p) {
        if (p.b === b && (!best || Math.abs(p.r[0] - at.r[0]) < Math.abs(best.r[0] - at.r[0]))) best = p;
      });
      return best;
    }
    function along(by) {
      var last = d.branches[at.b].length - 1, i = Math.max(0, Math.min(last, at.i + by));
      return all[all.indexOf(at) + i - at.i];
    }
    function zoom(by) {
      var c = [at.r[0], at.r[shown]];
      view = view.map(function (v, k) { var m = c[k >> 1]; return m === null ? v : m + (v - m) * by; });
      draw();
      plot.firstChild.focus();
    }
    function bifurcation(by) {
      var here = all.indexOf(at);
      var beyond = special.filter(function (p) { return by * (all.indexOf(p) - here) > 0; });
      return by > 0 ? beyond[0] || special[0] : beyond.pop() || special[special.length - 1];
    }
    function keys(e) {
      var far = e.shiftKey ? 10 : 1, to;
      if (e.key === 'ArrowRight') to = along(far);
      else if (e.key === 'ArrowLeft') to = along(-far);
      else if (e.key === 'Home') to = along(-Infinity);
      else if (e.key === 'End') to = along(Infinity);
      else if (e.key === 'ArrowUp' || e.key === 'ArrowDown') to = beside((at.b + (e.key === 'ArrowUp' ? 1 : d.branches.length - 1)) % d.branches.length);
      else if (e.key === 'PageDown' || e.key === 'PageUp') to = bifurcation(e.key === 'PageDown' ? 1 : -1);
      else if (e.key === '+' || e.key === '=') zoom(0.5);
      else if (e.key === '-') zoom(2);
      else if (e.key === 'Escape') { view = whole.slice(); draw(); plot.firstChild.focus(); }
      else return;
      e.preventDefault();
      choose(to);
    }

    function listen(svg) {
      var from = null, frame;
      function point(e) {
        var r = svg.getBoundingClientRect();
        return [(e.clientX - r.left) * W / r.width, (e.clientY - r.top) * H / r.height];
      }
      function value(q) {
        return [view[0] + (q[0] - L) / (W - L - R) * (view[1] - view[0]), view[2] + (H - B - q[1]) / (H - B - T) * (view[3] - view[2])];
      }
      svg.addEventListener('keydown', keys);
      svg.addEventListener('pointermove', function (e) {
        var q = point(e);
        if (from) {
          frame = frame || add(svg, 'rect', { 'class': 'frame' });
          ['x', 'y'].forEach(function (k, i) { frame.setAttribute(k, Math.min(q[i], from[i])); });
          ['width', 'height'].forEach(function (k, i) { frame.setAttribute(k, Math.abs(q[i] - from[i])); });
          return;
        }
        var best = null, least = 60 * 60;
        all.forEach(function (p) {
          if (!inside(p)) return;
          var far = Math.pow(px(p.r[0]) - q[0], 2) + Math.pow(py(p.r[shown]) - q[1], 2) - (p.kind ? 30 : 0);
          if (far < least) { least = far; best = p; }
        });
        choose(best, true);
      });
      svg.addEventListener('pointerdown', function (e) { if (e.pointerType !== 'touch') from = point(e); });
      svg.addEventListener('pointerleave', function () { from = null; if (frame) frame.remove(); frame = null; });
      svg.addEventListener('pointerup', function (e) {
        var to = point(e), a = from;
        from = null;
        if (!a || Math.abs(to[0] - a[0]) < 8 || Math.abs(to[1] - a[1]) < 8) { if (frame) frame.remove(); frame = null; return; }
        var p = value(a), q = value(to);
        view = [Math.min(p[0], q[0]), Math.max(p[0], q[0]), Math.min(p[1], q[1]), Math.max(p[1], q[1])];
        draw();
      });
      svg.addEventListener('dblclick', function () { view = whole.slice(); draw(); });
    }

    function all_of() { whole = extent(); view = whole.slice(); draw(); }
    pick.addEventListener('change', function () { shown = +pick.value; all_of(); });
    all_of();
    tell(true);
    addEventListener('resize', draw);
    if (!special.length) return;
    var legend = add(left, 'ol', { 'class': 'marks' });
    special.forEach(function (p) {
      var button = add(add(legend, 'li', {}), 'button', { type: 'button' });
      mark(add(button, 'svg', { viewBox: '-8 -8 16 16', 'aria-hidden': 'true' }), p.kind, 0, 0);
      add(button, 'span', {}, p.kind + ' at ' + said(p.r[0]));
      button.addEventListener('click', function () { choose(p); });
    });
  }

  document.querySelectorAll('[data-branches]').forEach(explore);
})();
