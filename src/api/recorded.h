// Answers with the record of how they came about (study/records/record.h), if it was asked for. It is made before the
// call returns: until then the numbers that the caller lent are there to be hashed.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/state.h"
#include "study/records/record.h"
#include "study/records/record_file.h"
#include "study/report.h"

namespace ascribe {

// Of an answer that is a part of what was asked for there is none: a replay would compute all of it.
template <class Result>
bool is_whole(const Result& result) {
  if constexpr (requires { result.stopped; }) return !result.stopped;
  else return true;
}

// `on`: the subject, as record_of takes it.
template <class State, class On, class Request, class Result>
std::shared_ptr<State> recorded(const Options::State& how, const On& on, const Request& request, Result result) {
  std::string record;
  if (how.record && is_whole(result)) {
    const core::Watch watch(how.run.progress);  // hashing takes time
    if (watch.progress()) watch.progress()("record", 0, 1);
    const core::study::Origin origin{"", core::study::moment_text()};
    record = core::study::record_text(core::study::record_of(on, request, result, origin));
  }
  return std::make_shared<State>(State{std::move(result), std::move(record)});
}

// Of verbs that decide by the clock: a replay follows what it said.
inline core::study::TimeKeeping time_of(const Options::State& how) {
  core::study::TimeKeeping time;
  if (how.record) time.diary = std::make_shared<core::study::TimeDiary>();
  return time;
}

inline std::vector<core::NamedBytes> with_record(std::vector<core::NamedBytes> files, const std::string& record) {
  return record.empty() ? files : core::study::with_record_file(std::move(files), record);
}

}  // namespace ascribe
