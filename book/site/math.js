// Sets the mathematics of the guide: blocks ```math by KaTeX with its fonts (and as MathML for screen readers),
// and symbols in the text, such as f_s or h^{3/2}, with real sub- and superscripts.
(() => {
  "use strict";
  const main = document.querySelector("main");
  if (!main) return;

  for (const code of main.querySelectorAll("code.language-math")) {
    const shown = document.createElement("div");
    shown.className = "formula";
    katex.render(code.textContent, shown, { displayMode: true, output: "htmlAndMathml", throwOnError: false });
    (code.closest("pre") || code).replaceWith(shown);
  }

  const index = "\\{[^{}]+\\}|[\\p{L}0-9½∞]+";
  const symbol = new RegExp(
    `(?<![\\p{L}_])([\\p{L}]\\u0304?|[)\\d])(?:_(${index})(?:\\^(${index}|[+−′]))?|\\^(\\{[^{}]+\\}|[\\p{L}0-9∞]))`, "gu");
  const left = new Set(["CODE", "PRE", "MATH", "SCRIPT", "STYLE", "SUB", "SUP"]);
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => {
    if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
    return left.has(node.tagName.toUpperCase()) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  });
  const nodes = [];
  while (texts.nextNode()) nodes.push(texts.currentNode);

  const raised = (name, text) => {
    const element = document.createElement(name);
    element.textContent = text.startsWith("{") ? text.slice(1, -1) : text;
    return element;
  };
  for (const node of nodes) {
    const pieces = [];
    let end = 0;
    for (const found of node.data.matchAll(symbol)) {
      const [all, base, below, above, alone] = found;
      pieces.push(node.data.slice(end, found.index) + base);
      if (below) pieces.push(raised("sub", below));
      if (above || alone) pieces.push(raised("sup", above || alone));
      end = found.index + all.length;
    }
    if (pieces.length) node.replaceWith(...pieces, node.data.slice(end));
  }
})();
