// Table 5: which of the three principles each method satisfies, measured as audit does, beside the paper's.
#include <array>

#include "draw/verdicts.h"
#include "study/audit.h"
#include "study/reproduce/experiment.h"
#include "study/reproduce/paper_values.h"

namespace ascribe::core::study::paper {

namespace {

std::string mark(bool holds) { return holds ? "✓" : "✗"; }

std::string cell(const PrincipleFigures& figures, Principle principle) {
  return fmt::format("{} {}", mark(figures.holds(principle)), figure_text(figures[principle]));
}

struct Agreement {
  int verdicts = 0, as_the_paper = 0, as_the_rule = 0;
};

Agreement agreement_of(const std::vector<MethodPrinciples>& all) {
  Agreement result;
  for (const MethodPrinciples& one : all) {
    for (size_t p = 0; p < kPrinciples.size(); ++p) {
      const bool holds = one.by_method.holds(kPrinciples[p]);
      ++result.verdicts;
      result.as_the_paper += holds == paper_verdicts(one.method.name)[p] ? 1 : 0;
      result.as_the_rule += holds == one.by_rule.holds(kPrinciples[p]) ? 1 : 0;
    }
  }
  return result;
}

std::string markdown(const std::vector<MethodPrinciples>& all) {
  Table table{
      {"method", "low error", "rule", "paper", "no unrelated", "rule", "paper", "complete", "rule", "paper", "held"}};
  for (const MethodPrinciples& one : all) {
    std::vector<std::string>& row = table.rows.emplace_back(std::vector{one.method.title});
    for (size_t p = 0; p < kPrinciples.size(); ++p) {
      row.push_back(cell(one.by_method, kPrinciples[p]));
      row.push_back(cell(one.by_rule, kPrinciples[p]));
      row.push_back(mark(paper_verdicts(one.method.name)[p]));
    }
    row.push_back(std::to_string(one.by_method.held()));
  }
  const Agreement agreement = agreement_of(all);
  return fmt::format(
      "# Table 5: the principles that each method satisfies\n\n"
      "Figures come from the methods as they run on fixed generic questions, and a second time from their allocation "
      "rules. *Low error*: the sizes of the effects that the method leaves out, at most 1 % of the sizes of all. *No "
      "unrelated*: what reaches players outside of an effect, at most 1e-6 of all that is given. *Complete*: what is "
      "missing or too much of the covered effects, at most 1e-6 of them.\n\n{}\n"
      "Of {} verdicts {} are the paper's, and {} are the same by the method and by its rule.\n",
      table.markdown(), agreement.verdicts, agreement.as_the_paper, agreement.as_the_rule);
}

std::string csv(const std::vector<MethodPrinciples>& all) {
  Table table{{"method", "principle", "measured_by", "figure", "tolerance", "holds", "paper"}};
  for (const MethodPrinciples& one : all) {
    for (size_t p = 0; p < kPrinciples.size(); ++p) {
      const Principle principle = kPrinciples[p];
      for (const auto& [by, figures] : {std::pair("method", one.by_method), std::pair("rule", one.by_rule)}) {
        table.rows.push_back({one.method.name, std::string(to_string(principle)), by,
                              fmt::format("{:.6g}", figures[principle]), fmt::format("{:g}", tolerance_of(principle)),
                              figures.holds(principle) ? "1" : "0", paper_verdicts(one.method.name)[p] ? "1" : "0"});
      }
    }
  }
  return table.csv();
}

std::string svg(const std::vector<MethodPrinciples>& all) {
  VerdictTable table{"Which principles each attribution method satisfies",
                     "measured from the methods as they run, on generic questions",
                     {"Low error", "No unrelated allocation", "Complete allocation"},
                     {}};
  for (const MethodPrinciples& one : all) {
    VerdictRow& row = table.rows.emplace_back(VerdictRow{one.method.title, {}, {}});
    for (const Principle principle : kPrinciples) {
      row.cells.push_back({one.by_method.holds(principle), figure_text(one.by_method[principle])});
    }
    row.remark = fmt::format("{} of 3", one.by_method.held());
  }
  return verdicts_svg(table);
}

Json settings(const PaperRun&) { return Json::object(); }

Reproduced run(const PaperRun&) {
  const std::vector<MethodPrinciples> all = measured_principles(choose_methods({"all"}, {}));
  return {markdown(all), csv(all), svg(all)};
}

}  // namespace

PaperExperiment table5() {
  return {"table5", "Table 5: the principles that each method satisfies", {}, 0, settings, run};
}

}  // namespace ascribe::core::study::paper
