#include "game/absence.h"

#include <charconv>
#include <cmath>

#include "base/closest_name.h"
#include "base/error.h"

namespace ascribe::core {

namespace {

constexpr std::string_view kKernel = "conditional:kernel:";

double width_of(std::string_view text) {
  double width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(width) || width <= 0) {
    fail(ErrorKind::argument, "absence", "got a width of '{}'; expected a number above 0, as in {}{}", text, kKernel,
         kUsualWidth);
  }
  return width;
}

}  // namespace

Absence absence_named(std::string_view text) {
  if (text.empty() || text == "baseline" || text == "marginal") return {};
  if (text == "conditional" || text == "conditional:gaussian") return {Absence::Kind::gaussian};
  if (text == "conditional:equal") return {Absence::Kind::kernel, 0};
  if (text == "conditional:kernel") return {Absence::Kind::kernel, kUsualWidth};
  if (text.starts_with(kKernel)) return {Absence::Kind::kernel, width_of(text.substr(kKernel.size()))};
  fail(ErrorKind::argument, "absence", "got '{}'; {}", text,
       expected_one_of(text, {"baseline", "marginal", "conditional", "conditional:kernel", "conditional:equal"}));
}

std::string to_words(const Absence& absence) {
  switch (absence.kind) {
    case Absence::Kind::as_given: return "";
    case Absence::Kind::gaussian: return "given the players that are there, as if Gaussian";
    case Absence::Kind::kernel:
      return absence.width == 0
                 ? "of which those count that are nearest to the players that are there"
                 : fmt::format("weighted by how like the players that are there they are (width {:g})", absence.width);
  }
  return "";
}

}  // namespace ascribe::core
