#!/usr/bin/env python3
"""sbom.py on a program that was built here: the libraries that it loads, each of a package with a version."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import sbom  # noqa: E402

PROGRAM = Path(sys.argv.pop(1))


class BillOfMaterials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        cls.bill = sbom.of_program(PROGRAM)

    def test_every_library_is_of_a_package_with_a_version(self):
        packages = {package["name"]: package for package in self.bill["packages"]}
        for name in ("libdnnl2", "libprotobuf32", "libc6", "libeigen3-dev"):
            said = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True, check=True)
            self.assertEqual(packages[name]["versionInfo"], said.stdout)
            self.assertIn(f"pkg:deb/debian/{name}@", packages[name]["externalRefs"][0]["referenceLocator"])

    def test_every_package_is_related_once_and_has_the_members_of_spdx(self):
        names = [package["SPDXID"] for package in self.bill["packages"]]
        related = [relation["relatedSpdxElement"] for relation in self.bill["relationships"]]
        self.assertEqual(sorted(names), sorted(related))
        self.assertEqual(len(names), len(set(names)))
        for package in self.bill["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            for member in ("name", "versionInfo", "downloadLocation", "licenseConcluded", "licenseDeclared"):
                self.assertTrue(package[member], package)
        self.assertEqual(self.bill["creationInfo"]["created"], "2023-11-14T22:13:20Z")

    def test_the_same_program_gives_the_same_bytes(self):
        self.assertEqual(sbom.text(self.bill), sbom.text(sbom.of_program(PROGRAM)))


if __name__ == "__main__":
    unittest.main()
