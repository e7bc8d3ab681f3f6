// First on the page, in plain words: what the model said, what drove it, whether the methods agree, and which of them
// can be trusted here. Everything is derived from the figures further down, and says how.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

void answer(Html& html, const std::string& question, const std::string& words) {
  html.in("div", {{"class", "answer"}}, [&] {
    html.in("dt", question);
    html.in("dd", words);
  });
}

std::string quoted(const std::string& text) { return "“" + text + "”"; }

std::string with_probability(const Row& row, const TopClass& top) {
  const std::string name = quoted(class_text(row, top.index, top.label));
  return top.probability ? fmt::format("{} ({})", name, percent_text(top.probability)) : name;
}

std::string what_it_said(const RowPage& page) {
  const Row& row = page.row;
  if (row.top.empty()) return fmt::format("The {} is {}.", explained_text(row), number_text(row.output));
  if (!has_classes(row))
    return fmt::format("{} gives {} for {}.", page.document.model_file(), number_text(row.output), row.source);
  std::string text =
      fmt::format("{} takes {} for {}", page.document.model_file(), row.source, with_probability(row, row.top[0]));
  if (row.top.size() > 1) text += fmt::format("; next comes {}", with_probability(row, row.top[1]));
  text += '.';
  if (row.target.index != row.top[0].index) {
    text += fmt::format(" What follows is about {}, not its first choice.", quoted(target_text(row)));
  }
  return text;
}

std::string change_text(const Row& row) {
  if (!row.change) return "";
  return fmt::format(" In all, the {} goes from {} at the baseline ({}) to {}: a change of {}.", row.explains,
                     number_text(row.baseline_output), row.baseline.empty() ? "b" : row.baseline,
                     number_text(row.output), signed_number_text(row.change));
}

constexpr std::array<const char*, 9> kRegions = {"at the top left",    "at the top",    "at the top right",
                                                 "at the left",        "in the middle", "at the right",
                                                 "at the bottom left", "at the bottom", "at the bottom right"};

// How much of the magnitude lies in each ninth of the picture, the mean over methods.
std::array<double, 9> shares_of_ninths(const Row& row) {
  std::array<double, 9> shares{};
  const auto width = static_cast<size_t>(row.image->width), height = static_cast<size_t>(row.image->height);
  for (const MethodResult& method : row.methods) {
    const std::vector<Number> values = shown_values(row, method);
    std::array<double, 9> parts{};
    double all = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t across = i % width * 3 / width, down = i / width * 3 / height;
      parts[3 * down + across] += std::abs(values[i].value_or(0));
      all += std::abs(values[i].value_or(0));
    }
    if (all == 0) continue;
    for (size_t k = 0; k < shares.size(); ++k) shares[k] += parts[k] / all / static_cast<double>(row.methods.size());
  }
  return shares;
}

std::string where_it_lies(const Row& row) {
  const auto shares = shares_of_ninths(row);
  std::array<size_t, 9> order = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return shares[a] > shares[b]; });
  const double both = shares[order[0]] + shares[order[1]];
  if (!std::isfinite(both) || both <= 0) return "No method finds anything that mattered.";
  return fmt::format(
      "Mostly what is {} and {}: these two ninths of the picture hold {} of what the methods hand out, "
      "on average ({} if all of it mattered equally).",
      kRegions[order[0]], kRegions[order[1]], percent_text(both), percent_text(2.0 / 9));
}

// "rooms = 4 (raises it: 12 of 14 methods)"
std::string driver(const Row& row, size_t player) {
  size_t up = 0, down = 0;
  for (const MethodResult& method : row.methods) {
    const double value = method.values[player].value_or(0);
    if (value > 0) ++up;
    if (value < 0) ++down;
  }
  const bool raises = up >= down;
  return fmt::format("{} ({} it: {} of {} methods)", player_text(row.players, player), raises ? "raises" : "lowers",
                     std::max(up, down), row.methods.size());
}

std::string which_players(const Row& row) {
  std::vector<std::string> names;
  for (const size_t player : strongest_players(row, 3)) {
    if (importance(row)[player] > 0) names.push_back(driver(row, player));
  }
  return names.empty() ? "No method finds anything that mattered."
                       : "Most of all, taking the methods together: " + listed(names) + ".";
}

std::string together_text(const Row& row) {
  if (!row.effects || row.effects->orders.empty()) return "";
  const Number alone = row.effects->orders[0].share;
  if (!alone) return "";
  return fmt::format(
      " {} of the strength of all effects is what single parts do by themselves, {} what they do only "
      "together.",
      percent_text(alone), percent_text(1 - *alone));
}

std::string what_drove_it(const Row& row) {
  if (row.methods.empty()) return "No method was run.";
  return (row.kind == RowKind::image ? where_it_lies(row) : which_players(row)) + together_text(row) + change_text(row);
}

struct Pair {
  double correlation = 0;
  size_t first = 0, second = 0;
};

std::vector<Pair> correlations(const Agreement& agreement) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < agreement.methods.size(); ++i) {
    for (size_t j = i + 1; j < agreement.methods.size(); ++j) {
      if (agreement.rank_correlation[i][j]) pairs.push_back({*agreement.rank_correlation[i][j], i, j});
    }
  }
  return pairs;
}

const char* degree(double mean) {
  if (mean >= 0.8) return "closely";
  if (mean >= 0.5) return "in the main";
  return mean >= 0.2 ? "only loosely" : "hardly";
}

std::string do_they_agree(const Row& row) {
  if (!row.agreement) return "Not compared: that takes two methods at least.";
  const std::vector<Pair> pairs = correlations(*row.agreement);
  if (pairs.empty()) return "Not comparable: no two methods rank the players.";
  double sum = 0;
  for (const Pair& pair : pairs) sum += pair.correlation;
  const double mean = sum / static_cast<double>(pairs.size());
  const auto worst = std::min_element(pairs.begin(), pairs.end(),
                                      [](const Pair& a, const Pair& b) { return a.correlation < b.correlation; });
  const auto name = [&](size_t i) { return title_of(row, row.agreement->methods[i]); };
  if (pairs.size() == 1) {
    return fmt::format("{} and {} agree {}: their rank correlation is {:.2f}.", name(0), name(1), degree(mean), mean);
  }
  return fmt::format(
      "They agree {}: the mean rank correlation of {} pairs of methods is {:.2f}. Farthest apart are {} "
      "and {} ({:.2f}).",
      degree(mean), pairs.size(), mean, name(worst->first), name(worst->second), worst->correlation);
}

const MetricScores* infidelity(const Row& row) {
  const auto found = std::find_if(row.metrics.begin(), row.metrics.end(),
                                  [](const MetricScores& metric) { return metric.name.starts_with("infidelity"); });
  return found == row.metrics.end() ? nullptr : &*found;
}

// Those with a score, the best first.
std::vector<Score> ranked(const MetricScores& metric) {
  std::vector<Score> scores;
  std::copy_if(metric.scores.begin(), metric.scores.end(), std::back_inserter(scores),
               [](const Score& score) { return score.value.has_value(); });
  std::stable_sort(scores.begin(), scores.end(), [&](const Score& a, const Score& b) {
    return metric.lower_is_better() ? *a.value < *b.value : *a.value > *b.value;
  });
  return scores;
}

std::string best_of(const Row& row, const std::vector<std::string>& methods) {
  const MetricScores* metric = infidelity(row);
  if (metric == nullptr) return "";
  const std::vector<Score> scores = ranked(*metric);
  for (size_t place = 0; place < scores.size(); ++place) {
    const std::string& name = scores[place].method;
    if (!methods.empty() && std::find(methods.begin(), methods.end(), name) == methods.end()) continue;
    if (methods.size() == 1) {
      return fmt::format(" Its infidelity is {} (place {} of {}).", number_text(scores[place].value), place + 1,
                         scores.size());
    }
    return fmt::format(" {}{} has the lowest infidelity ({}; place {} of all {}).", methods.empty() ? "" : "Of these, ",
                       title_of(row, name), number_text(scores[place].value), place + 1, scores.size());
  }
  return "";
}

// No principle fails, but not all are known to hold.
bool may_hold_all(const MethodPrinciples& method) {
  bool open = false, fails = false;
  for (const Verdict* verdict : {&method.low_error, &method.no_unrelated, &method.complete}) {
    open = open || !verdict->holds;
    fails = fails || verdict->holds == false;
  }
  return open && !fails;
}

std::string which_to_trust(const Row& row) {
  const std::string caution =
      " This is about how faithfully they describe this model on this input against this baseline; it does not say "
      "whether the model is right.";
  if (!row.principles || row.principles->methods.empty()) {
    return "The three principles were not measured here." + best_of(row, {}) + caution;
  }
  std::vector<std::string> all, titles, names_of_two, open;
  for (const MethodPrinciples& method : row.principles->methods) {
    if (may_hold_all(method)) open.push_back(title_of(row, method.name));
    if (method.held == 3) all.push_back(method.name), titles.push_back(title_of(row, method.name));
    if (method.held == 2) names_of_two.push_back(title_of(row, method.name));
  }
  const size_t count = row.principles->methods.size();
  const std::string undecided =
      open.empty() ? "" : fmt::format(" For {} it is left open: {}.", open.size(), listed(open));
  if (all.empty()) {
    return fmt::format("With care: none of {} holds all three principles on this question{}.", plural(count, "method"),
                       names_of_two.empty() ? "" : "; two of them hold for " + listed(names_of_two)) +
           undecided + best_of(row, {}) + caution;
  }
  return fmt::format("All three principles hold here for {} of {}: {}.", all.size(), plural(count, "method"),
                     listed(titles)) +
         undecided + best_of(row, all) + caution;
}

}  // namespace

void write_summary(Html& html, const RowPage& page) {
  const Row& row = page.row;
  section(html, page.id("summary"), "In short", "", [&] {
    html.in("dl", {{"class", "answers"}}, [&] {
      answer(html, "What did the model say?", what_it_said(page));
      answer(html, "What drove it?", what_drove_it(row));
      answer(html, "Do the methods agree?", do_they_agree(row));
      answer(html, "Which can be trusted here?", which_to_trust(row));
    });
  });
}

}  // namespace ascribe::core::page
