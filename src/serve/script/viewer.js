// The viewer: one row, what is masked of it, and what the model says.

class View {
  constructor() {
    this.from = "data";
    this.row = 0;
    this.number = 0;  // of what was opened: answers to older questions are not shown
    this.target = "";
    this.baseline = "";
    this.chooser = new Chooser(this);
    this.explaining = new Explaining(this);
    this.lastChange = 0;
    this.asking = false;
    one("undo").addEventListener("click", () => this.change && this.change.undo());
    one("clear").addEventListener("click", () => this.change && this.change.clear());
    one("invert").addEventListener("click", () => this.change && this.change.invert());
    one("report").addEventListener("click", () => this.save());
    one("target").addEventListener("change", () => {
      this.target = one("target").value;
      this.again();
    });
    one("baseline").addEventListener("change", () => {
      this.baseline = one("baseline").value;
      this.again();
    });
  }

  question() {
    const question = { from: this.from, row: this.row };
    if (this.target !== "") question.target = this.target === "top" ? "top" : Number(this.target);
    if (this.baseline !== "") question.baseline = this.baseline;
    return question;
  }

  // With the regions of a picture, which methods that mask share it by.
  questionOfRegions() {
    const { image } = this.opened;
    if (!image || data.chose_players) return this.question();
    const { regions } = PictureStage;
    return { ...this.question(), regions: [Math.min(regions, image.height), Math.min(regions, image.width)] };
  }

  async show(from, row) {
    const before = [this.from, this.row, this.target, this.baseline];
    [this.from, this.row] = [from, row];
    this.target = "";
    if (from !== before[0]) this.baseline = "";
    if (!(await this.open(false))) [this.from, this.row, this.target, this.baseline] = before;
    this.chooser.told();
  }

  // Another question about the same row: what is masked stays.
  async again() {
    await this.open(true);
  }

  async open(keep) {
    const number = ++this.number;
    status.quiet();
    let answer;
    try {
      answer = await status.during("Opening", () => ask("open", this.question()));
      if (number !== this.number) return false;
    } catch (problem) {
      if (number === this.number) status.complain(problem);
      return false;
    }
    const kept = keep ? this.change : null;
    this.opened = answer;
    this.change = new Change(answer.places, () => this.changed());
    if (kept && kept.places === answer.places) {
      this.change.masked = kept.masked;
      this.change.replaced = kept.replaced;
      this.change.history = kept.history;
    }
    this.explaining.forget();
    this.build();
    return true;
  }

  build() {
    const { opened } = this;
    ["look", "why", "save"].forEach((id) => (one(id).hidden = false));
    one("look-heading").textContent = opened.source;
    const stages = { image: PictureStage, table: ColumnsStage, text: WordsStage };
    const Stage = stages[opened.kind] || LinesStage;
    this.stage = new Stage(one("stage"), opened, this.change, () => {
      this.explaining.forget();
      this.stage.draw();
    });
    one("mask-hint").textContent = this.stage.hint();
    this.targets();
    this.baselines();
    one("notes").hidden = opened.notes.length === 0;
    one("note-list").replaceChildren(...opened.notes.map((note) => element("li", "", note)));
    this.now = { output: opened.output, top: opened.top };
    this.tell();
    if (!this.change.untouched()) this.changed();
  }

  targets() {
    const { classes } = this.opened;
    const several = classes && classes.length > 1;
    const first = several ? "what the model puts first" : this.opened.explained;
    const options = [["", data.target === "top" ? first : `as started: ${data.target}`]];
    if (classes && classes.length > 1) {
      if (data.target !== "top") options.push(["top", "what the model puts first"]);
      classes.forEach((name, i) => options.push([String(i), name]));
    }
    this.fill(one("target"), options, this.target);
  }

  baselines() {
    const words = { zero: "zero", mean: "the mean", pad: "padding" };
    const usual = this.baseline === "" ? this.opened.baseline : this.usual || this.opened.baseline;
    if (this.baseline === "") this.usual = usual;
    const options = [["", words[usual] || usual]];
    const others = { image: ["zero", "mean", "blur"], series: ["zero", "mean"], sequence: ["zero", "mean"] }[this.opened.kind] || ["zero"];
    others.forEach((name) => {
      if (name === usual) return;
      if (name !== "blur") {
        options.push([name, words[name]]);
        return;
      }
      const sigma = Math.max(1, Math.round(Math.max(this.opened.image.width, this.opened.image.height) / 12));
      options.push([`blur:${sigma}`, "a blurred picture"]);
    });
    this.fill(one("baseline"), options, this.baseline);
  }

  fill(select, options, chosen) {
    select.replaceChildren(...options.map(([value, text]) => {
      const option = element("option", "", text);
      option.value = value;
      option.selected = value === chosen;
      return option;
    }));
    select.disabled = options.length < 2;
  }

  // ---- what the model says ----

  changed() {
    this.stage.draw();
    one("masked-count").textContent = this.stage.amount();
    this.lastChange = performance.now();
    this.ask();
  }

  // One question at a time: what changed meanwhile is asked next.
  async ask() {
    this.dirty = true;
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.dirty) {
        this.dirty = false;
        await pause(30);
        await this.askOnce();
      }
    } finally {
      this.asking = false;
    }
  }

  async askOnce() {
    const { number, change } = this;
    if (change.untouched()) {
      this.now = { output: this.opened.output, top: this.opened.top };
      this.tell();
      return;
    }
    document.body.classList.add("waiting");
    try {
      const answer = await ask("predict", { ...this.question(), ...change.asJson() });
      if (number !== this.number || this.change !== change) return;
      this.now = answer;
      this.tell();
    } catch (problem) {
      if (problem.kind === "cancelled") this.dirty = this.dirty || number === this.number;
      else status.complain(problem);
    } finally {
      document.body.classList.remove("waiting");
    }
  }

  async rest() {
    do await pause(200);
    while (this.asking || performance.now() - this.lastChange < 600);
  }

  nameOf(top) {
    return top.label !== null && top.label !== undefined ? top.label
      : top.probability === null ? `value ${top.index}` : `class ${top.index}`;
  }

  amountOf(top) {
    return top.probability === null ? plain(top.value) : share(top.probability);
  }

  // "Sandal (93.9 %)"; of a single number that number.
  saidOf(top, output) {
    if (top.length === 0) return plain(output);
    return top.length === 1 ? plain(top[0].value) : `${this.nameOf(top[0])} (${this.amountOf(top[0])})`;
  }

  sentence() {
    const { opened, now } = this;
    const first = now.top[0], before = opened.top[0];
    const said = this.saidOf(now.top, now.output);
    const classes = now.top.length > 1 && first.probability !== null;
    const what = now.top.length > 1 && !classes ? `the largest number is ${said}` : `the model says ${said}`;
    if (this.change.untouched()) return `${what[0].toUpperCase()}${what.slice(1)}.`;
    if (now.top.length < 2) return `Now ${what}; of the whole input it was ${this.saidOf(opened.top, opened.output)}.`;
    return before.index === first.index ? `Now ${what}. Of the whole input it is the same (${this.amountOf(before)}).`
      : `Now ${what}. Of the whole input it was ${this.saidOf(opened.top, opened.output)}.`;
  }

  tell() {
    const { opened, now } = this;
    one("answer").textContent = this.sentence();
    const change = now.output - opened.output;
    const facts = [["Explained", opened.explained], ["Whole input", plain(opened.output), "whole"],
      ["Now", plain(now.output), "now"], ["Change", signed(Math.abs(change) < 1e-12 ? 0 : change, 4), "change"],
      ["With everything hidden", plain(opened.baseline_output), "hidden"]];
    one("figures").replaceChildren(...facts.map(([name, value, id]) => {
      const pair = element("div");
      const shown = element("dd", "", value);
      if (id) shown.id = `figure-${id}`;
      pair.append(element("dt", "", name), shown);
      return pair;
    }));
    one("figure-now").dataset.value = now.output;
    this.bars();
    if (this.change.untouched()) one("masked-count").textContent = this.stage.amount();
  }

  bars() {
    const { opened, now } = this;
    const values = now.top.concat(opened.top);
    const likely = values.some((top) => top.probability !== null);
    const largest = Math.max(...values.map((top) => Math.abs(top.value)), 1e-300);
    const length = (top) => (likely ? top.probability : Math.max(0, top.value) / largest);
    const shown = opened.top.length > 1 ? now.top : [];
    one("top-hint").hidden = this.change.untouched() || shown.length === 0;
    one("top").replaceChildren(...shown.map((top) => {
      const item = element("div");
      item.setAttribute("role", "listitem");
      const bar = element("div", top.index === opened.target ? "bar target" : "bar");
      const track = element("span", "track");
      const fill = element("span", "fill plain");
      fill.style.left = 0;
      fill.style.width = `${100 * Math.max(0, Math.min(1, length(top)))}%`;
      track.append(fill);
      const before = opened.top.find((other) => other.index === top.index);
      if (before && !this.change.untouched()) {
        const line = element("span", "before");
        line.style.left = `${100 * Math.max(0, Math.min(1, length(before)))}%`;
        track.append(line);
      }
      bar.append(element("span", "name", this.nameOf(top)), track, element("span", "number", this.amountOf(top)));
      item.append(bar);
      return item;
    }));
  }

  // ---- the report ----

  async save() {
    status.quiet();
    one("saved").textContent = "";
    one("main").inert = true;
    try {
      await status.during("Making the report", async () => {
        const response = await ask("report", this.question());
        const page = await response.blob();
        const link = element("a");
        link.href = URL.createObjectURL(page);
        const named = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") || "");
        link.download = named ? named[1] : "report.html";
        link.click();
        one("saved").textContent = `${link.download} is in the folder of your downloads.`;
        setTimeout(() => URL.revokeObjectURL(link.href), 60000);
      });
    } catch (problem) {
      status.complain(problem);
    } finally {
      one("main").inert = false;
    }
  }
}

theme();
statusButtons();
const view = new View();
if (data.count > 0) view.show("data", 0).then(() => (document.documentElement.dataset.ready = "1"));
else document.documentElement.dataset.ready = "1";
