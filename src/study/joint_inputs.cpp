#include "study/joint_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/ranges.h>

#include "methods/explained_model.h"
#include "passes/pack_inputs.h"
#include "study/companions.h"

namespace ascribe::core::study {

namespace {

constexpr const char* kJointName = "inputs";

bool is_real(const Graph& graph, size_t input) { return graph[graph.inputs[input].value].type.kind == Kind::real; }

bool counts_rows(const Graph& graph, size_t input) {
  const Dims& shape = graph[graph.inputs[input].value].type.shape;
  return !shape.empty() && shape[0] == kBatch && all_fixed(Dims(shape.begin() + 1, shape.end()));
}

bool is_column(const Graph& graph, size_t input) {
  const Dims& shape = graph[graph.inputs[input].value].type.shape;
  return counts_rows(graph, input) && product(Dims(shape.begin() + 1, shape.end())) == Dim(1);
}

// Whether everything that reads an input makes a real of it.
bool becomes_real(const Graph& graph, size_t input) {
  const Value value = graph.inputs[input].value;
  bool read = false;
  for (const Node& node : graph.nodes) {
    if (std::find(node.inputs.begin(), node.inputs.end(), value) == node.inputs.end()) continue;
    if (node.op->name != "cast" || node.type.kind != Kind::real) return false;
    read = true;
  }
  return read;
}

std::vector<size_t> named_inputs(const Graph& graph, const std::string& text) {
  std::vector<size_t> chosen;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, end - at);
    at = end + 1;
    const auto found =
        std::find_if(graph.inputs.begin(), graph.inputs.end(), [&](const Port& port) { return port.name == name; });
    std::vector<std::string> names;
    for (const Port& port : graph.inputs) names.push_back(port.name);
    if (found == graph.inputs.end()) {
      fail(ErrorKind::argument, "input", "the model has no input '{}'; got {}", name, fmt::join(names, ", "));
    }
    const auto place = static_cast<size_t>(found - graph.inputs.begin());
    if (std::find(chosen.begin(), chosen.end(), place) != chosen.end()) {
      fail(ErrorKind::argument, "input", "the input '{}' is named twice", name);
    }
    chosen.push_back(place);
  }
  return chosen;
}

// The inputs to be packed; none: the first real one is explained by itself.
std::vector<size_t> packed_inputs(const Model& model, const std::string& wanted) {
  const Graph& graph = model.graph();
  const auto named = [&](const Port& port) { return port.name == wanted; };
  if (!wanted.empty()) {
    const auto one = std::find_if(graph.inputs.begin(), graph.inputs.end(), named);
    if (one == graph.inputs.end()) return named_inputs(graph, wanted);
    const auto place = static_cast<size_t>(one - graph.inputs.begin());
    return is_real(graph, place) ? std::vector<size_t>() : std::vector<size_t>{place};
  }
  const auto is_text = [&](size_t i) { return model.info().texts.contains(graph.inputs[i].name); };
  std::vector<size_t> all;
  bool table = true;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    table = table && is_column(graph, i);
    all.push_back(i);
  }
  if (all.size() == 1) {
    const bool numbers = counts_rows(graph, 0) && !is_real(graph, 0) && (is_text(0) || becomes_real(graph, 0));
    return numbers ? all : std::vector<size_t>();
  }
  if (table) return all;
  std::erase_if(all, [&](size_t i) {
    if (!is_real(graph, i) && is_companion(graph.inputs[i].name)) return true;  // a mask follows, it is not explained
    return !counts_rows(graph, i) || (!is_real(graph, i) && !is_text(i) && !becomes_real(graph, i));
  });
  const bool single = all.size() == 1 && is_real(graph, all[0]);
  return single ? std::vector<size_t>() : all;
}

class JointEntrance : public Entrance {
 public:
  JointEntrance(const Model& model, std::vector<PackedInput> packed) : packed_(std::move(packed)) {
    for (const PackedInput& part : packed_) {
      const auto texts = model.info().texts.find(part.name);
      parts_.push_back({part.name, part.first, part.row, {}, {}, part.whole, {}});
      if (texts != model.info().texts.end()) parts_.back().texts = texts->second;
    }
  }

  ModelInputs enter(ModelInputs rows, std::vector<std::string>&) const override {
    ModelInputs joint;
    joint.sources = std::move(rows.sources);
    joint.parts = parts_;
    const auto count = std::ssize(joint.sources);
    const int64_t total = packed_.back().first + packed_.back().size();
    Tensor values(DType::f64, {count, total});
    auto to = values.mutable_data<double>();
    DType real = DType::f64;
    for (size_t k = 0; k < packed_.size(); ++k) {
      const PackedInput& part = packed_[k];
      const Tensor& from = rows.tensors[part.input];
      if (kind_of(from.dtype()) == Kind::real) real = from.dtype();
      const int64_t size = part.size();
      for (int64_t i = 0; i < from.size(); ++i) {
        to[static_cast<size_t>(i / size * total + part.first + i % size)] = from.at(i);
      }
      joint.parts[k].picture = rows.pictures[part.input];
      if (part.input < rows.columns_of.size()) joint.parts[k].columns = rows.columns_of[part.input];
    }
    check_codes(parts_, values, "the data");
    joint.tensors.push_back(values.cast(real));
    joint.pictures.emplace_back();
    for (size_t i = 0; i < rows.tensors.size(); ++i) {
      const bool packed =
          std::any_of(packed_.begin(), packed_.end(), [&](const auto& part) { return part.input == i; });
      if (packed) continue;
      joint.tensors.push_back(std::move(rows.tensors[i]));
      joint.pictures.push_back(rows.pictures[i]);
    }
    return joint;
  }

 private:
  std::vector<PackedInput> packed_;
  std::vector<RowPart> parts_;
};

bool asks_for_image(const std::string& players) {
  return players == "pixels" || players.starts_with("patch:") || players.starts_with("grid:") ||
         players.starts_with("superpixels:");
}

// A flat row is numbers here, even if it could be an image.
std::optional<ImageShape> image_of(const RowPart& part) {
  if (!part.picture || part.picture->shape.height < 1) return std::nullopt;
  return part.picture->shape;
}

std::vector<std::string> element_names(const RowPart& part) {
  if (part.size() == 1) return {part.name};
  if (std::ssize(part.columns) == part.size()) return part.columns;
  std::vector<std::string> names;
  for (int64_t i = 0; i < part.size(); ++i) names.push_back(fmt::format("{}[{}]", part.name, i));
  return names;
}

// One part by itself, with the name of its input before the names of its players.
Players split_part(const RowPart& part, const std::string& wanted, const Tensor& x) {
  const bool fits = !asks_for_image(wanted) || image_of(part).has_value();
  const auto image = image_of(part);
  const bool by_pixels = image && wanted != "elements" && wanted != "columns";
  Players players = make_players(
      {fits ? wanted : "", part.row, image, by_pixels ? std::vector<std::string>() : element_names(part), &x});
  if (by_pixels) {
    for (std::string& name : players.names) name = fmt::format("{} {}", part.name, name);
  }
  return players;
}

Players split_by_inputs(const RowQuestion& question) {
  Players players;
  for (const RowPart& part : question.parts) {
    players.owner.insert(players.owner.end(), static_cast<size_t>(part.size()),
                         static_cast<int32_t>(players.names.size()));
    players.names.push_back(part.name);
  }
  return players;
}

Players split_by_parts(const RowQuestion& question, const std::string& wanted) {
  Players players;
  bool image = false;
  for (const RowPart& part : question.parts) {
    const Tensor x = question.part_of_x(part);
    const Players split = split_part(part, wanted, x);
    image = image || image_of(part).has_value();
    const auto before = static_cast<int32_t>(players.names.size());
    for (const int32_t owner : split.owner) players.owner.push_back(owner < 0 ? -1 : owner + before);
    players.names.insert(players.names.end(), split.names.begin(), split.names.end());
  }
  if (asks_for_image(wanted) && !image) {
    fail(ErrorKind::argument, "players", "got '{}'; none of the inputs is an image", wanted);
  }
  return players;
}

}  // namespace

Subject joined(const Subject& subject, const QuestionRequest& request, std::vector<std::string>& notes) {
  if (subject.entrance() != nullptr) return subject;
  const Model& model = subject.model();
  if (!model.batched()) return subject;
  const std::vector<size_t> inputs = packed_inputs(model, request.input);
  if (inputs.empty()) return subject;
  const std::string name = request.input.empty() ? model.graph().free_name(kJointName) : request.input;
  std::shared_ptr<PackedGraph> packed;  // made when it is first asked for
  const auto make = [&] {
    packed = std::make_shared<PackedGraph>(pack_inputs(model.graph(), inputs, name));
    return packed;
  };
  std::vector<std::string> names;
  bool table = true;
  for (const size_t i : inputs) {
    names.push_back(model.graph().inputs[i].name);
    table = table && is_column(model.graph(), i);
  }
  if (!table && request.input.empty() && inputs.size() > 1) {
    notes.push_back(
        fmt::format("the inputs {} are explained together; `input` chooses among them", fmt::join(names, ", ")));
  }
  return subject.entered(
      fmt::format("joint '{}' {}", name, fmt::join(names, ",")), [&] { return make()->graph; },
      [&] { return std::make_shared<JointEntrance>(model, make()->parts); });
}

Players split_row(const RowQuestion& question, const std::string& wanted, const std::vector<std::string>& columns) {
  if (question.parts.empty()) {
    return make_players({wanted, question.row, question.image(), columns, &question.x()});
  }
  Players players;
  if (wanted.starts_with("groups:")) {
    std::vector<std::string> names;
    for (const RowPart& part : question.parts) {
      const std::vector<std::string> own = element_names(part);
      names.insert(names.end(), own.begin(), own.end());
    }
    return make_players({wanted, question.row, {}, names, &question.x()});
  }
  players = wanted == "inputs" ? split_by_inputs(question) : split_by_parts(question, wanted);
  const bool table = std::all_of(question.parts.begin(), question.parts.end(), [](const RowPart& part) {
    return part.size() == 1 || std::ssize(part.columns) == part.size();
  });
  players.description = !wanted.empty() ? wanted : table ? "columns" : "parts of the inputs";
  return players;
}

void check_codes(const std::vector<RowPart>& parts, const Tensor& rows, std::string_view what) {
  const int64_t total = parts.empty() ? 1 : parts.back().first + parts.back().size();
  for (const RowPart& part : parts) {
    if (!part.whole) continue;
    for (int64_t i = 0; i < rows.size() / total * part.size(); ++i) {
      const double code = rows.at(i / part.size() * total + part.first + i % part.size());
      if (code != std::floor(code)) {
        fail(ErrorKind::argument, part.name,
             "{} would be {}, between two categories; expected whole numbers: a row of data, or `zero`", what, code);
      }
      if (part.texts.empty()) continue;
      const TextColumn& column = part.texts[static_cast<size_t>(i % part.size())];
      const double least = column.unknown ? -1 : 0;
      if (code >= least && code < static_cast<double>(column.categories.size())) continue;
      if (code == 0 && column.categories.empty()) continue;
      fail(ErrorKind::argument, part.name, "{} would be category {}; expected {} to {}", what, code, least,
           std::ssize(column.categories) - 1);
    }
  }
}

Players players_of(const RowQuestion& question, const RowPart& part) {
  Players players = question.players;
  players.owner = {question.players.owner.begin() + part.first,
                   question.players.owner.begin() + part.first + part.size()};
  players.image = image_of(part);
  return players;
}

Attribution attribution_of(const Attribution& attribution, const RowPart& part) {
  Attribution own = attribution;
  const auto all = attribution.elements.data<double>();
  own.elements =
      Tensor::of<double>(part.row, all.subspan(static_cast<size_t>(part.first), static_cast<size_t>(part.size())));
  return own;
}

}  // namespace ascribe::core::study
