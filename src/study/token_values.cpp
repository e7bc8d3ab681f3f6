#include "study/token_values.h"

#include <algorithm>

namespace ascribe::core::study {

std::vector<std::optional<double>> token_values(const Method& method, const Attribution& attribution,
                                                const Players& players, const TokenRow& row) {
  const auto elements = attribution.elements.data<double>();
  const size_t width = elements.size() / std::max<size_t>(row.length(), 1);
  const bool once = method.players || attribution.of_players;
  std::vector<std::optional<double>> values(row.length());
  for (size_t t = 0; t < values.size(); ++t) {
    int32_t before = -1;
    for (size_t i = t * width; i < (t + 1) * width; ++i) {
      const int32_t owner = players.owner[i];
      if (owner < 0 || (once && owner == before)) continue;
      values[t] = values[t].value_or(0) + elements[i];
      before = owner;
    }
  }
  return values;
}

std::vector<ColoredToken> colored_tokens(const Method& method, const Attribution& attribution, const Players& players,
                                         const TokenRow& row) {
  const std::vector<std::optional<double>> values = token_values(method, attribution, players, row);
  std::vector<ColoredToken> tokens;
  for (size_t t = 0; t < values.size(); ++t) {
    tokens.push_back({row.tokens[t].text, row.tokens[t].space_before, values[t]});
  }
  return tokens;
}

std::vector<int32_t> position_owners(const Players& players, const TokenRow& row) {
  const size_t width = players.owner.size() / std::max<size_t>(row.length(), 1);
  std::vector<int32_t> owners;
  for (size_t t = 0; t < row.length(); ++t) {
    const auto own = players.owner.begin() + static_cast<int64_t>(t * width);
    const bool one = std::all_of(own, own + static_cast<int64_t>(width), [&](int32_t p) { return p == *own; });
    owners.push_back(one ? *own : -1);
  }
  return owners;
}

}  // namespace ascribe::core::study
