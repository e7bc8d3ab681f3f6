// ascribe audit: the three principles of a faithful attribution in figures; of the methods in general, of methods on
// one question, or of an attribution that is a file (docs/howto/audit.md).
#include "cli/audit.h"

#include "cli/commands.h"
#include "cli/method_option.h"
#include "cli/principle_counts.h"
#include "cli/terminal.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

void print_general(const std::vector<MethodPrinciples>& all) {
  fmt::print(
      "Three principles, measured on fixed generic questions: from the methods as they run, and from their "
      "rules\n\n");
  Lines lines = {{"method", "low error", "by rule", "no unrelated", "by rule", "complete", "by rule"}};
  for (const MethodPrinciples& one : all) {
    std::vector<std::string> line = {one.method.name};
    for (const Principle principle : kPrinciples) {
      line.push_back(verdict_text(one.by_method, principle));
      line.push_back(verdict_text(one.by_rule, principle));
    }
    lines.push_back(std::move(line));
  }
  print_columns(lines, 2);
  fmt::print(
      "\n  low error: the effects that the method covers make up f(x) - f(b), to 1 %\n"
      "  no unrelated: no effect reaches a player that takes no part in it, to 1e-6 of what is given\n"
      "  complete: of every effect that is covered all is given, and once, to 1e-6 of the effects\n");
}

}  // namespace

void add_verdicts(Json& list, const std::string& method, const PrincipleFigures& figures,
                  const std::string& measured_by) {
  for (const Principle principle : kPrinciples) {
    list.push_back({{"method", method},
                    {"principle", to_string(principle)},
                    {"figure", figures[principle]},
                    {"tolerance", tolerance_of(principle)},
                    {"verdict", figures.holds(principle)},
                    {"measured_by", measured_by}});
  }
}

std::string verdict_text(const PrincipleFigures& figures, Principle principle) {
  if (figures.holds(principle)) return "yes";
  return fmt::format("no ({})", figure_text(figures[principle]));
}

void audit_in_general(const AuditRequest& request) {
  const std::vector<MethodPrinciples> all = measured_principles(choose_methods(request.methods, request.settings));
  if (!request.general.json) return print_general(all);
  Json list = Json::array();
  for (const MethodPrinciples& one : all) {
    add_verdicts(list, one.method.name, one.by_method, "method");
    add_verdicts(list, one.method.name, one.by_rule, "rule");
  }
  print_json({{"audit", list}});
}

void add_audit(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("audit", "Three principles of a faithful attribution, measured");
  auto request = std::make_shared<AuditRequest>();
  add_model_options(command, request->model);
  add_input_options(command, request->input);
  for (const char* name : {"MODEL", "INPUT"}) command.get_option(name)->required(false);
  command.get_option("MODEL")->description("An .onnx file, to audit methods on it; otherwise in general");
  add_method_option(command, request->methods);
  add_setting_option(command, request->settings);
  command
      .add_option("--attribution", request->attribution,
                  "An .npy file with somebody's attribution of INPUT, a number for every\n"
                  "player or for every element, to be audited instead of methods")
      ->type_name("FILE");
  add_question_options(command, request->question, "What the input is compared with, and masked players replaced by");
  add_general_options(command, request->general);
  command.callback([request] {
    if (request->has_model() && request->input.paths.empty()) {
      fail(ErrorKind::argument, "audit", "a model without data; expected MODEL INPUT, or neither");
    }
    if (!request->attribution.empty() && !request->has_model()) {
      fail(ErrorKind::argument, "--attribution", "expected the MODEL and the INPUT that the file is about");
    }
    if (!request->has_model()) return audit_in_general(*request);
    if (!request->attribution.empty()) return audit_file(*request);
    audit_on_question(*request);
  });
}

}  // namespace ascribe::core
