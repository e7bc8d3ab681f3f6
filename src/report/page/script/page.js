// The page.

function copying() {
  all(".copy").forEach((button) => {
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent).then(() => {
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 1500);
      }, () => (button.textContent = "Not allowed"));
    });
  });
}

function printing() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open]):not(.screen):not(.choose details)");
    opened.forEach((part) => (part.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((part) => (part.open = false)));
}

theme();
depth();
copying();
printing();
all("table.sortable").forEach(sortable);
all("article[data-row]").forEach((article) => {
  const row = new Row(data.rows[Number(article.dataset.row)]);
  const maps = ["table", "text", "series"].includes(row.kind) ? null : new Maps(article, row);
  const point = (player) => {
    if (maps && maps.cards.length > 0) {
      const pixel = row.firstPixel(player);
      if (pixel >= 0 && !maps.held) maps.show(pixel);
    } else {
      mark(article, player);
    }
  };
  if (row.kind === "series") new Steps(article, row);
  if (row.kind === "text") new Tokens(article, row);
  new PlayersTable(article, row, point);
  waterfalls(article);
  if (!maps) {
    article.addEventListener("pointerover", (event) => {
      const own = event.target.closest("[data-player]");
      mark(article, own ? Number(own.dataset.player) : -1);
    });
  }
});
all("table.choosable").forEach((table, i) => new Columns(table, i));
document.documentElement.dataset.ready = "1";
