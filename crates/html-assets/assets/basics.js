// Numbers and elements, as people read them.
const $ = (selector, within = document) => within.querySelector(selector);
const node = (name, attributes = {}, ...inside) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...inside.filter((part) => part !== null && part !== undefined));
  return made;
};
const wholes = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const grouped = (number) => wholes.format(Math.round(number));
const plain = (value) => {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return "–";
  return size >= 100 || Number.isInteger(value) ? grouped(value) : value.toFixed(size >= 10 ? 1 : size >= 0.095 ? 2 : 3);
};
const BYTES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];
// The unit for numbers up to the largest: its size and its name.
const unitOf = (kind, largest) => (kind === "bytes" ? BYTES.find(([size]) => largest >= size) || [1, "bytes"] : [1, ""]);
// What the style sheet says, for what is drawn on a canvas; read again when the scheme changes, and for paper.
const ink = (() => {
  let cache = {};
  const read = (name) => cache[name] ??= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  read.forget = () => { cache = {}; };
  return read;
})();
