// The record of what a command made (study/records/record.h), and where it goes: into the JSON that is printed or
// written, as record.json into a folder, beside any other file as FILE.record.json, and as hashes into the log.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/shared_options.h"
#include "study/records/record.h"
#include "study/records/record_file.h"

namespace ascribe::core::cli {

// --log
void add_log(Options& options, General& general);

// The record, and an entry in the log if there is one; null: nobody wants it. Comes before anything is written or
// printed, so that no result gets out that the log does not have.
Json recorded(const General& general, const Output& output,
              const std::function<Json(const study::Origin& origin)>& make);

// A part of a result (--shard) is not one: refuses to log it.
void refuse_log_of_part(const General& general);

// With the record as its last member.
Json with_record(Json result, const Json& record);

// Of outputs that are one file.
void check_record_beside(const Output& output);
void write_record_beside(const Output& output, const Json& record);
// Of folders.
std::vector<std::string> with_record_name(std::vector<std::string> names);
std::vector<NamedBytes> with_record_file(std::vector<NamedBytes> files, const Json& record);

}  // namespace ascribe::core::cli
