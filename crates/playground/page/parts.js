// What the page says of sizes and times, and the looks of its runs.
const mib = (bytes) => {
  const m = bytes / 2 ** 20;
  return m >= 1024 ? `${plain(m / 1024)} GiB` : `${plain(m)} MiB`;
};
const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
const RUN_INKS = ["run-a", "run-b", "run-c"];
const RUN_NAMES = ["A", "B", "C"];

// A canvas as sharp as the screen, or as paper; gives its context with units of CSS pixels. Sizes are kept as they change: to ask
// for one after the text of the page has changed costs a layout of the page, sixty times a second.
const sharp = (() => {
  const sizes = new WeakMap(), measure = (canvas) => { const { width, height } = canvas.getBoundingClientRect(); return [width, height]; };
  const watcher = new ResizeObserver((entries) => { for (const { target, contentRect } of entries) sizes.set(target, [contentRect.width, contentRect.height]); });
  return (canvas) => {
    const printing = document.documentElement.classList.contains("printing"), scale = printing ? 3 : Math.min(devicePixelRatio || 1, 3);
    if (!sizes.has(canvas)) {
      sizes.set(canvas, measure(canvas));
      watcher.observe(canvas);
    }
    const [width, height] = sizes.get(canvas).map((length) => Math.max(1, Math.round(length)));
    if (canvas.width !== width * scale || canvas.height !== height * scale) {
      canvas.width = width * scale;
      canvas.height = height * scale;
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = `12px ${family()}`;
    return { pen, width, height };
  };
})();
const family = () => ink.family ??= getComputedStyle(document.body).fontFamily;
