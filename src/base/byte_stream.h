// The bytes of a file that may be too large for memory, plain or gzip (recognised by its content). Plain files are read
// at any place; compressed ones are decoded forwards through a small window, and from the beginning to go back. What
// comes out of them has a budget (base/unpacking.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ascribe::core {

class ByteStream {
 public:
  // Refuses folders and devices. Complaints are of kind io and name the file and the position.
  explicit ByteStream(const std::string& path);
  // A part of a plain file: `length` bytes from `offset`, deflated (without any wrapping) or stored.
  ByteStream(const std::string& path, int64_t offset, int64_t length, bool deflated);
  ~ByteStream();
  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;

  const std::string& path() const;
  std::optional<int64_t> size() const;  // nothing: compressed, so it shows at the end
  int64_t most() const;                 // bytes that there may be: its size, or the budget of what is unpacked
  int64_t position() const;             // of the next byte that is read

  void seek(int64_t position);
  size_t read_some(std::span<char> out);              // fewer bytes only at the end
  void read(std::span<char> out);                     // refuses a file that ends before
  std::string read_text(size_t count);                // likewise
  bool read_line(std::string& line, size_t longest);  // without its end; false: there is none

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ascribe::core
