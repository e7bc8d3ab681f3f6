#include "support/sample_documents.h"

namespace ascribe::core {

namespace {

using namespace document;

PlayerList sample_players(size_t pixels) {
  PlayerList players{"four", {"a", "b", "c", "d"}, {}, {}};
  if (pixels == 0) players.values = {"one", "two", "three", "four"};
  for (size_t i = 0; i < pixels; ++i) players.owner.push_back(static_cast<int32_t>(4 * i / pixels));
  return players;
}

Verdict verdict(bool holds) { return {holds ? 0.0 : 0.5, 0.01, holds, ""}; }

void add_comparisons(Row& row) {
  row.agreement = Agreement{{"occlusion", "shapley"}, {{1, 0.25}, {0.25, 1}}, {{1, 0.5}, {0.5, 1}}, 2};
  row.effects = document::Effects{
      row.players,       9.0, 1.0, 0.0, {{1, 4, 4.0, 6.0, 0.75}}, {1.0, 2.0, 3.0, 4.0}, {{{0}, 3.0}}, {{{0, 3}, -3.0}},
      {{{0, 1, 3}, 1.0}}};
  row.principles =
      Principles{row.players,
                 8.0,
                 "double",
                 {{"occlusion", verdict(true), verdict(true), verdict(false), 2, 9.5, true, "counted twice"},
                  {"shapley", verdict(true), verdict(true), verdict(true), 3, 8.0, false, "all is well"}},
                 {{"gradient", "gives slopes"}}};
  row.differences = {{"occlusion", "shapley", 0.9, 1.0, "why"}};
  row.metrics = {{"infidelity",
                  "Infidelity",
                  "lower",
                  "An error",
                  {{"perturbations", "100"}},
                  {{"occlusion", 0.5, "", {0, 1}, {9, 1}}, {"shapley", std::nullopt, "for a reason", {}, {}}}}};
}

}  // namespace

MethodResult sample_method(const std::string& name, const std::string& title, size_t players, size_t pixels) {
  MethodResult method;
  method.name = name;
  method.title = title;
  method.number = 7;
  method.kind = "contribution";
  method.formula = "a";
  method.cost = "b";
  method.parameters = {{"steps", "64"}};
  for (size_t i = 0; i < players; ++i) method.values.emplace_back(1.5 - static_cast<double>(i));
  if (pixels > 0) method.map = Map{1e-4, {}};
  for (size_t i = 0; i < pixels; ++i) method.map->data.push_back(static_cast<int16_t>(i * 11 % 64 << 8 | i * 37 % 251));
  method.sum = 2;
  method.explains = 8;
  method.residual = 6;
  method.exact = true;
  method.evaluations = 10;
  method.seconds = 0.5;
  method.notes = {"a note"};
  return method;
}

Row sample_row(RowKind kind, int64_t side) {
  const auto pixels = static_cast<size_t>(side * side);
  Row row;
  row.source = "boot.png";
  row.kind = kind;
  row.target = {1, "boot"};
  row.output_name = "logits";
  row.explains = "logit";
  row.output = 9;
  row.baseline_output = 1;
  row.change = 8;
  row.baseline = "zero";
  row.top = {{1, "boot", 9.0, 0.97}};
  if (side > 0) row.image = Image{side, side, 1, std::vector<float>(pixels, 100.0F), false};
  row.players = sample_players(pixels);
  if (kind == RowKind::text) row.text = {{"[CLS]", true, -1}, {"quick", true, 0}, {"ly", false, 0}, {"<b>", true, 3}};
  row.methods = {sample_method("occlusion", "Occlusion-1", 4, pixels), sample_method("shapley", "Shapley value", 4, 0)};
  row.methods[1].standard_errors = {0.1, 0.2, std::nullopt, 0.4};
  row.methods[1].standard_error = 0.4;
  row.methods[1].exact = false;
  row.left_out = {{"grad_cam", "no layer"}};
  add_comparisons(row);
  return row;
}

Document sample_document(std::vector<Row> rows) {
  Document document;
  document.title = "A boot";
  document.program = {"ascribe", "0.1.0"};
  document.model = {{"file", "net.onnx"}, {"sha256", "abc"}, {"parameters", 10}};
  document.settings = {{"command", "ascribe report net.onnx"}, {"seed", 3}};
  document.seconds = 1;
  document.notes = {"guessed"};
  document.rows = std::move(rows);
  return document;
}

}  // namespace ascribe::core
