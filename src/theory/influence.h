// Where the methods stand in functional ANOVA (docs/theory/anova.md): how much of an effect of several players a player
// gets (game/interaction_index.h), read off the allocation rule.
//   pure     nothing of it
//   partial  a part: the players of the effect share it, and together they get all of it
//   full     all of it, each of them
// Source: Fumagalli, Muschalik and others, "Unifying Feature-Based Explanations with Functional ANOVA and Cooperative
// Game Theory" (2024).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "game/interaction_index.h"
#include "theory/allocation.h"

namespace ascribe::core {

struct InfluencePlace {
  std::optional<Influence> influence;  // nothing: none of the three, effects reach players outside of them
  bool joint = false;                  // several players are taken as one, as by a window
  bool slope_only = false;             // of what a player does alone only the slope, not the rest of it
};

// By the weights of all effects of few players and low degree.
InfluencePlace place_of(const AllocationRule& rule);

// "| `shapley` | baseline, marginal or conditional | partial |": the line of a method in the table.
std::string place_line(const AllocationRule& rule);

}  // namespace ascribe::core
