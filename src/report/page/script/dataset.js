// The page about many rows: dots that can be read, pictures that can be saved, a method that can be chosen.

const plain = (value) => (value === null || value === undefined ? "–" : Number(value.toPrecision(5)).toString());

function valueText(feature, value) {
  const known = feature.categories.length > 0 && value !== null ? feature.categories[value] : undefined;
  return known === undefined ? plain(value) : known;
}

// The dots of one picture. `features` of a swarm are told by their height: dots come feature by feature.
class Dots {
  constructor(picture) {
    this.svg = picture.querySelector("svg");
    this.line = picture.querySelector(".reading");
    this.method = Number(picture.dataset.method);
    const cell = picture.closest("[data-feature]");
    const circles = all("circle[data-i]", this.svg);
    if (circles.length === 0) return;
    let feature = 0, last = -1;
    this.dots = circles.map((circle) => {
      const row = Number(circle.dataset.i);
      if (row <= last) feature += 1;  // rows rise within a feature
      last = row;
      return {
        circle, row, feature: cell ? Number(cell.dataset.feature) : feature,
        x: Number(circle.getAttribute("cx")), y: Number(circle.getAttribute("cy")),
      };
    });
    this.rest = "Point at a dot, or use the arrow keys.";
    this.line.textContent = this.rest;
    this.svg.setAttribute("tabindex", "0");
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.show(null));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("blur", () => this.show(null));
  }

  point(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    let nearest = null, least = 14 * 14;
    for (const dot of this.dots) {
      const distance = (dot.x - at.x) ** 2 + (dot.y - at.y) ** 2;
      if (distance < least) [nearest, least] = [dot, distance];
    }
    this.show(nearest);
  }

  // Left and right: the next dot of the feature; up and down: the feature above or below.
  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Escape") this.show(null);
    if (!step) return;
    event.preventDefault();
    const own = this.hot || this.dots[0];
    const inside = (feature) => this.dots.filter((dot) => dot.feature === feature).sort((a, b) => a.x - b.x || a.row - b.row);
    if (!this.hot) return this.show(inside(own.feature)[0]);
    if (step[1] !== 0) {
      const others = inside(own.feature + step[1]);
      if (others.length === 0) return;
      return this.show(others.reduce((a, b) => (Math.abs(b.x - own.x) < Math.abs(a.x - own.x) ? b : a)));
    }
    const list = inside(own.feature);
    this.show(list[Math.max(0, Math.min(list.length - 1, list.indexOf(own) + step[0]))]);
  }

  show(dot) {
    if (this.hot) this.hot.circle.classList.remove("hot");
    this.hot = dot;
    if (!dot) {
      this.line.textContent = this.rest;
      return;
    }
    dot.circle.classList.add("hot");
    const row = data.rows[dot.row], feature = data.features[dot.feature];
    const value = row.values[dot.feature];
    const parts = [`row ${row.number}`];
    if (value !== null) parts.push(`${feature.name} = ${valueText(feature, value)}`);
    else parts.push(feature.name);
    parts.push(`attribution ${signed(row.attributions[this.method][dot.feature], 5)}`);
    parts.push(`output ${plain(row.output)}${row.target ? ` (${row.target})` : ""}`);
    this.line.textContent = parts.join(", ");
  }
}

// What the picture looks like on paper: on white, with its own colours.
function saving(link) {
  link.hidden = false;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const svg = link.closest(".picture").querySelector("svg").cloneNode(true);
    const [, , width, height] = svg.getAttribute("viewBox").split(" ");
    svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    svg.setAttribute("height", height);
    svg.setAttribute("font-family", "Helvetica, Arial, 'DejaVu Sans', 'Liberation Sans', sans-serif");
    svg.removeAttribute("tabindex");
    const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    ground.setAttribute("width", width);
    ground.setAttribute("height", height);
    ground.setAttribute("fill", "#ffffff");
    svg.prepend(ground);
    const address = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }));
    const made = element("a");
    made.href = address;
    made.download = link.getAttribute("download");
    made.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });
  if (!link.hasAttribute("href")) link.setAttribute("href", "#");
}

// One method at a time.
function choosing() {
  const select = document.getElementById("method");
  if (!select) return;
  const swarms = all(".swarm");
  const show = () => swarms.forEach((swarm) => {
    swarm.hidden = swarm.dataset.method !== select.value;
    if (swarm.tagName === "DETAILS") swarm.open = true;
  });
  select.value = String(data.trusted);
  select.addEventListener("change", show);
  select.closest(".choose-method").hidden = false;
  show();
}

function copyingCommand() {
  all(".copy").forEach((button) => {
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent).then(
        () => (button.textContent = "Copied"), () => (button.textContent = "Not allowed"));
    });
  });
}

theme();
choosing();
copyingCommand();
all("table.sortable").forEach(sortable);
all("a.save.svg").forEach(saving);
all(".picture").forEach((picture) => {
  if (picture.querySelector(".reading")) new Dots(picture);
});
let opened = [];
addEventListener("beforeprint", () => {
  opened = all("details.how:not([open])");
  opened.forEach((part) => (part.open = true));
});
addEventListener("afterprint", () => opened.forEach((part) => (part.open = false)));
document.documentElement.dataset.ready = "1";
