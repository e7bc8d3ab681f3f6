// A file of finished work, one JSON document per line, so that work that was interrupted goes on where it was. The
// first line is a fingerprint: everything that determines the results. A last line that is not whole is forgotten.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json_place.h"

namespace ascribe::core {

class Journal {
 public:
  // Opens the journal at `path`, or begins one. A journal with another fingerprint (an object of texts and numbers) is
  // refused, kind io, saying what differs; with `force` it is begun anew.
  Journal(std::string path, const Json& fingerprint, bool force);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Every line that was there when it was opened, in turn. What `remember` complains of, kind io, becomes a complaint
  // about that line.
  void replay(const std::function<void(const JsonPlace&)>& remember) const;
  // Adds a line, which is in the file when this returns.
  void append(const Json& line);

 private:
  std::string path_;
  int file_ = -1;
  std::vector<Json> lines_;
};

// Of two objects, for people: "seed: 0 there, 1 now".
std::string differences(const Json& there, const Json& now);

}  // namespace ascribe::core
