// Figure 4: the three principles, drawn from what methods were measured to give: for each principle a method that
// breaks it and one that keeps all three, on the generic questions of the audit (theory/probes.h).
#include <algorithm>
#include <bit>
#include <cmath>

#include "draw/bar_panels.h"
#include "study/audit.h"
#include "study/reproduce/experiment.h"
#include "theory/probes.h"

namespace ascribe::core::study::paper {

namespace {

// Kinds of bars, as draw/bar_panels.h paints them.
constexpr int64_t kEffect = 0, kWrong = 1, kRight = 2;
constexpr double kNothing = 1e-9;  // of an effect

struct Answered {
  ChosenMethod chosen;
  PrincipleFigures figures;
  ProbedQuestion question;  // the first
};

double sum_given(const AllocatedEffect& effect) {
  double sum = 0;
  for (const double given : effect.given) sum += given;
  return sum;
}

bool covered(const AllocatedEffect& effect) {
  return std::any_of(effect.given.begin(), effect.given.end(),
                     [&](double given) { return std::abs(given) > kNothing * std::abs(effect.value); });
}

double unrelated(const AllocatedEffect& effect) {
  double sum = 0;
  for (size_t i = 0; i < effect.given.size(); ++i) {
    if ((effect.support >> i & 1) == 0) sum += std::abs(effect.given[i]);
  }
  return sum / std::abs(effect.value);
}

double defect(const AllocatedEffect& effect) { return std::abs(sum_given(effect) / effect.value - 1); }

// The effect that shows the figure best: of several equal ones the first.
size_t most_telling(const ProbedQuestion& question, double (*figure)(const AllocatedEffect&)) {
  size_t best = 0;
  double largest = -1;
  for (size_t e = 0; e < question.effects.size(); ++e) {
    const AllocatedEffect& effect = question.effects[e];
    if (effect.value == 0 || !covered(effect)) continue;
    if (const double value = figure(effect); value > largest * (1 + 1e-9)) {
      best = e;
      largest = value;
    }
  }
  return best;
}

// ---- a panel for each principle ----

std::string title_of(const Answered& one, Principle principle) {
  return fmt::format("{}: {}, {} of 3 principles", one.chosen.method.title,
                     one.figures.holds(principle) ? "keeps it" : "breaks it", one.figures.held());
}

// All effects, those that the method gives something of filled.
BarPanel low_error_panel(const Answered& one) {
  BarPanel panel{title_of(one, Principle::low_error), {}, {}};
  double left = 0, all = 0;
  for (const AllocatedEffect& effect : one.question.effects) {
    if (effect.value == 0) continue;
    const bool given = covered(effect);
    panel.bars.push_back({"", effect.value, given ? kRight : kWrong, !given});
    left += given ? 0 : std::abs(effect.value);
    all += std::abs(effect.value);
  }
  panel.remark =
      fmt::format("every bar is an effect; hollow: nothing is given of it, {:.0f} % in all", 100 * left / all);
  return panel;
}

BarPanel effect_panel(const Answered& one, size_t number, Principle principle) {
  const AllocatedEffect& effect = one.question.effects[number];
  BarPanel panel{title_of(one, principle), {}, {}};
  panel.bars.push_back({"effect", effect.value, kEffect, false});
  for (size_t i = 0; i < effect.given.size(); ++i) {
    const bool inside = (effect.support >> i & 1) != 0;
    if (principle == Principle::complete && !inside) continue;
    panel.bars.push_back(
        {fmt::format("{}{}", i + 1, inside ? "" : "*"), effect.given[i], inside ? kRight : kWrong, false});
  }
  return panel;
}

BarPanel unrelated_panel(const Answered& one, size_t number) {
  BarPanel panel = effect_panel(one, number, Principle::no_unrelated);
  panel.remark = fmt::format("an effect of {} players and what every player is given of it; *: outside of it",
                             std::popcount(one.question.effects[number].support));
  return panel;
}

BarPanel complete_panel(const Answered& one, size_t number) {
  BarPanel panel = effect_panel(one, number, Principle::complete);
  const AllocatedEffect& effect = one.question.effects[number];
  const double sum = sum_given(effect);
  panel.bars.push_back({"sum", sum, defect(effect) > tolerance_of(Principle::complete) ? kWrong : kRight, false});
  panel.remark = fmt::format("an effect and what its players are given: {:.3g} times the effect", sum / effect.value);
  return panel;
}

// ---- who is shown ----

std::vector<Answered> answers() {
  std::vector<Answered> all;
  for (const ChosenMethod& chosen : choose_methods({"all"}, {})) {
    const ProbeSubject subject{chosen.method, chosen.parameters, allocation_rule(chosen.method.name)};
    const std::vector<ProbedQuestion> questions = ask_method(subject);
    all.push_back({chosen, principles_of(questions), questions.front()});
  }
  return all;
}

// The first in the paper's order that breaks this principle.
const Answered& breaker(const std::vector<Answered>& all, Principle principle) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Answered& one) { return !one.figures.holds(principle); });
  return found == all.end() ? all.back() : *found;
}

const Answered& keeper(const std::vector<Answered>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [](const Answered& one) { return one.figures.held() == 3; });
  return found == all.end() ? all.front() : *found;
}

struct Shown {
  Principle principle;
  const Answered& breaks;
  const Answered& keeps;
  size_t effect = 0;  // of both
};

std::vector<Shown> shown_of(const std::vector<Answered>& all) {
  std::vector<Shown> result;
  for (const Principle principle : kPrinciples) {
    const Answered& breaks = breaker(all, principle);
    const size_t effect = most_telling(breaks.question, principle == Principle::complete ? defect : unrelated);
    result.push_back({principle, breaks, keeper(all), effect});
    require(principle == Principle::low_error || result.back().keeps.question.effects.size() > effect, "figure4",
            "both methods are asked the same questions");
  }
  return result;
}

BarPanel panel_for(const Answered& one, const Shown& shown) {
  switch (shown.principle) {
    case Principle::low_error: return low_error_panel(one);
    case Principle::no_unrelated: return unrelated_panel(one, shown.effect);
    case Principle::complete: break;
  }
  return complete_panel(one, shown.effect);
}

std::string principle_in_words(Principle principle) {
  switch (principle) {
    case Principle::low_error: return "Low approximation error: effects are not left out";
    case Principle::no_unrelated: return "No unrelated allocation: an effect is given to those who have it";
    case Principle::complete: break;
  }
  return "Complete allocation: what is given of an effect sums to it";
}

std::string svg(const std::vector<Shown>& all) {
  BarPanels sheet{"The three principles, measured",
                  "left: the first method of the paper that breaks it; right: the first that keeps all three",
                  {{kEffect, "the effect"}, {kRight, "given as it should be"}, {kWrong, "not as it should be"}},
                  {}};
  for (const Shown& one : all) {
    sheet.rows.push_back({principle_in_words(one.principle), {panel_for(one.breaks, one), panel_for(one.keeps, one)}});
  }
  return bar_panels_svg(sheet);
}

std::string csv(const std::vector<Shown>& all) {
  Table table{{"principle", "method", "figure", "effect", "value", "player", "given"}};
  for (const Shown& one : all) {
    for (const Answered* method : {&one.breaks, &one.keeps}) {
      for (size_t e = 0; e < method->question.effects.size(); ++e) {
        const AllocatedEffect& effect = method->question.effects[e];
        if (one.principle != Principle::low_error && e != one.effect) continue;
        for (size_t i = 0; i < effect.given.size(); ++i) {
          table.rows.push_back({std::string(to_string(one.principle)), method->chosen.method.name,
                                fmt::format("{:.6g}", method->figures[one.principle]), std::to_string(e),
                                fmt::format("{:.6g}", effect.value), std::to_string(i + 1),
                                fmt::format("{:.6g}", effect.given[i])});
        }
      }
    }
  }
  return table.csv();
}

std::string markdown(const std::vector<Shown>& all) {
  Table table{{"principle", "broken by", "figure", "kept by", "figure"}};
  for (const Shown& one : all) {
    table.rows.push_back({principle_in_words(one.principle), one.breaks.chosen.method.title,
                          figure_text(one.breaks.figures[one.principle]), one.keeps.chosen.method.title,
                          figure_text(one.keeps.figures[one.principle])});
  }
  return fmt::format(
      "# Figure 4: the three principles, illustrated\n\n![The three principles](figure4.svg)\n\n"
      "The paper illustrates its principles by a drawing; these bars are measured, from methods as they run on the "
      "generic questions of the audit (`table5`), where every effect is known. For each principle there is the first "
      "method in the paper's order that breaks it, and the first that keeps all three, on the same effect; the figures "
      "are those of `table5`, over all effects and questions.\n\n{}",
      table.markdown());
}

Json settings(const PaperRun&) { return Json::object(); }

Reproduced run(const PaperRun&) {
  const std::vector<Answered> all = answers();
  const std::vector<Shown> shown = shown_of(all);
  return {markdown(shown), csv(shown), svg(shown)};
}

}  // namespace

PaperExperiment figure4() { return {"figure4", "Figure 4: the three principles, illustrated", {}, 0, settings, run}; }

}  // namespace ascribe::core::study::paper
