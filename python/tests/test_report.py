"""report, beside the command line."""

import json
import re
import signal
import threading
import time

import numpy as np
import pytest

import ascribe
from small_models import black_box, sequence_bytes, sequences


def ours(model, x, target, baseline):
    """An own method: the change, by size of the input."""
    return x - baseline[0]


def comparable(document):
    """Seconds differ from run to run, and the command line spells settings as its options."""
    if isinstance(document, dict):
        return {name: comparable(value) for name, value in document.items() if name != "seconds"}
    if isinstance(document, list):
        return [comparable(one) for one in document]
    return re.sub(r"--([a-z-]+)", r"`\1`", document) if isinstance(document, str) else document


def test_the_page_of_a_picture_has_the_numbers_of_the_command_line(vgg, boot, models, tmp_path, cli):
    page = tmp_path / "theirs.html"
    cli("report", models / "relu_vgg.onnx", boot, "--labels", models / "labels_fashion.txt", "--method",
        "gradient_x_input,occlusion", "--metric", "deletion", "--players", "grid:4x4", "--parts", "grid:2x2",
        "--seed", 3, "--budget", "none", "-o", page)  # no clock that decides how much is computed
    report = vgg.report(boot, tmp_path / "ours.html", ["gradient_x_input", "occlusion"], metric="deletion",
                        players="grid:4x4", parts="grid:2x2", seed=3, budget="none", title="Why a boot?")
    theirs = json.loads(page.with_suffix(".json").read_text())
    assert comparable(report.document["rows"]) == comparable(theirs["rows"])
    assert (tmp_path / "ours.html").read_text() == report.html
    assert json.loads((tmp_path / "ours.json").read_text()) == report.to_dict()
    assert "<title>Why a boot?</title>" in report.html
    assert not re.search(r"(src|href)=.https?:", report.html)  # nothing from elsewhere


def test_methods_and_numbers_of_ones_own_are_on_the_page(table, models):
    rows = np.loadtxt(models / "tabular_sample.csv", delimiter=",", skiprows=1)[:2]
    theirs = np.arange(16.0).reshape(2, 8)
    methods = ["shapley", ours, ("theirs", theirs)]
    document = table.report(rows, methods=methods, metric=["completeness", "deletion"]).document
    for number, row in enumerate(document["rows"]):
        methods = {method["name"]: method["values"] for method in row["methods"]}
        assert list(methods) == ["shapley", "ours", "theirs"]
        assert methods["theirs"] == theirs[number].tolist()
        assert np.allclose(methods["ours"], rows[number], rtol=1e-6)


def test_sequences_and_black_boxes_have_pages():
    model = ascribe.load(sequence_bytes())
    sequence = model.report(sequences(1), method=["occlusion"], players="time", metric="deletion")
    assert len(sequence.document["rows"]) == 1 and sequence.document["rows"][0]["kind"] == "series"
    box = ascribe.function(black_box, inputs=4).report(np.ones(4), metric="completeness")
    row = box.document["rows"][0]
    assert {"shapley", "occlusion"} <= {method["name"] for method in row["methods"]}
    assert row["left_out"]  # what needs gradients


def test_many_rows_are_one_page(table, models, tmp_path):
    sample = np.loadtxt(models / "tabular_sample.csv", delimiter=",", skiprows=1)
    rows = np.concatenate([sample, 1.1 * sample])
    rows[3, 2] = np.nan
    report = table.report(rows, tmp_path / "many.html", dataset_rows=30, row_pages=1, metric="completeness")
    document = report.document
    assert document["rows_in_data"] == 40 and document["rows_wanted"] == 30
    assert document["rows_explained"] + document["failed_rows"] == 30
    assert "30 rows" in repr(report) or "29 rows" in repr(report)
    values = table.explain(rows[[row["number"] for row in document["shown"]]], "shapley").values
    method = [one["name"] for one in document["methods"]].index("shapley")
    drawn = np.array([row["attributions"][method] for row in document["shown"]])
    assert np.allclose(drawn, values[:, document["drawn"]], rtol=1e-4, atol=1e-3)
    page = document["pages"][0]
    assert (tmp_path / "many_files" / f"row-{page}.html").exists()
    assert (tmp_path / "many_files" / "magnitudes.csv").read_text().startswith("feature,method,mean_magnitude")


def test_a_budget_is_seconds_or_words(table):
    rows = np.ones(8)
    for budget, seconds in ((None, 60), (90, 90), ("2m", 120), ("none", None)):
        document = table.report(rows, method="occlusion", metric="completeness", budget=budget).document
        assert document["time"]["budget"] == seconds
        assert document["time"]["cuts"] == []
    assert table.audit(rows, "occlusion", budget="none")
    assert table.compare(rows, "occlusion", "shapley", budget=30).sentence


def test_a_page_is_not_replaced_unasked(table, models, tmp_path):
    rows = np.ones(8)
    report = table.report(rows, method="occlusion", metric="completeness")
    report.write(tmp_path / "page.html")
    with pytest.raises(ascribe.FileError, match="exists already"):
        report.write(tmp_path / "page.html")
    report.write(tmp_path / "page.html", force=True)
    assert "1 rows" in repr(report) or "1 row" in repr(report)


@pytest.mark.parametrize("arguments, words", [
    (dict(method="shaply"), "did you mean"),
    (dict(metric="delete"), "did you mean 'deletion'"),
    (dict(most_rows=1), "sections? of the page|section of the page"),
    (dict(method=np.ones((3, 8))), "given for 3 rows|is asked about|numbers"),
    (dict(parts="grid:9x9"), "grid|players"),
    (dict(budget="soon"), "budget.*got 'soon'"),
    (dict(budget=0), "expected a time"),
    (dict(budget=-1.5), "expected a time"),
])
def test_what_cannot_be_is_refused(table, arguments, words):
    with pytest.raises(ascribe.Error, match=words):
        table.report(np.ones((4, 8)), **{"method": "occlusion", "metric": "completeness", **arguments})


def fake_browser(tmp_path, body):
    """A script in a browser's place; `$out` is where the PDF is wanted."""
    script = tmp_path / "browser"
    script.write_text('#!/bin/sh\nfor a; do case "$a" in --print-to-pdf=*) out=${a#*=};; esac; done\n' + body + "\n")
    script.chmod(0o755)
    return str(script)


def test_a_pdf_is_printed_by_a_browser(table, models, tmp_path, monkeypatch):
    monkeypatch.setenv("ASCRIBE_BROWSER", fake_browser(tmp_path, "printf '%%PDF-1.4\\n%%%%EOF\\n' > \"$out\""))
    rows = np.loadtxt(models / "tabular_sample.csv", delimiter=",", skiprows=1)[:1]
    report = table.report(rows, tmp_path / "x.pdf", "occlusion", metric=["deletion"])
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    assert json.loads((tmp_path / "x.json").read_text()) == report.document
    monkeypatch.setenv("ASCRIBE_BROWSER", fake_browser(tmp_path, "exit 1"))
    with pytest.raises(ascribe.FileError, match="wrote no PDF"):
        report.write(tmp_path / "y.pdf")
    assert not (tmp_path / "y.pdf").exists() and not (tmp_path / "y.json").exists()


def test_without_a_browser_there_is_an_error_before_the_work(table, tmp_path, monkeypatch):
    monkeypatch.delenv("ASCRIBE_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ascribe.FileError, match="ASCRIBE_BROWSER"):
        table.report("there is no such file", tmp_path / "x.pdf")


def test_printing_is_interrupted(table, models, tmp_path, monkeypatch):
    """Ctrl-C ends the browser, at once and with nothing written."""
    report = table.report(np.loadtxt(models / "tabular_sample.csv", delimiter=",", skiprows=1)[:1], method="occlusion",
                          metric=["deletion"])
    monkeypatch.setenv("ASCRIBE_BROWSER", fake_browser(tmp_path, f"touch {tmp_path}/began; sleep 100"))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it

    def interrupt():
        while not (tmp_path / "began").exists():
            time.sleep(0.02)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        report.write(tmp_path / "x.pdf")
    thread.join()
    signal.signal(signal.SIGINT, before)
    assert not (tmp_path / "x.pdf").exists()
