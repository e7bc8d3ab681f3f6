// A table's row: each column can be given another value, or be hidden.

class ColumnsStage {
  constructor(root, open, change) {
    this.open = open;
    this.change = change;
    one("mask-tools").replaceChildren();
    const table = element("table", "columns-table");
    const head = element("tr");
    ["Column", "Value", "Hide"].forEach((text) => {
      const cell = element("th", "", text);
      cell.scope = "col";
      head.append(cell);
    });
    table.append(element("thead"), element("tbody"));
    table.tHead.append(head);
    this.lines = open.columns.map((column, place) => this.line(table.tBodies[0], column, place));
    const frame = element("div", "scroll");
    frame.append(table);
    root.replaceChildren(frame);
    this.draw();
  }

  line(body, column, place) {
    const row = element("tr");
    const name = element("th", "", column.name);
    name.scope = "row";
    name.id = `column-${place}`;
    const value = column.categories ? this.choice(column) : this.number();
    value.setAttribute("aria-labelledby", name.id);
    value.addEventListener("change", () => {
      const given = Number(value.value);
      const whole = value.value.trim() !== "" && Number.isFinite(given);
      this.change.begin();
      if (!whole || given === column.value) this.change.replaced.delete(place);
      else this.change.replaced.set(place, given);
      this.change.set(place, false);
      this.change.told();
    });
    const hide = element("input");
    hide.type = "checkbox";
    const shown = column.categories ? column.categories[column.baseline] || plain(column.baseline) : plain(column.baseline);
    hide.setAttribute("aria-label", `Hide ${column.name}: it becomes ${shown}`);
    hide.addEventListener("change", () => {
      this.change.begin();
      this.change.set(place, hide.checked);
      this.change.told();
    });
    const label = element("label", "choice");
    label.append(hide, element("span", "faint", ` becomes ${shown}`));
    [name, element("td"), element("td")].forEach((cell) => row.append(cell));
    row.children[1].append(value);
    row.children[2].append(label);
    body.append(row);
    return { row, value, hide, place, column };
  }

  number() {
    const input = element("input");
    input.type = "number";
    input.step = "any";
    return input;
  }

  choice(column) {
    const select = element("select");
    column.categories.forEach((text, code) => {
      const option = element("option", "", text);
      option.value = code;
      select.append(option);
    });
    return select;
  }

  draw() {
    for (const { row, value, hide, place, column } of this.lines) {
      const now = this.change.replaced.has(place) ? this.change.replaced.get(place) : column.value;
      if (document.activeElement !== value || Number(value.value) !== now) {
        value.value = column.categories ? String(now) : String(Number(now.toPrecision(7)));
      }
      hide.checked = this.change.masked[place] === 1;
      value.disabled = hide.checked;
      row.className = hide.checked ? "is-hidden" : this.change.replaced.has(place) ? "is-changed" : "";
    }
  }

  hint() {
    return "Type another value into a column, or hide the column.";
  }

  amount() {
    const hidden = this.change.count();
    const changed = this.change.replaced.size;
    if (hidden + changed === 0) return "Nothing is changed.";
    return `${hidden} of ${this.change.places} columns hidden, ${changed} given another value.`;
  }
}
