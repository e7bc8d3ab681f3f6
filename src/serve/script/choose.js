// Which row: by number, from the list, or of a file.

class Chooser {
  constructor(view) {
    this.view = view;
    this.first = 0;
    this.page = 20;
    one("by-number").hidden = data.count < 2;
    one("list").hidden = data.count < 2;
    one("previous").addEventListener("click", () => this.step(-1));
    one("next").addEventListener("click", () => this.step(1));
    one("row").addEventListener("change", () => this.go(Number(one("row").value)));
    one("list").addEventListener("toggle", () => {
      if (one("list").open) this.list(Math.floor(this.view.row / this.page) * this.page);
    });
    one("list-back").addEventListener("click", () => this.list(Math.max(0, this.first - this.page)));
    one("list-on").addEventListener("click", () => this.list(this.first + this.page));
    one("file").addEventListener("change", () => this.take(one("file").files[0]));
    if (one("read-text")) {
      one("read-text").addEventListener("click", () =>
        this.takeBy("Reading the text", () => ask("text", { text: one("text").value })));
    }
    this.dropping();
  }

  count() {
    return this.view.from === "file" ? this.fileCount || 0 : data.count;
  }

  step(by) {
    this.go(this.view.row + by);
  }

  go(row) {
    const last = this.count() - 1;
    if (last < 0) return;
    const wanted = Number.isFinite(row) ? Math.max(0, Math.min(last, Math.round(row))) : this.view.row;
    this.view.show(this.view.from, wanted);
  }

  // After a row was opened.
  told() {
    const count = this.count();
    one("by-number").hidden = count < 2;
    one("list").hidden = count < 2;
    one("row").value = this.view.row;
    one("row").max = Math.max(0, count - 1);
    one("of").textContent = `of 0 to ${count - 1}`;
    one("previous").disabled = this.view.row <= 0;
    one("next").disabled = this.view.row >= count - 1;
    all("#rows [aria-current]").forEach((old) => old.removeAttribute("aria-current"));
    const here = document.querySelector(`#rows [data-row="${this.view.row}"]`);
    if (here) here.setAttribute("aria-current", "true");
  }

  async list(first) {
    try {
      const answer = await status.during("Listing rows", () =>
        ask("rows", { from: this.view.from, first: Math.max(0, Math.min(first, this.count() - 1)), count: this.page }));
      this.first = answer.first;
      one("rows").replaceChildren(...answer.rows.map((row) => this.item(row)));
      one("list-back").disabled = answer.first === 0;
      one("list-on").disabled = answer.first + this.page >= answer.count;
      this.told();
    } catch (problem) {
      status.complain(problem);
    }
  }

  item(row) {
    const item = element("li");
    const button = element("button", "row-choice");
    button.type = "button";
    button.dataset.row = row.row;
    // "FILE row 7" says no more than its number.
    const name = row.name.endsWith(` row ${row.row}`) ? `Row ${row.row}` : `${row.row}: ${row.name}`;
    button.append(element("b", "", name), element("span", "faint", row.problem || row.said));
    button.addEventListener("click", () => this.go(row.row));
    item.append(button);
    return item;
  }

  dropping() {
    let inside = 0;
    const files = (event) => event.dataTransfer && Array.from(event.dataTransfer.types).includes("Files");
    const mark = () => document.body.classList.toggle("dropping", inside > 0);
    addEventListener("dragenter", (event) => {
      if (!files(event)) return;
      ++inside;
      mark();
    });
    addEventListener("dragleave", (event) => {
      if (!files(event)) return;
      inside = Math.max(0, inside - 1);
      mark();
    });
    addEventListener("dragover", (event) => {
      if (files(event)) event.preventDefault();
    });
    addEventListener("drop", (event) => {
      if (!files(event)) return;
      event.preventDefault();
      inside = 0;
      mark();
      this.take(event.dataTransfer.files[0]);
    });
  }

  async take(file) {
    if (!file) return;
    if (file.size > 64 * 1024 * 1024) {
      status.complain(new Problem("The file is larger than 64 MB.", "argument"));
      return;
    }
    await this.takeBy("Reading the file", () => ask(`file?name=${encodeURIComponent(file.name)}`, new Blob([file])));
    one("file").value = "";
  }

  async takeBy(doing, asking) {
    try {
      const answer = await status.during(doing, asking);
      this.fileCount = answer.count;
      one("rows").replaceChildren();
      one("list").open = false;
      await this.view.show("file", 0);
    } catch (problem) {
      status.complain(problem);
    }
  }
}
