#include "cli/recorded.h"

#include "cli/program.h"
#include "study/records/run_log.h"
#include "study/report.h"

namespace ascribe::core::cli {

namespace {

Output record_beside(const Output& output) { return {study::record_beside(output.path), output.force}; }

}  // namespace

void add_log(Options& options, General& general) {
  options.add("--log", general.log,
              "Append an entry to this log: hashes of model, inputs and results, and the settings;\n"
              "ascribe log verify checks it",
              "FILE");
}

Json recorded(const General& general, const Output& output,
              const std::function<Json(const study::Origin& origin)>& make) {
  if (!general.json && output.path.empty() && general.log.empty()) return {};
  Json record = make({command_text(), study::moment_text()});
  if (!general.log.empty()) study::append_to_log(general.log, study::log_entry(record));
  return record;
}

void refuse_log_of_part(const General& general) {
  if (!general.log.empty()) fail(ErrorKind::argument, "log", "a part is not a result; nothing is logged of it");
}

Json with_record(Json result, const Json& record) {
  if (!record.is_null()) result["record"] = record;
  return result;
}

void check_record_beside(const Output& output) {
  if (!output.path.empty()) check_output(record_beside(output), {".json"});
}

void write_record_beside(const Output& output, const Json& record) {
  if (!output.path.empty()) write_output(record_beside(output), study::record_file(study::record_text(record)));
}

std::vector<std::string> with_record_name(std::vector<std::string> names) {
  names.emplace_back(study::kRecordFile);
  return names;
}

std::vector<NamedBytes> with_record_file(std::vector<NamedBytes> files, const Json& record) {
  return study::with_record_file(std::move(files), study::record_text(record));
}

}  // namespace ascribe::core::cli
