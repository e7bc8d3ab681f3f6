#include "data/voc_boxes.h"

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

#include <expat.h>

namespace ascribe::core {

namespace {

constexpr size_t kDeepest = 32, kMostObjects = 10000, kLongestText = 1000;

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// Follows the elements; only those below are looked at, and what else there is, is skipped.
class Annotation {
 public:
  Annotation(XML_Parser parser, const std::string& where) : parser_(parser), where_(where) {}

  void begin(const char* name) {
    if (path_.size() == kDeepest) refuse("elements are nested too deeply");
    path_.emplace_back(name);
    text_.clear();
    if (at({"annotation", "object"})) {
      if (objects_.size() == kMostObjects) refuse("there are too many objects");
      object_ = {};
      sides_ = {};
    }
  }

  void add(const char* text, int length) {
    if (text_.size() + static_cast<size_t>(length) > kLongestText) return;
    text_.append(text, static_cast<size_t>(length));
  }

  void end() {
    if (at({"annotation", "object", "name"})) object_.name = trimmed(text_);
    for (size_t side = 0; side < kSides.size(); ++side) {
      if (at({"annotation", "object", "bndbox", kSides[side]})) sides_[side] = number();
    }
    if (at({"annotation", "object"})) finish();
    text_.clear();
    path_.pop_back();
  }

  [[noreturn]] void refuse(std::string_view what) const {
    fail(ErrorKind::io, where_, "line {}: {}", XML_GetCurrentLineNumber(parser_), what);
  }

  std::vector<VocObject> objects() && { return std::move(objects_); }

 private:
  static constexpr std::array<std::string_view, 4> kSides = {"xmin", "ymin", "xmax", "ymax"};

  bool at(std::initializer_list<std::string_view> path) const {
    return std::equal(path_.begin(), path_.end(), path.begin(), path.end());
  }

  double number() const {
    const std::string text = trimmed(text_);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      refuse(fmt::format("'{}' is not a number", text.substr(0, 40)));
    }
    return value;
  }

  void finish() {
    for (const auto& side : sides_) {
      if (!side) refuse("an object lacks xmin, ymin, xmax or ymax");
    }
    object_.box = {std::max(*sides_[0] - 1, 0.0), std::max(*sides_[1] - 1, 0.0), *sides_[2], *sides_[3]};
    if (!(object_.box.x1 > object_.box.x0) || !(object_.box.y1 > object_.box.y0)) refuse("the box is empty");
    objects_.push_back(object_);
  }

  XML_Parser parser_;
  const std::string& where_;
  std::vector<std::string> path_;
  std::string text_;
  VocObject object_;
  std::array<std::optional<double>, 4> sides_;
  std::vector<VocObject> objects_;
};

// What goes wrong inside a callback is thrown after expat, written in C, has returned.
struct Listener {
  Annotation annotation;
  XML_Parser parser;
  std::optional<Error> error = {};

  template <class F>
  void guarded(F&& f) {
    if (error) return;
    try {
      f();
    } catch (const Error& thrown) {
      error = thrown;
      XML_StopParser(parser, XML_FALSE);
    }
  }
};

Listener& listener(void* data) { return *static_cast<Listener*>(data); }

void on_begin(void* data, const XML_Char* name, const XML_Char**) {
  listener(data).guarded([&] { listener(data).annotation.begin(name); });
}
void on_end(void* data, const XML_Char*) {
  listener(data).guarded([&] { listener(data).annotation.end(); });
}
void on_text(void* data, const XML_Char* text, int length) {
  listener(data).guarded([&] { listener(data).annotation.add(text, length); });
}
void on_document_type(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  listener(data).guarded([&] { listener(data).annotation.refuse("document types and entities are not supported"); });
}

}  // namespace

std::vector<VocObject> parse_voc(std::string_view xml, const std::string& where) {
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                                             XML_ParserFree);
  require(parser != nullptr, where, "expat cannot start");
  Listener heard{Annotation(parser.get(), where), parser.get()};
  XML_SetUserData(parser.get(), &heard);
  XML_SetElementHandler(parser.get(), on_begin, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), on_document_type);
  const bool good = XML_Parse(parser.get(), xml.data(), static_cast<int>(xml.size()), 1) == XML_STATUS_OK;
  if (heard.error) throw Error(*heard.error);
  if (!good) {
    fail(ErrorKind::io, where, "line {}: the XML is damaged; {}", XML_GetCurrentLineNumber(parser.get()),
         XML_ErrorString(XML_GetErrorCode(parser.get())));
  }
  return std::move(heard.annotation).objects();
}

}  // namespace ascribe::core
