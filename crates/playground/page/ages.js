// The flush list: dirty pages by the age of their oldest change. Pages come in at the left and drift to the right as redo is
// written; the page cleaner takes them from the right end.
function drawAges(canvas, run, time, color) {
  const { pen, width, height } = sharp(canvas);
  if (!run.rows.length) return;
  const { fields, ages: n } = engine.catalogue(), first = fields.length;
  const [left, right, top, bottom] = [10, 10, 30, 24], w = width - left - right, h = height - top - bottom;
  const low = Math.min(Math.max(Math.floor(time) - 1, 0), run.rows.length - 1), high = Math.min(low + 1, run.rows.length - 1);
  const share = Math.min(Math.max(time - 1 - low, 0), 1), capacity = run.between(time, "capacity");
  const count = (k) => run.rows[low][first + k] * (1 - share) + run.rows[high][first + k] * share;
  const most = run.scaleAt(time) * 1.04, x = (age) => left + (age / capacity) * w, y = (pages) => top + h - (pages / most) * h;
  pen.strokeStyle = ink("grid"); pen.lineWidth = 1;
  for (let k = 0; k <= 4; k++) { pen.beginPath(); pen.moveTo(left, top + (h * k) / 4 + 0.5); pen.lineTo(left + w, top + (h * k) / 4 + 0.5); pen.stroke(); }
  pen.fillStyle = color; pen.globalAlpha = 0.78;
  const bar = w / n;
  for (let k = 0; k < n; k++) {
    const pages = count(k);
    if (pages > 0) pen.fillRect(left + k * bar + 0.5, Math.max(y(pages), top), Math.max(bar - 1, 1), top + h - Math.max(y(pages), top));
  }
  pen.globalAlpha = 1;
  pen.strokeStyle = ink("rule"); pen.beginPath(); pen.moveTo(left, top + h + 0.5); pen.lineTo(left + w, top + h + 0.5); pen.stroke();
  pen.textBaseline = "alphabetic";
  let end = 1e9;
  for (const [name, field] of [["stop", "stop_age"], ["sync", "sync_age"], ["async", "async_age"]]) {
    const limit = run.between(time, field);
    if (!(limit > 0) || limit > capacity * 1.001) continue;
    const at = x(limit);
    pen.strokeStyle = ink("limit"); pen.lineWidth = name === "stop" ? 2.5 : 1.5; pen.setLineDash(name === "async" ? [3, 3] : []);
    pen.beginPath(); pen.moveTo(at, top - 8); pen.lineTo(at, top + h); pen.stroke(); pen.setLineDash([]);
    pen.fillStyle = ink("muted"); pen.textAlign = "right";
    const wide = pen.measureText(name).width, to = Math.min(at + wide / 2, end - 8, width - 2);
    pen.fillText(name, to, 16); end = to - wide;
  }
  pen.fillStyle = ink("muted");
  const step = run.between(time, "age_step") / 2 ** 20;
  pen.textAlign = "left"; pen.fillText(`${grouped(most / step)} pages a MiB`, left, 16);
  pen.textAlign = "left"; pen.fillText(w < 330 ? "new" : "changed just now", left, height - 6);
  pen.textAlign = "right"; pen.fillText(w < 330 ? `${mib(capacity)} of redo ago` : `changed ${mib(capacity)} of redo ago`, left + w, height - 6);
}
