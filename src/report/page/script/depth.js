// Two depths: plain, and with all that only experts ask for opened.

function depth() {
  const root = document.documentElement;
  const button = document.getElementById("depth");
  const show = (expert) => {
    root.dataset.depth = expert ? "expert" : "plain";
    button.setAttribute("aria-pressed", String(expert));
    all("details.expert").forEach((part) => (part.open = expert));
  };
  if (kept("depth") === "expert") show(true);
  button.addEventListener("click", () => {
    const expert = root.dataset.depth !== "expert";
    show(expert);
    keep("depth", expert ? "expert" : "plain");
  });
  button.hidden = false;
}
