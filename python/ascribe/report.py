"""A page about one or several decisions."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _engine
from ._records import record_of


class Report:
    """What `Model.report` returns: a page that needs nothing from elsewhere, and its data.

    >>> model.report("boot.png", "report.html", title="Why a boot?")
    >>> r = model.report(frame, method=["shapley", my_function])
    >>> r.write("report.html")
    >>> r.write("report.pdf")
    """

    def __init__(self, handle: _engine.Report) -> None:
        self._handle = handle
        self.notes: list[str] = list(handle.notes)
        self.record: dict[str, Any] | None = record_of(handle)  # how it came about; it always has one

    @property
    def html(self) -> str:
        """The page."""
        return self._handle.html

    @property
    def document(self) -> dict[str, Any]:
        """The data of the page, as the command line writes them beside it."""
        document: dict[str, Any] = json.loads(self._handle.json())
        return document

    def to_dict(self) -> dict[str, Any]:
        """The same."""
        return self.document

    def write(self, page: str | os.PathLike[str], force: bool = False) -> None:
        """Writes the page, and its data beside it as .json; files that are there are replaced only with `force`.
        A page `x.pdf` is printed by an installed Chromium or Chrome, or by the program that the environment variable
        `ASCRIBE_BROWSER` names.
        """
        self._handle.write(os.fspath(page), force)

    def _repr_html_(self) -> str:
        from .html.report import report_html

        return report_html(self)

    def __repr__(self) -> str:
        document = self.document
        rows = len(document["rows"]) if "rows" in document else document["rows_explained"]
        return f"Report({document['title']}: {rows} rows)"
