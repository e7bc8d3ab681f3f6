#include "study/parts/part_work.h"

#include <algorithm>

#include "study/parts/part_writer.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kTicks = 1000;  // of the progress of one batch

Progress progress_in_batch(const Running& running, int64_t done, int64_t count, int64_t total) {
  if (!running.progress()) return {};
  return [told = running.progress(), done, count, total](std::string_view task, int64_t now, int64_t all) {
    const int64_t part = all > 0 ? std::clamp<int64_t>(kTicks * now / all, 0, kTicks) : 0;
    told(task, std::min(done + count * part / kTicks, total - 1), total);
  };
}

void add(PartResult& result, const Failures& failures) {
  result.failed += failures.count;
  if (result.first_error.empty()) result.first_error = failures.first;
}

PartHeader with_items(PartHeader header, const PartRequest& request, int64_t items, std::span<const int64_t> numbers,
                      int64_t batch) {
  if (numbers.empty()) {
    header.items = items;
    header.holds = items_of(request.shard, items, batch);
    return header;
  }
  if (request.shard != Shard{}) {
    fail(ErrorKind::argument, "shard", "rows that say their numbers are a part already; got shard {} of {}",
         request.shard.number, request.shard.count);
  }
  header.holds = items_of(numbers);
  header.items = request.items;
  if (header.holds.back().end > header.items) {
    fail(ErrorKind::argument, "items", "got {}; the largest number is {}, so there are at least {}", header.items,
         header.holds.back().end - 1, header.holds.back().end);
  }
  return header;
}

}  // namespace

std::vector<Items> batches_of(const Items& items, int64_t batch) {
  std::vector<Items> batches;
  int64_t last = -1;  // which multiple
  for (const ItemRange& range : items) {
    for (int64_t first = range.first; first < range.end;) {
      const int64_t which = first / batch, end = std::min(range.end, (which + 1) * batch);
      if (which != last) batches.emplace_back();
      batches.back().push_back({first, end});
      last = which;
      first = end;
    }
  }
  return batches;
}

PartResult write_part_of(const PartRequest& request, PartHeader given, int64_t items, std::span<const int64_t> numbers,
                         int64_t batch, Running& running, const ComputeBatch& compute, const CountFailures& failures) {
  const PartHeader header = with_items(std::move(given), request, items, numbers, batch);
  PartResult result;
  result.items = header.holds;
  result.items_of_work = header.items;
  if (header.holds.empty()) return result;
  const int64_t total = count_of(header.holds);
  const bool at_once = !numbers.empty();
  std::optional<PartWriter> growing;
  std::vector<PartBlock> blocks;
  if (!at_once) {
    growing.emplace(request.folder, header, request.force);
    result.path = growing->path().string();
    result.was_finished = growing->finished();
    // What earlier runs found is counted too.
    PartReader there(growing->finished() ? growing->path() : growing->growing_path(), !growing->finished());
    while (const auto block = there.next()) add(result, failures(block->body));
  }
  running.begin(total);
  int64_t done = growing ? count_of(growing->done()) : 0;
  for (const Items& some : batches_of(header.holds, batch)) {
    if (growing && growing->knows(some)) continue;
    report(running.progress(), "samples", done, total);
    PartBlock block{some, compute(some, progress_in_batch(running, done, count_of(some), total))};
    add(result, failures(block.body));
    done += count_of(some);
    result.computed += count_of(some);
    if (growing) growing->append(block);
    else blocks.push_back(std::move(block));
  }
  if (growing) growing->finish();
  else result.path = write_part(request.folder, header, blocks, request.force);
  report(running.progress(), "", 1, 1);
  return result;
}

}  // namespace ascribe::core::study
