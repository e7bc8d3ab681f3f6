// ascribe indices: lists the interaction indices, with what they compute from the dividends a(T) and their sources. The
// table is the registry.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/terminal.h"
#include "study/registries.h"

namespace ascribe::core::cli::command_indices {

namespace {

const auto& indices() { return IndexRegistry::instance().entries(); }

std::string orders(const InteractionIndex& index) {
  if (index.least_order == index.most_order) return fmt::format("{}", index.least_order);
  return fmt::format("{}..", index.least_order);
}

std::string influence(const InteractionIndex& index) {
  return fmt::format("{}{}", index.joint ? "joint:" : "", to_string(index.influence));
}

void print_as_json() {
  Json list = Json::list();
  for (const auto& [name, index] : indices()) list.push(to_json(index));
  print_json(Json::object({{"indices", std::move(list)}}));
}

void print_table() {
  fmt::print("{} interaction indices of a game v, exact from its dividends a(T)\n", indices().size());
  Lines table = {{"index", "order", "sums up", "influence", "title", "source"}};
  Lines formulas;
  for (const auto& [name, index] : indices()) {
    table.push_back({name, orders(index), index.efficient ? "yes" : "no", influence(index), index.title, index.source});
    formulas.push_back({name, index.formula});
  }
  print_columns(table, 2);
  fmt::print("\nI(S), for all sets S of 1 to k players, k the order\n");
  print_columns(formulas, 2);
  fmt::print("\nAn index sums up if its numbers add to the change of the output, f(x) - f(b).\n");
  fmt::print(
      "Influence: what it has of effects of more players than S; pure: nothing, full: all of each. A joint one takes "
      "S\n"
      "as one player.\n");
}

const RegisterCommand command({"indices", 16, "The interaction indices that can be computed",
                               [](Options& options) -> std::function<int()> {
                                 auto json = std::make_shared<bool>(false);
                                 options.flag("--json", *json, "Print one JSON document");
                                 return [json] {
                                   *json ? print_as_json() : print_table();
                                   return 0;
                                 };
                               }});

}  // namespace

}  // namespace ascribe::core::cli::command_indices
