// The attribution methods there are. docs/methods has a page for each.
#pragma once

#include <string>
#include <vector>

#include <ascribe/export.h>

namespace ascribe {
inline namespace v1 {
struct ParameterInfo {
  std::string name;
  std::string fallback;  // its value if it is not given
  std::string range;     // what may be given: "an integer from 1 to 4096"
  std::string meaning;
};

struct MethodInfo {
  std::string name;
  std::string title;
  int number = 0;       // in the paper's list of fourteen; 0: not in it
  std::string formula;  // in one line
  std::string source;
  std::string about;
  std::string cost;
  std::string use;
  std::string limits;
  bool contributions = true;    // shares of the output; false: slopes
  bool explains_change = true;  // f(x) - f(b); false: f(x)
  bool uses_baselines = false;  // otherwise they only serve to report f(b)
  bool masks_players = false;   // otherwise it values elements, which are added up per player
  bool complete = false;        // the values add up to what is explained
  bool dummy = false;           // what the output does not depend on gets 0
  bool symmetric = false;       // what the model treats alike gets the same
  bool linear = false;          // the explanation of a sum is the sum of the explanations
  bool compiles = false;        // `ascribe compile` can write it as an ONNX file
  std::vector<ParameterInfo> parameters;
};

// The paper's fourteen in its order, then the others by name.
ASCRIBE_API std::vector<MethodInfo> methods();

}  // namespace v1
}  // namespace ascribe
