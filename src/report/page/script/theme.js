// Light and dark.

function theme() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const keep = (value) => {
    try {
      if (value === undefined) return localStorage.getItem("ascribe-theme");
      localStorage.setItem("ascribe-theme", value);
    } catch (error) {
      // A page from disk may have no storage; then the choice lasts as long as the page.
    }
    return null;
  };
  const kept = keep();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  const dark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const name = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Switch to light colours" : "Switch to dark colours");
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    keep(root.dataset.theme);
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  button.hidden = false;
}
