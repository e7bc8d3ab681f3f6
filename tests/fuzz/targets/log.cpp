// The log of runs: any file, and one whose lines have the hashes that they should. What can be appended to stays a log.
#include "base/json.h"
#include "base/sha256.h"
#include "fuzz/target.h"
#include "study/records/run_log.h"

namespace ascribe::core::fuzz::target_log {
namespace {

// Every line that is an object gets the hash of the line before and its own.
std::string chained(const std::string& text) {
  std::string previous(64, '0'), all;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    try {
      Json json = parse_json(line, "line");
      if (!json.is_object()) continue;
      json.erase("sha256");
      json["previous"] = previous;
      previous = sha256(json.dump(-1));
      json["sha256"] = previous;
      line = json.dump(-1);
    } catch (const Error&) {  // stays as it is
    }
    all += line + (at <= text.size() ? "\n" : "");
  }
  return all;
}

void read(const std::string& bytes) {
  const std::string path = scratch_file("runs.jsonl", bytes);
  const study::LogCheck before = study::read_log(path);
  study::check_log(path);
  const std::string head = study::append_to_log(path, Json::object({{"verb", "predict"}}));
  const study::LogCheck after = study::read_log(path);
  hold(!before.good() || (after.good() && after.head == head && after.lines.size() == before.lines.size() + 1),
       "a line more in a good log gives a good log");
}

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  for (const std::string& log : {text, chained(text)}) {
    try {
      read(log);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
    }
  }
}

const RegisterTarget registered({"log", "logs of runs", Form::json_lines, 2048, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_log
