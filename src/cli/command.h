// Commands register themselves, as methods do: each binds its options to a request, and has an action.
//
// Only options.cpp and program.cpp know the library that reads command lines; it is a heavy header.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/registry.h"

namespace CLI {  // NOLINT(readability-identifier-naming): of CLI11
class App;
class Option;
}  // namespace CLI

namespace ascribe::core::cli {

// One option or positional argument, to be described further.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required(bool needed = true);
  Option& help(const std::string& text);
  Option& shows_default();                     // the value it has now
  Option& list();                              // A,B,C in one word; may be repeated
  Option& one_word();                          // may be repeated, but does not swallow what follows
  Option& only_one();                          // a positional argument that is not a list
  Option& range(int64_t least, int64_t most);  // of a number
  Option& real_range(double least, double most);
  Option& one_of(const std::vector<std::string>& words);
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

// What a command takes. `name`: "-o,--out", or "MODEL" for a positional argument; `type`: what help shows for the
// value.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  Option add(const std::string& name, std::string& value, const std::string& help, const std::string& type = "");
  Option add(const std::string& name, std::vector<std::string>& values, const std::string& help,
             const std::string& type = "");
  Option add(const std::string& name, int& value, const std::string& help, const std::string& type);
  Option add(const std::string& name, int64_t& value, const std::string& help, const std::string& type);
  Option add(const std::string& name, uint64_t& value, const std::string& help, const std::string& type);
  Option add(const std::string& name, double& value, const std::string& help, const std::string& type);
  Option add(const std::string& name, std::vector<int>& values, const std::string& help, const std::string& type);
  Option add(const std::string& name, std::vector<double>& values, const std::string& help, const std::string& type);
  Option flag(const std::string& name, bool& value, const std::string& help);
  Option find(const std::string& name);

 private:
  CLI::App& app_;
};

struct Command {
  std::string name;
  int place = 0;  // in the list of commands
  std::string about;
  // Adds the options; what it returns is done when the command line is read, and gives the exit code.
  std::function<int()> (*prepare)(Options& options) = nullptr;
};

using CommandRegistry = Registry<Command>;

struct RegisterCommand {
  explicit RegisterCommand(Command command);
};

}  // namespace ascribe::core::cli
