// Tables.

// Heads become buttons; `sort(column, descending)` does the work.
function heads(table, sort) {
  const cells = all("thead th", table);
  cells.forEach((cell, column) => {
    if (!cell.dataset.sort) return;
    const name = cell.textContent;
    const button = element("button", "", name);
    button.type = "button";
    cell.dataset.name = name;
    cell.replaceChildren(element("span", "printed", name), button);  // a button is not repeated on the next page
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
    this.article.querySelector(".more .faint").textContent = `${shown} of ${this.row.counted}.`;
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
      const cell = element("td", "number", signed(value, 3));
      const rgb = color(method.largest > 0 ? (value || 0) / method.largest : 0);
      cell.style.background = `rgb(${rgb})`;
      cell.style.color = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 140 ? "#111" : "#fff";
      cell.dataset.v = value === null ? "" : value;
      line.append(cell);
    });
    return line;
  }
}
