// ascribe audit: measures the three principles of a faithful attribution, for the methods in general, for methods on
// one question, or for an attribution that is only a file (docs/howto/audit.md).
#include "study/audit.h"

#include "cli/audit/print.h"
#include "cli/recorded.h"

namespace ascribe::core::cli::command_audit {

namespace {

struct Choices {
  General general;
  ModelChoice model;
  study::AuditRequest request;
  std::vector<std::string> methods = {"all"};
};

// Without a model: in general.
std::optional<study::Subject> subject_of(Choices& choices) {
  choices.request.methods = wishes(choices.methods);
  choices.request.run = choices.general.run();
  const bool has_model = !choices.model.path.empty();
  if (has_model && choices.request.in_general()) {
    fail(ErrorKind::argument, "audit", "a model without data; expected MODEL INPUT, or neither");
  }
  if (choices.request.of_numbers() && !has_model) {
    fail(ErrorKind::argument, "attribution", "expected the MODEL and the INPUT that the file is about");
  }
  if (!has_model) return std::nullopt;
  return choices.model.open(choices.general);
}

const RegisterCommand command(
    {"audit", 7, "Three principles of a faithful attribution, measured", [](Options& options) -> std::function<int()> {
       auto choices = std::make_shared<Choices>();
       study::AuditRequest& request = choices->request;
       add_model(options, choices->model)
           .required(false)
           .help("An .onnx file, to audit methods on it; default: in general");
       add_rows(options, request.question.rows).required(false);
       add_labels(options, request.question.labels);
       add_methods(options, choices->methods);
       add_settings(options, request.settings);
       options.add("--attribution", request.attribution,
                   "An .npy file with an attribution of INPUT, a number for every player or\n"
                   "for every element, to be audited instead of methods",
                   "FILE");
       add_question(options, request.question, "What the input is compared with, and what replaces masked players");
       add_budget(options, request.budget);
       add_general(options, choices->general);
       add_log(options, choices->general);
       return [choices] {
         study::AuditRequest& asked = choices->request;
         const std::optional<study::Subject> subject = subject_of(*choices);
         asked.time.diary = std::make_shared<study::TimeDiary>();
         const study::AuditResult result = subject ? study::audit(*subject, asked) : study::audit(asked);
         const Json record = recorded(choices->general, {}, [&](const study::Origin& origin) {
           return study::record_of(subject ? &*subject : nullptr, asked, result, origin);
         });
         return choices->general.show([&] { return with_record(to_json(result), record); },
                                      [&] { print_audit(result); });
       };
     }});

}  // namespace

}  // namespace ascribe::core::cli::command_audit
