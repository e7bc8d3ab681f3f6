"""Token ids: attributions per position beside Captum's layer methods at the embedding, and ids replaced by hand.

Small models of transformers with random weights. All numbers are computed in float by both: 1e-4.
"""
import json
import subprocess

import numpy
import torch

import engines
from exports import quiet
from peers import import_torchvision
from results import compare, failure

TOLERANCE = 1e-4
WORDS, LENGTH = 60, 7
BASELINE = 5
STEPS = 128  # of both: DistilBERT's head has a kink, behind which an integral by nodes depends on them


def import_transformers():
    """transformers, which imports torchvision where that is installed."""
    import_torchvision()
    import transformers

    return transformers


class Outputs(torch.nn.Module):
    """A model of transformers with positional inputs and one row of logits."""

    def __init__(self, net, last):
        super().__init__()
        self.net, self.last = net, last

    def forward(self, input_ids, attention_mask):
        logits = self.net(input_ids=input_ids, attention_mask=attention_mask).logits
        return logits[:, -1] if self.last else logits


def models():
    """Name -> model, the module of its token embedding, whether only the last position is asked."""
    transformers = import_transformers()
    usual = {"vocab_size": WORDS, "attn_implementation": "eager", "initializer_range": 0.2}
    layers = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
              "max_position_embeddings": 32, "num_labels": 3}
    torch.manual_seed(3)
    bert = transformers.BertForSequenceClassification(transformers.BertConfig(**usual, **layers))
    roberta = transformers.RobertaForSequenceClassification(
        transformers.RobertaConfig(pad_token_id=1, **usual, **layers))
    distilbert = transformers.DistilBertForSequenceClassification(transformers.DistilBertConfig(
        dim=24, n_layers=2, n_heads=2, hidden_dim=32, max_position_embeddings=32, num_labels=3, **usual))
    gpt2 = transformers.GPT2LMHeadModel(transformers.GPT2Config(
        n_positions=32, n_embd=24, n_layer=2, n_head=2, use_cache=False, bos_token_id=1, eos_token_id=2, **usual))
    return {"BERT": (bert, bert.bert.embeddings.word_embeddings, False),
            "RoBERTa": (roberta, roberta.roberta.embeddings.word_embeddings, False),
            "DistilBERT": (distilbert, distilbert.distilbert.embeddings.word_embeddings, False),
            "GPT-2": (gpt2, gpt2.transformer.wte, True)}


def export(net, rows, path, exporter):
    """With any number of rows and positions."""
    names = ["input_ids", "attention_mask"]
    with quiet(), torch.no_grad():
        if exporter == "script":
            axes = {name: {0: "batch", 1: "sequence"} for name in names}
            torch.onnx.export(net, rows, str(path), dynamo=False, input_names=names, output_names=["logits"],
                              dynamic_axes=axes, opset_version=17)
        else:
            sizes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
            torch.onnx.export(net, rows, str(path), dynamo=True, input_names=names, output_names=["logits"],
                              dynamic_shapes=(sizes, sizes), verbose=False)


class Case:
    """A model, its file and one sentence, the end of which is masked."""

    def __init__(self, name, exporter, net, embedding, last, folder):
        self.name = f"{name} ({exporter})"
        self.net, self.embedding = Outputs(net, last).eval(), embedding
        draws = torch.Generator().manual_seed(4)
        self.ids = torch.randint(6, WORDS, (1, LENGTH), generator=draws)
        self.mask = torch.ones_like(self.ids)
        if not last:
            self.mask[0, -1] = 0
        self.model = folder / f"tokens_{name}_{exporter}.onnx"
        self.data = self.model.with_suffix(".npz")
        both = (torch.cat([self.ids, self.ids.flip(1)]), torch.cat([self.mask, self.mask]))
        export(self.net, both, self.model, exporter)
        numpy.savez(self.data, input_ids=self.ids.numpy(), attention_mask=self.mask.numpy())
        self.target = int(self.net(self.ids, self.mask).argmax())

    def run(self, *arguments):
        """What a command prints, as JSON."""
        shapes = [part for name in ("input_ids", "attention_mask") for part in ("--shape", f"{name}=1x{LENGTH}")]
        done = subprocess.run([str(a) for a in (engines.ASCRIBE, *arguments, *shapes, "--json")], capture_output=True,
                              text=True, timeout=120)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return json.loads(done.stdout)

    def ours(self, method, *more):
        answer = self.run("explain", self.model, self.data, "-m", method, "--baseline", f"token:{BASELINE}", "--target",
                          self.target, *more)
        return numpy.array(answer["methods"][0]["values"])

    def check_paths(self):
        """Layer methods of Captum at the embedding, added up per position."""
        import captum.attr

        layer = captum.attr.LayerIntegratedGradients(self.net, self.embedding)
        expected = layer.attribute(self.ids, torch.full_like(self.ids, BASELINE), target=self.target,
                                   additional_forward_args=(self.mask,), n_steps=STEPS, method="gausslegendre")
        yield compare(f"{self.name} integrated_gradients: captum LayerIntegratedGradients",
                      lambda: self.ours("integrated_gradients", "--set", f"steps={STEPS}"),
                      expected.sum(-1)[0].detach().numpy(), TOLERANCE)
        layer = captum.attr.LayerGradientXActivation(self.net, self.embedding)
        expected = layer.attribute(self.ids, target=self.target, additional_forward_args=(self.mask,))
        self.products = expected.sum(-1)[0].detach().numpy()
        yield compare(f"{self.name} gradient_x_input: captum LayerGradientXActivation",
                      lambda: self.ours("gradient_x_input"), self.products, TOLERANCE)

    def says(self, ids):
        """The target's logit by ONNX Runtime."""
        names = {entry.name: value for entry, value in zip(self.session.get_inputs(), (ids, self.mask.numpy()))}
        return float(self.session.run(None, names)[0].reshape(-1)[self.target])

    def check_replaced(self):
        """Occlusion beside ids that are replaced by hand."""
        self.session = engines.session(self.model)
        ids = self.ids.numpy()
        expected = []
        for position in range(LENGTH):
            other = ids.copy()
            other[0, position] = BASELINE
            expected.append(self.says(ids) - self.says(other))
        yield compare(f"{self.name} occlusion: ids replaced, onnxruntime", lambda: self.ours("occlusion"),
                      numpy.array(expected), TOLERANCE)

    def compiled(self):
        """Attributions by the compiled file, which takes ids."""
        path = self.model.with_suffix(".compiled.onnx")
        self.run("compile", self.model, "--method", "gradient_x_input", "--target", self.target, "-o", path, "--force")
        session = engines.session(path)
        feeds = {"input_ids": self.ids.numpy(), "attention_mask": self.mask.numpy()}
        outputs = dict(zip((output.name for output in session.get_outputs()), session.run(None, feeds)))
        return outputs["attribution"].sum(-1)[0]

    def check(self):
        yield from self.check_paths()
        yield from self.check_replaced()
        yield compare(f"{self.name} gradient_x_input compiled, run by onnxruntime", self.compiled, self.products,
                      TOLERANCE)


def check_tokens(folder):
    """Every model by the older exporter, BERT and GPT-2 by today's too."""
    torch.set_num_threads(1)
    for name, (net, embedding, last) in models().items():
        for exporter in ("script", "dynamo") if name in ("BERT", "GPT-2") else ("script",):
            try:
                yield from Case(name, exporter, net, embedding, last, folder).check()
            except Exception as error:  # the other models go on
                yield failure(f"{name} ({exporter})", error)
