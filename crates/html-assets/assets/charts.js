// Charts of lines over a common axis, by uPlot: a frame with a legend that tells values, hover, zoom, keys, paper.
const charts = (() => {
  const living = new Set();
  const DASHES = [[], [7, 4], [2, 3]];
  // On paper everything is drawn twice as large and shown half as large, so that it is sharp.
  let enlarged = 1;
  const px = (length) => length * enlarged;
  const PAPER_WIDTH = 690;

  // The style of the line with this number; `swatch` shows it, as the program's tables do.
  const styleOf = (number) => ({ ink: `line-${(number % 10) + 1}`, dash: DASHES[number % 3], number });
  const swatch = (number) => node("span", { class: `swatch line-${(number % 10) + 1} dash-${number % 3}` });

  // Numbers along an axis, with as many digits as tell them apart.
  const tick = (value) => String(Number(value.toFixed(3))).replace(/\B(?=(\d{3})+(?!\d))/g, (at, group, place, text) => (text.includes(".") && place > text.indexOf(".") ? "" : ","));
  const axis = (more) => ({
    stroke: () => ink("muted"), grid: { stroke: () => ink("grid"), width: px(1) }, ticks: { show: false }, gap: px(5),
    font: `${px(12)}px ${getComputedStyle(document.body).fontFamily}`, labelFont: `600 ${px(12)}px ${getComputedStyle(document.body).fontFamily}`, ...more,
  });
  // Names of places on an axis, those left out that would lie on the one before.
  const spaced = (plot, places, names) => {
    let free = -Infinity;
    return places.map((place, k) => {
      const at = plot.valToPos(place, "x"), half = px(names[k].length * 3.6 + 5);
      if (at - half < free) return "";
      free = at + half;
      return names[k];
    });
  };
  // Where a line has its next number.
  const near = (values, at) => {
    for (let off = 0; off < values.length; off++) {
      if (typeof values[at - off] === "number") return at - off;
      if (typeof values[at + off] === "number") return at + off;
    }
    return -1;
  };

  // A chart in a box. `show` takes what to draw:
  //   name, unit, key, height
  //   lines: [{ label, ink, dash, number, width, fill, quiet, dots, strong, halves }]: a quiet line is not in the legend;
  //     strong: indices of larger dots; halves: half-widths of intervals
  //   data: a list of places along the axis, then one of values for each line, null where there is none
  //   x: { range(), ticks: [[place, name]] or none, label, say(place) }, y: { range() } where it is not what is seen
  //   say(value); now(): index of what the legend tells while the pointer is elsewhere; mark: end of a shaded beginning
  //   zoom(range or null); click(place, index, height); keys: whether it can be walked through by keyboard; sync: name of a group
  class Chart {
    constructor(box) {
      this.legend = node("span", { class: "legend" });
      this.title = node("span");
      this.place = node("div", { class: "plot" });
      this.frame = node("figure", { class: "chart" }, node("figcaption", {}, this.title, this.legend), this.place);
      box.append(this.frame);
      this.place.addEventListener("keydown", (event) => this.key(event));
      this.watcher = new ResizeObserver(() => this.resize());
      this.watcher.observe(this.place);
      living.add(this);
    }
    show(spec) {
      this.spec = spec;
      this.frame.dataset.figure = spec.key;
      this.frame.setAttribute("aria-label", `${spec.name}${spec.unit ? `, ${spec.unit}` : ""}`);
      this.frame.setAttribute("role", "group");
      this.title.replaceChildren(spec.name, ...(spec.unit ? [node("span", { class: "unit" }, spec.unit)] : []));
      this.at = spec.zoom || spec.keys ? node("span", { class: "at" }) : null;
      const told = spec.lines.filter((line) => !line.quiet);
      this.values = new Map(told.map((line) => [line, node("output")]));
      const entry = (line) => node("span", { class: "entry" }, line.number === undefined ? null : swatch(line.number), line.label ? `${line.label} ` : "", this.values.get(line));
      this.legend.replaceChildren(...told.map(entry), ...(this.at ? [this.at] : []));
      if (spec.keys) {
        for (const [name, value] of [["tabindex", 0], ["role", "slider"], ["aria-label", spec.name], ["aria-valuemin", 0]]) this.place.setAttribute(name, value);
      }
      this.build();
    }
    build() {
      const { spec } = this;
      if (this.plot) this.plot.destroy();
      const line = (one) => ({
        stroke: () => (one.stroke ? one.stroke() : ink(one.ink)), width: px(one.width ?? 1.8), dash: one.dash.map(px), spanGaps: one.spanGaps ?? true,
        fill: one.fill, points: { show: one.dots === true, size: px(6), fill: () => ink(one.ink), stroke: () => ink("paper"), width: px(1) },
      });
      const { ticks, label } = spec.x;
      const below = ticks ? { splits: () => ticks.map(([at]) => at), values: (plot, places) => spaced(plot, places, places.map((place) => ticks.find(([at]) => at === place)[1])) }
        : { values: (_, places) => places.map((s) => `${tick(s)} s`), space: px(70) };
      this.plot = new uPlot({
        width: px(this.width()), height: px(spec.height), legend: { show: false }, padding: [px(8), px(18), 0, 0],
        cursor: { y: false, points: { show: spec.zoom !== undefined, size: px(6) }, sync: spec.sync ? { key: spec.sync } : undefined,
          drag: { x: spec.zoom !== undefined, y: false, setScale: false }, bind: { dblclick: () => () => { spec.zoom?.(null); } } },
        scales: { x: { time: false, range: () => spec.x.range() }, y: { range: (_, low, high) => (spec.y ? spec.y.range() : seen(low, high)) } },
        axes: [axis({ size: px(label ? 30 : 26), label, labelSize: px(20), ...below }), axis({ size: px(58), space: px(34), values: (_, ticks) => ticks.map(tick) })],
        series: [{}, ...spec.lines.map(line)],
        hooks: { drawClear: [(plot) => shaded(plot, spec.mark)], draw: [(plot) => marks(plot, spec.lines)], setCursor: [() => this.tell()],
          setSelect: [(plot) => this.selected(plot)] },
      }, spec.data, this.place);
      if (spec.click) {
        this.plot.over.addEventListener("click", (event) => {
          const { left, idx } = this.plot.cursor;
          if (left >= 0 && !this.justZoomed) spec.click(this.plot.posToVal(left, "x"), idx, event.offsetY);
          this.justZoomed = false;
        });
      }
      this.tell();
    }
    width() { return document.documentElement.classList.contains("printing") ? Math.min(PAPER_WIDTH, this.spec.paperWidth ?? PAPER_WIDTH) : Math.max(this.place.clientWidth, 100); }
    // Other numbers, the same lines.
    set(data) {
      this.spec.data = data;
      this.plot.setData(data, true);
      this.tell();
    }
    rescale() { this.set(this.spec.data); }
    resize() {
      const width = this.place.clientWidth;
      if (width > 0 && this.plot && enlarged === 1 && width !== this.plot.width) this.plot.setSize({ width, height: this.spec.height });
    }
    selected(plot) {
      const { left, width } = plot.select, [from, to] = [left, left + width].map((at) => plot.posToVal(at, "x"));
      plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      if (width < 6) return;
      this.justZoomed = true;
      this.spec.zoom([from, to]);
    }
    // Tells the values where the pointer is, or now.
    tell() {
      if (!this.plot) return;
      const { spec } = this, cursor = this.plot.cursor, away = cursor.left === undefined || cursor.left < 0 || cursor.idx === null || cursor.idx === undefined;
      const index = away ? spec.now?.() : cursor.idx, words = [];
      spec.lines.forEach((line, k) => {
        const out = this.values.get(line), values = spec.data[k + 1];
        if (!out) return;
        const own = index === undefined || index < 0 ? -1 : near(values, index);
        const half = own >= 0 && line.halves ? line.halves[own] : null;
        out.textContent = own < 0 ? "" : spec.say(values[own]) + (typeof half === "number" ? ` ± ${spec.say(half)}` : "");
        if (own >= 0) words.push(`${line.label} ${out.textContent}`.trim());
      });
      if (this.at) this.at.textContent = away ? "" : spec.x.say(spec.data[0][index]);
      if (!spec.keys) {
        this.place.setAttribute("role", "img");
        this.place.setAttribute("aria-label", `${spec.name}: ${words.join(", ")} ${spec.unit || ""}`);
        return;
      }
      this.place.setAttribute("aria-valuemax", spec.data[0].length - 1);
      this.place.setAttribute("aria-valuenow", away ? 0 : index);
      this.place.setAttribute("aria-valuetext", away ? "arrow keys walk through the values" : `${this.at.textContent}: ${words.join(", ")} ${spec.unit || ""}`);
    }
    // Keys: arrows walk, with shift in larger steps; plus and minus zoom; escape shows all; return chooses.
    key(event) {
      const { spec, plot } = this;
      if (!spec?.keys || event.ctrlKey || event.metaKey || event.altKey) return;
      const xs = spec.data[0], [from, to] = spec.x.range(), step = event.shiftKey ? 10 : 1;
      const inside = (at) => Math.min(Math.max(at, xs.findIndex((x) => x >= from)), xs.findLastIndex((x) => x <= to));
      const here = plot.cursor.left >= 0 && plot.cursor.idx !== null ? plot.cursor.idx : null;
      const walk = (at) => plot.setCursor({ left: plot.valToPos(xs[inside(at)], "x"), top: 0 });
      const zoom = (share) => {
        const middle = here === null ? (from + to) / 2 : xs[here], half = ((to - from) / 2) * share;
        spec.zoom?.([middle - half, middle + half]);
      };
      const does = { ArrowRight: () => walk(here === null ? 0 : here + step), ArrowLeft: () => walk(here === null ? xs.length - 1 : here - step),
        Home: () => walk(0), End: () => walk(xs.length - 1), "+": () => zoom(0.5), "-": () => zoom(2), Escape: () => spec.zoom?.(null),
        Enter: () => { if (here !== null) spec.click?.(xs[here], here, null); } }[event.key];
      if (!does) return;
      event.preventDefault();
      event.stopPropagation();
      does();
    }
    end() {
      if (this.plot) this.plot.destroy();
      this.watcher.disconnect();
      this.frame.remove();
      living.delete(this);
    }
  }

  // From nought, or the least, to somewhat more than the most.
  const seen = (low, high) => {
    const [bottom, top] = [Math.min(low ?? 0, 0), high ?? 1];
    return [bottom, top > bottom ? top + (top - bottom) * 0.06 : bottom + 1];
  };
  function shaded(plot, mark) {
    if (!(mark > 0)) return;
    const { ctx, bbox } = plot;
    const end = Math.min(Math.max(plot.valToPos(mark, "x", true), bbox.left), bbox.left + bbox.width);
    ctx.save();
    ctx.fillStyle = ink("card");
    ctx.fillRect(bbox.left, bbox.top, end - bbox.left, bbox.height);
    ctx.restore();
  }
  // Intervals, and the points that stand out.
  function marks(plot, lines) {
    const { ctx, bbox } = plot, ratio = enlarged * (devicePixelRatio || 1);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top - 4 * ratio, bbox.width, bbox.height + 8 * ratio);
    ctx.clip();
    lines.forEach((line, k) => {
      if (!line.halves && !line.strong) return;
      const values = plot.data[k + 1], at = (x, y) => [plot.valToPos(x, "x", true), plot.valToPos(y, "y", true)];
      ctx.strokeStyle = ink(line.ink);
      ctx.fillStyle = ink(line.ink);
      values.forEach((value, i) => {
        if (typeof value !== "number") return;
        const half = line.halves?.[i], [x, y] = at(plot.data[0][i], value), cap = 3.5 * ratio;
        if (half > 0) {
          const [top, bottom] = [value + half, value - half].map((v) => at(0, v)[1]);
          ctx.lineWidth = 1.2 * ratio;
          ctx.beginPath();
          ctx.moveTo(x, top); ctx.lineTo(x, bottom);
          for (const end of [top, bottom]) { ctx.moveTo(x - cap, end); ctx.lineTo(x + cap, end); }
          ctx.stroke();
        }
        if (line.strong?.has(i)) { ctx.beginPath(); ctx.arc(x, y, 6 * ratio, 0, 2 * Math.PI); ctx.fill(); }
      });
    });
    ctx.restore();
  }

  const rebuild = () => { ink.forget(); for (const chart of living) if (chart.spec) chart.build(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", rebuild);
  const paper = (on) => () => { enlarged = on ? 2 : 1; document.documentElement.classList.toggle("printing", on); rebuild(); };
  addEventListener("beforeprint", paper(true));
  addEventListener("afterprint", paper(false));

  return { Chart, styleOf, swatch, tick, all: () => [...living] };
})();
