#include "cli/program.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <set>
#include <sstream>
#include <system_error>

#include <fmt/ranges.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/closest_name.h"
#include "cli/command.h"
#include "cli/guarded_streams.h"
#include "cli/out_of_memory.h"
#include "cli/terminal.h"

namespace ascribe::core::cli {

namespace {

constexpr int kWrongUse = 2, kOurBug = 70, kStopped = 130;

// Of the command that is being run.
std::string pasted;
std::set<std::string, std::less<>> option_names;
const CLI::App* all_commands = nullptr;  // while the program runs

int complain(int code, std::string_view message) {
  fmt::print(stderr, "ascribe: {}\n", printable(message));
  return code;
}

std::string unknown_command(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  const std::string given = app.remaining()[0];
  return fmt::format("there is no command '{}'; {}", given, expected_one_of(given, names));
}

// The first word that looks like an option and is none of the command's; empty: there is none.
std::string unknown_option(const CLI::App& command) {
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with("--") || word.size() == 2) continue;
    const std::string name = word.substr(2, word.find('=') - 2);
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& known : option->get_lnames()) names.push_back(known);
    }
    const std::string near = closest_name(name, names);
    return fmt::format("{} has no option '--{}'{}", command.get_name(), name,
                       near.empty() ? "" : fmt::format("; did you mean '--{}'?", near));
  }
  return "";
}

// Help and version, as CLI11 words them.
int answer(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream text;
  const int code = app.exit(error, text, text);
  fmt::print("{}", text.str());
  return code;
}

// What CLI11 complains of, in one line.
int explain_usage(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty() && !app.remaining().empty() && !app.remaining()[0].starts_with('-')) {
    return complain(kWrongUse, unknown_command(app));
  }
  // A mistyped option is also why another one is missing.
  const std::string unknown = unknown_option(chosen.empty() ? app : *chosen[0]);
  const std::string help = chosen.empty() ? "ascribe --help" : fmt::format("ascribe {} --help", chosen[0]->get_name());
  return complain(kWrongUse, fmt::format("{}{} see {}", unknown.empty() ? error.what() : unknown,
                                         unknown.ends_with('?') ? " For all of them" : ";", help));
}

void remember(int argc, const char* const* argv) {
  pasted = "ascribe";
  for (int i = 1; i < argc; ++i) pasted += " " + shell_word(argv[i]);
}

void remember_options(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) option_names.insert(name);
  }
}

void add_commands(CLI::App& app, int& code) {
  std::vector<const Command*> commands;
  for (const auto& [name, command] : CommandRegistry::instance().entries()) commands.push_back(&command);
  std::stable_sort(commands.begin(), commands.end(), [](auto a, auto b) { return a->place < b->place; });
  for (const Command* command : commands) {
    CLI::App& added = *app.add_subcommand(command->name, command->about);
    Options options(added);
    added.callback([&added, &code, action = command->prepare(options)] {
      remember_options(added);
      code = action();
    });
  }
}

int complain_of(const Error& error) {
  if (error.kind() == ErrorKind::internal) {
    return complain(kOurBug, fmt::format("this is a bug of ascribe, please report it: {}", error.what()));
  }
  return complain(exit_code(error.kind()), spelled(error));
}

int run_command(int argc, const char* const* argv) {
  remember(argc, argv);
  CLI::App app("Explains neural networks read from ONNX files.", "ascribe");
  all_commands = &app;
  app.set_version_flag("--version", "ascribe " ASCRIBE_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  int code = 0;
  add_commands(app, code);
  app.footer(
      "Exit codes: 0 done, 1 a replay that differs or a log that is bad, 2 wrong use, 3 bad model,\n"
      "4 unsupported operator or method, 5 unreadable input or unwritable output, 6 numeric failure,\n"
      "7 cannot be replayed, 8 out of memory or threads, 70 a bug in ascribe, 130 stopped by Ctrl-C.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return explain_usage(app, error);
    code = answer(app, error);
  } catch (const Error& error) {
    return complain_of(error);
  }
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    if (errno == ENOMEM) throw std::bad_alloc();  // of the guard of streams
    return complain(exit_code(ErrorKind::io), "cannot write to the standard output");
  }
  return code;
}

// Complaints need memory too, so that one may end as a lack of it.
int run_whole(int argc, const char* const* argv) {
  try {
    return run_command(argc, argv);
  } catch (const std::filesystem::filesystem_error& error) {  // a folder that may not be looked into
    return complain(exit_code(ErrorKind::io),
                    fmt::format("[{}] cannot be looked at; {}", error.path1().string(), error.code().message()));
  } catch (const std::system_error& error) {  // printing failed: files have errors of their own
    if (error.code() == std::errc::not_enough_memory) throw std::bad_alloc();
    return complain(exit_code(ErrorKind::io), fmt::format("cannot write to the standard output; {}", error.what()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return complain(kOurBug, fmt::format("this is a bug of ascribe, please report it: {}", error.what()));
  }
}

}  // namespace

const std::string& command_text() { return pasted; }

std::string shell_word(const std::string& word) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument: return kWrongUse;
    case ErrorKind::model: return 3;
    case ErrorKind::unsupported: return 4;
    case ErrorKind::io:
    case ErrorKind::shape: return 5;
    case ErrorKind::numeric: return 6;
    case ErrorKind::cancelled: return kStopped;
    case ErrorKind::internal: return kOurBug;
  }
  return kOurBug;
}

std::string spelled(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t from = text.find('`'), to = from == text.npos ? text.npos : text.find('`', from + 1);
    if (to == text.npos) break;
    const std::string_view name = text.substr(from + 1, to - from - 1);
    out += text.substr(0, from);
    if (option_names.contains(name)) out += fmt::format("--{}", name);
    else out += text.substr(from, to - from + 1);
    text.remove_prefix(to + 1);
  }
  return out.append(text);
}

std::string spelled(const Error& error) {
  const std::string message = spelled(error.message());
  if (error.where().empty()) return message;
  return fmt::format("[{}{}] {}", option_names.contains(error.where()) ? "--" : "", error.where(), message);
}

void speak_of(const std::string& command) {
  for (const CLI::App* one : all_commands->get_subcommands([](const CLI::App*) { return true; })) {
    if (one->get_name() == command) remember_options(*one);
  }
}

int run_program(int argc, const char* const* argv) {
  guard_streams();
  try {
    return run_whole(argc, argv);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

RegisterCommand::RegisterCommand(Command command) {
  std::string name = command.name;
  require(!name.empty() && command.prepare != nullptr, name, "a command needs a name and a function");
  CommandRegistry::instance().add(std::move(name), std::move(command));
}

}  // namespace ascribe::core::cli
