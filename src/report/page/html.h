// Writes HTML in which nothing can be injected: text and the values of attributes enter only through functions that
// escape them, and names of elements and attributes are literals of the program.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"
#include "draw/svg.h"

namespace ascribe::core::page {

// A literal: known when the program is compiled, so it is none of the report's texts.
struct Literal {
  template <size_t N>
  consteval Literal(const char (&literal)[N]) : text(literal, N - 1) {}  // NOLINT(google-explicit-constructor)
  std::string_view text;
};

struct Attribute {
  Literal name;
  std::string value;
};
using Attributes = std::initializer_list<Attribute>;

class Html {
 public:
  // An element is closed when the function returns: html.in("p", {}, [&] { html.text("..."); });
  template <std::invocable F>
  Html& in(Literal tag, Attributes attributes, F&& content) {
    open(tag, attributes);
    content();
    close(tag);
    return *this;
  }
  Html& in(Literal tag, Attributes attributes, std::string_view content) {
    return in(tag, attributes, [&] { text(content); });
  }
  Html& in(Literal tag, std::string_view content) { return in(tag, {}, content); }
  Html& single(Literal tag, Attributes attributes = {});  // img, input, br: they have no end
  Html& text(std::string_view content);

  Html& drawing(const Svg& svg, const std::string& label, Attributes attributes = {});
  Html& append(const Html& other);
  // Data for the script; whatever could end the element is escaped.
  Html& data(const std::string& id, const Json& json);
  // Files of the program: no part of a report ever comes here.
  Html& style_sheet(std::string_view css);
  Html& script(std::string_view code);

  const std::string& str() const { return out_; }

 private:
  void open(Literal tag, Attributes attributes);
  void close(Literal tag);

  std::string out_;
};

// For attributes, in which quotes of both kinds are escaped too; what is not UTF-8 is mended.
std::string escape_html(std::string_view text);
std::string data_uri(const Image& image);

}  // namespace ascribe::core::page
