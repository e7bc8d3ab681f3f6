// Attribution methods. A file per method registers itself, with what it promises; the suite holds it to that.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "graph/builder.h"
#include "methods/attribution.h"
#include "methods/explained_model.h"
#include "methods/parameters.h"
#include "passes/append_copy.h"
#include "passes/sweep_step.h"

namespace ascribe::core {

// What a method gives by each of several independent groups of its frozen draws alone: standard errors come from them.
struct DrawGroups {
  Value attributions;          // to the only input, [R, groups, ...]; invalid: there are none
  std::vector<int64_t> sizes;  // draws in each group; the attribution itself is by all of them
};

// b for each input. A method that does not say that it uses baselines gets none: reading one is refused, in words for
// whoever writes the method.
class BaselineValues {
 public:
  BaselineValues(std::span<const Value> values, std::string_view method) : values_(values), method_(method) {}

  const Value& operator[](size_t input) const;
  size_t size() const { return values_.size(); }

 private:
  std::span<const Value> values_;
  std::string_view method_;
};

// A method as nodes of a graph. What is explained of each row is f = sum of seed * output.
struct AttributionRequest {
  Builder& b;
  // The model, composites without an adjoint expanded. It is also the beginning of the builder's graph, so that
  // append_copy can place it at other inputs. Output 0: the explained values.
  const Graph& model;
  const Placed& at_x;             // its values at the rows that are explained
  Value seed;                     // of the output's shape
  std::span<const Value> inputs;  // the real inputs x that get an attribution, at these rows
  BaselineValues baselines;       // b for each of them, of its shape; only for methods that use baselines
  int64_t rows_per_input;         // rows of at_x for each row N of the model: several baselines
  const Parameters& parameters;
  const Players* players;  // of the only input, for methods that use players
  uint64_t random_seed;
  std::vector<std::string>& notes;
  Value& baseline_output;            // may be set: f(b) per row [R], if the method computes the network there anyway
  Value& layer_map;                  // may be set: a picture inside the network, [R, 1, height, width]
  std::vector<std::string>& layers;  // to be set with it: the names of the layers that it shows
  bool& sampled;                     // to be set if something is estimated by frozen draws
  DrawGroups& groups;                // may be set then, if they are wanted
  size_t group_memory;               // what a run may take; 0: groups are not wanted
  std::vector<SweepStep>* trace;     // null, or to be filled by methods that go back through the network
};

// How a method is run.
struct MethodRun {
  const Parameters& parameters;
  uint64_t seed = 0;
  const Progress& progress;
};

// Baselines that a method drew by itself, and the parameters with which it takes them as given.
struct DrawnBaselines {
  Tensor rows;  // as Question::baselines
  std::map<std::string, std::string> parameters;
  std::string about;  // "32 drawn around x"
};

struct Method {
  std::string name;
  std::string title;
  int number = 0;       // in the paper's list of fourteen; 0: not in it
  std::string formula;  // one line, with f and x as above
  std::string source;   // who described it
  std::string about;    // what it computes, a paragraph
  std::string cost;     // in passes through the network: "one forward and one backward pass"
  std::string use;      // when to use it
  std::string limits;   // what it cannot do
  AttributionKind kind = AttributionKind::contribution;
  Total total = Total::change;
  bool baselines = false;  // asks for baselines; several are averaged
  bool players = false;    // masks players; otherwise it values elements, which players sum up
  bool game = false;       // its values follow from those of coalitions alone, whatever absent players are
  // Properties. The suite checks those that are declared, and shows that the others fail somewhere.
  bool complete = false;   // the values sum to the total
  bool dummy = false;      // an input that f does not depend on gets 0
  bool symmetric = false;  // inputs that f treats alike, with equal values and baselines, get the same
  bool linear = false;     // a(f + c g) = a(f) + c a(g)
  std::vector<Parameter> parameters = {};

  // Operations that `graph` wants as they are; the others are expanded where they can be. Null: those with an adjoint.
  bool (*keeps)(const Op&) = nullptr;
  bool traces = false;  // `graph` fills a trace where one is wanted
  // Appends the attribution to each input, of its shape. Null: the method cannot be compiled.
  std::vector<Value> (*graph)(const AttributionRequest&) = nullptr;
  // Answers questions about one model, one attribution each. Null: by running `graph`.
  std::function<std::vector<Attribution>(ExplainedModel&, std::span<const Question>, const MethodRun&)> attribute = {};
  // For methods that draw baselines: those it draws for this question, so that others can mask with them. Nothing: the
  // parameters ask for no draws. Null: the method draws none.
  std::optional<DrawnBaselines> (*drawn)(const ExplainedModel&, const Question&, const MethodRun&) = nullptr;
};

using MethodRegistry = Registry<Method>;

std::vector<std::string> method_names();            // the paper's fourteen in its order, then the others by name
const Method& method_named(std::string_view name);  // throws unsupported, and says which there are

struct RegisterMethod {
  explicit RegisterMethod(Method method);
};

// One attribution per question. Refuses, kind numeric, values that are not finite; values that cannot be what they say
// get a note and are not exact (methods/plausibility.h).
std::vector<Attribution> attribute(const Method& method, ExplainedModel& model, std::span<const Question> questions,
                                   const Parameters& parameters, uint64_t seed = 0, const Progress& progress = {});

}  // namespace ascribe::core
