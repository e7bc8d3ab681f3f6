#!/usr/bin/env python3
"""Makes a program of a C++ example in the documents: doc_program.py docs/howto/audit.md "Your own method, in C++" > main.cpp

The first block of code under the heading: what comes up to the end of its functions stands outside of main, the rest in
it, with a `model` and a `question` from the command line.
"""

import re
import sys
from pathlib import Path

page, heading = Path(sys.argv[1]).read_text(), sys.argv[2]
section = re.split(r"^#+ +", page.split(heading, 1)[1], maxsplit=1, flags=re.M)[0]
block = re.search(r"^```cpp\n(.*?)^```", section, flags=re.M | re.S).group(1)
outside, inside = block.rsplit("\n}\n", 1)
print(f"""#include <cstdio>
#include <vector>
{outside}
}}

int main(int, char** argv) {{
  ascribe::Model model = ascribe::Model::load(argv[1]);
  ascribe::Question question(argv[2]);
  question.players("grid:2x2");
{inside}
  std::printf("%d of 3, %s\\n", audit.held(0), audit.sentences(0).at(0).c_str());
}}""")
