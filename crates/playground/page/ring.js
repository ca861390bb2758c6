// The redo log as a ring: where redo is written, where recovery would begin, and how much lies between them.
function drawRing(canvas, run, time, color) {
  const { pen, width, height } = sharp(canvas);
  if (!run.rows.length) return;
  const value = (field) => run.between(time, field);
  const [head, checkpoint, capacity] = [value("current_lsn"), value("checkpoint_lsn"), value("capacity")];
  const age = head - checkpoint, x = width / 2, y = height / 2, outer = Math.min(width, height) / 2 - 36, thick = outer * 0.24;
  const mid = outer - thick / 2, turn = 2 * Math.PI;
  const angle = (lsn) => ((lsn % capacity) / capacity) * turn - Math.PI / 2;
  const arc = (from, to, radius = mid, stroke = thick) => {
    pen.lineWidth = stroke; pen.beginPath(); pen.arc(x, y, radius, from, to); pen.stroke();
  };
  const begin = angle(checkpoint);
  const span = (bytes) => Math.min(bytes / capacity, 1) * turn;
  pen.strokeStyle = ink("track"); arc(0, turn);
  // Dirty pages whose oldest change lies in a stretch of redo make it dense.
  const row = run.rows[Math.min(Math.max(Math.round(time) - 1, 0), run.rows.length - 1)];
  const ages = engine.catalogue().fields.length, n = engine.catalogue().ages, step = row[engine.index("age_step")];
  pen.strokeStyle = color;
  for (let k = 0; k < n; k++) {
    const from = Math.max(age - (k + 1) * step, 0), to = age - k * step;
    if (to <= 0) break;
    pen.globalAlpha = 0.16 + 0.84 * Math.sqrt(row[ages + k] / Math.max(run.peak, 1));
    arc(begin + span(from), begin + span(to) + 0.004);
  }
  pen.globalAlpha = 1;
  // Limits are ages: they go round with the checkpoint.
  pen.textBaseline = "middle";
  const labels = [["async", "async_age"], ["sync", "sync_age"], ["stop", "stop_age"]];
  let last = -1;
  for (const [name, field] of labels) {
    const limit = value(field);
    if (!(limit > 0) || limit > capacity) continue;
    const at = begin + span(limit), [c, s] = [Math.cos(at), Math.sin(at)];
    pen.strokeStyle = ink("limit"); pen.lineWidth = name === "stop" ? 2.5 : 1.5;
    pen.setLineDash(name === "async" ? [3, 3] : []);
    pen.beginPath(); pen.moveTo(x + c * (outer - thick - 3), y + s * (outer - thick - 3));
    pen.lineTo(x + c * (outer + 5), y + s * (outer + 5)); pen.stroke(); pen.setLineDash([]);
    // Labels that would lie on each other are put further out.
    const near = last >= 0 && limit - last < capacity * 0.06, out = outer + (near ? 25 : 12);
    last = limit;
    pen.fillStyle = ink("muted"); pen.textAlign = Math.abs(c) < 0.3 ? "center" : c > 0 ? "left" : "right";
    pen.fillText(name, x + c * out, y + s * out);
  }
  // Head and checkpoint.
  const mark = (at, fill, name) => {
    const [c, s] = [Math.cos(at), Math.sin(at)];
    pen.strokeStyle = ink("paper"); pen.lineWidth = 5; pen.beginPath();
    pen.moveTo(x + c * (outer - thick - 1), y + s * (outer - thick - 1)); pen.lineTo(x + c * (outer + 1), y + s * (outer + 1)); pen.stroke();
    pen.strokeStyle = fill; pen.lineWidth = 3; pen.stroke();
    pen.fillStyle = ink("text"); pen.textAlign = "center";
    pen.fillText(name, x + c * (outer - thick - 20), y + s * (outer - thick - 13));
  };
  if (age > capacity * 0.07) mark(begin, ink("text"), "checkpoint");
  mark(angle(head), color, "head");
  pen.fillStyle = ink("text"); pen.textAlign = "center";
  const family = getComputedStyle(document.body).fontFamily;
  pen.font = `600 22px ${family}`; pen.fillText(mib(age), x, y - 8);
  pen.font = `12px ${family}`; pen.fillStyle = ink("muted");
  pen.fillText(`checkpoint age, ${Math.round((age / capacity) * 100)} % of the log`, x, y + 14);
}
