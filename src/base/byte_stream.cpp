#include "base/byte_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/inflate.h"
#include "base/unpacking.h"

namespace ascribe::core {

namespace {

constexpr size_t kWindow = size_t{1} << 16;

}  // namespace

struct ByteStream::State {
  std::string path;
  int file = -1;
  int64_t begin = 0, end = 0;  // of the part of the file
  bool gzip = false, deflated = false;
  int64_t position = 0;  // in what comes out

  // What was decoded and not yet read.
  std::vector<char> out;
  size_t out_begin = 0, out_end = 0;

  // The decoder.
  z_stream zlib{};
  bool decoding = false, finished = false;
  int64_t packed_position = 0;
  std::vector<char> in;

  explicit State(std::string where) : path(std::move(where)) {}
  ~State() {
    stop();
    if (file >= 0) ::close(file);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool packed() const { return gzip || deflated; }

  int64_t most() const {
    const int64_t size = end - begin;
    return packed() ? most_unpacked(size) : size;
  }

  void open() {
    file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) fail(ErrorKind::io, path, "cannot open the file; {}", std::strerror(errno));
    struct stat info {};
    if (::fstat(file, &info) != 0) fail(ErrorKind::io, path, "cannot read the file; {}", std::strerror(errno));
    if (!S_ISREG(info.st_mode)) fail(ErrorKind::io, path, "not a regular file");
    end = info.st_size;
  }

  size_t read_file(int64_t at, std::span<char> to) const {
    size_t done = 0;
    const auto wanted = static_cast<size_t>(std::clamp<int64_t>(end - at, 0, static_cast<int64_t>(to.size())));
    while (done < wanted) {
      const ssize_t count = ::pread(file, to.data() + done, wanted - done, at + static_cast<int64_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(ErrorKind::io, path, "cannot read at byte {}; {}", at, std::strerror(errno));
      if (count == 0) break;
      done += static_cast<size_t>(count);
    }
    return done;
  }

  void stop() {
    if (decoding) inflateEnd(&zlib);
    decoding = false;
  }

  // Begins the stream, or the next member of a gzip file.
  void start() {
    stop();
    zlib = {};
    if (inflateInit2(&zlib, gzip ? kGzipWindow : kRawWindow) != Z_OK) {
      fail(ErrorKind::internal, path, "zlib cannot start");
    }
    decoding = true;
  }

  void forget_window() { out_begin = out_end = 0; }

  void rewind() {
    packed_position = begin;
    position = 0;
    forget_window();
    finished = false;
    start();
  }

  [[noreturn]] void damaged(std::string_view what) const {
    fail(ErrorKind::io, path, "the compressed data {}, near byte {} of the file", what, packed_position);
  }

  // Whether another member follows; zeros at the end are padding.
  bool another_member() {
    if (!gzip || packed_position >= end) return false;
    std::array<char, 2> head{};
    const size_t count = read_file(packed_position, head);
    if (is_gzip(std::string_view(head.data(), count))) return true;
    if (head[0] != 0) damaged("is followed by other bytes");
    return false;
  }

  // Decodes some more.
  void refill() {
    out.resize(kWindow);
    in.resize(kWindow);
    forget_window();
    while (out_end == 0 && !finished) {
      const size_t given = read_file(packed_position, in);
      zlib.next_in = reinterpret_cast<Bytef*>(in.data());
      zlib.avail_in = static_cast<uInt>(given);
      zlib.next_out = reinterpret_cast<Bytef*>(out.data());
      zlib.avail_out = static_cast<uInt>(out.size());
      const int status = inflate(&zlib, Z_NO_FLUSH);
      packed_position += static_cast<int64_t>(given - zlib.avail_in);
      out_end = out.size() - zlib.avail_out;
      if (position + static_cast<int64_t>(out_end) > most()) {
        fail(ErrorKind::io, path, "the compressed data is too large; expected at most {} bytes; unpack the file first",
             most());
      }
      if (status == Z_STREAM_END) {
        finished = !another_member();
        if (!finished) start();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        damaged("is damaged");
      } else if (given == 0 && out_end == 0) {
        damaged("is cut short");
      }
    }
  }

  size_t read_some(std::span<char> to) {
    if (!packed()) {
      forget_window();
      const size_t count = read_file(begin + position, to);
      position += static_cast<int64_t>(count);
      return count;
    }
    size_t done = 0;
    while (done < to.size()) {
      if (out_begin == out_end) refill();
      const size_t count = std::min(to.size() - done, out_end - out_begin);
      if (count == 0) break;
      std::memcpy(to.data() + done, out.data() + out_begin, count);
      out_begin += count;
      done += count;
      position += static_cast<int64_t>(count);
    }
    return done;
  }

  // Forwards in a compressed stream; what is passed over is decoded all the same.
  void skip_to(int64_t wanted) {
    while (position < wanted) {
      if (out_begin == out_end) refill();
      const auto count = std::min<int64_t>(wanted - position, static_cast<int64_t>(out_end - out_begin));
      if (count == 0) fail(ErrorKind::io, path, "the file ends at byte {}; expected {} or more", position, wanted);
      out_begin += static_cast<size_t>(count);
      position += count;
    }
  }
};

ByteStream::ByteStream(const std::string& path) : state_(std::make_unique<State>(path)) {
  state_->open();
  std::array<char, 2> head{};
  const size_t count = state_->read_file(0, head);
  state_->gzip = is_gzip(std::string_view(head.data(), count));
  if (state_->gzip) state_->rewind();
}

ByteStream::ByteStream(const std::string& path, int64_t offset, int64_t length, bool deflated)
    : state_(std::make_unique<State>(path)) {
  state_->open();
  if (offset < 0 || length < 0 || offset > state_->end || length > state_->end - offset) {
    fail(ErrorKind::io, path, "the file is cut short; got {} bytes; expected {} at {}", state_->end, length, offset);
  }
  state_->begin = offset;
  state_->end = offset + length;
  state_->deflated = deflated;
  if (deflated) state_->rewind();
}

ByteStream::~ByteStream() = default;
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;

const std::string& ByteStream::path() const { return state_->path; }

std::optional<int64_t> ByteStream::size() const {
  if (state_->packed()) return std::nullopt;
  return state_->end - state_->begin;
}

int64_t ByteStream::most() const { return state_->most(); }

int64_t ByteStream::position() const { return state_->position; }

void ByteStream::seek(int64_t position) {
  require(position >= 0, state_->path, "a position before the file");
  if (!state_->packed()) {
    state_->forget_window();
    state_->position = position;
    return;
  }
  if (position < state_->position) state_->rewind();
  state_->skip_to(position);
}

size_t ByteStream::read_some(std::span<char> out) { return state_->read_some(out); }

void ByteStream::read(std::span<char> out) {
  const int64_t start = state_->position;
  if (const size_t count = read_some(out); count < out.size()) {
    fail(ErrorKind::io, state_->path, "the file is cut short; got {} bytes at byte {}; expected {}", count, start,
         out.size());
  }
}

std::string ByteStream::read_text(size_t count) {
  std::string text(count, '\0');
  read(text);
  return text;
}

bool ByteStream::read_line(std::string& line, size_t longest) {
  line.clear();
  State& s = *state_;
  bool any = false;
  for (;;) {
    // Plain files too go through the window here, or every line would be a call to the system.
    if (s.out_begin == s.out_end) {
      if (s.packed()) {
        s.refill();
      } else {
        s.out.resize(kWindow);
        s.out_begin = 0;
        s.out_end = s.read_file(s.begin + s.position, s.out);
      }
      if (s.out_begin == s.out_end) return any;
    }
    any = true;
    const char *from = s.out.data() + s.out_begin, *to = s.out.data() + s.out_end;
    const char* found = std::find(from, to, '\n');
    line.append(from, found);
    const auto used = static_cast<size_t>(found - from) + (found == to ? 0 : 1);
    s.out_begin += used;
    s.position += static_cast<int64_t>(used);
    if (line.size() > longest) {
      fail(ErrorKind::io, s.path, "the line that ends after byte {} is longer than {} bytes", s.position, longest);
    }
    if (found != to) return true;
  }
}

}  // namespace ascribe::core
