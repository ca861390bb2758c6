// Pages of the buffer pool by how often they are changed, and how many of them are dirty. What is changed often is dirty nearly
// always; what is changed more rarely than the checkpoint moves on is mostly clean.
const bytesShort = (bytes) => {
  const [size, unit] = unitOf("bytes", bytes * 1.0001);
  return `${plain(Math.round((bytes / size) * 10) / 10)} ${unit}`;
};
const countShort = (n) => (n >= 9950 ? `${Math.round(n / 1000)}k` : n >= 995 ? `${(n / 1000).toFixed(1)}k` : String(Math.round(n)));

function drawRates(canvas, run, time, color) {
  const { pen, width, height } = sharp(canvas);
  if (!run.rows.length) return;
  const { bands, first_bytes: least } = engine.catalogue().rates;
  const pages = (k) => run.rateAt(time, k), dirty = (k) => run.rateAt(time, bands + k);
  const [from, to] = run.bandsSeen(), never = pages(bands - 1) >= 1, shown = to - from + 1 + (never ? 1.6 : 0);
  const [left, right, top, bottom] = [42, 10, 32, 38], w = width - left - right, h = height - top - bottom, step = w / shown;
  const y = (share) => top + h - share * h, at = (bytes) => left + (Math.log2(Math.max(bytes, least) / least) - from) * step;
  pen.textBaseline = "middle"; pen.textAlign = "right"; pen.lineWidth = 1;
  for (const share of [0, 0.5, 1]) {
    pen.strokeStyle = ink(share ? "grid" : "rule");
    pen.beginPath(); pen.moveTo(left, Math.round(y(share)) + 0.5); pen.lineTo(left + w, Math.round(y(share)) + 0.5); pen.stroke();
    pen.fillStyle = ink("muted"); pen.fillText(`${share * 100} %`, left - 6, y(share));
  }
  pen.textAlign = "center"; pen.textBaseline = "alphabetic";
  let free = left - 8;
  const bar = (k, x) => {
    const all = pages(k), wide = Math.max(step - 2, 1);
    if (!(all >= 1)) return;
    const share = Math.min(dirty(k) / all, 1);
    pen.fillStyle = ink("track"); pen.fillRect(x + 1, y(1), wide, h);
    pen.fillStyle = color; pen.fillRect(x + 1, y(share), wide, h * share);
    const words = countShort(all), half = pen.measureText(words).width / 2, middle = Math.min(x + step / 2, width - half);
    if (middle - half < free) return;
    free = middle + half + 4;
    pen.fillStyle = ink("muted"); pen.fillText(words, middle, top - 8);
  };
  for (let k = from; k <= to; k++) bar(k, left + (k - from) * step);
  pen.fillStyle = ink("muted"); pen.textAlign = "left"; pen.fillText("pages", 0, top - 18);
  // Where the checkpoint age lies among the bands, in the same unit.
  const age = at(run.between(time, "checkpoint_age"));
  if (age > left && age < left + w) {
    pen.strokeStyle = ink("text"); pen.lineWidth = 1.5; pen.setLineDash([3, 3]);
    pen.beginPath(); pen.moveTo(age, top); pen.lineTo(age, top + h); pen.stroke(); pen.setLineDash([]);
  }
  let end = -1e9;
  const name = (words, middle) => {
    const half = pen.measureText(words).width / 2, x = Math.min(Math.max(middle, half), width - half);
    if (x - half < end + 10) return;
    end = x + half; pen.textAlign = "center"; pen.fillStyle = ink("muted"); pen.fillText(words, x, height - 22);
  };
  const apart = left + w - step, limit = never ? apart - pen.measureText("never").width / 2 - 12 : width;
  const every = Math.ceil(66 / step);
  for (let k = from; k <= to + 1; k += every) {
    const words = bytesShort(least * 2 ** k);
    if (at(least * 2 ** k) + pen.measureText(words).width / 2 < limit) name(words, at(least * 2 ** k));
  }
  if (never) { bar(bands - 1, apart); name("never", apart + step / 2); }
  pen.textAlign = "center";
  pen.fillText(w < 330 ? "redo between two changes; dashed: the age" : "redo from one change of a page to the next; dashed: the checkpoint age", width / 2, height - 6, width - 4);
}
