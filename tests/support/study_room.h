// The paper's example: a study room is 3 book + 2 desk lamp book. At x = (1, 1, 1) against 0 the effects are
// J(book) = 3 and J(book, desk, lamp) = 2.
#pragma once

#include "methods/explained_model.h"

namespace ascribe::core {

enum StudyRoomPlayer { kBook, kDesk, kLamp };

inline Graph study_room() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3}});
  const Value book = b.slice(x, 1, 0, 1), desk = b.slice(x, 1, 1, 1), lamp = b.slice(x, 1, 2, 1);
  b.output("y", b.add(b.mul(book, 3), b.mul(b.mul(b.mul(desk, lamp), book), 2)));
  return graph;
}

inline ExplainedModel in_double(const Graph& graph) {
  ExplainOptions options;
  options.real = DType::f64;
  return ExplainedModel(graph, options);
}

inline Question study_room_question() {
  Players players = make_players({"elements", {3}, std::nullopt, {}, nullptr});
  players.names = {"book", "desk", "lamp"};
  return {{Tensor::of<double>({1, 3}, {1, 1, 1})}, 0, Tensor(DType::f64, {1, 3}), players};
}

}  // namespace ascribe::core
