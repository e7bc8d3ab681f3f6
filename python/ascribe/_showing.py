"""What pictures and pages of results share: what a row looks like, which players are the strongest, and the words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from .errors import ArgumentError

if TYPE_CHECKING:
    from .explanation import Explanation, Explanations

Kind = Literal["picture", "series", "table", "text"]

_STEP = re.compile(r"steps? (\d+)(?: to \d+)?")
_PIXEL = re.compile(r"r\d+c\d+$|superpixel|patch")
_SHOWN_SHARE = 0.99  # of the elements are within the colours of a map, so that one of them does not take all of it


def row_of(explanation: Explanation, row: int = 0) -> Explanation:
    """The explanation of one row.

    >>> row_of(model.explain(frame), 3)
    """
    if not explanation.single:
        return explanation[row]
    if row not in (0, -1):
        raise IndexError(f"row {row}: there is 1 row")
    return explanation


def methods_of(explanations: Explanations, row: int = 0) -> dict[str, Explanation]:
    """What all methods say of one row; refuses where there is none."""
    if not len(explanations):
        raise ArgumentError("there is no method to show; left_out says why")
    return {name: row_of(one, row) for name, one in explanations.items()}


def kind_of(explanation: Explanation) -> Kind:
    """What a row looks like. Of two axes the names of the players say whether they are those of a picture."""
    if explanation.tokens is not None:
        return "text"
    one = row_of(explanation)
    if one.values.ndim < 2:
        return "table"
    if one.values.ndim >= 3 or any(_PIXEL.match(str(name)) for name in one.player_names[:1]):
        return "picture"
    return "series"


# ---- numbers and words ----


def number_text(value: float, digits: int = 3) -> str:
    """A number for people.

    >>> number_text(-0.000123456)
    '−0.000123'
    """
    value = float(value)
    if not np.isfinite(value):
        return {True: "–"}.get(np.isnan(value), "∞" if value > 0 else "−∞")
    text = f"{value:.{digits}g}"
    if "e" in text and 1e3 <= abs(value) < 1e6:
        text = f"{value:.0f}"
    return text.replace("e+0", "e+").replace("e-0", "e-").replace("-", "−")


def signed_text(value: float, digits: int = 3) -> str:
    """The same with its sign."""
    return ("+" if value > 0 else "") + number_text(value, digits)


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: 1 row, 2 rows."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def quantity(explanation: Explanation) -> str:
    """What the values are: shares of the output, or slopes."""
    return "contribution" if explanation.contribution else "slope"


def subject(explanation: Explanation) -> str:
    """What is explained: "logit of Ankle boot"; of rows that differ in it, "logit of the target of each row"."""
    names = [explanation.output_names] if explanation.single else list(explanation.output_names)
    own = names[0] if len(set(names)) == 1 else "the target of each row"
    return own if own == explanation.explains else f"{explanation.explains} of {own}"


def title_of(explanation: Explanation, rows: bool = False) -> str:
    """The method and what it explains, in plain words; `rows`: of many rows."""
    what = "what raises and lowers" if explanation.contribution else "how fast small changes move"
    of = f", {plural(len(explanation), 'row')}" if rows else f", {row_of(explanation).row_names}"
    return f"{explanation.method}: {what} the {subject(explanation)}{of}"


def exactness(explanation: Explanation) -> str:
    """Exact or approximate."""
    exact = np.atleast_1d(explanation.exact)
    if exact.all():
        return "exact"
    return "approximate" if not exact.any() else f"approximate in {plural(int((~exact).sum()), 'row')}"


# ---- players ----


class Strongest(NamedTuple):
    """Players with the largest magnitudes first, and how many others there are."""

    chosen: np.ndarray
    others: np.ndarray


def strongest(values: np.ndarray, most: int) -> Strongest:
    """Ties keep their order; players that are not there (NaN) are left out; one player left over is no "others"."""
    if most < 1:
        raise ArgumentError(f"most: got {most}; expected at least 1")
    there = np.flatnonzero(~np.isnan(values))
    order = there[np.argsort(-np.abs(values[there]), kind="stable")]
    count = len(order) if len(order) == most + 1 else min(most, len(order))
    return Strongest(order[:count], order[count:])


def same_players(explanation: Explanation) -> list[str]:
    """The names of the players of all rows; refuses rows that have others."""
    names = [explanation.player_names] if explanation.single else explanation.player_names
    if any(one != names[0] for one in names[1:]):
        raise ArgumentError("the rows have different players, so they cannot be put together; choose one: "
                            "explanation[0].plot.bar()")
    return [str(name) for name in names[0]]


def player_inputs(explanation: Explanation) -> np.ndarray:
    """The mean of what each player has in the data: [rows, players]; NaN for players without elements."""
    many = explanation.batched()
    count = many.player_values.shape[1]
    data = many.data.reshape(len(many), -1)
    owners = many.owners.reshape(len(many), -1)
    if data.shape != owners.shape:
        return np.full((len(many), count), np.nan)
    if count == data.shape[1] and (owners == np.arange(count)).all():
        return data.astype(float)
    sums, counts = np.zeros((len(many), count + 1)), np.zeros((len(many), count + 1))
    rows = np.arange(len(many))[:, None]
    np.add.at(sums, (rows, owners), data)  # nobody's are counted in the last column, number -1
    np.add.at(counts, (rows, owners), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (sums / counts)[:, :count]


def named_inputs(explanation: Explanation) -> list[str]:
    """The players of one row of a table with their values, "age = 31"; of other rows the names alone."""
    names = [str(name) for name in explanation.player_names]
    sizes = np.bincount(explanation.owners.ravel()[explanation.owners.ravel() >= 0], minlength=len(names))
    if kind_of(explanation) != "table" or explanation.owners.shape != explanation.data.shape:
        return names
    values = player_inputs(explanation)[0]
    return [f"{name} = {number_text(values[i], 4)}" if sizes[i] == 1 else name for i, name in enumerate(names)]


# ---- maps ----


def limit_of(values: np.ndarray, share: float = 1.0) -> float:
    """Both ends of a scale around zero: the magnitude that this share of the values does not exceed; the largest where
    that would be 0."""
    magnitudes = np.abs(values[np.isfinite(values)])
    if magnitudes.size == 0:
        return 0.0
    at = int(np.ceil(share * magnitudes.size)) - 1
    return float(np.partition(magnitudes, at)[at] or magnitudes.max())


def map_limit(values: np.ndarray) -> float:
    """Of a map of a picture."""
    return limit_of(values, _SHOWN_SHARE)


def channels_first(shape: Sequence[int]) -> bool:
    """Whether the axes of a picture are channels, height, width: the shorter end has the channels."""
    return not (shape[-1] <= 4 < shape[0])


def element_map(explanation: Explanation) -> np.ndarray:
    """One number for each pixel of one row, summed over channels: [height, width]; NaN where nobody owns the pixel.

    Elements of players that were masked as a whole all show the player's value, which is counted once for each pixel.
    """
    values, owners = _with_channels(explanation.values), _with_channels(explanation.owners)
    whole = np.asarray(explanation.player_values)[owners]
    repeated = bool((np.bincount(owners[owners >= 0].ravel()) > 1).any()) and np.array_equal(
        values[owners >= 0], whole[owners >= 0])
    counted = owners >= 0
    if repeated:
        for channel in range(1, len(owners)):
            counted[channel] &= (owners[:channel] != owners[channel]).all(axis=0)
    sums = np.where(counted, values, 0).sum(axis=0)
    return np.where((owners >= 0).any(axis=0), sums, np.nan)


def _with_channels(array: np.ndarray) -> np.ndarray:
    """[channels, height, width]"""
    if array.ndim == 2:
        return array[None]
    if array.ndim > 3:
        array = array.reshape(-1, *array.shape[-2:])
    return array if channels_first(array.shape) else np.moveaxis(array, -1, 0)


_IMAGENET = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "scale": 1 / 255}
_PREPROCESSED: dict[str, dict[str, Any]] = {"unit": {"scale": 1 / 255}, "raw": {}, "imagenet": _IMAGENET}


def picture_of(explanation: Explanation) -> np.ndarray:
    """The picture of one row as bytes: [height, width] or [height, width, 3]. Preprocessing is undone where it is
    known; otherwise numbers from 0 to 1 or to 255 are taken as they are, and others are stretched."""
    channels = _with_channels(np.asarray(explanation.data, float))
    known = _preprocessing(explanation)
    channels = _undone(channels, known) if known is not None else _to_bytes_by_range(channels)
    if len(channels) not in (1, 3):
        channels = channels[:3] if len(channels) == 4 else channels.mean(axis=0, keepdims=True)
    pixels = np.clip(np.rint(np.nan_to_num(channels)), 0, 255).astype(np.uint8)
    return pixels[0] if len(pixels) == 1 else np.moveaxis(pixels, 0, -1)


def _undone(channels: np.ndarray, settings: Mapping[str, Any]) -> np.ndarray:
    """From 0 to 255, in the order red, green, blue."""
    mean, std = (np.reshape(np.asarray(settings.get(name, default), float), (-1, 1, 1))
                 for name, default in (("mean", 0), ("std", 1)))
    if len(mean) not in (1, len(channels)) or len(std) not in (1, len(channels)):
        return _to_bytes_by_range(channels)
    bytes_ = (channels * std + mean) / _scale(settings.get("scale", 1))
    return bytes_[::-1] if settings.get("color") == "bgr" else bytes_


def _preprocessing(explanation: Explanation) -> Mapping[str, Any] | None:
    """What the notes or the question say of it."""
    told = [note.split()[1].rstrip(",:;") for note in explanation.notes if note.startswith("preprocessing: ")]
    known = told[0] if told else _asked_preprocessing(explanation.record)
    if isinstance(known, str) and known.lstrip().startswith("{"):
        known = json.loads(known)
    if isinstance(known, str):
        return _PREPROCESSED.get(known)
    return known if isinstance(known, Mapping) else None


def _asked_preprocessing(record: Mapping[str, Any]) -> Any:
    """Of a record in a few words, or of one that can be replayed."""
    asked = (record.get("request") or {}).get("question", {}).get("rows") or record.get("question") or {}
    return asked.get("preprocess") or record.get("preprocess")


def _scale(scale: Any) -> float:
    if isinstance(scale, str) and "/" in scale:
        above, below = scale.split("/", 1)
        return float(above) / float(below)
    return float(scale) or 1.0


def _to_bytes_by_range(channels: np.ndarray) -> np.ndarray:
    low, high = (float(np.nanmin(channels)), float(np.nanmax(channels))) if channels.size else (0.0, 0.0)
    if low >= 0 and high <= 1:
        return channels * 255
    if low >= 0 and high <= 255:
        return channels
    return (channels - low) * (255 / (high - low) if high > low else 0)


def grey_of(picture: np.ndarray) -> np.ndarray:
    """[height, width] of a picture."""
    return picture if picture.ndim == 2 else np.rint(picture @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)


# ---- series ----


class Series(NamedTuple):
    """A series with time along the second axis."""

    values: np.ndarray  # [channels, steps]; NaN: nobody's
    data: np.ndarray
    channel_names: list[str]


def series_of(explanation: Explanation) -> Series:
    """One row over time. Which axis is time the names of the players say; otherwise it is the longer one."""
    owners, turned = explanation.owners, _time_is_first(explanation)
    values = np.where(owners >= 0, explanation.values, np.nan)
    data = np.asarray(explanation.data, float)
    if turned:
        values, data, owners = values.T, data.T, owners.T
    return Series(values, data, _channel_names(explanation, owners))


def _time_is_first(explanation: Explanation) -> bool:
    owners = explanation.owners
    names = [str(name) for name in explanation.player_names]
    for axis, line in enumerate((owners[:, 0], owners[0, :])):
        own = [_STEP.search(names[player]) for player in line if player >= 0]
        if len({found.group(1) for found in own if found}) > 1:
            return axis == 0
    if len(set(names)) == len(names) and len(names) in owners.shape and not any(map(_STEP.search, names)):
        return bool((owners[:1] == owners).all())  # a player for each channel: constant along the first axis
    return bool(owners.shape[0] >= owners.shape[1])


def _channel_names(explanation: Explanation, owners: np.ndarray) -> list[str]:
    if explanation.feature_names is not None and len(explanation.feature_names) == len(owners):
        return [str(name) for name in explanation.feature_names]
    names = []
    for number, line in enumerate(owners):
        own = str(explanation.player_names[line[0]]) if line[0] >= 0 else ""
        own = own if (owners == line[0]).any(axis=1).sum() == 1 else ""  # a player of several channels names none
        own = _STEP.sub("", own).strip()
        names.append(own or (f"channel {number}" if len(owners) > 1 else "value"))
    return names


# ---- texts ----


class Token(NamedTuple):
    """A token with the value of its player; None: it is nobody's."""

    text: str
    value: float | None
    player: int
    space: bool  # before it


def tokens_of(explanation: Explanation) -> list[Token]:
    """The tokens of one row in order; without texts, the players."""
    values = np.asarray(explanation.player_values, float)
    if explanation.tokens is None:
        there = np.flatnonzero(~np.isnan(values))
        return [Token(str(explanation.player_names[p]), float(values[p]), int(p), True) for p in there]
    texts = [str(text) for text in explanation.tokens]
    owners = explanation.owners.reshape(len(texts), -1)[:, 0] if texts else np.zeros(0, int)
    marked = any(text[:1] in ("Ġ", "▁", " ") for text in texts)
    return [Token(_shown(text), float(values[p]) if p >= 0 else None, int(p), _has_space(text, marked))
            for text, p in zip(texts, owners, strict=True)]


def _has_space(text: str, marked: bool) -> bool:
    """Vocabularies mark either the beginnings of words (Ġ, ▁) or what continues them (##)."""
    return text[:1] in ("Ġ", "▁", " ") if marked else not text.startswith("##")


def _shown(text: str) -> str:
    text = text.removeprefix("##") if len(text) > 2 else text
    text = text[1:] if text[:1] in ("Ġ", "▁", " ") else text
    return text.replace("Ċ", "↵").replace("\n", "↵").replace("\t", " ") or "␣"
