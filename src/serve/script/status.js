// What is going on, and what went wrong.

const status = {
  depth: 0,
  stopped: false,

  // Tells what is done while `work` lasts; asks the program how far it is.
  async during(text, work) {
    const own = {};
    this.own = own;
    this.stopped = false;
    ++this.depth;
    this.watch(text, own);
    try {
      return await work();
    } finally {
      --this.depth;
      if (this.own === own) {
        this.own = null;
        one("status").hidden = true;
      }
    }
  },

  async watch(text, own) {
    await pause(250);
    while (this.own === own) {
      one("status").hidden = false;
      try {
        const state = await (await fetch("progress")).json();
        if (this.own !== own) return;
        const steps = state.total > 1 ? ` (${state.done} of ${state.total})` : "";
        const task = this.named(state.task);
        one("status-text").textContent = task ? `${text}: ${task}${steps}` : `${text} …`;
        if (state.total > 1) one("progress").value = state.done / state.total;
        else one("progress").removeAttribute("value");
      } catch (error) {
        // The question itself will say so.
      }
      await pause(350);
    }
  },

  // "shapley: masked inputs" as people call it.
  named(task) {
    const method = data.methods.find(({ name }) => task === name || task.startsWith(`${name}:`));
    return (method ? method.title + task.slice(method.name.length) : task).replace(/[:\s]+$/, "");
  },

  complain(problem) {
    if (problem.kind === "cancelled") return;
    one("problem-text").textContent = problem instanceof Problem ? problem.message : String(problem);
    one("problem").hidden = false;
    if (!(problem instanceof Problem)) console.error(problem);
  },

  quiet() {
    one("problem").hidden = true;
  },
};

function statusButtons() {
  one("cancel").addEventListener("click", () => {
    status.stopped = true;
    ask("cancel", {}).catch(() => {});
  });
  one("problem-close").addEventListener("click", () => status.quiet());
  // Nobody waits for the answer any more.
  addEventListener("pagehide", () => {
    if (status.depth === 0) return;
    fetch("cancel", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}", keepalive: true }).catch(() => {});
  });
}
