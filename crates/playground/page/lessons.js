// Lessons: a question, a prediction first, the run, the answer, and what to look for on a server of one's own.
class Lessons {
  // start(lesson): sets the runs up; reveal(): lets them go.
  constructor({ start, reveal }) {
    this.all = JSON.parse($("#lessons").textContent).lessons;
    this.start = start;
    this.reveal = reveal;
    this.bar = $("#lesson-bar");
    this.card = $("#lesson");
    const chip = (label, title, go) => node("button", { type: "button", class: "chip", title, onclick: go }, label);
    this.chips = [
      chip("Free play", "No lesson: choose a story and move the knobs", () => this.leave()),
      ...this.all.map((lesson, k) => chip(`${k + 1}`, lesson.title, () => this.open(k))),
    ];
    this.all.forEach((lesson, k) => this.chips[k + 1].setAttribute("aria-label", `Lesson ${k + 1}: ${lesson.title}`));
    this.bar.replaceChildren(...this.chips);
    this.number = null;
    this.mark();
  }
  mark() {
    this.chips.forEach((chip, k) => chip.setAttribute("aria-pressed", String(k === (this.number === null ? 0 : this.number + 1))));
    document.body.classList.toggle("in-lesson", this.number !== null);
  }
  leave() {
    this.number = null;
    this.card.hidden = true;
    this.mark();
    this.start(null);
  }
  open(number, quietly) {
    const lesson = this.all[number];
    if (!lesson) return;
    this.number = number;
    this.predicted = null;
    this.mark();
    const options = lesson.options.map((text, k) => {
      const input = node("input", { type: "radio", name: "prediction", value: k, onchange: () => this.predict(k) });
      return node("label", { class: "option" }, input, node("span", {}, text));
    });
    this.answer = node("div", { class: "answer", hidden: true });
    this.hint = node("p", { class: "muted" }, lesson.mystery ? "Watch first, then choose." : "Choose what you expect. Then it runs.");
    this.card.replaceChildren(
      node("p", { class: "kicker" }, `Lesson ${number + 1} of ${this.all.length}`),
      node("h2", { tabindex: -1 }, lesson.title),
      ...lesson.intro.map((text) => node("p", {}, text)),
      node("fieldset", { class: "prediction" }, node("legend", {}, lesson.question), ...options),
      this.hint, this.answer);
    this.card.hidden = false;
    this.start(lesson);
    if (!quietly) $("h2", this.card).focus({ preventScroll: true });
  }
  predict(choice) {
    const first = this.predicted === null;
    this.predicted = choice;
    if (!first) return;
    this.hint.textContent = this.all[this.number].watch;
    this.hint.className = "watch";
    this.reveal(this.all[this.number]);
  }
  // The runs are over, or somebody has seen enough.
  finish() {
    if (this.number === null || this.predicted === null || !this.answer.hidden) return;
    const lesson = this.all[this.number], right = this.predicted === lesson.right;
    this.card.querySelectorAll(".option").forEach((option, k) => {
      option.classList.toggle("right", k === lesson.right);
      option.classList.toggle("wrong", k === this.predicted && !right);
      $("input", option).disabled = true;
    });
    this.answer.replaceChildren(
      node("p", { class: "verdict" }, right ? "As you predicted." : `It is: ${lesson.options[lesson.right]}`),
      ...lesson.answer.map((text) => node("p", {}, text)),
      node("h3", {}, "On your own server"),
      node("dl", {}, ...lesson.look.flatMap(([where, what]) => [node("dt", {}, where), node("dd", {}, what)])),
      node("p", { class: "muted" }, lesson.then),
      this.number + 1 < this.all.length
        ? node("button", { type: "button", onclick: () => this.open(this.number + 1) }, `Next: ${this.all[this.number + 1].title}`)
        : null);
    this.answer.hidden = false;
  }
}
