(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const shown = data.runs.map(() => true);
  const linesOf = (metric) => data.runs.filter((_, r) => shown[r]).map((run) => ({
    label: run.label, color: run.color,
    limit: metric.key === "innodb_checkpoint_age" ? run.limit : 0,
    points: run.series[metric.key].map((value, k) => [(k + 0.5) * run.step, value]),
  }));
  const draw = charts.courses(data.metrics, 1, [0, data.seconds], data.warmup_s, linesOf);
  document.querySelectorAll("input[data-run]").forEach((box) => box.addEventListener("change", () => {
    shown[Number(box.dataset.run)] = box.checked;
    draw();
  }));
  draw();
})();
