// The page: what is chosen, the runs that come of it, and what is shown of them.
const MOST_RUNS = 3;
const FIGURES = [
  ["tps_mean", "Transactions per second, mean", plain], ["latency_ms_p95", "Latency, 95th percentile, ms", plain],
  ["stall_seconds", "Stall seconds", plain], ["pages_flushed_per_s_mean", "Pages flushed per second, mean", plain],
  ["flushes_per_trx", "Pages flushed per transaction", plain], ["pages_flushed_sync", "Pages flushed by sync flushing", plain],
  ["checkpoint_age_mean", "Checkpoint age, mean", mib], ["device_utilization", "Device busy", (v) => `${plain(v * 100)} %`],
  ["regime", "Regime", (v) => v], ["event_hash", "Hash of the run", (v) => v],
];
const SHARED = ["story", "seconds", "seed"];
const OWN = ["model", "io_capacity", "io_capacity_max", "redo_mib", "doublewrite", "load", "device", "rows"];
const TEXTS = new Set(["story", "model", "doublewrite", "device", "rows"]);

const page = (() => {
  const state = { story: "teaching/redo-too-small", seconds: undefined, seed: undefined };
  let runs = [], panels = [], player, lessons, held = false, timer, shownSecond = -1, shownRows = "";

  const wish = (k) => JSON.parse(JSON.stringify({ ...state, ...panels[k].changes }));
  const available = () => (runs.length ? Math.min(...runs.map((run) => run.rows.length)) : 0);
  const length = () => Math.max(0, ...runs.map((run) => run.seconds()));
  const isOver = () => runs.length > 0 && runs.every((run) => run.finished || run.error);

  function begin(k) {
    runs[k].begin(wish(k)).then(tellState);
    remember();
  }
  const beginAll = () => runs.forEach((_, k) => begin(k));

  // The address says what is chosen, so that it can be shared.
  function remember() {
    const parts = new URLSearchParams();
    if (lessons && lessons.number !== null) parts.set("lesson", lessons.number + 1);
    for (const key of SHARED) if (state[key] !== undefined) parts.set(key, state[key]);
    panels.forEach((panel, k) => {
      const prefix = k ? `${RUN_NAMES[k].toLowerCase()}.` : "";
      if (k) parts.set(RUN_NAMES[k].toLowerCase(), "");
      for (const key of OWN) if (panel.changes[key] !== undefined) parts.set(prefix + key, panel.changes[key]);
    });
    history.replaceState(null, "", `#${parts}`);
  }
  function recall() {
    const parts = new URLSearchParams(location.hash.slice(1)), changes = [];
    const read = (key, text) => (TEXTS.has(key) ? text : Number(text));
    for (const key of SHARED) if (parts.has(key)) state[key] = read(key, parts.get(key));
    for (let k = 0; k < MOST_RUNS; k++) {
      const name = RUN_NAMES[k].toLowerCase(), prefix = k ? `${name}.` : "";
      if (k && !parts.has(name)) continue;
      const own = {};
      for (const key of OWN) if (parts.has(prefix + key)) own[key] = read(key, parts.get(prefix + key));
      changes.push(own);
    }
    return { lesson: Number(parts.get("lesson")) - 1, changes };
  }

  // Lays the page out for so many runs with these changes.
  function arrange(changes, labels = []) {
    while (runs.length > changes.length) runs.pop().end();
    while (runs.length < changes.length) runs.push(new engine.Run(heard));
    panels = changes.map((own, k) => {
      const panel = new Panel(k, {
        removable: changes.length > 1,
        changed: () => { touched(k); },
        remove: () => { arrange(panels.filter((_, i) => i !== k).map((p) => p.changes)); beginAll(); },
      });
      panel.take(own, labels[k]);
      panel.hear(runs[k]);
      return panel;
    });
    $("#panels").replaceChildren(...panels.map((panel) => panel.element));
    $("#add").hidden = changes.length >= MOST_RUNS;
    $("#stage").replaceChildren(...runs.map((_, k) => view(k, labels[k])));
    plots.build($("#plots"), runs, (time) => { player.pause(); player.seek(time); });
    shownSecond = -1;
  }
  function view(k, label) {
    const several = runs.length > 1, badge = several ? node("span", { class: "badge" }, RUN_NAMES[k]) : null;
    const ring = node("figcaption", {}, node("span", {}, badge, several ? ` ${label || "Redo log"}` : "Redo log"));
    const list = several ? "Dirty pages by age" : "Flush list: dirty pages by age of their oldest change";
    return node("section", { class: `view ${RUN_INKS[k]}`, "aria-label": several ? `Run ${RUN_NAMES[k]} ${label || ""}` : "The run" },
      node("figure", { class: "ring" }, ring, node("canvas", { role: "img", "data-ring": k })),
      node("figure", { class: "ages" }, node("figcaption", {}, node("span", {}, list), node("span", { class: "now" })), node("canvas", { role: "img", "data-ages": k })),
      node("figure", { class: "rates" }, node("figcaption", {}, node("span", {}, several ? "Dirty share by rate of change" : "Buffer pool: share of dirty pages by how often they are changed")), node("canvas", { role: "img", "data-rates": k })));
  }
  // A knob was moved: one run begins again, at the same random numbers.
  function touched(k) {
    clearTimeout(timer);
    timer = setTimeout(() => { begin(k); }, 30);
  }

  function heard(run) {
    const k = runs.indexOf(run);
    if (k < 0) return;
    panels[k]?.hear(run);
    player.dirty = true;
    if (isOver()) figures();
    tellState();
  }
  function tellState() {
    const busy = runs.some((run) => !run.finished && !run.error);
    $("#status").textContent = busy ? "computing …" : "";
    document.body.dataset.state = busy ? "busy" : "over";
    if (!busy && !held && player.time >= length()) lessons.finish();
  }

  // Draws an instant.
  function show(time) {
    if (held) time = 1;
    runs.forEach((run, k) => {
      if (!run.rows.length) return;
      const color = ink(RUN_INKS[k]), own = Math.min(time, run.rows.length);
      drawRing($(`[data-ring="${k}"]`), run, own, color);
      drawAges($(`[data-ages="${k}"]`), run, own, color);
      drawRates($(`[data-rates="${k}"]`), run, own, color);
    });
    const second = Math.floor(time), rows = runs.map((run) => `${run.id}:${run.rows.length}`).join();
    if (second !== shownSecond || rows !== shownRows) {
      plots.update(runs, time);
      runs.forEach((run, k) => {
        const words = run.rows.length ? said(run, Math.min(second, run.rows.length)) : "";
        $(`[data-ring="${k}"]`).setAttribute("aria-label", `Redo log. ${words}`);
        $(`[data-ages="${k}"]`).setAttribute("aria-label", `Flush list. ${words}`);
        $(`[data-rates="${k}"]`).setAttribute("aria-label", run.rows.length ? rateWords(run, Math.min(second, run.rows.length)) : "");
        if (run.rows.length) $(`.view:nth-child(${k + 1}) .ages .now`).textContent = `${grouped(run.at(Math.max(1, Math.min(second, run.rows.length)), "dirty_pages"))}${runs.length > 1 ? "" : " dirty pages"}`;
      });
      [shownSecond, shownRows] = [second, rows];
    }
    if (isOver() && !held && player.time >= length()) lessons.finish();
  }
  function said(run, second) {
    const value = (field) => run.at(Math.max(second, 1), field);
    return `At second ${second}: ${grouped(value("tps"))} transactions a second, checkpoint age ${mib(value("checkpoint_age"))} of ${mib(value("capacity"))}, ` +
      `${grouped(value("dirty_pages"))} dirty pages, ${grouped(value("pages_flushed"))} pages flushed a second, latency ${plain(value("latency_ms_p95"))} ms at the 95th percentile.`;
  }
  // Dirty pages by how often they are changed, in words.
  function rateWords(run, second) {
    const { bands, first_bytes: least } = engine.catalogue().rates, parts = [];
    for (let k = 0; k < bands; k++) {
      const [all, dirty] = [run.rateAt(second, k), run.rateAt(second, bands + k)];
      const often = k === bands - 1 ? "never changed" : `changed once in ${bytesShort(least * 2 ** k)} to ${bytesShort(least * 2 ** (k + 1))} of redo`;
      if (all >= 1) parts.push(`${often}: ${Math.round((dirty / all) * 100)} % of ${grouped(all)} pages dirty`);
    }
    return `Buffer pool at second ${second}. Pages ${parts.join("; ")}.`;
  }
  const spoken = (time) => runs.map((run, k) => (run.rows.length ? `${runs.length > 1 ? `Run ${RUN_NAMES[k]}. ` : ""}${said(run, Math.min(Math.round(time), run.rows.length))}` : "")).join(" ");

  function figures() {
    if (held || document.body.classList.contains("mystery")) return;
    const heads = runs.map((run, k) => node("th", { scope: "col" }, node("span", { class: `badge ${RUN_INKS[k]}` }, RUN_NAMES[k]), ` ${run.head ? run.head.controls.model : ""}`));
    const row = ([key, name, text]) => node("tr", {}, node("th", { scope: "row" }, name),
      ...runs.map((run) => node("td", { "data-figure": key }, run.finished ? text(run.finished[key]) : "–")));
    const command = (run, k) => run.head && node("p", {}, `${RUN_NAMES[k]}: the same run with the program, with the same hash as `, node("code", {}, "event_hash"), node("pre", {}, `${run.head.command} --format json`));
    $("#figures").replaceChildren(
      node("table", {}, node("thead", {}, node("tr", {}, node("th", {}, "After warm-up"), ...heads)), node("tbody", {}, ...FIGURES.map(row))),
      ...runs.map(command).filter(Boolean));
  }

  function choose(story) {
    state.story = story;
    state.seconds = undefined;
    telling();
  }
  function telling() {
    const one = engine.catalogue().stories.find((s) => s.name === state.story);
    $("#story").value = state.story;
    // What one would type is left out: here are knobs.
    $("#telling").textContent = one ? one.story.replace(/\s*Then try[\s\S]*$/, "") : "";
  }

  function startLesson(lesson) {
    held = lesson !== null && !lesson.mystery;
    document.body.classList.toggle("mystery", lesson !== null && lesson.mystery === true);
    document.body.classList.toggle("held", held);
    $("#figures").replaceChildren();
    if (lesson) {
      Object.assign(state, { story: lesson.story, seconds: lesson.seconds, seed: lesson.seed });
      arrange(lesson.runs.map((run) => ({ ...run.changes })), lesson.runs.map((run) => run.label));
    } else {
      choose(state.story);
      arrange(panels.map((panel) => panel.changes));
    }
    telling();
    player.pause();
    player.seek(1);
    beginAll();
    if (!lesson) player.play();
  }
  function reveal(lesson) {
    if (lesson.mystery) {
      document.body.classList.remove("mystery");
      lessons.finish();
      if (isOver()) figures();
      return;
    }
    held = false;
    document.body.classList.remove("held");
    shownSecond = -1;
    player.seek(1);
    player.play();
    if (isOver()) figures();
  }

  function download() {
    runs.forEach((run, k) => {
      if (!run.head) return;
      const link = node("a", { href: URL.createObjectURL(new Blob([run.head.toml], { type: "application/toml" })),
        download: `${run.head.name.split("/").pop()}${runs.length > 1 ? `-${RUN_NAMES[k]}` : ""}.toml` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
  async function share() {
    remember();
    const told = $("#told");
    try {
      await navigator.clipboard.writeText(location.href);
      told.textContent = "The link is copied.";
    } catch {
      told.textContent = "The address of this page is the link.";
    }
    setTimeout(() => { told.textContent = ""; }, 4000);
  }

  async function open() {
    await engine.load();
    const first = new engine.Run(heard);
    runs = [first];
    await first.ready;
    const { stories, version } = engine.catalogue();
    $("#version").textContent = version;
    $("#story").replaceChildren(...stories.map((s) => node("option", { value: s.name }, s.title)));
    $("#story").addEventListener("change", (event) => {
      choose(event.target.value);
      panels.forEach((panel) => panel.take(panel.number ? panel.changes : {}));
      beginAll();
      player.seek(1);
      player.play();
    });
    player = new Player({ length, available, show, said: spoken });
    lessons = new Lessons({ start: startLesson, reveal });
    const { lesson, changes } = recall();
    $("#add").addEventListener("click", () => {
      const last = panels[panels.length - 1];
      arrange([...panels.map((panel) => panel.changes), { ...last.changes }]);
      beginAll();
    });
    $("#download").addEventListener("click", download);
    $("#share").addEventListener("click", share);
    new ResizeObserver(() => { player.dirty = true; }).observe($("#main"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { shownSecond = -1; player.dirty = true; });
    for (const name of ["beforeprint", "afterprint"]) addEventListener(name, () => { shownSecond = -1; show(player.shown()); });
    telling();
    if (lessons.all[lesson]) {
      lessons.open(lesson, true);
    } else {
      arrange(changes.length ? changes : [{}]);
      beginAll();
      if (!matchMedia("(prefers-reduced-motion: reduce)").matches) player.play(); else player.seek(Infinity);
    }
    document.body.classList.add("open");
  }

  return { open, get runs() { return runs; }, get player() { return player; }, get lessons() { return lessons; }, get panels() { return panels; } };
})();

page.open().catch((error) => {
  $("#status").textContent = `This browser can't run the page: ${error.message || error}. It needs WebAssembly and DecompressionStream.`;
});
