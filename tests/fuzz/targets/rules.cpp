// Sets of propagation rules, as the option `rules` takes them.
#include "fuzz/target.h"
#include "passes/rules/rule_set.h"

namespace ascribe::core::fuzz::target_rules {
namespace {

void feed(Bytes bytes) {
  RuleSet rules(parse_rule("epsilon"));
  rules.add(text_of(bytes));
  rules.pools();
  rules.resolved({});
}

const RegisterTarget registered({"rules", "sets of propagation rules", Form::bytes, 256, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_rules
