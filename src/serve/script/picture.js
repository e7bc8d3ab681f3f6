// A picture: cells of a grid, or a brush, mask pixels. What is masked shows what it becomes.

class PictureStage {
  constructor(root, open, change, changeRegions) {
    this.open = open;
    this.change = change;
    this.width = open.image.width;
    this.height = open.image.height;
    this.at = [0, 0];  // of the keyboard: a cell
    this.regions = PictureStage.regions;
    this.changeRegions = changeRegions;
    this.build(root);
  }

  // Cells along a side, as far as there are pixels; the program cuts in the same places.
  cells() {
    return [Math.min(PictureStage.regions, this.height), Math.min(PictureStage.regions, this.width)];
  }

  build(root) {
    this.frame = element("div", "stage-frame");
    this.frame.style.aspectRatio = `${this.width} / ${this.height}`;
    this.frame.tabIndex = 0;
    this.frame.setAttribute("role", "application");
    this.frame.setAttribute("aria-roledescription", "picture whose parts can be hidden");
    this.frame.setAttribute("aria-label",
      `${this.open.source}. Arrow keys move, space hides or shows, U takes the last step back.`);
    const picture = element("img");
    picture.src = this.open.image.picture;
    picture.alt = "";
    picture.draggable = false;
    this.canvas = element("canvas");
    this.canvas.width = this.width;
    this.canvas.height = this.height;
    this.lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.lines.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.lines.setAttribute("preserveAspectRatio", "none");
    this.lines.setAttribute("aria-hidden", "true");
    this.paths = ["edge under", "edge over", "cell under", "cell over", "hover"].map((name) => {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", name);
      this.lines.append(path);
      return path;
    });
    this.frame.append(picture, this.canvas, this.lines);
    root.replaceChildren(this.frame);
    this.tools();
    this.listen();
    this.takeBaseline();
  }

  tools() {
    const tools = one("mask-tools");
    const mode = element("fieldset", "modes");
    mode.append(element("legend", "hidden", "How to hide"));
    this.modes = ["Regions", "Brush"].map((name, i) => {
      const label = element("label", "choice");
      const radio = element("input");
      radio.type = "radio";
      radio.name = "mode";
      radio.value = name.toLowerCase();
      radio.checked = PictureStage.brush === (i === 1);
      radio.addEventListener("change", () => {
        PictureStage.brush = this.modes[1].checked;
        this.showTools();
        this.draw();
      });
      label.append(radio, ` ${name}`);
      mode.append(label);
      return radio;
    });
    const sizes = [2, 3, 4, 5, 7, 10, 14, 28].filter((n) => n <= Math.min(this.width, this.height));
    if (!sizes.includes(PictureStage.regions)) PictureStage.regions = sizes[sizes.length - 1] || 1;
    this.size = element("select");
    this.size.id = "regions";
    sizes.forEach((n) => {
      const option = element("option", "", `${n} by ${n} regions`);
      option.value = n;
      option.selected = n === PictureStage.regions;
      this.size.append(option);
    });
    this.size.addEventListener("change", () => {
      PictureStage.regions = Number(this.size.value);
      this.at = [0, 0];
      this.changeRegions();
    });
    this.size.setAttribute("aria-label", "Size of the regions");
    this.thick = element("input");
    this.thick.type = "range";
    this.thick.min = 1;
    this.thick.max = Math.max(2, Math.round(Math.max(this.width, this.height) / 4));
    this.thick.value = Math.max(1, Math.round(Math.max(this.width, this.height) / 12));
    this.thick.setAttribute("aria-label", "Size of the brush in pixels");
    this.thick.addEventListener("input", () => this.draw());
    tools.replaceChildren(mode, this.size, this.thick);
    this.showTools();
  }

  showTools() {
    this.thick.hidden = !PictureStage.brush;
    this.size.hidden = PictureStage.brush;
  }

  takeBaseline() {
    this.baseline = null;
    this.draw();
    if (!this.open.image.baseline) return;
    const picture = new Image();
    picture.addEventListener("load", () => {
      const copy = element("canvas");
      copy.width = this.width;
      copy.height = this.height;
      const context = copy.getContext("2d");
      context.drawImage(picture, 0, 0);
      this.baseline = context.getImageData(0, 0, this.width, this.height).data;
      this.draw();
    });
    picture.src = this.open.image.baseline;
  }

  // ---- places ----

  cellOf(x, y) {
    const [rows, columns] = this.cells();
    // As the program does: cell r holds the rows from floor(r height / rows) on.
    const find = (value, size, count) => {
      let cell = Math.min(count - 1, Math.floor((value * count) / size));
      while (cell + 1 < count && Math.floor(((cell + 1) * size) / count) <= value) ++cell;
      while (cell > 0 && Math.floor((cell * size) / count) > value) --cell;
      return cell;
    };
    return [find(y, this.height, rows), find(x, this.width, columns)];
  }

  box([row, column]) {
    const [rows, columns] = this.cells();
    const edge = (cell, size, count) => Math.floor((cell * size) / count);
    return [edge(column, this.width, columns), edge(row, this.height, rows),
      edge(column + 1, this.width, columns), edge(row + 1, this.height, rows)];
  }

  // The pixels that are painted at this one.
  reached(x, y) {
    const found = [];
    if (!PictureStage.brush) {
      const [x0, y0, x1, y1] = this.box(this.cellOf(x, y));
      for (let v = y0; v < y1; ++v) for (let u = x0; u < x1; ++u) found.push(v * this.width + u);
      return found;
    }
    const radius = Number(this.thick.value) / 2;
    for (let v = Math.max(0, Math.ceil(y - radius)); v <= Math.min(this.height - 1, y + radius); ++v) {
      for (let u = Math.max(0, Math.ceil(x - radius)); u <= Math.min(this.width - 1, x + radius); ++u) {
        if ((u - x) ** 2 + (v - y) ** 2 <= Math.max(0.25, radius ** 2)) found.push(v * this.width + u);
      }
    }
    return found;
  }

  // ---- mouse, finger and keys ----

  listen() {
    const pixel = (event) => {
      const box = this.frame.getBoundingClientRect();
      const clamp = (value, size) => Math.max(0, Math.min(size - 1, Math.floor(value * size)));
      return [clamp((event.clientX - box.left) / box.width, this.width), clamp((event.clientY - box.top) / box.height, this.height)];
    };
    this.frame.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      this.frame.focus({ preventScroll: true });
      this.frame.setPointerCapture(event.pointerId);
      const [x, y] = pixel(event);
      this.change.begin();
      this.value = !this.change.masked[y * this.width + x];
      this.last = [x, y];
      this.byMouse = true;
      this.paint(x, y);
    });
    this.frame.addEventListener("pointermove", (event) => {
      const [x, y] = pixel(event);
      this.hover(x, y);
      if (!this.last) return;
      const [u, v] = this.last;
      const steps = Math.max(Math.abs(x - u), Math.abs(y - v), 1);
      for (let i = 1; i <= steps; ++i) this.paint(Math.round(u + ((x - u) * i) / steps), Math.round(v + ((y - v) * i) / steps), i < steps);
      this.last = [x, y];
    });
    const end = () => (this.last = null);
    this.frame.addEventListener("pointerleave", () => this.paths[4].removeAttribute("d"));
    this.frame.addEventListener("pointerup", end);
    this.frame.addEventListener("pointercancel", end);
    this.frame.addEventListener("keydown", (event) => this.key(event));
    this.frame.addEventListener("focus", () => {
      this.byMouse = !this.frame.matches(":focus-visible");
      this.drawCell();
    });
    this.frame.addEventListener("blur", () => this.drawCell());
  }

  // What a click would reach.
  hover(x, y) {
    const [x0, y0, x1, y1] = this.box(this.cellOf(x, y));
    const radius = PictureStage.brush ? Number(this.thick.value) / 2 : 0;
    this.paths[4].setAttribute("d", PictureStage.brush
      ? `M${x + 0.5 - radius} ${y + 0.5}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`
      : `M${x0} ${y0}H${x1}V${y1}H${x0}z`);
  }

  paint(x, y, silent) {
    this.at = this.cellOf(x, y);
    this.reached(x, y).forEach((place) => this.change.set(place, this.value));
    if (!silent) this.change.told();
  }

  key(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const [rows, columns] = this.cells();
    if (event.key === "u" || event.key === "U") return this.change.undo();
    if (steps[event.key]) {
      event.preventDefault();
      this.byMouse = false;
      const [down, right] = steps[event.key];
      this.at = [Math.max(0, Math.min(rows - 1, this.at[0] + down)), Math.max(0, Math.min(columns - 1, this.at[1] + right))];
      this.drawCell();
      return this.say();
    }
    if (event.key !== " " && event.key !== "Enter") return undefined;
    event.preventDefault();
    this.byMouse = false;
    const [x0, y0, x1, y1] = this.box(this.at);
    this.change.begin();
    const on = !this.change.masked[y0 * this.width + x0];
    for (let y = y0; y < y1; ++y) for (let x = x0; x < x1; ++x) this.change.set(y * this.width + x, on);
    return this.change.told();
  }

  say() {
    const [x0, y0] = this.box(this.at);
    const masked = this.change.masked[y0 * this.width + x0] ? "hidden" : "shown";
    one("masked-count").textContent = `Row ${this.at[0] + 1}, column ${this.at[1] + 1} of the regions: ${masked}.`;
  }

  // ---- drawing ----

  draw() {
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    const image = context.createImageData(this.width, this.height);
    let path = "";
    const masked = (x, y) => x >= 0 && y >= 0 && x < this.width && y < this.height && this.change.masked[y * this.width + x] === 1;
    for (let y = 0; y < this.height; ++y) {
      for (let x = 0; x < this.width; ++x) {
        if (!masked(x, y)) continue;
        const i = 4 * (y * this.width + x);
        if (this.baseline) image.data.set(this.baseline.subarray(i, i + 3), i);
        else image.data.fill((x + y) % 4 < 2 ? 150 : 110, i, i + 3);
        image.data[i + 3] = 255;
        if (!masked(x, y - 1)) path += `M${x} ${y}h1`;
        if (!masked(x, y + 1)) path += `M${x} ${y + 1}h1`;
        if (!masked(x - 1, y)) path += `M${x} ${y}v1`;
        if (!masked(x + 1, y)) path += `M${x + 1} ${y}v1`;
      }
    }
    context.putImageData(image, 0, 0);
    this.paths[0].setAttribute("d", path);
    this.paths[1].setAttribute("d", path);
    this.drawCell();
  }

  drawCell() {
    const shown = document.activeElement === this.frame && !this.byMouse;
    const [x0, y0, x1, y1] = this.box(this.at);
    const path = shown ? `M${x0} ${y0}H${x1}V${y1}H${x0}z` : "";
    this.paths[2].setAttribute("d", path);
    this.paths[3].setAttribute("d", path);
  }

  hint() {
    return "Paint over the picture to hide parts of it; paint over hidden parts to show them again. Hidden parts become " +
      "what is chosen beside the picture.";
  }

  amount() {
    const count = this.change.count();
    return count === 0 ? "Nothing is hidden." : `${share(count / this.change.places)} of the picture is hidden.`;
  }
}
PictureStage.regions = 7;
PictureStage.brush = false;
