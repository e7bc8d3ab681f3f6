#!/usr/bin/env python3
"""What is inside: a bill of materials in SPDX 2.3 for a wheel or for the program that was built here.

    sbom.py program BINARY        of the program or library: the Debian packages of the shared libraries that it loads
    sbom.py show FILE             one line for each package of a bill that exists

wheels.py asks for that of a wheel, which lies in it (*.dist-info/sboms) and beside it. The same input gives the same
bytes: the date is SOURCE_DATE_EPOCH, or that of the last commit, and the name of the document is a hash of the rest.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Compiled into our files from their headers, so no library names them.
HEADERS = ["libeigen3-dev", "nlohmann-json3-dev", "libcli11-dev"]


def version():
    return re.search(r"project\(ascribe VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def source_date():
    """Seconds since 1970: as the environment says, otherwise the last commit's."""
    said = os.environ.get("SOURCE_DATE_EPOCH")
    if said:
        return int(said)
    command = ["git", "-C", ROOT, "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def loaded_libraries(binary):
    """The real paths of the shared libraries that the loader finds for a file."""
    said = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=True)
    return sorted({os.path.realpath(line.split(" => ")[1].split(" (")[0])
                   for line in said.stdout.splitlines() if " => /" in line})


def owner(path):
    """The Debian package that a file is of; nothing if none is."""
    for known in (path, path.removeprefix("/usr")):  # /lib is a link to /usr/lib, and packages name either
        said = subprocess.run(["dpkg", "-S", known], capture_output=True, text=True)
        if said.returncode == 0:
            return said.stdout.split(":")[0]
    return None


def debian(name, relation):
    """A Debian package that is installed here, with the licences that its copyright file names."""
    form = "${source:Package}\\t${source:Version}\\t${Version}\\t${Architecture}\\t${Homepage}\\n"
    said = subprocess.run(["dpkg-query", "-W", "-f", form, name], capture_output=True, text=True, check=True)
    source, source_version, installed, architecture, homepage = said.stdout.splitlines()[0].split("\t")
    copyright_file = Path(f"/usr/share/doc/{name}/copyright")
    licences = re.findall(r"^License:[ \t]*(\S.*)$", copyright_file.read_text(errors="replace"), re.M)
    return {
        "SPDXID": f"SPDXRef-Debian-{re.sub('[^A-Za-z0-9.-]', '-', name)}",
        "name": name,
        "versionInfo": installed,
        "supplier": "Organization: Debian",
        "downloadLocation": homepage or "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "licenseComments": "Debian's copyright file names: " + (", ".join(sorted(set(licences))) or "no short names"),
        "copyrightText": "NOASSERTION",
        "sourceInfo": f"built from the Debian source package {source} {source_version}",
        "externalRefs": [reference(f"pkg:deb/debian/{name}@{installed}?arch={architecture}&distro=bookworm")],
    }, relation


def python_package(name, installed, licence, relation):
    """A package of PyPI."""
    return {
        "SPDXID": f"SPDXRef-PyPI-{name}",
        "name": name,
        "versionInfo": installed,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [reference(f"pkg:pypi/{name}@{installed}")],
    }, relation


def reference(locator):
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}


def document(name, file_name, parts, checksum=None):
    """The bill: `parts` are pairs of a package and how it belongs to ours (CONTAINS, DYNAMIC_LINK, STATIC_LINK …)."""
    ours = {
        "SPDXID": "SPDXRef-ascribe",
        "name": name,
        "versionInfo": version(),
        "packageFileName": file_name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
    }
    if checksum:
        ours["checksums"] = [{"algorithm": "SHA256", "checksumValue": checksum}]
    parts = sorted(parts, key=lambda part: part[0]["SPDXID"])
    packages = [ours, *(package for package, _ in parts)]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-ascribe"}]
    relations += [{"spdxElementId": "SPDXRef-ascribe", "relationshipType": relation,
                   "relatedSpdxElement": package["SPDXID"]} for package, relation in parts]
    digest = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(source_date(), datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version()}",
        "documentNamespace": f"urn:ascribe:sbom:{digest}",
        "creationInfo": {"created": created, "creators": [f"Tool: ascribe-sbom-{version()}"]},
        "packages": packages,
        "relationships": relations,
    }


def of_program(binary):
    """The bill of a program of this clone: what it was compiled from, and what it loads."""
    libraries = {path: owner(path) for path in loaded_libraries(binary)}
    unknown = [path for path, package in libraries.items() if package is None]
    if unknown:
        sys.exit(f"{binary}: no Debian package has {', '.join(unknown)}")
    parts = [debian(package, "DYNAMIC_LINK") for package in sorted(set(libraries.values()))]
    parts += [debian(package, "STATIC_LINK") for package in HEADERS]
    checksum = hashlib.sha256(Path(binary).read_bytes()).hexdigest()
    return document("ascribe", Path(binary).name, parts, checksum)


def text(bill):
    return json.dumps(bill, indent=2, ensure_ascii=True) + "\n"


def main():
    what, file = sys.argv[1:3]
    if what == "program":
        sys.stdout.write(text(of_program(file)))
    elif what == "show":
        bill = json.loads(Path(file).read_text())
        relations = {relation["relatedSpdxElement"]: relation["relationshipType"] for relation in bill["relationships"]}
        for package in bill["packages"]:
            print(f"{relations[package['SPDXID']]:<13} {package['name']} {package['versionInfo']}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
