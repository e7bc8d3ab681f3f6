// Interaction indices: numbers I(S) for all sets S of at most k players, exact from the dividends a(T) of a game.
// One file per index or family in game/indices; none of them forms a matrix over coalitions.
#pragma once

#include <string>
#include <vector>

#include "base/registry.h"
#include "game/effects.h"

namespace ascribe::core {

// How much an I(S) has of the effects of sets beyond S (docs/theory/anova.md): nothing, a part of each, all of each.
enum class Influence { pure, partial, full };
std::string_view to_string(Influence influence);

struct InteractionIndex {
  std::string name;     // "sii"
  std::string title;    // "Shapley interaction index"
  std::string formula;  // one line
  std::string source;   // paper, year
  int least_order = 1;  // orders that make sense; 1, 1 for values of single players
  int most_order = 64;
  // Properties that the suite checks.
  bool efficient = false;  // the I(S), S not empty, sum to v(N) - v(0)
  bool dummy = true;       // a player without any effect gets 0 in every set it is in
  Influence influence = Influence::partial;
  bool joint = false;  // S is taken as one player: I(S) has the effects inside of S, too, not only what all of S do
  // I(S) = sum over T containing S of this weight times a(T), where the index is such a sum; and how a table of all
  // dividends gives it, if it is not, or if there is a faster way.
  double (*superset_weight)(int s, int t, int order) = nullptr;
  Effects (*compute)(const Dividends& dividends, int order) = nullptr;
};

using IndexRegistry = Registry<InteractionIndex>;

struct RegisterIndex {
  explicit RegisterIndex(InteractionIndex index);
};

const InteractionIndex& index_named(const std::string& name);  // kind argument, with the names there are

// "pure", "partial" and "full": moebius, sii and co_moebius; "joint:pure", "joint:partial" and "joint:full": igv, sgv
// and egv. Kind argument for others.
const InteractionIndex& index_of_influence(std::string_view text);

// Refuses an order that the index does not have; one above the number of players means all of them.
Effects compute_index(const InteractionIndex& index, const Dividends& dividends, int order);

// I(S) = sum over T containing S of weight(|S|, |T|) a(T), for all S of 1 .. order players.
Effects superset_sums(const Dividends& dividends, int order, double (*weight)(int s, int t, int order));

// I(S) = sum over T outside of S of weight(|S|, |T|) (v(T and S) - v(T)), for all S of 1 .. order of n players.
Effects generalised_values(const Dividends& dividends, int order, double (*weight)(int s, int t, int n, int order));

// The list of effects of these sets, with what they leave of v(N) - v(0) as its remainder.
Effects effects_of_sets(const Dividends& dividends, int order, const std::vector<uint64_t>& sets,
                        const std::vector<double>& values);

}  // namespace ascribe::core
