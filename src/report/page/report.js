// What the page does beyond being read: colours of the maps, reading values out, sorting, light and dark. The numbers
// are those of #report-data; every text goes into the page as text.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const colors = data.colors.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  const middle = (colors.length - 1) / 2;
  const nobody = [190, 190, 190];

  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const signed = (value, digits) => {
    if (value === null || value === undefined) return "–";
    const text = Number(value.toPrecision(digits || 4)).toString();
    return value > 0 ? "+" + text : text;
  };
  const color = (t) => colors[Math.round(middle + middle * Math.max(-1, Math.min(1, t)))];
  const element = (tag, name, text) => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // ---- light and dark ----

  function theme() {
    const root = document.documentElement;
    const button = document.getElementById("theme");
    const keep = (value) => {
      try {
        if (value === undefined) return localStorage.getItem("ascribe-theme");
        localStorage.setItem("ascribe-theme", value);
      } catch (error) {
        // A page from disk may have no storage; then the choice lasts as long as the page.
      }
      return null;
    };
    const kept = keep();
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
    const dark = () =>
      root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const name = () => {
      button.textContent = dark() ? "Light" : "Dark";
      button.setAttribute("aria-label", dark() ? "Switch to light colours" : "Switch to dark colours");
    };
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      keep(root.dataset.theme);
      name();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
    name();
    button.hidden = false;
  }

  // ---- numbers of a row ----

  function decode(map) {
    const bytes = Uint8Array.from(atob(map.data), (c) => c.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Float64Array.from({ length: bytes.length / 2 }, (_, i) => map.scale * view.getInt16(2 * i, true));
  }

  class Row {
    constructor(json) {
      Object.assign(this, json);
      this.place = new Map(this.players.map((player, i) => [player, i]));  // where a player is in the lists
      this.owners = this.owner ? this.unrolled() : null;
      this.maps = [];
      this.outlines = new Map();
    }

    unrolled() {
      const owners = new Int32Array(this.width * this.height);
      for (let run = 0, at = 0; run < this.owner.length; run += 2) {
        owners.fill(this.owner[run], at, (at += this.owner[run + 1]));
      }
      return owners;
    }

    playerAt(pixel) {
      if (this.owners) return this.owners[pixel];
      return this.kind === "image" && !this.pixels ? -1 : pixel;
    }

    value(method, player) {
      const at = this.place.get(player);
      return at === undefined ? null : this.methods[method].values[at];
    }

    name(player) {
      const at = this.place.get(player);
      return at === undefined ? `player ${player}` : this.names[at];
    }

    // What a map shows, by pixel; null: nobody owns it.
    shown(method) {
      if (!this.maps[method]) {
        const map = this.methods[method].map;
        if (map) {
          this.maps[method] = decode(map);
        } else {
          this.maps[method] = Array.from({ length: this.width * this.height }, (_, pixel) => {
            const player = this.playerAt(pixel);
            return player < 0 ? null : this.value(method, player);
          });
        }
      }
      return this.maps[method];
    }

    // The sides of a player's pixels, as a path; of a single pixel if it has no player.
    outline(pixel) {
      const player = this.playerAt(pixel);
      const x = pixel % this.width;
      const y = Math.floor(pixel / this.width);
      if (player < 0 || !this.owners) return `M${x} ${y}h1v1h-1z`;
      if (!this.outlines.has(player)) this.outlines.set(player, this.around(player));
      return this.outlines.get(player);
    }

    around(player) {
      const inside = (x, y) =>
        x >= 0 && y >= 0 && x < this.width && y < this.height && this.owners[y * this.width + x] === player;
      let path = "";
      for (let y = 0; y < this.height; ++y) {
        for (let x = 0; x < this.width; ++x) {
          if (!inside(x, y)) continue;
          if (!inside(x, y - 1)) path += `M${x} ${y}h1`;
          if (!inside(x, y + 1)) path += `M${x} ${y + 1}h1`;
          if (!inside(x - 1, y)) path += `M${x} ${y}v1`;
          if (!inside(x + 1, y)) path += `M${x + 1} ${y}v1`;
        }
      }
      return path;
    }

    firstPixel(player) {
      if (!this.owners) return player;
      return this.owners.indexOf(player);
    }
  }

  // ---- maps ----

  class Maps {
    constructor(article, row) {
      this.row = row;
      this.article = article;
      this.cards = all(".maps:not(.triples) > .card", article);
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
      const own = player >= 0 ? this.row.name(player) : "nobody's";
      if (this.row.kind !== "image") {
        const at = this.row.place.get(player);
        return this.row.texts && at !== undefined ? `${own} = ${this.row.texts[at]}` : own;
      }
      const where = `row ${Math.floor(pixel / this.row.width)}, column ${pixel % this.row.width}`;
      return this.row.pixels || player === undefined ? `Pixel at ${where}` : `Pixel at ${where}, of player ${own}`;
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
        this.read(card, differs ? `pixel ${signed(here, 3)}, player` : "value", differs ? whole : here, here, whole);
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

  // ---- tables ----

  // Heads become buttons; `sort(column, descending)` does the work.
  function heads(table, sort) {
    const cells = all("thead th", table);
    cells.forEach((cell, column) => {
      if (!cell.dataset.sort) return;
      const button = element("button", "", cell.textContent);
      button.type = "button";
      cell.replaceChildren(button);
      button.addEventListener("click", () => {
        const descending = cell.getAttribute("aria-sort") !== "descending";
        cells.forEach((other) => other.removeAttribute("aria-sort"));
        cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(column, descending);
      });
    });
  }

  const compare = (a, b, descending) => {
    const none = (value) => value === null || value === undefined || Number.isNaN(value) || value === "";
    if (none(a) || none(b)) return none(a) - none(b);  // what has no number comes last, always
    const order = typeof a === "string" || typeof b === "string"
      ? String(a).localeCompare(String(b), undefined, { numeric: true })
      : a - b;
    return descending ? -order : order;
  };

  function sortable(table) {
    const key = (line, column) => {
      const cell = line.cells[column];
      return cell.dataset.v === undefined || cell.tagName === "TH" ? cell.textContent : parseFloat(cell.dataset.v);
    };
    heads(table, (column, descending) => {
      const body = table.tBodies[0];
      body.append(...Array.from(body.rows).sort((a, b) => compare(key(a, column), key(b, column), descending)));
    });
  }

  class PlayersTable {
    constructor(article, row, point) {
      this.row = row;
      this.table = article.querySelector("table.players");
      this.body = this.table.tBodies[0];
      this.few = this.body.rows.length;
      this.most = this.few;
      this.order = row.players.map((_, i) => i);  // places in the lists; at first the strongest first
      this.article = article;
      this.button = article.querySelector(".more .all");
      heads(this.table, (column, descending) => this.sort(column, descending));
      if (this.button) {
        this.button.hidden = false;
        if (row.players.length < row.count) this.button.textContent = `Show the strongest ${row.players.length}`;
        this.first = this.button.textContent;
        this.button.addEventListener("click", () => this.toggle());
      }
      this.body.addEventListener("pointerover", (event) => {
        const line = event.target.closest("tr");
        if (line) point(Number(line.dataset.player));
      });
    }

    sort(column, descending) {
      const method = column - (this.row.texts ? 2 : 1);
      const key = (i) => (column === 0 ? this.row.names[i] : this.row.methods[method].values[i]);
      this.order.sort((a, b) => compare(key(a), key(b), descending));
      this.fill();
    }

    toggle() {
      this.most = this.most === this.few ? this.order.length : this.few;
      this.button.textContent = this.most === this.few ? this.first : "Show fewer";
      this.fill();
    }

    fill() {
      this.body.replaceChildren(...this.order.slice(0, this.most).map((i) => this.line(i)));
      const shown = Math.min(this.most, this.order.length);
      this.article.querySelector(".more .faint").textContent = `${shown} of ${this.row.count} players.`;
    }

    line(i) {
      const line = element("tr");
      line.dataset.player = this.row.players[i];
      const head = element("th", "", this.row.names[i]);
      head.scope = "row";
      line.append(head);
      if (this.row.texts) line.append(element("td", "number", this.row.texts[i]));
      this.row.methods.forEach((method) => {
        const value = method.values[i];
        const cell = element("td", "number", signed(value));
        const rgb = color(method.largest > 0 ? (value || 0) / method.largest : 0);
        cell.style.background = `rgb(${rgb})`;
        cell.style.color = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 140 ? "#111" : "#fff";
        cell.dataset.v = value === null ? "" : value;
        line.append(cell);
      });
      return line;
    }
  }

  // ---- tables' bars ----

  function waterfalls(article) {
    const pick = article.querySelector(".pick");
    if (!pick) return;
    const select = pick.querySelector("select");
    const choose = () =>
      all(".waterfall", article).forEach((chart) => (chart.hidden = chart.dataset.method !== select.value));
    select.addEventListener("change", choose);
    pick.hidden = false;
    pick.parentElement.classList.add("chosen");
    choose();
  }

  // ---- the page ----

  function copying() {
    all(".copy").forEach((button) => {
      if (!navigator.clipboard) return;
      button.hidden = false;
      button.addEventListener("click", () => {
        navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent).then(() => {
          button.textContent = "Copied";
          setTimeout(() => (button.textContent = "Copy"), 1500);
        }, () => (button.textContent = "Not allowed"));
      });
    });
  }

  function printing() {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = all("details:not([open])");
      opened.forEach((part) => (part.open = true));
    });
    addEventListener("afterprint", () => opened.forEach((part) => (part.open = false)));
  }

  theme();
  copying();
  printing();
  all("table.sortable").forEach(sortable);
  all("article[data-row]").forEach((article) => {
    const row = new Row(data.rows[Number(article.dataset.row)]);
    const maps = ["table", "text", "series"].includes(row.kind) ? null : new Maps(article, row);
    const point = (player) => {
      if (maps && maps.cards.length > 0) {
        const pixel = row.firstPixel(player);
        if (pixel >= 0 && !maps.held) maps.show(pixel);
      } else {
        mark(article, player);
      }
    };
    new PlayersTable(article, row, point);
    waterfalls(article);
    if (!maps) {
      article.addEventListener("pointerover", (event) => {
        const own = event.target.closest("[data-player]");
        mark(article, own ? Number(own.dataset.player) : -1);
      });
    }
  });
  document.documentElement.dataset.ready = "1";
})();
