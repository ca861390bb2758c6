(() => {
  const shown = data.runs.map(() => true);
  const draw = courses((metric) => data.runs.flatMap((run, number) => (shown[number] ? [{
    number, label: run.label, step: run.step, values: run.series[metric.key], limit: metric.key === "innodb_checkpoint_age" ? run.limit : 0,
  }] : [])));
  document.querySelectorAll("input[data-run]").forEach((box) => box.addEventListener("change", () => {
    shown[Number(box.dataset.run)] = box.checked;
    draw();
  }));
  draw();
})();
