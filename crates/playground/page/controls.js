// The knobs of a run. A knob that nobody has touched is as the story has it.
const STEPS = {
  io: [100, 200, 300, 400, 600, 800, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000, 10000, 15000, 20000, 30000],
  redo: [64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072],
  clients: [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128],
  rate: [250, 500, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000, 10000],
};
const KNOBS = [
  { key: "io_capacity", label: "io_capacity", steps: () => STEPS.io, say: (v) => `${grouped(v)} pages/s` },
  { key: "io_capacity_max", label: "io_capacity_max", steps: () => STEPS.io, say: (v) => `${grouped(v)} pages/s` },
  { key: "redo_mib", label: "redo log", steps: () => STEPS.redo, say: (v) => mib(v * 2 ** 20) },
  { key: "load", label: "load", steps: (c) => (c.open ? STEPS.rate : STEPS.clients), say: (v, c) => (c.open ? `${grouped(v)} trx/s arrive` : `${grouped(v)} clients`) },
];

// sysbench's --rand-type.
const ROWS = [["uniform", "all equally often"], ["special", "a hot hundredth most often"], ["pareto", "a fifth most often"], ["zipfian", "some often, most rarely"]];

class Panel {
  // changed(changes): called with the knobs that somebody has moved.
  constructor(number, { removable, changed, remove }) {
    this.number = number;
    this.changed = changed;
    this.changes = {};
    const { models, devices } = engine.catalogue(), id = (key) => `${key}-${RUN_NAMES[number]}`;
    const choice = (key, label, options) => {
      const select = node("select", { id: id(key), "data-knob": key, onchange: () => this.set({ [key]: select.value }) },
        ...options.map(([value, text]) => node("option", { value }, text)));
      this[key] = select;
      return node("div", { class: "knob" }, node("label", { for: id(key) }, label), select);
    };
    this.sliders = KNOBS.map((knob) => {
      const value = node("output", { for: id(knob.key) });
      const input = node("input", { type: "range", min: 0, step: 1, id: id(knob.key), "data-knob": knob.key,
        oninput: () => this.slid(knob, Number(input.value)) });
      const row = node("div", { class: "knob" }, node("label", { for: id(knob.key) }, knob.label, value), input);
      return { knob, input, value, row, steps: [] };
    });
    this.doublewriteRow = choice("doublewrite", "doublewrite", []);
    this.rowsRow = choice("rows", "rows changed", ROWS);
    this.message = node("p", { class: "message", role: "alert" });
    this.notes = node("details", { class: "notes", hidden: true });
    this.element = node("fieldset", { class: `panel ${RUN_INKS[number]}`, "data-run": RUN_NAMES[number] },
      node("legend", {}, node("span", { class: "badge" }, RUN_NAMES[number]), node("span", { class: "what" })),
      choice("model", "version", models.map((m) => [m.name, m.title])),
      ...this.sliders.map((slider) => slider.row), this.doublewriteRow,
      this.rowsRow, choice("device", "device", [["", "as in the story"], ...devices.map((d) => [d, d])]),
      this.message, this.notes,
      removable ? node("button", { type: "button", class: "quiet", onclick: remove }, `remove ${RUN_NAMES[number]}`) : null);
  }
  slid(knob, index) {
    const slider = this.sliders.find((s) => s.knob === knob), value = slider.steps[index], change = { [knob.key]: value };
    // The server refuses a maximum below io_capacity: the two push each other.
    const now = (key) => this.changes[key] ?? this.controls?.[key];
    if (knob.key === "io_capacity" && now("io_capacity_max") !== null && value > now("io_capacity_max")) change.io_capacity_max = value;
    if (knob.key === "io_capacity_max" && value < now("io_capacity")) change.io_capacity = value;
    this.set(change);
  }
  set(change) {
    Object.assign(this.changes, change);
    if (this.changes.device === "") delete this.changes.device;
    this.draw();
    this.changed();
  }
  // Takes over what a link or a lesson says.
  take(changes, label) {
    this.changes = { ...changes };
    $(".what", this.element).textContent = label || "";
    this.draw();
  }
  // What the engine made of the wish.
  hear(run) {
    this.message.textContent = run.error || "";
    const notes = run.head ? run.head.notes : [];
    this.notes.hidden = notes.length === 0;
    this.notes.replaceChildren(node("summary", {}, notes.length === 1 ? "1 note" : `${notes.length} notes`), ...notes.map((note) => node("p", {}, note)));
    if (run.head) { this.controls = run.head.controls; this.draw(); }
  }
  draw() {
    const c = this.controls;
    if (!c) return;
    const now = (key) => this.changes[key] ?? c[key];
    for (const slider of this.sliders) {
      const { knob, input, value, row } = slider, v = now(knob.key);
      row.hidden = c[knob.key] === null;
      if (row.hidden) continue;
      slider.steps = [...new Set([...knob.steps(c), v])].sort((a, b) => a - b);
      input.max = slider.steps.length - 1;
      input.value = slider.steps.indexOf(v);
      value.textContent = knob.say(v, c);
      input.setAttribute("aria-valuetext", value.textContent);
    }
    this.model.value = this.changes.model ?? c.model;
    this.device.value = this.changes.device ?? "";
    this.rowsRow.hidden = c.rows === null;
    this.rows.value = now("rows") ?? "";
    const doublewrite = now("doublewrite"), batches = ["4", "8", "16", "32", "64", "128"];
    const values = [...new Set(["off", ...(c.doublewrite_batches ? [...batches, doublewrite] : ["on"])])];
    const name = (v) => (v === "off" || v === "on" ? v : `on, ${v} pages a batch`);
    this.doublewrite.replaceChildren(...values.sort((a, b) => (parseInt(a, 10) || 0) - (parseInt(b, 10) || 0)).map((v) => node("option", { value: v }, name(v))));
    this.doublewrite.value = values.includes(doublewrite) ? doublewrite : "on";
  }
}
