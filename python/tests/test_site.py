"""What the site of the documents does to texts before they are shown (tools/site)."""

import importlib.util
import pathlib

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "site"


def tool(name, *needed):
    for module in needed:
        pytest.importorskip(module)
    spec = importlib.util.spec_from_file_location(f"site_{name}", TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lists_are_lists_for_a_parser_that_wants_empty_lines_and_four_columns():
    make = tool("make", "yaml")
    text = "To use it:\n- one\n  goes on\n  - inner\n- two\n\nThe end.\n"
    assert make.as_python_markdown(text) == "To use it:\n\n- one\n    goes on\n    - inner\n- two\n\nThe end.\n"


def test_code_stays_as_it_is():
    make = tool("make", "yaml")
    text = "So:\n\n```\ntext\n- not an item\n  indented\n```\n"
    assert make.as_python_markdown(text) == text


def test_what_a_browser_would_load_from_elsewhere_is_found(tmp_path):
    make = tool("make", "yaml")
    (tmp_path / "good.html").write_text('<script src="a.js"></script><a href="https://example.org/">there</a>')
    assert make.foreign(tmp_path) == []
    for bad in ('<script async src="https://example.org/a.js">', '<link rel="stylesheet" href="//example.org/a.css">',
                '<img alt="" src="http://example.org/a.png">'):
        (tmp_path / "bad.html").write_text(bad)
        assert len(make.foreign(tmp_path)) == 1, bad


def test_examples_of_docstrings_become_code():
    docstrings = tool("docstrings", "griffe")
    text = "What it does.\n\n>>> one()\n>>> two()\n2\n\nMore."
    assert docstrings.with_blocks(text) == "What it does.\n\n\n```pycon\n>>> one()\n>>> two()\n2\n```\n\nMore."
    assert docstrings.with_blocks(">>> last()").splitlines() == ["", "```pycon", ">>> last()", "```"]
