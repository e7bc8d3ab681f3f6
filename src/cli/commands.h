// One function per command adds it to the program; each lives in a file of its name.
#pragma once

#include <CLI/App.hpp>

namespace ascribe::core {

void add_inspect(CLI::App& app, int& exit_code);
void add_predict(CLI::App& app);
void add_explain(CLI::App& app);
void add_decompose(CLI::App& app);
void add_report(CLI::App& app);
void add_audit(CLI::App& app);
void add_compare(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_compile(CLI::App& app);
void add_operators(CLI::App& app);
void add_indices(CLI::App& app);
void add_methods(CLI::App& app);
void add_metrics(CLI::App& app);
void add_verify(CLI::App& app);
void add_render(CLI::App& app);
void add_reproduce(CLI::App& app);

}  // namespace ascribe::core
