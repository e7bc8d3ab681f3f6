"""What a notebook shows of an Audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._showing import number_text, plural
from ..audit import PRINCIPLES
from ._page import Safe, faint, head, joined, left_out, notes, page, table, tag

if TYPE_CHECKING:
    from ..audit import Audit, AuditedMethod, Verdict

_WORDS = {True: "holds", False: "fails", None: "open"}
_CLASSES = {True: "yes", False: "no", None: "faint"}


def audit_html(audit: Audit) -> str:
    """A line for each method and what was found; of numbers, whether they can be an allocation."""
    content = _methods(audit) if len(audit) else _numbers(audit)
    return page(content, left_out(audit.left_out), notes(audit.notes))


def _methods(audit: Audit) -> Safe:
    lines = [(one.method, *(_verdict(one.verdicts[name]) for name in PRINCIPLES), _sentences(one))
             for one in audit.values()]
    titles = ("method", *(name.replace("_", " ") for name in PRINCIPLES), "what was found")
    return joined([head(f"Three principles of {plural(len(audit), 'method')}", _about(audit)), table(titles, lines)])


def _about(audit: Audit) -> str:
    document = audit.document
    target = document.get("target") or {}
    parts = (target.get("label") or target.get("description"), document.get("input"))
    return ", ".join(str(part) for part in parts if part)


def _verdict(verdict: Verdict) -> Safe:
    figure = f"{number_text(verdict.figure, 2)} of at most {number_text(verdict.tolerance, 2)}"
    return joined([tag("b", _WORDS[verdict.holds], class_=_CLASSES[verdict.holds]), faint(figure),
                   faint(verdict.reason) if verdict.reason else ""])


def _sentences(one: AuditedMethod) -> Safe:
    return joined(tag("div", sentence) for sentence in one.sentences)


def _numbers(audit: Audit) -> Safe:
    possible, without = (_yes_or_no(one) for one in (audit.possible, audit.possible_without_negative_shares))
    distance = f"{number_text(audit.distance)} of it would have to change" if not audit.possible else ""
    residual = audit.document.get("residual")
    missing = f"residual {number_text(residual)}: what the numbers miss of the change" if residual is not None else ""
    return joined([
        head("Can these numbers be an allocation?", _about(audit)),
        tag("div", possible, " every effect to its own players only, and all of it once"),
        tag("div", without, " the same without negative shares"), faint(distance) if distance else "",
        faint(missing) if missing else ""])


def _yes_or_no(holds: bool) -> Safe:
    return tag("b", "yes:" if holds else "no:", class_="yes" if holds else "no")
