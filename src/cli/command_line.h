// The program: reads the command line, runs one command, and turns errors into one line on
// stderr and an exit code.
#pragma once

#include <string>

#include "base/error.h"

namespace ascribe::core {

int run_command_line(int argc, const char* const* argv);

// The command that is being run, as it can be pasted into a shell.
const std::string& command_line_text();

// 0 done, 2 wrong use, 3 bad model, 4 unsupported, 5 unreadable or unfitting data, 6 numeric failure, 70 our bug.
int exit_code(ErrorKind kind);

}  // namespace ascribe::core
