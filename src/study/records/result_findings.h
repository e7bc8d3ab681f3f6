// What results say (study/records/findings.h), verb by verb: every number that a user of the result could rely on, in
// full precision where the result has it.
#pragma once

#include "study/audit.h"
#include "study/compare.h"
#include "study/compile.h"
#include "study/dataset_report.h"
#include "study/decompose.h"
#include "study/evaluate.h"
#include "study/explain.h"
#include "study/predict.h"
#include "study/records/findings.h"
#include "study/verify.h"

namespace ascribe::core::study {

void tell(Findings& findings, const PredictResult& result);
void tell(Findings& findings, const ExplainResult& result);
void tell(Findings& findings, const DecomposeResult& result);
void tell(Findings& findings, const CompareResult& result);
void tell(Findings& findings, const AuditResult& result);
void tell(Findings& findings, const VerifyResult& result);
void tell(Findings& findings, const EvaluateResult& result);
void tell(Findings& findings, const CompileResult& result);
// Reports keep six digits of numbers and sixteen bits of maps: that is what is told.
void tell(Findings& findings, const document::Document& document);
void tell(Findings& findings, const document::DatasetDocument& document);

// {methods: {name: {parameter: value}}, metrics: {...}}: as they took part, defaults and decisions written out.
Json parameters_of(const ExplainResult& result);
Json parameters_of(const CompareResult& result);
Json parameters_of(const AuditResult& result);
Json parameters_of(const EvaluateResult& result);
Json parameters_of(const document::Document& document);
Json parameters_of(const document::DatasetDocument& document);

}  // namespace ascribe::core::study
