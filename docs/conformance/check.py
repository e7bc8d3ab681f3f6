"""Checks what another library says against the suite; see README.md. Needs numpy only.

Usage: check.py RESULTS.json... [--tolerance T]   or, without files: the suite against its own identities.

RESULTS.json: {"library": "name", "cases": {case: {method: answer}}}, an answer being a list with a number for each
player, or {"values": [...], "error": E} if the library itself may be off by E (a quadrature, say), relative to the
largest value. Exit code 1 if anything differs.
"""
import json
import pathlib
import sys

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent
TOLERANCE = 1e-6  # of the largest value


def cases():
    """The suite: case -> document."""
    documents = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    return {document["case"]: document for document in documents if document.get("format") == 1}


def distance(got, expected):
    """The largest difference, relative to the largest value expected."""
    got, expected = numpy.asarray(got, float), numpy.asarray(expected, float)
    if got.shape != expected.shape:
        return numpy.inf
    return float(numpy.abs(got - expected).max() / max(numpy.abs(expected).max(), 1e-300))


def check(results, tolerance=TOLERANCE):
    """Rows (method, case, verdict, difference); the difference of what the library does not offer is None."""
    rows = []
    for name, document in cases().items():
        for method, expected in document["methods"].items():
            answer = results.get(name, {}).get(method)
            if "values" not in expected:
                continue  # the method is not for this model
            if answer is None:
                rows.append((method, name, "not offered", None))
                continue
            if not isinstance(answer, dict):
                answer = {"values": answer}
            difference = distance(answer["values"], expected["values"])
            agrees = difference <= max(tolerance, answer.get("error", 0))
            rows.append((method, name, "agrees" if agrees else f"differs by {difference:.2g}", difference))
    return sorted(rows)


def table(rows):
    """A line for each method, a column for each case."""
    names = sorted({case for _, case, _, _ in rows})
    cells = {(method, case): verdict for method, case, verdict, _ in rows}
    lines = [["method", *names]]
    for method in sorted({method for method, _, _, _ in rows}):
        lines.append([method, *(cells.get((method, case), "-") for case in names)])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def identities():
    """What must hold in the suite whoever wrote it: (what, how far it is off)."""
    for name, document in cases().items():
        effects = numpy.array(document["dividends"])
        yield f"{name}: f(x) = f(b) + the sum of all J(S)", distance([document["output"]], [effects.sum()])
        sizes = numpy.array([bin(bits).count("1") for bits in range(len(effects))])
        for method, answer in document["methods"].items():
            if "allocations" not in answer:
                continue
            parts = numpy.array(answer["allocations"])
            yield f"{name}: {method} is the sum of its allocations", distance(parts.sum(1), answer["values"])
            if method == "shapley":
                inside = [[bits >> p & 1 for bits in range(len(effects))] for p in range(len(parts))]
                equal = numpy.array(inside) * effects / numpy.maximum(sizes, 1)
                yield f"{name}: shapley shares J(S) equally among S", distance(parts, equal)
        for term in document.get("taylor", {}).get("terms", []):
            if len(term["degree"]) != len(document["owner"]):
                yield f"{name}: degrees of every player", numpy.inf
    polynomial = cases()["polynomial"]
    sums = numpy.zeros(8)
    for term in polynomial["taylor"]["terms"]:
        sums[sum(1 << p for p, power in enumerate(term["degree"]) if power)] += term["value"]
    yield "polynomial: J(S) is the sum of the I(kappa) of its players", distance(sums[1:], polynomial["dividends"][1:])


def main(words):
    """Prints tables; returns the exit code."""
    tolerance = float(words[words.index("--tolerance") + 1]) if "--tolerance" in words else TOLERANCE
    files = [word for word in words if word.endswith(".json")]
    if not files:
        worst = max(identities(), key=lambda pair: pair[1])
        print(f"{sum(1 for _ in identities())} identities; the worst is off by {worst[1]:.1e}: {worst[0]}")
        return 0 if worst[1] < 1e-8 else 1
    wrong = 0
    for file in files:
        results = json.loads(pathlib.Path(file).read_text())
        rows = check(results["cases"], tolerance)
        print(f"{results.get('library', file)}\n\n{table(rows)}\n")
        wrong += sum(verdict.startswith("differs") for _, _, verdict, _ in rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
