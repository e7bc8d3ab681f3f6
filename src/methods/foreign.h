// Methods that the caller brings: they are not in the registry, but can be used wherever one of ours can.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "methods/method.h"

namespace ascribe::core {

// What stands in the place of a source.
inline constexpr const char* kForeignSource = "the caller";

// A number for each player of the question, or for each element of its row, of which a player has the sum.
using OwnAttribution = std::function<std::vector<double>(ExplainedModel& model, const Question& question)>;

// Contributions to f(x) - f(b), as far as anybody knows; nothing is promised of them.
std::shared_ptr<const Method> own_method(std::string name, OwnAttribution attribution);

// Numbers that exist already, a list for each row. They belong to the rows of these numbers (Question::number), or, of
// questions that have none, to those that are asked first; of other inputs (masked or disturbed ones) the method
// refuses to say anything, kind unsupported.
std::shared_ptr<const Method> given_attribution(std::string name, std::vector<std::vector<double>> rows);

// Whether a method is numbers that were given, which cannot be asked about other inputs.
bool is_given(const Method& method);

// The numbers as those of players. Refuses, naming `where`, a wrong number of them and what is not finite.
std::vector<double> values_per_player(std::span<const double> values, const Players& players, std::string_view where);

}  // namespace ascribe::core
