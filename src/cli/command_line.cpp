#include "cli/command_line.h"

#include <cstdio>
#include <new>
#include <system_error>

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace ascribe::core {

namespace {

constexpr int kWrongUse = 2, kOurBug = 70;

int complain(int code, std::string_view message) {
  fmt::print(stderr, "ascribe: {}\n", printable(message));
  return code;
}

std::string unknown_command(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return fmt::format("there is no command '{}'; expected one of {}", app.remaining()[0], fmt::join(names, ", "));
}

// What CLI11 has to say: help and version, or a complaint in one line.
int explain_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const auto chosen = app.get_subcommands();
  if (chosen.empty() && !app.remaining().empty() && !app.remaining()[0].starts_with('-')) {
    return complain(kWrongUse, unknown_command(app));
  }
  const std::string help = chosen.empty() ? "ascribe --help" : fmt::format("ascribe {} --help", chosen[0]->get_name());
  return complain(kWrongUse, fmt::format("{}; see {}", error.what(), help));
}

// A word of a command, quoted where a shell would read it otherwise.
std::string shell_word(const std::string& word) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::string& remembered_command() {
  static std::string text;
  return text;
}

void remember_command(int argc, const char* const* argv) {
  std::string& text = remembered_command();
  text = "ascribe";
  for (int i = 1; i < argc; ++i) text += " " + shell_word(argv[i]);
}

}  // namespace

const std::string& command_line_text() { return remembered_command(); }

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument: return kWrongUse;
    case ErrorKind::model: return 3;
    case ErrorKind::unsupported: return 4;
    case ErrorKind::io:
    case ErrorKind::shape: return 5;
    case ErrorKind::numeric: return 6;
    case ErrorKind::internal: return kOurBug;
    case ErrorKind::cancelled: return 130;
  }
  return kOurBug;
}

int run_command_line(int argc, const char* const* argv) {
  remember_command(argc, argv);
  CLI::App app("Explains neural networks read from ONNX files.", "ascribe");
  app.set_version_flag("--version", "ascribe " ASCRIBE_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  int code = 0;
  add_inspect(app, code);
  add_predict(app);
  add_explain(app);
  add_decompose(app);
  add_report(app);
  add_compile(app);
  add_audit(app);
  add_compare(app);
  add_evaluate(app);
  add_verify(app);
  add_render(app);
  add_reproduce(app);
  add_methods(app);
  add_metrics(app);
  add_operators(app);
  add_indices(app);
  app.footer(
      "Exit codes: 0 done, 2 wrong use, 3 bad model, 4 unsupported operator or method,\n"
      "5 unreadable input or unwritable output, 6 numeric failure, 70 our bug.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain_usage(app, error);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) {
      return complain(kOurBug, fmt::format("this is a bug of ascribe, please report it: {}", error.what()));
    }
    return complain(exit_code(error.kind()), error.what());
  } catch (const std::system_error& error) {  // printing failed: files have errors of their own
    return complain(exit_code(ErrorKind::io), fmt::format("cannot write to the standard output; {}", error.what()));
  } catch (const std::bad_alloc&) {
    return complain(kWrongUse, "out of memory; give fewer rows at a time or a lower --memory");
  } catch (const std::exception& error) {
    return complain(kOurBug, fmt::format("this is a bug of ascribe, please report it: {}", error.what()));
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return complain(exit_code(ErrorKind::io), "cannot write to the standard output");
  }
  return code;
}

}  // namespace ascribe::core
