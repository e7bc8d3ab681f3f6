"""Cross-checks ascribe against PyTorch, ONNX Runtime, Captum, LXT, Quantus, Zennit, shap and shapiq.

Usage, from the root: run.py [--renew] [WORD...]. With words, only the groups whose name holds one of them: a network,
"double", "bundled", "compiled", "conformance", "derivatives", "families", "fused", "games", "metrics", "operators",
"paths", "perturbation", "python package", "relevance", "series", "shap plots", "tables", "targets", "tokens" or "trees".
With --renew, pages that are made from results (docs/models.md) are written. The Python package is installed. The environment
variable ASCRIBE says where the binary is (build/ascribe); ascribe_roundtrip, ascribe_conformance and ascribe_derivatives lie
beside it. Exit code 1 if a comparison failed or none was made.
"""
import concurrent.futures
import functools
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import torch

import bundled
import compiled
import conformance
import derivatives
import fused
import games
import networks
import operators
import paths
import perturbation
import python_package
import relevance
import relevance_transformers
import series
import tables
import targets
import tokens
import trees
from results import failure


def check_metrics(folder):
    """Quantus takes seconds to import: the other groups do not wait for it."""
    import metrics

    yield from metrics.check_metrics(folder)


def check_families(folder):
    """So do transformers and scikit-learn."""
    import models_page

    yield from models_page.check_families(folder)


def check_shap_plots(folder):
    """And shap with matplotlib."""
    import shap_plots

    yield from shap_plots.check_shap_plots(folder)


def groups():
    """What can be checked independently: name -> function of a folder that yields results."""
    jobs = {"families": check_families, "operators": operators.check_operators, "games": games.check_games}
    for name in networks.RECIPES:
        jobs[name] = functools.partial(networks.check_network, name, torch.float32)
    for name in networks.DOUBLE_RECIPES:
        jobs[f"{name} double"] = functools.partial(networks.check_network, name, torch.float64)
    jobs["bundled"] = bundled.check_bundled
    jobs["compiled"] = compiled.check_compiled
    jobs["conformance"] = conformance.check_conformance
    jobs["fused"] = fused.check_fused
    jobs["derivatives"] = derivatives.check_derivatives
    jobs["perturbation"] = perturbation.check_perturbation
    jobs["paths"] = paths.check_paths
    jobs["python package"] = python_package.check_python_package
    jobs["relevance"] = relevance.check_relevance
    jobs["relevance transformers"] = relevance_transformers.check_relevance_transformers
    jobs["targets"] = targets.check_targets
    jobs["trees"] = trees.check_trees
    jobs["tokens"] = tokens.check_tokens
    jobs["series"] = series.check_series
    jobs["tables"] = tables.check_tables
    jobs["metrics"] = check_metrics
    jobs["shap plots"] = check_shap_plots
    return jobs


def run_group(name, folder):
    """All results of one group; what breaks it is one more failure."""
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # the fused encoder has no ONNX form
    results = []
    try:
        results.extend(groups()[name](folder))
    except Exception as error:  # the other groups go on
        results.append(failure(name, error))
    return results


def run_all(names, folder):
    """The results of all groups, printed as they come."""
    context = multiprocessing.get_context("spawn")
    results = []
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), context) as pool:
        for future in [pool.submit(run_group, name, folder) for name in names]:
            report(future.result())
            results += future.result()
    return results


def report(results):
    """Prints a line per comparison; those not worth it are summed up."""
    for result in results:
        if result.shown or not result.passed:
            print(result)
    hidden = [result for result in results if result.passed and not result.shown]
    if hidden:
        worst = max(hidden, key=lambda result: result.error / result.tolerance if result.tolerance else 0.0)
        print(f"ok    and {len(hidden)} more; the worst: {worst}")
    sys.stdout.flush()


def main(words):
    """Runs the groups that the words choose; returns the exit code."""
    if "--renew" in words:
        os.environ["ASCRIBE_RENEW"] = "1"  # groups run in processes of their own
    words = [word for word in words if word != "--renew"]
    names = [name for name in groups() if not words or any(word in name for word in words)]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ascribe-interop-") as folder:
        results = run_all(names, pathlib.Path(folder))
    failed = sum(not result.passed for result in results)
    made = sum(not result.trouble for result in results)
    print(f"took {time.monotonic() - started:.0f} s")
    print(f"comparisons made: {made}")
    print(f"{len(results) - failed} passed, {failed} failed")
    return 0 if made and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
