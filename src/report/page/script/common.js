// What the page does beyond being read; the files of this folder are joined in one function. The numbers are those of
// #report-data; every text goes into the page as text.
const data = JSON.parse(document.getElementById("report-data").textContent);
const colors = data.colors.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
const middle = (colors.length - 1) / 2;
const nobody = [190, 190, 190];

const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
const signed = (value, digits) => {
  if (value === null || value === undefined) return "–";
  const text = Number(value.toPrecision(digits || 4)).toString();
  return value > 0 ? "+" + text : text;
};
const color = (t) => colors[Math.round(middle + middle * Math.max(-1, Math.min(1, t)))];
const element = (tag, name, text) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
};

// Choices of the reader. A page from disk may have no storage; then they last as long as the page.
const kept = (name) => {
  try {
    return localStorage.getItem("ascribe-" + name);
  } catch (error) {
    return null;
  }
};
const keep = (name, value) => {
  try {
    localStorage.setItem("ascribe-" + name, value);
  } catch (error) {
    // Then they are not kept.
  }
};

// A value of every method in the readout's list. It has as many lines before anything is pointed at, so that nothing moves
// under the pointer.
function listValues(readout, methods, value) {
  readout.querySelector(".step-values").replaceChildren(...methods.map((method, m) => {
    const item = element("li");
    item.append(element("span", "", method.title), element("span", "number", signed(value(m))));
    return item;
  }));
}
