// AND and OR effects in words.
#include <algorithm>

#include "cli/decompose/print.h"
#include "cli/terminal.h"
#include "report/and_or_pictures.h"

namespace ascribe::core::cli {

namespace {

void print_sparsity(const study::DecomposeResult& result) {
  const AndOr& split = *result.and_or;
  Lines lines = {{"", "AND and OR", "AND alone"}};
  lines.push_back({"sum of magnitudes", fmt::format("{:.6g}", split.strength), fmt::format("{:.6g}", split.and_alone)});
  for (const double share : {0.01, 0.05, 0.1}) {
    const AndOrCount count = count_above(split, *result.exact, share);
    lines.push_back({fmt::format("effects of at least {:g} % of the strongest J(S)", 100 * share),
                     with_thousands(count.and_or), with_thousands(count.and_alone)});
  }
  print_columns(lines, 2);
  fmt::print("  No other split has a smaller sum of magnitudes, to {:.0e} of it.\n", std::max(split.gap(), 1e-15));
}

}  // namespace

void print_and_or(const study::DecomposeResult& result, int64_t most) {
  const AndOr& split = *result.and_or;
  const std::vector<AndOrEffect> all = strongest(split, std::ssize(split.and_effects) * 2);
  fmt::print("\n  AND effects appear when all of their players are there, OR effects when at least one is.\n\n");
  Lines lines = {{"AND or OR effect", "value", "share"}};
  const auto shown = std::min(most, std::ssize(all));
  for (const AndOrEffect& effect : std::span(all).first(static_cast<size_t>(shown))) {
    lines.push_back({printable(words_of(effect, result.question.players)), fmt::format("{:+.6g}", effect.value),
                     change_share(effect.value, result.summary.change())});
  }
  print_columns(lines, 2);
  if (std::ssize(all) > shown) fmt::print("  and {} smaller\n", with_thousands(std::ssize(all) - shown));
  fmt::print("\n");
  print_sparsity(result);
}

}  // namespace ascribe::core::cli
