"use strict";
(() => {
  // On a narrow screen the reason stands below the rest, and slips, residual and sketch are left out.
  const narrow = matchMedia("(max-width: 46em)");
  let HEIGHT = 42;
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";
  const level = Object.fromEntries([...letters].map((c, i) => [c, i]));
  const find = (id) => document.getElementById(id);
  const [box, space, head] = [find("rows"), find("space"), find("head")];
  const heads = [["status", null], ["bearing", 0], ["f<sub>s</sub>/K, mm (95 %)", 4], ["f<sub>s</sub>, kN", 16], ["change", 7], ["slips", 9], ["rms, mm", 10], ["displacement", null], ["reason", null]];
  // Without a bearing stiffness no force is known.
  find("table").classList.toggle("forceless", DATA.every((d) => d[16] === null));
  let shown = DATA, sorted = null, falling = true;
  const text = (x) => String(x ?? "").replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const number = (x, digits) => (x === null ? "" : Number(x).toPrecision(digits));
  const spark = (s) => {
    if (!s) return "";
    let lines = [[]];
    [...s].forEach((c, i) => (c === "-" ? lines.push([]) : lines[lines.length - 1].push(`${2 * i},${30 - level[c] * 0.45}`)));
    return `<svg width="125" height="34" aria-hidden="true">${lines.filter((l) => l.length).map((l) => `<polyline points="${l.join(" ")}"/>`).join("")}</svg>`;
  };
  const row = (d, i) => {
    const name = text(d[1] || d[0]);
    const percent = d[7] === null ? "" : `${d[7] > 1 ? "+" : ""}${(100 * (d[7] - 1)).toFixed(0)} %`;
    const interval = (low, high) => (low === null ? "" : `${number(low, 3)} to ${number(high, 3)}`);
    const before = d[13] === null ? "" : `<small title="before the change">${number(d[13], 3)} (${interval(d[14], d[15])})</small> → `;
    const title = d[5] === null ? "" : `95 %: ${interval(d[5], d[6])} mm`;
    const own = d[4] === null ? "" : `${before}${number(d[4], 3)}<small> (${interval(d[5], d[6])})</small>`;
    const force = d[16] === null ? "" : `95 %: ${interval(d[17], d[18])} kN`;
    return `<div class="row" role="row" style="top:${i * HEIGHT}px"><span class="${d[2]}">${d[2]}</span>` +
      `<span title="${text(d[0])}">${d[12] ? `<a href="${text(encodeURI(d[12]))}">${name}</a>` : name}</span>` +
      `<span class="n" title="${title}">${own}</span><span class="n" title="${force}">${number(d[16], 3)}</span><span class="n" title="${text(d[8])}">${percent}</span>` +
      `<span class="n">${d[9] ?? ""}</span><span class="n">${number(d[10], 3)}</span><span>${spark(d[11])}</span>` +
      `<span class="why" title="${text(d[3])}">${text(d[3])}</span></div>`;
  };
  const draw = () => {
    HEIGHT = narrow.matches ? 116 : 42;
    space.style.height = `${shown.length * HEIGHT}px`;
    const first = Math.max(0, Math.floor(box.scrollTop / HEIGHT) - 5);
    const count = Math.ceil(box.clientHeight / HEIGHT) + 10;
    space.innerHTML = shown.slice(first, first + count).map((d, i) => row(d, first + i)).join("");
  };
  const choose = () => {
    const wanted = new Set([...document.querySelectorAll("#filters input:checked")].map((x) => x.value));
    const words = find("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (d) => wanted.has(d[2]) && words.every((w) => `${d[0]} ${d[1]} ${d[3]}`.toLowerCase().includes(w));
    shown = DATA.filter(fits);
    if (sorted !== null) {
      const sign = falling ? -1 : 1;
      const by = (a, b) => (a === null) - (b === null) || (a < b ? -1 : a > b ? 1 : 0) * sign;
      shown = [...shown].sort((a, b) => by(a[sorted], b[sorted]));
    }
    find("count").textContent = `${shown.length} of ${DATA.length}`;
    box.scrollTop = 0;
    draw();
  };
  heads.forEach(([name, column]) => {
    const cell = document.createElement(column === null ? "span" : "button");
    cell.innerHTML = name;
    if (column !== null) {
      cell.title = "sort";
      cell.addEventListener("click", () => {
        falling = sorted === column ? !falling : true;
        sorted = column;
        choose();
      });
    }
    head.append(cell);
  });
  find("filters").addEventListener("input", choose);
  find("filters").addEventListener("submit", (e) => e.preventDefault());
  box.addEventListener("scroll", () => requestAnimationFrame(draw));
  addEventListener("resize", draw);
  choose();
})();
