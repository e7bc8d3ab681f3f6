#!/usr/bin/env python3
"""tools/check_layers.py on small trees made here."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"


def check(files):
    """Exit code and complaints for a tree with these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stderr


class CheckLayers(unittest.TestCase):
    def test_includes_to_the_left_and_of_the_own_folder_pass(self):
        self.assertEqual(check({"graph/a.h": '#include <vector>\n#include "base/error.h"\n#include "graph/b.h"\n'}), (0, ""))

    def test_an_include_to_the_right_fails_naming_the_line(self):
        code, text = check({"graph/a.h": '#pragma once\n#include "runtime/plan.h"\n'})
        self.assertEqual(code, 1)
        self.assertIn('graph/a.h:2: graph must not see runtime: #include "runtime/plan.h"', text)

    def test_neighbours_do_not_see_each_other(self):
        self.assertEqual(check({"onnx/a.cpp": '#include "runtime/plan.h"\n'})[0], 1)

    def test_the_math_libraries_belong_to_the_kernels(self):
        for header in ("oneapi/dnnl/dnnl.hpp", "cblas.h"):
            self.assertEqual(check({"runtime/plan.cpp": f"#include <{header}>\n"})[0], 1)
            self.assertEqual(check({"runtime/kernels/conv.cpp": f"#include <{header}>\n"})[0], 0)

    def test_the_message_classes_of_onnx_belong_to_the_importer(self):
        self.assertEqual(check({"graph/a.cpp": "#include <onnx/onnx_pb.h>\n"})[0], 1)
        self.assertEqual(check({"onnx/lowering/a.cpp": "#include <onnx/onnx_pb.h>\n"})[0], 0)

    def test_linear_algebra_belongs_to_tensors(self):
        self.assertEqual(check({"game/a.cpp": "#include <Eigen/Cholesky>\n"})[0], 1)
        self.assertEqual(check({"tensor/a.cpp": "#include <Eigen/Cholesky>\n"})[0], 0)

    def test_heavy_headers_are_hidden_in_few_files(self):
        self.assertEqual(check({"study/a.cpp": "#include <nlohmann/json.hpp>\n"})[0], 1)
        self.assertEqual(check({"base/json.cpp": "#include <nlohmann/json.hpp>\n"})[0], 0)
        self.assertEqual(check({"cli/explain/explain.cpp": "#include <CLI/App.hpp>\n"})[0], 1)
        self.assertEqual(check({"cli/options.cpp": "#include <CLI/App.hpp>\n"})[0], 0)

    def test_only_the_command_line_names_its_options(self):
        for text in ('fail("--target", "no");\n', 'note("players: pixels; --players chooses others");\n'):
            self.assertEqual(check({"study/a.cpp": text})[0], 1, text)
            self.assertEqual(check({"cli/a.cpp": text})[0], 0, text)
        for text in ('svg.color("var(--line)");\n', 'style("--strip:1");\n', '// "--target" of the command line\n', 'x = "a--b";\n', "--i;\n"):
            self.assertEqual(check({"report/a.cpp": text})[0], 0, text)

    def test_only_the_command_line_prints(self):
        self.assertEqual(check({"study/a.cpp": 'fmt::print("hello");\n'})[0], 1)
        self.assertEqual(check({"cli/a.cpp": 'fmt::print("hello");\n'})[0], 0)

    def test_nothing_asks_the_locale(self):
        for text in ("#include <cctype>\n", "x = std::isalpha(c);\n", "y = std::strtod(text, &end);\n", "z = stod(text);\n"):
            self.assertEqual(check({"base/a.cpp": text})[0], 1, text)
        for text in ("// isalpha(c) asks the locale\n", "is_ascii_letter(c);\n", "my_strtod(x);\n", "#include <cwchar>\n"):
            self.assertEqual(check({"base/a.cpp": text})[0], 0, text)

    def test_a_type_is_defined_by_one_file(self):
        box = "namespace ascribe {\nstruct Box {\n  int a;\n};\n}  // namespace ascribe\n"
        code, text = check({"data/a.h": box, "passes/b.h": box})
        self.assertEqual(code, 1)
        self.assertIn("data/a.h defines ascribe::Box, too", text)
        hidden = "namespace ascribe {\nnamespace {\nstruct Box {\n};\n}  // namespace\n}  // namespace ascribe\n"
        self.assertEqual(check({"data/a.h": box, "passes/b.cpp": hidden, "passes/c.cpp": hidden})[0], 0)
        other = box.replace("ascribe", "ascribe::page")
        self.assertEqual(check({"data/a.h": box, "passes/b.h": other, "passes/c.h": "struct Box;\n"})[0], 0)

    def test_a_folder_without_a_place_in_the_order_fails(self):
        self.assertEqual(check({"misc/a.cpp": "#include <vector>\n"})[0], 1)


if __name__ == "__main__":
    unittest.main()
