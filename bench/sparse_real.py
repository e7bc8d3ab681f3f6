"""Estimated effects of real models beside what is known of them: the table of docs/howto/sparse-effects.md.

  trees    120 boosted trees on the 30 columns of the breast cancer table, behind a Clip that does nothing, so that they
           have to be masked; beside the exact effects of the same trees without it
  pixels   the bundled sigmoid network, 784 pixels; beside J(S) of all single pixels and all pairs
  patches  the same network, 49 patches
  photo    a network and a photograph of your own, 196 patches; beside J(S) of what was looked up: nothing else is known

Usage, in .venv-interop: sparse_real.py [trees|pixels|patches|photo MODEL PICTURE ...] [--seeds N]
"""
import argparse
import pathlib
import tempfile

import ascribe
import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
MLP, BOOT = ROOT / "models" / "sigmoid_mlp.onnx", ROOT / "models" / "images" / "ankle_boot.png"
EVERYTHING = 10**7


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
         "pixels": lambda seeds: network("pixels", seeds)}[name](options.seeds)


if __name__ == "__main__":
    main()
