// Work in parts, whatever its kind: the items of a shard, batch by batch, into a part that goes on where it was.
#pragma once

#include <functional>

#include "study/parts/shard.h"
#include "study/run.h"

namespace ascribe::core::study {

struct PartRequest {
  std::string folder;  // of all parts of the work; is made if the one above is there
  Shard shard = {};
  // Of rows that say their numbers (RowSource::numbers): how many the whole work has. There are no shards then: these
  // rows become a finished part in one go, which may be written twice without harm.
  int64_t items = 0;
  int64_t batch = 0;   // samples at a time, cut at multiples of it; 0: as their size suggests
  bool force = false;  // what is in the way is begun anew
};

struct PartResult {
  std::string path;           // empty: the shard has no items
  bool was_finished = false;  // by an earlier run
  Items items = {};           // of this part
  int64_t items_of_work = 0;  // in all
  int64_t computed = 0;       // by this run; the others were there
  int64_t failed = 0;         // samples of the part with an error in place of some or all of the results
  std::string first_error = {};
  std::vector<std::string> notes = {};
};

// The body of a batch. `inner`: how far it is.
using ComputeBatch = std::function<std::string(const Items& batch, const Progress& inner)>;

// How many samples of a batch have errors, and the first of them.
struct Failures {
  int64_t count = 0;
  std::string first = {};
};
using CountFailures = std::function<Failures(const std::string& body)>;

// The header without `items` and `holds`, which are found here. `numbers`: of rows in memory; empty: the work has
// `items` items.
PartResult write_part_of(const PartRequest& request, PartHeader header, int64_t items, std::span<const int64_t> numbers,
                         int64_t batch, Running& running, const ComputeBatch& compute, const CountFailures& failures);

// Cut at the multiples of `batch`.
std::vector<Items> batches_of(const Items& items, int64_t batch);

}  // namespace ascribe::core::study
