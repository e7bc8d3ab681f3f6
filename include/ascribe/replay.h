// A result computed again from its record, and held against it (docs/howto/records.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ascribe/export.h>
#include <ascribe/question.h>

namespace ascribe {
inline namespace v1 {

enum class ReplayAnswer {
  same,              // every bit
  within_tolerance,  // but for rounding
  different,         // json() says where
  not_possible       // files have changed or are missing: json() says which; nothing was computed
};

class ASCRIBE_API Replay {
 public:
  ReplayAnswer answer() const;
  // Paths of files that have changed or are missing; of what was in memory, its name or role ("input").
  std::vector<std::string> changed() const;
  std::string json() const;  // what `ascribe replay --json` prints

  struct State;
  explicit Replay(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

// `path`: a record.json, or a result in JSON that holds a record. `files`: ROLE=FILE in the place of those that the
// record names, such as model=m.onnx or input=x.png. Of the options: threads, batch, progress and note.
ASCRIBE_API Replay replay(const std::string& path, const std::vector<std::string>& files = {},
                          const Options& options = {});
// The same of a record that is in memory: what record_json() gave, or a result in JSON that holds a record.
ASCRIBE_API Replay replay_record(const std::string& record_json, const std::vector<std::string>& files = {},
                                 const Options& options = {});

}  // namespace v1
}  // namespace ascribe
