// What a report says of a row before its parts and tests: what is asked, what the model says, what the methods do.
#include <algorithm>

#include <fmt/format.h>

#include "metrics/agreement.h"
#include "study/pixels.h"
#include "study/report_inputs.h"
#include "study/report_sections.h"
#include "study/series.h"
#include "study/token_values.h"

namespace ascribe::core::study {

namespace {

using document::number, document::numbers;

constexpr int64_t kTopClasses = 5;
constexpr int64_t kStripLength = 40;  // more numbers than these are a sequence, not a table

// The value of each player that is one number, as text.
std::vector<std::string> values_of_players(const RowQuestion& question) {
  const Players& players = question.players;
  std::vector<int> elements(players.names.size(), 0);
  std::vector<std::string> texts(players.names.size());
  for (size_t i = 0; i < players.owner.size(); ++i) {
    if (players.owner[i] < 0) continue;
    const auto player = static_cast<size_t>(players.owner[i]);
    texts[player] = ++elements[player] == 1 ? fmt::format("{:.4g}", question.x().at(static_cast<int64_t>(i)))
                                            : fmt::format("{} numbers", elements[player]);
  }
  return texts;
}

// Of text the ids; of the others the value of each player that is one number.
std::vector<std::string> ids_of_players(const RowQuestion& question) {
  const std::vector<int32_t> owners = position_owners(question.players, *question.tokens);
  std::vector<int> tokens(question.players.names.size(), 0);
  std::vector<std::string> texts(tokens.size(), "part of a token");
  for (size_t t = 0; t < owners.size(); ++t) {
    if (owners[t] < 0) continue;
    const auto player = static_cast<size_t>(owners[t]);
    texts[player] = ++tokens[player] == 1 ? fmt::format("id {}", question.tokens->ids[t])
                                          : fmt::format("{} tokens", tokens[player]);
  }
  return texts;
}

std::vector<document::TextToken> text_of(const RowQuestion& question) {
  const std::vector<int32_t> owners = position_owners(question.players, *question.tokens);
  std::vector<document::TextToken> text;
  for (size_t t = 0; t < owners.size(); ++t) {
    const Token& token = question.tokens->tokens[t];
    text.push_back({token.text, token.space_before, owners[t]});
  }
  return text;
}

document::MethodResult method_result(const MethodAnswer& answer, size_t row, const ExplainResult& result) {
  const Method& method = answer.chosen.method;
  const Attribution& a = answer.attributions[row];
  const Players& players = result.rows[row].players;
  document::MethodResult kept;
  kept.name = method.name;
  kept.title = method.title;
  kept.number = method.number;
  kept.kind = to_string(method.kind);
  kept.formula = method.formula;
  kept.cost = method.cost;
  kept.parameters = facts_of(answer.chosen.parameters);
  kept.values = numbers(a.values);
  kept.standard_errors = numbers(a.standard_errors);
  if (players.image) kept.map = document::map_of(pixel_values(method, a, players));
  if (players.series) kept.map = document::map_of(over_time(players, a.elements));
  kept.sum = number(a.sum());
  if (answer.shares()) kept.explains = number(a.sum() + a.residual), kept.residual = number(a.residual);
  kept.exact = a.exact;
  if (!a.standard_errors.empty()) {
    kept.standard_error = number(*std::max_element(a.standard_errors.begin(), a.standard_errors.end()));
    const std::vector<double> widths = a.intervals();
    kept.interval = number(*std::max_element(widths.begin(), widths.end()));
  }
  kept.evaluations = a.evaluations;
  kept.seconds = number(answer.seconds / static_cast<double>(result.rows.size()));
  kept.notes = a.notes;
  return kept;
}

std::optional<document::Agreement> agreement_of(const ExplainResult& result, size_t row) {
  if (result.methods.size() < 2) return std::nullopt;
  document::Agreement agreement;
  std::vector<std::vector<double>> values;
  for (const MethodAnswer& method : result.methods) {
    agreement.methods.push_back(method.name());
    values.push_back(method.attributions[row].values);
  }
  const auto rounded = [](AgreementMatrix matrix) {
    for (auto& line : matrix) {
      for (auto& cell : line) cell = cell ? number(*cell) : cell;
    }
    return matrix;
  };
  agreement.k = std::max<int64_t>(1, result.rows[row].players.count() / 10);
  agreement.rank_correlation = rounded(rank_correlations(values));
  agreement.top_overlap = rounded(top_overlaps(values, agreement.k));
  return agreement;
}

}  // namespace

document::PlayerList player_list(const RowQuestion& question) {
  const Players& players = question.players;
  if (players.image) return {players.description, players.names, {}, pixel_owners(players)};
  document::PlayerList list{
      players.description, players.names, question.tokens ? ids_of_players(question) : values_of_players(question), {}};
  if (players.series) list.owner = owners_over_time(players);
  return list;
}

document::Facts facts_of(const Parameters& parameters) { return Json(parameters.all()).members(); }

document::RowKind row_kind(const RowQuestion& row) {
  if (row.tokens) return document::RowKind::text;
  if (row.players.image && row.picture) return document::RowKind::image;
  if (row.players.series) return document::RowKind::series;
  const bool long_row = element_count(row.row) > kStripLength;
  return row.row.size() > 1 || long_row ? document::RowKind::sequence : document::RowKind::table;
}

// Nothing of outputs with several axes, which are not a list of classes.
std::vector<document::TopClass> classes_put_first(const Prediction& prediction, int64_t row,
                                                  const std::vector<std::string>& labels) {
  if (prediction.dense()) return {};
  const auto label = [&](int64_t index) {
    return index < std::ssize(labels) ? std::optional(labels[static_cast<size_t>(index)]) : std::nullopt;
  };
  const bool values = prediction.scores == ScoreKind::values;
  std::vector<document::TopClass> list;
  for (const Ranked& ranked : ranking(prediction, row, kTopClasses)) {
    list.push_back(
        {ranked.index, label(ranked.index), number(ranked.score), values ? std::nullopt : number(ranked.probability)});
  }
  return list;
}

// What is asked of one row, what the model says and what the methods do.
document::Row explained_row(const ExplainResult& result, size_t index, const std::vector<Prediction>& predictions,
                            const std::vector<std::string>& labels) {
  const RowQuestion& question = result.rows[index];
  document::Row row;
  row.source = question.source;
  row.kind = row_kind(question);
  if (!question.readout) row.target.index = question.target;
  row.target.description = question.target_text();
  if (!question.label.empty()) row.target.label = question.label;
  row.output_name = question.output;
  row.explains = question.explains;
  row.output = number(result.values[index].output);
  row.baseline_output = number(result.values[index].baseline_output);
  row.change = number(result.values[index].change());
  row.baseline = question.baselines_text();
  const auto own = std::find_if(predictions.begin(), predictions.end(),
                                [&](const Prediction& one) { return one.name == question.output; });
  row.top = classes_put_first(*own, static_cast<int64_t>(index), labels);
  if (row.kind == document::RowKind::image) {
    row.image = document::picture(picture_of(question.x(), *question.players.image, question.picture->preprocess));
  }
  if (row.kind == document::RowKind::series) row.series = series_of(question.players, question.x());
  row.players = player_list(question);
  if (question.tokens) row.text = text_of(question);
  for (const MethodAnswer& method : result.methods) row.methods.push_back(method_result(method, index, result));
  for (const LeftOut& left : result.left_out) row.left_out.push_back({left.method, left.reason});
  row.agreement = agreement_of(result, index);
  return row;
}

}  // namespace ascribe::core::study
