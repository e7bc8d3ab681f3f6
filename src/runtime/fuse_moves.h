// Copies that are left out. Slices, pads, concatenations and transposes that follow each other (the windows of a Swin
// transformer, the heads of attention, and what their gradients make of them) become one copy of runs of elements, and
// transposes beside a matrix product become part of it.
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

// Transposes of the last two axes next to a product of two computed matrices become its flags.
void fold_transposes(Graph& graph);

// Replaces groups of operations that only move elements by nodes of `moves_op`.
void fuse_moves(Graph& graph);

// Not in the registry: only the runtime sees it. Attributes:
//   runs       a function of the number of rows N, as an integer tensor; it gives [runs, 4]: the first element written,
//              which input is read (-1: none, zeros), the first element read, and how many
//   rows       N, or 1 if the runs are those of each row
//   repeated   how often the runs are repeated, once for each row
//   grows      for each input whether it has rows
const Op& moves_op();

}  // namespace ascribe::core
