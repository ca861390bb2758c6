// Runs: each has a worker of its own with the same engine, and keeps every second it was told.
const engine = (() => {
  let module = null, catalogue = null;
  const bytesOf = async (text) => {
    const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  };
  const source = () => `${$("#glue").textContent}\n${$("#worker").textContent}`;
  const address = URL.createObjectURL(new Blob([source()], { type: "text/javascript" }));

  async function load() {
    module = await WebAssembly.compile(await bytesOf($("#engine").textContent));
  }

  class Run {
    constructor(changed) {
      this.changed = changed;
      this.id = 0;
      this.clear();
      this.worker = new Worker(address);
      this.ready = new Promise((resolve) => { this.isReady = resolve; });
      this.worker.onmessage = ({ data }) => this.hear(data);
      this.worker.onerror = (event) => { this.error = event.message || "the engine stopped"; this.changed(this); };
      this.worker.postMessage({ kind: "engine", module });
    }
    clear() {
      this.rows = []; this.peaks = []; this.finished = null; this.error = null;
    }
    async begin(wish) {
      await this.ready;
      this.id += 1;
      this.wish = wish;
      [this.finished, this.error, this.stale] = [null, null, true];
      this.began = performance.now();
      this.worker.postMessage({ kind: "begin", id: this.id, wish });
    }
    hear(data) {
      if (data.kind === "ready") { catalogue = data.catalogue; this.isReady(); return; }
      if (data.id !== this.id) return;
      // What was there stays in sight until the first answer.
      if (this.stale && data.kind !== "head") { this.clear(); this.stale = false; }
      if (data.kind === "head") this.head = data.head;
      if (data.kind === "error") { this.error = data.message; this.head = null; }
      if (data.kind === "over") this.finished = data.finished;
      if (data.kind === "rows") {
        if (this.rows.length === 0) this.answered = performance.now() - this.began;
        const ages = catalogue.fields.length, rates = ages + catalogue.ages;
        for (let at = 0; at < data.rows.length; at += data.width) {
          const row = data.rows.subarray(at, at + data.width);
          this.rows.push(row);
          this.peaks.push(Math.max(...row.subarray(ages, rates)));
        }
      }
      this.changed(this);
    }
    // A field of the second with this number, from 1 on.
    at(second, field) { return this.rows[second - 1][engine.index(field)]; }
    // A field between two seconds.
    between(time, field) {
      const k = engine.index(field), last = this.rows.length - 1;
      const low = Math.min(Math.max(Math.floor(time) - 1, 0), last), high = Math.min(low + 1, last);
      const share = Math.min(Math.max(time - 1 - low, 0), 1);
      return this.rows[low][k] * (1 - share) + this.rows[high][k] * share;
    }
    // The top of the scale of densities: the largest so far and soon, those far off in time counting less and less, so that
    // the scale follows slowly.
    scaleAt(time) {
      let most = 1;
      const [from, to] = [Math.max(0, Math.floor(time) - 120), Math.min(this.peaks.length, Math.ceil(time) + 20)];
      for (let k = from; k < to; k++) most = Math.max(most, this.peaks[k] * Math.exp(-Math.abs(time - 1 - k) / 40));
      return most;
    }
    // A number about rates between two seconds.
    rateAt(time, number) {
      const k = catalogue.fields.length + catalogue.ages + number, last = this.rows.length - 1;
      const low = Math.min(Math.max(Math.floor(time) - 1, 0), last), share = Math.min(Math.max(time - 1 - low, 0), 1);
      return this.rows[low][k] * (1 - share) + this.rows[Math.min(low + 1, last)][k] * share;
    }
    // The first and the last band of rates to show: those that have any pages, and that of the whole log. The very last band,
    // of what is never changed, stands apart.
    bandsSeen() {
      const { bands, first_bytes: least } = catalogue.rates, known = Array.from({ length: bands - 1 }, (_, k) => k).filter((k) => this.rateAt(1, k) >= 1);
      const whole = Math.floor(Math.log2(Math.max(this.at(1, "capacity"), least) / least));
      return [known[0] ?? 0, Math.min(Math.max(known[known.length - 1] ?? 0, whole), bands - 2)];
    }
    seconds() { return this.head ? this.head.controls.seconds : 0; }
    end() { this.worker.terminate(); }
  }

  const indices = {};
  return {
    load, Run,
    catalogue: () => catalogue,
    index: (field) => indices[field] ??= catalogue.fields.indexOf(field),
  };
})();
