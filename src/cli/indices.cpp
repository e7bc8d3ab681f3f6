// ascribe indices: the interaction indices there are, with what they compute from the dividends a(T) and where they
// come from. The table is the registry.
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "game/interaction_index.h"

namespace ascribe::core {

namespace {

const auto& indices() { return IndexRegistry::instance().entries(); }

std::string orders(const InteractionIndex& index) {
  if (index.least_order == index.most_order) return fmt::format("{}", index.least_order);
  return fmt::format("{}..", index.least_order);
}

void print_as_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, index] : indices()) {
    list.push_back({{"name", name},
                    {"title", index.title},
                    {"formula", index.formula},
                    {"source", index.source},
                    {"least_order", index.least_order},
                    {"most_order", index.most_order},
                    {"efficient", index.efficient},
                    {"dummy", index.dummy}});
  }
  print_json({{"indices", list}});
}

void print_table() {
  fmt::print("{} interaction indices of a game v, exact from its dividends a(T)\n", indices().size());
  std::vector<std::vector<std::string>> table = {{"index", "order", "sums up", "title", "source"}};
  std::vector<std::vector<std::string>> formulas;
  for (const auto& [name, index] : indices()) {
    table.push_back({name, orders(index), index.efficient ? "yes" : "no", index.title, index.source});
    formulas.push_back({name, index.formula});
  }
  print_columns(table, 2);
  fmt::print("\nI(S), for all sets S of 1 to k players, k the order\n");
  print_columns(formulas, 2);
  fmt::print("\nAn index sums up if its numbers add to the change of the output, f(x) - f(b).\n");
}

}  // namespace

void add_indices(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("indices", "The interaction indices that can be computed");
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print one JSON document");
  command.callback([json] { *json ? print_as_json() : print_table(); });
}

}  // namespace ascribe::core
