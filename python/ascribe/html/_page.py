"""Elements in which nothing can be injected: text and attributes are escaped unless they are elements themselves."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from .. import _colors

# Letters and grounds are the notebook's own; only signs have colours of ours, in pairs for light and dark. Notebooks
# say which they are in a way of their own, and the system's choice counts where they do not.
_DARK = "".join(f"--{name}:{colors['dark']};" for name, colors in (
    ("positive", _colors.POSITIVE), ("negative", _colors.NEGATIVE), ("plain", _colors.PLAIN), ("yes", _colors.YES),
    ("no", _colors.NO)))
_LIGHT = "".join(f"--{name}:{colors['light']};" for name, colors in (
    ("positive", _colors.POSITIVE), ("negative", _colors.NEGATIVE), ("plain", _colors.PLAIN), ("yes", _colors.YES),
    ("no", _colors.NO)))
_DARK_PLACES = ",".join(f"{place} .ascribe-xai" for place in (
    '[data-jp-theme-light="false"]', ".vscode-dark", ".vscode-high-contrast", 'html[theme="dark"]',
    '[data-theme="dark"]'))
_LIGHT_PLACES = ",".join(f"{place} .ascribe-xai" for place in (
    '[data-jp-theme-light="true"]', ".vscode-light", ".vscode-high-contrast-light", 'html[theme="light"]',
    '[data-theme="light"]'))

_STYLE = f"""
.ascribe-xai{{{_LIGHT}--faint:color-mix(in srgb,currentColor 64%,transparent);\
--line:color-mix(in srgb,currentColor 18%,transparent);--track:color-mix(in srgb,currentColor 7%,transparent);\
color:inherit;font:14px/1.5 system-ui,sans-serif;max-width:64rem;overflow-wrap:anywhere}}
@media(prefers-color-scheme:dark){{.ascribe-xai{{{_DARK}}}}}
{_LIGHT_PLACES}{{{_LIGHT}}}
{_DARK_PLACES}{{{_DARK}}}
.ascribe-xai *{{box-sizing:border-box}}
.ascribe-xai .head{{font-weight:650;font-size:15px;margin:2px 0}}
.ascribe-xai .faint{{color:var(--faint);font-size:12.5px}}
.ascribe-xai .part{{margin:10px 0 4px}}
.ascribe-xai .tag{{font-size:12px;color:var(--faint);border:1px solid var(--line);border-radius:9px;padding:0 7px;\
margin-left:6px;font-weight:400;white-space:nowrap}}
.ascribe-xai .bars{{display:grid;grid-template-columns:minmax(6rem,max-content) minmax(8rem,1fr) max-content;\
gap:3px 10px;align-items:center;max-width:44rem;font-size:13px}}
.ascribe-xai .bars .name{{max-width:22rem}}
.ascribe-xai .track{{position:relative;height:15px;background:var(--track);border-radius:3px}}
.ascribe-xai .fill{{position:absolute;top:0;bottom:0;min-width:1px;border-radius:2px}}
.ascribe-xai .zero{{position:absolute;top:-2px;bottom:-2px;width:1px;background:var(--faint)}}
.ascribe-xai .positive{{background:var(--positive)}}
.ascribe-xai .negative{{background:var(--negative)}}
.ascribe-xai .plain{{background:var(--plain)}}
.ascribe-xai .other{{background:repeating-linear-gradient(45deg,var(--plain) 0 3px,transparent 3px 6px)}}
.ascribe-xai .number{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
.ascribe-xai .pictures{{display:flex;flex-wrap:wrap;gap:14px;align-items:flex-end;margin:8px 0}}
.ascribe-xai figure{{margin:0;width:11.5rem}}
.ascribe-xai figcaption{{font-size:12.5px;margin-bottom:3px;line-height:1.3}}
.ascribe-xai img{{display:block;width:100%;height:auto;margin:0;image-rendering:pixelated;border-radius:4px;\
background-size:100% 100%}}
.ascribe-xai .ramp{{display:flex;gap:6px;align-items:center;font-size:11.5px;color:var(--faint);margin-top:3px;\
font-variant-numeric:tabular-nums}}
.ascribe-xai .ramp i{{flex:1;height:7px;border-radius:2px;border:1px solid var(--line)}}
.ascribe-xai .tokens{{line-height:2.1;margin:6px 0;max-width:48rem}}
.ascribe-xai .token{{padding:2px 4px;border-radius:3px;white-space:pre-wrap;border:1px solid var(--line)}}
.ascribe-xai .scroll{{overflow-x:auto;max-width:100%}}
.ascribe-xai table{{border-collapse:collapse;font-size:13px;margin:6px 0;color:inherit;border:0;overflow-wrap:normal}}
.ascribe-xai th,.ascribe-xai td{{padding:3px 9px;text-align:left;font-weight:400;border:0;border-bottom:1px solid \
var(--line);background:none;color:inherit;vertical-align:top}}
.ascribe-xai thead th{{color:var(--faint);font-size:12px}}
.ascribe-xai td.number,.ascribe-xai th.number{{text-align:right}}
.ascribe-xai .heat td{{padding:0;min-width:5px;height:20px;border:0}}
.ascribe-xai .heat th{{border:0;white-space:nowrap;padding:0 8px 0 0}}
.ascribe-xai .yes{{color:var(--yes)}}
.ascribe-xai .no{{color:var(--no)}}
.ascribe-xai ul{{margin:4px 0;padding-left:18px}}
.ascribe-xai summary{{cursor:pointer;color:var(--faint);font-size:12.5px}}
"""


class Safe(str):
    """HTML that was made here."""


def text(value: object) -> Safe:
    """Escaped; what is no Unicode is mended."""
    if isinstance(value, Safe):
        return value
    return Safe(html.escape(str(value).encode("utf-8", "replace").decode("utf-8"), quote=True))


def joined(parts: Iterable[object]) -> Safe:
    """One after the other."""
    return Safe("".join(text(part) for part in parts))


def tag(name: str, *content: object, **attributes: object) -> Safe:
    """An element: tag("td", "3 < 4", class_="number"). Attributes of None are left out."""
    said = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
                   if value is not None)
    if name == "img":
        return Safe(f"<img{said}>")
    return Safe(f"<{name}{said}>{joined(content)}</{name}>")


def page(*content: object) -> str:
    """A result, with its style."""
    return str(Safe(f"<div class=\"ascribe-xai\"><style>{_STYLE}</style>{joined(content)}</div>"))


def head(title: object, *tags: str) -> Safe:
    return tag("div", title, *(tag("span", one, class_="tag") for one in tags if one), class_="head")


def faint(*content: object) -> Safe:
    return tag("div", *content, class_="faint")


def table(columns: Sequence[object], lines: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> Safe:
    """A table that may be wider than the page; `numbers`: columns of them."""
    def cell(kind: str, place: int, value: object) -> Safe:
        return tag(kind, value, class_="number" if place in numbers else None)

    titles = tag("thead", tag("tr", *(cell("th", place, one) for place, one in enumerate(columns))))
    body = tag("tbody", *(tag("tr", *(cell("td", place, one) for place, one in enumerate(line))) for line in lines))
    return tag("div", tag("table", titles, body), class_="scroll")


_MOST_NOTES = 8


def notes(told: Sequence[str]) -> Safe:
    """What was assumed, always to be seen; many are folded."""
    if not told:
        return Safe("")
    shown = tag("ul", *(tag("li", note) for note in told[:_MOST_NOTES]), class_="faint")
    rest = told[_MOST_NOTES:]
    if not rest:
        return shown
    return joined([shown, tag("details", tag("summary", f"{len(rest)} more notes"),
                              tag("ul", *(tag("li", note) for note in rest[:100]), class_="faint"))])


def left_out(methods: dict[str, str]) -> Safe:
    """Methods that do not suit, and why."""
    if not methods:
        return Safe("")
    return tag("details", tag("summary", f"{len(methods)} left out"),
               tag("ul", *(tag("li", f"{name}: {why}") for name, why in methods.items()), class_="faint"))
