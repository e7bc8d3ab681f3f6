#include "passes/rules/rule_set.h"

#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>

#include "base/closest_name.h"

namespace ascribe::core {

namespace {

std::optional<int64_t> as_index(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// 0: does not choose the layer; the more, the more particular.
int strength(std::string_view selector, const Layer& layer, size_t position, size_t count) {
  if (selector == layer.name && !selector.empty()) return 4;
  if (selector == "first") return position == 0 ? 3 : 0;
  if (selector == "last") return position + 1 == count ? 3 : 0;
  if (const auto index = as_index(selector)) return *index == static_cast<int64_t>(position) ? 3 : 0;
  if (selector == to_string(layer.kind)) return 2;
  return selector == "any" ? 1 : 0;
}

const std::vector<std::string> kWords = {"first", "last", "conv", "dense", "pool", "add", "product", "softmax", "any"};

bool is_word(std::string_view selector) { return std::find(kWords.begin(), kWords.end(), selector) != kWords.end(); }

void require_layer(std::string_view selector, const std::vector<Layer>& layers) {
  if (is_word(selector)) return;
  std::vector<std::string> names;
  for (const Layer& layer : layers) names.push_back(layer.name);
  if (const auto index = as_index(selector)) {
    if (*index >= 0 && *index < std::ssize(layers)) return;
    fail(ErrorKind::argument, "rules", "there is no layer {}; expected 0 to {}", *index, std::ssize(layers) - 1);
  }
  if (std::find(names.begin(), names.end(), selector) != names.end()) return;
  std::vector<std::string> known = kWords;
  known.insert(known.end(), names.begin(), names.end());
  const std::string words = fmt::format("{}, a number, or one of {}", fmt::join(kWords, ", "), fmt::join(names, ", "));
  fail(ErrorKind::argument, "rules", "there is no layer '{}'; {}", selector, expected(words, selector, known));
}

const NamedRuleSet* find_set(std::string_view name) {
  for (const NamedRuleSet& set : named_rule_sets()) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

}  // namespace

const std::vector<NamedRuleSet>& named_rule_sets() {
  static const std::string biases = "f(x), less what biases absorb";
  static const std::string dense_biases =
      "f(x), less what biases of dense layers absorb and what neurons without a positive contribution lose";
  static const std::string groups =
      "f(x), less what biases of dense layers absorb and what neurons with contributions of one sign lose or gain";
  static const std::vector<NamedRuleSet> sets = {
      {"epsilon_plus", "conv:z_plus;dense:epsilon", "z_plus for convolutions, epsilon for dense layers", dense_biases},
      {"epsilon_plus_flat", "conv:z_plus;dense:epsilon;first:flat", "the same, flat for the first layer", dense_biases},
      {"epsilon_alpha2_beta1", "conv:alpha_beta(alpha=2,beta=-1);dense:epsilon",
       "alpha_beta for convolutions, epsilon for dense layers", groups},
      {"epsilon_alpha2_beta1_flat", "conv:alpha_beta(alpha=2,beta=-1);dense:epsilon;first:flat",
       "the same, flat for the first layer", groups},
      {"epsilon_gamma", "conv:gamma(gamma=0.25);dense:epsilon",
       "gamma for convolutions, epsilon for dense layers; add "
       "first:z_box(low=...,high=...) for inputs in a known range",
       biases},
      {"attn", "product:uniform;softmax:taylor",
       "AttnLRP, for transformers: products halved, the softmax by its linear part, the layers by the method's own "
       "rule",
       "f(x), less what biases and the constant part of each softmax absorb; the latter can be large, and of any sign"},
      {"cp", "product:uniform;softmax:constant",
       "CP-LRP, for transformers: attention weights held constant, other products halved, the layers by the method's "
       "own "
       "rule",
       "f(x), less what biases absorb"},
  };
  return sets;
}

RuleSet::RuleSet(RuleUse layers)
    : entries_{{"any", layers}}, biases_absorb_(layers.rule->conserves == Rule::Conserves::without_bias) {}

// Products and softmax have no weights, and rules of their own.
bool RuleSet::add_between(std::string_view selector, std::string_view rule) {
  using Products = std::pair<std::string_view, ProductRule>;
  using Softmaxes = std::pair<std::string_view, SoftmaxRule>;
  static constexpr Products products[] = {{"gate", ProductRule::gate}, {"uniform", ProductRule::uniform}};
  static constexpr Softmaxes softmaxes[] = {
      {"identity", SoftmaxRule::identity}, {"taylor", SoftmaxRule::taylor}, {"constant", SoftmaxRule::constant}};
  const auto choose = [&](const auto& rules, auto& chosen) {
    std::vector<std::string_view> names;
    for (const auto& [name, meant] : rules) {
      if (name == rule) chosen = meant;
      names.push_back(name);
    }
    if (std::find(names.begin(), names.end(), rule) != names.end()) return;
    fail(ErrorKind::argument, "rules", "'{}' takes the rule {}; got {}", selector, fmt::join(names, " or "), rule);
  };
  if (selector == "product") choose(products, products_);
  else if (selector == "softmax") choose(softmaxes, softmaxes_);
  else return false;
  return true;
}

void RuleSet::add_entry(std::string_view selector, std::string_view rule) {
  if (add_between(selector, rule)) return;
  RuleUse use = parse_rule(rule);
  if (selector != "pool" && selector != "add") {
    entries_.push_back({std::string(selector), std::move(use)});
    return;
  }
  const bool flat = selector == "pool" && use.rule->name == "flat";
  if (use.rule->name != "epsilon" && !flat) {
    fail(ErrorKind::argument, "rules", "'{}' has no weights and takes the rule {} only; got {}", selector,
         selector == "pool" ? "epsilon or flat" : "epsilon", use.rule->name);
  }
  if (selector == "pool") pools_are_flat_ = flat;
  if (flat) return;
  (selector == "pool" ? pools_ : additions_) = {use.values.at("epsilon"), false};
}

void RuleSet::add(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (item.empty()) continue;
    const size_t colon = item.rfind(':');
    if (colon != std::string_view::npos) {
      add_entry(item.substr(0, colon), item.substr(colon + 1));
    } else if (const NamedRuleSet* set = find_set(item)) {
      add(set->text);
    } else {
      std::vector<std::string> names;
      for (const NamedRuleSet& known : named_rule_sets()) names.push_back(known.name);
      const std::string words = fmt::format("LAYER:RULE or one of {}", fmt::join(names, ", "));
      fail(ErrorKind::argument, "rules", "there is no rule set '{}'; {}", item, expected(words, item, names));
    }
  }
}

std::vector<RuleUse> RuleSet::resolved(const std::vector<Layer>& layers) const {
  for (const Entry& entry : entries_) require_layer(entry.selector, layers);
  std::vector<RuleUse> uses;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Entry* best = nullptr;
    int most = 0;
    for (const Entry& entry : entries_) {
      const int own = strength(entry.selector, layers[i], i, layers.size());
      if (own == 0 || own < most) continue;
      most = own;
      best = &entry;
    }
    uses.push_back(best->use);
  }
  return uses;
}

}  // namespace ascribe::core
