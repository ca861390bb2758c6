// Charts of lines over a common axis: hover, zoom, intervals. Everything on the page is drawn with it.
const charts = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const H = 330, LEFT = 76, RIGHT = 12, TOP = 30, BOTTOM = 30;
  // A chart on a phone has fewer, larger units.
  const widthOf = (box) => (box.clientWidth > 0 && box.clientWidth < 600 ? 580 : 1160);

  const make = (name, attributes, text) => {
    const node = document.createElementNS(NS, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const group = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const plain = (v) => {
    const a = Math.abs(v);
    const digits = a >= 100 || a === 0 ? 0 : a >= 10 ? 1 : a >= 0.1 ? 2 : 3;
    const [whole, rest] = v.toFixed(digits).split(".");
    return group(whole) + (rest ? "." + rest : "");
  };
  const unitOf = (kind, max) => {
    if (kind !== "bytes") return [1, ""];
    for (const [size, name] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
      if (max >= size) return [size, name];
    }
    return [1, "bytes"];
  };
  const step = (least) => {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= least * (1 - 1e-9));
  };
  // Ticks of seconds over a range.
  const seconds = ([from, to], box) => {
    const list = [], dx = Math.max(step((to - from) / (widthOf(box) / 145)), 1);
    for (let s = Math.ceil(from / dx) * dx; s <= to + 1e-9; s += dx) list.push([s, group(String(Math.round(s))) + " s"]);
    return list;
  };
  const swatch = (color) => {
    const node = document.createElement("span");
    node.className = "swatch"; node.style.background = color;
    return node;
  };
  const tipOf = (box) => {
    let tip = box.querySelector(".tip");
    if (!tip) { tip = document.createElement("div"); tip.className = "tip"; box.appendChild(tip); }
    return tip;
  };
  const place = (box, tip, event) => {
    const area = box.getBoundingClientRect(), left = event.clientX - area.left;
    tip.style.display = "block";
    const wanted = left > area.width / 2 ? left - tip.offsetWidth - 14 : left + 14;
    tip.style.left = Math.min(Math.max(wanted, 0), Math.max(area.width - tip.offsetWidth, 0)) + "px";
  };

  // spec: name, unit, kind, range, ticks: [[x, text]], axis (name under the ticks), mark (x), headOf(x),
  //       lines: [{label, color, points: [[x, y, half, id]], limit, dots, strong: Set of ids}], zoom(range or null), pick(id)
  function draw(box, spec) {
    const W = widthOf(box), [from, to] = spec.range, bottom = BOTTOM + (spec.axis ? 22 : 0);
    const inRange = (list) => list.filter((p, k) => {
      const near = (q) => q && q[0] >= from && q[0] <= to;
      return near(p) || near(list[k - 1]) || near(list[k + 1]);
    });
    const lines = spec.lines.map((line) => ({ ...line, points: inRange(line.points) }));
    let max = 0, min = 0;
    lines.forEach((line) => {
      if (line.limit) max = Math.max(max, line.limit);
      line.points.forEach((p) => { max = Math.max(max, p[1] + (p[2] || 0)); min = Math.min(min, p[1]); });
    });
    max = max > min ? max + (max - min) * 0.06 : min + 1;
    const [size, bytes] = unitOf(spec.kind, max), unit = bytes || spec.unit;
    const x = (v) => LEFT + (v - from) / (to - from) * (W - LEFT - RIGHT);
    const y = (v) => H - bottom - (v - min) / (max - min) * (H - TOP - bottom);
    const svg = make("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": spec.name });
    const title = make("text", { x: LEFT, y: 18, style: "font-weight:600;fill:#17202a;font-size:15px" }, spec.name);
    title.appendChild(make("tspan", { dx: 10, style: "font-weight:400;fill:#626e7b;font-size:12px" }, unit));
    svg.appendChild(title);
    const dy = step((max - min) / size / 5) * size;
    for (let v = Math.ceil(min / dy) * dy; v <= max; v += dy) {
      svg.appendChild(make("line", { x1: LEFT, x2: W - RIGHT, y1: y(v), y2: y(v), stroke: v ? "#e4e8ec" : "#aab2ba" }));
      svg.appendChild(make("text", { x: LEFT - 8, y: y(v) + 4, "text-anchor": "end" }, plain(v / size).replace(/\.0+$/, "")));
    }
    let free = -1e9;
    spec.ticks.filter(([v]) => v >= from - 1e-9 && v <= to + 1e-9).forEach(([v, text]) => {
      svg.appendChild(make("line", { x1: x(v), x2: x(v), y1: TOP, y2: H - bottom, stroke: "#e4e8ec" }));
      const half = text.length * 4.2;
      const at = Math.min(x(v), W - half);
      if (at - half < free) return;
      free = at + half + 8;
      svg.appendChild(make("text", { x: at, y: H - bottom + 20, "text-anchor": "middle" }, text));
    });
    if (spec.axis) svg.appendChild(make("text", { x: (LEFT + W - RIGHT) / 2, y: H - 8, "text-anchor": "middle", style: "font-weight:600" }, spec.axis));
    if (spec.legend) legend(svg, lines, W);
    const clip = "clip-" + box.id;
    const area = make("clipPath", { id: clip });
    area.appendChild(make("rect", { x: LEFT, y: TOP - 4, width: W - LEFT - RIGHT, height: H - TOP - bottom + 6 }));
    svg.appendChild(area);
    const inside = make("g", { "clip-path": `url(#${clip})`, fill: "none", "stroke-linejoin": "round" });
    if (spec.mark > from && spec.mark < to) {
      inside.appendChild(make("line", { x1: x(spec.mark), x2: x(spec.mark), y1: TOP, y2: H - bottom, stroke: "#aab2ba" }));
    }
    [...lines].reverse().forEach((line) => {
      if (line.limit) inside.appendChild(make("line", { x1: LEFT, x2: W - RIGHT, y1: y(line.limit), y2: y(line.limit), stroke: line.color, "stroke-dasharray": "5 4" }));
      const path = (list, value) => list.map((p, k) => (k ? "L" : "M") + x(p[0]).toFixed(1) + " " + y(value(p)).toFixed(1)).join("");
      stretches(line.points).forEach((part) => {
        const back = path([...part].reverse(), (p) => p[1] - p[2]).replace("M", "L");
        // A point between two without an interval has a line of its own.
        const edge = part.length > 1 ? {} : { stroke: line.color, "stroke-width": 5 };
        inside.appendChild(make("path", { d: path(part, (p) => p[1] + p[2]) + back + "Z", fill: line.color, opacity: 0.15, ...edge }));
      });
      inside.appendChild(make("path", { d: path(line.points, (p) => p[1]) || "M0 0", stroke: line.color, "stroke-width": 1.8 }));
      if (!line.dots) return;
      line.points.forEach((p) => {
        const strong = line.strong && line.strong.has(p[3]);
        inside.appendChild(make("circle", { cx: x(p[0]), cy: y(p[1]), r: strong ? 6 : 3, fill: line.color, stroke: "#fff", "stroke-width": 1 }));
      });
    });
    svg.appendChild(inside);
    const cursor = make("line", { y1: TOP, y2: H - bottom, stroke: "#626e7b", visibility: "hidden" });
    const chosen = make("rect", { y: TOP, height: H - TOP - bottom, fill: "#0072b2", opacity: 0.12, visibility: "hidden" });
    svg.append(cursor, chosen);
    const tip = tipOf(box);
    box.replaceChildren(svg, tip);
    tip.style.display = "none";
    tip.style.top = "2.2rem";
    handle({ W, box, svg, tip, spec, lines, x, y, size, unit, cursor, chosen });
  }

  // Neighbouring points whose intervals are known: a band has a gap where one is not.
  const stretches = (points) => points.reduce((parts, p) => {
    if (typeof p[2] === "number") parts[parts.length - 1].push(p); else parts.push([]);
    return parts;
  }, [[]]).filter((part) => part.length);

  // Names of lines in the row of the title, from the right.
  function legend(svg, lines, W) {
    let right = W - RIGHT;
    [...lines].reverse().filter((line) => line.label).forEach((line) => {
      const left = right - line.label.length * 7.4;
      if (left < W / 3) return;
      svg.appendChild(make("text", { x: left, y: 18 }, line.label));
      svg.appendChild(make("rect", { x: left - 26, y: 12, width: 20, height: 4, fill: line.color }));
      right = left - 44;
    });
  }

  const nearest = (points, v) => points.reduce((best, p) => (!best || Math.abs(p[0] - v) < Math.abs(best[0] - v) ? p : best), null);

  function handle({ W, box, svg, tip, spec, lines, x, y, size, unit, cursor, chosen }) {
    const [from, to] = spec.range;
    let began = null;
    const at = (event) => {
      const area = svg.getBoundingClientRect();
      const share = ((event.clientX - area.left) / area.width * W - LEFT) / (W - LEFT - RIGHT);
      return from + Math.min(Math.max(share, 0), 1) * (to - from);
    };
    const height = (event) => { const area = svg.getBoundingClientRect(); return (event.clientY - area.top) / area.height * H; };
    svg.addEventListener("pointerdown", (event) => { began = at(event); svg.setPointerCapture(event.pointerId); });
    svg.addEventListener("pointermove", (event) => {
      const v = at(event);
      cursor.setAttribute("x1", x(v)); cursor.setAttribute("x2", x(v)); cursor.setAttribute("visibility", "visible");
      if (began !== null) {
        const [a, b] = [Math.min(began, v), Math.max(began, v)];
        chosen.setAttribute("x", x(a)); chosen.setAttribute("width", Math.max(x(b) - x(a), 0)); chosen.setAttribute("visibility", "visible");
      }
      tip.replaceChildren(document.createTextNode(spec.headOf(v)));
      lines.forEach((line) => {
        const p = nearest(line.points, v);
        if (!p) return;
        const half = p[2] ? " \u00b1 " + plain(p[2] / size) : "";
        const row = document.createElement("div");
        row.append(swatch(line.color), `${line.label ? line.label + ": " : ""}${plain(p[1] / size)}${half} ${unit}`);
        tip.appendChild(row);
      });
      place(box, tip, event);
    });
    svg.addEventListener("pointerup", (event) => {
      const [start, end] = [began, at(event)];
      began = null;
      chosen.setAttribute("visibility", "hidden");
      if (start === null) return;
      if (Math.abs(end - start) > (to - from) / 100) { spec.zoom([Math.min(start, end), Math.max(start, end)]); return; }
      if (!spec.pick) return;
      const hits = lines.map((line) => nearest(line.points, end)).filter((p) => p);
      const far = (p) => Math.hypot(x(p[0]) - x(end), y(p[1]) - height(event));
      const hit = hits.sort((a, b) => far(a) - far(b))[0];
      if (hit && far(hit) < 40) spec.pick(hit[3]);
    });
    svg.addEventListener("pointerleave", () => { cursor.setAttribute("visibility", "hidden"); tip.style.display = "none"; });
    svg.addEventListener("dblclick", () => spec.zoom(null));
  }

  // A select of metrics, with one of them chosen.
  const options = (id, metrics, chosen, change) => {
    const select = document.getElementById(id);
    metrics.forEach((metric, m) => select.add(new Option(metric.name, m, m === chosen, m === chosen)));
    select.addEventListener("change", change);
    return () => metrics[select.value];
  };

  // Two charts over seconds that share their range. linesOf(metric) gives their lines.
  function courses(metrics, second, whole, mark, linesOf) {
    let range = whole.slice();
    const each = [["metric", "chart1", 0], ["second", "chart2", second]].map(([id, box, m]) => ({
      metric: options(id, metrics, m, () => all()), box: document.getElementById(box),
    }));
    const zoom = (wanted) => { range = wanted || whole.slice(); all(); };
    function all() {
      each.forEach(({ metric, box }) => {
        const { name, unit, kind } = metric();
        draw(box, { name, unit, kind, range, ticks: seconds(range, box), mark, zoom, lines: linesOf(metric()),
          headOf: (s) => group(String(Math.round(s))) + " s" });
      });
    }
    document.getElementById("all").addEventListener("click", () => zoom(null));
    window.addEventListener("resize", all);
    return all;
  }

  return { draw, make, widthOf, plain, group, unitOf, options, courses, tipOf, place };
})();
