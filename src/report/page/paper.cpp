// What the printed page has on every sheet: which model, which record, when, by which version, and the number of the
// page. Boxes in the margin are written by style sheets alone, so texts of the report enter one here; as escaped
// strings.
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

constexpr size_t kDigits = 16;  // of a hash: enough to tell files apart
constexpr size_t kMostOfName = 48, kMostOfTitle = 96;

// The content of a string in a style sheet. Of ASCII only letters, digits and spaces stay as they are, so nothing can
// end the string, the rule or the element.
std::string css_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : mended_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x80 || is_ascii_letter_or_digit(c);
    if (plain || c == ' ') out += c;
    else if (byte > ' ') out += fmt::format("\\{:x} ", byte);
    else out += ' ';
  }
  return out + "\"";
}

// Long texts without their middle, cut between characters.
std::string shortened(const std::string& given, size_t most) {
  const std::string text = mended_utf8(given);
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) starts.push_back(i);
  }
  if (starts.size() <= most) return text;
  const size_t end = most / 3, start = most - end - 1;
  return text.substr(0, starts[start]) + "…" + text.substr(starts[starts.size() - end]);
}

std::string digits_of(const std::string& hash) { return hash.substr(0, kDigits) + (hash.size() > kDigits ? "…" : ""); }

}  // namespace

std::string paper_styles(const Document& document, const std::string& hash) {
  std::string model = shortened(document.model_file(), kMostOfName);
  if (const std::string own = document.model_hash(); !own.empty()) model += " · SHA-256 " + digits_of(own);
  std::string record = "data of this report: SHA-256 " + digits_of(hash);
  if (!document.created.empty()) record += " · " + document.created;
  record += fmt::format(" · {} {}", document.program.name, document.program.version);
  return fmt::format(
      "@page{{@top-left{{content:{}}}@bottom-left{{content:{} \"\\a \" {}}}"
      "@bottom-right{{content:\"Page \" counter(page) \" of \" counter(pages)}}}}\n"
      "@page:first{{@top-left{{content:\"\"}}}}\n",
      css_string(shortened(document.title, kMostOfTitle)), css_string(model),
      css_string(shortened(record, 2 * kMostOfTitle)));
}

void write_gist(Html& html, const std::string& text) {
  const size_t end = text.find(". ");
  html.text(text.substr(0, end == std::string::npos ? end : end + 1));
  if (end != std::string::npos) html.in("span", {{"class", "rest"}}, text.substr(end + 1));
}

void on_paper(Html& html, const std::string& text) { html.in("p", {{"class", "faint paper"}}, text); }

}  // namespace ascribe::core::page
