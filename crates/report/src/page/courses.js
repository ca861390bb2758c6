// What reports share: selects of metrics, and two charts over seconds that show the same stretch.
const data = JSON.parse($("#data").textContent);

// A select of metrics, with one of them chosen.
const choice = (id, metrics, chosen, change) => {
  const select = $(`#${id}`);
  metrics.forEach((metric, m) => select.add(new Option(metric.name, m, m === chosen, m === chosen)));
  select.addEventListener("change", change);
  return () => metrics[select.value];
};
// A range within another one; null for the whole.
const within = (wanted, [low, high]) => (wanted ? [Math.max(wanted[0], low), Math.min(wanted[1], high)] : [low, high]);
const largest = (lines) => lines.reduce((most, line) => line.reduce((m, v) => (typeof v === "number" ? Math.max(m, v) : m), most), 0);
const scaled = (values, size) => (size === 1 ? values : values.map((v) => (typeof v === "number" ? v / size : v)));

// linesOf(metric): [{ number, label, step, values, limit }], a value for each step of seconds.
function courses(linesOf) {
  const whole = [0, data.seconds];
  let range = whole;
  const each = [["metric", "chart1", 0], ["second", "chart2", 1]].map(([id, box, first]) => ({
    metric: choice(id, data.metrics, first, () => draw()), chart: new charts.Chart($(`#${box}`)),
  }));
  const zoom = (wanted) => { range = within(wanted, whole); each.forEach(({ chart }) => chart.rescale()); };
  function draw() {
    each.forEach(({ metric, chart }) => {
      const { key, name, unit, kind } = metric(), lines = linesOf(metric());
      const [size, bytes] = unitOf(kind, largest([...lines.map((line) => line.values), lines.map((line) => line.limit)]));
      const tables = lines.map((line) => [line.values.map((_, k) => (k + 0.5) * line.step), scaled(line.values, size)]);
      const [xs, ...values] = tables.length ? uPlot.join(tables) : [whole];
      const limits = lines.filter((line) => line.limit > 0);
      chart.show({
        name, key, unit: bytes || unit, height: 290, mark: data.warmup_s, zoom, keys: true, sync: "courses", say: plain,
        lines: [
          ...lines.map((line) => ({ ...charts.styleOf(line.number), label: line.label })),
          ...limits.map((line) => ({ ...charts.styleOf(line.number), dash: [2, 4], width: 1.2, quiet: true })),
        ],
        data: [xs, ...values, ...limits.map((line) => xs.map(() => line.limit / size))],
        x: { range: () => range, say: (second) => `${grouped(second)} s` },
      });
    });
  }
  $("#all").addEventListener("click", () => zoom(null));
  return draw;
}
