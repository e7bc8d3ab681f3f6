"""Docstrings as Markdown: examples of the interactive prompt become blocks of code."""

import griffe


def with_blocks(text):
    """The lines from each >>> up to the next empty line, fenced."""
    lines, inside = [], False
    for line in text.splitlines():
        if line.startswith(">>>") and not inside:
            lines += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)


class Examples(griffe.Extension):
    """For griffe, which reads the docstrings for mkdocstrings."""

    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = with_blocks(obj.docstring.value)
