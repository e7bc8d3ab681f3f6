#include "report/page/sections.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "draw/diverging.h"
#include "study/trusted.h"

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

void for_experts(Html& html, const std::string& what, const std::function<void()>& content, Paper paper) {
  html.in("details", {{"class", "expert"}}, [&] {
    html.in("summary", {}, [&] {
      html.in("span", {{"class", "tag"}}, "For experts");
      html.text(" " + what);
    });
    if (paper == Paper::with) content();
    else html.in("div", {{"class", "screen"}}, content);
  });
}

void glossary_link(Html& html, const std::string& word, const std::string& text) {
  html.in("a", {{"class", "word"}, {"href", "#word-" + word}}, text);
}

void write_kind(Html& html, const Row& row, const MethodResult& method) {
  if (&method == trusted_method(row)) {
    html.in("span", {{"class", "tag trusted"}}, "shown first");
  } else if (!document::is_share(method)) {
    html.in("span", {{"class", "tag"}}, "own units");
  } else if (document::standing_of(row, method.name) == document::Standing::holds) {
    html.in("span", {{"class", "tag"}}, "passes too");
  }
}

void write_left_out(Html& html, const Row& row) {
  if (row.left_out.empty()) return;
  for_experts(html, plural(row.left_out.size(), "method") + " not run, and why", [&] {
    for (const LeftOut& left : row.left_out) {
      html.in("p", {{"class", "faint"}}, fmt::format("Left out: {}: {}", left.method, left.reason));
    }
  });
}

// Three digits, without powers of ten as long as that can be read.
std::string plain_number(const Number& value) {
  if (!value) return "not known";
  const double size = std::abs(*value);
  if (size == 0) return "0";
  if (size < 1e-6 || size >= 1e12) return fmt::format("{:.2e}", *value);
  const int digits = 2 - static_cast<int>(std::floor(std::log10(size)));
  if (digits >= 0) {
    std::string text = fmt::format("{:.{}f}", *value, digits);
    while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
      const bool point = text.back() == '.';
      text.pop_back();
      if (point) break;
    }
    return text;
  }
  const double unit = std::pow(10, -digits);
  std::string text = fmt::format("{:.0f}", std::round(*value / unit) * unit);
  const size_t sign = text[0] == '-' ? 1 : 0;
  for (size_t at = text.size(); at > sign + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string plain_signed_number(const Number& value) { return (value && *value > 0 ? "+" : "") + plain_number(value); }

std::string plain_beside(const Number& value, double largest) {
  if (!value || !(largest > 0) || !std::isfinite(largest)) return plain_signed_number(value);
  const double unit = std::pow(10, std::floor(std::log10(largest)) - 2);
  const double rounded = unit > 0 ? std::round(*value / unit) * unit : *value;
  return plain_signed_number(rounded);
}

std::string rough_percent(const Number& share) {
  if (!share) return "an unknown share";
  const double percent = 100 * *share;
  if (percent != 0 && std::abs(percent) < 1) return "less than 1 %";
  return fmt::format("{:.0f} %", percent);
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

const MethodResult* trusted_method(const Row& row) {
  const std::string name = document::trusted_in(row).method;
  const auto found =
      std::find_if(row.methods.begin(), row.methods.end(), [&](const MethodResult& m) { return m.name == name; });
  return found == row.methods.end() ? nullptr : &*found;
}

std::vector<size_t> strongest_players(const Row& row, size_t most) {
  std::vector<size_t> order(row.players.count());
  std::iota(order.begin(), order.end(), size_t{0});
  if (const MethodResult* method = trusted_method(row)) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::abs(method->values[a].value_or(0)) > std::abs(method->values[b].value_or(0));
    });
  }
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
