"""docs/performance.md from what was measured."""

import os
import platform
import re
import subprocess
from importlib import metadata
from pathlib import Path

from frame import figure, newest_python

HEADINGS = {
    "forward": "Forward passes", "gradient": "Gradients and Hessians", "methods": "Attribution methods",
    "occlusion": "Occlusion", "loading": "From a file to the first prediction", "metrics": "Metrics",
    "games": "Games", "estimators": "Estimators of Shapley values",
    "sparse": "Effects of many players, estimated", "trees": "Trees",
    "compiled": "Compiled explanations in ONNX Runtime", "binding": "The Python package",
    "growth": "How cost grows",
}
PACKAGES = ("torch", "torchvision", "onnxruntime", "captum", "quantus")
NEWEST = ("shap", "shapiq", "scikit-learn", "lightgbm", "xgboost-cpu")
INTRODUCTION = """# Performance

Written by `./dev bench --page`; not to be edited by hand. Each row compares ascribe with what a user would otherwise
run, all contestants of a row in one run, peers at their best settings. A ratio is the peer's time divided by ours:
above 1 we are faster. *Asked* is the ratio that we want to reach; rows that fall short say so. Contestants run in
processes of their own, take turns, and have the same number of threads; times are medians. Peak memory is that of the
whole process; the peers' has Python and their libraries in it. The share of the peak counts each multiplication and
each addition of convolutions and matrix products as if done one by one (ways that need fewer can exceed it), beside
what fused multiply-adds reached in the same run.
"""


def caches():
    """Of the first core, by level: ["L1d 32 KiB", ...]."""
    found = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        if kind != "Instruction":
            kibibytes = int(size.rstrip("K"))
            amount = f"{kibibytes // 1024} MiB" if kibibytes >= 1024 else f"{kibibytes} KiB"
            found.append(f"L{level}{'d' if kind == 'Data' else ''} {amount}")
    return found


def machine():
    """Its features, not its name."""
    flags = ""
    if Path("/proc/cpuinfo").exists():
        flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
        flags = f" {flags.group(1)} " if flags else ""
    known = [title for flag, title in (("avx2", "AVX2"), ("avx512f", "AVX-512"), ("avx512_vnni", "VNNI"),
                                       ("avx512_bf16", "bfloat16"), ("amx_tile", "AMX")) if f" {flag} " in flags]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30
    return {"cores": os.cpu_count(), "architecture": platform.machine(), "instructions": known, "caches": caches(),
            "memory": round(memory)}


def versions():
    """Of the peers, and of the Python that the newest ones run in."""
    found = {}
    for name in (*PACKAGES, *NEWEST):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    other = subprocess.run([str(newest_python()), "-c", "import importlib.metadata as m, platform, sys\n"
                            "for name in sys.argv[1:]: print(name, m.version(name))\n"
                            "print('Python', platform.python_version())", *NEWEST], capture_output=True, text=True)
    if other.returncode == 0:
        found |= dict(line.split() for line in other.stdout.splitlines())
    return found


def duration(seconds):
    """Three digits, in the unit that fits."""
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds / size < 1000 else f"{seconds / size:,.0f} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def ratio(value):
    """Of times, as people read it."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(head, rows):
    """A table in Markdown; only the first column is text."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def cell(row, contestant, part="results"):
    """The peer's ratio, and whether it is as asked."""
    results = row[part]
    first = next(iter(results))
    if contestant not in results:
        return ""
    if "failed" in results[contestant] or "failed" in results[first]:
        return "failed"
    value = figure(results[contestant]) / figure(results[first])
    asked = row["asked"].get(contestant) if part == "results" else None
    if asked is None:
        return ratio(value)
    return f"**{ratio(value)}** (asked {asked:g})" if value >= asked else f"{ratio(value)} (short of {asked:g})"


def own_time(row, part="results"):
    """Of the first contestant."""
    result = next(iter(row[part].values()))
    if "failed" in result:
        return "failed"
    took = duration(result["seconds"])
    return f"{result['error']:.2g} in {took}" if "error" in result else took


def share(row):
    """Of the peak of multiply-adds in the row's own run."""
    result, limits = next(iter(row["results"].values())), row.get("limits")
    if not row.get("gflop") or not limits or "failed" in result:
        return ""
    return f"{100 * row['gflop'] / result['seconds'] / limits['gflops']:.0f} %"


def memory(row):
    """Peaks of all contestants, in their order."""
    return " / ".join("-" if "failed" in result else f"{result['peak_mib']:,.0f}" for result in row["results"].values())


def remarks(row):
    """The settings that were best, and what else is to be said."""
    said = [f"{name}: {result.get('way') or result.get('failed')}" for name, result in row["results"].items()
            if result.get("way") or result.get("failed")]
    return "; ".join([*said, *([row["note"]] if row["note"] else [])])


def cells(row):
    """A row of a family's table: {column: what it says}."""
    first = next(iter(row["results"]))
    peers = {f"{name} ÷ {first}": cell(row, name) for name in row["results"] if name != first}
    return {"": row["title"], first: own_time(row)} | peers | {"of the peak": share(row), "peak MiB": memory(row)}


def standing_tables(page):
    """The tables of a page that was written before: {heading: {title: {column: what it says}}}."""
    tables: dict = {}
    heading, columns = "", None
    for line in page.splitlines():
        if line.startswith("## "):
            heading, columns = line[3:], None
        elif line.startswith("| ") or line.startswith("|  |"):
            values = [value.strip() for value in line.strip("|").split(" | ")]
            columns = columns or values
            if values is not columns:
                tables.setdefault(heading, {})[values[0]] = dict(zip(columns, values))
        elif not line.startswith("|"):
            columns = None
    return tables


def standing_notes(page, heading):
    """The notes below a table of that page."""
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("- ")]


def family_section(family, titles, rows, page):
    """A table, and below it how the peers were set. What is not kept stays as the page has it."""
    kept = {row["title"]: row for row in rows}
    before = standing_tables(page).get(HEADINGS[family], {})
    lines = {title: cells(kept[title]) if title in kept else before[title]
             for title in titles if title in kept or title in before}
    columns = []
    for line in lines.values():
        columns += [name for name in line if name not in (*columns, "of the peak", "peak MiB")]
    columns += [name for name in ("of the peak", "peak MiB") if any(line.get(name) for line in lines.values())]
    text = [f"## {HEADINGS[family]}\n", introduction(family),
            table(columns, [[line.get(name, "") for name in columns] for line in lines.values()])]
    notes, old = [], standing_notes(page, HEADINGS[family])
    for title in lines:
        if title in kept:
            notes += [f"- {title}: {remarks(kept[title])}"] if remarks(kept[title]) else []
        else:
            notes += [line for line in old if line.startswith(f"- {title}: ")]
    if notes:
        text.append("Settings that were best, and notes:\n\n" + "\n".join(notes) + "\n")
    return "\n".join(text)


def introduction(family):
    """What the family's file says of itself."""
    import importlib

    return importlib.import_module(f"contests.{family}").__doc__.strip() + "\n"


def busy_cells(row):
    """A row of the table, or nothing if somebody failed."""
    first = next(iter(row["results"]))
    quiet, busy = row["results"][first], row["busy"][first]
    if "failed" in quiet or "failed" in busy:
        return None
    times = busy["seconds"] / quiet["seconds"]
    others = "; ".join(f"{name} {cell(row, name, 'busy')}" for name in row["busy"] if name != first)
    return [row["title"], duration(quiet["seconds"]), duration(busy["seconds"]),
            f"{times:.2f}" + ("" if times <= 3 else " (more than 3)"), others]


def busy_section(titles, rows, page):
    """Time beside processes that burn every core, compared with the quiet time and with peers measured alike."""
    known = {title: list(line.values()) for title, line in standing_tables(page).get("On a busy machine", {}).items()}
    known |= {row["title"]: busy_cells(row) for row in rows}
    body = [known[title] for title in titles if known.get(title)]
    return ("## On a busy machine\n\nEach row again beside a process for each core that burns it; peers are told to "
            "wait without spinning\n(`OMP_WAIT_POLICY=passive`, `allow_spinning=0`), ascribe is told nothing. At most "
            "3 times the quiet time, and no peer\nahead (a ratio below 1), are what we want. Work goes on without "
            "threads that get no processor\n(decisions/047-nobody-waits-for-a-thread-that-has-not-come.md).\n\n"
            + table(["", "quiet", "busy", "busy ÷ quiet", "peer ÷ ascribe, both busy"], body))


def growth_section(rows):
    """A table for each sweep: values across, time below, and the exponent between the ends."""
    import math

    sweeps: dict = {}
    for row in rows:
        sweeps.setdefault((row["title"], row["sweep"][0]), []).append(row)
    lines = [f"## {HEADINGS['growth']}\n", introduction("growth")]
    for (title, what), points in sweeps.items():
        points = sorted((point for point in points if "failed" not in next(iter(point["results"].values()))),
                        key=lambda point: point["sweep"][1])
        if len(points) < 2:
            continue
        ends = [next(iter(point["results"].values()))["seconds"] for point in (points[0], points[-1])]
        grows = math.log(ends[1] / ends[0]) / math.log(points[-1]["sweep"][1] / points[0]["sweep"][1])
        rate = (f"about the power {grows:.1f} of {what}" if "exact" not in title and "table" not in title else
                f"{(ends[1] / ends[0]) ** (1 / (points[-1]['sweep'][1] - points[0]['sweep'][1])):.1f} times per player")
        lines.append(f"{title}: {rate}\n")
        lines.append(table([what, *(f"{point['sweep'][1]:,}" for point in points)],
                           [["time", *(own_time(point) for point in points)],
                            ["peak MiB", *(memory(point) for point in points)]]))
    return "\n".join(lines)


def spread(values):
    """From the least to the most, if they differ."""
    ends = sorted(round(value) for value in values)
    return f"{ends[0]}" if ends[0] == ends[-1] else f"{ends[0]} to {ends[-1]}"


def head(store, rows):
    """The machine, its limits, the versions, and the commits that were measured."""
    content = store.content
    known = content.get("machine", machine())
    limits = [row["limits"] for row in rows if row.get("limits") and row.get("gflop")]  # that are compared with them
    lines = [INTRODUCTION, "## The machine and the peers\n",
             f"- {known['cores']} cores ({known['architecture']}, {', '.join(known['instructions'])}), "
             f"{', '.join(known['caches'])}, {known['memory']} GiB of memory; "
             f"{max((row['threads'] for row in rows), default=2)} threads."]
    if limits:
        lines.append(f"- Measured in the same runs: {spread(one['gflops'] for one in limits)} GFLOP/s of "
                     f"{limits[0]['isa']} multiply-adds in single precision, copies at "
                     f"{spread(one['copy_gb'] for one in limits)} GB/s (read and written).")
    found = content.get("versions", {})
    lines.append("- " + ", ".join(f"{name} {found[name]}" for name in (*PACKAGES, *NEWEST) if name in found)
                 + (f" ({', '.join(NEWEST)} with Python {found['Python']})." if "Python" in found else "."))
    commits = sorted({row["commit"] for row in rows})
    quick = ", with one process for each contestant (`--quick`)" if any(row["quick"] for row in rows) else ""
    lines.append(f"- Measured at {', '.join(f'`{one}`' for one in commits)}{quick}.")
    return "\n".join(lines) + "\n"


def joined_head(new, page):
    """The head, with the commits and limits of what stays from the page."""
    old = page.partition("## The machine and the peers")[2].partition("\n## ")[0]
    found = re.search(r"Measured in the same runs: (.*?) GFLOP/s.*?copies at (.*?) GB/s", old)
    mine = re.search(r"Measured in the same runs: (.*?) GFLOP/s.*?copies at (.*?) GB/s", new)
    if found and mine:
        for a, b in zip(found.groups(), mine.groups()):
            new = new.replace(f"{b} G", f"{spread([float(one) for one in f'{a} to {b}'.split(' to ')])} G", 1)
    elif found:
        line = next(line for line in old.splitlines() if "Measured in the same runs" in line)
        new = new.replace(" threads.\n", f" threads.\n{line}\n", 1)
    versions = [next((line for line in part.splitlines() if line.startswith("- torch ")), "- .") for part in (old, new)]
    if all(one.split(" (")[0] in versions[0] for one in versions[1][2:].rstrip(".").split(", ")):
        new = new.replace(f"{versions[1]}\n", f"{versions[0]}\n", 1)  # the same, and perhaps more of them
    was, now = (re.search(r"Measured at (.*?)(, with one process.*)?\.\n", part) for part in (old, new))
    if was:
        commits = sorted({*was.group(1).split(", "), *(now.group(1).split(", ") if now else [])} - {""})
        quick = was.group(2) or (now.group(2) if now else "") or ""
        new = re.sub(r"- Measured at .*\n", lambda _: f"- Measured at {', '.join(commits)}{quick}.\n", new)
    return new


def text(store, order, page=""):
    """The page: rows in the order of the contests, those that were measured. `page`: as it was; rows of which nothing
    is kept stay as they are there."""
    rows = [store.row(row.name) for _, row in order if "results" in store.row(row.name)]
    sections = [joined_head(head(store, rows), page)]
    before = standing_tables(page)
    for family in HEADINGS:
        mine = [row for row in rows if row["family"] == family]
        titles = list(dict.fromkeys(row.title for one, row in order if one == family))
        if family == "growth":
            busy = [row for row in rows if "busy" in row]
            if busy or "On a busy machine" in before:
                sections.append(busy_section(dict.fromkeys(row.title for _, row in order), busy, page))
            if mine:
                sections.append(growth_section(mine))
            elif HEADINGS[family] in before:
                section = page.partition(f"## {HEADINGS[family]}\n")[2].partition("\n## ")[0]
                sections.append(f"## {HEADINGS[family]}\n{section.rstrip()}\n")
        elif mine or any(title in before.get(HEADINGS[family], {}) for title in titles):
            sections.append(family_section(family, titles, mine, page))
    known = {title for tables in before.values() for title in tables}
    missing = [f"{family}: {row.name}" for family, row in order
               if "results" not in store.row(row.name) and row.title not in known
               and (family != "growth" or HEADINGS[family] not in before)]
    if missing:
        sections.append("## Not measured\n\n" + "\n".join(f"- {name}" for name in missing) + "\n")
    return "\n".join(sections)
