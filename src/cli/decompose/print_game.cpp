// A game that many processes share, in words.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/decompose/print.h"
#include "cli/terminal.h"

namespace ascribe::core::cli {

namespace {

constexpr int64_t kShown = 20;

// All of few names, the first of many.
std::string joined_names(const std::vector<int>& support, const std::vector<std::string>& names) {
  constexpr size_t kNames = 5;
  std::string text;
  const size_t shown = support.size() <= kNames + 1 ? support.size() : kNames;
  for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : " & ") + names[static_cast<size_t>(support[i])];
  return shown == support.size() ? text : fmt::format("{} and {} more", text, support.size() - shown);
}

void print_list(const std::vector<Effect>& effects, int64_t count, const study::MergedGame& game,
                const std::string& heading) {
  fmt::print("\n");
  Lines lines = {{heading, "value", "share"}};
  for (const Effect& effect : effects) {
    lines.push_back({printable(joined_names(effect.support, game.players)), fmt::format("{:+.6g}", effect.value),
                     change_share(effect.value, game.summary.change())});
  }
  print_columns(lines, 2);
  if (count > std::ssize(effects)) fmt::print("  and {} smaller\n", with_thousands(count - std::ssize(effects)));
}

void print_players(const study::MergedGame& game, int64_t most) {
  std::vector<size_t> ranking;
  for (size_t p = 0; p < game.players.size(); ++p) ranking.push_back(p);
  std::stable_sort(ranking.begin(), ranking.end(),
                   [&](size_t a, size_t b) { return std::abs(game.shapley[a]) > std::abs(game.shapley[b]); });
  ranking.resize(std::min(ranking.size(), static_cast<size_t>(std::max<int64_t>(most, 36))));
  fmt::print("\n");
  Lines lines = {{"player", "Shapley", "share", "Banzhaf", "alone"}};
  for (const size_t p : ranking) {
    lines.push_back({printable(game.players[p]), fmt::format("{:+.6g}", game.shapley[p]),
                     change_share(game.shapley[p], game.summary.change()), fmt::format("{:+.6g}", game.banzhaf[p]),
                     fmt::format("{:+.6g}", game.summary.independent[p])});
  }
  print_columns(lines, 2);
}

}  // namespace

void print_game_part(const study::GamePartResult& result, const study::Shard& shard, const std::string& folder) {
  fmt::print("{}\n", printable(result.title));
  Lines lines;
  lines.push_back(
      {"shard", fmt::format("{} of {}: {} of {} subcubes of all coalitions of {} players", shard.number, shard.count,
                            with_thousands(result.mine), with_thousands(result.subcubes), result.players)});
  lines.push_back({"computed", fmt::format("{}; {} were there", with_thousands(result.computed),
                                           with_thousands(result.mine - result.computed))});
  lines.push_back(
      {"work",
       fmt::format("{} evaluations in {:.2f} s{}", with_thousands(result.evaluations), result.seconds,
                   result.evaluations == 0 ? ""
                                           : fmt::format(", {} a second", with_thousands(static_cast<int64_t>(
                                                                              static_cast<double>(result.evaluations) /
                                                                              std::max(result.seconds, 1e-9)))))});
  lines.push_back({"parts", printable(folder)});
  print_columns(lines, 2);
}

void print_merged_game(const study::MergedGame& game, int64_t top) {
  const EffectSummary& summary = game.summary;
  const int64_t most = top > 0 ? top : kShown;
  fmt::print("{}\n", printable(game.title));
  Lines lines;
  lines.push_back({"players", fmt::format("{} ({})", game.players.size(), printable(game.grouping))});
  lines.push_back({"baseline b", printable(game.baselines)});
  lines.push_back({"f(x)", fmt::format("{:.6g}", summary.output)});
  lines.push_back({"f(b)", fmt::format("{:.6g}", summary.baseline_output)});
  lines.push_back({"change", fmt::format("{:+.6g}", summary.change())});
  lines.push_back({"residual", fmt::format("{:.2g} = change - sum of all effects", summary.remainder)});
  lines.push_back({"work", fmt::format("{} evaluations in {} parts, merged in {:.2f} s",
                                       with_thousands(summary.evaluations), with_thousands(game.parts), game.seconds)});
  print_columns(lines, 2);
  const auto shown = std::min(most, std::ssize(summary.strongest));
  print_list({summary.strongest.begin(), summary.strongest.begin() + shown}, summary.count, game, "effect");
  if (game.index != nullptr) {
    fmt::print("\n  {}: {}\n  {}\n", game.index->title, game.index->formula, game.index->source);
    print_list(study::sorted_by_magnitude(game.index_values.effects, most), std::ssize(game.index_values.effects), game,
               game.index->name);
  }
  print_players(game, most);
  print_orders(summary);
}

}  // namespace ascribe::core::cli
