// A file of finished work, one JSON document per line, so that work that was interrupted goes on where it was. The
// first line is a fingerprint: everything that determines the results. A last line that is not whole is forgotten.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ascribe::core {

class Journal {
 public:
  // Opens the journal at `path`, or begins one. A journal with another fingerprint (an object of texts and numbers) is
  // refused, kind io, saying what differs; with `force` it is begun anew.
  Journal(std::string path, const nlohmann::ordered_json& fingerprint, bool force);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // What was there when it was opened.
  const std::vector<nlohmann::ordered_json>& lines() const { return lines_; }
  // Adds a line, which is in the file when this returns.
  void append(const nlohmann::ordered_json& line);
  // Deletes the file: the results are written.
  void remove();

 private:
  std::string path_;
  int file_ = -1;
  std::vector<nlohmann::ordered_json> lines_;
};

}  // namespace ascribe::core
