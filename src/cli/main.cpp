#include "cli/program.h"

int main(int argc, char** argv) { return ascribe::core::cli::run_program(argc, argv); }
