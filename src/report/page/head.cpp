#include "report/page/head.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "draw/diverging.h"
#include "report/page/html.h"

namespace ascribe::core::page {

std::string policy_hash(std::string_view code) {
  const std::string digits = sha256(code);
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return "'sha256-" + base64(bytes) + "'";
}

std::vector<std::string> color_table() {
  constexpr int kSteps = 100;
  std::vector<std::string> colors;
  for (int i = -kSteps; i <= kSteps; ++i) colors.push_back(hex(diverging(static_cast<double>(i) / kSteps)));
  return colors;
}

std::string ramp_style() {
  std::string css = ".ramp{background:linear-gradient(to right";
  for (int i = -10; i <= 10; ++i) css += "," + hex(diverging(i / 10.0));
  return css + ")}\n";
}

std::string ground_style(size_t number, const Image& image) {
  return fmt::format(".ground{}{{background-image:url({})}}\n", number, data_uri(image));
}

}  // namespace ascribe::core::page
