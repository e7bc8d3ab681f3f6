// The contents that a record lists (study/records/content_hash.h), taken one by one, and where they are now.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json_place.h"
#include "study/records/content_hash.h"

namespace ascribe::core::study {

class RecordedFiles {
 public:
  // `replaced`: files in the place of those that the record names, by role; `folders`: where others may lie; `where`:
  // the record's own file. Complains, naming the place, of what is no list of contents.
  RecordedFiles(const std::map<std::string, std::vector<std::string>>& replaced,
                const std::vector<std::string>& folders, const std::string& where, const JsonPlace& record);

  // Where the next thing of this role is now; `named`: as the request names it.
  std::string locate(const std::string& role, const std::string& named);
  // The next recorded content of this role that was in a file, or in memory; null: the record has no more.
  const Content* next(const std::string& role, bool in_memory);
  // The files that are given for this role; null: none are.
  const std::vector<std::string>* given(const std::string& role) const;
  std::vector<const Content*> left() const;  // that nobody has taken

 private:
  struct Recorded : Content {
    bool used = false;
  };

  const std::map<std::string, std::vector<std::string>>& replaced_;
  const std::vector<std::string>& folders_;
  std::filesystem::path folder_;  // of the record
  std::vector<Recorded> recorded_;
  std::map<std::string, size_t> counts_;
};

}  // namespace ascribe::core::study
