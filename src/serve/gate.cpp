#include "serve/gate.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"

namespace ascribe::core::serve {

namespace {

constexpr size_t kTokenBytes = 24;
constexpr int kForbidden = 403, kNotAllowed = 405, kNoLength = 411, kTooLarge = 413, kWrongType = 415;

// Takes as long for any token of this length.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differs = 0;
  for (size_t i = 0; i < a.size(); ++i) differs |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differs == 0;
}

bool is_type(std::string_view type, std::string_view wanted) {
  return type == wanted || (type.starts_with(wanted) && type.substr(wanted.size()).starts_with(';'));
}

}  // namespace

std::string new_token() {
  std::array<unsigned char, kTokenBytes> bytes{};
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (got < 0 && errno != EINTR) fail(ErrorKind::io, "random", "no random numbers: {}", std::strerror(errno));
    if (got > 0) filled += static_cast<size_t>(got);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::string Gate::address() const { return fmt::format("http://127.0.0.1:{}/{}/", port, token); }

int Gate::check(const Knock& knock) const {
  const std::string here = fmt::format("127.0.0.1:{}", port), also = fmt::format("localhost:{}", port);
  if (knock.host != here && knock.host != also) return kForbidden;
  const std::string_view path = knock.path;
  if (path.size() < token.size() + 2 || path[0] != '/' || path[token.size() + 1] != '/') return kForbidden;
  if (token.empty() || !same(path.substr(1, token.size()), token)) return kForbidden;
  if (!knock.origin.empty() && knock.origin != "http://" + knock.host) return kForbidden;
  if (!knock.fetch_site.empty() && knock.fetch_site != "same-origin" && knock.fetch_site != "none") return kForbidden;
  if (knock.method == "GET") return 200;
  if (knock.method != "POST") return kNotAllowed;
  if (knock.origin.empty()) return kForbidden;
  // Neither can be sent by a form, and both say how long they are.
  if (!is_type(knock.content_type, "application/json") && !is_type(knock.content_type, "application/octet-stream")) {
    return kWrongType;
  }
  if (!knock.transfer_encoding.empty() || knock.content_length.empty()) return kNoLength;
  size_t length = 0;
  const char* end = knock.content_length.data() + knock.content_length.size();
  const auto [stop, error] = std::from_chars(knock.content_length.data(), end, length);
  if (error != std::errc() || stop != end || length > most_bytes) return kTooLarge;
  return 200;
}

std::string_view Gate::place(std::string_view path) const { return path.substr(token.size() + 2); }

}  // namespace ascribe::core::serve
