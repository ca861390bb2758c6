(() => {
  const boxes = new Map([...document.querySelectorAll("input[data-point]")].map((box) => [Number(box.dataset.point), box]));
  const chosen = () => [...boxes].filter(([, box]) => box.checked).map(([point]) => point).slice(0, data.most);

  // The course of the chosen points.
  const drawCourses = courses((metric) => chosen().map((point, number) => {
    const { step, series } = data.courses[point];
    return { number, label: data.labels[point], step, values: series[metric.key], limit: 0 };
  }));
  const repaint = () => {
    const points = chosen();
    boxes.forEach((box, point) => {
      const number = points.indexOf(point);
      box.nextElementSibling.className = number < 0 ? "swatch" : charts.swatch(number).className;
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
  $("#none").addEventListener("click", () => { boxes.forEach((box) => { box.checked = false; }); repaint(); });

  // Figures over the setting that runs along the curves. Ends stay free, so that no dot is cut.
  const whole = [-0.02, 1.02], curves = new charts.Chart($("#curves"));
  let range = whole;
  const figure = choice("figure", data.figure_names, 0, () => drawFigures());
  const zoom = (wanted) => { range = within(wanted, whole); curves.rescale(); };
  $("#all-figures").addEventListener("click", () => zoom(null));

  function drawFigures() {
    const { key, name, unit, kind } = figure(), figures = data.figures[key];
    const [size, bytes] = unitOf(kind, largest([figures.map((one) => one?.[0])]));
    const say = (value) => plain(value);
    // For each curve the point at each place, if it has one.
    const at = data.curves.map((curve) => data.places.map((_, place) => curve.points.find((point) => data.at[point] === place)));
    const part = (points, k) => points.map((point) => { const v = figures[point]?.[k]; return typeof v === "number" ? v / size : null; });
    curves.show({
      name, key, unit: bytes || unit, height: 330, zoom, keys: true, say,
      lines: data.curves.map((curve, k) => ({ ...charts.styleOf(k), label: curve.label, dots: true, halves: part(at[k], 1),
        strong: new Set(curve.best.map((point) => data.at[point])) })),
      data: [data.places, ...at.map((points) => part(points, 0))],
      x: { range: () => range, ticks: data.places.map((place, i) => [place, data.values[i]]), label: data.axis, say: (place) => `${data.axis} = ${data.values[data.places.indexOf(place)]}` },
      // The curve that is nearest to the pointer; by keyboard, the first.
      click: (_, index, height) => {
        const there = at.map((points, k) => [points[index], curves.spec.data[k + 1][index]]).filter(([, value]) => typeof value === "number");
        const off = (value) => (height === null ? 0 : Math.abs(curves.plot.valToPos(value, "y") - height));
        const [point] = there.sort((a, b) => off(a[1]) - off(b[1]))[0] || [];
        if (point !== undefined) pick(point);
      },
    });
    drawMap(name, bytes || unit, size, figures);
  }

  // The same figure as a map, where more than one setting varies.
  function drawMap(name, unit, size, figures) {
    const box = $("#map");
    box.hidden = data.curves.length < 2;
    if (box.hidden) return;
    const known = figures.filter(Boolean).map(([value]) => value), [low, high] = [Math.min(...known), Math.max(...known)];
    const cell = (curve, place) => {
      const point = curve.points.find((one) => data.at[one] === place), value = figures[point]?.[0];
      if (typeof value !== "number") return node("td");
      const share = high > low ? (value - low) / (high - low) : 0.5, best = curve.best.includes(point);
      const words = `${data.labels[point]}: ${plain(value / size)} ${unit}${best ? ", the best of its row" : ""}`;
      const button = node("button", { type: "button", title: words, "aria-label": words, class: `${share > 0.55 ? "dark" : ""} ${best ? "best" : ""}`, onclick: () => pick(point) }, plain(value / size));
      button.style.setProperty("--share", share.toFixed(3));
      return node("td", {}, button);
    };
    box.replaceChildren(node("table", { class: "map" },
      node("caption", {}, `${name}${unit ? `, ${unit}` : ""}: the stronger the colour the more; framed: the best of each row`),
      node("thead", {}, node("tr", {}, node("th", {}, data.axis), ...data.values.map((value) => node("th", { scope: "col" }, value)))),
      node("tbody", {}, ...data.curves.map((curve) => node("tr", {}, node("th", { scope: "row" }, curve.label), ...data.values.map((_, place) => cell(curve, place)))))));
  }

  drawFigures();
  repaint();
})();
