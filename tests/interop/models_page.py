"""docs/models.md: what works on the files of families.py, through the command line as a user would call it.

Every cell is tried. A cell that does not work says why, in at most three words from REASONS; an answer that is not in
that table fails the comparison, and so does a page that differs from the committed one.
`./dev interop families --renew` writes the page.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess

import numpy
import onnxruntime
import torch

import engines
import families
from results import Result, failure, relative_error

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "models.md"
TOLERANCE = 1e-4
WORKERS = 2
SECONDS = 300  # after which a command counts as hanging
WORKS = "✓"
METHODS = ["gradient_x_input", "occlusion", "occlusion_patch", "prediction_difference", "grad_cam",
           "integrated_gradients", "expected_gradients", "shapley", "lrp_epsilon", "lrp_alpha_beta", "deep_taylor",
           "deeplift_rescale", "deep_shap", "deeplift_reveal_cancel"]
COLUMNS = ["predict", *METHODS, "decompose", "compile", "report"]
SERIES = {"LSTM", "GRU", "1-D CNN"}
TEXT = {"BERT", "DistilBERT", "GPT-2"}
TABLES = {"MLP", "sklearn linear", "sklearn MLP", "sklearn SVM", "random forest", "gradient boosting", "LightGBM",
          "XGBoost"}
# Fewer samples than anybody would take: here it counts that they come.
SETTINGS = ["--set", "shapley.samples=2", "--set", "integrated_gradients.most=64", "--set", "deep_shap.samples=2"]

# What the program says -> why it does not work. The first that is found counts.
REASONS = [
    ("takes codes of texts", "codes for texts"),
    ("ai.onnx.ml.", "operators of tables"),
    ("com.microsoft.", "operator not read"),
    ("operators that are not supported", "operator not read"),
    ("no convolution whose output has positions", "no convolution"),
    ("only cuts the input into patches", "patches, no map"),
    ("needs an image", "no picture"),
    ("windows slide over images", "no picture"),
    ("no real input", "ids, no reals"),
    ("leaves dimension", "open sizes"),
    ("only the values of this function are known", "no derivative"),
    ("has no derivative", "no derivative"),
    ("have no derivative", "no derivative"),
    ("only through operations without a derivative", "no derivative"),
    ("there is no DeepLIFT rule", "no rule"),
    ("there is no relevance rule", "no rule"),
    ("has no DeepLIFT rule", "no rule"),
    ("the DeepLIFT methods have no rule", "no rule"),
    ("the relevance rules need", "no rule"),
    ("rows influence each other", "rows are mixed"),
    ("rows are mixed", "rows are mixed"),
    ("made for one row", "one row only"),
    ("only tensors are supported", "output no tensor"),
    ("elements of this type are not supported", "texts as input"),
    ("would take 2^", "too many players"),
    ("got a grid of", "no grid fits"),
    ("no useful derivative", "no derivative"),
    ("needs a series", "no series"),
    ("leaves axis", "open sizes"),
    ("it takes texts", "texts as input"),
    ("holds texts", "texts as input"),
    ("has the axes", "target not clear"),
    ("picks elements by an index", "no rule"),
]


class Unknown(Exception):
    """The program gave an answer that is not in the table of reasons."""


def reason(text):
    """Why, in at most three words."""
    for part, words in REASONS:
        if part in text:
            return words
    raise Unknown(text.strip().splitlines()[-1][:300] if text.strip() else "it said nothing")


def ascribe(*arguments):
    """What the program prints, or its complaint as an error."""
    done = subprocess.run([str(engines.ASCRIBE), *map(str, arguments), "--threads", "1"], capture_output=True,
                          text=True, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or done.stdout.strip())
    return done.stdout


def first_that_works(calls):
    """The answer of the first call that gives one; the complaint of the last if none does."""
    trouble = None
    for call in calls:
        try:
            return call()
        except RuntimeError as error:
            trouble = error
    raise trouble


def targets(sample):
    """Dense outputs need a target that says what is meant; the program's own choice comes last."""
    dense = {"U-Net": [["--target", "class=1,sum"]], "YOLO-like": [["--target", "5,40"]],
             "GPT-2": [["--target", f"{families.LENGTH - 1},5"]]}
    return [*dense.get(sample.family, []), []]


def few_players(sample):
    """Few enough to mask every set of them."""
    if sample.family in SERIES:
        return [["--players", "time:4"], ["--players", "grid:3x1"], ["--players", "grid:1x3"]]
    if sample.family in TABLES | TEXT:
        return [[]]
    return [["--players", "grid:2x2"]]


def expected_answer(sample):
    """What ONNX Runtime says of the first row, as arrays of numbers."""
    found = []
    for each in engines.session(sample.model).run(None, sample.feed):
        if isinstance(each, list):  # ZipMap: a map from class to probability for each row
            each = numpy.array([[row[key] for key in row] for row in each], numpy.float32)
        found.append(numpy.asarray(each))
    return [each for each in found if each.dtype.kind == "f"]


def try_predict(sample, folder):
    """The first row, beside ONNX Runtime."""
    path = folder / f"{sample.name}.answer.npz"
    ascribe("predict", sample.model, sample.inputs, "--row", 0, "--quiet", "--force", "-o", path)
    answers = [each for each in numpy.load(path).values() if each.dtype.kind == "f"]
    same = [(answer, each) for answer in answers for each in expected_answer(sample) if each.size == answer.size]
    if not same:
        raise Unknown(f"no answer has as many numbers as ONNX Runtime's: {[each.shape for each in answers]}")
    error = relative_error(same[0][0].reshape(-1), same[0][1].reshape(-1))
    if not error <= TOLERANCE:
        raise Unknown(f"the answer differs from ONNX Runtime's by {error:.1e}")
    return WORKS


def explained(sample, methods):
    """The document of `explain` for the first row."""
    command = ["explain", sample.model, sample.inputs, "--row", 0, "-m", methods, "--json", "--quiet"]
    command += SETTINGS if methods == "all" else []
    document = json.loads(first_that_works([lambda each=each: ascribe(*command, *each) for each in targets(sample)]))
    return document if "methods" in document else document["rows"][0]


def try_methods(sample):
    """All fourteen at once: name -> cell."""
    document = explained(sample, "all")
    cells = {each["name"]: reason(each["reason"]) for each in document["left_out"]}
    for each in document["methods"]:
        values = numpy.array(each["values"], numpy.float64)
        if not values.size or not numpy.isfinite(values).all():
            raise Unknown(f"{each['name']} gave values that are not numbers")
        cells[each["name"]] = WORKS
    return cells


def try_decompose(sample):
    """Effects of a few players."""
    command = ["decompose", sample.model, sample.inputs, "--row", 0, "--json", "--quiet"]
    first_that_works([lambda a=players, t=target: ascribe(*command, *a, *t)
                      for players in few_players(sample) for target in targets(sample)])
    return WORKS


def compiled(sample, method, folder):
    """The attribution by a compiled file in ONNX Runtime, against the method as ascribe runs it."""
    path = folder / f"{sample.name}.{method}.onnx"
    shapes = []
    if sample.family in TEXT:  # compiling sees no data that would tell the length
        for name, value in sample.feed.items():
            shapes += ["--shape", f"{name}={'x'.join(map(str, value.shape))}"]
    target = [each if each else ["--target", "top"] for each in targets(sample)]
    command = ["compile", sample.model, "--method", method, "--force", "--quiet", "-o", path, *shapes]
    first_that_works([lambda each=each: ascribe(*command, *each) for each in target])
    loaded = engines.session(path)
    feed = {each.name: sample.feed[each.name] for each in loaded.get_inputs()}
    if any(each.dtype.kind in "OUS" for each in feed.values()):
        raise RuntimeError("the compiled file takes codes of texts")
    values = loaded.run(["attribution"], feed)[0].astype(numpy.float64)
    document = explained(sample, method)
    expected = numpy.array(document["methods"][0]["values"], numpy.float64)
    if values[0].ndim == 3 and values[0, 0].size == expected.size and method == "gradient_x_input":
        values = values[0].sum(0)  # channels of a pixel
    if values.size != expected.size:
        values, expected = values.sum(keepdims=True).reshape(-1), expected.sum(keepdims=True)
    scale = max(numpy.abs(expected).sum(), 1e-12)
    error = float(numpy.abs(values.reshape(-1) - expected.reshape(-1)).max() / scale)
    if not error <= TOLERANCE:
        raise Unknown(f"{method}, compiled, differs by {error:.1e}")


def try_compile(sample, folder):
    """A gradient, or where there is none, occlusion."""
    try:
        compiled(sample, "gradient_x_input", folder)
    except RuntimeError as trouble:
        try:
            compiled(sample, "occlusion", folder)
        except (RuntimeError, KeyError):
            raise trouble from None
    return WORKS


def try_report(sample, folder):
    """A page by two methods."""
    page = folder / f"{sample.name}.html"
    command = ["report", sample.model, sample.inputs, "--row", 0, "--quiet", "--force", "-o", page]
    first_that_works([lambda m=methods, t=target: ascribe(*command, "-m", m, *t)
                      for methods in ("gradient_x_input,occlusion", "shapley,occlusion") for target in targets(sample)])
    if "</html>" not in page.read_text(encoding="utf-8"):
        raise Unknown("the page is not whole")
    return WORKS


def cells_of(sample, folder):
    """Column -> cell, and what went wrong in ways that are not in the table."""
    cells, troubles = {}, []

    def attempt(column, call):
        try:
            answer = call()
            cells.update(answer if isinstance(answer, dict) else {column: answer})
        except Unknown as error:
            troubles.append(f"{column}: {error}")
        except (RuntimeError, subprocess.TimeoutExpired, onnxruntime.capi.onnxruntime_pybind11_state.Fail,
                onnxruntime.capi.onnxruntime_pybind11_state.InvalidGraph, KeyError, ValueError) as error:
            try:
                words = reason(str(error))
                cells.update({name: words for name in METHODS} if column == "methods" else {column: words})
            except Unknown as unknown:
                troubles.append(f"{column}: {unknown}")

    attempt("predict", lambda: try_predict(sample, folder))
    attempt("methods", lambda: try_methods(sample))
    attempt("decompose", lambda: try_decompose(sample))
    attempt("compile", lambda: try_compile(sample, folder))
    attempt("report", lambda: try_report(sample, folder))
    return cells, troubles


def page_of(samples, table):
    """The Markdown."""
    numbers = [str(i + 1) for i in range(len(METHODS))]
    worked = sum(cell == WORKS for cells in table.values() for cell in cells.values())
    lines = ["# Models", "",
             "Written by `./dev interop families --renew`, which makes every file by the tool that is named, with",
             "random or briefly trained weights, and calls the program as a user would; do not edit. The prediction is",
             f"within {TOLERANCE:g} of ONNX Runtime's, and so is the compiled explanation, run there, of the method's",
             "own values. A cell that does not work says why. The columns of numbers are the methods of the paper:", "",
             *[f"{number}. `{method}`" for number, method in zip(numbers, METHODS)], "",
             f"{worked} of {len(table) * len(COLUMNS)} cells work ({WORKS}).", "",
             "| " + " | ".join(["family", "made by", "predict", *numbers, "decompose", "compile", "report"]) + " |",
             "|" + "---|" * (len(COLUMNS) + 2)]
    for sample in samples:
        cells = table[sample.name]
        lines.append(f"| {sample.family} | {sample.origin} | "
                     + " | ".join(cells.get(column, "?") for column in COLUMNS) + " |")
    order = ["", "## Reasons", "", "| words | what the program says |", "|---|---|"]
    used = {cell for cells in table.values() for cell in cells.values()} - {WORKS}
    for words in sorted(used):
        said = next(part for part, each in REASONS if each == words)
        order.append(f"| {words} | … {said} … |")
    return "\n".join([*lines, *(order if used else [])]) + "\n"


def check_page(made):
    """The committed page is the one that was made."""
    if os.environ.get("ASCRIBE_RENEW"):
        PAGE.write_text(made, encoding="utf-8")
    committed = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    differing = sum(a != b for a, b in zip(committed.splitlines(), made.splitlines())) + abs(
        len(committed.splitlines()) - len(made.splitlines()))
    hint = "docs/models.md is not up to date; ./dev interop families --renew writes it" if differing else ""
    return Result("families: docs/models.md", float(differing), 0.0, hint)


def check_families(folder):
    """Makes the files one after the other, and tries those that are made in the meantime."""
    folder = folder / "families"
    folder.mkdir()
    torch.set_num_threads(1)
    samples, tried = [], {}
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for each in families.MAKERS:
            try:
                samples.append(families.make(each, folder))
            except Exception as error:  # the others are tried
                yield failure(f"families {each.name}: cannot be made", error)
                continue
            tried[each.name] = pool.submit(cells_of, samples[-1], folder)
    order = {family: i for i, family in enumerate(dict.fromkeys(each.family for each in families.MAKERS))}
    samples.sort(key=lambda sample: order[sample.family])
    table = {}
    for sample in samples:
        table[sample.name], troubles = tried[sample.name].result()
        worked = sum(cell == WORKS for cell in table[sample.name].values())
        yield Result(f"families {sample.name}: {worked} of {len(COLUMNS)} cells work", float(len(troubles)), 0.0,
                     "; ".join(troubles), shown=False)
    yield check_page(page_of(samples, table))
