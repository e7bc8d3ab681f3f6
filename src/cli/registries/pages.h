// What commands that print a registry share (methods, metrics): one entry or all, as text, Markdown or JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/table.h"
#include "cli/command.h"
#include "methods/parameters.h"

namespace ascribe::core::cli {

// How a registry prints itself. An unknown name is refused by `one`, `page` and `as_json`.
struct RegistryPages {
  std::string name;  // "methods"
  std::vector<std::string> (*names)();
  void (*table)();
  void (*one)(const std::string& name);
  void (*markdown_table)();
  void (*markdown_page)(const std::string& name);
  Json (*as_json)(const std::string& name);
};
// ascribe COMMAND [NAME] [--json | --markdown]
std::function<int()> registry_command(Options& options, const RegistryPages& pages);

// Lines of at most 100 characters, broken at spaces.
std::string wrapped(const std::string& text, const std::string& indent);
std::string code(const std::string& text);

void print_parameters(std::span<const Parameter> parameters);
void print_markdown_facts(const Lines& facts);
// `option`: what they are given by, "--set".
void print_markdown_parameters(std::span<const Parameter> parameters, const std::string& option);

}  // namespace ascribe::core::cli
