// Charts over time: a figure each, a line a run.
const plots = (() => {
  const LIMITS = [["async_age", [4, 4]], ["sync_age", []]];
  const FIGURES = [
    { key: "tps", name: "Transactions per second", field: "tps" },
    { key: "latency", name: "Latency, 95th percentile", unit: "ms", field: "latency_ms_p95" },
    { key: "age", name: "InnoDB checkpoint age", unit: "MiB", field: "checkpoint_age", scale: 2 ** -20, limits: true },
    { key: "flushed", name: "Pages flushed per second", field: "pages_flushed", shaded: "sync_pages", hint: "shaded: by sync flushing" },
    { key: "dirty", name: "Dirty pages", field: "dirty_pages" },
    { key: "queue", name: "Device queue", unit: "operations", field: "device_queue" },
  ];
  const HEIGHT = 150;
  let drawn = [];

  const linesOf = (figure, runs) => {
    const own = runs.flatMap((_, k) => [
      { ...charts.styleOf(k), label: runs.length > 1 ? RUN_NAMES[k] : "", spanGaps: false },
      ...(figure.shaded ? [{ ...charts.styleOf(k), quiet: true, width: 0, stroke: () => "transparent", fill: () => `${ink(RUN_INKS[k])}66` }] : []),
    ]);
    const limits = figure.limits ? runs.flatMap((_, k) => LIMITS.map(([, dash]) => ({ dash, quiet: true, width: 1.2, ink: "limit",
      stroke: () => (runs.length > 1 ? `${ink(RUN_INKS[k])}99` : ink("limit")) }))) : [];
    return [...own, ...limits];
  };
  const dataOf = (figure, runs, until) => {
    const length = Math.max(0, Math.min(until, Math.max(...runs.map((run) => run.rows.length)))), scale = figure.scale || 1;
    const xs = Array.from({ length }, (_, k) => k + 1);
    const column = (run, field) => {
      const index = engine.index(field);
      return xs.map((_, k) => (k < run.rows.length ? run.rows[k][index] * scale : null));
    };
    const own = runs.flatMap((run) => [column(run, figure.field), ...(figure.shaded ? [column(run, figure.shaded)] : [])]);
    const limits = figure.limits ? runs.flatMap((run) => LIMITS.map(([field]) => column(run, field))) : [];
    return [xs, ...own, ...limits];
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
    for (const one of drawn) one.chart.end();
    drawn = FIGURES.map((figure) => {
      const one = { figure, top: 1, chart: new charts.Chart(box) };
      const hints = [figure.unit, figure.hint].filter(Boolean).join("; ");
      one.chart.show({
        name: figure.name, key: figure.key, unit: hints, height: HEIGHT, paperWidth: 320, say: plain, sync: "time",
        lines: linesOf(figure, runs), data: dataOf(figure, runs, 0), now: () => one.chart.spec.data[0].length - 1,
        x: { range: () => [0, Math.max(...runs.map((run) => run.seconds()), 1)] }, y: { range: () => [0, one.top] },
        click: (second) => { if (Number.isFinite(second)) seek(second); },
      });
      return one;
    });
  }
  function update(runs, time) {
    for (const one of drawn) {
      one.top = topOf(one.figure, runs);
      one.chart.set(dataOf(one.figure, runs, Math.floor(time)));
    }
  }
  return { build, update, FIGURES };
})();
