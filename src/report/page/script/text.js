// Texts: the token that is pointed at, in every method.

class Tokens {
  constructor(article, row) {
    this.row = row;
    this.article = article;
    this.readout = article.querySelector(".over-tokens");
    if (!this.readout) return;
    this.readout.hidden = false;
    listValues(this.readout, row.methods, () => null);
    all(".tokens", article).forEach((text) => this.listen(text));
  }

  listen(text) {
    const tokens = all(".token[data-player]", text);
    let at = -1;
    text.addEventListener("pointerover", (event) => {
      const token = event.target.closest(".token[data-player]");
      if (token) this.show(token, null);
    });
    text.addEventListener("pointerleave", () => {
      if (document.activeElement !== text) this.clear();
    });
    text.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -tokens.length, End: tokens.length };
      if (event.key === "Escape") return this.clear();
      if (!(event.key in moves) || tokens.length === 0) return;
      event.preventDefault();
      at = Math.max(0, Math.min(tokens.length - 1, at + moves[event.key]));
      this.show(tokens[at], tokens[at]);
    });
    text.addEventListener("blur", () => this.clear());
  }

  // `here`: the token among those of its player, if the keys chose it.
  show(token, here) {
    const player = Number(token.dataset.player);
    all(".token.here", this.article).forEach((old) => old.classList.remove("here"));
    if (here) here.classList.add("here");
    const at = this.row.place.get(player);
    const about = this.row.texts && at !== undefined ? ` (${this.row.texts[at]})` : "";
    this.readout.querySelector(".place").textContent = `“${token.textContent}”: ${this.row.name(player)}${about}`;
    listValues(this.readout, this.row.methods, (m) => this.row.value(m, player));
    mark(this.article, player);
  }

  clear() {
    all(".token.here", this.article).forEach((old) => old.classList.remove("here"));
    this.readout.querySelector(".place").textContent =
      "Point at a token, or go to a text with Tab and move with the arrow keys.";
    listValues(this.readout, this.row.methods, () => null);
    mark(this.article, -1);
  }
}
