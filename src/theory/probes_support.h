// What the probes share: small models in double, and questions about them.
#pragma once

#include "theory/probes.h"

namespace ascribe::core {

// One family of questions.
struct Probe {
  std::vector<ProbedQuestion> (*ask_method)(const ProbeSubject&);
  std::vector<ProbedQuestion> (*ask_rule)(const ProbeSubject&);
};
extern const Probe kMonomialProbe;  // baseline and point
extern const Probe kReluProbe;
extern const Probe kModuleProbe;
extern const Probe kLayerProbe;

ExplainedModel probe_model(const Graph& graph);

// Every element of the row is a player.
Players players_of_row(const Shape& row);

// Numbers of either sign, of sizes between these.
std::vector<double> generic_numbers(uint64_t stream, int64_t count, double least, double most);

// A question about one row, `row` its shape; target 0.
Question probe_question(const Shape& row, const std::vector<double>& x, const std::vector<double>& baseline);

std::vector<Attribution> answers_of(const ProbeSubject& subject, ExplainedModel& model,
                                    const std::vector<Question>& questions);

// Products of the columns of x [N, n], one for each list of degrees, times its factor: [N, count].
Value append_monomials(Builder& b, Value x, std::span<const std::vector<int>> degrees, std::span<const double> factors);

double power_of(std::span<const double> x, std::span<const int> degree);  // the product of x_i ^ degree_i
uint64_t support_of(std::span<const int> degree);

}  // namespace ascribe::core
