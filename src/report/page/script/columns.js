// Columns of wide tables: all of them, one at a time, or any choice. Columns that are not chosen are hidden by a style
// sheet for screens, so that lines that are sorted in or added follow, and paper has all of them.

const narrow = matchMedia("(max-width: 40rem)");

class Columns {
  constructor(table, number) {
    this.table = table;
    this.heads = all("thead tr:last-child > *", table).slice(1);  // the first column stays
    this.first = this.heads.map((head) => !head.classList.contains("later"));
    this.names = this.heads.map((head, i) => head.title || head.dataset.name || head.textContent.trim() || `column ${i + 1}`);
    this.own = null;  // the reader's choice
    this.style = element("style");
    this.style.media = "screen";
    document.head.append(this.style);
    table.id = table.id || `table${number}`;
    const frame = table.closest(".scroll");
    frame.before(this.controls(number));
    narrow.addEventListener("change", () => this.show());
    this.show();
  }

  controls(number) {
    const box = element("div", "choose");
    const label = element("label", "", "Columns ");
    this.select = element("select");
    label.htmlFor = this.select.id = `columns${number}`;
    ["All", "Some"].forEach((name, i) => this.option(name, i === 0 ? "all" : "some"));
    this.names.forEach((name, i) => this.option(`Only ${name}`, String(i)));
    this.select.addEventListener("change", () => this.pick(this.select.value));
    const details = element("details");
    details.append(element("summary", "", "Choose"));
    const list = element("fieldset");
    list.append(element("legend", "hidden", "Columns of the table"));
    this.boxes = this.names.map((name, i) => {
      const line = element("label", "choice");
      const input = element("input");
      input.type = "checkbox";
      input.addEventListener("change", () => this.turn(i, input.checked));
      line.append(input, ` ${name}`);
      list.append(line);
      return input;
    });
    details.append(list);
    box.append(label, this.select, details);
    return box;
  }

  option(name, value) {
    const made = element("option", "", name);
    made.value = value;
    this.select.append(made);
  }

  // What a window of this width shows as long as nobody has chosen.
  shown() {
    if (this.own) return this.own;
    return narrow.matches && this.first.includes(true) ? this.first : this.names.map(() => true);
  }

  pick(value) {
    if (value === "all") this.own = this.names.map(() => true);
    else if (value === "some") this.own = this.first.includes(false) ? this.first.slice() : this.shown().slice();
    else this.own = this.names.map((_, i) => i === Number(value) || this.isValue(i));
    this.show();
  }

  // The value of a feature belongs to its name.
  isValue(i) {
    return this.table.classList.contains("players") && this.heads[i].dataset.sort === undefined;
  }

  turn(i, on) {
    this.own = this.shown().slice();
    this.own[i] = on;
    this.show();
  }

  show() {
    const shown = this.shown();
    const off = shown.flatMap((on, i) => (on ? [] : [`#${CSS.escape(this.table.id)} tr > :nth-child(${i + 2})`]));
    this.style.textContent = off.length > 0 ? `${off.join(",")}{display:none}` : "";
    this.boxes.forEach((box, i) => (box.checked = shown[i]));
    const chosen = shown.flatMap((on, i) => (on && !this.isValue(i) ? [i] : []));
    if (off.length === 0) this.select.value = "all";
    else this.select.value = chosen.length === 1 ? String(chosen[0]) : "some";
  }
}
