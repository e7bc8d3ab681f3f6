#include "study/tokens.h"

#include <algorithm>
#include <charconv>

#include "base/closest_name.h"
#include "base/error.h"

namespace ascribe::core::study {

namespace {

constexpr std::string_view kTokenPlayersWhere = "players";
constexpr std::string_view kTokenPlayers = "positions, words, spans:K, elements or groups:FILE.json";

// A player for each run of positions; `first`: whether a position begins one.
template <class First>
Players runs(const TokenRow& row, First&& first) {
  Players players;
  std::vector<size_t> begins;
  for (size_t t = 0; t < row.length(); ++t) {
    if (t == 0 || first(t)) begins.push_back(t);
    players.owner.push_back(static_cast<int32_t>(begins.size()) - 1);
  }
  begins.push_back(row.length());
  for (size_t p = 0; p + 1 < begins.size(); ++p) {
    std::string text;
    for (size_t t = begins[p]; t < begins[p + 1]; ++t) {
      const Token& token = row.tokens[t];
      if (t > begins[p] && token.space_before) text += ' ';
      text += token.text;
    }
    if (const size_t letter = text.find_first_not_of(' '); letter != std::string::npos) text.erase(0, letter);
    const bool one = begins[p] + 1 == begins[p + 1];
    players.names.push_back(one ? fmt::format("{} {}", begins[p], text)
                                : fmt::format("{}-{} {}", begins[p], begins[p + 1] - 1, text));
  }
  return players;
}

int64_t span_length(std::string_view text, int64_t positions) {
  int64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc() || end != text.data() + text.size() || length < 1 || length > positions) {
    fail(ErrorKind::argument, kTokenPlayersWhere, "got spans of '{}' positions; expected spans:K with K from 1 to {}",
         text, positions);
  }
  return length;
}

Players players_of_positions(const std::string& text, const TokenRow& row) {
  if (text.empty() || text == "positions") return runs(row, [](size_t) { return true; });
  if (text == "words") {
    if (!row.known) fail(ErrorKind::argument, kTokenPlayersWhere, "words are known with a vocabulary only: `tokens`");
    return runs(row, [&](size_t t) { return row.tokens[t].begins_word; });
  }
  if (text.starts_with("spans:")) {
    const int64_t length = span_length(std::string_view(text).substr(6), static_cast<int64_t>(row.length()));
    return runs(row, [&](size_t t) { return static_cast<int64_t>(t) % length == 0; });
  }
  if (text.starts_with("groups:")) {
    return make_players({text, {static_cast<int64_t>(row.length())}, {}, row.names(), nullptr});
  }
  fail(ErrorKind::argument, kTokenPlayersWhere, "got '{}'; {} for tokens", text,
       expected(kTokenPlayers, std::string_view(text).substr(0, text.find(':')),
                {"positions", "words", "spans", "elements", "groups"}));
}

}  // namespace

std::vector<std::string> TokenRow::texts() const {
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.push_back(token.text);
  return texts;
}

std::vector<std::string> TokenRow::names() const {
  std::vector<std::string> names;
  for (size_t t = 0; t < tokens.size(); ++t) names.push_back(fmt::format("{} {}", t, tokens[t].text));
  return names;
}

TokenRow token_row(std::vector<int64_t> ids, const Vocabulary* vocabulary) {
  TokenRow row;
  row.known = vocabulary != nullptr;
  if (vocabulary != nullptr) row.tokens = vocabulary->tokens(ids);
  else {
    for (const int64_t id : ids) row.tokens.push_back({fmt::format("#{}", id), true, false, true});
  }
  row.ids = std::move(ids);
  return row;
}

Players token_players(const std::string& text, const TokenRow& row, const Shape& shape) {
  if (text == "elements") return make_players({text, shape, {}, {}, nullptr});
  const int64_t width = element_count(shape) / std::max<int64_t>(1, static_cast<int64_t>(row.length()));
  Players positions = players_of_positions(text, row);
  Players players;
  players.names = std::move(positions.names);
  players.description = text.empty() ? "positions" : text;
  players.owner.reserve(static_cast<size_t>(element_count(shape)));
  for (const int32_t owner : positions.owner)
    players.owner.insert(players.owner.end(), static_cast<size_t>(width), owner);
  return players;
}

std::vector<std::string> coarser_players(const TokenRow& row, int64_t most) {
  std::vector<std::string> texts = {"positions"};
  if (row.known) texts.push_back("words");
  const auto length = static_cast<int64_t>(row.length());
  for (int64_t spans = std::min(most, length); spans >= 2; --spans) {
    const std::string text = fmt::format("spans:{}", (length + spans - 1) / spans);
    if (texts.back() != text) texts.push_back(text);
  }
  return texts;
}

}  // namespace ascribe::core::study
