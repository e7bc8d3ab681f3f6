"""What cannot be is refused: the right class, and a message that names what was wrong and what to do."""

import os

import numpy as np
import pytest

import ascribe

ROW = np.linspace(-1, 1, 8, dtype=np.float32)
ROWS = np.stack([ROW, 2 * ROW])


class Broken:
    """Looks like an array until somebody looks."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("gone")


DATA = [
    (None, ascribe.ArgumentError, "None.*expected numbers"),
    (object(), ascribe.ArgumentError, "object.*path of a file"),
    ((x for x in ROW), ascribe.ArgumentError, "generator"),
    ({1, 2}, ascribe.ArgumentError, "set"),
    ("missing.csv", ascribe.FileError, "missing.csv"),
    ("", ascribe.FileError, "cannot open"),
    (b"", ascribe.ArgumentError, "0 bytes.*frombuffer"),
    (ROW.tobytes(), ascribe.ArgumentError, "frombuffer"),
    (np.array(["a"] * 8), ascribe.ArgumentError, "OneHotEncoder"),
    (np.array([1, "x", None] + [0] * 5, dtype=object), ascribe.ArgumentError, r"\.astype\(float\)"),
    (ROW.astype(complex), ascribe.ArgumentError, r"\.real"),
    (np.array(["2020-01-01"] * 8, "datetime64[D]"), ascribe.ArgumentError, "timedelta64"),
    (np.zeros(8, [("a", float)]), ascribe.ArgumentError, "structured_to_unstructured"),
    (np.ma.masked_greater(ROW, 0), ascribe.ArgumentError, r"4 of 8 numbers are masked.*filled"),
    ([[1, 2], [3]], ascribe.ShapeError, "not of one shape"),
    (np.zeros(7), ascribe.ShapeError, r"\[7\]; expected \[N, 8\]"),
    (np.zeros((2, 9)), ascribe.ShapeError, r"\[2, 9\]; expected"),
    (np.zeros((0, 8)), ascribe.ShapeError, "no rows|there are no"),
    (np.zeros((8, 0)), ascribe.ShapeError, r"\[8, 0\]; expected"),
    (np.float32(3), ascribe.ShapeError, "expected"),
    (np.full(8, np.nan), ascribe.NumericError, "position 0 is nan; expected finite"),
    (np.array([np.inf] + [0] * 7), ascribe.NumericError, "inf"),
    ({"x": ROW}, ascribe.ArgumentError, "'x'; the model takes 'input'"),
    ({}, ascribe.ArgumentError, "'input'"),
    ([], ascribe.ShapeError, r"\[0\]; expected"),
    (["missing.png", 3.0], ascribe.ArgumentError, "list of numbers and paths"),
    (len, ascribe.ArgumentError, "builtin_function"),
]


@pytest.mark.parametrize(("data", "kind", "said"), DATA, ids=[type(data).__name__ for data, *_ in DATA])
@pytest.mark.parametrize("verb", ["explain", "predict"])
def test_data_that_cannot_be(table, data, kind, said, verb):
    with pytest.raises(kind, match=said):
        getattr(table, verb)(data)


def test_what_an_object_raises_itself_is_not_hidden(table):
    with pytest.raises(RuntimeError, match="gone"):
        table.explain(Broken())


QUESTIONS = [
    ({"baseline": "zeros"}, ascribe.ArgumentError, "zeros.*did you mean 'zero'"),
    ({"baseline": np.zeros(3)}, ascribe.ShapeError, "baselines.*rows of 8"),
    ({"baseline": np.full(8, np.nan)}, ascribe.NumericError, "baselines"),
    ({"baseline": "missing.csv"}, ascribe.Error, "missing.csv"),
    ({"baseline": [ROW, "x"]}, ascribe.Error, "baseline"),
    ({"baseline": True}, ascribe.ArgumentError, "True.*'zero'"),
    ({"players": "grids"}, ascribe.ArgumentError, "grids"),
    ({"players": np.zeros(3, int)}, ascribe.ShapeError, "expected 8"),
    ({"players": np.zeros(8)}, ascribe.ArgumentError, "integers"),
    ({"players": np.arange(8), "player_names": ["a"]}, ascribe.ArgumentError, "player_names"),
    ({"labels": "missing.txt"}, ascribe.FileError, "missing.txt"),
    ({"labels": ["a", "b"]}, ascribe.Error, "label"),
    ({"output": "nope"}, ascribe.ArgumentError, "nope"),
    ({"input": "nope"}, ascribe.ArgumentError, "nope"),
    ({"at": "nope"}, ascribe.Error, "nope"),
    ({"feature_names": ["a"]}, ascribe.Error, "1 columns|names|takes 8"),
    ({"row_names": ["a"]}, ascribe.ArgumentError, "1 names.*2 rows"),
    ({"rows": 9}, ascribe.ArgumentError, "9"),
    ({"preprocess": "imagnet"}, ascribe.ArgumentError, "imagnet"),
    ({"preprocess": {"scale": "x"}}, ascribe.Error, "scale"),
    ({"seed": -1}, ascribe.ArgumentError, "seed"),
    ({"threads": 0}, ascribe.ArgumentError, "threads"),
    ({"method": "shaply"}, ascribe.ArgumentError, "did you mean 'shapley'"),
    ({"method": []}, ascribe.ArgumentError, "method"),
    ({"method": "shapley", "samples": -5}, ascribe.ArgumentError, "samples"),
    ({"method": "shapley", "samples": "many"}, ascribe.ArgumentError, "samples"),
    ({"sample": 5}, ascribe.ArgumentError, "did you mean 'samples'"),
]


@pytest.mark.parametrize(("question", "kind", "said"), QUESTIONS, ids=[" ".join(asked) for asked, *_ in QUESTIONS])
def test_questions_that_cannot_be(table, question, kind, said):
    with pytest.raises(kind, match=said):
        table.explain(ROWS, **question)


def test_everything_works_afterwards_and_nothing_is_left_behind(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = table.explain(ROWS, method="shapley").values
    open_files = len(os.listdir("/proc/self/fd"))
    for data, kind, _ in DATA:
        if hasattr(data, "__next__"):
            continue
        with pytest.raises(kind):
            table.explain(data)
    assert np.array_equal(table.explain(ROWS, method="shapley").values, before)
    assert len(os.listdir("/proc/self/fd")) <= open_files and os.listdir(tmp_path) == []


def test_pictures_that_cannot_be(vgg, tmp_path):
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    with pytest.raises(ascribe.FileError, match="broken.png"):
        vgg.explain(tmp_path / "broken.png")
    with pytest.raises(ascribe.ShapeError, match="30"):
        vgg.explain(np.zeros((30, 30), np.uint8), preprocess="unit")
    with pytest.raises(ascribe.ShapeError, match="expected"):
        vgg.explain(np.zeros((28, 27)))
    with pytest.raises(ascribe.Error):
        vgg.explain(np.zeros((0, 28, 28), np.uint8))


def test_texts_that_are_not_utf8_are_named(table, tmp_path):
    latin = os.fsencode(tmp_path) + b"/m\xf6del.onnx"
    with open(latin, "wb") as file:
        file.write(b"x")
    name = os.listdir(tmp_path)[0]
    for call in (lambda: ascribe.load(tmp_path / name), lambda: table.explain(str(tmp_path / name)),
                 lambda: table.explain(ROW, players=name), lambda: table.explain(ROW, feature_names=[name] * 8)):
        with pytest.raises(ascribe.ArgumentError, match=r"m\\udcf6del.*not UTF-8"):
            call()
