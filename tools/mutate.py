#!/usr/bin/env python3
"""Changes one thing in the mathematics at a time and sees whether a test fails (./dev mutate).

    mutate.py [--count N] [--seed S] [--layers theory,methods,metrics] [--page FILE] [--list] [--minutes M] [--in-place]

A mutant is one small change to one line of src/theory, src/methods or src/metrics: a comparison turned round, + for -,
a 1 for a 0, a minimum for a maximum, a condition negated. It is made in a copy of the tree (build-mutate/tree), built and
given to the tests: first those of the file, then all of its layer. A mutant that every test passes survives: a hole in the
tests, or a change that changes nothing. Mutants that do not compile do not count. The same seed gives the same mutants.
In place: in this clone and its build/, for a clone that nobody else works in; each file is put back.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "build-mutate"
TREE, BUILD = PLACE / "tree", PLACE / "build"
NINJA = "/usr/bin/ninja" if Path("/usr/bin/ninja").exists() else "ninja"
CHANGES = [  # pattern of what is there, and what stands there instead
    (r"(?<=\s)<(?=\s)", "<="), (r"(?<=\s)<=(?=\s)", "<"), (r"(?<=\s)>(?=\s)", ">="), (r"(?<=\s)>=(?=\s)", ">"),
    (r"(?<=\s)==(?=\s)", "!="), (r"(?<=\s)!=(?=\s)", "=="), (r"(?<=[\w)\]]\s)\+(?=\s)", "-"),
    (r"(?<=[\w)\]]\s)-(?=\s)", "+"), (r"(?<=[\w)\]]\s)\*(?=\s)", "/"), (r"(?<=[\w)\]]\s)/(?=\s)", "*"),
    (r"(?<=\s)\+=(?=\s)", "-="), (r"(?<=\s)-=(?=\s)", "+="), (r"&&", "||"), (r"\|\|", "&&"),
    (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"), (r"\bstd::abs\(", "("), (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"), (r"(?<![\w.])1(?![\w.])", "2"), (r"(?<![\w.])0(?![\w.])", "1"),
    (r"(?<![\w.])0\.5(?![\w])", "0.25"), (r"(?<![\w.])1\.0(?![\w])", "2.0"), (r"\bif \((?=\w)", "if (!"),
]
# What is no mathematics: words for people, names, checks that only a bug of ours can fail.
LEFT_OUT = re.compile(r'"|^\s*(//|#|namespace|using|static_assert)|template|operator|require\(|fail\(|include|reserve\(')


def mutants(layers):
    """All of them, as (file, number of the line, new line, what was changed)."""
    for layer in layers:
        for file in sorted((ROOT / "src" / layer).rglob("*.cpp")):
            for number, line in enumerate(file.read_text().splitlines()):
                if LEFT_OUT.search(line):
                    continue
                code = line.split("//")[0]
                for pattern, instead in CHANGES:
                    for match in re.finditer(pattern, code):
                        changed = code[:match.start()] + instead + code[match.end():]
                        yield file.relative_to(ROOT), number, changed, f"`{code.strip()}` -> `{changed.strip()}`"


def copy_tree():
    """The files of the clone as they are now; those that did not change keep their dates, so little is built."""
    TREE.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        source, target = ROOT / name, TREE / name
        if source.is_file() and not (target.exists() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def build():
    """Whether it compiles; also when the compiler is what never ends."""
    done = subprocess.run([NINJA, "-C", BUILD, "ascribe_tests"], capture_output=True, text=True, timeout=1800)
    return done.returncode == 0


def suites(files):
    """A filter for the tests of these files."""
    names = set()
    for file in files:
        names |= set(re.findall(r"^\s*(?:TEST|TEST_F|TEST_P)\((\w+),", file.read_text(), re.M))
    return ":".join(f"{name}.*:*/{name}.*" for name in sorted(names))


def passes(files, limit):
    """Whether the tests of these files pass in time. In two processes, each a half."""
    chosen = suites(files)
    if not chosen:
        return True
    command = [BUILD / "ascribe_tests", f"--gtest_filter={chosen}", "--gtest_fail_fast", "--gtest_brief=1"]
    environment = {"OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin", "GTEST_TOTAL_SHARDS": "2"}
    halves = [subprocess.Popen(command, env={**environment, "GTEST_SHARD_INDEX": str(half)}, cwd=TREE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for half in range(2)]
    end = time.monotonic() + limit
    good = True
    for half in halves:
        try:
            good = half.wait(max(0.1, end - time.monotonic())) == 0 and good
        except subprocess.TimeoutExpired:
            good = False
    for half in halves:
        half.kill()
        half.wait()
    return good


def tests_of(file):
    """Those that bear the file's name, and those of its whole layer."""
    layer = TREE / "tests" / file.parts[1]
    everything = sorted(layer.rglob("*_test.cpp"))
    near = [test for test in everything if test.stem.startswith(file.stem)]
    return near, everything


def judge(mutant, limit):
    """'killed', 'survived' or 'does not compile'."""
    file, number, changed, _ = mutant
    target = TREE / file
    original = target.read_text()
    lines = original.splitlines(keepends=True)
    lines[number] = changed + "\n"
    target.write_text("".join(lines))
    try:
        if not build():
            return "does not compile"
        near, everything = tests_of(file)
        return "survived" if passes(near, limit) and passes(everything, limit) else "killed"
    finally:
        target.write_text(original)


def page(results, options, count):
    """The survivors, and how many of each kind there are."""
    kinds = {kind: sum(result == kind for _, result in results) for kind in ("killed", "survived", "does not compile")}
    judged = kinds["killed"] + kinds["survived"]
    lines = ["# Changes that tests must notice", "",
             f"Generated by `./dev mutate --count {len(results)} --seed {options.seed}`: one small change at a time to "
             f"{', '.join(f'`src/{layer}`' for layer in options.layers.split(','))} ({count:,} are possible), given to the "
             "tests of that layer alone; other layers' tests and `./dev interop` would notice more.", "",
             f"**{kinds['killed']} of {judged}** were noticed; {kinds['does not compile']} did not compile and do not count.", "",
             "## Survivors", ""]
    for (file, number, _, what), result in results:
        if result == "survived":
            lines.append(f"- `{file}:{number + 1}`: {what}")
    return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50, help="how many mutants are drawn (50)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--layers", default="theory,methods,metrics")
    parser.add_argument("--page", type=Path, help="also written here, such as docs/mutation.md")
    parser.add_argument("--minutes", type=float, help="no new one is begun after that long")
    parser.add_argument("--in-place", action="store_true", help="in this clone and its build/ instead of a copy")
    parser.add_argument("--list", action="store_true", help="print what would be changed, and stop")
    return parser.parse_args()


def main():
    global TREE, BUILD
    options = arguments()
    every = list(mutants(options.layers.split(",")))
    drawn = random.Random(options.seed).sample(every, min(options.count, len(every)))
    if options.list:
        for file, number, _, what in drawn:
            print(f"{file}:{number + 1}: {what}")
        return
    if options.in_place:
        TREE, BUILD = ROOT, ROOT / "build"
    else:
        copy_tree()
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "--log-level=NOTICE",
                        f"-DCMAKE_MAKE_PROGRAM={NINJA}", "-DASCRIBE_LIBRARY=OFF"], check=True)
    if not build():
        sys.exit(f"the tree does not compile; ninja -C {BUILD} ascribe_tests says why")
    start = time.monotonic()
    for layer in options.layers.split(","):
        if not passes(sorted((TREE / "tests" / layer).rglob("*_test.cpp")), 3600):
            sys.exit(f"the tests of {layer} fail without any change")
    limit = 60 + 5 * (time.monotonic() - start)
    start = time.monotonic()
    results = []
    for number, mutant in enumerate(drawn):
        began = time.monotonic()
        if options.minutes and began - start > 60 * options.minutes:
            break
        results.append((mutant, judge(mutant, limit)))
        print(f"{number + 1:4} {results[-1][1]:<17} {time.monotonic() - began:5.0f} s  {mutant[0]}:{mutant[1] + 1}  "
              f"{mutant[3]}", flush=True)
        if options.page:  # each time, so that who stops it has what was found
            options.page.write_text(page(results, options, len(every)))
    print(page(results, options, len(every)))


if __name__ == "__main__":
    main()
