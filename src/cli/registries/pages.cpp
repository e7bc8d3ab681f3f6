#include "cli/registries/pages.h"

#include <memory>

#include <fmt/format.h>

#include "cli/terminal.h"

namespace ascribe::core::cli {

namespace {

void print_as_json(const RegistryPages& pages, const std::string& name) {
  if (!name.empty()) return print_json(pages.as_json(name));
  Json list = Json::list();
  for (const std::string& known : pages.names()) list.push(pages.as_json(known));
  print_json(Json::object({{pages.name, std::move(list)}}));
}

}  // namespace

std::function<int()> registry_command(Options& options, const RegistryPages& pages) {
  struct Choices {
    std::string name;
    bool json = false, markdown = false;
  };
  auto choices = std::make_shared<Choices>();
  options.add("NAME", choices->name, "One of them, in full");
  const Option json = options.flag("--json", choices->json, "Print one JSON document");
  options.flag("--markdown", choices->markdown, "Print a page for the documentation").excludes(json);
  return [pages, choices] {
    const std::string& name = choices->name;
    if (choices->json) print_as_json(pages, name);
    else if (name.empty()) choices->markdown ? pages.markdown_table() : pages.table();
    else choices->markdown ? pages.markdown_page(name) : pages.one(name);
    return 0;
  };
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

std::string code(const std::string& text) { return markdown_escaped("`" + text + "`"); }

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
  for (const Parameter& parameter : parameters) {
    if (!parameter.named.empty()) fmt::print("\n  {} by name:\n", parameter.name);
    for (const NamedValue& value : parameter.named) {
      fmt::print("    {}\n{}\n", value.name, wrapped(value.meaning, "      "));
    }
  }
}

void print_markdown_facts(const Lines& facts) {
  fmt::print("| | |\n|---|---|\n");
  for (const auto& fact : facts) fmt::print("| {} | {} |\n", fact[0], markdown_escaped(fact[1]));
}

void print_markdown_parameters(std::span<const Parameter> parameters, const std::string& option) {
  fmt::print("\n## Parameters\n\n");
  if (parameters.empty()) fmt::print("None.\n");
  else fmt::print("| {} | default | may be | meaning |\n|---|---|---|---|\n", code(option));
  for (const Parameter& parameter : parameters) {
    fmt::print("| {} | {} | {} | {} |\n", code(parameter.name),
               parameter.fallback.empty() ? "" : code(parameter.fallback), markdown_escaped(range_of(parameter)),
               markdown_escaped(parameter.meaning));
  }
  for (const Parameter& parameter : parameters) {
    if (!parameter.named.empty()) fmt::print("\n| {} by name | is |\n|---|---|\n", code(parameter.name));
    for (const NamedValue& value : parameter.named) {
      fmt::print("| {} | {} |\n", code(value.name), markdown_escaped(value.meaning));
    }
  }
}

}  // namespace ascribe::core::cli
