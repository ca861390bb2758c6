// Charts over time, by uPlot: a figure each, a line a run.
const plots = (() => {
  const LIMITS = [["async_age", "async", [4, 4]], ["sync_age", "sync", []]];
  const FIGURES = [
    { key: "tps", name: "Transactions per second", field: "tps", show: plain },
    { key: "latency", name: "Latency, 95th percentile, ms", field: "latency_ms_p95", show: plain },
    { key: "age", name: "InnoDB checkpoint age, MiB", field: "checkpoint_age", scale: 2 ** -20, show: plain, limits: true },
    { key: "flushed", name: "Pages flushed per second", field: "pages_flushed", show: plain, also: ["sync_pages", "of these by sync flushing"] },
    { key: "dirty", name: "Dirty pages", field: "dirty_pages", show: plain },
    { key: "queue", name: "Device queue, operations", field: "device_queue", show: plain },
  ];
  const tick = (value) => String(Number(value.toFixed(3))).replace(/\B(?=(\d{3})+(?!\d))/g, (at, group, place, text) => (text.includes(".") && place > text.indexOf(".") ? "" : ","));
  let drawn = [];

  const axis = (more) => ({
    stroke: () => ink("muted"), grid: { stroke: () => ink("grid"), width: 1 }, ticks: { show: false },
    font: `12px ${getComputedStyle(document.body).fontFamily}`, ...more,
  });
  const series = (figure, runs) => {
    const list = [{}];
    runs.forEach((run, k) => {
      list.push({ label: RUN_NAMES[k], stroke: () => ink(RUN_INKS[k]), width: 1.8, dash: RUN_DASHES[k], points: { show: false } });
      if (figure.also) list.push({ label: `${RUN_NAMES[k]}, sync`, stroke: "transparent", fill: () => `${ink(RUN_INKS[k])}66`, width: 0, points: { show: false } });
    });
    if (figure.limits) runs.forEach((_, k) => LIMITS.forEach(([, name, dash]) => list.push({ label: name, width: 1.2, dash, points: { show: false },
      stroke: () => (runs.length > 1 ? `${ink(RUN_INKS[k])}99` : ink("limit")) })));
    return list;
  };
  const dataOf = (figure, runs, seconds, until) => {
    const length = Math.max(0, Math.min(until, Math.max(...runs.map((run) => run.rows.length)))), scale = figure.scale || 1;
    const xs = Array.from({ length }, (_, k) => k + 1);
    const column = (run, field) => {
      const index = engine.index(field);
      return xs.map((_, k) => (k < run.rows.length ? run.rows[k][index] * scale : null));
    };
    const data = [xs];
    for (const run of runs) {
      data.push(column(run, figure.field));
      if (figure.also) data.push(column(run, figure.also[0]));
    }
    if (figure.limits) for (const run of runs) for (const [field] of LIMITS) data.push(column(run, field));
    return data;
  };
  // From nought to what the whole run reaches, so that the picture stands still while time goes on.
  const topOf = (figure, runs) => {
    const index = engine.index(figure.field), scale = figure.scale || 1;
    let most = 0;
    for (const run of runs) for (const row of run.rows) most = Math.max(most, row[index] * scale);
    if (figure.limits) for (const run of runs) for (const [field] of LIMITS) most = Math.max(most, run.rows.length ? run.at(1, field) * scale : 0);
    return most * 1.06 || 1;
  };

  function build(box, runs, seek) {
    for (const one of drawn) one.plot.destroy();
    box.replaceChildren();
    drawn = FIGURES.map((figure) => {
      const legend = node("span", { class: "now" }), place = node("div", { class: "plot" });
      const head = node("figcaption", {}, node("span", {}, figure.name), legend);
      const frame = node("figure", { class: "chart", "data-figure": figure.key }, head, place);
      box.append(frame);
      const one = { figure, legend, frame, top: 1 };
      one.plot = new uPlot({
        width: Math.max(place.clientWidth, 100), height: 150, legend: { show: false }, padding: [6, 16, 0, 0],
        cursor: { y: false, sync: { key: "all" }, drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false, range: () => [0, Math.max(runs[0].seconds(), 1)] }, y: { range: () => [0, one.top] } },
        axes: [axis({ size: 26, space: 70, values: (_, ticks) => ticks.map((s) => `${s} s`) }),
          axis({ size: 56, space: 34, values: (_, ticks) => ticks.map(tick) })],
        series: series(figure, runs),
      }, dataOf(figure, runs, 0, 0), place);
      one.plot.over.addEventListener("click", () => {
        const at = one.plot.posToVal(one.plot.cursor.left, "x");
        if (Number.isFinite(at)) seek(at);
      });
      one.place = place;
      return one;
    });
  }
  function update(runs, time) {
    const second = Math.floor(time);
    for (const one of drawn) {
      one.top = topOf(one.figure, runs);
      one.plot.setData(dataOf(one.figure, runs, 0, second), true);
      one.legend.replaceChildren(...runs.map((run, k) => {
        const row = Math.min(second, run.rows.length);
        const text = row > 0 ? one.figure.show(run.at(row, one.figure.field) * (one.figure.scale || 1)) : "–";
        return node("span", { class: `value ${RUN_INKS[k]}` }, runs.length > 1 ? `${RUN_NAMES[k]} ${text}` : text);
      }));
    }
  }
  function resize() {
    for (const one of drawn) {
      const width = one.place.clientWidth;
      if (width > 0 && width !== one.plot.width) one.plot.setSize({ width, height: 150 });
    }
  }
  return { build, update, resize, FIGURES };
})();
