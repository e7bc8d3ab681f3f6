// What the parts of ascribe audit share.
#pragma once

#include <string>
#include <vector>

#include "cli/few_players.h"
#include "theory/principles.h"

namespace ascribe::core {

struct AuditRequest : FewPlayersRequest {
  std::vector<std::string> methods = {"all"};
  std::vector<std::string> settings;
  std::string attribution;  // a file

  bool has_model() const { return !model.path.empty(); }
};

// {method, principle, figure, tolerance, verdict, measured_by}, one for each principle.
void add_verdicts(nlohmann::ordered_json& list, const std::string& method, const PrincipleFigures& figures,
                  const std::string& measured_by);
std::string verdict_text(const PrincipleFigures& figures, Principle principle);  // "yes", "no (8.1 %)"

void audit_in_general(const AuditRequest& request);
void audit_on_question(const AuditRequest& request);
void audit_file(const AuditRequest& request);

}  // namespace ascribe::core
