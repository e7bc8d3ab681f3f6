#include "report/page/sections.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "draw/diverging.h"

namespace ascribe::core::page {

void section(Html& html, const std::string& id, const std::string& heading, const std::string& how_to_read,
             const std::function<void()>& content) {
  html.in("section", {{"id", id}, {"aria-labelledby", id + "-heading"}}, [&] {
    html.in("div", {{"class", "opening"}}, [&] {  // on paper never the last of a page
      html.in("h3", {{"id", id + "-heading"}}, heading);
      if (how_to_read.empty()) return;
      html.in("details", {{"class", "how"}}, [&] {
        html.in("summary", "How to read this");
        html.in("p", {}, [&] { write_gist(html, how_to_read); });
      });
    });
    content();
  });
}

std::string number_text(const Number& value) { return value ? fmt::format("{:.4g}", *value) : "–"; }
std::string signed_number_text(const Number& value) {
  if (!value) return "–";
  return *value == 0 ? "0" : fmt::format("{:+.4g}", *value);
}

std::string percent_text(const Number& share) {
  if (!share) return "–";
  const double percent = 100 * *share;
  const double size = std::abs(percent);
  if (size == 0) return "0 %";
  if (size < 0.1) return percent > 0 ? "< 0.1 %" : "≈ 0 %";
  return fmt::format("{:.1f} %", percent);
}

std::string exact_text(const Number& value) { return value ? fmt::format("{}", *value) : ""; }

bool has_classes(const Row& row) {
  return std::any_of(row.top.begin(), row.top.end(), [](const TopClass& top) { return top.probability; });
}

std::string class_text(const Row& row, int64_t index, const std::optional<std::string>& label) {
  return label ? *label : fmt::format("{} {}", has_classes(row) ? "class" : "value", index);
}

// Labels are short and speak for themselves; other targets have words of their own.
std::string target_text(const Row& row) {
  const bool one_class = row.target.index && has_classes(row);
  if (row.target.description && !one_class) return *row.target.description;
  return class_text(row, row.target.index.value_or(0), row.target.label);
}

std::string explained_text(const Row& row) {
  return row.explains == "value" ? target_text(row) : fmt::format("{} of {}", row.explains, target_text(row));
}

const std::string& title_of(const Row& row, const std::string& method) {
  const auto found =
      std::find_if(row.methods.begin(), row.methods.end(), [&](const auto& m) { return m.name == method; });
  return found == row.methods.end() ? method : found->title;
}

std::string facts_text(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) text += (text.empty() ? "" : ", ") + name + "=" + fact_text(value);
  return text;
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    text += (i == 0 ? "" : (i + 1 == items.size() ? " and " : ", ")) + items[i];
  }
  return text;
}

std::string plural(size_t count, const std::string& one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string player_text(const PlayerList& players, size_t player) {
  return players.values.empty() ? players.names[player] : players.names[player] + " = " + players.values[player];
}

void number_cell(Html& html, const Number& value, const std::string& text) {
  html.in("td", {{"class", "number"}, {"data-v", exact_text(value)}}, text);
}

void sortable_head(Html& html, const std::string& text, bool number, bool first) {
  const std::string kind = number ? "number" : "text";
  html.in("th", {{"scope", "col"}, {"class", first ? kind : kind + " later"}, {"data-sort", "1"}}, text);
}

void scrolling(Html& html, const std::string& label, const std::function<void()>& content) {
  html.in("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", label}}, content);
}

std::string cell_style(double t) {
  const Rgb color = diverging(t);
  const double light = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2];
  return fmt::format("background:{};color:{}", hex(color), light > 140 ? "#111" : "#fff");
}

double largest_magnitude(const std::vector<Number>& values) {
  double largest = 0;
  for (const Number& value : values) largest = std::max(largest, std::abs(value.value_or(0)));
  return largest;
}

std::vector<double> importance(const Row& row) {
  std::vector<double> sums(row.players.count(), 0);
  for (const MethodResult& method : row.methods) {
    const double largest = largest_magnitude(method.values);
    if (largest == 0) continue;
    for (size_t p = 0; p < sums.size(); ++p) sums[p] += std::abs(method.values[p].value_or(0)) / largest;
  }
  for (double& sum : sums) sum /= static_cast<double>(std::max<size_t>(row.methods.size(), 1));
  return sums;
}

std::vector<size_t> strongest_players(const Row& row, size_t most) {
  const std::vector<double> matters = importance(row);
  std::vector<size_t> order(matters.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return matters[a] > matters[b]; });
  order.resize(std::min(most, order.size()));
  return order;
}

std::vector<Number> shown_values(const Row& row, const MethodResult& method) {
  if (row.kind != RowKind::image) return method.values;
  std::vector<Number> values(row.pixels());
  for (size_t i = 0; i < values.size(); ++i) {
    const int32_t owner = row.players.owner.empty() ? -1 : row.players.owner[i];
    if (method.map) {
      values[i] = method.map->at(i);
    } else if (owner >= 0) {
      values[i] = method.values[static_cast<size_t>(owner)];
    }
  }
  return values;
}

Extent extent(const Row& row) {
  if (row.image) return {row.image->width, row.image->height};
  return {static_cast<int64_t>(row.players.count()), 1};
}

}  // namespace ascribe::core::page
