// The words that the page uses, for readers who meet them for the first time; docs/glossary.md has all of them.
#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

struct Word {
  const char *word, *meaning;
};

constexpr Word kWords[] = {
    {"player",
     "A part of the input that is present or absent as a whole: a pixel, a cell of a grid, a column, a step in time."},
    {"baseline b", "An input that stands for no information. Absent players take their values from it."},
    {"coalition", "A set of players that are present while all others are set to the baseline."},
    {"change", "f(x) - f(b), which is to be explained: the output for the input, less the output for the baseline."},
    {"attribution", "A number for each player that says how much of the output is due to it."},
    {"contribution, slope",
     "Two kinds of attribution: a share of the output, in its units; or what a small change of the input would do."},
    {"effect",
     "What a set of players does only together, beyond what every smaller set of them does. All effects add up "
     "to the change."},
    {"residual", "What a method sets out to explain, less the sum of its values: what the attribution misses."},
    {"principle",
     "One of three demands on a method. Low error: it covers all effects. No "
     "unrelated: no player receives anything of an effect that it takes no part in. Complete: every effect "
     "that is covered is given in full, and only once."},
    {"parts", "The few players for which every coalition was tried."},
    {"infidelity", "How badly an attribution predicts what happens to the output when parts of the input are masked."},
};

}  // namespace

void write_words(Html& html) {
  html.in("section", {{"id", "words"}, {"aria-labelledby", "words-heading"}}, [&] {
    html.in("h2", {{"id", "words-heading"}}, "Words");
    html.in("dl", {{"class", "glossary"}}, [&] {
      for (const auto& [word, meaning] : kWords) {
        html.in("dt", word);
        html.in("dd", meaning);
      }
    });
  });
}

}  // namespace ascribe::core::page
