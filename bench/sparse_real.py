"""Estimated effects of real models beside what is known of them: the table of docs/howto/sparse-effects.md.

  trees    120 boosted trees on the 30 columns of the breast cancer table, behind a Clip that does nothing, so that they
           have to be masked; beside the exact effects of the same trees without it
  pixels   the bundled sigmoid network, 784 pixels; beside J(S) of all single pixels and all pairs
  patches  the same network, 49 patches
  words    a transformer of two layers, trained here on three rules about words; a document of 500 words
  photo    a network and a photograph of your own, 196 patches; beside J(S) of what was looked up: nothing else is known

Usage, in .venv-interop: sparse_real.py [trees|pixels|patches|words|photo MODEL PICTURE ...] [--seeds N]
"""
import argparse
import itertools
import pathlib
import sys
import tempfile
import time

import ascribe
import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
MLP, BOOT = ROOT / "models" / "sigmoid_mlp.onnx", ROOT / "models" / "images" / "ankle_boot.png"
EVERYTHING = 10**7
PAD, FILLERS = "[PAD]", 200
RULES = {("never", "arrived"): 2.0, ("refund", "late"): 2.0, ("broken",): 1.0}
DOCUMENT = {"broken": 58, "refund": 101, "arrived": 140, "never": 412, "late": 333}  # word: where it stands
LENGTH, WIDTH = 500, 32
LESSONS = ((20, 500, 64), (60, 250, 32), (180, 120, 16), (LENGTH, 100, 8))  # words of a document, steps, documents


def by_set(effects):
    """{players: value}."""
    return {effect.players: effect.value for effect in effects}


def alone(found):
    """J(S) of all sets that were looked up, whether or not the fit has them."""
    exact = {one.players: one.alone for one in found.verified if one.alone_interval == 0}
    return exact | by_set(found.beside_the_fit)


def of_strongest(truth, known, order, count):
    """How many of the strongest sets of so many players are known."""
    sets = sorted((one for one in truth if len(one) == order), key=lambda one: -abs(truth[one]))[:count]
    return f"{sum(one in known for one in sets)} of {len(sets)}"


def told(name, found, words):
    """A line."""
    looked = found.document["estimated"]["looked_up"]
    print(f"{name}: R2 {found.held_out_r2:.4f}, {looked} of {len(found.strongest)} looked up and "
          f"{len(found.beside_the_fit)} pairs beside; {words}", flush=True)


def trees(seeds):
    """All effects are known."""
    import onnx
    import skl2onnx
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import GradientBoostingRegressor

    table = load_breast_cancer()
    fitted = GradientBoostingRegressor(n_estimators=120, max_depth=4, random_state=0).fit(table.data, table.target)
    plain = skl2onnx.to_onnx(fitted, table.data[:1].astype(numpy.float32), target_opset=17)
    clipped = onnx.ModelProto()
    clipped.CopyFrom(plain)
    output = clipped.graph.output[0].name
    for node in clipped.graph.node:
        node.output[:] = [name if name != output else "before" for name in node.output]
    clipped.graph.initializer.extend([onnx.helper.make_tensor(name, onnx.TensorProto.FLOAT, [], [value])
                                      for name, value in (("lowest", -1e9), ("highest", 1e9))])
    clipped.graph.node.append(onnx.helper.make_node("Clip", ["before", "lowest", "highest"], [output]))
    row, mean = table.data[:1].astype(numpy.float32), table.data.mean(0, keepdims=True).astype(numpy.float32)
    with tempfile.TemporaryDirectory() as folder:
        models = []
        for name, proto in (("plain", plain), ("clipped", clipped)):
            path = pathlib.Path(folder) / f"{name}.onnx"
            onnx.save(proto, path)
            models.append(ascribe.load(path, baseline=mean))
        truth = {one: value for one, value in by_set(models[0].decompose(row, top=EVERYTHING).strongest).items()
                 if abs(value) > 1e-9}
        for seed in range(seeds):
            found = models[1].decompose(row, estimate="sparse", budget=20000, seed=seed, top=EVERYTHING)
            known = alone(found)
            off = max(abs(value - truth.get(one, 0.0)) for one, value in known.items())
            told("trees", found, f"{sum(one in known for one in truth)} of {len(truth)} effects, "
                                 f"{sum(abs(known[one]) > 1e-6 and one not in truth for one in known)} others; "
                                 f"J(S) off by at most {off:.1g}")


def network(players, seeds):
    """J(S) of single players and pairs are known."""
    model = ascribe.load(MLP, players=players)
    truth = by_set(model.decompose(BOOT, order=2, top=EVERYTHING).strongest)
    for seed in range(seeds):
        found = model.decompose(BOOT, estimate="sparse", budget=20000, seed=seed, top=EVERYTHING)
        known, fit = alone(found), by_set(found.strongest)
        off = max(abs(value - truth[one]) for one, value in known.items() if one in truth)
        told(players, found,
             f"single {of_strongest(truth, known, 1, 20)}, {of_strongest(truth, known, 1, 100)}; pairs "
             f"{of_strongest(truth, known, 2, 20)}, {of_strongest(truth, known, 2, 100)}; in the fit alone "
             f"{of_strongest(truth, fit, 2, 20)}, {of_strongest(truth, fit, 2, 100)}; J(S) off by at most {off:.1g}")


def vocabulary():
    """Absent words are the first; then those of the rules, then fillers."""
    return [PAD, *itertools.chain(*RULES), *(f"word{number}" for number in range(FILLERS))]


def lesson(torch, length, count, draws):
    """Documents of so many words, of whose fillers any share is absent, often nearly all, and their scores."""
    names = vocabulary()
    said = len(names) - FILLERS
    ids = torch.randint(said, len(names), (count, length), generator=draws)
    there = torch.rand(count, 1, generator=draws).square()
    ids = ids.masked_fill(torch.rand(count, length, generator=draws) > there, 0)
    for word in range(1, said):
        places = torch.randint(length, (count,), generator=draws)
        written = torch.rand(count, generator=draws) < 0.7
        ids[written, places[written]] = word
    scores = torch.zeros(count)
    for rule, value in RULES.items():
        scores += value * torch.stack([(ids == names.index(word)).any(1) for word in rule]).all(0)
    return ids, scores


def reader():
    """A transformer of two layers that reads a document and gives a score, trained on shorter documents first."""
    import torch
    from small_transformers import Block, Plain

    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(len(vocabulary()), WIDTH)
            self.positions = torch.nn.Parameter(0.02 * torch.randn(LENGTH, WIDTH))
            self.start = torch.nn.Parameter(torch.randn(1, 1, WIDTH))
            sizes = (LENGTH + 1, WIDTH, 2, 64)
            self.blocks = torch.nn.ModuleList(
                Block(sizes, torch.nn.LayerNorm, False, torch.nn.functional.gelu, False, False) for _ in range(2))
            self.norm, self.head = torch.nn.LayerNorm(WIDTH), torch.nn.Linear(WIDTH, 1)

        def forward(self, ids, at=None):
            """What is read at the start, which sees all words."""
            x = self.embedding(ids) + (self.positions if at is None else self.positions[at:at + ids.shape[1]])
            x = torch.cat([self.start.expand(len(ids), -1, -1), x], 1)
            for block in self.blocks:
                x = block(x, Plain)
            return self.head(self.norm(x[:, 0]))

    torch.set_num_threads(1)
    torch.manual_seed(0)
    draws, net = torch.Generator().manual_seed(1), Reader()
    learn = torch.optim.Adam(net.parameters(), 3e-3)
    slower = torch.optim.lr_scheduler.CosineAnnealingLR(learn, sum(steps for _, steps, _ in LESSONS))
    for length, steps, count in LESSONS:
        for _ in range(steps):
            ids, scores = lesson(torch, length, count, draws)
            at = int(torch.randint(LENGTH - length + 1, (), generator=draws))
            loss = ((net(ids, at)[:, 0] - scores) ** 2).mean()
            learn.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            learn.step()
            slower.step()
    with torch.no_grad():
        ids, scores = lesson(torch, LENGTH, 64, draws)
        loss = ((net(ids)[:, 0] - scores) ** 2).mean()
        print(f"words: squared error {loss:.2g} of a variance of {scores.var():.2g} on documents that it has not seen",
              flush=True)
    return net.eval()


def words(seeds):
    """Three rules are known; what else the network does is not."""
    import torch

    sys.path.insert(0, str(ROOT / "tests" / "interop"))
    from exports import Recipe, export

    names = vocabulary()
    document = numpy.random.default_rng(2).integers(len(names) - FILLERS, len(names), (1, LENGTH))
    for word, place in DOCUMENT.items():
        document[0, place] = names.index(word)
    rules = [tuple(sorted(DOCUMENT[word] for word in rule)) for rule in RULES]
    with tempfile.TemporaryDirectory() as folder:
        path, tokens = pathlib.Path(folder) / "words.onnx", pathlib.Path(folder) / "vocab.txt"
        tokens.write_text("\n".join(names) + "\n")
        export(reader(), torch.from_numpy(document), path, Recipe("script", 17))
        model = ascribe.load(path, tokens=str(tokens), baseline=f"token:{PAD}", players="positions", target=0)
        for seed in range(seeds):
            start = time.process_time()
            found = model.decompose(document, estimate="sparse", budget=8000, seed=seed, top=EVERYTHING)
            seconds = time.process_time() - start
            known, fit = alone(found), {one.players: one for one in found.strongest}
            company = {one.players: one for one in found.verified if one.in_company is not None}
            others = max((abs(value) for one, value in known.items() if one not in rules), default=0.0)
            said = []
            for rule, places in zip(RULES, rules):
                what = [f"J(S) {known[places]:.3f}"] if places in known else []
                if places in fit:
                    what.append(f"in the fit {fit[places].value:.3f} +- {1.96 * fit[places].error:.3f}")
                if places in company:
                    one = company[places]
                    what.append(f"in company {one.in_company:.3f} +- {one.in_company_interval:.3f}")
                said.append(f"{' & '.join(rule)}: {', '.join(what) or 'not found'}")
            told("words", found, f"{'; '.join(said)}; the largest other J(S) {others:.2g}; "
                                 f"{found.document['estimated']['evaluations']} evaluations, processor {seconds:.0f} s")


def photo(path, picture, seeds):
    """Interactions of the fit beside their J(S)."""
    model = ascribe.load(path, players="patch:16", preprocess="imagenet")
    for seed in range(seeds):
        found = model.decompose(picture, estimate="sparse", budget=6000, seed=seed, top=EVERYTHING)
        looked = [one for one in found.verified if len(one.players) > 1 and one.alone_interval == 0]
        held = sum(one.alone * one.fit > 0 and abs(one.alone) >= abs(one.fit) / 2 for one in looked)
        company = [one for one in found.verified if len(one.players) > 1 and one.in_company is not None]
        sure = sum(abs(one.in_company) > one.in_company_interval for one in company)
        beside = found.beside_the_fit
        told(pathlib.Path(picture).name, found,
             f"of {len(looked)} interactions {held} have a J(S) like the fit's; {sure} of {len(company)} are more than "
             f"their interval in company; strongest pair beside {beside[0].value if beside else 0:+.3g} of a change of "
             f"{found.output - found.baseline_output:+.3g}")


def main():
    """All that is bundled, or what is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", default=["trees", "patches", "pixels"])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    what = options.what
    if what[0] == "photo":
        for picture in what[2:]:
            photo(what[1], picture, options.seeds)
        return
    for name in what:
        {"trees": trees, "patches": lambda seeds: network("patch:4", seeds),
         "pixels": lambda seeds: network("pixels", seeds), "words": words}[name](options.seeds)


if __name__ == "__main__":
    main()
