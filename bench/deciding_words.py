"""Which method finds the word that decides? Small transformers, trained here on sentences of which we know it.

  one word    a sentence of fillers with one word that says the class, one of three, anywhere
  agreement   "near the lakes the key of the old doors": is the subject singular or plural? Its noun decides; the other
              nouns, behind prepositions, have a number of their own

Two architectures for each: an encoder (layer norms, GELU, the mean over words) and a decoder (RMS norms, gated SiLU,
causal, read at the last word), some seeds of each. Words are embeddings, the input of the exported network; positions
are added inside. In training some words, never the deciding one, are replaced by an empty one, which is the baseline of
all methods that have one, and what deleted words are replaced by. Only sentences that the network gets right count.

  first     how often the deciding word has the largest value, for the network's answer
  deletion  the mean probability of that answer while words are deleted, the largest values first (lower is better)
  kept      the same with the smallest values first (higher is better)

Usage: deciding_words.py [--task TASK] [--network NETWORK] [--sentences N] [--seeds N] [--slow], in .venv-interop.
"""
import argparse
import functools
import pathlib
import sys
import tempfile

import ascribe
import numpy
import torch
from torch import nn
from torch.nn import functional

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "interop"))

from exports import Recipe, export
from small_transformers import RmsNorm, Transformer

WORDS, WIDTH = 10, 32
SIZES = (WORDS, WIDTH, 4, 64)
EMPTY = 0

METHODS = {
    "LRP, rules=attn (AttnLRP)": ("lrp_epsilon", {"rules": "attn"}),
    "LRP, rules=cp (CP-LRP)": ("lrp_epsilon", {"rules": "cp"}),
    "LRP-epsilon as it is": ("lrp_epsilon", {}),
    "Gradient x Input": ("gradient_x_input", {}),
    "DeepLIFT Rescale": ("deeplift_rescale", {}),
    "Integrated Gradients": ("integrated_gradients", {"steps": 16}),
    "Occlusion-1": ("occlusion", {}),
}
SLOW_METHODS = {"Shapley values": ("shapley", {})}


class OneWord:
    """Fillers 10 to 39; class c is said by the words 1 + 3 c to 3 + 3 c."""

    classes, vocabulary = 3, 40

    @staticmethod
    def draw(count, generator):
        """Sentences, classes, and where the deciding word is."""
        sentences = torch.randint(10, 40, (count, WORDS), generator=generator)
        classes = torch.randint(0, 3, (count,), generator=generator)
        places = torch.randint(0, WORDS, (count,), generator=generator)
        words = 1 + 3 * classes + torch.randint(0, 3, (count,), generator=generator)
        sentences[torch.arange(count), places] = words
        return sentences, classes, places


class Agreement:
    """1 is "the", 2 to 4 prepositions, 5 to 9 adjectives, 10 to 19 adverbs, nouns from 20: singular and plural by turns."""

    classes, vocabulary = 2, 40

    @staticmethod
    def draw(count, generator):
        """A noun phrase with its subject; adverbs before it fill up to the full length."""
        def pick(low, high):
            return int(torch.randint(low, high, (1,), generator=generator))

        def phrase(number):
            words = [1] + [pick(5, 10)] * (pick(0, 3) == 0)
            return words + [20 + 2 * pick(0, 10) + number]

        sentences, classes, places = [], [], []
        for _ in range(count):
            number, words = pick(0, 2), []
            if pick(0, 2):
                words += [pick(2, 5)] + phrase(pick(0, 2))
            words += phrase(number)
            place = len(words) - 1
            while len(words) + 4 <= WORDS and pick(0, 4):
                words += [pick(2, 5)] + phrase(pick(0, 2))
            before = WORDS - len(words)
            sentences.append([pick(10, 20) for _ in range(before)] + words)
            classes.append(number)
            places.append(place + before)
        return torch.tensor(sentences), torch.tensor(classes), torch.tensor(places)


TASKS = {"one word": OneWord, "agreement": Agreement}
NETWORKS = {
    "encoder": Transformer,
    "decoder": functools.partial(Transformer, norm=RmsNorm, gated=True, act=functional.silu, causal=True),
}


def train(task, make, seed, steps=1500, enough=0.02):
    """A network over embeddings, and the embeddings. The loss that is enough is a mean over some steps."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    words, net = nn.Embedding(task.vocabulary, WIDTH), make(SIZES, classes=task.classes)
    optimizer = torch.optim.AdamW([*words.parameters(), *net.parameters()], 2e-3, weight_decay=0.01)
    pool = task.draw(8192, generator)
    lately = 1.0
    for _ in range(steps):
        if lately < enough:
            break
        chosen = torch.randint(0, len(pool[0]), (64,), generator=generator)
        sentences, classes = pool[0][chosen].clone(), pool[1][chosen]
        # The words that are left must still say the class: only half of the sentences lose some.
        holes = torch.rand(sentences.shape, generator=generator) < 0.2
        holes[torch.rand(len(holes), generator=generator) < 0.5] = False
        holes[torch.arange(len(holes)), pool[2][chosen]] = False
        sentences[holes] = EMPTY
        loss = functional.cross_entropy(net(words(sentences)), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        lately = 0.98 * lately + 0.02 * float(loss.detach())
    return net.eval(), words.eval()


@torch.no_grad()
def curve(net, words, sentences, targets, order):
    """The probability of the answer while words are deleted in this order: its mean over 0 to all deleted."""
    sentences, total = sentences.clone(), 0
    for step in range(WORDS + 1):
        total = total + functional.softmax(net(words(sentences)), -1).gather(1, targets[:, None])[:, 0]
        if step < WORDS:
            sentences[torch.arange(len(sentences)), order[:, step]] = EMPTY
    return float(total.mean()) / (WORDS + 1)


def measure(folder, methods, task, make, seed, count):
    """The three numbers of every method on one network, and how often it is right."""
    net, words = train(task, make, seed)
    sentences, classes, places = task.draw(2 * count, torch.Generator().manual_seed(1000 + seed))
    with torch.no_grad():
        rows = words(sentences)
        right = net(rows).argmax(1) == classes
        export(net, rows[:2], folder / "net.onnx", Recipe("dynamo", 18))
        empty = words(torch.full((1, WORDS), EMPTY)).numpy()
    kept = right.nonzero()[:count, 0]
    sentences, classes, places, rows = sentences[kept], classes[kept], places[kept], rows[kept]
    found = {}
    model = ascribe.load(folder / "net.onnx", baseline=empty, players=numpy.arange(WORDS * WIDTH) // WIDTH)
    for name, (method, settings) in methods.items():
        explained = model.explain(rows.numpy(), method, target=classes.tolist(), settings=settings)
        values = torch.from_numpy(explained.player_values)
        order = values.argsort(1, descending=True)
        found[name] = (float((order[:, 0] == places).float().mean()),
                       curve(net, words, sentences, classes, order),
                       curve(net, words, sentences, classes, order.flip(1)))
    order = torch.stack([torch.randperm(WORDS, generator=torch.Generator().manual_seed(i)) for i in range(len(kept))])
    found["words in random order"] = (float((order[:, 0] == places).float().mean()),
                                      curve(net, words, sentences, classes, order),
                                      curve(net, words, sentences, classes, order.flip(1)))
    return found, float(right.float().mean())


def main():
    """Trains, measures, prints a table in Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--task", choices=list(TASKS))
    parser.add_argument("--network", choices=list(NETWORKS))
    parser.add_argument("--slow", action="store_true", help="Shapley values too")
    given = parser.parse_args()
    torch.set_num_threads(1)
    methods = METHODS | (SLOW_METHODS if given.slow else {})
    for task_name, task in TASKS.items():
        if given.task not in (None, task_name):
            continue
        for net_name, make in NETWORKS.items():
            if given.network not in (None, net_name):
                continue
            runs, accuracies = [], []
            for seed in range(given.seeds):
                with tempfile.TemporaryDirectory() as folder:
                    found, accuracy = measure(pathlib.Path(folder), methods, task, make, seed, given.sentences)
                runs.append(found)
                accuracies.append(accuracy)
                print(f"seed {seed}: {found}", file=sys.stderr, flush=True)
            print(f"\n{task_name}, {net_name}: accuracy {', '.join(f'{a:.3f}' for a in accuracies)}\n")
            print("| method | first | worst seed | deletion | kept |\n|---|---|---|---|---|")
            for name in runs[0]:
                each = numpy.array([run[name] for run in runs])
                first, deletion, left = each.mean(0)
                print(f"| {name} | {100 * first:.1f} % | {100 * each[:, 0].min():.1f} % | {deletion:.3f} | {left:.3f} |",
                      flush=True)


if __name__ == "__main__":
    main()
