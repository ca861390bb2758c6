// The redo log as a ring: where redo is written, where recovery would begin, and how much lies between them.
const channels = (color) => {
  const hex = color.length === 4 ? color.replace(/[0-9a-f]/gi, "$&$&") : color;
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
};
const mixed = (from, to, share) => {
  const [a, b] = [channels(from), channels(to)];
  return `rgb(${a.map((v, k) => Math.round(v + (b[k] - v) * share)).join()})`;
};

function drawRing(canvas, run, time, color) {
  const { pen, width, height } = sharp(canvas);
  if (!run.rows.length) return;
  const value = (field) => run.between(time, field);
  const [head, checkpoint, capacity] = [value("current_lsn"), value("checkpoint_lsn"), value("capacity")];
  const age = head - checkpoint, x = width / 2, y = height / 2, outer = Math.min(width / 2 - (width < 300 ? 44 : 62), height / 2 - 30);
  const thick = outer * 0.24, inner = outer - thick, mid = outer - thick / 2, turn = 2 * Math.PI;
  const angle = (lsn) => ((lsn % capacity) / capacity) * turn - Math.PI / 2;
  const span = (bytes) => Math.min(bytes / capacity, 1) * turn;
  const arc = (from, to) => { pen.lineWidth = thick; pen.beginPath(); pen.arc(x, y, mid, from, to); pen.stroke(); };
  const line = (at, from, to) => {
    const [c, s] = [Math.cos(at), Math.sin(at)];
    pen.beginPath(); pen.moveTo(x + c * from, y + s * from); pen.lineTo(x + c * to, y + s * to); pen.stroke();
  };
  const begin = angle(checkpoint), track = ink("track");
  pen.strokeStyle = track; arc(0, turn);
  // The more dirty pages a stretch of redo made, the denser it is drawn; from the newest back to the checkpoint.
  const row = run.rows[Math.min(Math.max(Math.round(time) - 1, 0), run.rows.length - 1)];
  const ages = engine.catalogue().fields.length, n = engine.catalogue().ages, step = row[engine.index("age_step")];
  const most = run.scaleAt(time);
  for (let k = Math.min(n, Math.ceil(age / step)) - 1; k >= 0; k--) {
    const from = Math.max(age - (k + 1) * step, 0), to = Math.max(age - k * step, 0);
    pen.strokeStyle = mixed(track, color, 0.22 + 0.78 * Math.min(row[ages + k] / most, 1));
    arc(begin + span(from) - 0.004, begin + span(to) + 0.004);
  }
  // Limits are ages: they go round with the checkpoint.
  const labels = [];
  for (const [name, field] of [["async", "async_age"], ["sync", "sync_age"], ["stop", "stop_age"]]) {
    const limit = value(field);
    if (!(limit > 0) || limit > capacity) continue;
    const at = begin + span(limit);
    pen.strokeStyle = ink("limit"); pen.lineWidth = name === "stop" ? 2.5 : 1.5;
    pen.setLineDash(name === "async" ? [3, 3] : []);
    line(at, inner - 3, outer + 5);
    pen.setLineDash([]);
    labels.push({ name, at, fill: ink("muted") });
  }
  const mark = (name, at, fill) => {
    pen.strokeStyle = ink("paper"); pen.lineWidth = 6; line(at, inner - 1, outer + 1);
    pen.strokeStyle = fill; pen.lineWidth = 3; line(at, inner - 3, outer + 5);
    labels.unshift({ name, at, fill: ink("text") });
  };
  mark("checkpoint", begin, ink("text"));
  mark("head", angle(head), color);
  // A label that would lie on another one moves along the ring, or outwards.
  pen.font = `12px ${family()}`; pen.textBaseline = "middle"; pen.textAlign = "center";
  const taken = [];
  for (const { name, at, fill } of labels) {
    const half = pen.measureText(name).width / 2 + 3;
    let box;
    for (let tried = 0; tried < 45; tried++) {
      const out = outer + 9 + 7 * Math.floor(tried / 5), aside = at + [0, 0.13, -0.13, 0.26, -0.26][tried % 5], [c, s] = [Math.cos(aside), Math.sin(aside)];
      const [cx, cy] = [Math.min(Math.max(x + c * (out + half), half), width - half), Math.min(Math.max(y + s * (out + 8), 8), height - 8)];
      box = [cx - half, cy - 8, cx + half, cy + 8, cx, cy];
      if (!taken.some((t) => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3])) break;
    }
    taken.push(box);
    pen.fillStyle = fill;
    pen.fillText(name, box[4], box[5]);
  }
  // As large as the inside of the ring allows.
  const large = Math.min(Math.max(inner * 0.29, 14), 23), small = Math.min(Math.max(inner * 0.17, 9.5), 12);
  pen.fillStyle = ink("muted"); pen.font = `${small}px ${family()}`;
  pen.fillText("checkpoint age", x, y - large - 3);
  pen.fillText(`${Math.round((age / capacity) * 100)} % of the log`, x, y + large + 2);
  pen.fillStyle = ink("text"); pen.font = `600 ${large}px ${family()}`; pen.fillText(mib(age), x, y);
}
