// Which rule each layer gets, by its name, its position or its kind; and how everything between layers is split.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/modules.h"
#include "passes/rules/rule.h"

namespace ascribe::core {

class RuleSet {
 public:
  // Every layer gets this rule. Sums, means and products are split by contribution; constants that are added outside
  // of layers absorb their share where the rule's own biases do.
  explicit RuleSet(RuleUse layers);

  // Adds "SELECTOR:RULE" or a named set, separated by ";". A selector is first, last, a number (from 0), conv, dense,
  // any, pool (epsilon or flat), add (epsilon only), or a layer's name. A name takes precedence over a position, a
  // position over a kind, a kind over any; among equals the last one counts.
  void add(std::string_view text);

  // The rule of each layer. Fails, kind argument, if a selector names a layer that is not there.
  std::vector<RuleUse> resolved(const std::vector<Layer>& layers) const;

  Stabiliser pools() const { return pools_; }
  bool pools_are_flat() const { return pools_are_flat_; }  // to all numbers alike, not by contribution
  Stabiliser additions() const { return additions_; }      // products too
  bool biases_absorb() const { return biases_absorb_; }

 private:
  struct Entry {
    std::string selector;
    RuleUse use;
  };
  void add_entry(std::string_view selector, std::string_view rule);

  std::vector<Entry> entries_;
  Stabiliser pools_, additions_;
  bool biases_absorb_, pools_are_flat_ = false;
};

struct NamedRuleSet {
  std::string name;
  std::string text;
  std::string meaning;
};
const std::vector<NamedRuleSet>& named_rule_sets();

}  // namespace ascribe::core
