// Series: the step that is pointed at, in every channel and every method.

class Steps {
  constructor(article, row) {
    this.row = row;
    this.article = article;
    this.cards = all(".over-time > .card", article);
    this.readout = article.querySelector(".over-steps");
    if (!row.series || this.cards.length === 0) return;
    this.readout.hidden = false;
    listValues(this.readout, row.methods, () => null);
    this.at = null;
    this.cards.forEach((card) => this.listen(card));
  }

  listen(card) {
    const tracks = card.querySelector(".lanes");
    all(".lane-plot", card).forEach((plot) => {
      const channel = Number(plot.parentElement.dataset.channel);
      plot.addEventListener("pointermove", (event) => {
        const box = plot.getBoundingClientRect();
        const step = Math.floor(((event.clientX - box.left) / box.width) * this.row.series.steps);
        this.show(channel, Math.max(0, Math.min(this.row.series.steps - 1, step)));
      });
      plot.addEventListener("pointerleave", () => {
        if (document.activeElement !== tracks) this.clear();
      });
    });
    tracks.addEventListener("focus", () => {
      if (!this.at && tracks.matches(":focus-visible")) this.show(0, 0);
    });
    tracks.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.key === "Escape") return this.clear();
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const { channels, steps } = this.row.series;
    const far = event.shiftKey ? Math.max(1, Math.round(steps / 20)) : 1;
    const within = (value, most) => Math.max(0, Math.min(most - 1, value));
    const [channel, step] = this.at || [0, 0];
    this.show(within(channel + move[0], channels.length), within(step + far * move[1], steps));
  }

  // What the method gives to this number; undefined: the page does not hold it.
  share(method, number, player) {
    const shown = this.row.methods[method].map ? this.row.shown(method)[number] : this.row.value(method, player);
    return player < 0 ? null : shown;
  }

  show(channel, step) {
    if (this.at && this.at[0] === channel && this.at[1] === step) return;
    this.at = [channel, step];
    const { channels, steps, values } = this.row.series;
    const number = channel * steps + step;
    const player = this.row.owners ? this.row.owners[number] : this.row.pixels ? number : -1;
    this.mark(step);
    const value = values[number];
    this.readout.querySelector(".place").textContent =
      `Step ${step} of ${channels[channel]} = ${value === null ? "–" : value}` +
      (player >= 0 ? `, part of ${this.row.name(player)}` : ", nobody's");
    listValues(this.readout, this.row.methods, (m) => this.share(m, number, player));
    mark(this.article, player);
  }

  mark(step) {
    all(".step-cursor", this.article).forEach((old) => old.remove());
    all(".over-time .lane-plot", this.article).forEach((plot) => {
      const cursor = element("span", "step-cursor");
      cursor.style.inset = `0 auto 0 ${(100 * step) / this.row.series.steps}%`;
      cursor.style.width = `${100 / this.row.series.steps}%`;
      plot.append(cursor);
    });
  }

  clear() {
    this.at = null;
    all(".step-cursor", this.article).forEach((old) => old.remove());
    this.readout.querySelector(".place").textContent =
      "Point at a step, or go to a plot with Tab and move with the arrow keys.";
    listValues(this.readout, this.row.methods, () => null);
    mark(this.article, -1);
  }
}
