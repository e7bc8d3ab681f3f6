"""One-line scripts: python -m ascribe.ray explain --numpy rows.npy --model credit.onnx --method shapley --out parts."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import Error
from . import _driver
from ._extra import quiet, ray


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the command line says; gives the exit code."""
    asked = vars(_parser().parse_args(arguments))
    logging.basicConfig(level=logging.INFO, format="ascribe: %(message)s", stream=sys.stderr)
    verb, address = asked.pop("verb"), asked.pop("address")
    data = next(path for path in (asked.pop(kind) for kind in _KINDS) if path is not None)
    settings = _settings(asked.pop("set"))
    more = {name: value for name, value in asked.items() if value is not None and value is not False}
    if verb == "evaluate":
        more["metric_settings"] = _settings(asked["metric_set"]) or None
        more.pop("metric_set", None)
    try:
        if address is not None:
            ray.init(address=address, logging_level=logging.WARNING, log_to_driver=False)
            quiet()
        getattr(_driver, verb)(data, **more, **({"settings": settings} if settings else {}))
    except Error as error:
        sys.stderr.write(f"ascribe: {error}\n")
        return 1
    return 0


_KINDS = {"images": "a folder of pictures", "parquet": "a .parquet file, or a folder of them",
          "numpy": "a .npy or .npz file", "data": "any other data set that ascribe evaluate takes"}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ascribe.ray", description="Large data sets on Ray: every sample "
                                     "is explained or scored once; ascribe merge puts the parts together.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="explain|evaluate")
    for verb, what in (("explain", "explain every sample"), ("evaluate", "rate methods on every sample")):
        one = verbs.add_parser(verb, help=what, description=what)
        kinds = one.add_mutually_exclusive_group(required=True)
        for kind, meaning in _KINDS.items():
            kinds.add_argument(f"--{kind}", metavar="PATH", help=meaning)
        one.add_argument("--model", required=True, help="the ONNX file, which all machines see under this path")
        one.add_argument("--method", required=True, type=_names, help="one or several, with commas in between")
        if verb == "evaluate":
            one.add_argument("--metric", required=True, type=_names, help="likewise")
            one.add_argument("--metric-set", action="append", default=[], metavar="KEY=VALUE", help="of metrics")
            one.add_argument("--label", help="of tables and Parquet: the column of the true classes")
            one.add_argument("--samples", type=int, default=0, help="how many; 0 is all")
        one.add_argument("--out", required=True, help="the folder of the parts; those that are there are not computed "
                         "again")
        one.add_argument("--address", help="of a Ray that is running: auto, or HOST:PORT; otherwise one is begun here")
        one.add_argument("--actors", type=int, help="how many; as many as there are processors is usual")
        one.add_argument("--threads", type=int, default=1, help="of each actor")
        one.add_argument("--batch", type=int, help="samples that are computed together")
        one.add_argument("--shards", type=int, default=256, help="into how many parts the work is cut")
        one.add_argument("--seed", type=int, default=0)
        one.add_argument("--precision", choices=["float32", "float64"], help="as the file computes is usual")
        one.add_argument("--memory", help="for the model, such as 4G")
        one.add_argument("--set", action="append", default=[], metavar="[METHOD.]KEY=VALUE", help="of methods")
        one.add_argument("--column", help="of Parquet: the column of the rows")
        one.add_argument("--columns", type=_names, help="of Parquet: the columns of the features")
        for name in ("target", "baseline", "players", "labels", "preprocess", "output", "input"):
            one.add_argument(f"--{name}", help="as in ascribe " + verb)
        one.add_argument("--probability", action="store_true", help="explain it instead of the logit")
    return parser


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _settings(texts: Sequence[str]) -> dict[str, Any]:
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise SystemExit(f"ascribe: set: got '{name}'; expected KEY=VALUE")
    return {name: value for name, _, value in pairs}


if __name__ == "__main__":
    sys.exit(main())
