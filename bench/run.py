"""ascribe beside PyTorch, ONNX Runtime, Captum, Quantus, shap and shapiq, in one run, with two threads.

Each family of contests is a file of bench/contests, which says what is compared. Results are printed, and kept row by
row in build/bench/results.json: a run that was interrupted goes on with --resume, and --page writes
docs/performance.md from all that is kept, whichever runs it is of; rows of which nothing is kept stay as the page has
them.

  ./dev bench                        everything, for an hour or two
  ./dev bench --only "forward vit"   rows whose family or name has these words
  ./dev bench --quick --page         one process for each contestant, then the page
  ./dev bench --resume --page        what this commit has not measured yet, then the page
  ./dev bench --missing              rows of which nothing is kept, of whichever commit
  ./dev bench --busy                 each row once more beside a process for each core that burns it
  ./dev bench --kept --page          the page alone
"""

import argparse
import importlib
import os
import sys
import time

import networks
import page
from contests import FAMILIES
from frame import Settings, Store, command_of, commit, company, figure, measured, ours, taken_turns


def chosen(only):
    """(family, row) of all rows that are asked for."""
    for family in FAMILIES:
        for row in importlib.import_module(f"contests.{family}").rows():
            words = f"{family}: {row.name}".lower()
            if not only or any(all(word in words for word in one.lower().split()) for one in only):
                yield family, row


def show(row, results, settings, limits, word=""):
    """Medians, ratios to the first contestant, memory, and what share of the peak the first one reaches."""
    print(f"{row.title}{f', {row.sweep[0]} {row.sweep[1]:,}' if row.sweep else ''}{word}")
    first = next(iter(results))
    own = None if "failed" in results[first] else figure(results[first])
    for contestant, result in results.items():
        if "failed" in result:
            print(f"  {contestant:<13} failed, {result['failed']}")
            continue
        ratio = f"{figure(result) / own:6.2f} x {first}" if own else ""
        asked = row.asked.get(contestant)
        short = f" (asked for: {asked:g})" if own and asked and figure(result) / own < asked and not word else ""
        share = ""
        if contestant == first and row.work and limits:
            share = f"{100 * row.work() / result['seconds'] / limits['gflops']:.0f} % of the FMA peak   "
        print(f"  {contestant:<13} {result['seconds'] * 1000:12.3f} ms   {ratio}{short}   peak "
              f"{result['peak_mib']:6.0f} MiB   {share}{result.get('way', '')}")
    sys.stdout.flush()


def described(family, row, results, settings, now, limits):
    """What is kept of a row."""
    return {"family": family, "title": row.title, "commit": now, "threads": settings.threads, "results": results,
            "asked": row.asked, "memory": row.memory, "note": row.note, "sweep": row.sweep, "quick": settings.quick,
            "gflop": row.work() if row.work else None, "limits": limits}


def measure(options, store, settings):
    """All rows that are asked for; one that fails does not stop the others."""
    now = commit()
    rows = list(chosen(options.only))
    if not rows:
        sys.exit(f"no row has the words {options.only}; --list shows them")
    limits = measured(command_of(ours("limits", settings.threads), 1, settings.threads), settings.threads)
    if "failed" not in limits:
        store.content["limits"] = limits
        print(f"this machine: {limits['gflops']:.0f} GFLOP/s of {limits['isa']} multiply-adds, copies "
              f"{limits['copy_gb']:.0f} GB/s; {settings.threads} threads", flush=True)
    store.content["machine"] = page.machine()
    store.content["versions"] = page.versions()
    start = time.monotonic()
    for family, row in rows:
        if options.minutes and time.monotonic() - start > 60 * options.minutes:
            print(f"stopped after {options.minutes:g} minutes; --resume goes on")
            break
        kept = store.row(row.name)
        known = kept if options.missing or (options.resume and kept.get("commit") == now) else {}
        try:
            if "results" not in known:
                results = taken_turns(row, settings)
                store.keep(row.name, described(family, row, results, settings, now, store.content.get("limits")))
                show(row, results, settings, store.content.get("limits"))
            if options.busy and row.busy and "busy" not in known:
                with company(os.cpu_count() or 1):
                    busy = taken_turns(row, settings, passive_peers=True)
                store.keep(row.name, {"commit": known.get("commit", now), "busy": busy})
                show(row, busy, settings, None, ", busy machine")
        except (RuntimeError, OSError) as error:
            print(f"{row.title}\n  left out: {error}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5, help="timed runs per process; 5: as many as a row wants")
    parser.add_argument("--rounds", type=int, default=3, help="processes per contestant")
    parser.add_argument("--only", action="append", metavar="WORDS", help="rows that have these words; may be repeated")
    parser.add_argument("--quick", action="store_true", help="one process per contestant, and fewer runs")
    parser.add_argument("--busy", action="store_true", help="measure rows again on a busy machine")
    parser.add_argument("--resume", action="store_true", help="leave out what this commit has measured already")
    parser.add_argument("--missing", action="store_true", help="leave out what any commit has measured")
    parser.add_argument("--minutes", type=float, help="begin no row after so many minutes")
    parser.add_argument("--page", action="store_true", help="write docs/performance.md from all that is kept")
    parser.add_argument("--kept", action="store_true", help="measure nothing")
    parser.add_argument("--list", action="store_true", help="the rows, and nothing else")
    options = parser.parse_args()
    if options.list:
        for family, row in chosen(options.only):
            print(f"{family}: {row.name}")
        return
    settings = Settings(options.threads, options.repeats, options.rounds)
    if options.quick:
        settings = Settings(options.threads, min(options.repeats, 3), 1, True)
    store = Store()
    if not options.kept:
        measure(options, store, settings)
    if options.page:
        target = networks.ROOT / "docs" / "performance.md"
        before = target.read_text() if target.exists() else ""
        target.write_text(page.text(store, [(family, row) for family, row in chosen(None)], before))
        print(f"wrote {target.relative_to(networks.ROOT)}")


if __name__ == "__main__":
    main()
