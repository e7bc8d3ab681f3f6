#include "report/page/places.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/ascii.h"

namespace ascribe::core::page {

namespace {

constexpr int64_t kFewCells = 3;  // along a side: so many have words

// A cell of a grid by its name: "r3c12", with what stands before it ("photo r3c12") if there are several inputs.
struct Cell {
  std::string input;
  int64_t row = 0, column = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits from `at`, of which there must be some; moves `at` behind them.
std::optional<int64_t> whole_at(std::string_view text, size_t& at) {
  constexpr int64_t kMost = 100'000'000;
  const size_t begin = at;
  int64_t value = 0;
  while (at < text.size() && is_digit(text[at])) {
    value = 10 * value + (text[at++] - '0');
    if (value > kMost) return std::nullopt;
  }
  return at > begin ? std::optional(value) : std::nullopt;
}

std::optional<Cell> cell_of(std::string_view name) {
  const size_t space = name.rfind(' ');
  size_t at = space == std::string_view::npos ? 0 : space + 1;
  Cell cell{std::string(name.substr(0, at == 0 ? 0 : at - 1)), 0, 0};
  if (at >= name.size() || name[at++] != 'r') return std::nullopt;
  const auto row = whole_at(name, at);
  if (!row || at >= name.size() || name[at++] != 'c') return std::nullopt;
  const auto column = whole_at(name, at);
  if (!column || at != name.size()) return std::nullopt;
  cell.row = *row;
  cell.column = *column;
  return cell;
}

// How many rows and columns the grid of each input has; empty unless the players are cells of grids.
struct Size {
  int64_t rows = 0, columns = 0;
};
using Grids = std::map<std::string, Size>;

Grids grids_of(const PlayerList& players) {
  Grids grids;
  for (const std::string& name : players.names) {
    const auto cell = cell_of(name);
    if (!cell) continue;
    Size& size = grids[cell->input];
    size.rows = std::max(size.rows, cell->row + 1);
    size.columns = std::max(size.columns, cell->column + 1);
  }
  return grids;
}

// Of one of up to three: where it is between the first and the last.
const char* word_of(int64_t index, int64_t count, const std::array<const char*, 3>& words) {
  if (count == 1) return "";
  if (index == 0) return words[0];
  return index + 1 == count ? words[2] : words[1];
}

std::string cell_text(const Cell& cell, const Size& size) {
  std::string text;
  if (size.rows <= kFewCells && size.columns <= kFewCells) {
    const std::string down = word_of(cell.row, size.rows, {"top", "middle", "bottom"});
    const std::string across = word_of(cell.column, size.columns, {"left", "middle", "right"});
    text = down == across ? down : down + (down.empty() || across.empty() ? "" : " ") + across;
    if (text.empty()) text = "all of it";
  } else {
    text = fmt::format("row {}, column {}", cell.row + 1, cell.column + 1);
  }
  return cell.input.empty() ? text : cell.input + ": " + text;
}

// "s12", which has no other name than where it lies.
std::optional<int64_t> segment_of(std::string_view name) {
  size_t at = 1;
  if (name.empty() || name[0] != 's') return std::nullopt;
  const auto number = whole_at(name, at);
  return at == name.size() ? number : std::nullopt;
}

// "3 good", "3-5 not so good": where a text's tokens are, and what they are.
struct Tokens {
  int64_t from = 0, to = 0;
  std::string text;
};

std::optional<Tokens> tokens_of(const std::string& name) {
  size_t at = 0;
  const auto from = whole_at(name, at);
  if (!from) return std::nullopt;
  std::optional<int64_t> to = from;
  if (at < name.size() && name[at] == '-') to = whole_at(name, ++at);
  if (!to || at + 1 >= name.size() || name[at] != ' ') return std::nullopt;
  return Tokens{*from, *to, name.substr(at + 1)};
}

bool are_tokens(const PlayerList& players) {
  return !players.values.empty() && std::all_of(players.values.begin(), players.values.end(), [](const auto& value) {
    return value.starts_with("id ") || value.ends_with(" tokens") || value == "part of a token";
  }) && std::all_of(players.names.begin(), players.names.end(), [](const auto& name) { return tokens_of(name); });
}

std::vector<std::string> token_names(const PlayerList& players) {
  std::vector<Tokens> all;
  std::map<std::string, int> often;
  for (const std::string& name : players.names) {
    all.push_back(tokens_of(name).value_or(Tokens{0, 0, name}));
    ++often[all.back().text];
  }
  std::vector<std::string> names;
  for (const Tokens& tokens : all) {
    std::string text = tokens.text[0] == '#' ? "token " + tokens.text.substr(1) : "“" + tokens.text + "”";
    if (often[tokens.text] > 1) text += fmt::format(" (place {})", tokens.from + 1);
    names.push_back(std::move(text));
  }
  return names;
}

// Where a player lies in the picture.
struct Middle {
  double across = 0, down = 0;
  int64_t pixels = 0;

  const char* ninth() const {
    const auto count = static_cast<double>(std::max<int64_t>(pixels, 1));
    return ninth_of_picture(across / count, down / count);
  }
};

std::vector<Middle> middles_of(const PlayerList& players, int64_t width) {
  std::vector<Middle> middles(players.count());
  const auto columns = static_cast<double>(width), rows = static_cast<double>(players.owner.size()) / columns;
  for (size_t i = 0; i < players.owner.size(); ++i) {
    if (players.owner[i] < 0) continue;
    const auto at = static_cast<int64_t>(i);
    Middle& middle = middles[static_cast<size_t>(players.owner[i])];
    const int64_t column = at % width, row = at / width;
    middle.across += (static_cast<double>(column) + 0.5) / columns;
    middle.down += (static_cast<double>(row) + 0.5) / rows;
    ++middle.pixels;
  }
  return middles;
}

}  // namespace

const char* ninth_of_picture(double across, double down) {
  constexpr std::array<const char*, 9> kNinths = {"top left", "top",         "top right", "left",        "middle",
                                                  "right",    "bottom left", "bottom",    "bottom right"};
  const auto third = [](double part) { return static_cast<size_t>(std::clamp(3 * part, 0.0, 2.0)); };
  return kNinths[3 * third(down) + third(across)];
}

Places::Places(const PlayerList& players, int64_t width) {
  if (are_tokens(players)) {
    names_ = token_names(players);
    return;
  }
  values_ = players.values;
  const Grids grids = grids_of(players);
  const std::vector<Middle> middles = width > 0 ? middles_of(players, width) : std::vector<Middle>();
  names_.reserve(players.count());
  for (size_t p = 0; p < players.count(); ++p) {
    const std::string& name = players.names[p];
    const auto cell = grids.empty() ? std::nullopt : cell_of(name);
    const auto segment = cell || middles.empty() ? std::nullopt : segment_of(name);
    if (cell) names_.push_back(cell_text(*cell, grids.at(cell->input)));
    else if (segment) names_.push_back(fmt::format("region {} ({})", *segment + 1, middles[p].ninth()));
    else names_.push_back(name);
  }
}

std::string Places::text(size_t player) const {
  return values_.empty() ? names_[player] : names_[player] + " = " + values_[player];
}

std::string with_place_names(const std::string& sentence, const PlayerList& players) {
  const Grids grids = grids_of(players);
  const auto own = grids.find("");
  if (own == grids.end()) return sentence;
  const auto is_word = [](char c) { return is_ascii_letter_or_digit(c) || c == '_'; };
  std::string text;
  for (size_t at = 0; at < sentence.size();) {
    size_t end = at;
    while (end < sentence.size() && is_word(sentence[end])) ++end;
    const auto cell = end > at ? cell_of(std::string_view(sentence).substr(at, end - at)) : std::nullopt;
    const bool inside = cell && cell->row < own->second.rows && cell->column < own->second.columns;
    end = std::max(end, at + 1);
    text += inside ? "“" + cell_text(*cell, own->second) + "”" : sentence.substr(at, end - at);
    at = end;
  }
  return text;
}

std::string places_note(const PlayerList& players) {
  for (const auto& [input, size] : grids_of(players)) {
    if (size.rows > kFewCells || size.columns > kFewCells) return "Rows count from the top, columns from the left.";
  }
  return "";
}

bool are_the_strongest(const PlayerList& players) {
  return players.description.starts_with("strongest:") && players.count() > 1;
}

std::string strongest_words(const PlayerList& players) {
  if (!are_the_strongest(players)) return "";
  return fmt::format(
      "There are too many columns to try every combination of them, so {} count as one part. The strongest are those "
      "that change the result most, on average of being the only one shown and of being the only one hidden.",
      players.names.back());
}

std::string part_noun(RowKind kind, const PlayerList& players) {
  if (players.description.starts_with("groups")) return "group";
  switch (kind) {
    case RowKind::image: return players.description == "pixels" ? "pixel" : "region";
    case RowKind::table: return "column";
    case RowKind::text:
      if (players.description == "positions") return "token";
      return players.description == "words" ? "word" : "piece of text";
    default: return players.description == "elements" ? "number" : "stretch";
  }
}

std::string counted_parts(RowKind kind, const PlayerList& players) {
  const std::string noun = part_noun(kind, players);
  if (are_the_strongest(players)) {
    return fmt::format("{} parts: the {} strongest {}s, and {} together as one", players.count(), players.count() - 1,
                       noun, players.names.back());
  }
  if (players.count() == 1) return "1 " + noun;
  if (noun == "piece of text") return fmt::format("{} pieces of text", players.count());
  return fmt::format("{} {}{}", players.count(), noun, noun.ends_with("ch") ? "es" : "s");
}

}  // namespace ascribe::core::page
