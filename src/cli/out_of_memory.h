// How the program ends where memory or threads cannot be had: one line and exit code 8.
#pragma once

namespace ascribe::core::cli {

// Says so, without asking for memory; gives the exit code.
int out_of_memory();

// From here on so do libraries that know no other way than to end the program: OpenMP, which calls exit, and oneDNN and
// glibc, where an exception has nowhere to go. Called once.
void expect_lack_of_memory();
// The program's own work is done: from here on exit is exit, unless a library would never come back from it.
void end_of_work(int code);

}  // namespace ascribe::core::cli
