// Where records lie: in a folder as record.json, beside any other file as FILE.record.json.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"

namespace ascribe::core::study {

inline constexpr const char* kRecordFile = "record.json";  // of a folder

inline std::string record_beside(const std::string& path) { return path + ".record.json"; }

// As it is kept; a file of it ends in a new line.
inline std::string record_text(const Json& record) { return record.dump(1); }
inline std::string record_file(const std::string& text) { return text + "\n"; }

inline std::vector<NamedBytes> with_record_file(std::vector<NamedBytes> files, const std::string& text) {
  files.push_back({kRecordFile, record_file(text)});
  return files;
}

}  // namespace ascribe::core::study
