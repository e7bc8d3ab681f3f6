// Maps.

class Maps {
  constructor(article, row) {
    this.row = row;
    this.article = article;
    this.cards = all(".maps:not(.triples, .of-input) > .card", article);
    this.frames = this.cards.map((card) => card.querySelector(".frame"));
    this.held = false;
    this.at = null;
    this.drawn = false;
    if (this.cards.length === 0) return;
    this.canvases = this.frames.map((frame) => this.canvas(frame));
    this.controls();
    this.frames.forEach((frame) => this.listen(frame));
    article.querySelector(".readout").hidden = false;
    // Maps far down the page are drawn when they come near.
    const near = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      near.disconnect();
      this.drawn = true;
      this.draw();
    }, { rootMargin: "600px" });
    near.observe(this.cards[0].parentElement);
  }

  canvas(frame) {
    const canvas = element("canvas", "heat");
    canvas.width = this.row.width;
    canvas.height = this.row.height;
    canvas.hidden = true;
    frame.querySelector("img.heat").after(canvas);
    return canvas;
  }

  controls() {
    const root = this.article.querySelector(".controls");
    this.limit = root.querySelector(".limit");
    this.opacity = root.querySelector(".opacity");
    this.choices = all("input[type=radio]", root);
    const redraw = () => {
      this.drawn = true;
      this.draw();
    };
    this.limit.addEventListener("input", redraw);
    this.choices.forEach((choice) => choice.addEventListener("change", redraw));
    if (this.opacity) this.opacity.addEventListener("input", () => this.shine());
    root.querySelector(".reset").addEventListener("click", () => {
      this.limit.value = 0;
      if (this.opacity) this.opacity.value = 85;
      this.choices[0].checked = true;
      redraw();
      this.shine();
    });
    root.hidden = false;
    this.shine();
    this.tell();
  }

  shine() {
    if (!this.opacity) return;
    this.cards[0].parentElement.style.setProperty("--opacity", this.opacity.value / 100);
    this.opacity.parentElement.querySelector("output").textContent = `${this.opacity.value} %`;
  }

  common() {
    return this.choices[1].checked;
  }

  // One scale for all starts at the median of their own limits.
  reference(method) {
    if (!this.common()) return this.row.methods[method].limit;
    const limits = this.row.methods.map((m) => m.limit).sort((a, b) => a - b);
    return limits[Math.floor(limits.length / 2)];
  }

  factor() {
    return Math.pow(10, this.limit.value / 50);  // from a hundredth to a hundred times
  }

  tell() {
    const factor = this.factor();
    const text = this.common()
      ? `± ${Number((this.reference(0) * factor).toPrecision(3))}`
      : `${Number(factor.toPrecision(2))} × each`;
    this.limit.parentElement.querySelector("output").textContent = text;
    this.limit.setAttribute("aria-valuetext", text);
  }

  draw() {
    this.tell();
    this.canvases.forEach((canvas, method) => {
      const limit = this.reference(method) * this.factor();
      this.paint(canvas, this.row.shown(method), limit);
      canvas.hidden = false;
      const picture = canvas.parentElement.querySelector("img.heat");
      if (picture) picture.hidden = true;
      this.cards[method].querySelector(".low").textContent = signed(-limit, 3);
      this.cards[method].querySelector(".high").textContent = signed(limit, 3);
    });
  }

  paint(canvas, values, limit) {
    const context = canvas.getContext("2d", { willReadFrequently: true });  // small, and set pixel by pixel
    const image = context.createImageData(canvas.width, canvas.height);
    for (let i = 0; i < values.length; ++i) {
      const value = values[i];
      const rgb = value === null ? nobody : color(limit > 0 ? value / limit : 0);
      image.data.set(rgb, 4 * i);
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
  }

  listen(frame) {
    const pixelOf = (event) => {
      const box = frame.getBoundingClientRect();
      const x = Math.floor(((event.clientX - box.left) / box.width) * this.row.width);
      const y = Math.floor(((event.clientY - box.top) / box.height) * this.row.height);
      return Math.max(0, Math.min(this.row.height - 1, y)) * this.row.width +
        Math.max(0, Math.min(this.row.width - 1, x));
    };
    frame.addEventListener("pointermove", (event) => {
      if (!this.held) this.show(pixelOf(event));
    });
    frame.addEventListener("pointerdown", (event) => {
      const pixel = pixelOf(event);
      this.held = !(this.held && pixel === this.at);
      this.show(pixel);
    });
    frame.addEventListener("pointerleave", (event) => {
      if (!this.held && event.pointerType === "mouse" && document.activeElement !== frame) this.clear();
    });
    frame.addEventListener("focus", () => {
      this.frames.forEach((other) => (other.tabIndex = other === frame ? 0 : -1));
      if (this.at === null && frame.matches(":focus-visible")) this.show(this.strongest(this.frames.indexOf(frame)));
    });
    frame.addEventListener("keydown", (event) => this.key(event));
  }

  strongest(method) {
    const values = this.row.shown(method);
    let best = 0;
    for (let i = 0; i < values.length; ++i) if (Math.abs(values[i]) > Math.abs(values[best])) best = i;
    return best;
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === "Escape") {
      this.held = false;
      this.clear();
      return;
    }
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.at === null ? 0 : this.at;
    const far = event.shiftKey ? 8 : 1;
    const x = Math.max(0, Math.min(this.row.width - 1, (at % this.row.width) + far * step[0]));
    const y = Math.max(0, Math.min(this.row.height - 1, Math.floor(at / this.row.width) + far * step[1]));
    this.held = true;
    this.show(y * this.row.width + x);
  }

  place(pixel) {
    const player = this.row.playerAt(pixel);
    const own = player >= 0 ? this.row.name(player) : "no part of what is explained";
    if (this.row.kind !== "image") {
      const at = this.row.place.get(player);
      return this.row.texts && at !== undefined ? `${own} = ${this.row.texts[at]}` : own;
    }
    // Counted from 1, as people do: from the top and from the left.
    const where = `row ${Math.floor(pixel / this.row.width) + 1}, column ${(pixel % this.row.width) + 1}`;
    if (this.row.pixels || player === undefined) return `Pixel in ${where}`;
    return player < 0 ? `Pixel in ${where}: ${own}` : `Pixel in ${where}, of the ${this.row.noun} “${own}”`;
  }

  show(pixel) {
    if (pixel === this.at) return;
    this.at = pixel;
    const player = this.row.playerAt(pixel);
    const path = this.row.outline(pixel);
    this.frames.forEach((frame) => all(".cursor path", frame).forEach((line) => line.setAttribute("d", path)));
    const list = this.article.querySelector(".values");
    list.replaceChildren();
    this.cards.forEach((card, method) => {
      const here = this.row.shown(method)[pixel];
      const whole = player >= 0 ? this.row.value(method, player) : null;
      const differs = this.row.owners && whole !== null && here !== null &&
        Math.abs(whole - here) > 1e-3 * Math.max(Math.abs(whole), Math.abs(here));
      this.read(card, differs ? `pixel ${signed(here, 3)}, ${this.row.noun}` : "value", differs ? whole : here, here, whole);
      const item = element("li");
      item.append(element("span", "", this.row.methods[method].title),
        element("span", "number", signed(differs ? whole : here)));
      list.append(item);
    });
    this.article.querySelector(".readout .place").textContent = this.place(pixel) + (this.held ? " (held)" : "");
    mark(this.article, player);
  }

  read(card, at, value, here, whole) {
    const reading = card.querySelector(".value");
    card.querySelector(".at").textContent = at;
    reading.textContent = signed(value);
    reading.dataset.pixel = here === null || here === undefined ? "" : here;
    reading.dataset.player = whole === null || whole === undefined ? "" : whole;
  }

  clear() {
    this.at = null;
    all(".cursor path", this.article).forEach((line) => line.removeAttribute("d"));
    this.cards.forEach((card) => {
      const reading = card.querySelector(".value");
      card.querySelector(".at").textContent = "sum";
      reading.textContent = reading.dataset.sum;
      delete reading.dataset.pixel;
      delete reading.dataset.player;
    });
    this.article.querySelector(".values").replaceChildren();
    this.article.querySelector(".readout .place").textContent =
      "Point at a map, or go to it with Tab and move with the arrow keys.";
    mark(this.article, -1);
  }
}

// The player's line in every table and chart of the row.
function mark(article, player) {
  all(".hot", article).forEach((old) => old.classList.remove("hot"));
  if (player >= 0) all(`[data-player="${player}"]:not(.value)`, article).forEach((own) => own.classList.add("hot"));
}
