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
const grouped = (number) => Math.round(number).toLocaleString("en-US");
const plain = (value) => {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return "–";
  return size >= 100 || Number.isInteger(value) ? grouped(value) : value.toFixed(size >= 10 ? 1 : size >= 0.095 ? 2 : 3);
};
const mib = (bytes) => {
  const m = bytes / 2 ** 20;
  return m >= 1024 ? `${plain(m / 1024)} GiB` : `${plain(m)} MiB`;
};
const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
// What the style sheet says, for what is drawn on a canvas; read again when the scheme changes.
const ink = (() => {
  let cache = {};
  const forget = () => { cache = {}; };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", forget);
  return (name) => cache[name] ??= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
})();
const RUN_INKS = ["run-a", "run-b", "run-c"];
const RUN_NAMES = ["A", "B", "C"];
// Dashes tell runs apart where colours don't.
const RUN_DASHES = [[], [7, 4], [2, 3]];

// A canvas as sharp as the screen; gives its context with units of CSS pixels.
function sharp(canvas) {
  const scale = Math.min(devicePixelRatio || 1, 3), box = canvas.getBoundingClientRect();
  const [width, height] = [Math.max(1, Math.round(box.width)), Math.max(1, Math.round(box.height))];
  if (canvas.width !== width * scale || canvas.height !== height * scale) {
    canvas.width = width * scale;
    canvas.height = height * scale;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return { pen, width, height };
}
