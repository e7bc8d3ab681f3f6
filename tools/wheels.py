#!/usr/bin/env python3
"""Builds the wheels of the Python package and tries each in an empty virtual environment (./dev wheel).

    wheels.py [--twice] [--quick] [FOLDER]

Two wheels, both with the libascribe of build/prefix: one for Python 3.11, and one for the stable ABI that serves every
Python from 3.12 on. auditwheel puts the shared libraries into them, this program their licences and a bill of
materials. Python 3.11 and newer ones are looked for on the PATH and below ~/.pyenv/versions; a wheel without its Python
is left out, with a word. --twice builds each wheel a second time from nothing and compares the bytes; --quick runs the
README's lines with each, but not the tests.
"""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import sbom
from auditwheel.wheeltools import InWheel

ROOT = Path(__file__).resolve().parents[1]
PLATFORM = "manylinux_2_36_x86_64"  # the glibc of Debian 12
# Compiled into libascribe and the extension from their headers, so no library names them.
HEADERS = [package for package in sbom.HEADERS if package != "libcli11-dev"]
# What every Linux with this glibc has; auditwheel leaves them out.
SYSTEM = re.compile(r"(ld-linux-x86-64|linux-vdso|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so")

sys.path.insert(0, str(ROOT / "tests" / "tools"))
import check_hardening  # noqa: E402
import check_runpath  # noqa: E402


def say(text):
    print(f"==> {text}", flush=True)


def run(*command, **options):
    """Runs quietly; what was said is shown if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}\nfailed with {done.returncode}")
    return done.stdout


def interpreters():
    """{(3, 12): path} of every Python from 3.11 on with which an extension can be built, one for each version."""
    on_path = [shutil.which(f"python3.{minor}", path=f"/usr/bin:{os.environ['PATH']}") for minor in range(11, 30)]
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python3"))
    found = {}
    for path in [*filter(None, on_path), *pyenv]:
        said = subprocess.run([path, "-c", "import os, sys, sysconfig, venv, ensurepip;"
                               "print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0,"
                               "os.path.exists(sysconfig.get_path('include') + '/Python.h'))"],
                              capture_output=True, text=True)
        words = said.stdout.split()
        if said.returncode == 0 and words[2:] == ["0", "True"]:
            version = (int(words[0]), int(words[1]))
            if version >= (3, 11):
                found.setdefault(version, str(path))
    return found


def pinned(*names):
    """These requirements in the versions of the tests."""
    lines = (ROOT / "tests" / "interop" / "requirements.txt").read_text().split()
    return [line for line in lines if line.split("==")[0] in names]


def build(python, tag, folder):
    """The wheel as scikit-build-core makes it, still in need of Debian's libraries."""
    say(f"building the {tag} wheel with {python}")
    shutil.rmtree(ROOT / "build" / f"python-{tag}", ignore_errors=True)
    environment = folder / f"build-{tag}"
    run(python, "-m", "venv", "--clear", environment)
    pip = environment / "bin" / "pip"
    run(pip, "install", *pinned("nanobind", "scikit-build-core"))
    raw = folder / f"raw-{tag}"
    shutil.rmtree(raw, ignore_errors=True)
    run(pip, "wheel", "--no-build-isolation", "--no-deps", ROOT, "--wheel-dir", raw,
        "--config-settings=cmake.source-dir=python", f"--config-settings=build-dir=build/python-{tag}",
        f"--config-settings=cmake.define.ascribe_DIR={ROOT}/build/prefix/lib/cmake/ascribe",
        env={**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}"}, cwd=ROOT)
    return next(raw.glob("*.whl"))


REPAIR = """
import json, pathlib, sys
import auditwheel.main, auditwheel.policy
rules = pathlib.Path(sys.argv.pop())
known = auditwheel.policy._POLICY_JSON_MAP
for libc, file in known.items():
    if file.name.startswith("manylinux"):
        policies = json.loads(file.read_text())
        for policy in policies:
            for name in {"libz.so.1", "libexpat.so.1"} & set(policy["lib_whitelist"]):
                policy["lib_whitelist"].remove(name)
        rules.write_text(json.dumps(policies))
        known[libc] = rules
sys.exit(auditwheel.main.main())
"""


def repair(raw, folder):
    """The wheel with every shared library in it; zlib and expat, too, which auditwheel expects of a system."""
    fresh = folder / f"{raw.parent.name}-repaired"
    shutil.rmtree(fresh, ignore_errors=True)
    run(sys.executable, "-c", REPAIR, "repair", "--strip", "--plat", PLATFORM, "--wheel-dir", fresh, raw,
        folder / "policies.json")
    return next(fresh.glob("*.whl"))


def sources():
    """{name in a wheel, without what auditwheel adds: path} of the libraries that libascribe loads."""
    return {os.path.basename(path): path for path in sbom.loaded_libraries(ROOT / "build/prefix/lib/libascribe.so")}


def debian_package(library):
    """Whose a library is, by the name it has in the wheel: libpng16-2c6a2ef3.so.16.39.0 is of libpng16-16."""
    path = sources()[re.sub(r"-[0-9a-f]{8}(?=\.)", "", library)]
    return sbom.owner(path) or sys.exit(f"{library}: no Debian package has {path}")


def bundled(wheel):
    """The Debian packages whose libraries are in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        libraries = [Path(name).name for name in archive.namelist() if ".libs/" in name and ".so" in name]
    return sorted(set(map(debian_package, libraries)))


def licences(wheel):
    """{name: text} of all that is in the wheel and not ours."""
    found = {}
    for package in sorted({*bundled(wheel), *HEADERS}):
        found[package] = Path(f"/usr/share/doc/{package}/copyright").read_text()
    for file in importlib.metadata.files("nanobind"):
        if file.name.startswith("LICENSE"):
            found["nanobind"] = file.read_text()
    return found


def bill_of_materials(wheel):
    """What is in the wheel, as SPDX."""
    parts = [sbom.debian(package, "CONTAINS") for package in bundled(wheel)]
    parts += [sbom.debian(package, "STATIC_LINK") for package in HEADERS]
    parts.append(sbom.python_package("nanobind", importlib.metadata.version("nanobind"), "BSD-3-Clause", "STATIC_LINK"))
    return sbom.text(sbom.document("ascribe-xai", wheel.name, parts))


def add_papers(wheel, folder):
    """The wheel with the licences beside ours, as its metadata say, and with its bill of materials, also beside it."""
    texts, bill = licences(wheel), bill_of_materials(wheel)
    target = folder / wheel.name
    target.with_suffix(".spdx.json").write_text(bill)
    target.unlink(missing_ok=True)
    with InWheel(wheel, target):
        information = next(Path().glob("*.dist-info"))
        for name, text in texts.items():
            file = information / "licenses" / "bundled" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        inside = information / "sboms" / "ascribe.spdx.json"
        inside.parent.mkdir(exist_ok=True)
        inside.write_text(bill)
        metadata = information / "METADATA"
        lines = "".join(f"License-File: bundled/{name}\n" for name in texts)
        ours = "License-File: LICENSE\n"
        metadata.write_text(metadata.read_text().replace(ours, ours + lines, 1))
    return target


def check_libraries(wheel):
    """Every library finds those it needs in the wheel or in glibc and the compiler's runtime."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        binaries = list(check_runpath.binaries(Path(folder)))
        for binary in binaries:
            unprotected = check_hardening.missing(binary) if check_hardening.SHIPPED.fullmatch(binary.name) else []
            if unprotected:
                sys.exit(f"{wheel.name}: {binary.name} {', '.join(unprotected)}")
            for path in check_runpath.search_paths(binary):
                wrong = [entry for entry in path.split(":") if not entry.startswith("$ORIGIN")]
                if wrong:
                    sys.exit(f"{wheel.name}: {binary.name} searches {wrong}; expected folders of the wheel only")
            for line in run("ldd", binary, env={"PATH": os.environ["PATH"]}).splitlines():
                words = line.split()
                inside = len(words) > 2 and words[2].startswith(folder)
                if not inside and not SYSTEM.match(os.path.basename(words[0])):
                    sys.exit(f"{wheel.name}: {binary.name} needs what is not in the wheel: {line.strip()}")
        return [binary.name for binary in binaries]


def check_stable_abi(wheel):
    """The extension of the abi3 wheel is one, by its name and by its symbols."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if "_engine" in name and name.endswith(".so")]
    if names != ["ascribe/_engine.abi3.so"]:
        sys.exit(f"{wheel.name}: expected ascribe/_engine.abi3.so; got {names}")
    run("abi3audit", "--strict", wheel)


LOADED = """
import json, pathlib, sys, time
start = time.perf_counter()
import numpy
numpy_seconds = time.perf_counter() - start
start = time.perf_counter()
import ascribe
seconds = time.perf_counter() - start
assert not {"matplotlib", "pandas", "torch", "PIL"} & set(sys.modules), "import ascribe imports more than numpy"
import bz2, ctypes, hashlib, lzma, ssl, uuid, zlib  # Python's own libraries, whoever asks for them
def libraries():
    return {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
models = pathlib.Path(sys.argv[1])
for precision in ("float32", "float64"):
    model = ascribe.load(models / "relu_vgg.onnx", precision=precision)
    model.explain(models / "images" / "ankle_boot.png", method="shapley", players="grid:3x3")
print(json.dumps({"seconds": seconds, "numpy": numpy_seconds, "file": ascribe.__file__,
                  "libraries": sorted(libraries())}))
"""
PYTHON_ONLY = """
import json, numpy, bz2, ctypes, hashlib, lzma, ssl, uuid, zlib
print(json.dumps(sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line})))
"""


def first_lines():
    """The Python lines of the README, and its model and picture."""
    text = (ROOT / "README.md").read_text()
    return re.search(r"```python\n(.*?)```", text, re.S).group(1)


def try_out(python, wheel, extras, quick):
    """As a user would, outside the clone: install, the README's lines, then the tests against what was installed."""
    version = run(python, "-c", "import platform; print(platform.python_version())").strip()
    say(f"trying {wheel.name} on Python {version}")
    clean = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PYTHONPATH")}
    clean["MPLBACKEND"] = "agg"
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", f"{folder}/venv")
        inside = f"{folder}/venv/bin/python"
        shutil.copytree(ROOT / "models", f"{folder}/models")
        start = time.perf_counter()
        run(inside, "-m", "pip", "install", f"{wheel}[plots]", env=clean, cwd=folder)
        installed = time.perf_counter() - start
        run(inside, "-c", first_lines(), env=clean, cwd=folder)
        total = time.perf_counter() - start
        print(f"    pip install {installed:.1f} s, with the README's lines {total:.1f} s")
        check_loaded(inside, clean, folder)
        if quick:
            return
        run(inside, "-m", "pip", "install", *pinned("pytest"), env=clean, cwd=folder)
        test(inside, clean, folder, "with nothing but numpy, matplotlib and pytest")
        if extras:
            site = run(inside, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
            # Behind the wheel's own folder, so that the wheel is what is imported.
            Path(site, "extras.pth").write_text(f"{extras}\n")
            test(inside, clean, folder, "with what the tests of the clone have")


def check_loaded(python, environment, folder):
    """The package is the one installed below the folder, and loads libraries from nowhere else."""
    said = [json.loads(run(python, "-c", LOADED, ROOT / "models", env=environment, cwd=folder)) for _ in range(3)]
    ours, theirs = (min(one[name] for one in said) for name in ("seconds", "numpy"))
    print(f"    import ascribe {ours:.2f} s, after {theirs:.2f} s for numpy")
    if not said[0]["file"].startswith(folder):
        sys.exit(f"the tests would not use the wheel but {said[0]['file']}")
    python_only = json.loads(run(python, "-c", PYTHON_ONLY, env=environment, cwd=folder))
    foreign = [path for path in said[0]["libraries"] if not path.startswith(folder) and path not in python_only
               and "/lib-dynload/" not in path and not SYSTEM.match(os.path.basename(path))]
    if foreign:
        sys.exit(f"the wheel loads what is not in it: {foreign}")


def test(python, environment, folder, what):
    print(f"    tests {what}:", flush=True)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", str(ROOT / "python" / "tests")]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    print("    " + (done.stdout.strip().splitlines() or ["nothing"])[-1], flush=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}")


def make(python, tag, folder):
    """The wheel, whole."""
    return add_papers(repair(build(python, tag, folder), folder), folder)


def check_same(first, second):
    """Two wheels with the same bytes; otherwise what in them differs."""
    if first.read_bytes() == second.read_bytes():
        print(f"    built twice: the same {first.stat().st_size:,} bytes")
        return
    with zipfile.ZipFile(first) as a, zipfile.ZipFile(second) as b:
        names = sorted({*a.namelist(), *b.namelist()})
        both = set(a.namelist()) & set(b.namelist())
        other = [name for name in names if name not in both or a.read(name) != b.read(name)]
    where = ", ".join(other) or "the archive alone (dates, order, modes)"
    sys.exit(f"{first.name}: built twice, it differs in {where}")


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    twice, quick = "--twice" in sys.argv, "--quick" in sys.argv
    folder = Path(words[0] if words else ROOT / "build" / "wheels").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for old in [*folder.glob("*.whl"), *folder.glob("*.spdx.json")]:
        old.unlink()
    # Dates in archives and documents are those of the sources, so that the same sources give the same bytes.
    os.environ.setdefault("SOURCE_DATE_EPOCH", str(sbom.source_date()))
    os.umask(0o022)
    found = interpreters()
    say("Pythons: " + ", ".join(f"{major}.{minor} {path}" for (major, minor), path in sorted(found.items())))
    newer = sorted(version for version in found if version >= (3, 12))
    wanted = {"cp311": (3, 11) if (3, 11) in found else None, "cp312-abi3": newer[0] if newer else None}
    made = []
    for tag, version in wanted.items():
        if version is None:
            say(f"the {tag} wheel cannot be built: no Python {'3.11' if tag == 'cp311' else '3.12 or newer'} with its "
                "headers was found")
            continue
        wheel = make(found[version], tag, folder)
        if twice:
            again = folder / "again"
            again.mkdir(exist_ok=True)
            check_same(wheel, make(found[version], tag, again))
        libraries = check_libraries(wheel)
        if tag == "cp312-abi3":
            check_stable_abi(wheel)
        print(f"    {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, with {', '.join(libraries)}")
        for tried in [version] if tag == "cp311" else newer[:1] if quick else newer:
            here = tried == sys.version_info[:2]
            extras = f"{sys.prefix}/lib/python3.{tried[1]}/site-packages" if here else None
            try_out(found[tried], wheel, extras, quick)
        made.append(wheel)
    if not made:
        sys.exit("no wheel could be built; Debian's python3.11 comes with the packages python3-venv and python3-dev")
    say("made " + ", ".join(str(wheel) for wheel in made))


if __name__ == "__main__":
    main()
