#include "cli/few_players.h"

#include <cmath>

#include <fmt/ranges.h>

#include "cli/terminal.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

constexpr const char* kImagePlayers = "grid:3x3";
constexpr size_t kNamed = 4;        // players of a set that are named
constexpr double kRounding = 1e-9;  // less than this share is nothing

void make_few(RowQuestion& question, std::vector<std::string>& notes) {
  if (!question.picture || question.players.count() <= kMostAllocatedPlayers) return;
  question.players =
      make_players({kImagePlayers, question.row, question.picture->shape, {}, &question.point[question.input]});
  notes.push_back(
      fmt::format("players: {}, because every set of them is masked; --players chooses others", kImagePlayers));
}

}  // namespace

FewPlayersQuestion ask_few_players(const FewPlayersRequest& request) {
  FewPlayersQuestion asked;
  GeneralOptions general = request.general;
  if (general.precision.empty()) general.precision = "double";
  Model model = load_model(request.model, general);
  asked.notes = model.notes();
  QuestionMaker maker(model, request.question, request.input, general.seed, asked.notes);
  maker.read_rows();
  if (maker.questions().size() != 1) {
    fail(ErrorKind::argument, request.input.paths[0], "got {} rows; expected one, or --row to choose it",
         maker.questions().size());
  }
  if (request.question.players.empty()) make_few(maker.questions()[0], asked.notes);
  maker.take_baselines();
  maker.take_targets();
  asked.question = std::move(maker.questions()[0]);
  asked.model = std::make_unique<ExplainedModel>(model.graph(),
                                                 ExplainOptions{request.question.output,
                                                                request.question.probability(),
                                                                request.question.input,
                                                                {model.precision(), parse_memory(general.memory), 0}});
  asked.notes.insert(asked.notes.end(), asked.model->notes().begin(), asked.model->notes().end());
  return asked;
}

SetAllocation allocation_of(const ChosenMethod& chosen, FewPlayersQuestion& asked, const GeneralOptions& general) {
  if (chosen.method.kind != AttributionKind::contribution) {
    fail(ErrorKind::argument, chosen.method.name, "gives slopes, which are no shares of f(x) - f(b)");
  }
  Progress progress;
  if (const Progress bar = progress_bar(general.quiet)) {
    progress = [bar, name = chosen.method.name](std::string_view task, int64_t done, int64_t total) {
      bar(fmt::format("{}: {}", name, task), done, total);
    };
  }
  return allocation_per_set(chosen.method, *asked.model, asked.question, chosen.parameters, general.seed, progress);
}

std::string players_text(const Players& players, uint64_t set) {
  std::vector<std::string> names;
  for (const int p : members_of(set)) names.push_back(printable(players.names[static_cast<size_t>(p)]));
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
  if (std::abs(share) < kRounding) return "0 %";
  const double hundredths = 100 * share;
  return std::abs(hundredths) >= 0.1 ? fmt::format("{:.1f} %", hundredths) : fmt::format("{:.1g} %", hundredths);
}

std::string with_share(double amount, double change) {
  if (std::abs(amount) < kRounding * std::abs(change)) return "0";
  return fmt::format("{:+.4g} ({})", amount, percent(std::abs(amount / change)));
}

std::string figure_text(double figure) {
  if (std::isnan(figure)) return "nothing given";
  return figure < kRounding ? "0" : percent(figure);
}

nlohmann::ordered_json question_as_json(const FewPlayersQuestion& asked, const FewPlayersRequest& request,
                                        double baseline_output, double change) {
  const RowQuestion& question = asked.question;
  return {{"model", request.model.path},
          {"input", question.source},
          {"target", question.target_as_json()},
          {"explains", question.explains},
          {"output", baseline_output + change},
          {"baseline_output", baseline_output},
          {"change", change},
          {"baseline", request.question.baseline},
          {"baselines", question.baseline_count()},
          {"grouping", question.players.description},
          {"players", question.players.names}};
}

void print_question(const FewPlayersQuestion& asked, const FewPlayersRequest& request, double baseline_output,
                    double change) {
  const RowQuestion& question = asked.question;
  fmt::print("{}\n", question.title(request.model.path));
  fmt::print("  f(x) {:.6g}, f(b) {:.6g}, change {:+.6g}; {} players ({}), baseline b {}\n\n", baseline_output + change,
             baseline_output, change, question.players.count(), printable(question.players.description),
             question.baselines_text(request.question.baseline));
}

}  // namespace ascribe::core
