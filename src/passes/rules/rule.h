// Propagation rules of LRP: how the relevance of a layer's outputs z goes to its inputs x. A rule is a few lines over
// a linear map that runs both ways with modified weights; it registers itself, and the suite checks what it conserves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/registry.h"
#include "passes/modules.h"

namespace ascribe::core {

// R = amount * factor, or amount if there is no factor. Most rules give x times something; the product waits until it
// is needed, because the next rule divides by nearly the same number.
struct Relevance {
  Value amount;
  Value factor = {};
};
Value plain(Builder& b, const Relevance& relevance);

// How divisions are kept from 0: by epsilon with the sign of the denominator, or, guarded, by giving nothing there.
struct Stabiliser {
  double epsilon = 0;
  bool guarded = true;
};

// scale * R / (z + epsilon * sign(z)). If z is R's factor and nothing stabilises, it is the amount, also where z is 0.
Value share(Builder& b, const Relevance& relevance, Value z, Stabiliser stabiliser, double scale = 1);

struct RuleParameter {
  std::string name;
  double fallback;
  double least, most;
  std::string meaning;
};

using RuleValues = std::map<std::string, double, std::less<>>;

struct RuleRequest {
  const LinearMap& map;
  Relevance relevance;  // of z
  Value z;              // with the bias
  Value bias;           // broadcasts to z; invalid if there is none
  bool x_never_negative;
  const RuleValues& parameters;

  Builder& b() const { return map.b(); }
  double operator[](std::string_view name) const { return parameters.find(name)->second; }
  // Whether relevance is 0 wherever z is not positive: what relu hands back.
  bool only_active() const;
};

struct Rule {
  std::string name;
  std::string formula;
  std::string source;
  // What the sum of the inputs' relevance is, next to that of the outputs.
  enum class Conserves { without_bias, per_group, always } conserves;
  std::vector<RuleParameter> parameters;
  Relevance (*apply)(const RuleRequest&);
};

using RuleRegistry = Registry<Rule>;

struct RegisterRule {
  explicit RegisterRule(Rule rule);
};

// A rule with its parameters.
struct RuleUse {
  const Rule* rule = nullptr;
  RuleValues values;
};

// From "gamma(gamma=0.25)". Fails, kind argument, and says which rules or parameters there are.
RuleUse parse_rule(std::string_view text);

}  // namespace ascribe::core
