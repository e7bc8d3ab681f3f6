#include "cli/registry_pages.h"

#include <memory>

#include <fmt/format.h>

#include "cli/terminal.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;

void print_as_json(const RegistryPages& pages, const std::string& name) {
  if (!name.empty()) {
    print_json(pages.as_json(name));
    return;
  }
  Json list = Json::array();
  for (const std::string& known : pages.names()) list.push_back(pages.as_json(known));
  print_json({{pages.command, list}});
}

}  // namespace

void add_registry_command(CLI::App& app, const RegistryPages& pages) {
  CLI::App& command = *app.add_subcommand(pages.command, pages.about);
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false), markdown = std::make_shared<bool>(false);
  command.add_option("NAME", *name, "One of them, in full")->type_name("");
  CLI::Option* as_json = command.add_flag("--json", *json, "Print one JSON document");
  command.add_flag("--markdown", *markdown, "Print a page for the documentation")->excludes(as_json);
  command.callback([pages, name, json, markdown] {
    if (*json) print_as_json(pages, *name);
    else if (name->empty()) *markdown ? pages.markdown_table() : pages.table();
    else *markdown ? pages.markdown_page(*name) : pages.one(*name);
  });
}

std::string wrapped(const std::string& text, const std::string& indent) {
  constexpr size_t kWidth = 100;
  std::string out = indent;
  size_t column = indent.size();
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (column + 1 + word.size() > kWidth) {
      out += "\n" + indent;
      column = indent.size();
    } else if (column > indent.size()) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
    at = end + 1;
  }
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  bool in_code = false;
  for (const char c : text) {
    if (c == '`') in_code = !in_code;
    if (c == '|' || (!in_code && (c == '*' || c == '<' || c == '_'))) out += '\\';
    out += c;
  }
  return out;
}

std::string code(const std::string& text) { return escaped("`" + text + "`"); }

void print_parameters(std::span<const Parameter> parameters) {
  if (parameters.empty()) {
    fmt::print("\n  no parameters\n");
    return;
  }
  Lines lines = {{"parameter", "default", "may be", "meaning"}};
  for (const Parameter& parameter : parameters) {
    lines.push_back({parameter.name, parameter.fallback.empty() ? "(none)" : parameter.fallback, range_of(parameter),
                     parameter.meaning});
  }
  fmt::print("\n");
  print_columns(lines, 2);
}

void print_markdown_facts(const Lines& facts) {
  fmt::print("| | |\n|---|---|\n");
  for (const auto& fact : facts) fmt::print("| {} | {} |\n", fact[0], escaped(fact[1]));
}

void print_markdown_parameters(std::span<const Parameter> parameters, const std::string& option) {
  fmt::print("\n## Parameters\n\n");
  if (parameters.empty()) fmt::print("None.\n");
  else fmt::print("| {} | default | may be | meaning |\n|---|---|---|---|\n", code(option));
  for (const Parameter& parameter : parameters) {
    fmt::print("| {} | {} | {} | {} |\n", code(parameter.name),
               parameter.fallback.empty() ? "" : code(parameter.fallback), escaped(range_of(parameter)),
               escaped(parameter.meaning));
  }
}

Json parameters_as_json(std::span<const Parameter> parameters) {
  Json list = Json::array();
  for (const Parameter& parameter : parameters) {
    list.push_back({{"name", parameter.name},
                    {"kind", to_string(parameter.kind)},
                    {"default", parameter.fallback},
                    {"range", range_of(parameter)},
                    {"meaning", parameter.meaning}});
  }
  return list;
}

}  // namespace ascribe::core
