// The words that the page uses, for readers who meet them for the first time; docs/glossary.md has all of them.
#include <span>

#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

struct Word {
  const char *id, *word, *meaning;
};

// Everyday words first, then those that only experts meet.
constexpr Word kPlainWords[] = {
    {"part", "part, region, column",
     "A piece of the input that is hidden or seen as a whole: a region of a picture, a column of a table, a word, a "
     "stretch of time. Experts call it a player."},
    {"hidden", "hidden",
     "Replaced by a stand-in that is taken to say nothing, such as zeros. Experts call the stand-in the baseline."},
    {"result", "result, score",
     "The number of the model’s output that this page explains. Behind an answer such as “boot” stands a score: the "
     "higher it is, the more the model favours that answer."},
    {"method", "method", "A way to compute how much each part adds to the result. There are many, and they differ."},
    {"raises", "raises, lowers",
     "A part raises the result if the result would be lower without it, all in all; it lowers it if it would be "
     "higher."},
    {"checks", "three checks",
     "Demands that a good method meets: it leaves nothing out, it credits no part wrongly, and it counts everything "
     "once. "
     "Experts call them the three principles."},
    {"foretelling", "foretells the model",
     "Says correctly how the result changes when parts of the input are hidden. Measured by the infidelity: the lower, "
     "the better."},
    {"together", "together", "What several parts do only when all of them are seen, beyond what each does by itself."},
    {"own-units", "own units",
     "Marks methods whose numbers are no shares of the result: they show where the model reacts to small changes, or "
     "where an inner layer responds."},
};

constexpr Word kExpertWords[] = {
    {"player", "player",
     "A part of the input that is present or absent as a whole: a pixel, a cell of a grid, a column, a step in time."},
    {"baseline", "baseline b", "An input that stands for no information. Absent players take their values from it."},
    {"coalition", "coalition", "A set of players that are present while all others are set to the baseline."},
    {"change", "change",
     "f(x) - f(b), which is to be explained: the output for the input, less the output for the baseline."},
    {"attribution", "attribution", "A number for each player that says how much of the output is due to it."},
    {"contribution", "contribution, slope",
     "Two kinds of attribution: a share of the output, in its units; or what a small change of the input would do, "
     "also "
     "called a sensitivity."},
    {"effect", "effect",
     "What a set of players does only together, beyond what every smaller set of them does. All effects add up "
     "to the change."},
    {"leaked", "leaked", "Given to players that take no part in the effect."},
    {"residual", "residual",
     "What a method sets out to explain, less the sum of its values: what the attribution misses."},
    {"principle", "principle",
     "One of three demands on a method. Low error: it covers all effects. No "
     "unrelated: no player receives anything of an effect that it takes no part in. Complete: every effect "
     "that is covered is given in full, and only once."},
    {"parts", "parts", "The few players for which every coalition was tried."},
    {"infidelity", "infidelity",
     "How badly an attribution predicts what happens to the output when parts of the input are masked."},
    {"rank-correlation", "rank correlation",
     "How alike two orders are: 1 is the same order, 0 no relation, -1 the opposite."},
    {"interval", "95 % interval", "Where an estimate would lie in 95 of 100 repetitions; ± gives half of its width."},
    {"logit", "logit", "The number before a final softmax or sigmoid makes a probability of it."},
};

void write_list(Html& html, std::span<const Word> words) {
  html.in("dl", {{"class", "glossary"}}, [&] {
    for (const auto& [id, word, meaning] : words) {
      html.in("dt", {{"id", std::string("word-") + id}}, word);
      html.in("dd", meaning);
    }
  });
}

}  // namespace

void write_words(Html& html) {
  html.in("section", {{"id", "words"}, {"aria-labelledby", "words-heading"}}, [&] {
    html.in("h2", {{"id", "words-heading"}}, "Words explained");
    write_list(html, kPlainWords);
    for_experts(
        html, "technical words", [&] { write_list(html, kExpertWords); }, Paper::without);
  });
}

}  // namespace ascribe::core::page
