// A log of runs that can only grow unnoticed: one JSON document per line, each with the hash of the line before it and
// its own. It holds hashes of inputs and results, and settings; no values, no names of inputs (docs/howto/records.md).
//
//   {"log": "ascribe log", "version": 1, "number": 2, "time": "2026-11-17T15:08:03Z", "previous": SHA-256 of line 1,
//    "torn"?: {"bytes", "sha256"}, "run": {...}, "sha256": of this line without this member}
//
// A line is written by one call under a lock, and is on the disk before anybody sees the result. What a crash has left
// of a line stays where it is: the next line names its length and hash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace ascribe::core::study {

// What a log tells of a run: of a record (study/records/record.h) the settings and hashes.
Json log_entry(const Json& record);

// Complains, kind io, before the work, of a log that cannot be written or whose end is damaged. Makes it (readable by
// its owner only) if there is none.
void check_log(const std::string& path);

// Appends a line; waits for others who do so. Gives the hash of the line: the head of the log.
std::string append_to_log(const std::string& path, const Json& run);

struct LogLine {
  int64_t number = 0;
  std::string time, sha256;
  Json run;
};

struct LogCheck {
  std::vector<LogLine> lines;       // up to the first that is bad
  std::string head;                 // hash of the last good line; zeros: there is none
  std::optional<int64_t> bad_line;  // of the file, counted from 1
  std::string problem;              // of it; or of the log as a whole
  std::vector<int64_t> torn;        // lines that crashes have left behind, which the next line tells
  bool torn_end = false;            // the last line is not whole

  bool good() const { return problem.empty(); }
};

// `head`: what the hash of the last line has to be; empty: anything. A chain cannot tell that lines at its end are
// missing; who keeps the head elsewhere can.
LogCheck read_log(const std::string& path, const std::string& head = {});

}  // namespace ascribe::core::study
