// An explanation as JSON and as arrays.
#include <algorithm>
#include <cstring>
#include <limits>

#include "game/subsets.h"
#include "study/absence.h"
#include "study/explain.h"
#include "tensor/rows.h"

namespace ascribe::core::study {

namespace {

using Arrays = std::vector<std::pair<std::string, Tensor>>;

constexpr int64_t kMostValues = 4096;  // players in a JSON document, if there is a file for them

double largest(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

// ---- as JSON ----

bool values_in_file(const RowQuestion& question, const std::string& file) {
  return question.players.count() > kMostValues && !file.empty();
}

Json allocation_json(const SetAllocation& allocation) {
  Json sets = Json::list(), values = Json::list();
  for (uint64_t set = 0; set < allocation.sets(); ++set) sets.push(members_of(set));
  for (int p = 0; p < allocation.players; ++p) {
    values.push(std::span(allocation.values).subspan(static_cast<size_t>(p) * allocation.sets(), allocation.sets()));
  }
  return Json::object({{"sets", std::move(sets)}, {"effects", allocation.effects}, {"values", std::move(values)}});
}

Json trace_json(const Trace& trace) {
  Json steps = Json::list();
  for (const TraceStep& step : trace.steps) {
    steps.push(Json::object({{"node", step.node.name},
                             {"op", step.node.op},
                             {"rule", step.node.rule},
                             {"received", step.received},
                             {"passed_on", step.passed_on},
                             {"lost", step.lost()}}));
  }
  return Json::object({{"start", trace.start}, {"arrived", trace.arrived}, {"steps", std::move(steps)}});
}

Json method_json(const MethodAnswer& answer, size_t row, const RowQuestion& question, size_t rows,
                 const std::string& file) {
  const Method& method = answer.chosen.method;
  const Attribution& a = answer.attributions[row];
  const bool elsewhere = values_in_file(question, file);
  Json json = Json::object({{"name", method.name}, {"parameters", answer.chosen.parameters.all()}});
  if (elsewhere) {
    json["file"] = file;
    json["array"] = method.name + "_players";
  } else {
    json["values"] = a.values;
  }
  json["kind"] = to_string(method.kind);
  json["explains"] = method.total == Total::change ? "change" : "output";
  json["baseline_output"] = a.baseline_output;
  json["sum"] = a.sum();
  json["residual"] = a.residual;
  json["exact"] = a.exact;
  json["standard_error"] = a.standard_errors.empty() ? Json()
                           : elsewhere               ? Json(largest(a.standard_errors))
                                                     : Json(a.standard_errors);
  if (!a.standard_errors.empty()) {
    const std::vector<double> widths = a.intervals();
    json["interval_95"] = elsewhere ? Json(largest(widths)) : Json(widths);  // half of it: value +- this
    json["degrees_of_freedom"] = a.degrees_of_freedom;
  }
  json["evaluations"] = a.evaluations;
  json["seconds"] = answer.seconds / static_cast<double>(rows);
  if (!a.layers.empty()) json["layers"] = a.layers;
  json["notes"] = a.notes;
  if (!answer.allocations.empty()) json["allocations"] = allocation_json(answer.allocations[row]);
  if (!answer.traces.empty()) json["trace"] = trace_json(answer.traces[row]);
  return json;
}

Json row_json(const ExplainResult& result, size_t row, const std::string& file) {
  const RowQuestion& question = result.rows[row];
  Json json = Json::object({{"input", question.source},
                            {"target", target_json(question)},
                            {"explains", question.explains},
                            {"output", result.values[row].output},
                            {"baseline_output", result.values[row].baseline_output},
                            {"baseline", question.baseline},
                            {"baselines", question.baseline_count()},
                            {"absence", absence_text(question)},
                            {"grouping", question.players.description}});
  if (!values_in_file(question, file)) json["players"] = question.players.names;
  if (question.tokens) {
    json["ids"] = question.tokens->ids;
    json["tokens"] = question.tokens->texts();
  }
  json["methods"] = Json::list();
  for (const MethodAnswer& method : result.methods) {
    json["methods"].push(method_json(method, row, question, result.rows.size(), file));
  }
  return json;
}

// ---- as arrays ----

// Rows of different lengths behind one another; what is missing is NaN.
Tensor padded(const std::vector<std::span<const double>>& rows) {
  size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  std::vector<double> flat;
  for (const auto& row : rows) {
    flat.insert(flat.end(), row.begin(), row.end());
    flat.resize(flat.size() + longest - row.size(), std::numeric_limits<double>::quiet_NaN());
  }
  return Tensor::of<double>({std::ssize(rows), static_cast<int64_t>(longest)}, flat);
}

// One tensor of rows. All have this shape.
Tensor stacked(const std::vector<Tensor>& rows, const Shape& row) {
  std::vector<Tensor> parts;
  for (const Tensor& one : rows) parts.push_back(one.reshaped(with_rows(row, 1)));
  return stacked_rows(parts);
}

void add_allocations(Arrays& arrays, const MethodAnswer& answer) {
  const auto players = static_cast<int64_t>(answer.allocations[0].players);
  const auto sets = static_cast<int64_t>(answer.allocations[0].sets());
  std::vector<Tensor> values, effects;
  for (const SetAllocation& allocation : answer.allocations) {
    if (allocation.players != players) return;  // rows with players of their own do not fit together
    values.push_back(Tensor::of<double>({1, players, sets}, allocation.values));
    effects.push_back(Tensor::of<double>({1, sets}, allocation.effects));
  }
  arrays.emplace_back(answer.name() + "_allocations", stacked_rows(values));
  arrays.emplace_back(answer.name() + "_effects", stacked_rows(effects));
}

void add_method(Arrays& arrays, const MethodAnswer& answer, const Shape& row) {
  std::vector<std::span<const double>> values, errors;
  std::vector<Tensor> elements, maps;
  for (const Attribution& a : answer.attributions) {
    elements.push_back(a.elements);
    values.emplace_back(a.values);
    if (!a.standard_errors.empty()) errors.emplace_back(a.standard_errors);
    if (a.layer_map) maps.push_back(*a.layer_map);
  }
  arrays.emplace_back(answer.name(), stacked(elements, row));
  arrays.emplace_back(answer.name() + "_players", padded(values));
  if (errors.size() == values.size()) arrays.emplace_back(answer.name() + "_standard_error", padded(errors));
  if (maps.size() == values.size()) arrays.emplace_back(answer.name() + "_layer_map", stacked(maps, maps[0].shape()));
  if (!answer.allocations.empty()) add_allocations(arrays, answer);
}

}  // namespace

Json to_json(const ExplainResult& result, const std::string& arrays_file) {
  Json json = Json::object({{"model", result.model}});
  if (result.rows.size() == 1) {
    json.update(row_json(result, 0, arrays_file));
  } else {
    json["rows"] = Json::list();
    for (size_t row = 0; row < result.rows.size(); ++row) json["rows"].push(row_json(result, row, arrays_file));
  }
  json["left_out"] = result.left_out;
  json["notes"] = result.notes;
  return json;
}

namespace {

// What belongs to one of several inputs, in its shape: METHOD_INPUT. Columns of a table are told apart by their
// players.
void add_inputs_apart(Arrays& arrays, const std::vector<RowPart>& parts) {
  const bool table = std::all_of(parts.begin(), parts.end(), [](const RowPart& part) { return part.size() == 1; });
  if (table) return;
  const int64_t total = parts.back().first + parts.back().size();
  Arrays own;
  for (const auto& [name, values] : arrays) {
    if (values.rank() != 2 || values.shape()[1] != total) continue;
    for (const RowPart& part : parts) {
      Tensor piece(values.dtype(), with_rows(part.row, values.shape()[0]));
      const auto size = static_cast<size_t>(part.size()) * size_of(values.dtype());
      const auto line = static_cast<size_t>(total) * size_of(values.dtype());
      const auto* from =
          static_cast<const char*>(values.memory()) + static_cast<size_t>(part.first) * size_of(values.dtype());
      auto* to = static_cast<char*>(piece.mutable_memory());
      for (int64_t row = 0; row < values.shape()[0]; ++row) {
        std::memcpy(to + static_cast<size_t>(row) * size, from + static_cast<size_t>(row) * line, size);
      }
      own.emplace_back(fmt::format("{}_{}", name, part.name), std::move(piece));
    }
  }
  arrays.insert(arrays.end(), own.begin(), own.end());
}

}  // namespace

Arrays arrays_of(const ExplainResult& result) {
  Arrays arrays;
  const Shape& row = result.rows[0].row;
  for (const MethodAnswer& method : result.methods) add_method(arrays, method, row);
  std::vector<Tensor> x, owners, baselines;
  for (const RowQuestion& question : result.rows) {
    const std::vector<int64_t> owner(question.players.owner.begin(), question.players.owner.end());
    owners.push_back(Tensor::of<int64_t>(row, owner));
    x.push_back(question.x());
    baselines.push_back(question.baselines);
  }
  if (result.rows[0].tokens) {
    std::vector<Tensor> ids;
    const Shape positions = {static_cast<int64_t>(result.rows[0].tokens->length())};
    for (const RowQuestion& question : result.rows) ids.push_back(Tensor::of<int64_t>(positions, question.tokens->ids));
    arrays.emplace_back("ids", stacked(ids, positions));
  }
  arrays.emplace_back("owner", stacked(owners, row));
  arrays.emplace_back("x", stacked(x, row));
  arrays.emplace_back("baselines", depends_on_input(result.rows[0].baseline) ? stacked_rows(baselines) : baselines[0]);
  add_inputs_apart(arrays, result.rows[0].parts);
  return arrays;
}

}  // namespace ascribe::core::study
