// The record of a result: everything that is needed to compute it again and to tell whether the same comes out
// (docs/howto/records.md). One form for all verbs:
//
//   format, version, verb, program, created?, command?   what made it
//   machine, threads, precision, seed                    on what
//   model                                                path, shapes, precision that was asked for, memory
//   request, parameters                                  what was asked, and settings as they took part
//   contents                                             SHA-256 of every file and array that it depends on
//   clock?                                               what the clock said where it decided (study/budget.h)
//   results                                              SHA-256 and numbers of every part (study/records/findings.h)
#pragma once

#include <string>
#include <vector>

#include "study/records/content_hash.h"
#include "study/records/request_forms.h"
#include "study/records/result_findings.h"

namespace ascribe::core::study {

inline constexpr const char* kRecordFormat = "ascribe record";
inline constexpr int64_t kRecordVersion = 1;

// What only the front end knows.
struct Origin {
  std::string command = {};  // that made it, as it can be pasted into a shell; empty: not told
  std::string created = {};  // when; empty: not told
};

Json record_of(const Subject& subject, const PredictRequest& request, const PredictResult& result,
               const Origin& origin);
Json record_of(const Subject& subject, const ExplainRequest& request, const ExplainResult& result,
               const Origin& origin);
Json record_of(const Subject& subject, const DecomposeRequest& request, const DecomposeResult& result,
               const Origin& origin);
Json record_of(const Subject& subject, const CompareRequest& request, const CompareResult& result,
               const Origin& origin);
// Without a model: in general.
Json record_of(const Subject* subject, const AuditRequest& request, const AuditResult& result, const Origin& origin);
Json record_of(const Subject* subject, const VerifyRequest& request, const VerifyResult& result, const Origin& origin);
Json record_of(const Subject& subject, const EvaluateRequest& request, const EvaluateResult& result,
               const Origin& origin);
Json record_of(const Subject& subject, const CompileRequest& request, const CompileResult& result,
               const Origin& origin);
Json record_of(const Subject& subject, const ReportRequest& request, const document::Document& result,
               const Origin& origin);
Json record_of(const Subject& subject, const DatasetRequest& request, const document::DatasetDocument& result,
               const Origin& origin);

// Of the record as a whole, whatever its file looks like.
std::string hash_of_record(const Json& record);

// "float" or "double", of any of the names that precisions have; empty: none is said.
std::string precision_word(std::string_view name);

// {architecture, instructions}: features, not names.
Json machine_json();

// Everything that a request names, the model first if there is one. `data`: of evaluate, open already.
std::vector<Content> all_contents(const Subject* subject, const PredictRequest& request);
std::vector<Content> all_contents(const Subject* subject, const QuestionRequest& question);
std::vector<Content> all_contents(const Subject* subject, const AuditRequest& request);
std::vector<Content> all_contents(const Subject* subject, const ReportRequest& request);
std::vector<Content> all_contents(const Subject* subject, const EvaluateRequest& request, Dataset& data);
Content model_content(const Subject& subject);

}  // namespace ascribe::core::study
