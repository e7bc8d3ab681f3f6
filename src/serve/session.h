// What one viewer works with: the model, the rows that can be chosen, and the rows that were opened last. Only the one
// thread that computes (worker.h) touches it.
#pragma once

#include <functional>
#include <list>
#include <string>
#include <vector>

#include "serve/data_rows.h"
#include "study/open_row.h"
#include "study/report.h"

namespace ascribe::core::serve {

// What was chosen when the program was started.
struct Settings {
  study::QuestionRequest question = {};  // with the data, and how files are read
  study::ReportRequest report = {};      // its methods, metrics, settings and budget
  // A message in the words of whoever reads it; empty: as it is.
  std::function<std::string(const Error&)> error_text = {};
  std::function<std::string(const std::string&)> note_text = {};

  std::string said(const Error& error) const { return error_text ? error_text(error) : error.what(); }
  std::string said(const std::string& note) const { return note_text ? note_text(note) : note; }
};

// A row and what is asked about it, as the page says it.
struct Asking {
  bool file = false;  // of the file that was dropped, not of the data
  int64_t row = 0;
  std::string target = {}, baseline = {}, players = {};  // empty: as the program was started

  friend bool operator==(const Asking&, const Asking&) = default;
};

class Session {
 public:
  Session(study::Subject subject, Settings settings);

  const study::Subject& subject() const { return subject_; }
  const Settings& settings() const { return settings_; }
  const DataRows& rows(bool of_file) const { return of_file ? dropped_ : data_; }

  // The last file that was dropped takes the place of the one before.
  void take_file(const std::string& name, std::string bytes);
  void take_text(const std::string& text);  // likewise, as tokens of the vocabulary that the program was started with

  study::QuestionRequest question(const Asking& asking) const;
  // Opened once; the few that were used last are kept.
  study::OpenRow& open(const Asking& asking, const study::Run& run);

 private:
  struct Opened {
    Asking asking;
    study::OpenRow row;
  };

  study::Subject subject_;
  Settings settings_;
  DataRows data_, dropped_;
  std::list<Opened> opened_;  // the last one first
};

}  // namespace ascribe::core::serve
