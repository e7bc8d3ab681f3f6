// Replay: a result computed again from its record (study/records/record.h), and held against it. Files are found by the
// paths of the record and looked at first: what has changed since is named, and nothing is computed unless that is
// wanted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/records/record.h"

namespace ascribe::core::study {

struct ReplayRequest {
  Json document;      // a record, or a result in JSON that holds one
  std::string where;  // its file, for complaints and to find others beside it
  // Files in place of those that the record names, by role: "model", "input", "labels", ...; as many as it has of them.
  std::map<std::string, std::vector<std::string>> replaced = {};
  std::vector<std::string> folders = {};  // where files may lie that are not where they were
  bool anyway = false;                    // compute although files have changed
  std::optional<size_t> memory = {};      // nothing: as recorded
  std::optional<int64_t> batch = {};      // of evaluate; nothing: as recorded
  Run run = {};                           // whose seed is the record's
};

enum class ContentState { same, changed, missing };

struct CheckedContent {
  Content recorded;
  std::string path;    // where it was looked for; empty: it was in memory, and nobody gave it
  std::string sha256;  // of what is there; empty: nothing is
  ContentState state = ContentState::missing;
  std::string why = {};  // it is missing
};

struct ReplayResult {
  std::string verb, version, created, command;  // as recorded; version: of the program that made it
  std::vector<CheckedContent> contents;
  bool computed = false;  // otherwise something has changed or is missing
  int64_t threads_then = 0, threads_now = 0;
  std::string precision;
  bool same_version = true, same_machine = true;
  Comparing comparing;
  std::vector<std::string> notes;

  std::vector<const CheckedContent*> changed() const;
};

// Complaints about the record are of kind io and name the place.
ReplayResult replay(const ReplayRequest& request);

// Differences of numbers are measured against the largest of their part and the outputs they are differences of. Of one
// precision, what other batches and threads may change: outputs are known to 1e-5 (float) and 1e-12 (double) of the
// largest, and results are sums of many of them.
inline constexpr double kReplayTolerance = 1e-10, kReplayToleranceOfFloat = 1e-4;

Json to_json(const ReplayResult& result);

// The record in a document: itself, or its member.
const Json& record_in(const Json& document, std::string_view where);

}  // namespace ascribe::core::study
