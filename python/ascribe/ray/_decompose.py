"""One huge game on Ray: the coalitions of one row, shared by actors (docs/howto/decompose.md)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .. import _engine
from .._asking import Calling, question, split
from .._merging import Merged, merge
from ..errors import ArgumentError
from ..model import load
from ._driver import _pool
from ._extra import ray, started
from ._worker import LOADING, file_of

if TYPE_CHECKING:
    Source = str | os.PathLike[str] | bytes

_NOBODY = 1 << 20  # more shards than any game has subcubes: the last of them has nothing to do


class PartsOfGame:
    """An actor: a model, and the one row that it is asked about."""

    def __init__(self, model: Source, data: Any, folder: str, options: dict[str, Any],
                 arguments: dict[str, Any]) -> None:
        loading = {name: arguments[name] for name in LOADING if name in arguments}
        self.model = load(file_of(model) if isinstance(model, bytes) else os.fspath(model), **loading)
        self.data, self.folder, self.options = data, folder, options
        self.arguments = {name: value for name, value in arguments.items() if name not in LOADING}

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The subcubes of one shard."""
        part = self.write(int(batch["shard"][0]), int(batch["count"][0]))
        return {"subcubes": [part.samples], "computed": [part.computed]}

    def write(self, number: int, count: int) -> _engine.Part:
        """The same; says what was done."""
        asked, working = split({**self.arguments, "progress": False})
        made, _ = question(self.model, self.data, asked)
        with Calling(working, self.options) as call:
            call.shard(f"{number}/{count}")
            return self.model._handle.decompose_part(made, self.folder, call)


def decompose(data: Any, model: Source, *, out: str | os.PathLike[str], actors: int | None = None, threads: int = 1,
              shards: int = 64, index: str | None = None, order: int | None = None, at_any_cost: bool = False,
              force: bool = False, **arguments: Any) -> Merged:
    """All effects of one row whose 2^n coalitions are too many for one machine, computed on Ray and put together.

    data: one row, as `Model.decompose` takes it; a path must be seen by all machines
    model: the path of an ONNX file, likewise, or its bytes
    out: a folder for the parts and, at the end, effects.json. What is there already is not computed again
    actors, threads: as many actors with as many threads each
    shards: tasks into which the work is cut; the result does not depend on it
    index, order: an interaction index that is a sum over effects, such as sii, and its order
    at_any_cost: also more than 24 players; without it the cost is said, from a pace that is measured
    force: replaces an effects.json that is there
    arguments: `precision`, `memory` and `shape` of `ascribe.load`; everything else as in `Model.decompose`

    >>> ascribe.ray.decompose("row.csv", "credit.onnx", out="parts", precision="float64", at_any_cost=True).files
    """
    for name, value in (("shards", shards), ("actors", actors), ("threads", threads)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise ArgumentError(f"{name}: got {value!r}; expected an integer from 1")
    if isinstance(model, (str, os.PathLike)):
        model = os.path.abspath(os.fspath(model))
    if isinstance(data, (str, os.PathLike)):
        data = os.path.abspath(os.fspath(data))
    folder = os.path.abspath(os.fspath(out))
    options = {"index": index, "order": order, "at_any_cost": at_any_cost}
    made = {"model": model, "data": data, "folder": folder, "options": options,
            "arguments": {**arguments, "threads": threads}}
    PartsOfGame(**made).write(_NOBODY, _NOBODY)  # complains of the question, or of its cost
    started()
    tasks = [{"shard": number, "count": shards} for number in range(1, shards + 1)]
    for _ in ray.data.from_items(tasks, override_num_blocks=len(tasks)).map_batches(
            PartsOfGame, fn_constructor_kwargs=made, batch_size=1, batch_format="numpy",
            **_pool(actors, threads)).iter_rows():
        pass
    return merge(folder, force=force, progress=False)
