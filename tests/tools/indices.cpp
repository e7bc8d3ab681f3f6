// An interaction index of a game given by its 2^m values (index: a set as bits), for other programs to compare with.
// Writes a row per set of 1 .. K players: the set as a number, and its value.
// Usage: ascribe_indices VALUES.npy --index NAME --order K -o OUT.npy
#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "base/file.h"
#include "game/interaction_index.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

Tensor table(const Effects& effects) {
  Tensor rows(DType::f64, {static_cast<int64_t>(effects.effects.size()), 2});
  double* to = rows.mutable_data<double>().data();
  for (const Effect& effect : effects.effects) {
    uint64_t set = 0;
    for (const int player : effect.support) set |= uint64_t{1} << player;
    *to++ = static_cast<double>(set);
    *to++ = effect.value;
  }
  return rows;
}

int run(int argc, char** argv) {
  CLI::App app("An interaction index of a table of values");
  std::string values, name, out;
  int order = 1;
  app.add_option("values", values)->required();
  app.add_option("--index", name)->required();
  app.add_option("--order", order);
  app.add_option("-o", out)->required();
  CLI11_PARSE(app, argc, argv);
  const Tensor numbers = parse_npy(read_file(values), values).values.cast(DType::f64);
  const auto all = numbers.data<double>();
  Game game = table_game({all.begin(), all.end()});
  const Dividends dividends = exact_dividends(game, size_t{4} << 30);
  write_file(out, format_npy(table(compute_index(index_named(name), dividends, order))), true);
  return 0;
}

}  // namespace
}  // namespace ascribe::core

int main(int argc, char** argv) {
  try {
    return ascribe::core::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ascribe_indices: %s\n", error.what());
    return 1;
  }
}
