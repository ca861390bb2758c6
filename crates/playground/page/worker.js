// The worker: runs the engine a few hundredths of a second at a time, so that a new wish is heard at once.
let engine = null, run = null, wanted = 0;
const SLICE_MS = 24;
const turn = new MessageChannel();

function begin(id, wish) {
  wanted = id;
  if (run) { run.free(); run = null; }
  try {
    run = new wasm_bindgen.WebRun(JSON.stringify(wish));
    postMessage({ kind: "head", id, head: JSON.parse(run.head()) });
    turn.port2.postMessage(id);
  } catch (error) {
    postMessage({ kind: "error", id, message: String(error) });
  }
}

turn.port1.onmessage = ({ data: id }) => {
  if (id !== wanted || !run) return;
  const until = performance.now() + SLICE_MS, parts = [];
  let over = false;
  while (!over && performance.now() < until) {
    const rows = run.advance(1);
    if (rows.length === 0) over = true; else parts.push(rows);
  }
  const width = parts.length ? parts[0].length : 0, rows = new Float64Array(width * parts.length);
  parts.forEach((part, k) => rows.set(part, k * width));
  if (width) postMessage({ kind: "rows", id, rows, width }, [rows.buffer]);
  if (over) {
    postMessage({ kind: "over", id, finished: JSON.parse(run.finish()) });
    run.free(); run = null;
  } else {
    turn.port2.postMessage(id);
  }
};

onmessage = ({ data }) => {
  if (data.kind === "engine") {
    wasm_bindgen.initSync({ module: data.module });
    postMessage({ kind: "ready", catalogue: JSON.parse(wasm_bindgen.catalogue()) });
  } else if (data.kind === "begin") {
    begin(data.id, data.wish);
  } else if (data.kind === "stop") {
    wanted = 0;
    if (run) { run.free(); run = null; }
  }
};
