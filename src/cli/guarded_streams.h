// The one place through which all that the program prints reaches the terminal, a pipe or a file: names, labels and
// messages of files that somebody else made cannot control a terminal, whoever forgets to make them printable.
#pragma once

#include <string>
#include <string_view>

namespace ascribe::core::cli {

// From now on, on stdout and stderr: characters that control a terminal are shown as \xNN. Line feeds and tabs pass,
// and on a terminal our own colours, and on its stderr what the bar of progress needs. What cannot be written to
// stderr, closed or full, is lost without a word; no file gets the number of a stream that is closed.
void guard_streams();

// What of our own passes.
struct Passing {
  bool colours = false;
  bool bar = false;  // carriage returns, and the rest of a line erased
};

// Text as it comes, in pieces of any size.
class TextGuard {
 public:
  explicit TextGuard(Passing passing) : passing_(passing) {}
  // What can be shown; the beginning of a character or of a colour waits for the rest of it.
  std::string passed(std::string_view piece);
  std::string rest();  // at the end

 private:
  std::string shown(std::string_view text) const;
  size_t own_sequence(std::string_view text) const;

  Passing passing_;
  std::string waiting_;
};

}  // namespace ascribe::core::cli
