(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const boxes = new Map([...document.querySelectorAll("input[data-point]")].map((box) => [Number(box.dataset.point), box]));
  const chosen = () => [...boxes].filter(([, box]) => box.checked).map(([point]) => point).slice(0, data.most);
  const valueOf = (figure, point) => (data.figures[figure.key][point] || [])[0];

  // The course of the chosen points.
  const linesOf = (metric) => chosen().map((point, k) => {
    const course = data.courses[point];
    return { label: data.labels[point], color: data.colors[k % data.colors.length],
      points: course.series[metric.key].map((value, i) => [(i + 0.5) * course.step, value]) };
  });
  const drawCourses = charts.courses(data.metrics, 1, [0, data.seconds], data.warmup_s, linesOf);
  const repaint = () => {
    const points = chosen();
    boxes.forEach((box, point) => {
      const k = points.indexOf(point);
      box.nextElementSibling.style.background = k < 0 ? "transparent" : data.colors[k % data.colors.length];
    });
    drawCourses();
  };
  const pick = (point) => {
    const box = boxes.get(point);
    if (!box) return;
    if (!box.checked && chosen().length >= data.most) boxes.get(chosen()[0]).checked = false;
    box.checked = !box.checked;
    repaint();
  };
  boxes.forEach((box) => box.addEventListener("change", repaint));
  document.getElementById("none").addEventListener("click", () => { boxes.forEach((box) => { box.checked = false; }); repaint(); });

  // Figures over the setting that runs along the curves.
  const whole = [0, 1];
  let range = whole.slice();
  const figure = charts.options("figure", data.figure_names, 0, () => drawFigures());
  const zoom = (wanted) => { range = wanted || whole.slice(); drawFigures(); };
  document.getElementById("all-figures").addEventListener("click", () => zoom(null));

  function drawFigures() {
    const wanted = figure();
    const lines = data.curves.map((curve, k) => ({
      label: curve.label, color: data.colors[k % data.colors.length], dots: true, strong: new Set(curve.best),
      points: curve.points.map((point) => [data.places[data.at[point]], ...(data.figures[wanted.key][point] || []), point])
        .filter((p) => p.length === 4),
    }));
    const nearest = (v) => data.places.reduce((best, p, i) => (Math.abs(p - v) < Math.abs(data.places[best] - v) ? i : best), 0);
    charts.draw(document.getElementById("curves"), {
      name: wanted.name, unit: wanted.unit, kind: wanted.kind, range, lines, zoom, pick, axis: data.axis, legend: true,
      ticks: data.places.map((p, i) => [p, data.values[i]]),
      headOf: (v) => `${data.axis} = ${data.values[nearest(v)]}`,
    });
    drawMap(wanted);
  }

  // The same figure as a map, where more than one setting varies.
  function drawMap(wanted) {
    const box = document.getElementById("map");
    box.hidden = data.curves.length < 2;
    if (box.hidden) return;
    const known = data.labels.map((_, point) => valueOf(wanted, point)).filter((v) => v !== undefined);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const [size, bytes] = charts.unitOf(wanted.kind, high);
    const whole = charts.widthOf(box), left = whole / 6, width = whole - left - 12, cell = width / data.values.length, row = 26;
    const svg = charts.make("svg", { viewBox: `0 0 ${whole} ${data.curves.length * row + 64}`, role: "img", "aria-label": wanted.name });
    svg.appendChild(charts.make("text", { x: left, y: 14 }, `dark ${charts.plain(high / size)}, light ${charts.plain(low / size)} ${bytes || wanted.unit}`));
    const tip = charts.tipOf(box);
    data.curves.forEach((curve, k) => {
      const top = 22 + k * row;
      svg.appendChild(charts.make("text", { x: left - 10, y: top + 17, "text-anchor": "end" }, curve.label));
      curve.points.forEach((point) => {
        const value = valueOf(wanted, point);
        if (value === undefined) return;
        const share = high > low ? (value - low) / (high - low) : 0.5;
        const best = curve.best.includes(point);
        const rect = charts.make("rect", { class: "cell", x: left + data.at[point] * cell + 1, y: top + 1, width: cell - 2, height: row - 2,
          fill: `rgb(${Math.round(236 - 236 * share)},${Math.round(242 - 128 * share)},${Math.round(247 - 69 * share)})`,
          stroke: best ? "#d55e00" : "none", "stroke-width": 2.5 });
        rect.addEventListener("pointermove", (event) => {
          tip.textContent = `${data.labels[point]}: ${charts.plain(value / size)} ${bytes || wanted.unit}`;
          tip.style.top = "0";
          charts.place(box, tip, event);
        });
        rect.addEventListener("click", () => pick(point));
        svg.appendChild(rect);
      });
    });
    const bottom = 22 + data.curves.length * row + 16, every = Math.ceil(data.values.length * 62 / width);
    data.values.forEach((text, i) => {
      if (i % every === 0) svg.appendChild(charts.make("text", { x: left + (i + 0.5) * cell, y: bottom, "text-anchor": "middle" }, text));
    });
    svg.appendChild(charts.make("text", { x: left + width / 2, y: bottom + 18, "text-anchor": "middle", style: "font-weight:600" }, data.axis));
    svg.addEventListener("pointerleave", () => { tip.style.display = "none"; });
    box.replaceChildren(svg, tip);
  }

  window.addEventListener("resize", drawFigures);
  drawFigures();
  repaint();
})();
