// What commands that print a registry share (methods, metrics): one entry or all, as text, Markdown or JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>

#include "methods/parameters.h"

namespace ascribe::core {

using Lines = std::vector<std::vector<std::string>>;

// How a registry prints itself. An unknown name is refused by `one`, `page` and `as_json`.
struct RegistryPages {
  std::string command, about;  // "methods", and its line of help
  std::vector<std::string> (*names)();
  void (*table)();
  void (*one)(const std::string& name);
  void (*markdown_table)();
  void (*markdown_page)(const std::string& name);
  nlohmann::ordered_json (*as_json)(const std::string& name);
};
// ascribe COMMAND [NAME] [--json | --markdown]
void add_registry_command(CLI::App& app, const RegistryPages& pages);

// Lines of at most 100 characters, broken at spaces.
std::string wrapped(const std::string& text, const std::string& indent);
// For a cell of a Markdown table or a line of text: no bars, no emphasis by accident.
std::string escaped(const std::string& text);
std::string code(const std::string& text);

void print_parameters(std::span<const Parameter> parameters);
void print_markdown_facts(const Lines& facts);
// `option`: what they are given by, "--set".
void print_markdown_parameters(std::span<const Parameter> parameters, const std::string& option);
nlohmann::ordered_json parameters_as_json(std::span<const Parameter> parameters);

}  // namespace ascribe::core
