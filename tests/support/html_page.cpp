#include "support/html_page.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace ascribe::core {

namespace {

using Names = std::set<std::string_view>;

const Names kElements = {
    "a",       "article", "b",     "body",    "button", "caption",  "circle",     "code",    "dd",     "defs",
    "details", "div",     "dl",    "dt",      "em",     "fieldset", "figcaption", "figure",  "footer", "g",
    "h1",      "h2",      "h3",    "h4",      "head",   "header",   "html",       "image",   "img",    "input",
    "label",   "legend",  "li",    "line",    "link",   "main",     "meta",       "nav",     "ol",     "option",
    "output",  "p",       "path",  "polygon", "pre",    "rect",     "script",     "section", "select", "small",
    "span",    "strong",  "style", "summary", "svg",    "symbol",   "table",      "tbody",   "td",     "text",
    "tfoot",   "th",      "thead", "title",   "tr",     "ul",       "use"};
const Names kWithoutEnd = {"img", "input", "link", "meta"};
// Beside all that begin with aria- and data-.
const Names kAttributes = {"alt",
                           "charset",
                           "checked",
                           "class",
                           "colspan",
                           "content",
                           "cx",
                           "cy",
                           "d",
                           "download",
                           "fill",
                           "fill-opacity",
                           "font-family",
                           "font-size",
                           "font-weight",
                           "for",
                           "height",
                           "hidden",
                           "href",
                           "http-equiv",
                           "id",
                           "lang",
                           "max",
                           "min",
                           "name",
                           "paint-order",
                           "points",
                           "preserveAspectRatio",
                           "r",
                           "rel",
                           "role",
                           "rowspan",
                           "scope",
                           "selected",
                           "src",
                           "step",
                           "stroke",
                           "stroke-linecap",
                           "stroke-linejoin",
                           "stroke-opacity",
                           "stroke-width",
                           "style",
                           "tabindex",
                           "text-anchor",
                           "title",
                           "transform",
                           "type",
                           "value",
                           "viewBox",
                           "width",
                           "x",
                           "x1",
                           "x2",
                           "xmlns",
                           "y",
                           "y1",
                           "y2"};
const std::vector<std::string_view> kEntities = {"amp;", "lt;", "gt;", "quot;", "#39;"};
constexpr std::string_view kPicture = "data:image/png;base64,";

class Page {
 public:
  Page(std::string_view page, std::string_view script, std::string_view style)
      : page_(page), script_(script), style_(style) {}

  size_t elements = 0, attributes = 0;

  void read() {
    take("<!doctype html>\n");
    while (at_ < page_.size()) {
      if (page_[at_] != '<') text('<');
      else if (page_.substr(at_, 2) == "</") end();
      else begin();
    }
    if (!open_.empty()) wrong("'" + std::string(open_.back()) + "' has no end");
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    const size_t from = at_ - std::min<size_t>(at_, 40);
    throw std::runtime_error(fmt::format("{} at byte {}: {}", what, at_, page_.substr(from, 120)));
  }
  void take(std::string_view expected) {
    if (page_.substr(at_, expected.size()) != expected) wrong(fmt::format("there is no '{}'", expected));
    at_ += expected.size();
  }
  std::string_view name() {
    const size_t from = at_;
    while (at_ < page_.size() && (std::isalnum(static_cast<unsigned char>(page_[at_])) || page_[at_] == '-')) ++at_;
    return page_.substr(from, at_ - from);
  }
  // Up to `end`; characters that could mean something else are escaped.
  std::string_view text(char end) {
    const size_t from = at_;
    for (; at_ < page_.size() && page_[at_] != end; ++at_) {
      const char c = page_[at_];
      if (c == '<' || (c == '>' && end == '"')) wrong("a text has a bare character of markup");
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') wrong("a text has a control character");
      if (c == '&') {
        const std::string_view rest = page_.substr(at_ + 1);
        const bool known = std::any_of(kEntities.begin(), kEntities.end(), [&](auto e) { return rest.starts_with(e); });
        if (!known) wrong("a text has an unknown entity");
      }
    }
    return page_.substr(from, at_ - from);
  }

  void begin() {
    take("<");
    const std::string_view element = name();
    if (!kElements.contains(element)) wrong(fmt::format("an element is called '{}'", element));
    ++elements;
    bool data = false;
    while (page_.substr(at_, 1) == " ") {
      take(" ");
      data = attribute(element) || data;
    }
    const bool closed = page_.substr(at_, 1) == "/";
    if (closed) take("/");
    take(">");
    if (element == "script") return code(data);
    if (element == "style") return sheet();
    if (!closed && !kWithoutEnd.contains(element)) open_.push_back(element);
  }

  // Whether it says that a script is data.
  bool attribute(std::string_view element) {
    ++attributes;
    const std::string_view attribute = name();
    if (!kAttributes.contains(attribute) && !attribute.starts_with("aria-") && !attribute.starts_with("data-")) {
      wrong(fmt::format("an attribute is called '{}'", attribute));
    }
    if (page_.substr(at_, 1) != "=") return false;
    take("=\"");
    const std::string_view value = text('"');
    take("\"");
    const bool target = attribute == "href" || attribute == "src";
    if (target && !value.starts_with('#') && !value.starts_with(kPicture) && !value.starts_with("data:,") &&
        !(element == "a" && is_neighbour(value))) {
      wrong(fmt::format("something is fetched or opened: '{}'", value));
    }
    if (attribute == "style" && (value.find("url") != value.npos || value.find('@') != value.npos)) {
      wrong(fmt::format("a style fetches: '{}'", value));
    }
    return attribute == "type" && value == "application/json";
  }
  // The page of a row in the folder beside: no scheme, no host, nothing above.
  static bool is_neighbour(std::string_view value) {
    return value.ends_with(".html") && value.find(':') == value.npos && value.find("..") == value.npos &&
           !value.starts_with('/') && !value.starts_with('\\');
  }

  void code(bool data) {
    if (data) {
      const size_t end = page_.find('<', at_);
      if (end == page_.npos) wrong("data have no end");
      at_ = end;
    } else {
      take(script_);
    }
    take("</script>");
  }

  // The program's own, or rules that name no other address; texts in them cannot end.
  void sheet() {
    if (page_.substr(at_).starts_with(style_)) {
      take(style_);
    } else {
      while (at_ < page_.size() && page_[at_] != '<') {
        if (page_[at_] == '"') string_of_style();
        else if (page_.substr(at_, 4) == "url(") take("url("), take(kPicture);
        else if (page_.substr(at_, 7) == "@import") wrong("a style imports");
        else ++at_;
      }
    }
    take("</style>");
  }
  void string_of_style() {
    for (++at_; at_ < page_.size() && page_[at_] != '"'; ++at_) {
      if (page_[at_] == '\n' || page_[at_] == '<') wrong("a text in a style ends before its quote");
      if (page_[at_] == '\\') ++at_;
    }
    take("\"");
  }

  void end() {
    take("</");
    const std::string_view element = name();
    take(">");
    if (open_.empty() || open_.back() != element) wrong(fmt::format("'{}' ends, which is not open", element));
    open_.pop_back();
  }

  std::string_view page_, script_, style_;
  size_t at_ = 0;
  std::vector<std::string_view> open_;
};

}  // namespace

PageParts parts_of_page(std::string_view page, std::string_view script, std::string_view style) {
  Page read(page, script, style);
  try {
    read.read();
    return {read.elements, read.attributes, {}};
  } catch (const std::runtime_error& error) {
    return {read.elements, read.attributes, error.what()};
  }
}

Json without_markup(Json document) {
  if (document.is_text()) {
    std::string text = document.text();
    for (char& c : text) {
      if (std::string_view("<>&\"'").find(c) != std::string_view::npos) c = '~';
    }
    return text;
  }
  if (document.is_list()) {
    for (Json& item : document.items()) item = without_markup(std::move(item));
  } else if (document.is_object()) {
    for (auto& [key, value] : document.members()) value = without_markup(std::move(value));
  }
  return document;
}

}  // namespace ascribe::core
