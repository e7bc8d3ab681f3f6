// ascribe compare MODEL INPUT M1 M2: why two methods disagree, effect by effect (docs/howto/compare.md).
#include "theory/comparison.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "cli/audit_words.h"
#include "cli/commands.h"
#include "cli/few_players.h"
#include "cli/terminal.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

constexpr double kSame = 1e-9;     // of the attribution: two that differ by less are the same
constexpr double kCancelling = 2;  // parts by size above this: single sets cancel, and do not tell much
constexpr size_t kNamed = 3;       // players whose shares of an effect are told

struct CompareRequest : FewPlayersRequest {
  std::string first, second;
  std::vector<std::string> settings;
  int64_t top = 5;
};

struct Compared {
  std::vector<ChosenMethod> methods;
  SetAllocation first, second;
  Comparison comparison;

  const std::string& name(size_t i) const { return methods[i].method.name; }
  bool same() const {
    double size = 0;
    for (const double value : comparison.first) size += std::abs(value);
    return comparison.difference <= kSame * size;
  }
};

// ---- in words ----

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

void print_sets(const Compared& compared, const Players& players, int64_t top) {
  fmt::print(
      "\n  What is shared out differently; each line: the effect, and what players are given of it by {} and by "
      "{}\n\n",
      compared.name(0), compared.name(1));
  Lines lines = {{"of the difference", "effect", "players", "given by the one and by the other"}};
  for (const SetDifference& one : compared.comparison.sets) {
    if (std::ssize(lines) > top || std::abs(one.share) < 1e-6) break;
    lines.push_back({percent(one.share), one.set == 0 ? "-" : fmt::format("{:+.4g}", one.effect),
                     one.set == 0 ? "(all masked)" : players_text(players, one.set), shares_text(one, players)});
  }
  print_columns(lines, 2);
}

std::string size_text(size_t size) {
  if (size == 0) return "what is given with every player masked";
  if (size == 1) return "what single players do alone";
  return fmt::format("effects of {} players", size);
}

void print_pairs(const Comparison& comparison, const Players& players, int64_t top) {
  fmt::print("\n  Where the difference comes from, by what players do together (with or without others):\n\n");
  Lines lines = {{"of the difference", "players"}};
  for (const PairDifference& pair : comparison.pairs) {
    if (std::ssize(lines) > top || std::abs(pair.share) < 1e-6) break;
    lines.push_back({percent(pair.share), pair_text(pair, players)});
  }
  print_columns(lines, 2);
}

void print_sizes(const Comparison& comparison) {
  if (comparison.largest_size_share > kCancelling) {
    fmt::print(
        "\n  Effects of different numbers of players cancel here (parts of up to {} of the difference), so the "
        "single effects below are large on their own and small in sum.\n",
        percent(comparison.largest_size_share));
  } else {
    std::vector<std::string> texts;
    for (size_t size = 0; size < comparison.share_by_size.size(); ++size) {
      const double share = comparison.share_by_size[size];
      if (std::abs(share) >= 0.001) texts.push_back(fmt::format("{} {}", size_text(size), percent(share)));
    }
    fmt::print("\n  By the number of players: {}.\n", fmt::join(texts, "; "));
  }
  if (comparison.share_by_size.size() > 1 && std::abs(comparison.share_by_size[1]) < 1e-6) {
    fmt::print("  The two agree on what every player does alone; they differ in how interactions are shared.\n");
  }
}

void print_attributions(const Compared& compared, const Players& players) {
  Lines lines = {{"player", compared.name(0), compared.name(1), "difference"}};
  const Comparison& comparison = compared.comparison;
  for (size_t p = 0; p < comparison.first.size(); ++p) {
    lines.push_back({printable(players.names[p]), fmt::format("{:+.4g}", comparison.first[p]),
                     fmt::format("{:+.4g}", comparison.second[p]),
                     fmt::format("{:+.4g}", comparison.first[p] - comparison.second[p])});
  }
  print_columns(lines, 2);
}

void print_comparison(const Compared& compared, const FewPlayersQuestion& asked, const CompareRequest& request) {
  const double change = compared.first.change();
  print_question(asked, request, compared.first.baseline_output(), change);
  print_attributions(compared, asked.question.players);
  if (compared.same()) {
    fmt::print("\n  The two give the same values here.\n");
    return;
  }
  fmt::print("\n  Differences add up to {:.4g} ({} of the change); the patterns agree to {:.2f} (cosine).\n",
             compared.comparison.difference, percent(compared.comparison.difference / std::abs(change)),
             compared.comparison.correlation);
  print_pairs(compared.comparison, asked.question.players, request.top);
  print_sizes(compared.comparison);
  print_sets(compared, asked.question.players, request.top);
}

// ---- as JSON ----

Json comparison_as_json(const Compared& compared, const FewPlayersQuestion& asked, const CompareRequest& request) {
  Json json = question_as_json(asked, request, compared.first.baseline_output(), compared.first.change());
  const Comparison& comparison = compared.comparison;
  json["methods"] = Json::array();
  for (size_t i = 0; i < 2; ++i) {
    json["methods"].push_back({{"name", compared.name(i)},
                               {"parameters", compared.methods[i].parameters.all()},
                               {"values", i == 0 ? comparison.first : comparison.second}});
  }
  json["difference"] = comparison.difference;
  json["cosine"] = comparison.correlation;
  json["same"] = compared.same();
  json["share_by_size"] = comparison.share_by_size;
  json["pairs"] = Json::array();
  for (const PairDifference& pair : comparison.pairs) {
    json["pairs"].push_back({{"players", {pair.first, pair.second}}, {"share", pair.share}});
  }
  json["sets"] = Json::array();
  for (const SetDifference& one : comparison.sets) {
    if (std::ssize(json["sets"]) == request.top) break;
    json["sets"].push_back({{"support", members_of(one.set)},
                            {"effect", one.effect},
                            {"share", one.share},
                            {"first", one.first},
                            {"second", one.second}});
  }
  json["notes"] = asked.notes;
  return json;
}

void compare(const CompareRequest& request) {
  std::vector<ChosenMethod> methods = choose_methods({request.first, request.second}, request.settings);
  if (methods.size() != 2) fail(ErrorKind::argument, "compare", "got {} twice; expected two methods", request.first);
  FewPlayersQuestion asked = ask_few_players(request);
  cost_of_allocation(asked.question);
  print_notes(asked.notes, request.general.quiet);
  Compared compared{std::move(methods), {}, {}, {}};
  compared.first = allocation_of(compared.methods[0], asked, request.general);
  compared.second = allocation_of(compared.methods[1], asked, request.general);
  compared.comparison = compare_allocations(compared.first, compared.second);
  if (request.general.json) print_json(comparison_as_json(compared, asked, request));
  else print_comparison(compared, asked, request);
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("compare", "Why two methods disagree, effect by effect");
  auto request = std::make_shared<CompareRequest>();
  add_model_options(command, request->model);
  add_input_options(command, request->input);
  command.get_option("INPUT")->expected(1)->allow_extra_args(false);
  command.add_option("FIRST", request->first, "A method; ascribe methods lists them")->required()->type_name("");
  command.add_option("SECOND", request->second, "Another one")->required()->type_name("");
  add_setting_option(command, request->settings);
  add_question_options(command, request->question, "What the input is compared with, and masked players replaced by");
  command.add_option("--top", request->top, "How many sets of players to name")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N");
  add_general_options(command, request->general);
  command.callback([request] { compare(*request); });
}

}  // namespace ascribe::core
