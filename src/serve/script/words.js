// A text: a click on a word takes it away, another brings it back.

class WordsStage {
  constructor(root, open, change) {
    this.open = open;
    this.change = change;
    one("mask-tools").replaceChildren();
    const text = element("p", "pieces");
    this.buttons = open.text.map((token, place) => {
      if (token.space) text.append(" ");
      const button = element("button", "piece", token.text === "" ? "·" : token.text);
      button.type = "button";
      button.addEventListener("click", () => {
        this.change.begin();
        this.change.set(place, !this.change.masked[place]);
        this.change.told();
      });
      text.append(button);
      return button;
    });
    root.replaceChildren(text);
    this.draw();
  }

  draw() {
    this.buttons.forEach((button, place) => button.setAttribute("aria-pressed", this.change.masked[place] ? "true" : "false"));
  }

  hint() {
    return "Click words to take them away; click again to bring them back.";
  }

  amount() {
    const count = this.change.count();
    return count === 0 ? "Nothing is taken away." : `${count} of ${this.change.places} words or pieces are taken away.`;
  }
}
