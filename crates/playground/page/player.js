// Time in the page: it goes on by itself, stands still, moves by seconds, or is dragged.
class Player {
  // length(): seconds of the run; available(): seconds that are there; show(time): draws; said(): words for a screen reader.
  constructor({ length, available, show, said }) {
    Object.assign(this, { length, available, show, said });
    this.time = 1;
    this.playing = false;
    this.speed = 20;
    this.spoken = 0;
    this.before = null;
    this.button = $("#play"); this.slider = $("#time"); this.clock = $("#clock"); this.live = $("#live");
    this.button.addEventListener("click", () => this.toggle());
    $("#back").addEventListener("click", () => this.step(-1));
    $("#step").addEventListener("click", () => this.step(1));
    $("#rewind").addEventListener("click", () => this.seek(1));
    $("#to-end").addEventListener("click", () => { this.pause(); this.seek(this.length()); });
    this.slider.addEventListener("input", () => { this.pause(); this.seek(Number(this.slider.value)); });
    $("#speed").addEventListener("change", (event) => { this.speed = Number(event.target.value); });
    addEventListener("keydown", (event) => this.key(event));
    requestAnimationFrame((now) => this.frame(now));
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
    const button = event.target.closest("button, a, summary");
    const does = { " ": () => this.toggle(), ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
      Home: () => this.seek(1), End: () => { this.pause(); this.seek(this.length()); } }[event.key];
    if (!does || (event.key === " " && button)) return;
    event.preventDefault();
    does();
  }
  toggle() {
    if (this.playing) this.pause(); else this.play();
  }
  play() {
    if (this.time >= this.length()) this.time = 1;
    this.playing = true;
    this.dirty = true;
  }
  pause() {
    this.playing = false;
    this.dirty = true;
    this.speak();
  }
  step(seconds) {
    this.pause();
    this.seek(Math.round(this.time) + seconds);
  }
  seek(time) {
    this.time = Math.min(Math.max(time, 1), Math.max(this.length(), 1));
    this.dirty = true;
    if (!this.playing) this.speak();
  }
  speak() {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => { this.live.textContent = this.said(this.shown()); }, 400);
  }
  // What can be shown of the time that is wanted.
  shown() { return Math.max(1, Math.min(this.time, this.available())); }
  frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    const gone = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.1);
    this.before = now;
    if (this.playing) {
      const next = Math.min(this.time + gone * this.speed, this.available());
      this.dirty = this.dirty || next !== this.time;
      this.time = Math.max(next, 1);
      if (this.time >= this.length() && this.length() > 0) this.pause();
    }
    if (!this.dirty || this.available() < 1) return;
    this.dirty = false;
    const length = this.length(), shown = this.shown();
    this.slider.max = length;
    this.slider.value = Math.round(shown);
    this.slider.setAttribute("aria-valuetext", `second ${Math.round(shown)} of ${length}`);
    this.clock.textContent = `${minutes(shown)} / ${minutes(length)}`;
    this.button.textContent = this.playing ? "Pause" : "Play";
    this.button.setAttribute("aria-pressed", String(this.playing));
    this.show(shown);
  }
}
