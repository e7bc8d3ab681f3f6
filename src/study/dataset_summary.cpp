// What is counted and averaged over many rows.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/student.h"
#include "study/dataset_parts.h"
#include "study/disagreement.h"

namespace ascribe::core::study {

namespace {

using document::DatasetDocument, document::number;

constexpr size_t kMostClasses = 12, kMostDrawn = 16, kMostShown = 300, kMostListed = 10, kMostFailed = 50;
constexpr size_t kMostCategories = 64, kMostWords = 40;
constexpr size_t kBars = 12;  // of a histogram
using document::kSmallMiss;

std::vector<std::string> categories_of(const RowQuestion& question, size_t player) {
  for (const RowPart& part : question.parts) {
    for (int64_t i = 0; i < std::ssize(part.texts); ++i) {
      if (question.players.owner[static_cast<size_t>(part.first + i)] != static_cast<int32_t>(player)) continue;
      std::vector<std::string> names = part.texts[static_cast<size_t>(i)].categories;
      if (names.size() > kMostCategories) names.resize(kMostCategories);
      return names;
    }
  }
  return {};
}

// Cells of a grid are called by their row and column from 0, "r2c0": people count from 1.
std::string place_name(const std::string& name, bool image) {
  const size_t middle = name.find('c');
  if (!image || !name.starts_with('r') || middle == std::string::npos) return name;
  const char *begin = name.data(), *stop = begin + name.size();
  uint32_t row = 0, column = 0;
  const auto first = std::from_chars(begin + 1, begin + middle, row);
  const auto second = std::from_chars(begin + middle + 1, stop, column);
  const bool both =
      first.ec == std::errc() && first.ptr == begin + middle && second.ec == std::errc() && second.ptr == stop;
  return both ? fmt::format("row {}, column {}", uint64_t{row} + 1, uint64_t{column} + 1) : name;
}

void add_features(DatasetDocument& document, const StudiedRows& studied, const RowQuestion& first) {
  if (!studied.common || first.tokens) return;
  for (size_t f = 0; f < first.players.names.size(); ++f) {
    document::Feature feature{
        place_name(first.players.names[f], first.players.image.has_value()), true, categories_of(first, f), {}, {}};
    std::vector<double> values;
    for (const RowRecord& row : studied.rows) {
      if (std::isfinite(row.values[f])) values.push_back(row.values[f]);
    }
    feature.number = values.size() == studied.rows.size();
    if (feature.number) feature.low = number(quantile(values, 0.05)), feature.high = number(quantile(values, 0.95));
    document.features.push_back(std::move(feature));
  }
}

// What is missing, in shares of the strength that was handed out or should have been.
double miss_of(const RowRecord& row, size_t method) {
  double strength = 0;
  for (const double value : row.attributions[method]) strength += std::abs(value);
  strength = std::max(strength, std::abs(row.residuals[method]));
  return strength > 0 ? std::abs(row.residuals[method]) / strength : 0;
}

void add_methods(DatasetDocument& document, const StudiedRows& studied) {
  const size_t features = document.features.size();
  for (size_t m = 0; m < studied.methods.size(); ++m) {
    const Method& method = studied.methods[m].method;
    document::DatasetMethod kept;
    kept.name = method.name;
    kept.title = method.title;
    kept.kind = to_string(method.kind);
    kept.parameters = Json(studied.methods[m].parameters.all()).members();
    kept.holds = promises_of(method);
    kept.complete = method.complete && kept.contributes();
    kept.rows = std::ssize(studied.rows);
    kept.seconds = number(studied.seconds[m]);
    kept.notes = studied.notes[m];
    for (size_t f = 0; f < features; ++f) {
      std::vector<double> magnitudes;
      double sum = 0;
      for (const RowRecord& row : studied.rows) {
        magnitudes.push_back(std::abs(row.attributions[m][f]));
        sum += row.attributions[m][f];
      }
      kept.magnitudes.push_back(mean_of(magnitudes));
      kept.means.push_back(number(sum / static_cast<double>(studied.rows.size())));
    }
    if (kept.contributes()) {
      double sum = 0, worst = 0;
      for (const RowRecord& row : studied.rows) {
        const double miss = miss_of(row, m);
        sum += miss;
        worst = std::max(worst, miss);
      }
      kept.mean_miss = number(sum / static_cast<double>(studied.rows.size()));
      kept.worst_miss = number(worst);
    }
    document.methods.push_back(std::move(kept));
  }
  for (const LeftOut& left : studied.left_out) document.left_out.push_back({left.method, left.reason});
}

void add_histogram(document::Outputs& outputs, const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const size_t bars = *least == *most ? 1 : std::min(kBars, std::max<size_t>(5, values.size() / 10));
  const double width = (*most - *least) / static_cast<double>(bars);
  outputs.counts.assign(bars, 0);
  for (size_t i = 0; i <= bars; ++i) {
    outputs.edges.push_back(document::rounded(i == bars ? *most : *least + width * static_cast<double>(i)));
  }
  for (const double value : values) {
    const double place = width > 0 ? (value - *least) / width : 0;
    ++outputs.counts[std::min(bars - 1, static_cast<size_t>(std::max(0.0, place)))];
  }
}

void add_outputs(DatasetDocument& document, const StudiedRows& studied, const RowQuestion& first) {
  document::Outputs& outputs = document.outputs;
  outputs.explains = first.explains;
  outputs.name = first.output;
  std::vector<double> values;
  std::vector<const RowRecord*> all;
  for (const RowRecord& row : studied.rows) {
    values.push_back(row.output);
    all.push_back(&row);
  }
  outputs.least = number(quantile(values, 0));
  outputs.median = number(quantile(values, 0.5));
  outputs.most = number(quantile(values, 1));
  outputs.mean = mean_of(values).mean;
  add_histogram(outputs, values);
  if (!studied.rows[0].classes) return;
  outputs.classes = classes_of(all);
  for (size_t i = kMostClasses; i < outputs.classes.size(); ++i) outputs.other_rows += outputs.classes[i].rows;
  outputs.other_classes = std::max<int64_t>(0, std::ssize(outputs.classes) - static_cast<int64_t>(kMostClasses));
  if (outputs.classes.size() > kMostClasses) outputs.classes.resize(kMostClasses);
}

void add_agreement(DatasetDocument& document, const StudiedRows& studied) {
  std::vector<size_t> rated;
  for (size_t m = 0; m < document.methods.size(); ++m) {
    if (!document.methods[m].contributes()) continue;
    rated.push_back(m);
    document.agreeing.push_back(document.methods[m].name);
  }
  document.agreement.assign(rated.size(), std::vector<document::Number>(rated.size(), 1.0));
  std::vector<double> of_rows(studied.rows.size(), 0.0);
  double pairs = 0;
  for (size_t i = 0; i < rated.size(); ++i) {
    for (size_t j = i + 1; j < rated.size(); ++j, ++pairs) {
      double sum = 0, count = 0;
      for (size_t r = 0; r < studied.rows.size(); ++r) {
        const RowRecord& row = studied.rows[r];
        const auto apart = placed_differently(row.attributions[rated[i]], row.attributions[rated[j]]);
        of_rows[r] += 1 - apart.value_or(0);
        if (apart) sum += 1 - *apart, ++count;
      }
      document.agreement[i][j] = document.agreement[j][i] = count > 0 ? number(sum / count) : std::nullopt;
    }
  }
  if (pairs == 0) return;
  for (double& one : of_rows) one /= pairs;
  document.agreement_mean = mean_of(of_rows);
}

// Words are the features of rows that have none in common.
void add_words(DatasetDocument& document, const StudiedRows& studied) {
  struct Seen {
    std::vector<double> magnitudes;
    double sum = 0;
  };
  std::map<std::string, Seen> seen;
  for (const RowRecord& row : studied.rows) {
    std::map<std::string, double> own;  // a word that a row has twice counts once, with both values
    for (size_t w = 0; w < row.words.size(); ++w) {
      own[row.words[w]] += row.attributions[document.trusted][w];
    }
    for (const auto& [word, value] : own) {
      seen[word].magnitudes.push_back(std::abs(value));
      seen[word].sum += value;
    }
  }
  for (const auto& [word, one] : seen) {
    const auto rows = std::ssize(one.magnitudes);
    if (rows < 2) continue;  // what one row has says nothing of the others
    document.words.push_back({word, rows, mean_of(one.magnitudes), number(one.sum / static_cast<double>(rows))});
  }
  std::stable_sort(document.words.begin(), document.words.end(), [](const auto& a, const auto& b) {
    return a.magnitude.mean.value_or(0) > b.magnitude.mean.value_or(0);
  });
  if (document.words.size() > kMostWords) document.words.resize(kMostWords);
}

document::ListedRow listed(const RowRecord& row, double measure) {
  return {row.number, row.source, row.target, number(row.output), number(measure), {}, {}, {}};
}

void add_disagreements(DatasetDocument& document, const StudiedRows& studied) {
  std::vector<size_t> rated;
  for (size_t m = 0; m < document.methods.size(); ++m) {
    if (document.methods[m].contributes()) rated.push_back(m);
  }
  for (const RowRecord& row : studied.rows) {
    std::vector<std::vector<double>> lists;
    for (const size_t m : rated) lists.push_back(row.attributions[m]);
    const auto apart = furthest_apart(lists);
    if (!apart || apart->share == 0) continue;
    document::ListedRow one = listed(row, apart->share);
    one.first = document.methods[rated[apart->first]].title;
    one.second = document.methods[rated[apart->second]].title;
    document.disagreements.push_back(std::move(one));
  }
  std::stable_sort(document.disagreements.begin(), document.disagreements.end(),
                   [](const auto& a, const auto& b) { return *a.measure > *b.measure; });
  if (document.disagreements.size() > kMostListed) document.disagreements.resize(kMostListed);
}

// Of methods that promise to add up where one of them misses, otherwise of those that promise nothing.
void add_misses(DatasetDocument& document, const StudiedRows& studied) {
  double promised = 0;
  for (const document::DatasetMethod& method : document.methods) {
    if (method.complete) promised = std::max(promised, method.worst_miss.value_or(0));
  }
  document.misses_of_promised = number(promised);
  const bool of_promised = promised > kSmallMiss;
  for (size_t m = 0; m < document.methods.size(); ++m) {
    const document::DatasetMethod& method = document.methods[m];
    if (!method.contributes() || method.complete != of_promised) continue;
    for (const RowRecord& row : studied.rows) {
      const double miss = miss_of(row, m);
      if (miss <= kSmallMiss) continue;
      document::ListedRow one = listed(row, miss);
      one.first = method.title;
      document.misses.push_back(std::move(one));
    }
  }
  std::stable_sort(document.misses.begin(), document.misses.end(),
                   [](const auto& a, const auto& b) { return *a.measure > *b.measure; });
  if (document.misses.size() > kMostListed) document.misses.resize(kMostListed);
}

void add_shown(DatasetDocument& document, const StudiedRows& studied) {
  if (document.drawn.empty()) return;
  // Evenly spaced among rows that were drawn at random.
  const size_t count = std::min(kMostShown, studied.rows.size());
  for (size_t i = 0; i < count; ++i) {
    const RowRecord& row = studied.rows[i * studied.rows.size() / count];
    document::ShownRow shown{row.number, row.source, row.target, number(row.output), {}, {}};
    for (const size_t f : document.drawn) shown.values.push_back(number(row.values[f]));
    for (const auto& attributions : row.attributions) {
      auto& kept = shown.attributions.emplace_back();
      for (const size_t f : document.drawn) kept.push_back(number(attributions[f]));
    }
    document.shown.push_back(std::move(shown));
  }
}

}  // namespace

document::Mean mean_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  document::Mean result{number(mean), {}, {}};
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = student_quantile(0.95, count - 1) * std::sqrt(squares / (count - 1) / count);
  result.low = number(mean - half);
  result.high = number(mean + half);
  return result;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<size_t>(std::lround(share * last))];
}

std::vector<document::OutputClass> classes_of(std::span<const RowRecord* const> rows) {
  std::map<std::string, std::pair<int64_t, double>> seen;
  for (const RowRecord* row : rows) {
    auto& [count, sum] = seen[row->target];
    ++count;
    sum += row->output;
  }
  std::vector<document::OutputClass> classes;
  for (const auto& [name, one] : seen) {
    classes.push_back({name, one.first, number(one.second / static_cast<double>(one.first))});
  }
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.rows > b.rows; });
  return classes;
}

void add_summaries(DatasetDocument& document, const StudiedRows& studied, const RowQuestion& first) {
  document.rows_explained = std::ssize(studied.rows);
  document.choice = studied.choice;
  add_outputs(document, studied, first);
  add_features(document, studied, first);
  add_methods(document, studied);
  add_agreement(document, studied);
  document.failed_rows = std::ssize(studied.failures);
  for (const RowFailure& failure : studied.failures) {
    if (document.failed.size() < kMostFailed) {
      document.failed.push_back({failure.number, failure.source, failure.reason});
    }
  }
}

void add_rows(DatasetDocument& document, const StudiedRows& studied) {
  std::vector<double> strength;
  for (const document::Mean& one : document.trusted_method().magnitudes) strength.push_back(one.mean.value_or(0));
  document.drawn = strongest(strength, kMostDrawn);
  add_shown(document, studied);
  add_disagreements(document, studied);
  add_misses(document, studied);
  if (document.features.empty()) add_words(document, studied);
}

}  // namespace ascribe::core::study
