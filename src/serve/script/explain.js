// Methods: chosen, drawn with the components of the report, two of them compared.

class Explaining {
  constructor(view) {
    this.view = view;
    this.boxes = new Map();
    data.methods.forEach((method) => this.add(method));
    one("more").hidden = data.methods.every((method) => method.usual);
    ["first", "second"].forEach((id, i) => {
      one(id).append(...data.methods.filter((method) => !method.slopes).map((method) => {
        const option = element("option", "", method.title);
        option.value = method.name;
        option.selected = method.name === ["integrated_gradients", "shapley"][i];
        return option;
      }));
    });
    one("explain").addEventListener("click", () => this.explain());
    one("compare").addEventListener("click", () => this.compare());
  }

  add(method) {
    const label = element("label", "method choice");
    const box = element("input");
    box.type = "checkbox";
    box.value = method.name;
    box.checked = ["gradient_x_input", "integrated_gradients", "occlusion"].includes(method.name);
    label.title = method.use || "";
    label.append(box, ` ${method.title}`);
    if (method.slopes) label.append(" ", element("span", "tag", "own units"));
    this.boxes.set(method.name, { box, label });
    one(method.usual ? "methods" : "more-methods").append(label);
  }

  chosen() {
    return data.methods.map((method) => method.name).filter((name) => {
      const { box } = this.boxes.get(name);
      return box.checked && !box.disabled;
    });
  }

  // Another row or another question: what was drawn no longer belongs to it.
  forget() {
    one("explained").replaceChildren();
    one("compared").replaceChildren();
    one("sentence").textContent = "";
    this.boxes.forEach(({ box, label }) => {
      box.disabled = false;
      label.classList.remove("unsuited");
    });
  }

  // Masking stops what is being computed; then it is asked again, once the mask rests. What was finished is kept by the
  // program.
  async patiently(text, place, body) {
    const { number } = this.view;
    return status.during(text, async () => {
      while (true) {
        try {
          return await ask(place, body());
        } catch (problem) {
          if (problem.kind !== "cancelled" || status.stopped || this.view.number !== number) throw problem;
          await this.view.rest();
        }
      }
    });
  }

  async explain() {
    const methods = this.chosen();
    if (methods.length === 0) {
      status.complain(new Problem("Choose at least one method.", "argument"));
      return;
    }
    status.quiet();
    const { number } = this.view;
    one("explain").disabled = true;
    try {
      const answer = await this.patiently("Explaining", "explain", () => ({ ...this.view.questionOfRegions(), methods }));
      if (this.view.number !== number) return;
      this.draw(one("explained"), answer);
      answer.unsuited.forEach(({ method, reason }) => {
        const { box, label } = this.boxes.get(method);
        box.checked = false;
        box.disabled = true;
        label.classList.add("unsuited");
        label.title = reason;
      });
    } catch (problem) {
      status.complain(problem);
    } finally {
      one("explain").disabled = false;
    }
  }

  async compare() {
    const methods = [one("first").value, one("second").value];
    if (methods[0] === methods[1]) {
      status.complain(new Problem("Choose two different methods.", "argument"));
      return;
    }
    status.quiet();
    one("sentence").textContent = "";
    const { number } = this.view;
    one("compare").disabled = true;
    try {
      const answer = await this.patiently("Comparing", "compare", () => ({ ...this.view.questionOfRegions(), methods }));
      if (this.view.number !== number) return;
      this.draw(one("compared"), answer);
      const why = await this.patiently("Finding out why they differ", "why", () => ({ ...this.view.questionOfRegions(), methods }));
      if (this.view.number === number) one("sentence").textContent = why.sentence;
    } catch (problem) {
      status.complain(problem);
    } finally {
      one("compare").disabled = false;
    }
  }

  // The markup is the program's own: its writer escapes every text. Drawn as the page of a report does it.
  draw(root, answer) {
    root.innerHTML = answer.html;
    const article = root.querySelector("article");
    if (!answer.data) return;
    const row = new Row(answer.data);
    const maps = ["table", "text", "series"].includes(row.kind) ? null : new Maps(article, row);
    waterfalls(article);
    if (maps) return;
    article.addEventListener("pointerover", (event) => {
      const own = event.target.closest("[data-player]");
      mark(article, own ? Number(own.dataset.player) : -1);
    });
  }
}
