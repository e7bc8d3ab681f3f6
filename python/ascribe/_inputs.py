"""Whatever people have as data, as the rows of a question."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _engine
from ._arrays import as_array, as_numbers, log
from ._frames import Frame, frame_of, frame_of_mapping, is_frame, some_of
from ._pictures import is_picture_path, is_pil, picture_files, pil_file
from .errors import ArgumentError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Rows", "as_numbers", "baseline_into", "rows_of"]

Shape = tuple[int, ...]

_COMPUTED = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass
class Rows:
    """The rows of a question: files, files in memory, or arrays for inputs of the model."""

    files: list[str] = field(default_factory=list)
    contents: list[tuple[str, bytes]] = field(default_factory=list)
    arrays: list[tuple[str, np.ndarray]] = field(default_factory=list)  # (input of the model, or "", numbers)
    feature_names: list[str] = field(default_factory=list)
    row_names: list[str] = field(default_factory=list)
    single: bool = False  # one row without an axis of rows: results have none either

    def put_into(self, question: _engine.Question) -> None:
        for path in self.files:
            question.file(path)
        for name, content in self.contents:
            question.bytes(name, content)
        for name, numbers in self.arrays:
            question.array(numbers, name)
        if self.feature_names:
            question.feature_names(self.feature_names)
        if self.row_names:
            question.row_names(self.row_names)

    def add(self, other: Rows, name: str) -> None:
        """Those of one input of the model, by its name."""
        self.files += [f"{name}={path}" for path in other.files]
        self.contents += [(f"{name}={file}", content) for file, content in other.contents]
        self.arrays += [(name, numbers) for _, numbers in other.arrays]
        self.row_names = self.row_names or other.row_names


def rows_of(data: Any, model: Model, feature_names: Sequence[str] | None = None,
            row_names: Sequence[str] | None = None) -> Rows:
    """The rows of anything that is understood: docs/howto/python.md lists it."""
    if (type(data) is np.ndarray and data.dtype in _COMPUTED and data.flags.c_contiguous and feature_names is None
            and row_names is None):
        # What the engine takes as it is, without any question.
        return Rows(arrays=[("", data)], single=is_single(data.shape, model.row_shape))
    names = None if feature_names is None else [str(name) for name in feature_names]
    rows = _of_mapping(data, model) if isinstance(data, Mapping) else _of_one(data, model, model.row_shape, names)
    if names is not None and not rows.feature_names:
        rows.feature_names = names
    if row_names is not None:
        rows.row_names = [str(name) for name in row_names]
        if len(rows.contents) == len(rows.row_names):
            rows.contents = [(name + os.path.splitext(file)[1], content)
                             for name, (file, content) in zip(rows.row_names, rows.contents)]
        count = 1 if rows.single else len(rows.arrays[0][1]) if rows.arrays else len(rows.row_names)
        if len(rows.row_names) != count:
            raise ArgumentError(f"row_names: got {len(rows.row_names)} names; expected one for each of {count} rows")
    return rows


def baseline_into(question: _engine.Question, baseline: Any, model: Model,
                  feature_names: Sequence[str] | None = None) -> None:
    """Rows that an explanation is counted from, from anything that holds rows."""
    if isinstance(baseline, (str, os.PathLike)):
        text = os.fspath(baseline)
        is_file = not isinstance(baseline, str) or os.path.splitext(text)[1] != "" and os.path.isfile(text)
        question.baseline("data:" + text if is_file else text)
        return
    if isinstance(baseline, (bool, np.bool_)):
        raise ArgumentError(f"baseline: got {baseline}; expected 'zero', 'mean', a number, or rows")
    if isinstance(baseline, (int, float, np.number)):
        question.baseline(f"value:{float(baseline)!r}")
        return
    names = None if feature_names is None else [str(name) for name in feature_names]
    rows = (_of_mapping(baseline, model) if isinstance(baseline, Mapping)
            else _of_one(baseline, model, model.row_shape, names, "baseline"))
    if len(rows.contents) == 1:
        question.baseline_bytes(*rows.contents[0])
    elif rows.contents or rows.files:
        raise ArgumentError("baseline: got several pictures or files; expected one, or an array of rows as the model "
                            "takes them")
    elif len(rows.arrays) == 1 and not rows.arrays[0][0]:
        question.baselines(rows.arrays[0][1])
    else:
        question.baselines(_joined([numbers for _, numbers in rows.arrays], model))


def _joined(arrays: list[np.ndarray], model: Model) -> np.ndarray:
    """Rows of several inputs behind one another, as they are explained together."""
    sizes = [math.prod(one.row) for one in model.inputs]
    if len(arrays) != len(sizes):
        raise ArgumentError(f"baseline: got {len(arrays)} inputs; expected all of "
                            f"{some_of([i.name for i in model.inputs])}")
    return np.concatenate([array.reshape(-1, size) for array, size in zip(arrays, sizes, strict=True)], axis=1)


def _of_one(data: Any, model: Model, row: Shape, names: list[str] | None, what: str = "data") -> Rows:
    """Rows of the only input, or of one of several."""
    if type(data) is np.ndarray:  # what most people have, without looking at what else it might be
        return _of_array(data, data, row, what)
    if isinstance(data, (str, os.PathLike)):
        return _of_path(os.fspath(data), row)
    if isinstance(data, (bytes, bytearray)) or hasattr(data, "read"):
        return _of_content(data)
    if is_pil(data):
        return Rows(contents=[pil_file(data)], single=True)
    if is_frame(data):
        return _of_frame(frame_of(data, what), model, row, names, what)
    if isinstance(data, (list, tuple)) and len(data):
        listed = _of_list(list(data), model, row, names, what)
        if listed is not None:
            return listed
    return _of_array(as_array(data, what), data, row, what)


def _of_path(path: str, row: Shape) -> Rows:
    single = is_picture_path(path)
    if path.endswith(".npy") and os.path.isfile(path):
        try:
            single = is_single(np.load(path, mmap_mode="r", allow_pickle=False).shape, row)
        except ValueError:  # the engine says what is wrong with it
            single = False
    return Rows(files=[path], single=single)


def _of_content(data: Any) -> Rows:
    content = bytes(data if isinstance(data, (bytes, bytearray)) else data.read())
    for start, ending in ((b"\x89PNG", ".png"), (b"\xff\xd8", ".jpg"), (b"\x93NUMPY", ".npy"), (b"PK", ".npz")):
        if content.startswith(start):
            return Rows(contents=[("data" + ending, content)], single=ending in (".png", ".jpg"))
    raise ArgumentError(f"data: got {len(content)} bytes that are no PNG, JPEG, .npy or .npz file; numbers in memory "
                        "are numpy.frombuffer(data, dtype)")


def _of_list(data: list[Any], model: Model, row: Shape, names: list[str] | None, what: str) -> Rows | None:
    """Of a list of files, pictures, frames' rows; None: it is one of numbers."""
    if all(isinstance(one, (str, os.PathLike)) for one in data):
        return Rows(files=[os.fspath(one) for one in data])
    if all(is_pil(one) for one in data):
        return Rows(contents=[pil_file(one, f"picture {i}.png") for i, one in enumerate(data)])
    if all(isinstance(one, (bytes, bytearray)) for one in data):
        return Rows(contents=[(f"{i} {name}", content) for i, one in enumerate(data)
                              for name, content in _of_content(one).contents])
    if all(isinstance(one, Mapping) for one in data):
        return _of_mapping({key: [one[key] for one in data] for key in data[0]}, model)
    if all(is_frame(one) for one in data):
        return _of_frames([frame_of(one, what) for one in data], model, row, names, what)
    if all(isinstance(one, np.ndarray) and one.dtype == np.uint8 for one in data):
        pictures = [picture_files(one, row) for one in data]
        if all(one is not None and one[1] for one in pictures):
            return Rows(contents=[(f"picture {i}.png", one[0][0][1]) for i, one in enumerate(pictures) if one])
    kinds = {"paths" if isinstance(one, (str, os.PathLike)) else "pictures" if is_pil(one) else "numbers"
             for one in data}
    if len(kinds) > 1:
        raise ArgumentError(f"{what}: got a list of {' and '.join(sorted(kinds))}; expected all of one kind")
    return None


def _of_frames(frames: list[Frame], model: Model, row: Shape, names: list[str] | None, what: str) -> Rows:
    """Rows of frames one by one, or several frames of one series each."""
    parts = [_of_frame(one, model, row, names, what) for one in frames]
    if any(part.contents for part in parts):
        raise ArgumentError(f"{what}: got a list of rows with texts; expected one frame of them: "
                            "pandas.DataFrame(rows)")
    if any(part.feature_names != parts[0].feature_names for part in parts):
        raise ArgumentError(f"{what}: the rows of the list have different columns; expected the same in each")
    stacked = [part.arrays[0][1] for part in parts]
    joined = np.stack(stacked) if parts[0].single else np.concatenate(stacked)
    series = joined.ndim > 2  # whose columns name channels, not elements of a row
    return Rows(arrays=[("", joined)], feature_names=[] if series else parts[0].feature_names,
                row_names=[name for part in parts for name in part.row_names])


def _of_frame(frame: Frame, model: Model, row: Shape, names: list[str] | None, what: str) -> Rows:
    if names is not None and (len(frame.columns) > len(names) or set(frame.names) & set(names)):
        frame = frame.chosen(names, what)
    if len(model.inputs) > 1 or any(one.texts for one in model.inputs):
        return Rows(contents=[frame.table([one.name for one in model.inputs])], row_names=frame.row_names,
                    single=frame.single)
    numbers = frame.numbers(what)
    series = len(row) == 2 and not frame.single and numbers.shape in (tuple(row), tuple(reversed(row)))
    return Rows(arrays=[("", numbers)], feature_names=frame.names, row_names=[] if series else frame.row_names,
                single=frame.single or series)


def _of_array(array: np.ndarray, given: Any, row: Shape, what: str) -> Rows:
    pictures = picture_files(array, row)
    if pictures is not None:
        files, single = pictures
        log.info("%s: bytes of shape %s are taken as %s and preprocessed as files are; numbers as they are: "
                 ".astype(float)",
                 what, array.shape, "a picture" if single else f"{len(files)} pictures")
        return Rows(contents=files, single=single)
    numbers = as_numbers(array if array.dtype.kind != "O" else given, what)
    return Rows(arrays=[("", numbers)], single=is_single(numbers.shape, row))


def _of_mapping(data: Mapping[str, Any], model: Model) -> Rows:
    """The inputs of a model by name."""
    known = {one.name: one for one in model.inputs}
    unknown = [str(name) for name in data if name not in known]
    texts = any(one.texts for one in model.inputs)
    scalars = all(one.row in ((), (1,)) for one in model.inputs) and len(known) > 1
    if data and (texts or scalars) and all(np.ndim(values) <= 1 for values in data.values()):
        return _of_frame(frame_of_mapping(data), model, model.row_shape, None, "data")
    if unknown or not data:
        raise ArgumentError(f"data: got values for {some_of(unknown) or 'no input'}; the model takes "
                            f"{some_of(list(known))}")
    rows = Rows(single=True)
    for name, values in data.items():
        own = _of_one(values, model, known[name].row, None, name)
        rows.single = rows.single and own.single
        rows.add(own, name)
    return rows


def is_single(shape: Shape, row: Shape) -> bool:
    """Whether an array of this shape is one row without an axis of rows; it is cut into rows as the engine cuts it."""
    if shape == tuple(row):
        return True
    if any(extent < 1 for extent in row):
        return len(shape) <= len(row)
    rows_first = len(shape) > 0 and math.prod(shape[1:]) == math.prod(row)
    return not rows_first or shape[0] == 1 and len(shape) <= len(row)
