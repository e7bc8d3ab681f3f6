// A model and a method as one graph that takes the model's inputs and gives prediction and attribution.
//
// The logit of the target is explained: a final softmax or sigmoid is skipped. A target is a position in the
// model's output, counted over one row (outputs [N] and [N, 1] have only position 0), or a readout of it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "game/players.h"
#include "graph/graph.h"
#include "methods/explained_model.h"
#include "methods/parameters.h"

namespace ascribe::core {

enum class TargetKind {
  index,    // an integer input [N] of the graph, one index per row
  one_hot,  // a real input [N, numbers]: the weight of every number
  top,      // of each row the largest number
  fixed,    // the same one for all rows
};

struct CompileOptions {
  std::string method = "gradient";
  std::map<std::string, std::string> parameters;  // of the method
  Tensor baselines;  // rows of the only real input that are frozen in, in double; empty: 0 for every input
  Players players;   // frozen in, for methods that mask players
  uint64_t seed = 0;
  TargetKind target = TargetKind::index;
  int64_t index = 0;             // of a fixed target
  bool probability = false;      // keep a final softmax or sigmoid
  bool keep_sigmoid = false;     // as in ExplainOptions
  std::string output;            // which of the model's outputs; empty: the first real one
  ReadoutRef readout = {};       // of the output; the index is then one of its parts
  std::string target_name = {};  // of a fixed target, for the file's description; empty: its index
  std::string explains = {};     // what the number is: logit, value ...; empty: as the graph tells
};

// A node that relevance or multipliers went back through, from the output on.
struct TracedNode {
  std::string name;  // in the model file; may be empty
  std::string op;
  std::string rule;  // what was done there, in a word
};

struct Explanation {
  // Inputs: the model's, then "target" if it is one. Outputs: "prediction", then "attribution", or
  // "attribution_<input>" for each of several real inputs. A name that the model has already gets a "_".
  Graph graph;
  std::map<std::string, std::string> metadata;  // ascribe.method, .formula, .explains, .output, .target
  std::vector<std::string> notes;
  bool sampled = false;                   // something is estimated by frozen draws
  std::vector<std::string> layers = {};   // that a map shows, by name
  std::vector<int64_t> group_sizes = {};  // of draws, if standard errors can be had from groups of them
  std::vector<TracedNode> trace = {};     // of the output "trace", if it is wanted
};

// `model` is not changed. Fails, kind unsupported, naming the node, if there is no way to differentiate it.
Explanation compile_explanation(const Graph& model, const CompileOptions& options);

struct Method;

// The graph of a method as it is run: targets and baselines differ from row to row. Inputs: the model's, "target", and
// "baseline" if the method uses baselines. Outputs: "attribution" to the model's explained input, "value" f(x) [N], and
// if the method gives them "baseline_value" f(b) [N], "layer_map" and "groups" (DrawGroups). If it is wanted and the
// method can, also "trace" [N, nodes, 2]: what each node received and passed on, summed over all rows.
Explanation runnable_explanation(const ExplainedModel& model, const Method& method, const Parameters& parameters,
                                 uint64_t seed = 0, bool traced = false);

// The model with two outputs: what it says, and "explained", the logits before a final softmax or sigmoid or the
// probabilities after it, or what is read of them. Notes tell if a softmax was stepped over. Fails, kind argument, if
// there are no probabilities.
Graph with_explained(const Graph& model, const ExplainOptions& options, std::vector<std::string>& notes);

// The softmax, log_softmax or sigmoid that an output ends in, seen through what only rearranges numbers; null: none.
const Node* final_head(const Graph& model, const Port& output);

// The output that the options choose, and how many positions a row of it has.
const Port& explained_output(const Graph& model, std::string_view name);
int64_t target_count(const Graph& model, const Port& output);

}  // namespace ascribe::core
