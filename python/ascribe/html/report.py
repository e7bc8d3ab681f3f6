"""What a notebook shows of a Report: the whole page in a frame that cannot reach the notebook."""

from __future__ import annotations

from typing import Any

from .._showing import plural
from ._page import faint, head, notes, page, tag

_LARGEST = 2_000_000  # bytes: a larger page is opened, not put into the notebook


def report_html(report: Any) -> str:
    """The page as it is; its script runs in a frame of its own without any rights beyond it."""
    content = report.html
    if len(content) > _LARGEST:
        size = plural(len(content) // 1000, "kB", "kB")
        return page(head("Report"), faint(f"{size}: too large for a notebook; write it to a file and open it"),
                    notes(report.notes))
    frame = tag("iframe", srcdoc=content, sandbox="allow-scripts", title="Report",
                style="width:100%;height:640px;border:1px solid var(--line);border-radius:6px")
    return page(head("Report"), frame, notes(report.notes))
