// Requests as JSON and back: what was asked, with the defaults written out. Arrays and files in memory are not in it
// (study/content_hash.h tells their hashes), nor are functions of the caller's.
#pragma once

#include "base/json_place.h"
#include "study/audit.h"
#include "study/compare.h"
#include "study/compile.h"
#include "study/dataset_report.h"
#include "study/decompose.h"
#include "study/evaluate.h"
#include "study/explain.h"
#include "study/predict.h"
#include "study/verify.h"

namespace ascribe::core::study {

Json request_json(const PredictRequest& request);
Json request_json(const ExplainRequest& request);
Json request_json(const DecomposeRequest& request);
Json request_json(const CompareRequest& request);
Json request_json(const AuditRequest& request);
Json request_json(const VerifyRequest& request);
Json request_json(const EvaluateRequest& request);
Json request_json(const CompileRequest& request);
Json request_json(const ReportRequest& request);
Json request_json(const DatasetRequest& request);

// Complains, naming the place, of what is missing, of another type, out of range or not known here.
void read_request(const JsonPlace& place, PredictRequest& request);
void read_request(const JsonPlace& place, ExplainRequest& request);
void read_request(const JsonPlace& place, DecomposeRequest& request);
void read_request(const JsonPlace& place, CompareRequest& request);
void read_request(const JsonPlace& place, AuditRequest& request);
void read_request(const JsonPlace& place, VerifyRequest& request);
void read_request(const JsonPlace& place, EvaluateRequest& request);
void read_request(const JsonPlace& place, CompileRequest& request);
void read_request(const JsonPlace& place, ReportRequest& request);
void read_request(const JsonPlace& place, DatasetRequest& request);

}  // namespace ascribe::core::study
