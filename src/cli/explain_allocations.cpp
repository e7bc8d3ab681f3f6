// ascribe explain --allocations: what every player received of every effect a(i <- J(S)).
#include <algorithm>
#include <cmath>

#include "cli/explain.h"
#include "cli/few_players.h"
#include "cli/terminal.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

struct Share {
  int player = 0;
  uint64_t set = 0;
  double amount = 0;
};

std::vector<Share> largest_shares(const SetAllocation& allocation, int64_t most) {
  std::vector<Share> shares;
  for (int p = 0; p < allocation.players; ++p) {
    for (uint64_t set = 0; set < allocation.sets(); ++set) shares.push_back({p, set, allocation(p, set)});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return std::abs(a.amount) > std::abs(b.amount); });
  shares.resize(std::min(shares.size(), static_cast<size_t>(most)));
  return shares;
}

}  // namespace

void print_allocations(const ExplainAnswer& answer, size_t row, const ExplainRequest& request) {
  const Players& players = answer.rows[row].players;
  Lines lines = {{"method", "player", "received", "of the effect", "of"}};
  for (const MethodAnswer& method : answer.methods) {
    const SetAllocation& allocation = method.allocations[row];
    for (const Share& share : largest_shares(allocation, request.top)) {
      lines.push_back({method.chosen.method.name, printable(players.names[static_cast<size_t>(share.player)]),
                       fmt::format("{:+.4g}", share.amount),
                       share.set == 0 ? "-" : fmt::format("{:+.4g}", allocation.effects[share.set]),
                       share.set == 0 ? "f(b), all masked" : players_text(players, share.set)});
    }
  }
  fmt::print("\n  The largest shares of effects; all of them are in --json and in the arrays of --out\n\n");
  print_columns(lines, 2);
}

Json allocation_as_json(const SetAllocation& allocation) {
  Json sets = Json::array(), values = Json::array();
  for (uint64_t set = 0; set < allocation.sets(); ++set) sets.push_back(members_of(set));
  for (int p = 0; p < allocation.players; ++p) {
    const auto first = allocation.values.begin() + static_cast<int64_t>(static_cast<size_t>(p) * allocation.sets());
    values.push_back(std::vector<double>(first, first + static_cast<int64_t>(allocation.sets())));
  }
  return {{"sets", sets}, {"effects", allocation.effects}, {"values", values}};
}

std::vector<std::pair<std::string, Tensor>> allocation_arrays(const MethodAnswer& answer) {
  const auto players = static_cast<int64_t>(answer.allocations[0].players);
  const auto sets = static_cast<int64_t>(answer.allocations[0].sets());
  std::vector<Tensor> values, effects;
  for (const SetAllocation& allocation : answer.allocations) {
    if (allocation.players != players) return {};  // rows with players of their own do not fit together
    values.push_back(Tensor::of<double>({1, players, sets}, allocation.values));
    effects.push_back(Tensor::of<double>({1, sets}, allocation.effects));
  }
  const std::string& name = answer.chosen.method.name;
  return {{name + "_allocations", stacked_rows(values)}, {name + "_effects", stacked_rows(effects)}};
}

}  // namespace ascribe::core
