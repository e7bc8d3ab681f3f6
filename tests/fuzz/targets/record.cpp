// Records of results: requests of every verb, the files that they name and the findings that they hold. What is read
// as a request is written as the same.
#include "study/records/record.h"
#include "fuzz/target.h"
#include "study/records/recorded_files.h"
#include "study/records/replay.h"

namespace ascribe::core::fuzz::target_record {
namespace {

using namespace study;

template <class F>
void allow_refusal(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
}

template <class Request>
Request nothing() {
  if constexpr (std::is_same_v<Request, CompareRequest>) return {{}, "", ""};
  else return {};
}

template <class Request>
void read(const JsonPlace& place) {
  allow_refusal([&] {
    auto request = nothing<Request>(), again = nothing<Request>();
    read_request(place, request);
    const Json written = request_json(request);
    read_request(JsonPlace(written, "again"), again);
    hold(request_json(again) == written, "a request that is read is written as the same");
  });
}

void feed(Bytes bytes) {
  const Json json = parse_json(text_of(bytes), "fuzz.json");
  const JsonPlace place(record_in(json, "fuzz.json"), "fuzz.json");
  allow_refusal([&] { RecordedFiles({}, {}, "fuzz.json", place).left(); });
  allow_refusal([&] {
    ComparedFindings compared(place.at("results"), kReplayTolerance);
    compared.numbers("row 0", std::vector<double>{1, 2}, {}, {});
    compared.words("row 0 target", {"boot"});
    compared.result();
  });
  allow_refusal([&] { hash_of_record(place.json()); });
  const JsonPlace request = place.at("request");
  read<PredictRequest>(request);
  read<ExplainRequest>(request);
  read<DecomposeRequest>(request);
  read<CompareRequest>(request);
  read<AuditRequest>(request);
  read<VerifyRequest>(request);
  read<EvaluateRequest>(request);
  read<CompileRequest>(request);
  read<ReportRequest>(request);
  read<DatasetRequest>(request);
}

const RegisterTarget registered({"record", "records of results", Form::json, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_record
