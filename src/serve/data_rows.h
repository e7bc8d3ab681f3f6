// The rows that can be chosen: those of the data the program was started with, or of a file that somebody dropped. They
// are counted when the data are opened, and read one by one when they are asked for.
#pragma once

#include <string>
#include <vector>

#include "study/question.h"

namespace ascribe::core::serve {

class DataRows {
 public:
  DataRows() = default;  // none
  // `source`: files, folders of pictures, or a file in memory, and how they are read.
  DataRows(const study::Subject& subject, study::RowSource source);

  int64_t count() const { return static_cast<int64_t>(entries_.size()); }
  const std::string& name(int64_t row) const;
  study::RowSource row(int64_t number) const;  // one row alone; complains of a number that there is not
  // Rows from `first` on that can be read together: at most `most`.
  int64_t together(int64_t first, int64_t most) const;
  study::RowSource rows(int64_t first, int64_t count) const;  // that can be read together

 private:
  struct Entry {
    size_t part = 0;   // of parts_
    int64_t row = -1;  // of the part; -1: it is the only one
    std::string name;
  };
  void check(int64_t row) const;
  void add_part(const study::Subject& subject, study::RowSource part);

  std::vector<study::RowSource> parts_;  // whose rows follow each other
  std::vector<Entry> entries_;
};

// The last part of a path, without what could not be shown or would name an input of the model.
std::string harmless_name(std::string_view name);

}  // namespace ascribe::core::serve
