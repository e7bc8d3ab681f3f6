// The program: reads the command line, runs one command, and turns errors into one line on stderr and an exit code.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace ascribe::core::cli {

int run_program(int argc, const char* const* argv);

// The command that is being run, as it can be pasted into a shell.
const std::string& command_text();
// A word of a command, quoted where a shell would read it otherwise.
std::string shell_word(const std::string& word);

// 0 done, 2 wrong use, 3 bad model, 4 unsupported, 5 unreadable or unfitting data, 6 numeric failure, 70 our bug.
int exit_code(ErrorKind kind);

// What the library says of a request (base/error.h), in the words of the command that is being run: `players` becomes
// --players, and likewise where an error is about one.
std::string spelled(std::string_view text);
std::string spelled(const Error& error);
// From here on also in the words of another command, whose results are being written.
void speak_of(const std::string& command);

}  // namespace ascribe::core::cli
