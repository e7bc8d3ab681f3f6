#include "study/few_players.h"

#include <cmath>

#include <fmt/ranges.h>

#include "game/subsets.h"

namespace ascribe::core::study {

namespace {

constexpr const char* kImagePlayers = "grid:3x3";
constexpr size_t kNamed = 4;       // players of a set that are named
constexpr double kNoShare = 1e-9;  // less than this share is nothing

void make_few(RowQuestion& question, std::vector<std::string>& notes) {
  if (!question.picture || question.players.count() <= kMostAllocatedPlayers) return;
  question.players = make_players({kImagePlayers, question.row, question.picture->shape, {}, &question.x()});
  notes.push_back(
      fmt::format("players: {}, because every set of them is masked; `players` chooses others", kImagePlayers));
}

}  // namespace

FewPlayers ask_few_players(const Subject& subject, const QuestionRequest& request, Running& running) {
  const Model& model = subject.model();
  std::vector<std::string> notes = model.notes();
  const DType real = model.chose_precision() ? model.precision() : DType::f64;
  QuestionMaker maker(subject, request, running.seed(), notes, real);
  maker.read_rows();
  if (maker.questions().size() != 1) {
    fail(ErrorKind::argument, request.rows.where(), "got {} rows; expected one, or `row` to choose it",
         maker.questions().size());
  }
  if (!request.chose_players()) make_few(maker.questions()[0], notes);
  maker.take_baselines();
  maker.take_targets();
  ExplainedModel& explained = subject.explained(request.options(real));
  notes.insert(notes.end(), explained.notes().begin(), explained.notes().end());
  running.note(notes);
  return {std::move(maker.questions()[0]), explained};
}

SetAllocation allocation_of(const ChosenMethod& chosen, const FewPlayers& asked, const Running& running) {
  if (chosen.method.kind != AttributionKind::contribution) {
    fail(ErrorKind::argument, chosen.method.name, "gives slopes, which are not shares of f(x) - f(b)");
  }
  return allocation_per_set(chosen.method, asked.model, asked.question, chosen.parameters, running.seed(),
                            running.progress_of(chosen.method.name));
}

std::string players_text(const Players& players, uint64_t set) {
  std::vector<std::string> names;
  for (const int p : members_of(set)) names.push_back(players.names[static_cast<size_t>(p)]);
  if (names.empty()) return "nobody";
  if (names.size() == 1) return names[0];
  if (names.size() > kNamed) {
    const std::string more = fmt::format("{} more", names.size() - kNamed + 1);
    names.resize(kNamed - 1);
    names.push_back(more);
  }
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string percent(double share) {
  if (std::abs(share) < kNoShare) return "0 %";
  const double hundredths = 100 * share;
  return std::abs(hundredths) >= 0.1 ? fmt::format("{:.1f} %", hundredths) : fmt::format("{:.1g} %", hundredths);
}

std::string with_share(double amount, double change) {
  if (std::abs(amount) < kNoShare * std::abs(change)) return "0";
  return fmt::format("{:+.4g} ({})", amount, percent(std::abs(amount / change)));
}

std::string figure_text(double figure) {
  if (std::isnan(figure)) return "nothing given";
  return figure < kNoShare ? "0" : percent(figure);
}

Json question_json(const std::string& model, const RowQuestion& question, double baseline_output, double change) {
  return Json::object({{"model", model},
                       {"input", question.source},
                       {"target", target_json(question)},
                       {"explains", question.explains},
                       {"output", baseline_output + change},
                       {"baseline_output", baseline_output},
                       {"change", change},
                       {"baseline", question.baseline},
                       {"baselines", question.baseline_count()},
                       {"grouping", question.players.description},
                       {"players", question.players.names}});
}

}  // namespace ascribe::core::study
