#!/usr/bin/env python3
"""Makes the site of all documents: the Markdown of the clone, the Python package's pages, its notebooks and gallery.

    make.py FOLDER

The site has the layout of the clone, so every link that works there works here. It loads nothing from elsewhere.
"""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
TOP = ["README.md", "HACKING.md", "CONTRIBUTING.md", "CHANGELOG.md", "models/README.md"]
ITEM = re.compile(r"([-*]|\d+\.) ")


def as_python_markdown(text):
    """For a parser that wants an empty line before a list, and four columns for what belongs to an item."""
    lines, fenced, in_list = [], False, False
    for line in text.splitlines():
        if not fenced and ITEM.match(line):
            if not in_list and lines and lines[-1].strip():
                lines.append("")
            in_list = True
        elif not fenced and line.strip() and not line.startswith("  ") and (not lines or not lines[-1].strip()):
            in_list = False
        if re.match(r"\s*```", line):
            fenced = not fenced
        lines.append("  " + line if in_list and line.startswith("  ") else line)
    return "\n".join(lines) + "\n"


def copy(source):
    """The documents, and the files they link to."""
    shutil.rmtree(source, ignore_errors=True)
    skipped = shutil.ignore_patterns("*.py", "__pycache__", ".ipynb_checkpoints")
    shutil.copytree(ROOT / "docs", source / "docs", ignore=skipped)
    for name in TOP:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    for page in list(source.rglob("*.md")):
        text = page.read_text()
        page.write_text(as_python_markdown(text))
        for link in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)):
            original = (ROOT / page.relative_to(source).parent / link).resolve()
            if original.is_file() and original.is_relative_to(ROOT) and original.suffix not in (".md", ".ipynb"):
                target = source / original.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(original, target)


def gallery(source):
    """A page of pictures, drawn by docs/python/gallery.py, which says of each what it shows and how it is asked for."""
    script, folder = ROOT / "docs" / "python" / "gallery.py", source / "docs" / "python" / "gallery"
    if not script.exists():
        return []
    folder.mkdir(parents=True)
    subprocess.run([sys.executable, str(script), str(folder)], check=True)
    parts = ["# Gallery\n\nEvery plot of the package, drawn by `docs/python/gallery.py`.\n"]
    for entry in json.loads((folder / "captions.json").read_text()):
        title = entry["name"].replace("_", " ").replace("-", " ").capitalize()
        code = f"```python\n{entry['code']}\n```"
        parts.append(f"## {title}\n\n{entry['caption']}\n\n{code}\n\n![{title}]({entry['file']})\n")
    (folder / "gallery.md").write_text("\n".join(parts))
    return ["docs/python/gallery/gallery.md"]


def api(source):
    """Pages of what the package shows: its functions, a page for each class, its errors."""
    import ascribe

    named = {name: getattr(ascribe, name) for name in ascribe.__all__}
    errors = [name for name, one in named.items() if inspect.isclass(one) and issubclass(one, BaseException)]
    classes = [name for name, one in named.items() if inspect.isclass(one) and name not in errors]
    functions = [name for name, one in named.items() if inspect.isfunction(one)]
    others = [name for name in named if name not in (*errors, *classes, *functions) and inspect.ismodule(named[name])]
    folder = source / "docs" / "python" / "api"
    folder.mkdir(parents=True)

    def page(file, title, names):
        alone = "    options: {show_root_heading: false, show_root_toc_entry: false}\n" if names == [title] else ""
        parts = "".join(f"::: ascribe.{name}\n{alone}\n" for name in names)
        (folder / file).write_text(f"# {title}\n\n{parts}")
        return f"docs/python/api/{file}"

    pages = [page("functions.md", "Functions", functions)]
    pages += [page(f"{name.lower()}.md", name, [name]) for name in (*sorted(classes), *others)]
    # Modules that need more than the package itself, which `import ascribe` leaves alone.
    for module, names in (("ray", ("explain", "evaluate", "Explain", "Evaluate")), ("parts", ("read", "to_parquet"))):
        pages.append(page(f"{module}.md", f"ascribe.{module}", [f"{module}.{name}" for name in names]))
    return [*pages, page("errors.md", "Errors", errors)]


def linked(source, page):
    """The pages that a page links to, in its order, each once."""
    found = []
    for link in LINK.findall((source / page).read_text()):
        path = (source / Path(page).parent / link).resolve()
        if path.suffix == ".md" and path.is_file():
            name = str(path.relative_to(source))
            if name not in found and name != page:
                found.append(name)
    return found


def section(source, folder, found):
    """The pages of a folder: its README, what that links to in the folder, then the rest."""
    pages = [f"{folder}/README.md"] if (source / folder / "README.md").exists() else []
    pages += [page for page in (linked(source, pages[0]) if pages else []) if page.startswith(f"{folder}/")]
    pages += [page for page in found if page.startswith(f"{folder}/") and page not in pages]
    return pages


def navigation(source, python):
    """Tabs. What docs/README.md names for those who use ascribe are the guides, in its order."""
    found = sorted(str(path.relative_to(source)) for path in source.rglob("*.md"))
    notebooks = sorted(str(path.relative_to(source)) for path in source.rglob("*.ipynb"))
    folders = ("Methods", "Metrics", "Theory", "Decisions")
    parts = {name: section(source, f"docs/{name.lower()}", found) for name in folders}
    package = [page for page in found if page.startswith("docs/howto/python")]
    package.sort(key=lambda page: page.removesuffix(".md"))  # python.md before python-package.md
    taken = {*sum(parts.values(), []), *python, *package, "README.md", "HACKING.md", "CONTRIBUTING.md", "CHANGELOG.md"}
    package += [{"Notebooks": notebooks}] if notebooks else []
    package += [*[page for page in python if "gallery" in page],
                {"Reference": [page for page in python if "gallery" not in page]}]
    build = [page for page in found if re.match(r"docs/howto/add-", page)]
    guides = [page for page in linked(source, "docs/README.md") if page not in taken and page not in build]
    guides += [page for page in found if page not in taken and page not in build and page not in guides]
    guides = ["docs/README.md", *[page for page in guides if page != "docs/README.md"]]
    develop = ["HACKING.md", "CONTRIBUTING.md", *build, {"Decisions": parts.pop("Decisions")}, "CHANGELOG.md"]
    chapters = [{name: pages} for name, pages in parts.items()]
    return [{"Home": ["README.md"]}, {"Guides": guides}, {"Python": package}, *chapters, {"Develop": develop}]


def foreign(site):
    """What a browser would load from elsewhere."""
    loads = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc=["']?(?:https?:)?//[^"'\s>]+"""
                       r"""|<link[^>]*rel=["']?stylesheet[^>]*href=["']?(?:https?:)?//[^"'\s>]+|@import[^;]*//[^;]+""")
    pages = {str(page.relative_to(site)): page.read_text() for page in site.rglob("*.html")}
    return [f"{name}: {hit}" for name, text in pages.items() for hit in loads.findall(text)]


def main():
    site = Path(sys.argv[1]).resolve()
    source = site.with_name(site.name + "-source")
    copy(source)
    shutil.copy(HERE / "extra.css", source)
    python = [*gallery(source), *api(source)]
    settings = yaml.safe_load((HERE / "mkdocs.yml").read_text())
    plugin = next(one["mkdocstrings"] for one in settings["plugins"] if "mkdocstrings" in one)
    reader = plugin["handlers"]["python"]
    reader["paths"] = [str(ROOT / "python")]
    reader["options"]["extensions"] = [str(HERE / "docstrings.py")]
    settings |= {"docs_dir": str(source), "site_dir": str(site), "nav": navigation(source, python)}
    configuration = site.with_name(site.name + ".yml")
    configuration.write_text(yaml.safe_dump(settings, sort_keys=False))
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(configuration)]
    subprocess.run(command, check=True, cwd=site.parent, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    loaded = foreign(site)
    if loaded:
        sys.exit("the site loads from elsewhere:\n" + "\n".join(loaded))
    print(f"{len(list(site.rglob('*.html')))} pages: {site / 'index.html'}")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"the site was not made: {error}")
