// What is masked or replaced, with every step kept to be undone. Places are those of study/open_row.h.

class Change {
  constructor(places, told) {
    this.places = places;
    this.told = told;
    this.masked = new Uint8Array(places);
    this.replaced = new Map();
    this.history = [];
  }

  // Before each thing that a person does.
  begin() {
    this.history.push([this.masked.slice(), new Map(this.replaced)]);
    if (this.history.length > 100) this.history.shift();
  }

  set(place, on) {
    if (place >= 0 && place < this.places) this.masked[place] = on ? 1 : 0;
  }

  undo() {
    const before = this.history.pop();
    if (!before) return;
    [this.masked, this.replaced] = before;
    this.told();
  }

  clear() {
    if (this.untouched()) return;
    this.begin();
    this.masked = new Uint8Array(this.places);
    this.replaced = new Map();
    this.told();
  }

  invert() {
    this.begin();
    this.masked = this.masked.map((on) => 1 - on);
    this.told();
  }

  count() {
    let sum = 0;
    for (const on of this.masked) sum += on;
    return sum;
  }

  untouched() {
    return this.replaced.size === 0 && this.count() === 0;
  }

  // A bit for each place, the first ones lowest.
  bits() {
    const bytes = new Uint8Array(Math.ceil(this.places / 8));
    this.masked.forEach((on, place) => {
      if (on) bytes[place >> 3] |= 1 << (place & 7);
    });
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(text);
  }

  asJson() {
    return { masked: this.bits(), replaced: Array.from(this.replaced) };
  }
}
