// Tables' bars.

function waterfalls(article) {
  const pick = article.querySelector(".pick");
  if (!pick) return;
  const select = pick.querySelector("select");
  const choose = () =>
    all(".waterfall", article).forEach((chart) => (chart.hidden = chart.dataset.method !== select.value));
  select.addEventListener("change", choose);
  pick.hidden = false;
  pick.parentElement.classList.add("chosen");
  choose();
}
