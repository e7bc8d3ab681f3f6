#include "onnx/known_operators.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "onnx/lowering.h"

namespace ascribe::core {

namespace {

int64_t opset_number(std::string_view text, int64_t otherwise) {
  if (text.empty()) return otherwise;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  require(error == std::errc() && end == text.data() + text.size(), "lowering", "an opset is not a number");
  return number;
}

// "mode:11", "axis:-6", "axis:4-6"
KnownAttribute parse_attribute(std::string_view term) {
  const size_t colon = term.find(':');
  KnownAttribute result{.name = std::string(term.substr(0, colon))};
  if (colon == std::string_view::npos) return result;
  const std::string_view range = term.substr(colon + 1);
  const size_t dash = range.find('-');
  result.since = opset_number(range.substr(0, dash), result.since);
  if (dash != std::string_view::npos) result.until = opset_number(range.substr(dash + 1), result.until);
  return result;
}

std::vector<KnownAttribute> parse_attributes(std::string_view list) {
  std::vector<KnownAttribute> result;
  while (!list.empty()) {
    const size_t end = std::min(list.find(' '), list.size());
    if (end > 0) result.push_back(parse_attribute(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return result;
}

// Names for a tool's own use, which the standard's checker passes over as well.
bool is_internal(const std::string& name) { return name.size() > 2 && name.starts_with("__"); }

// Why an attribute cannot be taken into account; nothing if it can.
std::optional<std::string> complaint(const Lowering& lowering, const std::string& name, int64_t opset) {
  if (is_internal(name)) return std::nullopt;
  for (const KnownAttribute& known : lowering.attributes) {
    if (known.name != name) continue;
    if (opset < known.since) return fmt::format("part of the operator since opset {}, not in {}", known.since, opset);
    if (opset > known.until) return fmt::format("part of the operator up to opset {}, not in {}", known.until, opset);
    return std::nullopt;
  }
  return "not an attribute of the operator";
}

void check_attributes(const FlatNode& node) {
  std::set<std::string> seen;
  for (const auto& attribute : node.proto.attribute()) {
    if (!seen.insert(attribute.name()).second) {
      fail(ErrorKind::model, node.where, "an attribute is given twice; got '{}'", attribute.name());
    }
    if (!attribute.ref_attr_name().empty()) {
      fail(ErrorKind::model, node.where,
           "the attribute '{}' refers to '{}' of a function, but the node is not inside one", attribute.name(),
           attribute.ref_attr_name());
    }
  }
}

struct Use {
  int count = 0;
  std::string first;
};

// What cannot be read, by the words in which it is told.
struct Unknown {
  std::map<std::string, Use> operators, attributes;
  std::set<std::pair<std::string, int64_t>> opsets;  // domain and number

  static void note(std::map<std::string, Use>& uses, const std::string& what, const FlatNode& node) {
    Use& use = uses[what];
    if (use.count++ == 0) use.first = node.where.substr(0, node.where.rfind(" ("));
  }

  void look_at(const FlatNode& node) {
    const std::string name = full_name(node.proto);
    const Lowering* lowering = find_lowering(node.proto);
    if (lowering == nullptr) return note(operators, name, node);
    check_attributes(node);
    if (node.opset > newest_opset(node.proto.domain())) {
      opsets.emplace(is_default_domain(node.proto.domain()) ? "" : node.proto.domain(), node.opset);
      return;  // its attributes are not ours to judge
    }
    for (const auto& attribute : node.proto.attribute()) {
      if (const auto why = complaint(*lowering, attribute.name(), node.opset)) {
        note(attributes, fmt::format("'{}' of {} ({})", attribute.name(), name, *why), node);
      }
    }
  }
};

std::string listed(const std::map<std::string, Use>& uses) {
  std::vector<std::string> list;
  for (const auto& [name, use] : uses) list.push_back(fmt::format("{} x{} (first: {})", name, use.count, use.first));
  return fmt::format("{}", fmt::join(list, ", "));
}

}  // namespace

std::string full_name(const onnx::NodeProto& node) {
  return is_default_domain(node.domain()) ? node.op_type() : fmt::format("{}.{}", node.domain(), node.op_type());
}

const Lowering* find_lowering(const onnx::NodeProto& node) {
  return LoweringRegistry::instance().find(full_name(node));
}

int64_t newest_opset(const std::string& domain) {
  if (is_default_domain(domain)) return kNewestOpset;
  for (const KnownDomain& known : kKnownDomains) {
    if (known.name == domain) return known.newest_opset;
  }
  return 0;
}

bool goes_beyond_lowering(const onnx::NodeProto& node, int64_t opset) {
  const Lowering* lowering = find_lowering(node);
  if (lowering == nullptr) return false;
  if (opset > newest_opset(node.domain())) return true;
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [&](const auto& attribute) { return complaint(*lowering, attribute.name(), opset).has_value(); });
}

void check_known(const std::vector<FlatNode>& nodes, const std::string& file) {
  Unknown unknown;
  for (const FlatNode& node : nodes) unknown.look_at(node);
  std::vector<std::string> complaints;
  for (const auto& [domain, opset] : unknown.opsets) {
    complaints.push_back(
        fmt::format("the model uses opset {}{}; operators are known up to opset {}, and later ones may "
                    "mean something else by the same name",
                    opset, domain.empty() ? "" : fmt::format(" of {}", domain), newest_opset(domain)));
  }
  if (!unknown.operators.empty()) {
    complaints.push_back("the model uses operators that are not supported: " + listed(unknown.operators));
  }
  if (!unknown.attributes.empty()) {
    complaints.push_back("the model sets attributes that are not known, and without them results could be wrong: " +
                         listed(unknown.attributes));
  }
  if (!complaints.empty()) fail(ErrorKind::unsupported, file, "{}", fmt::join(complaints, "; "));
}

RegisterLowering::RegisterLowering(OnnxOperator known, void (*lower)(NodeContext&), std::string note) {
  require(!known.name.empty() && lower != nullptr, known.name,
          "a lowering needs the name of an operator and a function");
  Lowering lowering{lower, std::move(note), known.version, parse_attributes(known.attributes)};
  LoweringRegistry::instance().add(std::move(known.name), std::move(lowering));
}

}  // namespace ascribe::core
