#include "report/page/html.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "data/png.h"

namespace ascribe::core::page {

namespace {

bool is_forbidden(unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }

// Direction marks can make text read as something else; they are shown as what they are not: nothing.
bool is_direction_mark(std::string_view text, size_t i) {
  if (text.size() - i < 3 || static_cast<unsigned char>(text[i]) != 0xe2) return false;
  const auto second = static_cast<unsigned char>(text[i + 1]), third = static_cast<unsigned char>(text[i + 2]);
  return (second == 0x80 && third >= 0xaa && third <= 0xae) || (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

}  // namespace

std::string escape_html(std::string_view given) {
  const std::string text = mended_utf8(given);
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_direction_mark(text, i)) {
      i += 2;
      continue;
    }
    switch (text[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += is_forbidden(static_cast<unsigned char>(text[i])) ? ' ' : text[i];
    }
  }
  return out;
}

std::string data_uri(const Image& image) { return "data:image/png;base64," + base64(encode_png(image)); }

void Html::open(Literal tag, Attributes attributes) {
  out_ += '<';
  out_ += tag.text;
  for (const Attribute& attribute : attributes) {
    out_ += ' ';
    out_ += attribute.name.text;
    if (!attribute.value.empty()) out_ += "=\"" + escape_html(attribute.value) + "\"";
  }
  out_ += '>';
}

void Html::close(Literal tag) {
  out_ += "</";
  out_ += tag.text;
  out_ += ">";
  if (tag.text != "span" && tag.text != "b" && tag.text != "code" && tag.text != "a") out_ += '\n';
}

Html& Html::single(Literal tag, Attributes attributes) {
  open(tag, attributes);
  return *this;
}

Html& Html::text(std::string_view content) {
  out_ += escape_html(content);
  return *this;
}

Html& Html::drawing(const Svg& svg, const std::string& label, Attributes attributes) {
  return in("figure", attributes, [&] { out_ += svg.inside_page(label); });
}

Html& Html::append(const Html& other) {
  out_ += other.out_;
  return *this;
}

Html& Html::data(const std::string& id, const Json& json) {
  open("script", {{"type", "application/json"}, {"id", id}});
  // Every character beyond ASCII is written as \uXXXX, the line separators of JavaScript among them.
  for (const char c : json.dump(-1, true)) {
    switch (c) {
      case '<': out_ += "\\u003c"; break;
      case '>': out_ += "\\u003e"; break;
      case '&': out_ += "\\u0026"; break;
      default: out_ += c;
    }
  }
  close("script");
  return *this;
}

Html& Html::style_sheet(std::string_view css) {
  open("style", {});
  out_ += css;
  close("style");
  return *this;
}

Html& Html::script(std::string_view code) {
  open("script", {});
  out_ += code;
  close("script");
  return *this;
}

}  // namespace ascribe::core::page
