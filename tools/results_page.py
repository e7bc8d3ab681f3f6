#!/usr/bin/env python3
"""Bring the tables and figures of docs/results.md up to date from folders of `ascribe reproduce`.

    tools/results_page.py fashion=FOLDER mnist=FOLDER photographs=FOLDER

The page is written by hand, but for what stands between <!-- results NAME/EXPERIMENT --> and <!-- /results -->: that is
EXPERIMENT.md of the folder called NAME, without its first heading. Its figures go to docs/results/NAME-FIGURE.svg.
A marker <!-- results NAME/times --> becomes the times of run.json. Folders that are not given leave their parts alone;
figures that the page no longer shows are deleted.
"""

import json
import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
MARKED = re.compile(r"(<!-- results (\w+)/(\w+) -->\n).*?(<!-- /results -->)", re.DOTALL)


def experiment(name, folder, which):
    """The text of one experiment, with headings two levels lower; its figures are copied."""
    body = (folder / f"{which}.md").read_text(encoding="utf-8").split("\n", 1)[1]
    if f"]({which}.svg)" not in body:
        body = f"\n![{which}]({which}.svg)\n{body}"

    def copied(match):
        figure = f"{name}-{match.group(1)}"
        shutil.copyfile(folder / match.group(1), DOCS / "results" / figure)
        return f"](results/{figure})"

    body = re.sub(r"\]\(([\w-]+\.svg)\)", copied, body)
    return re.sub(r"^## ", "#### ", body, flags=re.MULTILINE).strip() + "\n"


def times(folder):
    """A table of how long every experiment took."""
    made = json.loads((folder / "run.json").read_text(encoding="utf-8"))["experiments"]
    lines = ["| experiment | seconds |", "|---|--:|"]
    lines += [f"| {name} | {entry['seconds']['total']:.0f} |" for name, entry in made.items()]
    return "\n".join(lines) + "\n"


def main(arguments):
    folders = {}
    for argument in arguments:
        name, sign, path = argument.partition("=")
        if not sign or not (Path(path) / "run.json").exists():
            sys.exit(f"{argument}: expected NAME=FOLDER, a folder that ascribe reproduce wrote")
        folders[name] = Path(path)
    (DOCS / "results").mkdir(exist_ok=True)
    page = DOCS / "results.md"

    def replaced(match):
        begin, name, which, end = match.groups()
        if name not in folders:
            return match.group(0)
        body = times(folders[name]) if which == "times" else experiment(name, folders[name], which)
        return f"{begin}\n{body}\n{end}"

    text = MARKED.sub(replaced, page.read_text(encoding="utf-8"))
    page.write_text(text, encoding="utf-8")
    for figure in (DOCS / "results").glob("*.svg"):
        if f"results/{figure.name}" not in text:
            figure.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
