// Numbers of a row.

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
    return at === undefined ? `${this.noun} ${player + 1}` : this.names[at];
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
