#include "cli/guarded_streams.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <new>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/utf8.h"

namespace ascribe::core::cli {

namespace {

constexpr char kEscape = '\x1b';
constexpr size_t kLongestColour = 48;  // both colours of a cell take 40

// Bytes at the end that begin a character of UTF-8 and lack the rest.
size_t unfinished_character(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<uint8_t>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return wanted > back ? back : 0;
  }
  return 0;
}

// The same for a colour.
size_t unfinished_colour(std::string_view text) {
  const size_t from = text.rfind(kEscape);
  if (from == text.npos || text.size() - from > kLongestColour) return 0;
  const std::string_view begun = text.substr(from + 1);
  const bool open = begun.empty() || (begun[0] == '[' && begun.find_first_not_of("0123456789;", 1) == begun.npos);
  return open ? text.size() - from : 0;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

struct Guarded {
  int descriptor;
  TextGuard guard;
};

ssize_t write_guarded(void* cookie, const char* bytes, size_t size) {
  auto& stream = *static_cast<Guarded*>(cookie);
  try {  // nothing may be thrown through C's streams
    const bool written = write_all(stream.descriptor, stream.guard.passed({bytes, size}));
    // Nobody is there whom notes and errors could be told; the work and its exit code do not depend on them.
    return written || stream.descriptor == STDERR_FILENO ? static_cast<ssize_t>(size) : 0;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return 0;
  }
}

int close_guarded(void* cookie) {
  auto& stream = *static_cast<Guarded*>(cookie);
  try {
    return write_all(stream.descriptor, stream.guard.rest()) ? 0 : EOF;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return EOF;
  }
}

FILE* guarded(FILE* before, Guarded& stream, int buffering) {
  FILE* opened = ::fopencookie(&stream, "w", {nullptr, write_guarded, nullptr, close_guarded});
  if (opened == nullptr) return before;  // no memory: whoever needs some more will say so
  std::setvbuf(opened, nullptr, buffering, buffering == _IONBF ? 0 : BUFSIZ);
  return opened;
}

// A file that the program opens would get the number of a stream that whoever started it has closed, and what is meant
// for people would be written into it. The standard output stays one that cannot be written.
void occupy_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    const int opened = ::open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR);
    if (opened > descriptor) ::close(opened);
  }
}

}  // namespace

// Length of a sequence of our own that begins here; 0: none does.
size_t TextGuard::own_sequence(std::string_view text) const {
  if (text[0] == '\n' || text[0] == '\t') return 1;
  if (text[0] == '\r') return passing_.bar ? 1 : 0;
  if (text[0] != kEscape || text.size() < 3 || text[1] != '[') return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  if (end == text.npos || end > kLongestColour) return 0;
  const bool own = (text[end] == 'm' && passing_.colours) || (text[end] == 'K' && end == 2 && passing_.bar);
  return own ? end + 1 : 0;
}

std::string TextGuard::shown(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t special = std::min(text.find_first_of("\n\t\r\x1b"), text.size());
    out += visible_text(text.substr(0, special));
    text.remove_prefix(special);
    if (text.empty()) break;
    const size_t own = own_sequence(text);
    out += own > 0 ? std::string(text.substr(0, own)) : visible_text(text.substr(0, 1));
    text.remove_prefix(std::max<size_t>(own, 1));
  }
  return out;
}

std::string TextGuard::passed(std::string_view piece) {
  std::string text = std::move(waiting_);
  text += piece;
  const size_t keep = std::max(unfinished_character(text), unfinished_colour(text));
  waiting_ = text.substr(text.size() - keep);
  text.resize(text.size() - keep);
  return shown(text);
}

std::string TextGuard::rest() { return shown(std::exchange(waiting_, "")); }

void guard_streams() {
  occupy_closed_streams();
  const bool terminal = ::isatty(STDOUT_FILENO) == 1, errors = ::isatty(STDERR_FILENO) == 1;
  // Nobody destroys them: exit flushes streams after everything else.
  static auto& out = *new Guarded{STDOUT_FILENO, TextGuard({terminal, false})};
  static auto& err = *new Guarded{STDERR_FILENO, TextGuard({errors, errors})};
  stdout = guarded(stdout, out, terminal ? _IOLBF : _IOFBF);
  stderr = guarded(stderr, err, _IONBF);
}

}  // namespace ascribe::core::cli
