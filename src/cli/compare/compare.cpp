// ascribe compare MODEL INPUT M1 M2: why two methods disagree, effect by effect (docs/howto/compare.md).
#include "study/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/ranges.h>

#include "cli/recorded.h"
#include "study/audit_words.h"

namespace ascribe::core::cli::command_compare {

namespace {

using study::CompareResult;

constexpr double kCancelling = 2;    // parts by size above this: single sets cancel, and do not tell much
constexpr size_t kManyPlayers = 16;  // of more, those are listed that differ most
constexpr size_t kNamed = 3;         // players whose shares of an effect are told

struct Choices {
  General general;
  ModelChoice model;
  study::CompareRequest request = {{}, "", ""};
  int64_t top = 5;
};

// The players that differ most in what they are given of one effect: "r1c1 +0.6 and +1.2".
std::string shares_text(const SetDifference& one, const Players& players) {
  std::vector<size_t> ranking;
  for (size_t p = 0; p < one.first.size(); ++p) ranking.push_back(p);
  const auto difference = [&](size_t p) { return std::abs(one.first[p] - one.second[p]); };
  std::stable_sort(ranking.begin(), ranking.end(), [&](size_t p, size_t q) { return difference(p) > difference(q); });
  const size_t count = std::min(kNamed, ranking.size());
  std::vector<std::string> texts;
  for (size_t i = 0; i < count && difference(ranking[i]) > 1e-3 * difference(ranking[0]); ++i) {
    texts.push_back(fmt::format("{} {:+.3g} and {:+.3g}", printable(players.names[ranking[i]]), one.first[ranking[i]],
                                one.second[ranking[i]]));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

void print_sets(const CompareResult& result, const Players& players, int64_t top) {
  fmt::print(
      "\n  What is shared out differently; each line: the effect, and what players are given of it by {} and by "
      "{}\n\n",
      result.name(0), result.name(1));
  Lines lines = {{"of the difference", "effect", "players", "given by the one and by the other"}};
  for (const SetDifference& one : result.comparison.sets) {
    if (std::ssize(lines) > top || std::abs(one.share) < 1e-6) break;
    lines.push_back({study::percent(one.share), one.set == 0 ? "-" : fmt::format("{:+.4g}", one.effect),
                     one.set == 0 ? "(all masked)" : printable(study::players_text(players, one.set)),
                     shares_text(one, players)});
  }
  print_columns(lines, 2);
}

std::string size_text(size_t size) {
  if (size == 0) return "what is given with every player masked";
  if (size == 1) return "what single players do alone";
  return fmt::format("effects of {} players", size);
}

// All of them sum to 100 %: what is not among the top is told in one line.
void print_pairs(const Comparison& comparison, const Players& players, int64_t top) {
  fmt::print("\n  Where the difference comes from, by what players do together (with or without others):\n\n");
  Lines lines = {{"of the difference", "players"}};
  double told = 0;
  int64_t others = 0;
  for (const PairDifference& pair : comparison.pairs) {
    if (std::abs(pair.share) < 1e-6) break;
    if (std::ssize(lines) > top) {
      ++others;
      continue;
    }
    told += pair.share;
    lines.push_back({study::percent(pair.share), printable(study::pair_text(pair, players))});
  }
  const double nobody = comparison.share_by_size[0], rest = 1 - told - nobody;
  if (others > 0) lines.push_back({study::percent(rest), fmt::format("{} others together", others)});
  if (std::abs(nobody) >= 1e-6) lines.push_back({study::percent(nobody), "given with every player masked"});
  print_columns(lines, 2);
}

void print_sizes(const Comparison& comparison) {
  if (comparison.largest_size_share > kCancelling) {
    fmt::print(
        "\n  Effects of different numbers of players cancel here (parts of up to {} of the difference), so the "
        "single effects below are large on their own and small in sum.\n",
        study::percent(comparison.largest_size_share));
  } else {
    std::vector<std::string> texts;
    for (size_t size = 0; size < comparison.share_by_size.size(); ++size) {
      const double share = comparison.share_by_size[size];
      if (std::abs(share) >= 0.001) texts.push_back(fmt::format("{} {}", size_text(size), study::percent(share)));
    }
    fmt::print("\n  By the number of players: {}.\n", fmt::join(texts, "; "));
  }
  if (comparison.share_by_size.size() > 1 && std::abs(comparison.share_by_size[1]) < 1e-6) {
    fmt::print("  The two agree on what every player does alone; they differ in how interactions are shared.\n");
  }
}

void print_attributions(const CompareResult& result, const Players& players) {
  Lines lines = {{"player", result.name(0), result.name(1), "difference"}};
  const Comparison& comparison = result.comparison;
  std::vector<size_t> shown(comparison.first.size());
  std::iota(shown.begin(), shown.end(), 0);
  const auto difference = [&](size_t p) { return std::abs(comparison.first[p] - comparison.second[p]); };
  if (shown.size() > kManyPlayers) {  // those that differ most
    std::stable_sort(shown.begin(), shown.end(), [&](size_t p, size_t q) { return difference(p) > difference(q); });
    shown.resize(kManyPlayers);
  }
  for (const size_t p : shown) {
    lines.push_back({printable(players.names[p]), fmt::format("{:+.4g}", comparison.first[p]),
                     fmt::format("{:+.4g}", comparison.second[p]),
                     fmt::format("{:+.4g}", comparison.first[p] - comparison.second[p])});
  }
  print_columns(lines, 2);
  if (shown.size() < comparison.first.size()) {
    fmt::print("  and {} players that differ less\n", comparison.first.size() - shown.size());
  }
}

std::string names_text(const std::vector<int>& support, const Players& players) {
  std::vector<std::string> names;
  for (const int player : support) names.push_back(players.names[static_cast<size_t>(player)]);
  return printable(fmt::format("{}", fmt::join(names, " & ")));
}

// Of more players than every set can be masked of.
void print_estimated(const CompareResult& result, int64_t top) {
  const study::EstimatedComparison& estimated = *result.estimated;
  fmt::print("\n  Where the difference comes from, estimated: {}.\n\n", study::basis_text(estimated.found));
  Lines lines = {{"of the difference", "+- (95 %)", "effect", "+- (95 %)", "players", "each is given"}};
  for (const study::EstimatedDifference& one : estimated.sets) {
    if (std::ssize(lines) > top || std::abs(one.share) < 1e-6) break;
    lines.push_back({study::percent(one.share), study::percent(one.share_error), fmt::format("{:+.4g}", one.effect),
                     fmt::format("{:.2g}", one.effect_error), names_text(one.support, result.question.players),
                     fmt::format("{:+.3g} and {:+.3g}", one.first, one.second)});
  }
  print_columns(lines, 2);
  fmt::print("  All effects that were found explain {} of the difference.\n", study::percent(estimated.explained));
}

void print(const CompareResult& result, int64_t top) {
  print_question(result.question, result.model, result.values.baseline_output, result.values.change());
  print_attributions(result, result.question.players);
  if (result.same()) {
    fmt::print("\n  The two give the same values here.\n");
    return;
  }
  fmt::print("\n  Differences add up to {}; the patterns agree to {:.2f} (cosine).\n",
             result.effects > 0 ? fmt::format("{:.4g} ({} of all effects)", result.comparison.difference,
                                              study::percent(result.comparison.difference / result.effects))
                                : fmt::format("{:.4g}{}", result.comparison.difference,
                                              result.by_player ? "" : ", though no set of players has an effect"),
             result.comparison.correlation);
  if (result.by_player) {
    if (result.estimated) print_estimated(result, top);
    return;
  }
  print_pairs(result.comparison, result.question.players, top);
  print_sizes(result.comparison);
  print_sets(result, result.question.players, top);
}

const RegisterCommand command(
    {"compare", 8, "Why two methods disagree, effect by effect", [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       study::CompareRequest& request = choices->request;
       add_model(options, choices->model);
       add_rows(options, request.question.rows).only_one();
       add_labels(options, request.question.labels);
       options.add("FIRST", request.first.name, "A method; ascribe methods lists them").required();
       options.add("SECOND", request.second.name, "Another method").required();
       add_settings(options, request.settings);
       add_question(options, request.question, "What the input is compared with, and what replaces masked players");
       options.add("--top", choices->top, "How many sets of players to name", "N").shows_default().range(1, 4096);
       add_budget(options, request.budget);
       add_general(options, choices->general);
       add_log(options, choices->general);
       return [choices] {
         choices->request.run = choices->general.run();
         choices->request.time.diary = std::make_shared<study::TimeDiary>();
         const study::Subject subject = choices->model.open(choices->general);
         const CompareResult result = study::compare(subject, choices->request);
         const Json record = recorded(choices->general, {}, [&](const study::Origin& origin) {
           return study::record_of(subject, choices->request, result, origin);
         });
         return choices->general.show([&] { return with_record(to_json(result, choices->top), record); },
                                      [&] { print(result, choices->top); });
       };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_compare
