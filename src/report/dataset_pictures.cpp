#include "report/dataset_pictures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/axis.h"
#include "draw/bars.h"
#include "draw/beeswarm.h"
#include "draw/columns.h"
#include "draw/dependence_plot.h"
#include "draw/dot_rows.h"
#include "draw/heat_map.h"
#include "draw/markers.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

using document::DatasetDocument, document::DatasetMethod, document::Mean, document::Number;

constexpr size_t kDotsOfOthers = 150;  // of methods besides the trusted one
constexpr size_t kFeaturesOfMeans = 12;
constexpr double kMeanMapSide = 200, kExampleSide = 72;

std::string csv_of(const Number& value) { return value ? fmt::format("{}", *value) : ""; }
std::string csv_of(int64_t value) { return std::to_string(value); }

std::optional<double> shade_of(const document::Feature& feature, const Number& value) {
  if (!value) return std::nullopt;
  if (!feature.categories.empty()) {
    return *value / std::max(1.0, static_cast<double>(feature.categories.size()) - 1);
  }
  if (!feature.low || !feature.high || *feature.high <= *feature.low) return 0.5;
  return std::clamp((*value - *feature.low) / (*feature.high - *feature.low), 0.0, 1.0);
}

std::string rows_in_words(int64_t rows) { return fmt::format("{} row{}", rows, rows == 1 ? "" : "s"); }

void set_mean(std::vector<std::string>& line, const Mean& mean) {
  line.insert(line.end(), {csv_of(mean.mean), csv_of(mean.low), csv_of(mean.high)});
}

// The values of features as colours over the mean picture.
Image map_over(const DatasetDocument& document, const Image& picture, const std::vector<Number>& values) {
  PixelValues pixels(static_cast<size_t>(picture.width * picture.height));
  for (size_t i = 0; i < pixels.size() && i < document.owner.size(); ++i) {
    if (document.owner[i] >= 0) pixels[i] = values[static_cast<size_t>(document.owner[i])];
  }
  return heat_map(picture, pixels, std::max(largest(pixels), 1e-300));
}

double width_beside(const Image& picture, double height) {
  return height * static_cast<double>(picture.width) / static_cast<double>(std::max<int64_t>(1, picture.height));
}

}  // namespace

std::string plain_cell(const std::string& text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text[0]) == std::string_view::npos) return text;
  return "'" + text;
}

DatasetPicture outputs_picture(const DatasetDocument& document) {
  const document::Outputs& outputs = document.outputs;
  ColumnChart chart{fmt::format("What the model says: {}", outputs.explains),
                    fmt::format("{}; least {:.4g}, median {:.4g}, most {:.4g}", rows_in_words(document.rows_explained),
                                outputs.least.value_or(0), outputs.median.value_or(0), outputs.most.value_or(0)),
                    "from this number to the next",
                    "",
                    {}};
  Table table{{"from", "to", "rows"}};
  for (size_t i = 0; i < outputs.counts.size(); ++i) {
    chart.columns.push_back({fmt::format("{:.4g}", outputs.edges[i]), static_cast<double>(outputs.counts[i])});
    table.rows.push_back({csv_of(outputs.edges[i]), csv_of(outputs.edges[i + 1]), csv_of(outputs.counts[i])});
  }
  return {"outputs", "How often the model says which number", column_chart(chart), std::move(table)};
}

DatasetPicture magnitudes_picture(const DatasetDocument& document) {
  DotRows chart{fmt::format("Mean magnitude of the contribution of each {}", document.noun),
                fmt::format("{}; lines: 95 % interval of the mean (± t · standard error)",
                            rows_in_words(document.rows_explained)),
                "",
                {},
                {}};
  Table table{{"feature", "method", "mean_magnitude", "low", "high", "mean"}};
  DotPanel& panel = chart.panels.emplace_back();
  for (size_t d = 0; d < std::min(kFeaturesOfMeans, document.drawn.size()); ++d) {
    panel.rows.push_back({shortened(document.features[document.drawn[d]].name, 40), {}});
  }
  int64_t kind = 0;
  for (size_t m = 0; m < document.methods.size(); ++m) {
    const DatasetMethod& method = document.methods[m];
    if (!method.contributes()) continue;
    chart.legend.push_back({kind, method.title});
    for (size_t d = 0; d < document.drawn.size(); ++d) {
      const Mean& mean = method.magnitudes[document.drawn[d]];
      const double middle = mean.mean.value_or(0);
      if (d < panel.rows.size()) {
        panel.rows[d].dots.push_back({kind, middle, mean.low.value_or(middle), mean.high.value_or(middle)});
      }
    }
    for (size_t f = 0; f < document.features.size(); ++f) {
      std::vector<std::string> line = {plain_cell(document.features[f].name), method.name};
      set_mean(line, method.magnitudes[f]);
      line.push_back(csv_of(method.means[f]));
      table.rows.push_back(std::move(line));
    }
    ++kind;
  }
  return {"magnitudes", chart.title, dot_rows(chart), std::move(table)};
}

DatasetPicture swarm_picture(const DatasetDocument& document, size_t m) {
  const DatasetMethod& method = document.methods[m];
  std::vector<SwarmLine> lines;
  Table table{{"row", "feature", "value", "attribution"}};
  const size_t most = m == document.trusted ? document.shown.size() : kDotsOfOthers;
  const size_t count = std::min(most, document.shown.size());
  bool shaded = false;
  for (size_t d = 0; d < document.drawn.size(); ++d) {
    const document::Feature& feature = document.features[document.drawn[d]];
    const Mean& mean = method.magnitudes[document.drawn[d]];
    SwarmLine line{feature.name, mean.mean.value_or(0), {}, mean.low.value_or(0), mean.high.value_or(0)};
    for (size_t i = 0; i < count; ++i) {
      const size_t r = i * document.shown.size() / count;
      const document::ShownRow& row = document.shown[r];
      const Number& value = row.attributions[m][d];
      if (!value) continue;
      const auto shade = shade_of(feature, row.values[d]);
      shaded = shaded || shade.has_value();
      line.dots.push_back({*value, shade, static_cast<int64_t>(r)});
    }
    for (const document::ShownRow& row : document.shown) {
      table.rows.push_back(
          {csv_of(row.number), plain_cell(feature.name), csv_of(row.values[d]), csv_of(row.attributions[m][d])});
    }
    lines.push_back(std::move(line));
  }
  const std::string sample = static_cast<int64_t>(count) < document.rows_explained
                                 ? fmt::format("dots: {} of {} rows, evenly spaced", count, document.rows_explained)
                                 : fmt::format("dots: all {}", rows_in_words(document.rows_explained));
  Svg svg =
      beeswarm(lines, method.title,
               fmt::format("{}; bars: all {}, with 95 % interval", sample, rows_in_words(document.rows_explained)),
               shaded ? "colour: value of the column, low to high (5 % to 95 %)" : "");
  return {"beeswarm-" + method.name, fmt::format("Beeswarm of {}: one dot per row and {}", method.title, document.noun),
          std::move(svg), std::move(table)};
}

DatasetPicture dependence_picture(const DatasetDocument& document, const document::Dependence& one) {
  const size_t f = document.drawn[one.feature];
  const document::Feature& feature = document.features[f];
  const document::Feature* partner = one.partner ? &document.features[*one.partner] : nullptr;
  DependencePlot plot;
  plot.title = shortened(feature.name, 36);
  plot.line = partner == nullptr ? "no partner found" : "with " + shortened(partner->name, 36);
  plot.across = shortened(feature.name, 40);
  plot.up = "attribution";
  plot.categories = feature.categories;
  if (partner != nullptr) plot.shades = "colour: " + shortened(partner->name, 24) + ", low to high";
  const auto place =
      partner == nullptr ? document.drawn.end() : std::find(document.drawn.begin(), document.drawn.end(), *one.partner);
  Table table{{"row", plain_cell(feature.name), "attribution", partner ? plain_cell(partner->name) : "partner"}};
  for (size_t r = 0; r < document.shown.size(); ++r) {
    const document::ShownRow& row = document.shown[r];
    const Number& x = row.values[one.feature];
    const Number& y = row.attributions[document.trusted][one.feature];
    if (!x || !y) continue;
    const Number other =
        place == document.drawn.end() ? Number() : row.values[static_cast<size_t>(place - document.drawn.begin())];
    plot.dots.push_back(
        {*x, *y, partner ? shade_of(*partner, other) : std::optional<double>(0.5), static_cast<int64_t>(r)});
    table.rows.push_back({csv_of(row.number), csv_of(x), csv_of(y), csv_of(other)});
  }
  return {fmt::format("dependence-{}", one.feature + 1),
          fmt::format("Value of {} against its attribution", feature.name), dependence_plot(plot), std::move(table)};
}

DatasetPicture spectrum_picture(const DatasetDocument& document) {
  const document::DatasetSpectrum& spectrum = *document.spectrum;
  ColumnChart chart{"How many act together",
                    fmt::format("share of the strength of all effects, mean of {}; bars: 95 % interval",
                                rows_in_words(spectrum.rows - spectrum.undefined)),
                    fmt::format("{}s that act together", document.noun),
                    " %",
                    {}};
  Table table{{"order", "share", "low", "high"}};
  for (size_t k = 0; k < spectrum.orders.size(); ++k) {
    const Mean& one = spectrum.orders[k];
    const double mean = one.mean.value_or(0);
    chart.columns.push_back({k == 0 ? "alone" : std::to_string(k + 1), 100 * mean,
                             100 * std::max(0.0, one.low.value_or(mean)), 100 * one.high.value_or(mean)});
    std::vector<std::string> line = {std::to_string(k + 1)};
    set_mean(line, one);
    table.rows.push_back(std::move(line));
  }
  return {"spectrum", chart.title, column_chart(chart), std::move(table)};
}

DatasetPicture maps_picture(const DatasetDocument& document) {
  const Image& picture = *document.picture;
  const double width = width_beside(picture, kMeanMapSide), step = width + 26, top = kHead + 22;
  std::vector<const DatasetMethod*> methods;
  for (const DatasetMethod& method : document.methods) methods.push_back(&method);
  const std::string title = "Where the model looks, over all rows";
  const std::string line = fmt::format("{}; each map has its own scale: the darkest region is the strongest",
                                       rows_in_words(document.rows_explained));
  const double columns = static_cast<double>(methods.size()) + 1;
  Svg svg(std::max(2 * kMargin + columns * step, head_width(title, line)), top + 2 * (kMeanMapSide + 46));
  head(svg, title, line);
  Table table{{"region", "method", "mean_magnitude", "low", "high", "mean"}};
  svg.text({kMargin, top - 6}, "mean input", {.size = 13});
  svg.image({kMargin, top}, width, kMeanMapSide, picture);
  for (size_t m = 0; m < methods.size(); ++m) {
    const double left = kMargin + step * (static_cast<double>(m) + 1);
    std::vector<Number> magnitudes;
    for (const Mean& one : methods[m]->magnitudes) magnitudes.push_back(one.mean);
    svg.text({left, top - 6}, shortened(methods[m]->title, 26), {.size = 13});
    svg.image({left, top}, width, kMeanMapSide, map_over(document, picture, magnitudes));
    svg.text({left, top + kMeanMapSide + 18}, "mean magnitude", {.size = 12, .color = kFaint});
    const double below = top + kMeanMapSide + 34;
    svg.image({left, below}, width, kMeanMapSide, map_over(document, picture, methods[m]->means));
    svg.text({left, below + kMeanMapSide + 18}, "mean with sign: red raises", {.size = 12, .color = kFaint});
    for (size_t f = 0; f < document.features.size(); ++f) {
      std::vector<std::string> cells = {plain_cell(document.features[f].name), methods[m]->name};
      set_mean(cells, methods[m]->magnitudes[f]);
      cells.push_back(csv_of(methods[m]->means[f]));
      table.rows.push_back(std::move(cells));
    }
  }
  return {"maps", title, std::move(svg), std::move(table)};
}

DatasetPicture groups_picture(const DatasetDocument& document) {
  const document::GroupList& list = *document.groups;
  const std::string title = "Groups of explanations";
  const std::string line = "mean input, mean explanation (red raises, blue lowers), and rows of the group";
  const double side = 150, step = side + 56;
  const double width = document.picture ? width_beside(*document.picture, side) : side;
  const double small = document.picture ? width_beside(*document.picture, kExampleSide) : kExampleSide;
  Svg svg(std::max(2 * kMargin + 2 * width + 40 + 4 * (small + 12), head_width(title, line)),
          kHead + step * static_cast<double>(list.groups.size()) + 10);
  head(svg, title, line);
  for (size_t g = 0; g < list.groups.size(); ++g) {
    const document::ExplanationGroup& group = list.groups[g];
    const double top = kHead + step * static_cast<double>(g) + 26;
    const std::string said = group.classes.empty() ? "" : fmt::format(": mostly {}", group.classes[0].name);
    svg.text({kMargin, top - 8}, fmt::format("group {}, {}{}", g + 1, rows_in_words(group.rows), said),
             {.size = 14, .bold = true});
    if (group.picture) {
      svg.image({kMargin, top}, width, side, *group.picture);
      svg.image({kMargin + width + 16, top}, width, side, map_over(document, *group.picture, group.means));
    }
    for (size_t e = 0; e < group.examples.size(); ++e) {
      svg.image({kMargin + 2 * width + 40 + static_cast<double>(e) * (small + 12), top}, small, kExampleSide,
                group.examples[e]);
    }
  }
  return {"groups", title, std::move(svg), groups_table(document)};
}

Table groups_table(const DatasetDocument& document) {
  Table table{{"group", "rows", "typical_row", "output_mean", "output_5_percent", "output_95_percent"}};
  if (!document.groups) return table;
  for (const document::Feature& feature : document.features) table.head.push_back(plain_cell(feature.name));
  for (size_t g = 0; g < document.groups->groups.size(); ++g) {
    const document::ExplanationGroup& group = document.groups->groups[g];
    std::vector<std::string> line = {std::to_string(g + 1),     csv_of(group.rows),       csv_of(group.typical),
                                     csv_of(group.output_mean), csv_of(group.output_low), csv_of(group.output_high)};
    for (const Number& mean : group.means) line.push_back(csv_of(mean));
    table.rows.push_back(std::move(line));
  }
  return table;
}

Table listed_table(const std::vector<document::ListedRow>& rows, const std::string& measure) {
  Table table{{"row", "source", "target", "output", measure, "method", "other_method"}};
  for (const document::ListedRow& row : rows) {
    table.rows.push_back({csv_of(row.number), plain_cell(row.source), plain_cell(row.target), csv_of(row.output),
                          csv_of(row.measure), plain_cell(row.first), plain_cell(row.second)});
  }
  return table;
}

std::vector<DatasetPicture> dataset_pictures(const DatasetDocument& document) {
  std::vector<DatasetPicture> pictures;
  if (!document.outputs.counts.empty()) pictures.push_back(outputs_picture(document));
  if (!document.drawn.empty()) {
    pictures.push_back(magnitudes_picture(document));
    if (document.picture) {
      pictures.push_back(maps_picture(document));
    } else {
      for (size_t m = 0; m < document.methods.size(); ++m) pictures.push_back(swarm_picture(document, m));
    }
  }
  for (const document::Dependence& one : document.dependences) {
    pictures.push_back(dependence_picture(document, one));
  }
  if (document.spectrum) pictures.push_back(spectrum_picture(document));
  if (document.picture && document.groups && !document.groups->groups.empty()) {
    pictures.push_back(groups_picture(document));
  }
  return pictures;
}

}  // namespace ascribe::core
