// Which rule each layer gets, by its name, its position or its kind; and how everything between layers is split.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/modules.h"
#include "passes/rules/rule.h"

namespace ascribe::core {

// How the relevance of a product goes to factors that both depend on the input.
enum class ProductRule {
  gate,     // the signal takes all and what gates it nothing; of two signals each takes half
  uniform,  // each takes half
};

// How relevance goes through a softmax s of x.
enum class SoftmaxRule {
  identity,  // unchanged
  taylor,  // R_i = x_i (R_i - s_i sum of R): its linear part at x; the constant part of the expansion absorbs the rest
  constant,  // it is a weight that does not depend on the input: as a factor of a product it takes nothing
};

class RuleSet {
 public:
  // Every layer gets this rule. Sums, means and products are split by contribution; constants that are added outside
  // of layers absorb their share where the rule's own biases do.
  explicit RuleSet(RuleUse layers);

  // Adds "SELECTOR:RULE" or a named set, separated by ";". A selector is first, last, a number (from 0), conv, dense,
  // any, pool (epsilon or flat), add (epsilon only), product (gate or uniform), softmax (identity, taylor or constant),
  // or a layer's name. A name takes precedence over a position, a position over a kind, a kind over any; among equals
  // the last one counts.
  void add(std::string_view text);

  // The rule of each layer. Fails, kind argument, if a selector names a layer that is not there.
  std::vector<RuleUse> resolved(const std::vector<Layer>& layers) const;

  Stabiliser pools() const { return pools_; }
  bool pools_are_flat() const { return pools_are_flat_; }  // to all numbers alike, not by contribution
  Stabiliser additions() const { return additions_; }      // products too
  bool biases_absorb() const { return biases_absorb_; }
  ProductRule products() const { return products_; }
  SoftmaxRule softmaxes() const { return softmaxes_; }

 private:
  struct Entry {
    std::string selector;
    RuleUse use;
  };
  void add_entry(std::string_view selector, std::string_view rule);
  bool add_between(std::string_view selector, std::string_view rule);

  std::vector<Entry> entries_;
  Stabiliser pools_, additions_;
  bool biases_absorb_, pools_are_flat_ = false;
  ProductRule products_ = ProductRule::gate;
  SoftmaxRule softmaxes_ = SoftmaxRule::identity;
};

struct NamedRuleSet {
  std::string name;
  std::string text;
  std::string meaning;
  std::string conserves;  // what becomes of f(x) on its way to the inputs
};
const std::vector<NamedRuleSet>& named_rule_sets();

}  // namespace ascribe::core
