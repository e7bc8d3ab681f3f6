#include "cli/part_output.h"

#include <fmt/format.h>

namespace ascribe::core::cli {

namespace {

constexpr size_t kNotesShown = 8;

Json part_json(const study::PartResult& result, const study::PartRequest& request) {
  Json items = Json::list();
  for (const study::ItemRange& range : result.items) items.push(Json(std::vector{range.first, range.end}));
  return Json::object({{"part", result.path},
                       {"shard", request.shard.number},
                       {"shards", request.shard.count},
                       {"items", std::move(items)},
                       {"items_of_work", result.items_of_work},
                       {"computed", result.computed},
                       {"failed", result.failed},
                       {"first_error", result.first_error},
                       {"was_finished", result.was_finished},
                       {"notes", result.notes}});
}

void print_part(const study::PartResult& result, const study::PartRequest& request) {
  const std::string shard = fmt::format("shard {} of {}", request.shard.number, request.shard.count);
  if (result.path.empty()) {
    fmt::print("{} has no samples: there are fewer batches than shards, and --batch makes smaller ones\n", shard);
    return;
  }
  const int64_t count = study::count_of(result.items);
  fmt::print("{}: samples {} of {}\n", shard, study::items_text(result.items), result.items_of_work);
  if (result.was_finished) fmt::print("finished by an earlier run; checked, and left as it is\n");
  else if (result.computed < count)
    fmt::print("{} computed; {} were there already\n", result.computed, count - result.computed);
  if (result.failed > 0) {
    fmt::print("{} of {} samples failed; the first: {}\n", result.failed, count, printable(result.first_error));
  }
  fmt::print("written to {}\n", printable(result.path));
}

}  // namespace

void add_shard(Options& options, std::string& shard) {
  options.add("--shard", shard,
              "One of several parts of the data, which other processes share: 3/64, or auto in a Slurm array,\n"
              "an indexed Kubernetes job (auto/64) or under Open MPI; -o is then a folder of parts",
              "I/N|auto[/N]");
}

study::PartRequest part_request(const std::string& shard, const Output& output) {
  study::PartRequest request;
  if (!shard.empty()) request.shard = study::parse_shard(shard);
  request.folder = output.path;
  request.force = output.force;
  for (const char* suffix : {".npz", ".csv", ".json"}) {
    if (output.path.empty() || output.path.ends_with(suffix)) {
      fail(ErrorKind::argument, "out", "a data set is explained or evaluated in parts into a folder; got {}",
           output.path.empty() ? "nothing" : output.path);
    }
  }
  check_output_folder(output, {});
  return request;
}

int show_part(const study::PartResult& result, const study::PartRequest& request, const General& general) {
  return general.show([&] { return part_json(result, request); }, [&] { print_part(result, request); });
}

std::vector<std::string> some_notes(std::vector<std::string> notes) {
  if (notes.size() <= kNotesShown) return notes;
  const size_t more = notes.size() - kNotesShown;
  notes.resize(kNotesShown);
  notes.push_back(fmt::format("and {} more notes like these", more));
  return notes;
}

}  // namespace ascribe::core::cli
