// Which part of a work a process has: shard i of N, told outright or found in what a scheduler says.
#pragma once

#include <functional>
#include <string>

#include "study/parts/part_file.h"

namespace ascribe::core::study {

struct Shard {
  int64_t number = 1, count = 1;  // from 1
  friend bool operator==(const Shard&, const Shard&) = default;
};

// What the environment has under a name; null: nothing.
using Environment = std::function<const char*(const char*)>;

// "3/64", or "auto": of a Slurm array (SLURM_ARRAY_TASK_ID), an indexed job of Kubernetes (JOB_COMPLETION_INDEX) or
// Open MPI (OMPI_COMM_WORLD_RANK). "auto/64" says how many there are: Slurm's numbers are then from 1 to 64.
Shard parse_shard(const std::string& text, const Environment& environment);
Shard parse_shard(const std::string& text);  // in the environment of the process

// The items of a shard: whole batches, so that the same samples are always computed together, however many shards there
// are. Empty: there are more shards than batches.
Items items_of(const Shard& shard, int64_t items, int64_t batch);

// Samples at a time, if nobody says.
int64_t usual_batch(int64_t elements_per_row);

}  // namespace ascribe::core::study
