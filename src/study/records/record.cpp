#include "study/records/record.h"

#include <cstring>

#include <sys/utsname.h>

#include "base/sha256.h"
#include "study/asked.h"
#include "study/records/named_files.h"

namespace ascribe::core::study {

namespace {

struct Made {
  const char* verb;
  const Subject* subject;  // null: without a model
  Json request;
  Json parameters;
  std::vector<Content> contents;
  const Run& run;
  std::string precision;
  const TimeKeeping* time = nullptr;
};

// Of a model whose sizes are still open it is not known.
std::string precision_of(const Subject& subject) {
  if (!subject.open_inputs().empty()) return "";
  return precision_word(to_string(subject.model().precision()));
}

Json model_json(const Subject& subject) {
  Json shapes = Json::object();
  for (const auto& [name, shape] : subject.shapes()) shapes[name] = shape;
  Json json = Json::object({{"path", subject.path()}, {"shapes", std::move(shapes)}});
  const bool sized = subject.open_inputs().empty();
  json["chosen_precision"] = sized && subject.model().chose_precision() ? Json(precision_of(subject)) : Json();
  json["memory"] = sized ? Json(subject.model().memory()) : Json();
  return json;
}

template <class Result>
Json made_record(const Made& made, const Result& result, const Origin& origin,
                 WrittenFindings::Keep keep = WrittenFindings::Keep::some) {
  WrittenFindings findings(keep);
  tell(findings, result);
  Json json = Json::object({{"format", kRecordFormat},
                            {"version", kRecordVersion},
                            {"verb", made.verb},
                            {"program", Json::object({{"name", "ascribe"}, {"version", ASCRIBE_VERSION}})}});
  if (!origin.created.empty()) json["created"] = origin.created;
  if (!origin.command.empty()) json["command"] = origin.command;
  json["machine"] = machine_json();
  json["threads"] = made.run.threads > 0 ? made.run.threads : usual_thread_count();
  json["precision"] = made.precision;
  json["seed"] = made.run.seed;
  json["model"] = made.subject != nullptr ? model_json(*made.subject) : Json();
  json["request"] = made.request;
  json["parameters"] = made.parameters;
  json["contents"] = made.contents;
  if (made.time != nullptr && made.time->diary) json["clock"] = made.time->diary->readings();
  json["results"] = findings.json();
  return json;
}

// What a question was computed in, whatever sizes its file leaves open.
std::string precision_of(const Subject& subject, const RowSource& rows) {
  std::vector<std::string> ignored;
  return precision_of(subject.open_inputs().empty() ? subject : sized(subject, rows, ignored));
}

// Methods of the caller's own are functions, which nobody can find again.
std::vector<Content> with_own_methods(std::vector<Content> contents, const std::vector<MethodWish>& methods) {
  for (const MethodWish& wish : methods) {
    if (wish.own) contents.push_back({"method", wish.name, true, "", 0, 1});
  }
  return contents;
}

// As a report tells it.
std::string precision_in(const document::Facts& settings) {
  for (const JsonMember& fact : settings) {
    if (fact.key == "precision" && fact.value.is_text()) return precision_word(fact.value.text());
  }
  return "";
}

}  // namespace

std::string precision_word(std::string_view name) {
  if (name.empty()) return "";
  return name == "double" || name.find("64") != name.npos ? "double" : "float";
}

std::string hash_of_record(const Json& record) { return sha256(record.dump(-1)); }

Json machine_json() {
  utsname names{};
  Json instructions = Json::list();
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) instructions.push("AVX2");
  if (__builtin_cpu_supports("avx512f")) instructions.push("AVX-512");
  if (__builtin_cpu_supports("avx512vnni")) instructions.push("VNNI");
  if (__builtin_cpu_supports("avx512bf16")) instructions.push("bfloat16");
#endif
  const char* architecture = ::uname(&names) == 0 ? names.machine : "unknown";
  return Json::object({{"architecture", architecture}, {"instructions", std::move(instructions)}});
}

// ---- contents ----

Content model_content(const Subject& subject) {
  if (!subject.has_file() || subject.hash().empty()) return {"model", subject.path(), true, "", 0, 1};
  std::error_code missing;
  if (!std::filesystem::is_regular_file(subject.path(), missing)) {
    return {"model", subject.path(), true, subject.hash(), 0, 1};  // from bytes
  }
  Content content = content_of_model(subject.path());
  if (content.sha256 != subject.hash()) content = {"model", subject.path(), true, subject.hash(), 0, 1};
  return content;
}

namespace {

std::vector<Content> with_model(const Subject* subject, std::vector<Content> contents) {
  if (subject != nullptr) contents.insert(contents.begin(), model_content(*subject));
  return contents;
}

}  // namespace

std::vector<Content> all_contents(const Subject* subject, const QuestionRequest& question) {
  return with_model(subject, subject == nullptr ? std::vector<Content>() : contents_of(*subject, question));
}

std::vector<Content> all_contents(const Subject* subject, const PredictRequest& request) {
  QuestionRequest question;
  question.rows = request.rows;
  question.labels = request.labels;
  return all_contents(subject, question);
}

std::vector<Content> all_contents(const Subject* subject, const AuditRequest& request) {
  std::vector<Content> contents = all_contents(subject, request.question);
  if (!request.attribution.empty()) contents.push_back(content_at("attribution", request.attribution));
  return contents;
}

std::vector<Content> all_contents(const Subject* subject, const ReportRequest& request) {
  std::vector<Content> contents = all_contents(subject, request.question);
  std::string parts = request.parts;
  for (const NamingField& field : naming_fields_of_players(parts, "parts")) {
    contents.push_back(content_at(field.role, field.path));
  }
  return contents;
}

std::vector<Content> all_contents(const Subject* subject, const EvaluateRequest& request, Dataset& data) {
  return with_model(subject, contents_of(*subject, request, data));
}

// ---- the verbs ----

Json record_of(const Subject& subject, const PredictRequest& request, const PredictResult& result,
               const Origin& origin) {
  const Made made{"predict",
                  &subject,
                  request_json(request),
                  Json::object(),
                  all_contents(&subject, request),
                  request.run,
                  precision_word(to_string(result.precision))};
  return made_record(made, result, origin);
}

Json record_of(const Subject& subject, const ExplainRequest& request, const ExplainResult& result,
               const Origin& origin) {
  const Made made{"explain",
                  &subject,
                  request_json(request),
                  parameters_of(result),
                  with_own_methods(all_contents(&subject, request.question), request.methods),
                  request.run,
                  precision_of(subject, request.question.rows)};
  return made_record(made, result, origin);
}

Json record_of(const Subject& subject, const DecomposeRequest& request, const DecomposeResult& result,
               const Origin& origin) {
  const Made made{"decompose",
                  &subject,
                  request_json(request),
                  Json::object(),
                  all_contents(&subject, request.question),
                  request.run,
                  precision_of(subject, request.question.rows)};
  return made_record(made, result, origin);
}

Json record_of(const Subject& subject, const CompareRequest& request, const CompareResult& result,
               const Origin& origin) {
  const Made made{"compare",
                  &subject,
                  request_json(request),
                  parameters_of(result),
                  with_own_methods(all_contents(&subject, request.question), {request.first, request.second}),
                  request.run,
                  precision_of(subject, request.question.rows),
                  &request.time};
  return made_record(made, result, origin);
}

Json record_of(const Subject* subject, const AuditRequest& request, const AuditResult& result, const Origin& origin) {
  const Made made{"audit",
                  subject,
                  request_json(request),
                  parameters_of(result),
                  with_own_methods(all_contents(subject, request), request.methods),
                  request.run,
                  subject == nullptr ? "double" : precision_of(*subject, request.question.rows),
                  &request.time};
  return made_record(made, result, origin);
}

Json record_of(const Subject* subject, const VerifyRequest& request, const VerifyResult& result, const Origin& origin) {
  const Made made{"verify",    subject, request_json(request), Json::object(), all_contents(subject, request.question),
                  request.run, "double"};
  return made_record(made, result, origin);
}

Json record_of(const Subject& subject, const EvaluateRequest& request, const EvaluateResult& result,
               const Origin& origin) {
  const Json* precision = result.settings.find("precision");
  const Made made{"evaluate",
                  &subject,
                  request_json(request),
                  parameters_of(result),
                  with_own_methods(with_model(&subject, result.contents), request.methods),
                  request.run,
                  precision != nullptr && precision->is_text() ? precision_word(precision->text()) : ""};
  return made_record(made, result, origin);
}

Json record_of(const Subject& subject, const CompileRequest& request, const CompileResult& result,
               const Origin& origin) {
  constexpr std::string_view kParameter = "ascribe.parameter.";
  Json own = Json::object();
  for (const auto& [key, value] : result.metadata) {
    if (key.starts_with(kParameter)) own[key.substr(kParameter.size())] = value;
  }
  Json parameters = Json::object({{"methods", Json::object({{request.method, std::move(own)}})}});
  const Made made{"compile",
                  &subject,
                  request_json(request),
                  std::move(parameters),
                  all_contents(&subject, request.question),
                  request.run,
                  precision_word(to_string(result.precision))};
  return made_record(made, result, origin);
}

Json record_of(const Subject& subject, const ReportRequest& request, const document::Document& result,
               const Origin& origin) {
  const Made made{"report",
                  &subject,
                  request_json(request),
                  parameters_of(result),
                  with_own_methods(all_contents(&subject, request), request.methods),
                  request.run,
                  precision_in(result.settings),
                  &request.time};
  return made_record(made, result, origin, WrittenFindings::Keep::none);
}

Json record_of(const Subject& subject, const DatasetRequest& request, const document::DatasetDocument& result,
               const Origin& origin) {
  const Made made{"report on many rows",
                  &subject,
                  request_json(request),
                  parameters_of(result),
                  with_own_methods(all_contents(&subject, request.report), request.report.methods),
                  request.report.run,
                  precision_in(result.head.settings),
                  &request.report.time};
  return made_record(made, result, origin, WrittenFindings::Keep::none);
}

}  // namespace ascribe::core::study
