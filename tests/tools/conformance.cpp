// Runs the ONNX project's own cases (model.onnx, test_data_set_*/{input,output}_*.pb) and
// counts: passed; refused, by reason; failed. Values are computed three times, by the
// reference interpreter in double and by the runtime in double and in float, and compared
// as ONNX's backend suite does (rtol 1e-3, atol 1e-7, in float 1e-5; integers and booleans
// exactly). Every case has a process of its own, so that a crash or a hang is one failure.
// --refusals: the cases that are refused, and why, must be those of the list; --write writes it instead.
// --export and --gradients write passed cases, and their gradients with the values to expect.
// Usage: ascribe_conformance [--refusals FILE [--write]] [--export FOLDER] [--gradients FOLDER] CASES...
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/random.h"
#include "onnx/exporter.h"
#include "onnx/importer.h"
#include "onnx/tensor_file.h"
#include "passes/canonicalize.h"
#include "passes/gradient.h"
#include "runtime/session.h"
#include "support/interpret.h"
#include "tensor/half.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;

constexpr double kRelative = 1e-3;
constexpr double kAbsolute = 1e-7;
constexpr double kAbsoluteFloat = 1e-5;
constexpr unsigned kSeconds = 120;
constexpr int64_t kSmallInput = 16;  // reals up to this size may steer shapes (scales of Resize)

enum class Verdict : char { passed = 'p', refused = 'r', failed = 'f' };

struct Outcome {
  Verdict verdict = Verdict::passed;
  std::string reason;
};

// The data hold bfloat16 as its bits.
void widen(NamedTensor& bits) {
  Tensor values(DType::f32, bits.tensor.shape());
  for (int64_t i = 0; i < values.size(); ++i) {
    values.mutable_data<float>()[i] = bfloat16_to_float(static_cast<uint16_t>(bits.tensor.at(i)));
  }
  bits.tensor = values;
}

// input_0.pb, input_1.pb, ... in order.
std::vector<NamedTensor> read_tensors(const fs::path& folder, const std::string& stem,
                                      const std::vector<DeclaredValue>& declared) {
  std::vector<NamedTensor> tensors;
  for (size_t i = 0;; ++i) {
    const fs::path path = folder / fmt::format("{}_{}.pb", stem, i);
    if (!fs::exists(path)) return tensors;
    if (i >= declared.size()) fail(ErrorKind::internal, path.string(), "more data than the model has values");
    tensors.push_back(read_tensor_file(path));
    if (declared[i].element_type == "bfloat16" && tensors.back().element_type == "uint16") widen(tensors.back());
  }
}

bool fits(const Shape& shape, const Shape& declared) {
  return std::equal(shape.begin(), shape.end(), declared.begin(), declared.end(),
                    [](int64_t extent, int64_t wanted) { return wanted < 0 || extent == wanted; });
}

// What a model may need to know of its inputs when it is loaded: nothing, integers, small reals.
enum class Binding { none, integers, small };

bool may_bind(const Tensor& tensor, Binding binding) {
  if (binding == Binding::none) return false;
  return kind_of(tensor.dtype()) != Kind::real || (binding == Binding::small && tensor.size() <= kSmallInput);
}

ImportedModel import_case(const fs::path& model, const std::map<std::string, Tensor>& inputs, ImportOptions options) {
  for (const Binding binding : {Binding::none, Binding::integers, Binding::small}) {
    for (const auto& [name, tensor] : inputs) {
      if (may_bind(tensor, binding)) options.bound[name] = tensor;
    }
    try {
      return import_model(model, options);
    } catch (const Error& error) {
      const bool hopeful = std::string_view(error.what()).find("known when the model is loaded") != std::string::npos;
      if (!hopeful || binding == Binding::small) throw;
    }
  }
  throw Error(ErrorKind::internal, "conformance", "unreachable");
}

// What is half-way between two steps in float need not be so in double: there a rounded number may be the next one.
double allowed_step(const Graph& graph, bool in_double) {
  const bool rounds = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                  [](const Node& node) { return node.op->traits.straight_through; });
  return rounds && in_double ? 1 : 0;
}

// The largest error relative to the tolerance; above 1 fails.
double excess(const Tensor& got, const Tensor& expected, double relative, double absolute, double step) {
  double worst = 0;
  const bool exact = kind_of(expected.dtype()) != Kind::real;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double a = got.at(i), e = expected.at(i);
    if (a == e || (std::isnan(a) && std::isnan(e))) continue;
    // float32 and float16 overflow where double does not
    if (std::isinf(e) && std::abs(a) > 6.5e4 && std::signbit(a) == std::signbit(e) && !exact) continue;
    if (exact && std::abs(a - e) <= step) continue;
    const double ratio = exact ? INFINITY : std::abs(a - e) / (absolute + relative * std::abs(e));
    worst = std::isnan(ratio) ? INFINITY : std::max(worst, ratio);
  }
  return worst;
}

void compare(const Tensor& got, const NamedTensor& expected, const DeclaredValue& declared, double step) {
  if (got.shape() != expected.tensor.shape()) {
    fail(ErrorKind::internal, expected.name, "wrong shape; got {}; expected {}", to_string(got.shape()),
         to_string(expected.tensor.shape()));
  }
  if (kind_of(got.dtype()) != kind_of(expected.tensor.dtype())) {
    fail(ErrorKind::internal, expected.name, "wrong kind; got {}; expected {}", to_string(got.dtype()),
         expected.element_type);
  }
  // We do not round to bfloat16; these data cut off after 8 bits.
  const double relative = declared.element_type == "bfloat16" ? 0x1.0p-7 : kRelative;
  const double absolute = got.dtype() == DType::f32 ? kAbsoluteFloat : kAbsolute;
  const double worst = excess(got, expected.tensor, relative, absolute, step);
  if (worst > 1) fail(ErrorKind::internal, expected.name, "wrong values; got {:.3g} times the tolerance", worst);
}

void check_outputs(std::string_view road, const std::vector<Tensor>& outputs, const std::vector<NamedTensor>& expected,
                   const ModelInfo& info, double step) {
  if (outputs.size() < expected.size()) fail(ErrorKind::internal, road, "too few outputs");
  try {
    for (size_t i = 0; i < expected.size(); ++i) compare(outputs[i], expected[i], info.outputs[i], step);
  } catch (const Error& error) {
    throw Error(error.kind(), road, error.what());
  }
}

// Where passed cases and their gradients are exported to, for another runtime to try; empty: nowhere.
fs::path export_folder, gradient_folder;

// "node.test_relu" of .../node/test_relu/model.onnx
std::string case_name(const fs::path& model) {
  const fs::path folder = model.parent_path();
  return fmt::format("{}.{}", folder.parent_path().filename().string(), folder.filename().string());
}

Tensor random_seed_for(const Type& type) {
  Tensor seed(DType::f64, at(type.shape, 1));
  const Random random(20240);
  auto values = seed.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  return seed.cast(DType::f32).cast(DType::f64);  // so that a runtime in float is given the same
}

// NAME.onnx with the gradient of the first output, NAME.npz with its inputs and outputs.
void export_gradient(const fs::path& model, const ImportedModel& imported, std::map<std::string, Tensor> inputs) {
  const Graph& graph = imported.graph;
  const auto is_real = [&](const Port& port) { return graph[port.value].type.kind == Kind::real; };
  if (!is_real(graph.outputs.at(0)) || std::none_of(graph.inputs.begin(), graph.inputs.end(), is_real)) return;
  Gradient result;
  try {
    result = gradient(canonicalize(graph));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::unsupported) return;
    throw;
  }
  inputs["seed"] = random_seed_for(graph[graph.outputs[0].value].type);
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const Port& port : result.graph.inputs) arrays.emplace_back(port.name, inputs.at(port.name));
  const auto outputs = interpret(result.graph, inputs, 1);
  for (size_t i = 0; i < outputs.size(); ++i) arrays.emplace_back(fmt::format("expected {}", i), outputs[i]);
  const DType real = imported.double_precision ? DType::f64 : DType::f32;
  write_file(gradient_folder / (case_name(model) + ".onnx"), export_model(result.graph, {real, {}}), true);
  write_file(gradient_folder / (case_name(model) + ".npz"), format_npz(arrays), true);
}

void run_data_set(const fs::path& model, const fs::path& data, const ModelInfo& info) {
  const auto given = read_tensors(data, "input", info.inputs);
  const auto expected = read_tensors(data, "output", info.outputs);
  std::map<std::string, Tensor> inputs;
  ImportOptions options;
  options.batched = false;
  for (size_t i = 0; i < given.size(); ++i) {
    const DeclaredValue& declared = info.inputs[i];
    inputs[declared.name] = given[i].tensor;
    // Some data contradict the declared shape; such a value can only be bound.
    if (fits(given[i].tensor.shape(), declared.shape)) options.shapes[declared.name] = given[i].tensor.shape();
    else options.bound[declared.name] = given[i].tensor;
  }
  const ImportedModel imported = import_case(model, inputs, options);
  check_outputs("interpreter", interpret(imported.graph, inputs, 1), expected, info,
                allowed_step(imported.graph, true));
  std::vector<Tensor> ordered;
  for (const Port& port : imported.graph.inputs) ordered.push_back(inputs.at(port.name));
  const Graph canonical = canonicalize(imported.graph);
  for (const DType real : {DType::f64, DType::f32}) {
    if (real == DType::f32 && imported.double_precision) continue;  // its numbers need not fit a float
    check_outputs(to_string(real), Session(canonical, {.real = real}).run(ordered), expected, info,
                  allowed_step(canonical, real == DType::f64));
  }
  if (!gradient_folder.empty()) export_gradient(model, imported, inputs);
  if (export_folder.empty()) return;
  const DType real = imported.double_precision ? DType::f64 : DType::f32;
  write_file(export_folder / (case_name(model) + ".onnx"), export_model(imported.graph, {real, {}}), true);
}

std::vector<fs::path> sorted_folder(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

// "[where] what; got ..." -> "what"; a list of operators -> its first.
std::string short_reason(std::string text) {
  while (text.starts_with('[') && text.find("] ") != std::string::npos) text = text.substr(text.find("] ") + 2);
  constexpr std::string_view kOperators = "not supported: ";
  if (const size_t at = text.find(kOperators); at != std::string::npos) {
    text = "operator " + text.substr(at + kOperators.size());
    return text.substr(0, text.find(" x"));
  }
  return text;
}

// Some data are sequences, which only models that we refuse have: refuse before reading them.
void refuse_early(const fs::path& model) {
  try {
    import_model(model, {.batched = false, .shapes = {}, .bound = {}, .limits = {}});
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (what.find("operators that are not supported") != std::string::npos) throw;
    if (what.find("only tensors are supported") != std::string::npos) throw;
    if (what.find("elements of this type are not supported") != std::string::npos) throw;
  }
}

Outcome run_case(const fs::path& folder) {
  const fs::path model = folder / "model.onnx";
  try {
    const ModelInfo info = describe_model(model);
    refuse_early(model);
    for (const fs::path& data : sorted_folder(folder)) {
      if (data.filename().string().starts_with("test_data_set")) run_data_set(model, data, info);
    }
    return {};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::unsupported) return {Verdict::refused, short_reason(error.what())};
    return {Verdict::failed, error.what()};
  } catch (const std::exception& error) {
    return {Verdict::failed, error.what()};
  }
}

// The case in a child, its verdict through a pipe.
Outcome run_isolated(const fs::path& folder) {
  int ends[2];
  if (::pipe(ends) != 0) return {Verdict::failed, "no pipe"};
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kSeconds);
    const Outcome outcome = run_case(folder);
    const std::string text = static_cast<char>(outcome.verdict) + outcome.reason;
    const bool written = ::write(ends[1], text.data(), std::min<size_t>(text.size(), 4000)) > 0;
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  char buffer[4096];
  const ssize_t count = ::read(ends[0], buffer, sizeof buffer);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return {Verdict::failed, fmt::format("CRASHED with signal {}", WTERMSIG(status))};
  if (count <= 0) return {Verdict::failed, "the case ended without a verdict"};
  return {static_cast<Verdict>(buffer[0]), std::string(buffer + 1, static_cast<size_t>(count) - 1)};
}

struct Arguments {
  fs::path refusals;  // the list; empty: refusals are not checked
  bool write = false;
  std::vector<fs::path> groups;
};

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  const std::map<std::string, fs::path*> paths = {
      {"--refusals", &arguments.refusals}, {"--export", &export_folder}, {"--gradients", &gradient_folder}};
  for (size_t i = 0; i < words.size(); ++i) {
    const auto path = paths.find(words[i]);
    if (path != paths.end() && i + 1 < words.size()) *path->second = words[++i];
    else if (words[i] == "--write") arguments.write = true;
    else if (words[i].starts_with("--"))
      fail(ErrorKind::argument, words[i], "there is no such option, or it lacks a value");
    else arguments.groups.emplace_back(words[i]);
  }
  if (arguments.write && arguments.refusals.empty()) fail(ErrorKind::argument, "--write", "needs --refusals FILE");
  return arguments;
}

// "node.test_relu" and so on; of refused ones the reason.
struct Results {
  std::vector<std::string> passed, failed;
  std::map<std::string, std::string> refused;
};

void print_counts(std::string_view name, const Results& results) {
  fmt::print("{:<20} {:4} passed  {:4} refused  {:4} failed\n", name, results.passed.size(), results.refused.size(),
             results.failed.size());
  std::fflush(stdout);
}

Results run_group(const fs::path& group) {
  Results results;
  for (const fs::path& folder : sorted_folder(group)) {
    if (!fs::exists(folder / "model.onnx")) continue;
    const Outcome outcome = run_isolated(folder);
    const std::string name = case_name(folder / "model.onnx");
    if (outcome.verdict == Verdict::passed) results.passed.push_back(name);
    if (outcome.verdict == Verdict::refused) results.refused[name] = outcome.reason;
    if (outcome.verdict == Verdict::failed) {
      results.failed.push_back(name);
      fmt::print("  FAILED {}: {}\n", name, outcome.reason);
    }
  }
  print_counts(group.filename().string(), results);
  return results;
}

void print_reasons(const std::map<std::string, std::string>& refused) {
  std::map<std::string, int> counts;
  for (const auto& [name, reason] : refused) ++counts[reason];
  std::vector<std::pair<std::string, int>> by_count(counts.begin(), counts.end());
  std::stable_sort(by_count.begin(), by_count.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  fmt::print("refused, by reason:\n");
  for (const auto& [reason, count] : by_count) fmt::print("  {:4}  {}\n", count, reason);
}

// ---- the list of refusals: "case: reason", sorted ----

std::map<std::string, std::string> read_refusals(const fs::path& path) {
  std::map<std::string, std::string> listed;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) fail(ErrorKind::io, path.string(), "got '{}'; expected 'case: reason'", line);
    listed[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return listed;
}

void write_refusals(const fs::path& path, const std::map<std::string, std::string>& refused) {
  std::string text =
      "# Cases of the ONNX project that are refused, and why. ./dev conformance compares; with --write it writes "
      "this.\n";
  for (const auto& [name, reason] : refused) text += fmt::format("{}: {}\n", name, reason);
  write_file(path, text, true);
  fmt::print("wrote {} refusals to {}\n", refused.size(), path.string());
}

// Says what differs; whether nothing does.
bool refusals_agree(const std::map<std::string, std::string>& refused,
                    const std::map<std::string, std::string>& listed) {
  std::vector<std::string> differences;
  for (const auto& [name, reason] : refused) {
    const auto expected = listed.find(name);
    if (expected == listed.end()) differences.push_back(fmt::format("{} is refused: {}", name, reason));
    else if (expected->second != reason) {
      differences.push_back(
          fmt::format("{} is refused for another reason: {}; expected: {}", name, reason, expected->second));
    }
  }
  for (const auto& [name, reason] : listed) {
    if (!refused.contains(name)) differences.push_back(fmt::format("{} is not refused any more: {}", name, reason));
  }
  for (const std::string& difference : differences) fmt::print("  UNEXPECTED {}\n", difference);
  if (!differences.empty()) fmt::print("the refusals are not those of the list; --write writes it anew\n");
  return differences.empty();
}

int run(const std::vector<std::string>& words) {
  const Arguments arguments = parse(words);
  Results all;
  for (const fs::path& group : arguments.groups) {
    Results results = run_group(group);
    all.passed.insert(all.passed.end(), results.passed.begin(), results.passed.end());
    all.failed.insert(all.failed.end(), results.failed.begin(), results.failed.end());
    all.refused.merge(results.refused);
  }
  print_counts("all", all);
  print_reasons(all.refused);
  bool as_listed = true;
  if (arguments.write) write_refusals(arguments.refusals, all.refused);
  else if (!arguments.refusals.empty()) as_listed = refusals_agree(all.refused, read_refusals(arguments.refusals));
  return all.failed.empty() && !all.passed.empty() && as_listed ? 0 : 1;
}

}  // namespace
}  // namespace ascribe::core

int main(int argc, char** argv) {
  try {
    return ascribe::core::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 70;
  }
}
