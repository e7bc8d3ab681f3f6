#include "report/page/first_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

constexpr size_t kNinths = 9, kSide = 3;

// What each ninth of the picture adds, and how much there is in all, whatever its sign.
struct Ninths {
  std::array<double, kNinths> net{}, size{};
  double all = 0, raised = 0, lowered = 0;
};

std::string ninth_text(size_t ninth) {
  const auto inside = [](size_t third) { return (static_cast<double>(third) + 0.5) / kSide; };
  return ninth_of_picture(inside(ninth % kSide), inside(ninth / kSide));
}

Ninths ninths_of(const Row& row, const MethodResult& method) {
  Ninths ninths;
  const auto width = static_cast<size_t>(row.image->width), height = static_cast<size_t>(row.image->height);
  const std::vector<Number> values = shown_values(row, method);
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = values[i].value_or(0);
    const size_t ninth = kSide * (i / width * kSide / height) + i % width * kSide / width;
    ninths.net[ninth] += value;
    ninths.size[ninth] += std::abs(value);
    (value > 0 ? ninths.raised : ninths.lowered) += std::abs(value);
  }
  ninths.all = ninths.raised + ninths.lowered;
  return ninths;
}

// A map that repeats the value of a region at each of its pixels adds it up as often: back to the sum of the values.
double scale_of(const Ninths& ninths, const MethodResult& method) {
  double shown = 0, sum = 0;
  for (const double net : ninths.net) shown += net;
  for (const Number& value : method.values) sum += value.value_or(0);
  return shown != 0 && std::isfinite(sum / shown) && sum / shown > 0 ? sum / shown : 0;
}

std::array<size_t, kNinths> in_order(const std::array<double, kNinths>& values) {
  std::array<size_t, kNinths> order{};
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
  return order;
}

// "the middle (+3.1) and the right (+2)", of one or two; without numbers if they have no scale.
std::string named_ninths(const std::array<double, kNinths>& values, const std::vector<size_t>& ninths, double scale) {
  std::vector<std::string> texts;
  const double largest = scale * std::abs(values[ninths[0]]);
  for (const size_t ninth : ninths) {
    texts.push_back("the " + ninth_text(ninth) +
                    (scale > 0 ? fmt::format(" ({})", plain_beside(scale * values[ninth], largest)) : ""));
  }
  return listed(texts);
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// Of the first two in this order those that count.
std::vector<size_t> leading(const std::array<double, kNinths>& values, double least) {
  std::vector<size_t> found;
  for (const size_t ninth : in_order(values)) {
    if (found.size() == 2 || values[ninth] <= least || values[ninth] < kWorthNaming * values[in_order(values)[0]])
      break;
    found.push_back(ninth);
  }
  return found;
}

std::string where_it_reacts(const Row& row, const Ninths& ninths) {
  const std::vector<size_t> first = leading(ninths.size, 0);
  double share = 0;
  for (const size_t ninth : first) share += ninths.size[ninth];
  return fmt::format("{} of all that the map shows lies in {}. This is where {} reacts, not how much each part adds.",
                     capital(rough_percent(share / ninths.all)), named_ninths(ninths.size, first, 0),
                     what_is_explained(row));
}

std::string where_it_lies(const Row& row, const MethodResult& method) {
  const Ninths ninths = ninths_of(row, method);
  if (!std::isfinite(ninths.all) || ninths.all <= 0) return "It finds nothing in the picture that mattered.";
  if (!document::is_share(method)) return where_it_reacts(row, ninths);
  std::array<double, kNinths> against{};
  for (size_t i = 0; i < kNinths; ++i) against[i] = -ninths.net[i];
  const double largest = std::max(*std::max_element(ninths.net.begin(), ninths.net.end()),
                                  *std::max_element(against.begin(), against.end()));
  const double scale = scale_of(ninths, method);
  const std::vector<size_t> up = leading(ninths.net, kHardly * largest), down = leading(against, kHardly * largest);
  const auto sentence = [&](const std::vector<size_t>& some, const char* verb, const std::string& what) {
    return capital(fmt::format("{} {}{} {} most.", named_ninths(ninths.net, some, scale), verb,
                               some.size() == 1 ? "s" : "", what));
  };
  const std::string what = what_is_explained(row);
  std::string text = up.empty() ? "" : sentence(up, "raise", what);
  if (!down.empty()) return text + (up.empty() ? "" : " ") + sentence(down, "lower", up.empty() ? what : "it");
  const bool mixed = std::min(ninths.raised, ninths.lowered) > kHardly * ninths.all;
  return text + (mixed ? " No ninth of the picture lowers it as a whole, though blue spots mix with red ones."
                       : " Hardly anything lowers it.");
}

// "rooms = 4 (+1.2)"
std::string listed_parts(const Places& places, const MethodResult& method, const std::vector<size_t>& parts) {
  std::vector<std::string> texts;
  const double largest = largest_magnitude(method.values);
  for (const size_t player : parts) {
    texts.push_back(fmt::format("{} ({})", places.text(player), plain_beside(method.values[player], largest)));
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
  return text + fmt::format(" {} {} of {} hold{} {} of all that moves {}.", count == 1 ? "This" : "These", count,
                            counted_parts(row.kind, row.players), count == 1 ? "s" : "", rough_percent(shown / all),
                            what);
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

// The title that a report has by itself is in technical words; one that was given stays.
std::string page_title(const Document& document) {
  if (document.rows.size() != 1) return document.title;
  const Row& row = document.rows[0];
  const bool own =
      document.title.starts_with(document.model_file() + ": ") && document.title.ends_with(" for " + row.source);
  if (!own) return document.title;
  if (!has_classes(row) || !row.target.index) return fmt::format("What drives the result for {}?", row.source);
  const std::string name = class_text(row, *row.target.index, row.target.label);
  return fmt::format("Why {}? {}", row.target.label ? quoted(name) : name, row.source);
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
  if (row.top.size() > 1) {  // of several numbers
    return fmt::format("For {}, this model gives {} as {}", row.source, plain_number(row.output), target_text(row));
  }
  if (!row.output) return fmt::format("What this model gives for {} is not known", row.source);
  return fmt::format("This model gives {} for {}", plain_number(row.output), row.source);
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
    const std::string space = text.empty() ? "" : " ";
    if (has_classes(row) && row.target.index) {
      text += fmt::format("{}{} is {}; with everything hidden it would be {}.", space, capital(what_is_explained(row)),
                          plain_number(row.output), plain_number(row.baseline_output));
    } else {
      text += fmt::format("{}With everything hidden it would give {}.", space, plain_number(row.baseline_output));
    }
  }
  return text;
}

std::string what_mattered(const Row& row, const MethodResult& method) {
  const bool few = row.players.count() <= kFewRegions;
  const bool own_names = row.players.description.starts_with("groups");
  return row.kind == RowKind::image && !few && !own_names ? where_it_lies(row, method) : which_parts(row, method);
}

}  // namespace ascribe::core::page
