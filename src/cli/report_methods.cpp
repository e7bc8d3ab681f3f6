// The methods of a report: values of players, maps of pixels, how far they agree.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/report.h"
#include "metrics/agreement.h"
#include "report/attribution_pictures.h"
#include "report/svg.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDigits = 6;
constexpr double kSteps = 32767;  // of a map: what 16 bits hold on each side of 0

double largest(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

// Pixels in steps of a scale, two bytes each, low byte first.
Json map_as_json(const PixelValues& values) {
  double limit = 0;
  for (const auto& value : values) limit = std::max(limit, std::abs(value.value_or(0)));
  const double scale = limit / kSteps;
  std::string bytes;
  bytes.reserve(2 * values.size());
  for (const auto& value : values) {
    const auto step = static_cast<uint16_t>(limit > 0 ? std::lround(value.value_or(0) / scale) : 0);
    bytes += static_cast<char>(step & 0xFF);
    bytes += static_cast<char>(step >> 8);
  }
  return {{"scale", scale}, {"data", base64(bytes)}};
}

Json method_as_json(const MethodAnswer& answer, size_t row, const RowQuestion& question, size_t rows) {
  const Method& method = answer.chosen.method;
  const Attribution& a = answer.attributions[row];
  const bool shares = method.kind == AttributionKind::contribution;  // slopes add up to nothing
  Json json = {{"name", method.name},
               {"title", method.title},
               {"number", method.number},
               {"kind", to_string(method.kind)},
               {"formula", method.formula},
               {"cost", method.cost},
               {"parameters", answer.chosen.parameters.all()},
               {"values", numbers(a.values)}};
  json["standard_errors"] = a.standard_errors.empty() ? Json() : numbers(a.standard_errors);
  json["map"] = question.players.image ? map_as_json(pixel_values({method, a}, question.players)) : Json();
  json["sum"] = number(a.sum());
  json["explains"] = shares ? number(a.sum() + a.residual) : Json();
  json["residual"] = shares ? number(a.residual) : Json();
  json["exact"] = a.exact;
  json["standard_error"] = a.standard_errors.empty() ? Json() : number(largest(a.standard_errors));
  json["evaluations"] = a.evaluations;
  json["seconds"] = number(answer.seconds / static_cast<double>(rows));
  json["notes"] = a.notes;
  return json;
}

Json matrix_as_json(const AgreementMatrix& matrix) {
  Json rows = Json::array();
  for (const auto& row : matrix) {
    Json cells = Json::array();
    for (const std::optional<double>& cell : row) cells.push_back(cell ? number(*cell) : Json());
    rows.push_back(std::move(cells));
  }
  return rows;
}

// The value of each player that is one number, as text.
Json values_of_players(const RowQuestion& question, const Players& players) {
  if (players.image) return {};
  std::vector<int> elements(players.names.size(), 0);
  std::vector<std::string> texts(players.names.size());
  const Tensor& x = question.point[question.input];
  for (size_t i = 0; i < players.owner.size(); ++i) {
    if (players.owner[i] < 0) continue;
    const auto player = static_cast<size_t>(players.owner[i]);
    texts[player] = ++elements[player] == 1 ? fmt::format("{:.4g}", x.at(static_cast<int64_t>(i)))
                                            : fmt::format("{} numbers", elements[player]);
  }
  return texts;
}

}  // namespace

Json number(double value) {
  if (!std::isfinite(value)) return {};
  const std::string text = fmt::format("{:.{}g}", value, kDigits);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

Json numbers(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

std::vector<int32_t> pixel_owners(const Players& players) {
  const ImageShape& image = *players.image;
  std::vector<int32_t> owners;
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      int32_t owner = -1;  // of the first channel that somebody owns
      for (int64_t c = 0; c < image.channels && owner < 0; ++c) {
        owner = players.owner[static_cast<size_t>(element_of(image, c, y, x))];
      }
      owners.push_back(owner);
    }
  }
  return owners;
}

Json players_as_json(const RowQuestion& question, const Players& players) {
  Json json = {{"description", players.description}, {"names", players.names}};
  json["values"] = values_of_players(question, players);
  json["owner"] = players.image ? Json(pixel_owners(players)) : Json();
  return json;
}

Json methods_as_json(const ExplainAnswer& answer, size_t row) {
  Json list = Json::array();
  for (const MethodAnswer& method : answer.methods) {
    list.push_back(method_as_json(method, row, answer.rows[row], answer.rows.size()));
  }
  return list;
}

Json agreement_as_json(const ExplainAnswer& answer, size_t row) {
  if (answer.methods.size() < 2) return {};
  Json names = Json::array();
  std::vector<std::vector<double>> values;
  for (const MethodAnswer& method : answer.methods) {
    names.push_back(method.chosen.method.name);
    values.push_back(method.attributions[row].values);
  }
  const int64_t k = std::max<int64_t>(1, answer.rows[row].players.count() / 10);
  return {{"methods", names},
          {"rank_correlation", matrix_as_json(rank_correlations(values))},
          {"top_overlap", matrix_as_json(top_overlaps(values, k))},
          {"k", k}};
}

}  // namespace ascribe::core
