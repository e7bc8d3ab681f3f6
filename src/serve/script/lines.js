// Numbers over time, or in a row: dragging over steps masks them.

class LinesStage {
  constructor(root, open, change) {
    this.open = open;
    this.change = change;
    this.steps = open.series ? open.series.steps : open.places;
    this.channels = open.series ? open.series.channels : ["the input"];
    this.at = 0;
    this.together = true;
    this.build(root);
  }

  build(root) {
    const tools = one("mask-tools");
    tools.replaceChildren();
    if (this.channels.length > 1) {
      const label = element("label", "choice");
      const box = element("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => (this.together = box.checked));
      label.append(box, " all channels together");
      tools.append(label);
    }
    this.plots = this.channels.map((name, channel) => this.plot(name, channel));
    root.replaceChildren(...this.plots.map((plot) => plot.figure));
    this.draw();
  }

  plot(name, channel) {
    const figure = element("figure", "lines");
    const caption = element("figcaption", "faint", name);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 1000 120");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "application");
    svg.setAttribute("aria-roledescription", "line whose steps can be hidden");
    svg.setAttribute("aria-label", `${name}: ${this.steps} steps. Arrow keys move, with shift by ten; space hides or shows, U takes the last step back.`);
    svg.setAttribute("tabindex", "0");
    const parts = ["masked", "line", "now", "cursor"].map((kind) => {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", kind);
      svg.append(path);
      return path;
    });
    figure.append(caption, svg);
    this.listen(svg, channel);
    return { figure, svg, channel, parts };
  }

  own(channel) {
    return this.together ? this.channels.map((_, i) => i) : [channel];
  }

  mask(channel, from, to, on) {
    for (const each of this.own(channel)) {
      for (let step = Math.min(from, to); step <= Math.max(from, to); ++step) this.change.set(each * this.steps + step, on);
    }
  }

  listen(svg, channel) {
    const step = (event) => {
      const box = svg.getBoundingClientRect();
      return Math.max(0, Math.min(this.steps - 1, Math.floor(((event.clientX - box.left) / box.width) * this.steps)));
    };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      svg.focus({ preventScroll: true });
      svg.setPointerCapture(event.pointerId);
      this.change.begin();
      this.begun = { before: this.change.masked.slice(), from: step(event) };
      this.on = !this.change.masked[channel * this.steps + this.begun.from];
      this.at = this.begun.from;
      this.mask(channel, this.at, this.at, this.on);
      this.change.told();
    });
    svg.addEventListener("pointermove", (event) => {
      if (!this.begun) return;
      this.at = step(event);
      this.change.masked.set(this.begun.before);
      this.mask(channel, this.begun.from, this.at, this.on);
      this.change.told();
    });
    const end = () => (this.begun = null);
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", end);
    svg.addEventListener("keydown", (event) => this.key(event, channel));
    svg.addEventListener("focus", () => this.draw());
    svg.addEventListener("blur", () => this.draw());
  }

  key(event, channel) {
    if (event.key === "u" || event.key === "U") return this.change.undo();
    const far = (event.shiftKey ? 10 : 1) * ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] || 0);
    if (far !== 0) {
      event.preventDefault();
      this.at = Math.max(0, Math.min(this.steps - 1, this.at + far));
      this.draw();
      const place = channel * this.steps + this.at;
      one("masked-count").textContent =
        `Step ${this.at}: ${plain(this.open.columns[place].value)}, ${this.change.masked[place] ? "hidden" : "shown"}.`;
      return undefined;
    }
    if (event.key !== " " && event.key !== "Enter") return undefined;
    event.preventDefault();
    this.change.begin();
    this.mask(channel, this.at, this.at, !this.change.masked[channel * this.steps + this.at]);
    return this.change.told();
  }

  draw() {
    const x = (step) => (1000 * step) / this.steps;
    for (const { svg, channel, parts } of this.plots) {
      const facts = this.open.columns.slice(channel * this.steps, (channel + 1) * this.steps);
      const low = facts.reduce((least, fact) => Math.min(least, fact.value, fact.baseline), Infinity);
      const high = facts.reduce((most, fact) => Math.max(most, fact.value, fact.baseline), -Infinity);
      const y = (value) => (high > low ? 110 - (100 * (value - low)) / (high - low) : 60);
      const hidden = (step) => this.change.masked[channel * this.steps + step] === 1;
      let band = "", line = "", now = "";
      facts.forEach((fact, step) => {
        const middle = x(step + 0.5);
        const shown = hidden(step) ? fact.baseline : fact.value;
        if (hidden(step)) band += `M${x(step)} 0H${x(step + 1)}V120H${x(step)}z`;
        line += `${step ? "L" : "M"}${middle} ${y(fact.value)}`;
        now += `${step ? "L" : "M"}${middle} ${y(shown)}`;
      });
      const active = document.activeElement === svg && svg.matches(":focus-visible");
      parts[0].setAttribute("d", band);
      parts[1].setAttribute("d", line);
      parts[2].setAttribute("d", now);
      parts[3].setAttribute("d", active ? `M${x(this.at)} 0H${x(this.at + 1)}V120H${x(this.at)}z` : "");
    }
  }

  hint() {
    return "Drag over steps to hide them; drag over hidden steps to show them again.";
  }

  amount() {
    const count = this.change.count();
    return count === 0 ? "Nothing is hidden." : `${count} of ${this.change.places} numbers are hidden.`;
  }
}
