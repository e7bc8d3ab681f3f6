#include "report/page/first_words.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/page/places.h"
#include "study/trusted.h"

namespace ascribe::core::page {

namespace {

constexpr size_t kNamed = 3;          // parts in a sentence
constexpr double kWorthNaming = 0.1;  // of the strongest part
constexpr double kHardly = 0.05;      // of everything: less is hardly anything
constexpr size_t kFewRegions = 9;     // of a picture: so many are named one by one

std::string quoted(const std::string& text) { return "“" + text + "”"; }

// Chances have as many digits as say something.
std::string chance_text(const Number& probability) {
  if (!probability) return "";
  const double percent = 100 * *probability;
  if (percent < 0.1) return percent > 0 ? "less than 0.1 %" : "0 %";
  if (percent > 99.9 && percent < 100) return "more than 99.9 %";
  return fmt::format("{:.1f} %", percent);
}

std::string named(const Row& row, const TopClass& top) {
  const std::string name = quoted(class_text(row, top.index, top.label));
  return top.probability ? fmt::format("{}, {}", name, chance_text(top.probability)) : name;
}

bool explains_first_choice(const Row& row) { return !row.top.empty() && row.target.index == row.top[0].index; }

// What the number is called by people: the score behind an answer, or what the model calls it itself.
std::string noun_of(const Row& row) {
  if (row.explains == "logit" || row.explains == "log-probability") return "score";
  return row.explains.empty() ? "value" : row.explains;
}

// ---- what mattered ----

struct Ninths {
  std::array<double, 9> up{}, down{};
  double all = 0, raised = 0, lowered = 0;
};

constexpr double kInside = 1.0 / 6;  // of the picture: the middle of the first third

const char* ninth_text(size_t ninth) {
  return ninth_of_picture(kInside + static_cast<double>(ninth % 3) / 3, kInside + static_cast<double>(ninth / 3) / 3);
}

Ninths ninths_of(const Row& row, const MethodResult& method) {
  Ninths ninths;
  const auto width = static_cast<size_t>(row.image->width), height = static_cast<size_t>(row.image->height);
  const std::vector<Number> values = shown_values(row, method);
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = values[i].value_or(0);
    const size_t ninth = 3 * (i / width * 3 / height) + i % width * 3 / width;
    (value > 0 ? ninths.up : ninths.down)[ninth] += std::abs(value);
    (value > 0 ? ninths.raised : ninths.lowered) += std::abs(value);
  }
  ninths.all = ninths.raised + ninths.lowered;
  return ninths;
}

// The two strongest ninths, or one if it has nearly everything.
std::string strongest_ninths(const std::array<double, 9>& shares, double& share) {
  std::array<size_t, 9> order = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return shares[a] > shares[b]; });
  share = shares[order[0]];
  if (shares[order[1]] < kWorthNaming * shares[order[0]]) return ninth_text(order[0]);
  share += shares[order[1]];
  return fmt::format("{} and {}", ninth_text(order[0]), ninth_text(order[1]));
}

std::string where_it_lies(const Row& row, const MethodResult& method) {
  const Ninths ninths = ninths_of(row, method);
  if (!std::isfinite(ninths.all) || ninths.all <= 0) return "It finds nothing in the picture that mattered.";
  const bool up = ninths.raised >= ninths.lowered;
  const std::string what = what_is_explained(row);
  double share = 0, other = 0;
  const std::string first = strongest_ninths(up ? ninths.up : ninths.down, share);
  const std::string text = fmt::format("What {} {} most lies {}: {} of all that the map shows.",
                                       up ? "raises" : "lowers", what, first, rough_percent(share / ninths.all));
  const double against = (up ? ninths.lowered : ninths.raised) / ninths.all;
  if (against < kHardly) return text + fmt::format(" Hardly anything {} it.", up ? "lowers" : "raises");
  const std::string second = strongest_ninths(up ? ninths.down : ninths.up, other);
  return text + fmt::format(" What {} it lies mostly {}; in all, {} of the map speaks {} it.", up ? "lowers" : "raises",
                            second, rough_percent(against), up ? "against" : "for");
}

// "rooms = 4 (+1.2)"
std::string listed_parts(const Places& places, const MethodResult& method, const std::vector<size_t>& parts) {
  std::vector<std::string> texts;
  for (const size_t player : parts) {
    texts.push_back(fmt::format("{} ({})", places.text(player), plain_signed_number(method.values[player])));
  }
  return listed(texts);
}

std::string which_parts(const Row& row, const MethodResult& method) {
  const double largest = largest_magnitude(method.values);
  if (largest == 0) return "It finds nothing that mattered.";
  double all = 0, shown = 0;
  for (const Number& value : method.values) all += std::abs(value.value_or(0));
  std::vector<size_t> up, down;
  for (const size_t player : strongest_players(row, kNamed)) {
    const double value = method.values[player].value_or(0);
    if (std::abs(value) < kWorthNaming * largest) continue;
    (value > 0 ? up : down).push_back(player);
    shown += std::abs(value);
  }
  const Places places(row);
  const std::string what = what_is_explained(row);
  std::string text;
  if (!up.empty()) text = fmt::format("Raised most by {}.", listed_parts(places, method, up));
  if (!down.empty())
    text += fmt::format("{}Lowered most by {}.", text.empty() ? "" : " ", listed_parts(places, method, down));
  const size_t count = up.size() + down.size();
  if (count == row.players.count()) return text;
  return text + fmt::format(" {} of {} hold{} {} of all that moves {}.", count, counted_parts(row.kind, row.players),
                            count == 1 ? "s" : "", rough_percent(shown / all), what);
}

}  // namespace

std::string what_is_explained(const Row& row) {
  if (has_classes(row) && row.target.index) {
    return fmt::format("the {} of {}", noun_of(row), quoted(class_text(row, *row.target.index, row.target.label)));
  }
  if (row.target.label) return quoted(*row.target.label);
  const std::string noun = noun_of(row);
  return noun == "value" ? "the result" : "the " + noun;
}

std::string headline(const RowPage& page) {
  const Row& row = page.row;
  if (has_classes(row) && !row.top.empty()) {
    const std::string name = quoted(class_text(row, row.top[0].index, row.top[0].label));
    const std::string chance = row.top[0].probability ? ": " + chance_text(row.top[0].probability) : "";
    if (row.kind == RowKind::image) return fmt::format("{} looks like {} to this model{}", row.source, name, chance);
    return fmt::format("This model’s answer for {} is {}{}", row.source, name, chance);
  }
  if (row.top.empty() && row.target.description) {
    return fmt::format("For {}, this model gives {} for {}", row.source, plain_number(row.output),
                       *row.target.description);
  }
  const std::string name = row.target.label ? *row.target.label + " = " : "";
  return fmt::format("This model gives {}{} for {}", name, plain_number(row.output), row.source);
}

std::string what_it_said(const RowPage& page) {
  const Row& row = page.row;
  std::string text;
  if (has_classes(row) && row.top.size() > 1) text += fmt::format("Next: {}.", named(row, row.top[1]));
  if (!row.top.empty() && !explains_first_choice(row)) {
    text += fmt::format(" This page explains {}, not the first choice.",
                        has_classes(row) ? what_is_explained(row) : quoted(target_text(row)));
  }
  if (row.output && row.baseline_output) {
    text += fmt::format(" {} is {}; with everything hidden it would be {}.",
                        has_classes(row) ? "The " + noun_of(row) + " behind it" : "The result",
                        plain_number(row.output), plain_number(row.baseline_output));
  }
  return text;
}

std::string what_mattered(const Row& row, const MethodResult& method) {
  const bool few = row.players.count() <= kFewRegions;
  const bool own_names = row.players.description.starts_with("groups");
  return row.kind == RowKind::image && !few && !own_names ? where_it_lies(row, method) : which_parts(row, method);
}

}  // namespace ascribe::core::page
