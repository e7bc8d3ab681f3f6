#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cli/command.h"

namespace ascribe::core::cli {

namespace {

template <class T>
Option added(CLI::App& app, const std::string& name, T& value, const std::string& help, const std::string& type) {
  return Option(app.add_option(name, value, help)->type_name(type));
}

// Leaves a number in the text that the library reads as it stands, or says what is wrong with it. The library alone
// takes -1 for 2^64 - 1, 010 for 8, and 1e30 for the largest that fits.
template <class T>
std::string take_number(std::string& text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if constexpr (std::is_floating_point_v<T>) {
    return whole && std::isfinite(number) ? "" : fmt::format("got '{}'; expected a finite number", text);
  } else {
    using Limits = std::numeric_limits<T>;
    if (!whole)
      return fmt::format("got '{}'; expected a whole number from {} to {}", text, Limits::min(), Limits::max());
    text = fmt::to_string(number);
    return "";
  }
}

template <class T, class Values>
Option added_numbers(CLI::App& app, const std::string& name, Values& values, const std::string& help,
                     const std::string& type) {
  CLI::Option* option = app.add_option(name, values, help)->type_name(type);
  option->transform(CLI::Validator(take_number<T>, ""));
  return Option(option);
}

template <class T>
Option added_number(CLI::App& app, const std::string& name, T& value, const std::string& help,
                    const std::string& type) {
  return added_numbers<T>(app, name, value, help, type);
}

}  // namespace

Option& Option::required(bool needed) {
  option_->required(needed);
  if (needed) {  // a variable of a shell that is not set
    option_->check([](const std::string& word) { return word.empty() ? std::string("got an empty word") : ""; }, "");
  }
  return *this;
}

Option& Option::help(const std::string& text) {
  option_->description(text);
  return *this;
}

Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::list() {
  option_->delimiter(',')->allow_extra_args(false);
  return *this;
}

Option& Option::one_word() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::only_one() {
  option_->expected(1)->allow_extra_args(false);
  return *this;
}

Option& Option::range(int64_t least, int64_t most) {
  option_->check(CLI::Range(least, most).description(""));
  return *this;
}

Option& Option::real_range(double least, double most) {
  option_->check(CLI::Range(least, most).description(""));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words).description(""));
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option Options::add(const std::string& name, std::string& value, const std::string& help, const std::string& type) {
  return added(app_, name, value, help, type);
}

Option Options::add(const std::string& name, std::vector<std::string>& values, const std::string& help,
                    const std::string& type) {
  return added(app_, name, values, help, type);
}

Option Options::add(const std::string& name, int& value, const std::string& help, const std::string& type) {
  return added_number(app_, name, value, help, type);
}

Option Options::add(const std::string& name, int64_t& value, const std::string& help, const std::string& type) {
  return added_number(app_, name, value, help, type);
}

Option Options::add(const std::string& name, uint64_t& value, const std::string& help, const std::string& type) {
  return added_number(app_, name, value, help, type);
}

Option Options::add(const std::string& name, double& value, const std::string& help, const std::string& type) {
  return added_number(app_, name, value, help, type);
}

Option Options::add(const std::string& name, std::vector<int>& values, const std::string& help,
                    const std::string& type) {
  return added_numbers<int>(app_, name, values, help, type);
}

Option Options::add(const std::string& name, std::vector<double>& values, const std::string& help,
                    const std::string& type) {
  return added_numbers<double>(app_, name, values, help, type);
}

Option Options::flag(const std::string& name, bool& value, const std::string& help) {
  return Option(app_.add_flag(name, value, help));
}

Option Options::find(const std::string& name) { return Option(app_.get_option(name)); }

}  // namespace ascribe::core::cli
